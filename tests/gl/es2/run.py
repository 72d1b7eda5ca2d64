#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Grids of OpenGL ES 2.0 cases on the simulated chip, compared with Mesa's software renderers.

  run.py --build BUILD [--only TEXT] [--pictures DIR] [--expect FILE] [--surface] [FAMILY ...]

Each family is rendered on softpipe, then in strict mode on the simulated chip and compared.  Where softpipe disagrees,
the distribution's llvmpipe decides: softpipe of Mesa 25.0 loses writes to arrays with a dynamic index, for one.  Cases
of FILE ("name  # reason") are expected to fail; one that passes is reported and does not count as a failure.  The last
line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile


def run(args, program_args, driver, directory):
    program = [os.path.join(args.build, 'tests/gl/es2/tegra20-es2')] + program_args
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='1')
    if driver == 'tegra20':
        program = [os.path.join(args.build, 'tegra20-run'), '--strict', '--'] + program
    else:
        env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER=driver)
    result = subprocess.run(program, env=env, capture_output=True, text=True, errors='replace')
    lines = result.stdout.split('\n')
    counts = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', result.stdout)
    if not counts:
        print(f'FAIL: the run on {driver} ended early\n{result.stdout[-2000:]}{result.stderr[-2000:]}')
        return None, [], result
    return [int(c) for c in counts.groups()], [line for line in lines if line.startswith('FAIL: ')], result


def case_name(line):
    return line[6:].split(': ')[0]


def expectations(path):
    if not path:
        return set()
    lines = [line.split('#')[0].strip() for line in open(path, encoding='utf-8')]
    return {line for line in lines if line}


def second_opinion(args, failures, directory):
    """The failures that llvmpipe confirms."""
    names, reference = os.path.join(directory, 'names'), os.path.join(directory, 'llvmpipe')
    with open(names, 'w', encoding='utf-8') as f:
        f.write(''.join(case_name(line) + '\n' for line in failures))
    options = args.options + ['--names', names]
    run(args, ['--write', reference] + options, 'llvmpipe', directory)
    more = ['--pictures', args.pictures] if args.pictures else []
    return run(args, ['--compare', reference] + options + more, 'tegra20', directory)[1]


def main():
    parser = argparse.ArgumentParser(description='OpenGL ES 2.0 cases on the simulated chip.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--only', help='cases whose name holds this text')
    parser.add_argument('--pictures', help='where to write the pictures of failing cases')
    parser.add_argument('--expect', help='list of cases that are expected to fail')
    parser.add_argument('--surface', action='store_true', help='render to a surface instead of framebuffer objects')
    parser.add_argument('families', nargs='*', metavar='FAMILY')
    args = parser.parse_args()
    if args.pictures:
        os.makedirs(args.pictures, exist_ok=True)
    args.options = ['--surface'] if args.surface else []
    options = args.options + (['--only', args.only] if args.only else []) + args.families
    with tempfile.TemporaryDirectory(prefix='tegra20-es2-') as directory:
        reference = os.path.join(directory, 'softpipe')
        theirs, _, _ = run(args, ['--write', reference] + options, 'softpipe', directory)
        counts, failures, result = run(args, ['--compare', reference] + options, 'tegra20', directory)
        if not theirs or not counts:
            print('0 passed, 1 failed, 0 skipped')
            return 1
        confirmed = second_opinion(args, failures, directory) if failures else []
    expected = expectations(args.expect)
    failed = [line for line in confirmed if case_name(line) not in expected]
    known = len(confirmed) - len(failed)
    for name in sorted(expected - {case_name(line) for line in confirmed}) if not args.only and not args.families else []:
        print(f'expected to fail and passes: {name}')
    print('\n'.join(failed))
    strict = re.search(r'strict: (\d+) diagnostics', result.stderr)
    if not strict or int(strict.group(1)):
        failed.append('strict')
        print('FAIL: strict mode\n' + result.stderr[-2000:])
    print(f'{len(failures) - len(confirmed)} cases decided by llvmpipe, {known} known failures')
    print(f'{counts[0] + len(failures) - len(confirmed)} passed, {len(failed)} failed, {counts[2] + known} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
