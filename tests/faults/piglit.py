#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""piglit shader tests with one failing ioctl each: none may crash or hang.

  piglit.py --run BUILD/tegra20-run [--count N] [--all] [--runs N] [--seconds S] [--options "A B"] [--jobs N]

Takes N (default 200) of the installed .shader_test files that need no more than GLSL 1.20, evenly over all folders.

Each runs --runs times (default 2) with one failing ioctl: the tests together go through all pairs of an ioctl of theirs
and an error, one pair after the other, again and again.  --all runs every test with every pair.  Then with memory limited
to 8, 16 or 32 MiB, and with a job that times out.

Each run must end by itself.  A test that passes undisturbed must pass, or say that there was a GL error or that it got no
context; after a time-out any result will do.  What does not fit into --seconds is skipped, and fails the walk.  The last
line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

LIMIT = 60
ERRORS = ['ENOMEM', 'EINTR', 'EIO', 'EPERM', 'EINVAL']


def old_enough(path):
    """Needs no more than GLSL 1.20 and GL 2.1."""
    text = open(path, encoding='utf-8', errors='replace').read(4000)
    if re.search(r'#version\s+(1[3-9]0|[2-9]\d0|3\d\d)', text) or 'geometry shader' in text or 'GL_ARB_gpu' in text:
        return False
    need = re.search(r'GLSL\s*>=\s*([\d.]+)', text)
    return not need or float(need.group(1)) <= 1.2


def select(count):
    folders = glob.glob('/usr/lib/*/piglit') + ['/usr/lib/piglit']
    root = next((f for f in folders if os.path.exists(f'{f}/bin/shader_runner')), None)
    if not root:
        return None, []
    files = [f for f in sorted(glob.glob(f'{root}/tests/**/*.shader_test', recursive=True)) if old_enough(f)]
    step = max(1, len(files) // count)
    return f'{root}/bin/shader_runner', files[::step][:count]


class Walk:
    def __init__(self, args, runner):
        self.args, self.runner = args, runner
        self.end = time.monotonic() + args.seconds

    def run(self, path, options, env):
        """(status, output); None: still running."""
        env = {**os.environ, 'PIGLIT_PLATFORM': 'gbm', 'WAFFLE_GBM_DEVICE': '/dev/dri/renderD128', **env}
        try:
            p = subprocess.run([self.args.run] + self.args.options.split() + options +
                               ['--', self.runner, path, '-auto', '-fbo'], env=env,
                               capture_output=True, text=True, errors='replace', timeout=LIMIT, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, ''
        return p.returncode, p.stdout + p.stderr

    def first_ioctl(self, path):
        """Number of the first ioctl after those that open the device.  The last of these asks for DRM_CAP_PRIME, without
        which Mesa makes no buffers for windows; how many there are depends on the kernel interface."""
        names = re.findall(r'^tegra20-shim: (DRM_IOCTL_\w+)', self.run(path, ['--trace'], {})[1], re.M)
        return names.index('DRM_IOCTL_GET_CAP') + 2

    def prepare(self, path):
        """Number of ioctls of an undisturbed run, and whether the test passes."""
        status, text = self.run(path, ['--stats'], {})
        count = re.search(r'(\d+) ioctls', text)
        return path, int(count.group(1)) if count else 0, '"result": "pass"' in text

    def wrong(self, path, options, env, passes):
        """None, or what is wrong."""
        status, text = self.run(path, options, env)
        tail = ' | '.join(text.strip().split('\n')[-3:])
        if status is None:
            return f'still running after {LIMIT} s'
        if status < 0 or status >= 126:
            return f'status {status}: {tail}'
        honest = re.search('"result": "(pass|skip)"|GL error|GL_OUT_OF_MEMORY|[Ff]ailed to (create|link|compile)|incomplete|'
                           'out of memory|waffle|not supported|softpipe', text)
        if passes and not honest:
            return f'another result without a GL error: {tail}'
        return None

    def one(self, case):
        path, options, env, passes = case
        if time.monotonic() > self.end:
            return 'skipped', None
        wrong = self.wrong(path, options, env, passes)
        if not wrong:
            return 'passed', None
        what = ' '.join(options) + ' '.join(f'{k}={v}' for k, v in env.items())
        return 'failed', f'FAIL: {path.split("/tests/")[-1]} with {what}: {wrong}'


def all_cases(args, first_ioctl, tests):
    cases, turn = [], 0
    for number, (path, ioctls, passes) in enumerate(tests):
        pairs = [(n, error) for n in range(first_ioctl, ioctls + 1) for error in ERRORS]
        for i in range(len(pairs) if args.all else min(args.runs, len(pairs))):
            n, error = pairs[i if args.all else turn % len(pairs)]
            turn += 1
            cases.append((path, ['--fail', f'*:{n}:{error}'], {}, passes))
        for mib in (8, 16, 32) if args.all else [(8, 16, 32)[number % 3]]:
            cases.append((path, ['--memory', str(mib)], {}, passes))
        cases.append((path, [], {'TEGRA20_SHIM_HANG': str(1 + number % 3)}, False))
    return cases


def main():
    parser = argparse.ArgumentParser(description='piglit shader tests with one failing ioctl each.')
    parser.add_argument('--run', required=True, help='tegra20-run')
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--all', action='store_true', help='every pair of an ioctl and an error for every test (hours)')
    parser.add_argument('--runs', type=int, default=2, help='failing ioctls per test (default 2)')
    parser.add_argument('--seconds', type=float, default=1800)
    parser.add_argument('--options', default='', help='for tegra20-run')
    parser.add_argument('--jobs', type=int, default=2)
    args = parser.parse_args()
    runner, files = select(args.count)
    if not files:
        print('piglit is not installed\n0 passed, 0 failed, 1 skipped')
        return 0
    walk = Walk(args, runner)
    count = {'passed': 0, 'failed': 0, 'skipped': 0}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        cases = all_cases(args, walk.first_ioctl(files[0]), list(pool.map(walk.prepare, files)))
        print(f'{len(files)} tests, {len(cases)} cases', flush=True)
        for outcome, line in pool.map(walk.one, cases):
            count[outcome] += 1
            if line:
                print(line, flush=True)
    if count['skipped']:
        print(f"FAIL: {count['skipped']} cases did not fit into {args.seconds:.0f} s")
        count['failed'] += 1
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
