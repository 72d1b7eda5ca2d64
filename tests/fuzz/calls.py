#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Random calls of OpenGL ES 2 with AddressSanitizer and UndefinedBehaviorSanitizer, for as long as there is time.

  calls.py [--build BUILD] [--seconds N] [--each N] [--seed N] [--longest MS]

Runs tests/gl/random_calls.c (three threads, two of which share their objects) with one seed after the other, on each
interface, at once and late, with little memory and with the sanitizers of tests/sanitize/sanitized.py, N seconds each.  A report
of a sanitizer, a signal and a call that waits longer than MS are failures.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

WAYS = [[], ['--grate'], ['--async', '3'], ['--memory', '24'], ['--grate', '--async', '3'], ['--memory', '6']]
REPORT = re.compile(r'ERROR: AddressSanitizer|runtime error: |Assertion')
# A texture of the framebuffer gets another format from the other thread meanwhile: a race of Mesa's, with softpipe too
# (docs/upstreaming.md). The seed ends there, and counts as skipped.
RACE = re.compile(r'st_update_framebuffer_state: Assertion')


def environment():
    library = subprocess.run(['gcc', '-print-file-name=libasan.so'], capture_output=True, text=True, check=True).stdout.strip()
    return {**os.environ, 'LD_PRELOAD': os.path.realpath(library), 'MESA_DEBUG': 'silent', 'MESA_SHADER_CACHE_DISABLE': 'true',
            'ASAN_OPTIONS': 'verify_asan_link_order=0:abort_on_error=1:detect_leaks=0',
            'UBSAN_OPTIONS': 'halt_on_error=1:abort_on_error=1:print_stacktrace=1'}


def run(args, way, seed):
    """(did it pass, calls, longest wait in seconds, what it printed)"""
    command = [f'{args.build}/sanitized/tegra20-run', *way, '--', f'{args.build}/sanitized/tests/gl/test_random_calls', '--seed',
               str(seed), '--seconds', str(args.each), '--longest', str(args.longest)]
    try:
        p = subprocess.run(command, cwd=TOP, env=environment(), capture_output=True, text=True, errors='replace',
                           timeout=20 * args.each + 600)
    except subprocess.TimeoutExpired:
        return False, 0, 0.0, 'it does not end'
    text = p.stdout + p.stderr
    calls = re.search(r': (\d+) calls', p.stdout)
    waits = [float(s) for s in re.findall(r'longest wait ([\d.]+) s', p.stdout)]
    ok = p.returncode == 0 and calls and not REPORT.search(text)
    return ok, int(calls[1]) if calls else 0, max(waits, default=0.0), text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--seconds', type=int, default=60, help='in all (default 60)')
    parser.add_argument('--each', type=int, default=20, help='of a seed (default 20)')
    parser.add_argument('--seed', type=int, default=1, help='the first one')
    parser.add_argument('--longest', type=int, default=1000, help='that a call may wait, ms (default 1000)')
    args = parser.parse_args()
    subprocess.run(['tests/sanitize/sanitized.py', '--build', args.build, 'gl-tests', 'tegra20-run', 'libtegra20_drm_shim.so'],
                   cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    end, seed, passed, failed, skipped, calls, longest = time.monotonic() + args.seconds, args.seed, 0, 0, 0, 0, 0.0
    while time.monotonic() < end:
        way = WAYS[seed % len(WAYS)]
        ok, more, wait, text = run(args, way, seed)
        calls, longest = calls + more, max(longest, wait)
        race = not ok and len(REPORT.findall(text)) == 1 and RACE.search(text)
        passed, failed, skipped = passed + bool(ok), failed + (not ok and not race), skipped + bool(race)
        if not ok:
            print(f'FAIL: seed {seed} {" ".join(way)}\n{text[-4000:]}', flush=True)
        seed += 1
    print(f'{args.seconds} s, {passed + failed + skipped} seeds from {args.seed} on, {calls} calls, longest wait of a call '
          f'{longest:.3f} s')
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
