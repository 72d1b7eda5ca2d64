#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Weston with one failing ioctl, with little memory, and with a job that times out: it must survive with its clients.

  weston.py --run BUILD/tegra20-run [--once] [--part K/N] [--step N] [--jobs N] [--options "A B"]

Each case starts a headless Weston that draws with GL, disturbed, lets a client draw, which goes, then another one, and ends
Weston.  The second client must be able to draw, and Weston must end by itself when told to, without a crash.

The cases: a job that times out, memory of 4, 8, 16 and 32 MiB, and each ioctl with each error. How many ioctls of
each kind there are an undisturbed run tells, from the first to those at the end; of submissions and waits, which each
frame has, it is the first 24. Those that open the device are left out, and the two empty jobs with which the driver
looks whether the engines run: without it Weston gets Mesa's software renderer (the demo and piglit walk over them).
--once lets each ioctl fail with one of the errors in turn; --step N takes every Nth of the failing ioctls. An ioctl that
never came is skipped: how many buffers a client has depends on time.

The last line is "N passed, N failed, N skipped".
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../common'))

import part  # noqa: E402, tests/common/part.py

ERRORS = ['ENOMEM', 'EINTR', 'EIO', 'EPERM', 'EINVAL']
EACH_FRAME = ['CHANNEL_SUBMIT', 'SUBMIT', 'SYNCPOINT_WAIT', 'SYNCPT_WAIT', 'SYNCPT_READ']
FRAME_CALLS = 24
OPENING = ['VERSION', 'GET_CAP', 'CHANNEL_OPEN', 'OPEN_CHANNEL', 'GET_SYNCPT']
SUBMISSIONS = ['CHANNEL_SUBMIT', 'SUBMIT']
OPENING_JOBS = 2
LIMIT = 240   # seconds until something hangs
DRAWING = 20  # seconds for a client to draw
FRAMES = 6


class Session:
    """A Weston with its clients."""

    def __init__(self, run, options, env, directory):
        self.run, self.directory = run, directory
        self.env = {**os.environ, 'XDG_RUNTIME_DIR': directory}
        self.log = os.path.join(directory, 'log')
        with open(self.log, 'w', encoding='utf-8') as log:
            self.weston = subprocess.Popen(
                run + ['--trace'] + options + ['--', 'weston', '--backend=headless-backend.so', '--use-gl', '--width=320',
                                               '--height=240', '--socket=t', '--idle-time=0', '--no-config'],
                env={**self.env, **env}, stdout=log, stderr=log)

    def text(self, name='log'):
        with open(os.path.join(self.directory, name), encoding='utf-8', errors='replace') as f:
            return f.read()

    def wait(self, seconds, condition):
        """Until the condition holds or Weston ends."""
        end = time.monotonic() + seconds
        while not condition() and self.weston.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        return condition()

    def client(self, name):
        """Draws some frames: True.  Frames need Weston: it says when the next one may begin."""
        with open(os.path.join(self.directory, name), 'w', encoding='utf-8') as log:
            client = subprocess.Popen(self.run + ['--trace', '--', 'weston-simple-egl'],
                                      env={**self.env, 'WAYLAND_DISPLAY': 't'}, stdout=log, stderr=log)
            drawn = self.wait(DRAWING, lambda: len(re.findall(r'SUBMIT \S+ = 0', self.text(name))) >= FRAMES)
            client.terminate()
            client.wait(timeout=LIMIT)
        return drawn

    def end(self):
        self.weston.terminate()
        self.weston.wait(timeout=LIMIT)

    def kill(self):
        if self.weston.poll() is None:
            self.weston.kill()
            self.weston.wait()


def case(run, options, env):
    """(None or what was wrong, what Weston wrote)"""
    with tempfile.TemporaryDirectory() as directory:
        session = Session(run, options, env, directory)
        drawn = False
        try:
            if session.wait(LIMIT, lambda: os.path.exists(os.path.join(directory, 't'))):
                session.client('first')
                drawn = session.client('second')
            alive = session.weston.poll() is None
            session.end()
        except subprocess.TimeoutExpired:
            return 'hangs', session.text()
        finally:
            session.kill()
        status, text = session.weston.returncode, session.text()
        tail = ' | '.join(line for line in text.strip().split('\n')[-20:] if '-shim: ' not in line)[-300:]
        if not alive:
            return f'gone with status {status}: {tail}', text
        if status < 0 or status >= 125 and status != 143:
            return f'ended with status {status}: {tail}', text
        if not drawn:
            return f'the second client could not draw: {tail}', text
    return None, text


def failing_ioctls(run):
    """[(name, number, error)], from an undisturbed run; None if that fails."""
    wrong, text = case(run, [], {})
    if wrong:
        print(f'FAIL: undisturbed: {wrong}')
        return None
    counts = collections.Counter(re.findall(r'shim: DRM_IOCTL_(?:TEGRA_)?(\w+)', text))
    for name in OPENING:
        counts.pop(name, None)
    for name in EACH_FRAME:
        counts[name] = min(counts[name], FRAME_CALLS)
    print(f'{sum(counts.values())} ioctls: ' + ', '.join(f'{n} {name}' for name, n in counts.items() if n), flush=True)
    return [(name, n, error) for name, count in counts.items()
            for n in range(OPENING_JOBS + 1 if name in SUBMISSIONS else 1, count + 1) for error in ERRORS]


def main():
    parser = argparse.ArgumentParser(description='Weston with failing ioctls.')
    parser.add_argument('--run', required=True, help='tegra20-run')
    parser.add_argument('--step', type=int, default=1)
    parser.add_argument('--once', action='store_true', help='each ioctl with one error')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--options', default='', help='for tegra20-run')
    part.add_option(parser)
    args = parser.parse_args()
    if not shutil.which('weston') or not shutil.which('weston-simple-egl'):
        print('weston is not installed\n0 passed, 0 failed, 1 skipped')
        return 0
    start = time.monotonic()
    run = [os.path.abspath(args.run)] + args.options.split()
    ioctls = failing_ioctls(run)
    if ioctls is None:
        print('0 passed, 1 failed, 0 skipped')
        return 1
    if args.once:
        ioctls = [ioctls[i + i // len(ERRORS) % len(ERRORS)] for i in range(0, len(ioctls), len(ERRORS))]
    cases = [([], {'TEGRA20_SHIM_HANG': '5'}, None)] + [(['--memory', str(mib)], {}, None) for mib in (4, 8, 16, 32)]
    cases += [(['--fail', f'{name}:{n}:{error}'], {}, error) for name, n, error in ioctls[::args.step]]
    counts = part.Counts()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        chosen = part.of(cases, args.part)
        for (options, env, error), (wrong, text) in zip(chosen, pool.map(lambda c: case(run, *c[:2]), chosen)):
            if not wrong and error and not re.search(rf'shim: DRM_IOCTL_\w+ \S+ = -\d+ {error}\b', text):
                counts.skip(f"weston with {' '.join(options)}", 'that ioctl never came')
            else:
                counts.check(f"weston with {' '.join(options)} {env or ''}: {wrong}", not wrong)
    print(f'{len(chosen)} cases, {time.monotonic() - start:.0f} s')
    return counts.finish()


if __name__ == '__main__':
    sys.exit(main())
