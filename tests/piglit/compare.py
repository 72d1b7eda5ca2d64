#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compare a whole piglit run with softpipe, test by test.

  ci/piglit --results DIR
  tests/piglit/compare.py DIR [--jobs N]

Each test that does not pass in DIR is run on softpipe, limited to OpenGL 2.1 and in a window of Xvfb.  What softpipe passes
must have a reason in ci/piglit-fails.txt that is no "not working yet".  The last line is "N passed, N failed, N skipped":
explained, not explained, and failing on softpipe too.
"""

import argparse
import bz2
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


def run_softpipe(tests, jobs):
    """{test: result}"""
    env = dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='softpipe', MESA_GL_VERSION_OVERRIDE='2.1',
               XDG_RUNTIME_DIR=os.environ.get('XDG_RUNTIME_DIR', '/tmp'), LD_LIBRARY_PATH=os.path.join(TOP, 'build', 'lib'))
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
    for name in sorted(failing):
        reason = known.get(name, '')
        if softpipe.get(name) not in ('pass', 'warn'):
            outcome = 'skipped'
        else:
            outcome = 'failed' if not reason or re.match('not working yet', reason) else 'passed'
        counts[outcome] += 1
        print(f"{ours[name]}, softpipe {softpipe.get(name, 'unknown')}: {name}: {reason or 'no reason'}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
