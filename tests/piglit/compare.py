#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Compare a whole piglit run with softpipe, test by test.

  ci/piglit --results DIR
  tests/piglit/compare.py DIR [--jobs N]

Each test that does not pass in DIR is run on softpipe in a window of Xvfb, limited to what this driver reports: OpenGL 2.1
with GLSL 1.20, OpenGL ES 2.0, and the extensions of tests/gl/reported.txt.  What softpipe passes must have a reason in
ci/piglit-fails.txt that names a limit of the chip, "limit: ...", "precision: ..." or, for what strict mode reports,
"strict: ...", or one of windows of gbm, which the driver's run has and softpipe's has not: "platform: ...".  After the tests
a table of the reasons is printed.  The last line is "N passed, N failed, N skipped": explained, not explained, and failing
on softpipe too.
"""

import argparse
import bz2
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def results(directory):
    """{profiles: {test: result}}"""
    found = {}
    for path in glob.glob(os.path.join(directory, '*', 'results.json.bz2')):
        with bz2.open(path) as f:
            tests = json.load(f)['tests']
        found[os.path.basename(os.path.dirname(path))] = {
            name: 'strict' if 'tegra20-sim: strict' in (test['err'] or '') else test['result']
            for name, test in tests.items()}
    return found


def reasons():
    entries = {}
    for name in ('fails', 'flakes'):
        for line in open(os.path.join(TOP, 'ci', f'piglit-{name}.txt'), encoding='utf-8'):
            test, mark, reason = line.partition(' #')
            if mark and not line.startswith('#'):
                entries[test.strip()] = reason.strip()
    return entries


def names_of(profile):
    """What piglit calls the tests of a profile; it takes lists for one profile at a time."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(['piglit', 'run', '--dry-run', '--overwrite', '-l', 'quiet', profile, directory],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with bz2.open(os.path.join(directory, 'results.json.bz2')) as f:
            return set(json.load(f)['tests'])


def extensions(lines):
    return {line for line in lines if re.fullmatch(r'GL_[A-Z0-9]+_\w*[a-z]\w*', line)}


def softpipe_environment():
    """softpipe with the versions and extensions that the driver reports."""
    env = dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='softpipe', MESA_GL_VERSION_OVERRIDE='2.1',
               MESA_GLSL_VERSION_OVERRIDE='120', MESA_GLES_VERSION_OVERRIDE='2.0',
               XDG_RUNTIME_DIR=os.environ.get('XDG_RUNTIME_DIR', '/tmp'), LD_LIBRARY_PATH=os.path.join(TOP, 'build', 'lib'))
    theirs = set()
    with open(os.path.join(TOP, 'tests/gl/reported.txt'), encoding='utf-8') as f:
        ours = extensions(line.split(' | ')[0] for line in f)
    for api in ('gl', 'gles2', 'gles1'):
        theirs |= extensions(subprocess.run([os.path.join(TOP, 'build/tests/gl/report'), api], env=env, check=True,
                                            capture_output=True, text=True).stdout.splitlines())
    env['MESA_EXTENSION_OVERRIDE'] = ' '.join('-' + name for name in sorted(theirs - ours))
    return env


def run_softpipe(tests, jobs):
    """{test: result}"""
    env = softpipe_environment()
    found = {}
    with tempfile.TemporaryDirectory() as directory:
        for profile in ('quick_shader', 'quick_gl'):
            chosen = sorted(names_of(profile) & tests - set(found))
            listed = os.path.join(directory, profile + '.txt')
            with open(listed, 'w', encoding='utf-8') as f:
                f.write('\n'.join(chosen) + '\n')
            subprocess.run(['xvfb-run', '-a', '-s', '-screen 0 1280x1024x24', 'piglit', 'run', '--overwrite', '-l', 'quiet',
                            '-j', str(jobs), '--timeout', '300', '-p', 'x11_egl', '--test-list', listed, profile,
                            os.path.join(directory, profile)], env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            for tests_of_profile in results(directory).values():
                found.update(tests_of_profile)
    return found


def main():
    parser = argparse.ArgumentParser(description='Compare a whole piglit run with softpipe.')
    parser.add_argument('results')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    args = parser.parse_args()
    ours = {name: result for tests in results(args.results).values() for name, result in tests.items()}
    if not ours:
        print(f'{args.results} holds no results of ci/piglit\n0 passed, 1 failed, 0 skipped')
        return 1
    failing = {name for name, result in ours.items() if result not in ('pass', 'warn', 'skip')}
    softpipe = run_softpipe(failing, args.jobs)
    known = reasons()
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    table = {}
    for name in sorted(failing):
        reason = known.get(name, 'no reason')
        passes = softpipe.get(name) in ('pass', 'warn')
        if not passes:
            outcome = 'skipped'
        else:
            outcome = 'passed' if re.match('limit: |precision: |platform: |strict: ', reason) else 'failed'
        counts[outcome] += 1
        table.setdefault(reason, collections.Counter())[passes] += 1
        print(f"{ours[name]}, softpipe {softpipe.get(name, 'unknown')}: {name}: {reason}")
    print('softpipe passes, fails: reason')
    for reason, numbers in sorted(table.items(), key=lambda entry: -entry[1][True]):
        print(f'{numbers[True]:15}, {numbers[False]:5}: {reason}')
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
