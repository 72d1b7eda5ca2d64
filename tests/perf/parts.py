#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Cycles of fragment programs in parts beside the ALU packets that they would need in one pass.

  parts.py [--build BUILD] [--before BUILD] [--results FILE]

Programs of equal steps are made longer and longer.  Those that fit the chip tell how many packets a step takes, and so how many
a longer program needs.  Kinds: a chain, whose steps wait for each other; lookups; lighting.  --before names the build of an
earlier state of the compiler, whose cycles stand beside."""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../common'))

import measured  # noqa: E402

HEAD = 'precision highp float;\nvarying vec4 a;\nuniform vec4 u[8];\nvoid main() {\n'
PACKETS = [65, 70, 75, 80, 128, 256]
FITTING = (4, 12)  # steps of programs that fit, from which longer ones follow


def chain(steps):
    return (HEAD + '   vec4 v = a;\n' +
            ''.join(f'   v = v.yzwx * v + u[{i % 8}];\n' for i in range(steps)) + '   gl_FragColor = v;\n}\n')


def taps(steps):
    return (HEAD.replace('void', 'uniform sampler2D t;\nvoid') + '   vec4 s = vec4(0.0);\n' +
            ''.join(f'   s += texture2D(t, a.xy * u[{(i // 8) % 8}].x + u[{i % 8}].zw) * u[{(i + 3) % 8}];\n'
                    for i in range(steps)) + '   gl_FragColor = s;\n}\n')


def lighting(steps):
    return (HEAD + '   vec3 s = vec3(0.0), n = a.xyz;\n' +
            ''.join(f'   {{ vec3 l = u[{i % 8}].xyz - n * {1 + i // 8}.0; float d = max(dot(n, l), 0.0);\n'
                    f'     s += u[{(i + 5) % 8}].xyz * d * inversesqrt(dot(l, l)); }}\n' for i in range(steps)) +
            '   gl_FragColor = vec4(s, 1.0);\n}\n')


KINDS = {'chain': chain, 'taps': taps, 'lighting': lighting}


def compiled(build, source, pattern):
    """The numbers that match in what the compiler prints."""
    with tempfile.NamedTemporaryFile('w', suffix='.frag') as file:
        file.write(source)
        file.flush()
        text = subprocess.run([os.path.join(build, 'tools/compiler/tegra20-compiler'), '--no-bounds', '--parts', file.name],
                              check=True, capture_output=True, text=True).stdout
    return [int(number) for number in re.search(pattern, text).groups(0)]


def measure(args, kind):
    """Prints rows; returns the cycles for each packet with each build."""
    few, many = (compiled(args.build, KINDS[kind](steps), r'(\d+) alu packets')[0] for steps in FITTING)
    per_step = (many - few) / (FITTING[1] - FITTING[0])
    rows = []
    for about in PACKETS:
        steps = round(FITTING[1] + (about - many) / per_step)
        packets = round(many + (steps - FITTING[1]) * per_step)
        both = [compiled(build, KINDS[kind](steps), r'FS (?:parts|shader): (?:(\d+) parts, )?.*?(\d+) cycles')
                for build in args.builds]
        print(f'{kind:9} {packets:4} packets' +
              ''.join(f', {cycles:4} cycles, {cycles / packets:4.2f} times the packets, {max(parts, 1)} parts'
                      for parts, cycles in both))
        rows.append([cycles / packets for _, cycles in both])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default='build')
    parser.add_argument('--before', metavar='BUILD')
    parser.add_argument('--results', metavar='FILE')
    args = parser.parse_args()
    args.builds = [build for build in (args.build, args.before) if build]
    with measured.kept(args.results):
        ratios = [row for kind in KINDS for row in measure(args, kind)]
        print('geometric mean: ' + ', '.join(f'{math.exp(statistics.fmean(map(math.log, r))):.2f}' for r in zip(*ratios)))


if __name__ == '__main__':
    main()
