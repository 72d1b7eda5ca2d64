#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""piglit shader tests with each of their ioctls failing in turn: none may crash or hang.

  piglit.py --run BUILD/tegra20-run [--count N] [--part K/N] [--turns N] [--alike N] [--runs N] [--seconds S]
            [--options "A B"] [--jobs N]

Takes N (default 200) of the installed .shader_test files that need no more than GLSL 1.20, evenly over all folders; --part of
these.

Each test is walked: it forks at each of its ioctls and mappings, and the copy takes the failure and runs to its end
(sim/drm-shim/walk.c); at each submission there is a copy whose job times out.  There are five turns over all tests: in each,
every ioctl fails with another error.  --turns N ends after N of them.  What opens the device is the same for all programs
and is walked with the first test alone.  Most tests do the same ioctls in the same order: of those that do what an earlier one
did, every Nth (--alike, default 4) is walked.

Copies have one thread, as only such processes can be copied.  So each test also runs --runs times (default 2) as a process
of its own with one failing ioctl, with Mesa's threads and those of the simulator: the tests together go through all pairs of
an ioctl of theirs and an error.  And with memory limited to 8, 16 and 32 MiB.

All must end by themselves.  A test that passes undisturbed must pass, or say that there was a GL error or that it got no
context; after a time-out, or when the device could not be opened, any result will do.  What does not fit into --seconds is
skipped, and fails the test.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../common'))

import part  # noqa: E402, tests/common/part.py

LIMIT = 240
ERRORS = ['ENOMEM', 'EINTR', 'EIO', 'EPERM', 'EINVAL']
HONEST = re.compile('"result": "(pass|skip)"|GL error|GL_OUT_OF_MEMORY|[Ff]ailed to (create|link|compile)|incomplete|'
                    'out of memory|waffle|not supported|softpipe')


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


class Test:
    """One test as it is undisturbed; names: those of its ioctls, as the shim's switches have them."""
    def __init__(self, path, names, passes):
        self.path, self.names, self.passes = path, names, passes
        self.name = path.split('/tests/')[-1]


def first_ioctl(names):
    """Number of the first ioctl after those that open the device.  The last of these asks for DRM_CAP_PRIME, without which
    Mesa makes no buffers for windows; how many there are depends on the kernel interface, and on time: a wait may have to be
    asked for again."""
    return len(names) - names[::-1].index('GET_CAP') + 1 if 'GET_CAP' in names else 1


def walked(tests, alike):
    """Those that do other ioctls than any before them, and some of the others."""
    seen = collections.Counter()
    for test in tests:
        if seen[tuple(test.names)] % alike == 0:
            yield test
        seen[tuple(test.names)] += 1


def wrong(test, status, text, any_result):
    """None, or what is wrong with the end of a disturbed run; status None: it had to be killed."""
    tail = ' | '.join(text.strip().split('\n')[-3:])
    if status is None:
        return f'still running after {LIMIT} s'
    if status < 0 or status >= 125:
        return f'status {status}: {tail}'
    if test.passes and not any_result and not HONEST.search(text):
        return f'another result without a GL error: {tail}'
    return None


