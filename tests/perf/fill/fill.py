#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fill rate of a simulated chip beside that of one of Mesa's software renderers: pixels per second of CPU time.

BUILD is a release build; --before names that of an earlier state.  All take turns, and medians over the rounds are compared.
Where llvmpipe ends with a signal (LLVM 15 does for pow() on processors that it does not know) it runs again without AVX, and the
row has a star."""

import argparse
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../common'))

import measured  # noqa: E402

ROWS = [kind + blend for blend in ('', '+blend') for kind in ('solid', 'varying', 'texture', 'texture*varying', 'lighting')]


class Variant:
    def __init__(self, *command, **env):
        self.command, self.env, self.renderers, self.rates, self.starred = command, env, {}, {row: [] for row in ROWS}, set()

    def measure(self, row):
        cut = {'GALLIUM_OVERRIDE_CPU_CAPS': 'sse4.1'} if row in self.starred else {}
        p = subprocess.run([*self.command, row], env={**os.environ, **self.env, **cut}, capture_output=True, text=True)
        if p.returncode < 0 and 'llvmpipe' in self.env.values() and not cut:
            self.starred.add(row)
            return self.measure(row)
        if p.returncode:
            sys.exit(f'fill.py: {" ".join(self.command)} {row}: status {p.returncode}\n{p.stderr[-1000:]}')
        renderer, rate = p.stdout.splitlines()
        self.renderers[renderer + ' (*)' * bool(cut)] = True
        return self.rates[row].append(float(rate))


def print_table(variants, rounds):
    for name, variant in variants.items():
        print(f'{name}: {", ".join(variant.renderers)}')
    ours, *others = ({row: statistics.median(rates) for row, rates in v.rates.items()} for v in variants.values())
    starred = set().union(*(v.starred for v in variants.values()))
    print(f'millions of pixels per second of CPU time, medians of {rounds}; ratio: simulator to the column before it')
    print(f'{"":22} simulator' + ''.join(f'{name:>10} ratio' for name in [*variants][1:]))
    for row in ROWS:
        print(f'{row + "*" * (row in starred):22}{ours[row]:10.1f}' +
              ''.join(f'{other[row]:10.1f} {ours[row] / other[row]:5.2f}' for other in others))
    for name, other in zip([*variants][1:], others):
        ratios = [ours[row] / other[row] for row in ROWS]
        print(f'simulator / {name}: geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--chip', default='tegra20')
    parser.add_argument('--reference', choices=['softpipe', 'llvmpipe'], default='softpipe')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--before', metavar='BUILD')
    parser.add_argument('--results', metavar='FILE')
    args = parser.parse_args()
    program = os.path.join(args.build, 'tests/perf/perf-fill')
    variants = {'simulator': Variant(f'{args.build}/tegra20-run', '--chip', args.chip, '--', program),
                args.reference: Variant(program, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER=args.reference)}
    if args.before:
        variants['before'] = Variant(f'{args.before}/tegra20-run', '--chip', args.chip, '--', program)
    for _ in range(args.rounds):
        for row in ROWS:
            for variant in variants.values():
                variant.measure(row)
    with measured.kept(args.results):
        print_table(variants, args.rounds)


if __name__ == '__main__':
    main()
