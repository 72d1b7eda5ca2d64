#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What it costs to draw a fragment program in parts.

  parts.py [--build BUILD] [--out FILE]

Programs of equal steps are made longer and longer.  How many ALU packets a step takes is known from those that fit the chip;
so the packets of a longer one are known, which it would take clocks for in one pass.  The clocks that it does take are what
the simulator counts for a rectangle that covers the target.  Kinds: a chain, whose steps wait for each other; lookups;
lighting.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

SIZE = 128
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


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


class Bench:
    def __init__(self, build, directory):
        self.build = build
        self.file = os.path.join(directory, 'program.frag')

    def write(self, source):
        with open(self.file, 'w', encoding='utf-8') as file:
            file.write(source)

    def packets(self, source):
        self.write(source)
        out = run([os.path.join(self.build, 'tools/compiler/tegra20-compiler'), '--stats', self.file]).stdout
        return int(re.search(r'(\d+) alu packets', out)[1])

    def clocks(self, draws):
        command = [os.path.join(self.build, 'tegra20-run'), '--stats', '--',
                   os.path.join(self.build, 'tests/perf/perf-rectangle'), self.file, str(SIZE), str(draws)]
        r = run(command, env=dict(os.environ, TEGRA20_DEBUG='msgs,refuse,best', MESA_SHADER_CACHE_DISABLE='true'))
        parts = re.search(r'drawn in (\d+) parts with \d+ loops that [a-z ]+ (\d+) values', r.stderr)
        return (int(re.search(r'(\d+) fragment clocks', r.stderr)[1]), int(parts[1]) if parts else 1,
                int(parts[2]) if parts else 0)

    def of_draw(self, source):
        """Clocks per pixel of a draw, parts, values."""
        self.write(source)
        one, parts, values = self.clocks(1)
        return (self.clocks(2)[0] - one) / SIZE ** 2, parts, values


def measure(bench, kind):
    """[(packets, clocks, parts, values)]"""
    few, many = (bench.packets(KINDS[kind](steps)) for steps in FITTING)
    per_step = (many - few) / (FITTING[1] - FITTING[0])
    rows = []
    for packets in PACKETS:
        steps = round(FITTING[1] + (packets - many) / per_step)
        rows.append((round(many + (steps - FITTING[1]) * per_step), *bench.of_draw(KINDS[kind](steps))))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default='build')
    parser.add_argument('--out', help='write the table there')
    args = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(args.build, directory)
        for kind in KINDS:
            for packets, clocks, parts, values in measure(bench, kind):
                ratio = clocks / packets
                lines.append(f'{kind:9} {packets:4} packets: {clocks:6.1f} clocks, {ratio:5.2f} times the packets, '
                             f'{parts:2} parts, {values:3} values')
    text = '\n'.join(lines) + '\n'
    sys.stdout.write(text)
    if args.out:
        with open(args.out, 'w', encoding='utf-8') as file:
            file.write(__doc__.splitlines()[0] + '  tests/perf/parts.py; clocks of the simulator for a pixel\n\n' + text)


if __name__ == '__main__':
    main()
