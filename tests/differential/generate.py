#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Random GLSL programs whose result is known to within a bound.

  generate.py --stage STAGE --seed S --count N --out DIR     STAGE: vertex, fragment, one of both with -structured or
                                                             -heavy, or fragment-large

Writes DIR/S-NNNN.vert, .frag and bounds.json.  Every expression carries the interval of its values and a bound on the
error of its evaluation, both propagated by the usual rules: a sum adds the errors of its terms, a product multiplies
each with the other's magnitude, each operation adds one rounding of its format.  The last step maps the interval of the
result to 0..1 for an 8-bit target; programs whose bound is then above MAX_BOUND are thrown away, because comparing them
would prove nothing.

Discontinuous functions (floor, fract, comparisons) are applied to exact values only: multiples of 1/16 that come
straight from a uniform or, in vertex programs, from an attribute.

Stages vertex-structured and fragment-structured: programs of statements, see structured.py.  Stages vertex-heavy,
fragment-heavy and fragment-large: large programs in groups, see heavy.py; their bounds are not known here (0).
"""

import argparse
import collections
import json
import os
import random

import heavy
import structured

# Rounding of one operation, relative to the magnitude of the result, and of one special function.
FP20 = {'op': 2.0 ** -13, 'sfu': 2.0 ** -11, 'input': 2.0 ** -12}
FP32 = {'op': 2.0 ** -23, 'sfu': 2.0 ** -20, 'input': 2.0 ** -23}
# Steps of 1/255 that a compared channel may differ by, at most.
MAX_BOUND = 12.0
STAGES = ['vertex', 'fragment', 'vertex-structured', 'fragment-structured', 'vertex-heavy', 'fragment-heavy', 'fragment-large']
# Results of structured programs are multiples of 1/32.
STRUCTURED_BOUND = 1.0
NUM_UNIFORMS = 6
NUM_VARYINGS = 3


class Value:
    """An expression: GLSL text, number of components, interval, absolute error bound, exactly known input?"""

    def __init__(self, text, size, lo, hi, err, exact=False):
        self.text, self.size, self.lo, self.hi, self.err, self.exact = text, size, lo, hi, err, exact

    @property
    def mag(self):
        return max(abs(self.lo), abs(self.hi))


class Generator:
    def __init__(self, rng, stage):
        self.rng = rng
        self.stage = stage
        self.eps = FP20 if stage == 'fragment' else FP32
        self.lines = []
        self.temps = []
        self.counter = 0

    # -- leaves ------------------------------------------------------------------------------------------------------

    def leaf(self, size):
        kind = self.rng.choice(['input', 'input', 'uniform', 'uniform', 'temp', 'temp', 'literal'])
        if kind == 'temp':
            fitting = [t for t in self.temps if t.size >= size]
            if fitting:
                t = self.rng.choice(fitting)
                return Value(t.text + self.swizzle(t.size, size), size, t.lo, t.hi, t.err)
            kind = 'input'
        if kind == 'input':
            name = ('v%d' if self.stage == 'fragment' else 'a%d') % self.rng.randrange(NUM_VARYINGS)
            err = self.eps['input'] if self.stage == 'fragment' else 0
            return Value(name + self.swizzle(4, size), size, -1, 1, err)
        if kind == 'uniform':
            name = 'u%d' % self.rng.randrange(NUM_UNIFORMS)
            return Value(name + self.swizzle(4, size), size, -1, 1, 0, exact=True)
        literals = [self.rng.randrange(-16, 17) / 8 for _ in range(size)]
        text = '%.6f' % literals[0] if size == 1 else 'vec%d(%s)' % (size, ', '.join('%.6f' % l for l in literals))
        return Value('(%s)' % text, size, min(literals), max(literals), 0, exact=True)

    def swizzle(self, have, want):
        if have == 1:
            return ''
        return '.' + ''.join(self.rng.choice('xyzw'[:have]) for _ in range(want))

    # -- operations --------------------------------------------------------------------------------------------------

    def rounded(self, text, size, lo, hi, err, step='op'):
        return Value(text, size, lo, hi, err + self.eps[step] * max(abs(lo), abs(hi), 2 ** -10))

    def add(self, a, b, sign):
        lo, hi = (a.lo + b.lo, a.hi + b.hi) if sign == '+' else (a.lo - b.hi, a.hi - b.lo)
        return self.rounded('(%s %s %s)' % (a.text, sign, b.text), a.size, lo, hi, a.err + b.err)

    def mul(self, a, b):
        corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        err = a.mag * b.err + b.mag * a.err + a.err * b.err
        return self.rounded('(%s * %s)' % (a.text, b.text), a.size, min(corners), max(corners), err)

    def minmax(self, a, b, name):
        pick = min if name == 'min' else max
        return Value('%s(%s, %s)' % (name, a.text, b.text), a.size, pick(a.lo, b.lo), pick(a.hi, b.hi), max(a.err, b.err))

    def unit(self, size, depth):
        """A value in 0..1."""
        a = self.expr(size, depth - 1)
        return Value('clamp(%s, 0.0, 1.0)' % a.text, size, 0, 1, a.err)

    def positive(self, size, depth):
        """A value of at least 0.25."""
        a = self.expr(size, depth - 1)
        v = Value('(abs(%s) + 0.25)' % a.text, size, 0.25, a.mag + 0.25, a.err)
        return self.rounded(v.text, size, v.lo, v.hi, v.err)

    def function(self, size, depth):
        name = self.rng.choice(['sqrt', 'inversesqrt', 'log2', 'exp2', 'sin', 'cos', 'pow', 'div'])
        if name in ('sin', 'cos'):
            a = self.expr(size, depth - 1)
            return self.rounded('%s(%s)' % (name, a.text), size, -1, 1, a.err + self.eps['op'] * a.mag, 'sfu')
        if name == 'exp2':
            a = self.expr(size, depth - 1)
            if a.mag > 4:
                a = Value('clamp(%s, -4.0, 4.0)' % a.text, size, max(a.lo, -4), min(a.hi, 4), a.err)
            return self.rounded('exp2(%s)' % a.text, size, 2 ** a.lo, 2 ** a.hi, 2 ** a.hi * a.err, 'sfu')
        a = self.positive(size, depth)
        if name == 'sqrt':
            return self.rounded('sqrt(%s)' % a.text, size, a.lo ** 0.5, a.hi ** 0.5, a.err, 'sfu')
        if name == 'inversesqrt':
            return self.rounded('inversesqrt(%s)' % a.text, size, a.hi ** -0.5, a.lo ** -0.5, 4 * a.err, 'sfu')
        if name == 'log2':
            return self.rounded('log2(%s)' % a.text, size, -2, max(1.0, a.hi), 6 * a.err, 'sfu')
        if name == 'pow':
            e = self.rng.choice([0.5, 1.5, 2.0, 3.0])
            b = self.unit(size, depth)
            text = 'pow(%s * 0.75 + 0.25, %s)' % (b.text, 'vec%d(%.2f)' % (size, e) if size > 1 else '%.2f' % e)
            return self.rounded(text, size, 0, 1, e * 4 * (b.err + self.eps['op']) + 6 * self.eps['sfu'], 'sfu')
        b = self.expr(size, depth - 1)
        err = 4 * b.err + 16 * b.mag * a.err + 4 * b.mag * self.eps['sfu']
        return self.rounded('(%s / %s)' % (b.text, a.text), size, -4 * b.mag, 4 * b.mag, err)

    def dot(self, depth):
        n = self.rng.choice([2, 3, 4])
        a, b = self.expr(n, depth - 1), self.expr(n, depth - 1)
        m = n * a.mag * b.mag
        err = n * (a.mag * b.err + b.mag * a.err + a.err * b.err) + n * self.eps['op'] * m
        return self.rounded('dot(%s, %s)' % (a.text, b.text), 1, -m, m, err)

    def select(self, size, depth):
        a, b = self.expr(size, depth - 1), self.expr(size, depth - 1)
        condition = 'u%d.%s %s u%d.%s' % (self.rng.randrange(NUM_UNIFORMS), self.rng.choice('xyzw'),
                                          self.rng.choice(['<', '<=', '>', '>=', '==', '!=']),
                                          self.rng.randrange(NUM_UNIFORMS), self.rng.choice('xyzw'))
        return Value('(%s ? %s : %s)' % (condition, a.text, b.text), size, min(a.lo, b.lo), max(a.hi, b.hi),
                     max(a.err, b.err))

    def exact(self, size):
        name = self.rng.choice(['floor', 'fract', 'ceil', 'sign', 'step'])
        u = 'u%d%s' % (self.rng.randrange(NUM_UNIFORMS), self.swizzle(4, size))
        if name == 'step':
            return Value('step(%s, u%d%s)' % (u, self.rng.randrange(NUM_UNIFORMS), self.swizzle(4, size)), size, 0, 1, 0)
        if name == 'fract':
            return Value('fract(%s * 4.0)' % u, size, 0, 1, self.eps['op'])
        scale = {'floor': 4, 'ceil': 4, 'sign': 1}[name]
        return Value('%s(%s * %d.0)' % (name, u, scale), size, -scale, scale, 0)

    def mix(self, size, depth):
        a, b, t = self.expr(size, depth - 1), self.expr(size, depth - 1), self.unit(size, depth)
        m = max(a.mag, b.mag)
        err = max(a.err, b.err) + 2 * m * t.err + 3 * self.eps['op'] * m
        return self.rounded('mix(%s, %s, %s)' % (a.text, b.text, t.text), size, min(a.lo, b.lo), max(a.hi, b.hi), err)

    def array(self, size):
        """Vertex programs: a uniform array with an index that comes from an attribute."""
        return Value('ua[int(ai)]' + self.swizzle(4, size), size, -1, 1, 0)

    def expr(self, size, depth):
        if depth <= 0:
            return self.leaf(size)
        kinds = ['add', 'add', 'mul', 'mul', 'mad', 'minmax', 'abs', 'function', 'select', 'mix', 'exact', 'join', 'leaf']
        if size == 1:
            kinds += ['dot', 'dot']
        if self.stage == 'vertex':
            kinds += ['array']
        kind = self.rng.choice(kinds)
        v = self.make(kind, size, depth)
        # Large values only make bounds useless.
        if v.mag > 64:
            return Value('clamp(%s, -2.0, 2.0)' % v.text, size, -2, 2, v.err)
        return v

    def make(self, kind, size, depth):
        if kind == 'leaf':
            return self.leaf(size)
        if kind == 'function':
            return self.function(size, depth)
        if kind == 'dot':
            return self.dot(depth)
        if kind == 'select':
            return self.select(size, depth)
        if kind == 'exact':
            return self.exact(size)
        if kind == 'mix':
            return self.mix(size, depth)
        if kind == 'array':
            return self.array(size)
        a = self.expr(size, depth - 1)
        if kind == 'abs':
            return Value('abs(%s)' % a.text, size, 0, a.mag, a.err)
        if kind == 'join' and size > 1:
            b = self.expr(1, depth - 1)
            rest = a.text + ('.' + 'xyzw'[:size - 1] if size > 2 else '.x')
            return Value('vec%d(%s, %s)' % (size, rest, b.text), size, min(a.lo, b.lo), max(a.hi, b.hi), max(a.err, b.err))
        b = self.expr(size, depth - 1)
        if kind == 'minmax':
            return self.minmax(a, b, self.rng.choice(['min', 'max']))
        if kind == 'mul':
            return self.mul(a, b)
        if kind == 'mad':
            return self.add(self.mul(a, b), self.leaf(size), '+')
        return self.add(a, b, self.rng.choice('+-'))

    # -- statements --------------------------------------------------------------------------------------------------

    def keep(self, v):
        """Stores a value in a variable."""
        name = 't%d' % self.counter
        self.counter += 1
        kind = 'float' if v.size == 1 else 'vec%d' % v.size
        self.lines.append('   %s %s = %s;' % (kind, name, v.text))
        t = Value(name, v.size, v.lo, v.hi, v.err)
        self.temps.append(t)
        return t

    def loop(self):
        """acc = acc * 0.5 + x, a fixed number of times."""
        x = self.keep(self.expr(2, 2))
        acc = self.keep(self.expr(2, 1))
        count = self.rng.randrange(2, 5)
        self.lines.append('   for (int i = 0; i < %d; i++)' % count)
        self.lines.append('      %s = %s * 0.5 + %s;' % (acc.text, acc.text, x.text))
        m = acc.mag + 2 * x.mag
        acc.lo, acc.hi = -m, m
        acc.err = acc.err + 2 * x.err + count * 2 * self.eps['op'] * m

    def branch(self):
        t = self.keep(self.expr(3, 2))
        v = self.expr(3, 2)
        condition = 'u%d.x > u%d.y' % (self.rng.randrange(NUM_UNIFORMS), self.rng.randrange(NUM_UNIFORMS))
        self.lines.append('   if (%s)' % condition)
        self.lines.append('      %s = %s;' % (t.text, v.text))
        t.lo, t.hi, t.err = min(t.lo, v.lo), max(t.hi, v.hi), max(t.err, v.err)

    def program(self):
        """GLSL statements that set "result" (0..1), and the bound on its error in steps of 1/255."""
        for _ in range(self.rng.randrange(1, 4)):
            self.keep(self.expr(self.rng.choice([1, 2, 3, 4]), self.rng.choice([1, 2, 3])))
        if self.rng.random() < 0.3:
            self.loop()
        if self.rng.random() < 0.4:
            self.branch()
        v = self.expr(4, 3)
        span = max(v.hi - v.lo, 0.5)
        result = self.add(v, Value('(%.6f)' % -v.lo, 1, -v.lo, -v.lo, 0), '+')
        bound = (result.err + 2 * self.eps['op'] * span) / span * 255 + 2
        self.lines.append('   result = %s * %.8f;' % (result.text, 1 / span))
        return bound


UNIFORMS = ''.join('uniform vec4 u%d;\n' % i for i in range(NUM_UNIFORMS))
ATTRIBUTES = 'attribute vec4 position;\n' + ''.join('attribute vec4 a%d;\n' % i for i in range(NUM_VARYINGS))
VARYINGS = ''.join('varying vec4 v%d;\n' % i for i in range(NUM_VARYINGS))

PLAIN_VERTEX = (ATTRIBUTES + VARYINGS + 'void main() {\n   gl_Position = position;\n'
                + ''.join('   v%d = a%d;\n' % (i, i) for i in range(NUM_VARYINGS)) + '}\n')
PLAIN_FRAGMENT = 'precision mediump float;\nvarying vec4 color;\nvoid main() { gl_FragColor = color; }\n'


def make_program(rng, stage, features):
    if stage.endswith('-structured'):
        make = structured.vertex_program if stage.startswith('vertex') else structured.fragment_program
        vs, fs, used = make(rng)
        features.update(used)
        return vs, fs, STRUCTURED_BOUND
    while True:
        g = Generator(rng, stage)
        bound = g.program()
        if bound <= MAX_BOUND:
            break
    body = '   vec4 result;\n' + '\n'.join(g.lines) + '\n'
    if stage == 'fragment':
        vs = PLAIN_VERTEX
        fs = ('precision highp float;\n' + UNIFORMS + VARYINGS
              + 'void main() {\n' + body + '   gl_FragColor = result;\n}\n')
    else:
        vs = (UNIFORMS + 'uniform vec4 ua[8];\nattribute float ai;\n' + ATTRIBUTES + 'varying vec4 color;\n'
              + 'void main() {\n   gl_Position = position;\n' + body + '   color = result;\n}\n')
        fs = PLAIN_FRAGMENT
    return vs, fs, bound


def write_heavy(stage, seed, count, out):
    """Files of large programs; a program depends on its name only.  Returns the names."""
    kind = stage.split('-')[0]
    groups = [g for g in (heavy.LARGE if stage.endswith('-large') else heavy.GROUPS) if kind == 'fragment' or g != 'texture']
    names = []
    for i in range(count):
        group = groups[i % len(groups)]
        name = '%s-%s-%d-%03d' % (stage, group, seed, i // len(groups))
        vs, fs = heavy.make_program(random.Random(name), kind, group)
        test = '[require]\nGLSL ES >= 1.00\n[vertex shader]\n%s\n[fragment shader]\n%s' % (heavy.with_all_attributes(vs), fs)
        for suffix, text in (('vert', vs), ('frag', fs), ('shader_test', test)):
            with open(os.path.join(out, name + '.' + suffix), 'w', encoding='utf-8') as f:
                f.write(text)
        names.append(name)
    return names


def main():
    parser = argparse.ArgumentParser(description='Generate random GLSL programs with error bounds.')
    parser.add_argument('--stage', choices=STAGES, required=True)
    parser.add_argument('--seed', type=int, required=True)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--out', required=True)
    parser.add_argument('--features', action='store_true', help='print in how many structured programs each feature occurs')
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rng = random.Random('%s %d' % (args.stage, args.seed))
    bounds, features = {}, collections.Counter()
    if args.stage.endswith(('-heavy', '-large')):
        bounds = {name: 0 for name in write_heavy(args.stage, args.seed, args.count, args.out)}
    for i in range(args.count if not bounds else 0):
        name = '%s-%d-%04d' % (args.stage, args.seed, i)
        vs, fs, bounds[name] = make_program(rng, args.stage, features)
        for suffix, text in (('vert', vs), ('frag', fs)):
            with open(os.path.join(args.out, name + '.' + suffix), 'w', encoding='utf-8') as f:
                f.write(text)
    with open(os.path.join(args.out, 'bounds.json'), 'w', encoding='utf-8') as f:
        json.dump(bounds, f, indent=1)
    if args.features:
        for feature, n in sorted(features.items()):
            print(f'{n:6} {feature}')


if __name__ == '__main__':
    main()
