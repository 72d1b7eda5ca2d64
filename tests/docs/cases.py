#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What became of each test case of an earlier commit.

  cases.py [--build BUILD] [--results FILE] [COMMIT]

Compares the cases of the ES 2 grid (the old program is compiled from its sources and lists its cases on the build's
simulated chip), the tests of ci/piglit-quick.txt, the tests that meson knows and the cases of the unit tests with those of
COMMIT.  A case that is there no more needs a reason in GONE below; cases that the lists of ci/ expect to fail or to be
skipped, and did not then, are printed with their reasons.  COMMIT is e72c8ed by default, the last one before the tests were
reviewed.  The history must be there: a shallow clone has no old commits.

The last line is "N passed, N failed, N skipped"; a case without a reason is a failure.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITES = ['ES 2 grid', 'piglit', 'meson tests', 'unit test cases']
LISTS = ['es2-fails.txt', 'piglit-fails.txt', 'piglit-flakes.txt', 'differential-skips.txt']

# (pattern of "SUITE: CASE", reason)
GONE = [
    (r'ES 2 grid: texture_filter/',
     'each combination of filters, wraps and size has one format: with red and red-green among them, another one'),
    (r'piglit: spec@ext_framebuffer_multisample@(accuracy|formats) ?all_samples',
     'skipped: since there are sample counts to try, the test wants GL_ARB_texture_multisample, which is no part of OpenGL 2.1'),
]


def git(*args):
    return subprocess.run(['git', *args], cwd=TOP, capture_output=True, text=True, check=True).stdout


def entries(text):
    """{case: reason} of a list of ci/."""
    lines = (line.split('#', 1) for line in text.split('\n') if line and not line.startswith(('#', '[')))
    return {line[0].strip(): line[1].strip() if len(line) > 1 else '' for line in lines if line[0].strip()}


def grid_program(commit, directory):
    """The ES 2 grid of the commit, which only has to list its cases."""
    archive = subprocess.run(['git', 'archive', commit, 'tests/gl', 'tests/common'], cwd=TOP, capture_output=True, check=True)
    subprocess.run(['tar', 'x', '-C', directory], input=archive.stdout, check=True)
    common, out = os.path.join(directory, 'tests/common'), os.path.join(directory, 'es2')
    sources = glob.glob(os.path.join(directory, 'tests/gl/es2/*.c'))
    subprocess.run(['gcc', '-D_GNU_SOURCE', '-w', '-I' + os.path.join(directory, 'tests/gl'), '-I' + common, *sources,
                    os.path.join(common, 'egl_context.c'), os.path.join(common, 'image.c'), '-o', out, '-lEGL', '-lGLESv2',
                    '-lgbm', '-lpng', '-lm', '-lGL'], check=True)
    return out


def grid_cases(build, program):
    run = subprocess.run([os.path.join(build, 'tegra20-run'), '--', program, '--list'], capture_output=True, text=True,
                         check=True)
    return set(run.stdout.split())


def sources_matching(commit, pattern, *paths):
    found = subprocess.run(['git', 'grep', '-h', '-o', '-E', pattern, commit, '--', *paths], cwd=TOP, capture_output=True,
                           text=True, check=True).stdout
    return {re.split(r"[('\"]+", line)[-1] for line in found.split('\n') if line}


def cases_of(commit, grid):
    return {
        'ES 2 grid': grid,
        'piglit': set(entries(git('show', f'{commit}:ci/piglit-quick.txt'))),
        'meson tests': sources_matching(commit, r"test\('[^']*", 'tests/*meson.build'),
        'unit test cases': sources_matching(commit, r'(cmocka_unit_test[a-z_]*|TEST)\([a-z0-9_]+', 'tests/unit'),
    }


def gone(suite, case):
    return next((reason for pattern, reason in GONE if re.match(pattern, f'{suite}: {case}')), None)


def list_at(commit, name):
    shown = subprocess.run(['git', 'show', f'{commit}:ci/{name}'], cwd=TOP, capture_output=True, text=True)
    return entries(shown.stdout)


def main():
    parser = argparse.ArgumentParser(description='What became of each test case of an earlier commit.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--results', metavar='FILE')
    parser.add_argument('commit', nargs='?', default='e72c8ed')
    args = parser.parse_args()
    build, lines, unexplained, kept = os.path.abspath(args.build), [], 0, 0
    with tempfile.TemporaryDirectory(prefix='tegra20-cases-') as directory:
        then = cases_of(args.commit, grid_cases(build, grid_program(args.commit, directory)))
    now = cases_of('HEAD', grid_cases(build, os.path.join(build, 'tests/gl/es2/tegra20-es2')))
    for suite in SUITES:
        lost = sorted(then[suite] - now[suite])
        kept += len(then[suite]) - len(lost)
        lines.append(f'{suite}: {len(then[suite])} cases then, {len(now[suite])} now; {len(lost)} of them are gone'
                     + (':' if lost else ''))
        for case in lost:
            reason = gone(suite, case)
            unexplained += reason is None
            lines.append(f'  {case}  # {reason or "NO REASON"}')
    for name in LISTS:
        before, after = list_at(args.commit, name), list_at('HEAD', name)
        added = sorted(set(after) - set(before))
        lines.append(f'ci/{name}: {len(before)} entries then, {len(after)} now; {len(added)} were not there'
                     + (':' if added else ''))
        lines += [f'  {case}  # {after[case]}' for case in added]
    print('\n'.join(lines))
    if args.results:
        with open(args.results, 'w', encoding='utf-8') as file:
            file.write(f'tests/docs/cases.py {args.commit}, at {git("log", "-1", "--format=%h, %as")}\n')
            file.write('\n'.join(lines) + '\n')
    print(f'{kept} passed, {unexplained} failed, 0 skipped')
    return 1 if unexplained else 0


if __name__ == '__main__':
    sys.exit(main())
