#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Which hardware assumptions a recording depends on.

  assumptions.py [--build DIR] [--allow A22,A57,...] RECORDING...

Replays each recording (tegra20-run --record) once for every other value of every switch of the simulator and prints the
values that change what is in memory afterwards.  A driver that is robust, as recommended-assumptions.md asks for, keeps
this list short; for the owner of a device it is the list of experiments that matter for that program.  With --allow the
exit status is 1 when the list holds an id that is not named.
"""

import argparse
import os
import re
import subprocess
import sys


def replay(tool, arguments):
    return subprocess.run([tool] + arguments, capture_output=True, text=True).stderr


def switches(tool, recording):
    """[(id, topic, value)] of all values but the defaults."""
    found = []
    for line in replay(tool, ['--switch', 'list', recording]).split('\n'):
        match = re.fullmatch(r'  (A\d+) \((.*)\): (.*)', line)
        if match:
            found += [(match[1], match[2], value) for value in match[3].split()[1:]]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', default=os.environ.get('BUILD_DIR', 'build'))
    parser.add_argument('--allow', default=None, metavar='IDS')
    parser.add_argument('recordings', nargs='+', metavar='RECORDING')
    args = parser.parse_args()
    tool = os.path.join(args.build, 'tegra20-replay')
    used = set()
    for recording in args.recordings:
        for ident, topic, value in switches(tool, recording):
            output = replay(tool, ['--switch', f'{ident}={value}', recording])
            result = re.search(r'(\d+) jobs, (\d+) different, (\d+) hung', output)
            if not result:
                sys.exit(output)
            if result[2] != '0' or result[3] != '0':
                used.add(ident)
                print(f'{os.path.basename(recording)}: {ident}={value}: {result[2]} of {result[1]} jobs differ, '
                      f'{result[3]} hang ({topic})')
    if args.allow is not None and used - set(args.allow.split(',')):
        print('not allowed: ' + ', '.join(sorted(used - set(args.allow.split(',')))))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
