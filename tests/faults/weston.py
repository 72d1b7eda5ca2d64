#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Weston with one failing ioctl, with little memory, and with a job that times out: it must survive with its client.

  weston.py --run BUILD/tegra20-run [--count N] [--step N] [--jobs N] [--options "A B"]

Each case starts a headless Weston that draws with GL, disturbed, and a client that draws for a second.  Weston must still
be there then, answer another client, and end by itself when told to.  The cases: a job that times out, memory of 4, 8, 16
and 32 MiB, and failing ioctls from the 16th to the 150th (the first ones open the device; if these fail, Weston gets
softpipe), each with one of the errors in turn, or with --step N every Nth of them.  --count ends after N cases.  The last
line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import time

ERRORS = ['ENOMEM', 'EINTR', 'EIO', 'EPERM', 'EINVAL']
IOCTLS = range(16, 151)


def case(run, options, env):
    """None, or what was wrong."""
    with tempfile.TemporaryDirectory() as directory:
        base = {**os.environ, 'XDG_RUNTIME_DIR': directory}
        log = open(os.path.join(directory, 'log'), 'w+', encoding='utf-8')
        weston = subprocess.Popen(
            run + options + ['--', 'weston', '--backend=headless-backend.so', '--use-gl', '--width=320', '--height=240',
                               '--socket=t', '--idle-time=0', '--no-config'], env={**base, **env}, stdout=log, stderr=log)
        try:
            for _ in range(300):
                if os.path.exists(os.path.join(directory, 't')) or weston.poll() is not None:
                    break
                time.sleep(0.1)
            client_env = {**base, 'WAYLAND_DISPLAY': 't'}
            for _ in range(2):
                subprocess.run(run[:1] + ['--', 'timeout', '1', 'weston-simple-egl'], env=client_env, capture_output=True,
                               timeout=60)
            if weston.poll() is not None and weston.returncode not in (0, 1):
                # Status 1: it could not start and said so.
                log.seek(0)
                return f'status {weston.returncode}: ' + ' | '.join(log.read().strip().split('\n')[-2:])
            weston.terminate()
            weston.wait(timeout=60)
        except subprocess.TimeoutExpired:
            return 'hangs'
        finally:
            if weston.poll() is None:
                weston.kill()
                weston.wait()
        if weston.returncode < 0 or weston.returncode >= 126 and weston.returncode != 143:
            return f'ended with status {weston.returncode}'
    return None


def main():
    parser = argparse.ArgumentParser(description='Weston with failing ioctls.')
    parser.add_argument('--run', required=True, help='tegra20-run')
    parser.add_argument('--count', type=int, default=10000)
    parser.add_argument('--step', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--options', default='', help='for tegra20-run')
    args = parser.parse_args()
    if not shutil.which('weston') or not shutil.which('weston-simple-egl'):
        print('weston is not installed\n0 passed, 0 failed, 1 skipped')
        return 0
    run = [os.path.abspath(args.run)] + args.options.split()
    cases = [([], {'TEGRA20_SHIM_HANG': '3'})] + [(['--memory', str(mib)], {}) for mib in (4, 8, 16, 32)]
    cases += [(['--fail', f'*:{n}:{ERRORS[i % len(ERRORS)]}'], {}) for i, n in enumerate(IOCTLS[::args.step])]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda c: case(run, *c), cases[:args.count])
        for (options, env), wrong in zip(cases, results):
            if wrong:
                failed += 1
                print(f"FAIL: weston with {' '.join(options)} {env or ''}: {wrong}", flush=True)
            else:
                passed += 1
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
