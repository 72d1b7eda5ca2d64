#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""piglit shader tests with one failing ioctl each: none may crash or hang.

  piglit.py --run BUILD/tegra20-run [--count N] [--seconds S] [--seed N] [--jobs N]

Takes N (default 200) of the installed .shader_test files that need no more than GLSL 1.20, evenly over all folders.  Each
runs three times: a random one of the ioctls after start-up fails with a random error; memory is limited to 8, 16 or
32 MiB; a random job times out.  Whether the test passes does not matter, since it may report the fault: it must end by
itself, with a result.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import glob
import os
import random
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
        """None if it ended with a result, else what happened."""
        env = {**os.environ, 'PIGLIT_PLATFORM': 'gbm', 'WAFFLE_GBM_DEVICE': '/dev/dri/renderD128', **env}
        try:
            p = subprocess.run([self.args.run] + options + ['--', self.runner, path, '-auto', '-fbo'], env=env,
                               capture_output=True, text=True, errors='replace', timeout=LIMIT, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f'still running after {LIMIT} s'
        if p.returncode < 0 or p.returncode >= 126:
            return f'status {p.returncode}: ' + ' | '.join(p.stderr.strip().split('\n')[-2:])
        return None

    def one(self, case):
        path, options, env = case
        if time.monotonic() > self.end:
            return 'skipped', None
        wrong = self.run(path, options, env)
        if not wrong:
            return 'passed', None
        what = ' '.join(options) + ' '.join(f'{k}={v}' for k, v in env.items())
        return 'failed', f'FAIL: {os.path.basename(path)} with {what}: {wrong}'


def main():
    parser = argparse.ArgumentParser(description='piglit shader tests with one failing ioctl each.')
    parser.add_argument('--run', required=True, help='tegra20-run')
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seconds', type=float, default=120)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=2)
    args = parser.parse_args()
    runner, files = select(args.count)
    if not files:
        print('piglit is not installed\n0 passed, 0 failed, 1 skipped')
        return 0
    rng = random.Random(args.seed)
    cases = []
    for path in files:
        cases.append((path, ['--fail', f'*:{rng.randint(12, 45)}:{rng.choice(ERRORS)}'], {}))
        cases.append((path, ['--memory', str(rng.choice([8, 16, 32]))], {}))
        cases.append((path, [], {'TEGRA20_SHIM_HANG': str(rng.randint(1, 3))}))
    rng.shuffle(cases)
    walk = Walk(args, runner)
    count = {'passed': 0, 'failed': 0, 'skipped': 0}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for outcome, line in pool.map(walk.one, cases):
            count[outcome] += 1
            if line:
                print(line)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
