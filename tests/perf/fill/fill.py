#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fill rate of the simulated chip against Mesa's software renderers, in one run on one machine.

  tests/perf/fill/fill.py [--build DIR] [--chip CHIP] [--reference softpipe|llvmpipe] [--before DIR] [--rounds N] [--seconds S]
                          [--cpu] [--check] [--strict] [--report FILE]

Each round measures every kind on all; medians of the rounds are compared, so that other load on the machine disturbs less.
--cpu counts CPU time instead, that of all threads: for machines that others use, too.
--check fails unless the simulator draws at least as many pixels per second as softpipe on every row and twice as many
in the geometric mean; --chip vc4 only the former, on VideoCore IV.  --strict also measures the simulator in strict mode,
--before another build's, and prints what they cost.  --report writes what is printed to a file (docs/results/fill.txt).

Where llvmpipe ends with a signal (that of Debian 12 does for pow() on processors that its LLVM does not know), it runs
again without AVX, and the row is marked with a star.
"""

import argparse
import datetime
import math
import os
import statistics
import subprocess
import sys

WITHOUT_AVX = {'GALLIUM_OVERRIDE_CPU_CAPS': 'sse4.1'}


class Variant:
    def __init__(self, name, command, env=None):
        self.name, self.command, self.env = name, command, env or {}
        self.renderer, self.rows, self.starred = '?', {}, set()

    def run(self, arguments, env):
        return subprocess.run([*self.command, *arguments], capture_output=True, text=True, env={**os.environ, **self.env, **env})

    def measure(self, kind, arguments):
        p = self.run([*arguments, kind], WITHOUT_AVX if kind in self.starred else {})
        if p.returncode < 0 and self.name == 'llvmpipe' and kind not in self.starred:
            self.starred.add(kind)
            p = self.run([*arguments, kind], WITHOUT_AVX)
        if p.returncode:
            sys.exit(f'{self.name}, {kind}: status {p.returncode}\n{p.stderr[-1000:]}')
        for line in p.stdout.splitlines():
            name, _, value = line.rpartition(' ')
            if name == kind:
                self.rows.setdefault(kind, []).append(float(value))
            elif line.startswith('renderer '):
                self.renderer = line.removeprefix('renderer ')

    def median(self, kind):
        return statistics.median(self.rows[kind])


def software(name, program):
    return Variant(name, [program], {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': name})


def simulator(name, build, program, options):
    return Variant(name, [os.path.join(build, 'tegra20-run'), *options, '--', program])


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(variants, kinds, args):
    """The lines to print, and the ratios of the simulator to the reference."""
    reference, ours = variants[:2]
    lines = [f'{v.name}: {v.renderer}' for v in variants]
    unit = 'Mpixel per second of CPU time' if args.cpu else 'Mpixel/s'
    lines.append(f'{unit}, medians of {args.rounds} rounds')
    lines.append(f'{"":24}' + ''.join(f'{v.name:>12}' for v in variants) + f'{"ratio":>8}')
    ratios = []
    for kind in kinds:
        ratios.append(ours.median(kind) / reference.median(kind))
        star = '*' if kind in reference.starred else ''
        lines.append(f'{kind + star:24}' + ''.join(f'{v.median(kind):12.1f}' for v in variants) + f'{ratios[-1]:8.2f}')
    lines.append(f'{ours.name} / {reference.name}: geometric mean {geomean(ratios):.2f}, least {min(ratios):.2f}')
    for v in variants[2:]:
        other = [ours.median(kind) / v.median(kind) for kind in kinds]
        lines.append(f'{ours.name} / {v.name}: geometric mean {geomean(other):.2f}, least {min(other):.2f}')
    return lines, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default='build', help='build directory (default build)')
    parser.add_argument('--chip', help='another chip of tegra20-run: vc4')
    parser.add_argument('--reference', choices=['softpipe', 'llvmpipe'], default='softpipe')
    parser.add_argument('--before', help='build directory of another state, which is measured, too')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.4, help='per row and round')
    parser.add_argument('--cpu', action='store_true', help='pixels per second of CPU time')
    parser.add_argument('--check', action='store_true', help='exit with 1 when the targets are missed')
    parser.add_argument('--strict', action='store_true', help='also measure strict mode')
    parser.add_argument('--report', help='write the result to this file')
    args = parser.parse_args()
    program = os.path.join(args.build, 'tests/perf/tegra20-fill')
    options = ['--chip', args.chip] if args.chip else []
    variants = [software(args.reference, program), simulator('simulator', args.build, program, options)]
    if args.before:
        variants.append(simulator('before', args.before, program, options))
    if args.strict:
        variants.append(simulator('strict', args.build, program, ['--strict', *options]))
    kinds = subprocess.run([program, '--list'], check=True, capture_output=True, text=True).stdout.split()
    for _ in range(args.rounds):
        for kind in kinds:
            for variant in variants:
                variant.measure(kind, ['--seconds', str(args.seconds), *(['--cpu'] if args.cpu else [])])
    lines, ratios = table(variants, kinds, args)
    print('\n'.join(lines))
    if args.report:
        commit = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True).stdout.strip()
        command = ' '.join(['tests/perf/fill/fill.py', *(a for a in sys.argv[1:] if '/' not in a)])
        with open(args.report, 'w', encoding='utf-8') as file:
            file.write(f'{command}\n{datetime.date.today()}, commit {commit}, {os.cpu_count()} cores\n\n')
            file.write('\n'.join(lines) + '\n')
    return 1 if args.check and (min(ratios) < 1 or (geomean(ratios) < 2 and not args.chip)) else 0


if __name__ == '__main__':
    sys.exit(main())