class Walk:
    def __init__(self, args, runner):
        self.args, self.runner = args, runner
        self.end = time.monotonic() + args.seconds

    def run(self, path, options, env, limit=LIMIT, output=None):
        """(status, output); None: still running.  output: a file that takes it."""
        env = {**os.environ, 'PIGLIT_PLATFORM': 'gbm', 'WAFFLE_GBM_DEVICE': '/dev/dri/renderD128', **env}
        try:
            p = subprocess.run([self.args.run] + self.args.options.split() + options +
                               ['--', self.runner, path, '-auto', '-fbo'], env=env, stdin=subprocess.DEVNULL,
                               stdout=output or subprocess.PIPE, stderr=output or subprocess.PIPE,
                               text=True, errors='replace', timeout=limit)
        except subprocess.TimeoutExpired:
            return None, ''
        return p.returncode, '' if output else p.stdout + p.stderr

    def prepare(self, path):
        """An undisturbed run."""
        text = self.run(path, ['--trace'], {})[1]
        names = re.findall(r'^tegra20-shim: (?:DRM_IOCTL_)?(?:TEGRA_)?(\w+) \(0x', text, re.M)
        return Test(path, names, '"result": "pass"' in text)

    # A case is a function that returns the number of runs it stands for and a list of what went wrong in them.

    def single(self, test, options):
        status, text = self.run(test.path, options, {})
        what = wrong(test, status, text, False)
        return 1, [f'{test.name} with {" ".join(options)}: {what}'] if what else []

    def walk(self, test, first, turn):
        """Every ioctl fails, each in a copy of the process, from the ioctl first on."""
        with tempfile.TemporaryDirectory() as directory:
            env = {'TEGRA20_SHIM_WALK': directory, 'TEGRA20_SHIM_WALK_FIRST': str(first), 'TEGRA20_SHIM_WALK_TURN': str(turn),
                   'MESA_SHADER_CACHE_DISABLE': 'true', 'TEGRA20_DEBUG': 'best'}
            with open(os.path.join(directory, 'output'), 'w+', encoding='utf-8', errors='replace') as output:
                status, _ = self.run(test.path, [], env, max(LIMIT, self.end - time.monotonic()), output)
                output.seek(0)
                text = output.read()
            try:
                with open(os.path.join(directory, 'log'), encoding='utf-8') as f:
                    lines = [line.split() for line in f]
            except FileNotFoundError:
                lines = []
            found = []
            opened = max([first] + [int(number) + 1 for name, number, _, _ in lines if name == 'GET_CAP'])
            if not lines or test.passes != ('"result": "pass"' in text):
                found.append(f'{test.name} walked: {len(lines)} failures, status {status}: {text[-300:]}')
            for name, number, error, result in lines:
                output = os.path.join(directory, f'{name}-{number}-{error}')
                text = open(output, encoding='utf-8', errors='replace').read() if os.path.exists(output) else ''
                opening = name != 'MMAP' and error != 'HANG' and int(number) < opened
                status = None if result == 'hangs' else int(result) if re.fullmatch(r'-?\d+', result) else 125
                what = wrong(test, status, text or result, opening or error == 'HANG')
                if what:
                    found.append(f'{test.name} with {name} (ioctl {number}) {error}: {what}')
        return max(len(lines), 1), found

    def cases(self, tests):
        turn = 0
        for test in tests:
            pairs = [['--fail', f'{name}:{test.names[:n].count(name)}:{error}']
                     for n, name in enumerate(test.names, 1) if n >= first_ioctl(test.names) for error in ERRORS]
            for _ in range(min(self.args.runs, len(pairs))):
                yield self.single, test, pairs[turn % len(pairs)]
                turn += 1
            for mib in (8, 16, 32):
                yield self.single, test, ['--memory', str(mib)]
        for turn in range(self.args.turns):
            for i, test in enumerate(walked(tests, self.args.alike)):
                yield self.walk, test, first_ioctl(test.names) if i else 1, turn

    def one(self, case):
        """(runs, what went wrong); None: no time left."""
        return None if time.monotonic() > self.end else case[0](*case[1:])


def main():
    parser = argparse.ArgumentParser(description='piglit shader tests with each of their ioctls failing in turn.')
    parser.add_argument('--run', required=True, help='tegra20-run')
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--turns', type=int, default=len(ERRORS), help='of the walk (default 5: every error)')
    parser.add_argument('--alike', type=int, default=4, metavar='N', help='walk every Nth of tests with the same ioctls')
    parser.add_argument('--runs', type=int, default=2, help='runs per test with a failing ioctl, with threads (default 2)')
    parser.add_argument('--seconds', type=float, default=3600)
    parser.add_argument('--options', default='', help='for tegra20-run')
    parser.add_argument('--jobs', type=int, default=2)
    part.add_option(parser)
    args = parser.parse_args()
    runner, files = select(args.count)
    files = part.of(files, args.part)
    if not files:
        print('piglit is not installed\n0 passed, 0 failed, 1 skipped')
        return 0
    start = time.monotonic()
    walk = Walk(args, runner)
    counts = part.Counts()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tests = list(pool.map(walk.prepare, files))
        cases = list(walk.cases(tests))
        for i, result in enumerate(pool.map(walk.one, cases), 1):
            if i % 100 == 0:
                print(f'{i} of {len(cases)} after {time.monotonic() - start:.0f} s', flush=True)
            if result is None:
                counts.skipped += 1
                continue
            runs, found = result
            counts.passed += runs - len(found)
            for line in found:
                counts.check(line, False)
    if counts.skipped:
        counts.check(f'{counts.skipped} cases did not fit into {args.seconds:.0f} s', False)
    print(f'{len(tests)} tests, {sum(len(t.names) for t in tests)} ioctls, {time.monotonic() - start:.0f} s; '
          f'{len(list(walked(tests, args.alike)))} walked')
    return counts.finish()


if __name__ == '__main__':
    sys.exit(main())
