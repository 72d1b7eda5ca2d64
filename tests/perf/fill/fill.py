#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fill rate of the simulated chip against softpipe, in one run on one machine.

  tests/perf/fill/fill.py [--build DIR] [--chip CHIP] [--rounds N] [--seconds S] [--check] [--strict]

Each round measures every kind on both; the best of the rounds counts, so that other load on the machine disturbs less.
--check fails unless the simulator draws at least as many pixels per second as softpipe on every row and twice as many
in the geometric mean; --chip vc4 only the former, on VideoCore IV.  --strict also measures the simulator in strict mode and
prints what it costs.
"""

import argparse
import math
import os
import subprocess
import sys


def measure(command, seconds, env=None):
    lines = subprocess.run([*command, '--seconds', str(seconds)], check=True, capture_output=True, text=True,
                           env={**os.environ, **(env or {})}).stdout.splitlines()
    renderer = next((line.removeprefix('renderer ') for line in lines if line.startswith('renderer ')), '?')
    rows = {}
    for line in lines:
        name, _, value = line.rpartition(' ')
        if name and not line.startswith('renderer '):
            rows[name] = float(value)
    return renderer, rows


def best(runs):
    return {name: max(run[name] for run in runs) for name in runs[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default='build', help='build directory (default build)')
    parser.add_argument('--chip', help='another chip of tegra20-run: vc4')
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--seconds', type=float, default=0.4, help='per row and round')
    parser.add_argument('--check', action='store_true', help='exit with 1 when the targets are missed')
    parser.add_argument('--strict', action='store_true', help='also measure strict mode')
    args = parser.parse_args()
    program = os.path.join(args.build, 'tests/perf/tegra20-fill')
    run = [os.path.join(args.build, 'tegra20-run'), *(['--chip', args.chip] if args.chip else [])]
    variants = {
        'softpipe': ([program], {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'softpipe'}),
        'simulator': ([*run, '--', program], {}),
    }
    if args.strict:
        variants['strict'] = ([*run, '--strict', '--', program], {})
    results, renderers = {}, {}
    for _ in range(args.rounds):
        for name, (command, env) in variants.items():
            renderers[name], rows = measure(command, args.seconds, env)
            results.setdefault(name, []).append(rows)
    softpipe, simulator = best(results['softpipe']), best(results['simulator'])
    for name, renderer in renderers.items():
        print(f'{name}: {renderer}')
    print(f'{"Mpixel/s":24}' + ''.join(f'{name:>12}' for name in variants) + f'{"ratio":>8}')
    ratios = []
    for row in softpipe:
        ratios.append(simulator[row] / softpipe[row])
        values = [best(results[name])[row] for name in variants]
        print(f'{row:24}' + ''.join(f'{v:12.1f}' for v in values) + f'{ratios[-1]:8.2f}')
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f'geometric mean {mean:.2f}, least {min(ratios):.2f}')
    return 1 if args.check and (min(ratios) < 1 or (mean < 2 and not args.chip)) else 0


if __name__ == '__main__':
    sys.exit(main())
