#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The driver on a chip that does nothing before it must (tegra20-run --adversary); and no kind of wait can be left out.

  tests/hwtest/adversary.py [--build DIR] [--every N] [--piglit N] [--part K/N] [--seeds N]

With each seed: the demo in strict mode draws the same picture as without; two processes on one chip share buffers, with and
without fences; programs are exchanged for better code between draws, and draws share indices; every Nth case of the
OpenGL ES 2.0 grid that passes on the chip without caches passes; every Nth test of ci/piglit-quick.txt does what it does
without (0: none); --part takes of both the Kth of N shares.  Then the chip does not hear one kind of wait or invalidation
(sim.h, SIM_DEAF_...), as if the driver had left it out: some case of the grid must fail.  The last line is "N passed, N failed,
N skipped".
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '../common')]
import part  # noqa: E402, tests/common/part.py
import piglit_slice  # noqa: E402, tests/hwtest/piglit_slice.py
from profile import Grid  # noqa: E402, tests/hwtest/profile.py

DEAF = {'fetched vertices': 1, 'vertex results': 2, 'texture caches': 4, 'waits': 8}
DEAF_CASES = 150  # these runs take so many of the cases


def on_chip(build, seed, command, options=(), **variables):
    """(succeeded, output); no seed: the chip without caches.  variables: of the environment."""
    chip = [os.path.join(build, 'tegra20-run'), *options] + ([f'--adversary={seed}'] if seed else [])
    p = subprocess.run(chip + ['--'] + command, capture_output=True, text=True, errors='replace', timeout=300,
                       env={**os.environ, **variables})
    return p.returncode == 0, p.stdout + p.stderr


def demo(counts, build, seeds, directory):
    pictures = []
    for seed in [0] + seeds:
        picture = os.path.join(directory, f'demo-{seed}.png')
        # drafts that are exchanged at different times would differ in the last bit
        ok, text = on_chip(build, seed, [os.path.join(build, 'tests/demo/tegra20-demo'), '--out', picture], ['--strict'],
                           TEGRA20_DEBUG='best')
        pictures.append(pathlib.Path(picture).read_bytes() if ok else text[-500:])
        if seed:
            counts.check(f'demo, seed {seed}', ok and pictures[-1] == pictures[0], text)


def two_processes(counts, build, seeds):
    program = os.path.join(build, 'tests/gl/test_two_processes')
    for seed in seeds:
        wrong = ''
        for options in (['--alloc', 'tiled', '--size', '100'], ['--alloc', 'linear', '--size', '100'], ['--alloc', 'scanout'],
                        ['--fence'], ['--alloc', 'scanout', '--fence']):
            ok, text = on_chip(build, seed, [program, '--frames', '20'] + options, ['--strict'])
            wrong += '' if ok else f'{" ".join(options)}: {text[-300:]}'
        counts.check(f'two processes, seed {seed}', not wrong, wrong)


def state_of_draws(counts, build, seeds):
    """What draws find in registers and memory that others before them sent: code that was exchanged, indices."""
    for name in 'drafts', 'indices':
        for seed in seeds:
            ok, text = on_chip(build, seed, [os.path.join(build, 'tests/gl', f'test_{name}')], ['--strict'],
                               TEGRA20_DEBUG='sync', MESA_SHADER_CACHE_DISABLE='true')
            counts.check(f'{name}, seed {seed}', ok, text)


def grid_runs(counts, build, every, first, seeds, directory):
    grid = Grid(build, every, directory, first=first)
    usual = grid.failures(None, '')
    counts.check('the grid on the chip without caches', usual is not None)
    if usual is None:
        return

    def run(name, seed, deaf):
        grid.env.update(TEGRA20_SHIM_ADVERSARY=str(seed), TEGRA20_SHIM_DEAF=str(deaf))
        found = grid.failures(None, '')
        new = None if found is None else sorted(found - usual)
        ok = new is not None and bool(new) == bool(deaf)
        counts.check(name, ok, f'{"ended early" if new is None else len(new)} of {grid.count} cases differ'
                     + (f': {" ".join(new[:5])}' if new and not ok else ''))

    for seed in seeds:
        run(f'OpenGL ES 2.0, seed {seed}', seed, 0)
    grid.thin_out(DEAF_CASES)
    for name, bit in DEAF.items():
        run(f'without {name}', seeds[0], bit)


def piglit(counts, build, every, first, seeds, directory):
    """What is not as listed must be so without an adversary, too."""
    if not shutil.which('piglit'):
        return counts.skip('piglit', 'it is not installed')
    tests = piglit_slice.Slice(build, every, directory, first)
    for seed in seeds:
        lines, passed = tests.differences({'TEGRA20_SHIM_ADVERSARY': str(seed)}, {'TEGRA20_SHIM_ADVERSARY': '0'})
        counts.check(f'piglit, seed {seed}', not lines and passed >= 0.9 * len(tests.tests),
                     f'{passed} of {len(tests.tests)} pass' + ''.join(f'\n{line}' for line in lines))


def main():
    parser = argparse.ArgumentParser(description='The driver on a chip that keeps it to its word.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--every', type=int, default=9)
    parser.add_argument('--piglit', type=int, default=9, metavar='N')
    parser.add_argument('--seeds', type=part.at_least_one, default=3)
    part.add_option(parser)
    args = parser.parse_args()
    build, seeds, counts = os.path.abspath(args.build), list(range(1, args.seeds + 1)), part.Counts()
    with tempfile.TemporaryDirectory(prefix='tegra20-adversary-') as directory:
        demo(counts, build, seeds, directory)
        two_processes(counts, build, seeds)
        state_of_draws(counts, build, seeds)
        number, parts = args.part
        grid_runs(counts, build, args.every * parts, args.every * (number - 1), seeds, directory)
        if args.piglit:
            piglit(counts, build, args.piglit * parts, args.piglit * (number - 1), seeds, directory)
    return counts.finish()


if __name__ == '__main__':
    sys.exit(main())
