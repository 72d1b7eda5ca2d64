#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Piglit's programs with tessellation on the simulated A420: tessellation.py [--build DIR] [--part K/N] [--include REGEX] ...

Runs the execution tests of ARB_tessellation_shader with the patched driver, in strict mode; for them it says that it has the
versions of OpenGL and GLSL that they ask for.  Each has to pass without a diagnostic, or to have its cause in causes.txt:
one that passes with a diagnostic of which a cause is known counts as passed.

  --generated      those that piglit's scripts generate instead of those that people wrote
  --build DIR      a build with the option adreno (default build)
  --include REGEX  only tests that match
  --timeout S      of a test, default 60
  --report FILE    also writes what is printed
"""

import argparse
import collections
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import board_score  # noqa: E402
import measured  # noqa: E402
import part  # noqa: E402

CHIP = board_score.Boards(name='Adreno A420', chip='a420', lists='', folder='tests/a4xx', sources=(),
                          options=('--strict',), script='tessellation.py')
# In compatibility contexts Mesa offers the extension only to drivers that have GLSL 4.00 there.
ENVIRONMENT = {'FD_MESA_DEBUG': 'tess', 'MESA_GL_VERSION_OVERRIDE': '4.0COMPAT', 'MESA_GLSL_VERSION_OVERRIDE': '400',
               'MESA_EXTENSION_OVERRIDE': 'GL_ARB_tessellation_shader'}
REMARKED = 'pass with a diagnostic'
PREFIX = 'spec@arb_tessellation_shader@execution@'


def list_tests(generated):
    run = subprocess.run(['piglit', 'print-cmd', '--format', '{name}\t{command}', 'quick_shader'], capture_output=True,
                         text=True, check=True)
    tests = [line.split('\t') for line in run.stdout.splitlines() if line.startswith(PREFIX)]
    return sorted(name for name, command in tests if ('/generated_tests/' in command) == generated)


def result_of(test):
    if test['result'] in board_score.GOOD and 'tegra20-sim: strict' in (test['err'] or ''):
        return REMARKED
    return test['result']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--generated', action='store_true')
    parser.add_argument('--build')
    part.add_option(parser)
    parser.add_argument('--include', default='')
    parser.add_argument('--timeout', type=int, default=60)
    parser.add_argument('--report')
    args = parser.parse_args()
    if args.build:
        os.environ['BUILD_DIR'] = args.build
    names = part.of([name for name in list_tests(args.generated) if re.search(args.include, name)], args.part)
    causes = board_score.read_causes(os.path.join(TOP, CHIP.folder, 'causes.txt'))
    results = {name: result_of(test) for name, test in
               board_score.run_piglit(CHIP, 'quick_shader', names, args.timeout, ENVIRONMENT).items()}
    counts = collections.Counter(results.values())
    other = {name: (result, board_score.cause_of(name, causes)) for name, result in sorted(results.items())
             if result not in board_score.GOOD}
    text = [measured.head('# Piglit with tessellation on the simulated Adreno A420: ' + measured.command(), 'sim/a4xx',
                          'packaging/patches/freedreno', 'sim/drm-shim', 'plugin', 'meson.build'),
            f'{len(names)} tests: ' + ', '.join(f'{n} {result}' for result, n in counts.most_common())]
    text += [f'{name}: {result}: {cause}' for name, (result, cause) in other.items()]
    print('\n'.join(text))
    if args.report:
        with open(args.report, 'w', encoding='utf-8') as file:
            file.write('\n'.join(text) + '\n')
    known = collections.Counter(result for result, cause in other.values() if cause != 'unknown')
    passed = len(results) - len(other) + known[REMARKED]
    unknown = len(names) - len(results) + len(other) - known.total()
    print(f'{passed} passed, {unknown} failed, {len(names) - passed - unknown} skipped')
    return 1 if unknown or not results else 0


if __name__ == '__main__':
    sys.exit(main())
