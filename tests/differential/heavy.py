# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Large random GLSL programs in the manner of conformance suites: many statements, deep expressions, mixed types.

A program has up to 10 statements in each block, blocks, conditionals and loops two deep, expressions of depth 5, up to 8
inputs and 32 scalars in its own variables, numbers of three types and all precisions.  GROUPS says what occurs in the
programs of each group.  Every expression carries the interval of its values, so that functions get arguments for which
they are defined; results are brought to 0..1.  generate.py writes these programs for the stages vertex-heavy and
fragment-heavy, the groups in turn.

Larger ones (LARGE, the stage fragment-large) have ten statements in main(), expressions of depth 5 to 8, lookups, loops
whose length depends on the pixel, and derivatives, where all pixels of a quad come by.  Those of the group 'crowd' change
24 to 80 values time and again that are all alive.

How far the chip's arithmetic may be from the exact one is not known here; run.py asks tegra20-bounds.
"""

SIZES = {1: '', 2: '2', 3: '3', 4: '4'}
PREFIX = {'float': 'vec', 'int': 'ivec', 'bool': 'bvec'}
MAX_VARIABLE_SCALARS = 32
MAX_INPUTS = 8
MAX_MAGNITUDE = 8.0
MAX_TURNS = 8  # of a loop whose length depends on the pixel
FUNCTIONS = ('trigonometric', 'exponential', 'texture', 'derivative')

# Kinds of expression and statement, with their weights, on top of what all groups have.
GROUPS = {
    'basic': {},
    'conversion': {'convert': 6},
    'swizzle': {'swizzle': 8},
    'comparison': {'compare': 5, 'ternary': 2, 'convert': 2},
    'conditional': {'compare': 2, 'ternary': 2, 'if': 4},
    'loop': {'for': 4, 'if': 1, 'compare': 1},
    'trigonometric': {'trigonometric': 5},
    'exponential': {'exponential': 5},
    'texture': {'texture': 4, 'swizzle': 2},
    'all': {'convert': 2, 'swizzle': 2, 'compare': 2, 'ternary': 1, 'if': 2, 'for': 1, 'trigonometric': 1,
            'exponential': 1, 'texture': 1},
}

# The same for the larger ones.
LARGE = {
    'lookups': {'texture': 4, 'swizzle': 2, 'ternary': 1, 'compare': 1},
    'lengths': {'length': 5, 'if': 1, 'compare': 1, 'ternary': 1, 'texture': 1},
    'derivatives': {'derivative': 3, 'swizzle': 2, 'texture': 1, 'exponential': 0.5},
    'everything': {'convert': 1, 'swizzle': 1, 'compare': 1, 'ternary': 1, 'if': 1, 'for': 1, 'trigonometric': 0.5,
                   'exponential': 0.5, 'texture': 1, 'length': 2, 'derivative': 1},
    'crowd': {'texture': 3, 'swizzle': 2},
}


class Value:
    """An expression: GLSL text, base type, number of components, interval."""

    def __init__(self, text, base, size, lo, hi):
        self.text, self.base, self.size, self.lo, self.hi = text, base, size, lo, hi


def type_name(base, size):
    return base if size == 1 else PREFIX[base] + SIZES[size]


class Heavy:
    def __init__(self, rng, stage, weights):
        self.rng = rng
        self.stage = stage
        self.weights = dict(weights)
        if stage == 'vertex':
            self.weights.pop('texture', None)
        self.lines = []
        self.indent = 1
        self.names = 0
        self.scopes = [[]]
        self.inputs, self.uniforms = [], []
        self.samplers = set()
        self.read = set()         # variables that are read after they were last written
        self.scalars = 0
        self.copies = 1
        self.alone = 0  # above 0: pixels of a quad may go different ways

    # -- names ---------------------------------------------------------------------------------------------------------

    def emit(self, text):
        self.lines.append('   ' * self.indent + text)

    def name(self, prefix):
        self.names += 1
        return f'{prefix}{self.names}'

    def precision(self, base):
        if base == 'bool':
            return ''
        return self.rng.choice(['', '', 'mediump ', 'highp '] + (['lowp '] if base == 'float' else []))

    def variables(self):
        return [v for scope in self.scopes for v in scope]

    def choose(self, weights):
        kinds = [k for k in weights if weights[k]]
        return self.rng.choices(kinds, [weights[k] for k in kinds])[0]

    # -- leaves --------------------------------------------------------------------------------------------------------

    def narrowed(self, v, size):
        """The first components, or a choice of them."""
        if v.size == size:
            return v.text
        if 'swizzle' in self.weights:
            return v.text + '.' + ''.join(self.rng.choice('xyzw'[:v.size]) for _ in range(size))
        return v.text + '.' + 'xyzw'[:size]

    def literal(self, base, size):
        if base == 'bool':
            values = [self.rng.choice(['true', 'false']) for _ in range(size)]
            lo, hi = 0, 1
        elif base == 'int':
            numbers = [self.rng.randrange(-4, 5) for _ in range(size)]
            values, lo, hi = [str(n) for n in numbers], min(numbers), max(numbers)
        else:
            numbers = [self.rng.randrange(-32, 33) / 16 for _ in range(size)]
            values, lo, hi = ['%.4f' % n for n in numbers], min(numbers), max(numbers)
        text = values[0] if size == 1 else f'{type_name(base, size)}({", ".join(values)})'
        return Value(f'({text})' if size == 1 else text, base, size, lo, hi)

    def new_input(self):
        size = self.rng.choice([1, 2, 3, 4, 4])
        v = Value(self.name('in'), 'float', size, -1, 1)
        self.inputs.append(v)
        return v

    def new_uniform(self, base, size):
        v = Value(self.name('u'), base, self.rng.randrange(size, 5), *((-1, 1) if base == 'float' else (0, 1)))
        self.uniforms.append(v)
        return v

    def leaf(self, base, size):
        kind = self.choose({'variable': 6, 'input': 4 if base == 'float' else 0, 'uniform': 3, 'literal': 2})
        if kind == 'variable':
            found = [v for v in self.variables() if v.base == base and v.size >= size]
            unread = [v for v in found if v.text not in self.read]
            if found:
                v = self.rng.choice(unread or found)
                self.read.add(v.text)
                return Value(self.narrowed(v, size), base, size, v.lo, v.hi)
            kind = 'input' if base == 'float' else 'uniform'
        if kind == 'literal':
            return self.literal(base, size)
        known = self.inputs if kind == 'input' else self.uniforms
        found = [v for v in known if v.base == base and v.size >= size]
        fresh = len(self.inputs) < MAX_INPUTS if kind == 'input' else len(self.uniforms) < 12
        if fresh and (not found or self.rng.random() < 0.4):
            v = self.new_input() if kind == 'input' else self.new_uniform(base, size)
            if v.size >= size:
                found = [v]
        if not found:
            return self.literal(base, size)
        v = self.rng.choice(found)
        return Value(self.narrowed(v, size), base, size, v.lo, v.hi)

    # -- expressions ---------------------------------------------------------------------------------------------------

    def fit(self, v, lo, hi):
        """Brings the values into an interval."""
        if v.lo >= lo and v.hi <= hi:
            return v
        scale = (hi - lo) / max(v.hi - v.lo, 0.25)
        if v.lo * scale >= lo and v.hi * scale <= hi:
            return Value('(%s * %.4f)' % (v.text, scale), 'float', v.size, v.lo * scale, v.hi * scale)
        scale *= 0.99
        offset = lo - v.lo * scale + 0.005 * (hi - lo)
        return Value('(%s * %.4f + %.4f)' % (v.text, scale, offset), 'float', v.size, lo, hi)

    def small(self, v):
        """Large values come to nothing but errors."""
        if max(abs(v.lo), abs(v.hi)) <= MAX_MAGNITUDE:
            return v
        if v.base == 'float':
            return self.fit(v, -MAX_MAGNITUDE / 4, MAX_MAGNITUDE / 4)
        return self.leaf(v.base, v.size)

    def expr(self, base, size, depth):
        if depth <= 0 or self.rng.random() < 0.2:
            return self.leaf(base, size)
        if base == 'bool':
            return self.bool_expr(size, depth)
        weights = {'add': 3, 'sub': 2, 'mul': 3, 'construct': 2 if size > 1 else 0, 'negate': 0.5}
        for kind in ('convert', 'ternary', 'swizzle') + (FUNCTIONS if base == 'float' else ()):
            weights[kind] = self.weights.get(kind, 0)
        if self.alone:
            weights['derivative'] = 0
        if size > 1:
            weights['convert'] *= 0.5
        return self.small(getattr(self, self.choose(weights))(base, size, depth))

    def add(self, base, size, depth, sign='+'):
        a, b = self.expr(base, size, depth - 1), self.expr(base, size, depth - 1)
        lo, hi = (a.lo + b.lo, a.hi + b.hi) if sign == '+' else (a.lo - b.hi, a.hi - b.lo)
        return Value(f'({a.text} {sign} {b.text})', base, size, lo, hi)

    def sub(self, base, size, depth):
        return self.add(base, size, depth, '-')

    def mul(self, base, size, depth):
        a = self.expr(base, size, depth - 1)
        b = self.expr(base, 1 if self.rng.random() < 0.3 else size, depth - 1)
        corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return Value(f'({a.text} * {b.text})', base, size, min(corners), max(corners))

    def negate(self, base, size, depth):
        a = self.expr(base, size, depth - 1)
        return Value(f'(-{a.text})', base, size, -a.hi, -a.lo)

    def construct(self, base, size, depth):
        parts, left = [], size
        while left:
            most = left if left < size else left - 1
            parts.append(self.expr(base, self.rng.randrange(1, most + 1), depth - 1))
            left -= parts[-1].size
        text = f'{type_name(base, size)}({", ".join(p.text for p in parts)})'
        return Value(text, base, size, min(p.lo for p in parts), max(p.hi for p in parts))

    def swizzle(self, base, size, depth):
        have = self.rng.randrange(max(size, 2), 5)
        a = self.expr(base, have, depth - 1)
        letters = self.rng.choice(['xyzw', 'rgba', 'stpq'])[:have]
        return Value(f'({a.text}).{"".join(self.rng.choice(letters) for _ in range(size))}', base, size, a.lo, a.hi)

    def convert(self, base, size, depth):
        other = self.rng.choice([b for b in ('float', 'int', 'bool') if b != base])
        a = self.expr(other, size, depth - 1)
        lo, hi = (float(int(a.lo)), float(int(a.hi))) if base == 'int' else (a.lo, a.hi)
        return Value(f'{type_name(base, size)}({a.text})', base, size, lo, hi)

    def ternary(self, base, size, depth):
        c = self.expr('bool', 1, depth - 1)
        self.alone += 1
        a, b = self.expr(base, size, depth - 1), self.expr(base, size, depth - 1)
        self.alone -= 1
        return Value(f'({c.text} ? {a.text} : {b.text})', base, size, min(a.lo, b.lo), max(a.hi, b.hi))

    def trigonometric(self, base, size, depth):
        a = self.expr(base, size, depth - 1)
        name = self.rng.choice(['sin', 'cos', 'tan', 'asin', 'acos', 'atan'])
        if name in ('asin', 'acos', 'tan'):
            a = self.fit(a, -1, 1)
        return Value(f'{name}({a.text})', base, size, *{'sin': (-1, 1), 'cos': (-1, 1), 'tan': (-1.56, 1.56),
                                                        'asin': (-1.58, 1.58), 'acos': (0, 3.15), 'atan': (-1.58, 1.58)}[name])

    def exponential(self, base, size, depth):
        a = self.expr(base, size, depth - 1)
        name = self.rng.choice(['pow', 'exp', 'log', 'exp2', 'log2', 'sqrt', 'inversesqrt'])
        if name in ('exp', 'exp2'):
            return Value(f'{name}({self.fit(a, -2, 1).text})', base, size, 0.13, 2.72)
        a = self.fit(a, 0.25, 2)
        if name == 'pow':
            b = self.fit(self.expr(base, size, depth - 1), -1, 1)
            return Value(f'pow({a.text}, {b.text})', base, size, 0.25, 4)
        return Value(f'{name}({a.text})', base, size,
                     *{'log': (-1.39, 0.7), 'log2': (-2, 1), 'sqrt': (0.5, 1.42), 'inversesqrt': (0.7, 2)}[name])

    def texture(self, base, size, depth):
        sampler = self.rng.choice(['tex0', 'tex1', 'cube0'])
        self.samplers.add(sampler)
        a = self.expr('float', 3 if sampler == 'cube0' else 2, depth - 2)
        text = f'texture{"Cube" if sampler == "cube0" else "2D"}({sampler}, {a.text})'
        return Value(f'{text}.{"".join(self.rng.choice("rgba") for _ in range(size))}' if size < 4 else text, base, size, 0, 1)

    def derivative(self, base, size, depth):
        a = self.expr(base, size, depth - 1)
        name, lo = self.rng.choice([('dFdx', -1), ('dFdy', -1), ('fwidth', 0)])
        return Value(f'clamp({name}({a.text}) * {self.rng.choice([4, 8, 16])}.0, {lo}.0, 1.0)', base, size, lo, 1)

    def bool_expr(self, size, depth):
        if size > 1:
            parts = [self.expr('bool', 1, depth - 1) for _ in range(size)]
            return Value(f'bvec{size}({", ".join(p.text for p in parts)})', 'bool', size, 0, 1)
        kind = self.choose({'compare': 4, 'logic': 2, 'not': 1, 'equal': 1})
        if kind == 'logic':
            a = self.expr('bool', 1, depth - 1)
            self.alone += 1
            b = self.expr('bool', 1, depth - 1)
            self.alone -= 1
            return Value(f'({a.text} {self.rng.choice(["&&", "||", "^^"])} {b.text})', 'bool', 1, 0, 1)
        if kind == 'not':
            return Value(f'(!{self.expr("bool", 1, depth - 1).text})', 'bool', 1, 0, 1)
        base = self.rng.choice(['float', 'float', 'int'])
        if kind == 'equal':
            base = self.rng.choice(['int', 'bool'])
            n = self.rng.randrange(1, 5)
            a, b = self.expr(base, n, depth - 1), self.expr(base, n, depth - 1)
            return Value(f'({a.text} {self.rng.choice(["==", "!="])} {b.text})', 'bool', 1, 0, 1)
        a, b = self.expr(base, 1, depth - 1), self.expr(base, 1, depth - 1)
        return Value(f'({a.text} {self.rng.choice(["<", "<=", ">", ">="])} {b.text})', 'bool', 1, 0, 1)

    # -- statements ----------------------------------------------------------------------------------------------------

    def base(self):
        return self.choose({'float': 6, 'int': 1.5 if 'convert' in self.weights else 0.5,
                            'bool': 1 if 'compare' in self.weights else 0})

    def depth(self):
        return self.rng.randrange(2, 6)

    def declaration(self, _):
        base, size = self.base(), self.rng.choice([1, 1, 2, 3, 4])
        if self.scalars + size > MAX_VARIABLE_SCALARS:
            return self.assignment(_)
        self.scalars += size
        v = self.expr(base, size, self.depth())
        name = self.name('t')
        self.emit(f'{self.precision("int" if base == "float" else base)}{type_name(base, size)} {name} = {v.text};')
        self.scopes[-1].append(Value(name, base, size, v.lo, v.hi))

    def assignment(self, _):
        found = [v for v in self.variables() if not v.text.startswith('i')]
        if not found:
            return self.declaration(_)
        v = self.rng.choice(found)
        size, mask = v.size, ''
        if v.size > 1 and 'swizzle' in self.weights and self.rng.random() < 0.5:
            size = self.rng.randrange(1, v.size + 1)
            mask = '.' + ''.join(self.rng.sample('xyzw'[:v.size], size))
        new = self.expr(v.base, size, self.depth())
        if self.copies > 1 and v.base == 'float':
            new = self.fit(new, -1, 1) # its own value may come around again
        elif self.copies > 1:
            new = self.leaf(v.base, size)
        self.emit(f'{v.text}{mask} = {new.text};')
        self.read.discard(v.text)
        v.lo, v.hi = min(v.lo, new.lo), max(v.hi, new.hi)

    def block(self, statements, depth):
        before = self.scalars
        self.scopes.append([])
        self.indent += 1
        for _ in range(statements):
            self.statement(depth - 1)
        self.indent -= 1
        self.scopes.pop()
        self.scalars = before

    def conditional(self, depth):
        self.emit(f'if ({self.expr("bool", 1, 3).text}) {{')
        self.alone += 1
        self.block(self.rng.randrange(1, 4), depth)
        if self.rng.random() < 0.5:
            self.emit('} else {')
            self.block(self.rng.randrange(1, 4), depth)
        self.alone -= 1
        self.emit('}')

    def loop(self, depth):
        count = self.rng.randrange(2, 4)
        if self.copies * count > 4:
            return self.assignment(depth)
        self.widen()
        counter = self.name('i')
        self.emit(f'for (int {counter} = 0; {counter} < {count}; {counter}++) {{')
        self.copies *= count
        self.scopes.append([Value(counter, 'int', 1, 0, count - 1)])
        self.block(self.rng.randrange(1, 3), depth)
        self.scopes.pop()
        self.copies //= count
        self.emit('}')

    def widen(self):
        """Intervals hold for one execution: what is assigned in a loop stays within what it was."""
        for v in self.variables():
            if v.base == 'float':
                v.lo, v.hi = min(v.lo, -1), max(v.hi, 1)

    def statement(self, depth):
        weights = {'declaration': 3, 'assignment': 3}
        if depth > 0:
            weights.update({'if': self.weights.get('if', 0), 'for': self.weights.get('for', 0)})
        kind = self.choose(weights)
        {'declaration': self.declaration, 'assignment': self.assignment, 'if': self.conditional, 'for': self.loop}[kind](depth)

    def statements(self):
        return self.rng.randrange(1, 11)

    def program(self):
        for _ in range(self.statements()):
            self.statement(2)
        v = self.expr('float', 4, 5)
        # nothing is computed for nothing
        for t in self.variables():
            if t.text not in self.read:
                text = f'vec4({t.text}{", 0.5" * (4 - t.size)})' if t.size > 1 else f'vec4({t.text})'
                v = Value(f'({v.text} + {text} * 0.25)', 'float', 4, v.lo + min(t.lo, 0) / 4, v.hi + max(t.hi, 0.5) / 4)
        span = max(v.hi - v.lo, 0.5)
        self.emit('result = (%s + %.4f) * %.5f;' % (v.text, -v.lo, 1 / span))


class Large(Heavy):
    def depth(self):
        return self.rng.randrange(5, 9) if self.indent == 1 else self.rng.randrange(2, 5)

    def statements(self):
        return 10

    def stretched(self, v, hi):
        """The text of a value that goes from 0 to hi as v goes from its least to its greatest."""
        scale = hi / max(v.hi - v.lo, 0.25)
        return '(%s * %.4f + %.4f)' % (v.text, scale, -v.lo * scale)

    def statement(self, depth):
        if depth > 0 and self.rng.random() < self.weights.get('length', 0) / 12:
            return self.loop_by_pixel(depth)
        return super().statement(depth)

    def loop_by_pixel(self, depth):
        """A loop of at most MAX_TURNS turns."""
        if self.copies > 1:
            return self.loop(depth)
        kind = self.rng.choice(['for', 'break', 'while', 'do'])
        length = self.stretched(self.expr('float', 1, self.rng.randrange(1, 5)), MAX_TURNS + 0.9)
        self.widen()
        counter, end = self.name('i'), self.name('n')
        self.emit(f'int {end} = int({length});' if kind != 'while' else f'float {end} = {length};')
        self.emit({'for': f'for (int {counter} = 0; {counter} < {end}; {counter}++) {{',
                   'break': f'for (int {counter} = 0; {counter} < {MAX_TURNS}; {counter}++) {{',
                   'while': f'int {counter} = 0;', 'do': f'int {counter} = 0;'}[kind])
        if kind in ('while', 'do'):
            self.emit(f'while ({end} > 0.5) {{' if kind == 'while' else 'do {')
        self.copies *= MAX_TURNS
        self.alone += 1
        self.scopes.append([Value(counter, 'int', 1, 0, MAX_TURNS)])
        if kind == 'break':
            self.emit(f'   if ({counter} >= {end}) break;')
        self.block(self.rng.randrange(1, 3), depth)
        if kind in ('while', 'do'):
            self.emit(f'   {counter}++;')
        if kind == 'while':
            self.emit(f'   {end} -= {self.rng.choice(["1.0", "1.25", "2.0"])};')
        elif self.rng.random() < 0.3:
            self.emit(f'   if ({self.expr("bool", 1, 2).text}) break;')
        self.scopes.pop()
        self.alone -= 1
        self.copies //= MAX_TURNS
        self.emit(f'}} while ({counter} < {end});' if kind == 'do' else '}')


class Crowd(Large):
    def changed(self, crowd):
        """An expression of values of the crowd, -1 to 1 as they are, in which errors do not grow."""
        a, b, c = (self.narrowed(self.rng.choice(crowd), 4) for _ in range(3))
        return self.rng.choice([f'{a} * {b} * 0.5 + {c} * 0.25', f'max({a}, {b}) * 0.75', f'{a} * 0.5 - {b} * {c} * 0.5',
                                f'{a} * dot({b}, {c}) * 0.25', f'mix({a}, {b}, {c} * 0.5 + 0.5) * 0.75',
                                f'abs({a}) * 0.5 + min({b}, {c}) * 0.25'])

    def program(self):
        crowd = [Value(self.name('v'), 'float', 4, -1, 1) for _ in range(self.rng.randrange(6, 21))]
        for v in crowd:
            self.emit(f'vec4 {v.text} = {self.fit(self.expr("float", 4, 3), -1, 1).text};')
        for _ in range(self.rng.randrange(2, 6)):
            for v in crowd:
                self.emit(f'{v.text} = {self.changed(crowd)};')
        # a quarter of each, so that few values are outside of 0..1
        self.emit('result = (%s) * 0.25 + 0.5;' % ' + '.join(v.text for v in crowd))


def with_all_attributes(vs):
    """For tegra20-bounds: no attribute is lost, and which is which can be seen (pixels.c)."""
    return vs.replace('gl_Position = position;', 'gl_Position = position + a0 + a1 * 2.0 + a2 * 4.0;')


def make_program(rng, stage, group):
    """Vertex and fragment shader."""
    kind = Crowd if group == 'crowd' else Large if group in LARGE else Heavy
    h = kind(rng, stage, (LARGE if group in LARGE else GROUPS)[group])
    h.program()
    body = '   vec4 result;\n' + '\n'.join(h.lines) + '\n'
    uniforms = ''.join(f'uniform {h.precision(u.base) if u.base == "float" else ""}{type_name(u.base, u.size)} {u.text};\n'
                       for u in h.uniforms)
    samplers = ''.join(f'uniform sampler{"Cube" if s[0] == "c" else "2D"} {s};\n' for s in sorted(h.samplers))
    attributes = 'attribute vec4 position, a0, a1, a2;\n'
    sources = []
    for i, v in enumerate(h.inputs):
        # different in every component, and linear: means of two attributes' components
        parts = [f'a{(i + c) % 3}.{"xyzw"[(c + i // 3) % 4]} * 0.5 + a{(i + c + 1) % 3}.{"xyzw"[(c * 3 + i) % 4]} * 0.5'
                 for c in range(v.size)]
        sources.append(f'   {v.text} = {type_name("float", v.size)}({", ".join(parts)});\n')
    if stage == 'fragment':
        varyings = ''.join(f'varying {h.precision("float")}{type_name("float", v.size)} {v.text};\n' for v in h.inputs)
        vs = attributes + varyings + 'void main()\n{\n   gl_Position = position;\n' + ''.join(sources) + '}\n'
        extension = '#extension GL_OES_standard_derivatives : enable\n' if 'derivative' in h.weights else ''
        fs = (extension + 'precision highp float;\n' + uniforms + samplers + varyings + 'void main()\n{\n' + body
              + '   gl_FragColor = result;\n}\n')
        return vs.replace('varying lowp', 'varying highp'), fs
    locals_ = ''.join(f'   {type_name("float", v.size)} {v.text};\n' for v in h.inputs)
    vs = ('precision highp float;\n' + attributes + uniforms + 'varying vec4 color;\nvoid main()\n{\n'
          + '   gl_Position = position;\n' + locals_ + ''.join(sources) + body + '   color = result;\n}\n')
    return vs, 'precision mediump float;\nvarying vec4 color;\nvoid main() { gl_FragColor = color; }\n'
