#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""A program of small frames beside one of draws that take about a second each, on one chip.

  queues.py [--build BUILD] [--draws N]

Jobs are executed when somebody waits, so both programs fill their queues as far as the driver lets them.  On each interface
all frames must be right, and no job of the small frames may take a second of the chip's time from its submission to its end,
by the model of time of the simulator (A79, A101, A136).  The last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

MOST_MS = 1000
TIMEOUT = 1800


def run(args, options, directory):
    """What both programs printed: (long draws, small frames)."""
    prefix = [f'{args.build}/tegra20-run', f'--one-chip={directory}/chip', '--stats', '--async', '60000', *options, '--']
    ready, stop = f'{directory}/ready', f'{directory}/stop'
    with open(f'{directory}/frames', 'w+', encoding='utf-8') as log:
        frames = subprocess.Popen(prefix + [f'{args.build}/tests/vm/test_vm_draws', '--until', stop, '--ready', ready], cwd=TOP,
                                  stdout=log, stderr=log)
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(ready) and frames.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        draws = subprocess.run(prefix + [f'{args.build}/tests/vm/test_vm_neighbour', 'long', str(args.draws)], cwd=TOP,
                               capture_output=True, text=True, timeout=TIMEOUT)
        with open(stop, 'w', encoding='utf-8'):
            pass
        frames.wait(TIMEOUT)
        log.seek(0)
        return draws.stdout + draws.stderr, log.read()


def milliseconds(pattern, text):
    found = re.search(pattern, text)
    return float(found[1]) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--draws', type=int, default=4, help='long ones (default 4)')
    args = parser.parse_args()
    passed = failed = 0
    for options in [], ['--grate']:
        name = 'grate' if options else 'mainline'
        with tempfile.TemporaryDirectory() as directory:
            draws, frames = run(args, options, directory)
        work = milliseconds(r'about ([\d.]+) ms on the engines at', draws)
        wait = milliseconds(r'at most ([\d.]+) ms on the engines from', frames)
        ok = (f'{args.draws} long draws: right' in draws and ' 0 wrong on the way' in frames and
              work and work > 800 * args.draws and wait is not None and wait < MOST_MS)
        passed, failed = passed + bool(ok), failed + (not ok)
        print(f'{"ok:  " if ok else "FAIL:"} {name}: beside {args.draws} draws of {work} ms in all, a frame of another '
              f'program waits for {wait} ms at most')
        if not ok:
            print(draws[-2000:] + frames[-2000:])
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
