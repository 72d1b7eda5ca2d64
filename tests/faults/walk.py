#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fail each ioctl of a program in turn and see what becomes of it.

  walk.py --run BUILD/tegra20-run [--step N] [--part K/N] [--seconds S] [--errors A,B] [--options "A B"] [--jobs N] -- COMMAND

Every run must end by itself within the time limit; when it ends with status 0 the picture that it wrote must be the one
of an undisturbed run, byte for byte (unless it fell back to another renderer).  Ioctls are numbered over all kinds; each
fails with each error, or with --step N every Nth one does, another set for each error.  Then the same with little memory,
and with each job in turn timing out: there the picture may differ, since nothing promises GL errors after a reset.
--options are more options for tegra20-run; with --strict no run may draw a diagnostic, but for those whose job times out.
What does not fit into --seconds is skipped, and fails the walk.

The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../common'))

import part  # noqa: E402, tests/common/part.py

LIMIT = 240  # seconds for one run


class Walk(part.Counts):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.end = time.monotonic() + args.seconds

    def execute(self, options, env, picture):
        command = ([self.args.run] + self.args.options.split() + options + ['--'] +
                   [picture if word == 'PICTURE' else word for word in self.args.command])
        try:
            p = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=LIMIT,
                               env={**os.environ, **env})
        except subprocess.TimeoutExpired:
            return None, '', f'still running after {LIMIT} s'
        return p.returncode, p.stdout, p.stderr

    def digest(self, picture):
        with open(picture, 'rb') as f:
            return hashlib.sha256(f.read()).hexdigest()

    def one(self, name, options, env, exact):
        """One disturbed run: None if it was fine, else what was wrong."""
        with tempfile.TemporaryDirectory() as directory:
            picture = os.path.join(directory, 'picture.png')
            status, out, err = self.execute(options, env, picture)
            tail = ' | '.join(err.strip().split('\n')[-2:])
            if status is None or status < 0 or status >= 126:
                return f'{name}: status {status}: {tail}'
            strict = re.search(r'strict: (\d+) diagnostics', err)
            if exact and strict and int(strict.group(1)):
                return f'{name}: strict mode: {tail}'
            if status == 0 and exact and 'Tegra' in out and self.digest(picture) != self.reference:
                return f'{name}: a wrong picture without an error: {tail}'
        return None

    def all(self, cases):
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for wrong in pool.map(lambda case: self.one(*case) if time.monotonic() < self.end else 'skipped', cases):
                if wrong == 'skipped':
                    self.skipped += 1
                else:
                    self.check(wrong, not wrong)

    def run(self):
        with tempfile.TemporaryDirectory() as directory:
            picture = os.path.join(directory, 'picture.png')
            start = time.monotonic()
            status, out, err = self.execute(['--stats'], {}, picture)
            took = time.monotonic() - start
            count = re.search(r'(\d+) ioctls, (\d+) jobs', err)
            if status != 0 or not count:
                print(f'FAIL: undisturbed run: status {status}: {err}')
                print('0 passed, 1 failed, 0 skipped')
                return 1
            self.reference = self.digest(picture)
        ioctls, jobs = int(count.group(1)), int(count.group(2))
        errors = self.args.errors.split(',')
        step = self.args.step
        cases = [(f'ioctl {n} fails with {error}', ['--fail', f'*:{n}:{error}'], {}, True)
                 for i, error in enumerate(errors) for n in range(1 + i % step, ioctls + 1, step)]
        cases += [(f'every {n}th ioctl is interrupted', ['--fail', f'*:%{n}:EINTR'], {}, True) for n in (2, 3, 7)]
        cases += [(f'{mib} MiB of memory', ['--memory', str(mib)], {}, True) for mib in (2, 3, 4, 5, 8, 16, 32)]
        cases += [(f'job {n} times out', [], {'TEGRA20_SHIM_HANG': str(n)}, False) for n in range(1, min(jobs, 12) + 1)]
        cases = part.of(cases, self.args.part)
        print(f'{ioctls} ioctls, {jobs} jobs, {took:.2f} s a run: {len(cases)} cases')
        self.all(cases)
        if self.skipped:
            self.check(f'{self.skipped} cases did not fit into {self.args.seconds:.0f} s', False)
        return self.finish()


def main():
    parser = argparse.ArgumentParser(description='Fail each ioctl of a program in turn.')
    parser.add_argument('--run', required=True, help='tegra20-run')
    parser.add_argument('--step', type=int, default=1, help='every Nth ioctl per error (default 1)')
    parser.add_argument('--seconds', type=float, default=1800, help='time for everything (default 1800)')
    parser.add_argument('--options', default='', help='for tegra20-run')
    parser.add_argument('--errors', default='ENOMEM,EINVAL,EIO,EPERM,EINTR')
    parser.add_argument('--jobs', type=int, default=2, help='runs at a time (default 2)')
    part.add_option(parser)
    parser.add_argument('command', nargs='+', help='the word PICTURE stands for the file that it writes')
    return Walk(parser.parse_args()).run()


if __name__ == '__main__':
    sys.exit(main())
