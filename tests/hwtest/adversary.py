#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The driver on a chip with caches and late stores (tegra20-run --adversary); and each wait and invalidation is needed.

  tests/hwtest/adversary.py [--build DIR] [--every N]

Every Nth case of the OpenGL ES 2.0 grid with three seeds: what passes on the chip without caches must pass.  Then the chip
does not hear one kind of wait or invalidation (sim.h, SIM_DEAF_...), as if the driver had left it out: some case must fail.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from profile import Grid  # noqa: E402, tests/hwtest/profile.py

DEAF = {'fetched vertices': 1, 'vertex results': 2, 'texture caches': 4, 'waits': 8}


def main():
    parser = argparse.ArgumentParser(description='The driver on a chip that keeps it to its word.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--every', type=int, default=47)
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix='tegra20-adversary-') as directory:
        grid = Grid(os.path.abspath(args.build), args.every, directory)
        usual = grid.failures(None, '')
        runs = [(f'seed {seed}', seed, 0) for seed in (1, 2, 3)] + [(f'without {name}', 1, bit) for name, bit in DEAF.items()]
        for name, seed, deaf in runs:
            grid.env.update(TEGRA20_SHIM_ADVERSARY=str(seed), TEGRA20_SHIM_DEAF=str(deaf))
            found = grid.failures(None, '')
            new = None if found is None or usual is None else sorted(found - usual)
            ok = new is not None and bool(new) == bool(deaf)
            passed, failed = passed + ok, failed + (not ok)
            print(f'{"" if ok else "FAIL: "}{name}: {"ended early" if new is None else len(new)} of {grid.count} cases differ'
                  + (f': {" ".join(new[:5])}' if new and not ok else ''), flush=True)
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
