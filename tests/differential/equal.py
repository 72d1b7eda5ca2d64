#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Equal expressions in equal fragment programs take equal numbers of cycles.

  equal.py --build BUILD [--part K/N]
  equal.py --build BUILD --generate N [--seed S]

equal.txt has a rule to a line: two expressions of operands X, Y and Z (any), U and V (uniforms).  With plain operands they have
to be equal, unless "known: REASON" stands behind.  --generate makes N pairs of the others, with other operands and in the midst
of other expressions: these are measured, and the rules listed that differ.  A program for which no code is found is a failure.

The last line is "N passed, N failed, N skipped".
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../common'))

import part  # noqa: E402

PROGRAM = """#version 120
varying vec4 a, b, c;
uniform vec4 p, q, r;
uniform mat4 m, n;
uniform sampler2D t0;
void main() { vec4 s = texture2D(t0, c.xy); gl_FragColor = %s; }
"""
PLAIN = {'X': 'a', 'Y': 'b', 'Z': 's', 'U': 'p', 'V': 'q'}
OPERANDS = ['a', 'b', 's', 'p', '(a * b)', '(a + p)', '(s * q)', '(a - b)', 'a.wzyx', '(s * 2.0 - 1.0)', '(a * p + q)']
UNIFORMS = ['p', 'q', 'r', 'p.yzxw', '(p + q)']
AROUND = ['%s', '%s', '(%s) * r + p', 'mix(c, %s, s.a)', '(%s).bgra', 'max(%s, r)', '(%s) * c', 's - (%s)']


def sides(rule, operands=PLAIN, around='%s'):
    return [around % re.sub(r'\b[XYZUV]\b', lambda name: operands[name[0]], side) for side in rule.split(' | ')]


def cycles(build, pairs):
    """[(left, right), ...] of the programs; None where there is no code."""
    with tempfile.TemporaryDirectory() as directory:
        names = [f'{directory}/{at}.frag' for at in range(2 * len(pairs))]
        for name, expression in zip(names, sum(pairs, [])):
            with open(name, 'w', encoding='utf-8') as file:
                file.write(PROGRAM % expression)
        p = subprocess.run([f'{build}/tegra20-compiler', '--no-bounds', *names], stdout=subprocess.PIPE, text=True, check=False)
    found = {int(at): int(cycles) for at, cycles in re.findall(r'/(\d+)\.frag - FS shader:.* (\d+) cycles', p.stdout)}
    return [(found.get(2 * at), found.get(2 * at + 1)) for at in range(len(pairs))]


def main():
    parser = argparse.ArgumentParser(description='Equal expressions take equal numbers of cycles.')
    parser.add_argument('--build', required=True)
    parser.add_argument('--generate', type=part.at_least_one)
    parser.add_argument('--seed', type=int, default=1)
    part.add_option(parser)
    args = parser.parse_args()
    with open(os.path.join(HERE, 'equal.txt'), encoding='utf-8') as file:
        rules = [line.rstrip('\n').partition(' # known: ') for line in file if line[0] != '#']
    counts, differ = part.Counts(), collections.Counter()
    if args.generate:
        chance = random.Random(args.seed)
        rules = chance.choices([rule for rule in rules if not rule[2]], k=args.generate)
        pairs = [sides(rule, {name: chance.choice(UNIFORMS if name in 'UV' else OPERANDS) for name in PLAIN},
                       chance.choice(AROUND)) for rule, _, _ in rules]
    else:
        rules = part.of(rules, args.part)
        pairs = [sides(rule) for rule, _, _ in rules]
    for (rule, _, known), pair, costs in zip(rules, pairs, cycles(args.build, pairs)):
        name = f'{" | ".join(pair)}: {costs[0]}, {costs[1]} cycles'
        if known:
            counts.skip(name, known)
        else:
            counts.check(name, None not in costs and (args.generate or costs[0] == costs[1]))
        if args.generate and costs[0] != costs[1]:
            print(f'differs: {name}')
            differ[rule] += 1
    if args.generate:
        print('\n'.join(f'{number} of {rule}' for rule, number in differ.most_common()))
        print(f'{args.generate - differ.total()} of {args.generate} pairs are equal')
    return counts.finish()


if __name__ == '__main__':
    sys.exit(main())
