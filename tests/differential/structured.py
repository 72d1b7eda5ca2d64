#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Random GLSL programs of statements: everything the language has for control flow and data, on exact values.

All numbers are whole and small: products have factors of at most 16, assignments wrap to -16..15.  So they are exact in
fp32 and in fp20, comparisons and conversions have one right answer, and the two implementations have to agree to the
last bit of an 8-bit target.  generate.py writes these programs when it is asked for stage vertex-structured or
fragment-structured.

What a program can hold: variables of all types but samplers, structures, arrays of numbers, vectors and structures;
for, while and do loops, nested, with constant, uniform and varying length, break and continue at any depth;
conditionals; functions with in, out and inout parameters and early returns; indices that are constants, uniforms, loop
counters or inputs, on arrays of variables, uniforms and varyings, vectors and columns of matrices; swizzles on both sides;
matrix products; integer division; conversions; relational and logical functions on vectors; a varying matrix, an array
of varyings and structures that are passed on as varyings' components.
"""

SIZES = {'float': 1, 'vec2': 2, 'vec3': 3, 'vec4': 4}
FLOATS = ['float', 'vec2', 'vec3', 'vec4']
MATRICES = ['mat2', 'mat3', 'mat4']

HELPERS = """\
float wrapf(float x) { return x - 32.0 * floor((x + 16.0) * 0.03125); }
vec2 wrapf(vec2 x) { return x - 32.0 * floor((x + 16.0) * 0.03125); }
vec3 wrapf(vec3 x) { return x - 32.0 * floor((x + 16.0) * 0.03125); }
vec4 wrapf(vec4 x) { return x - 32.0 * floor((x + 16.0) * 0.03125); }
int wrapi(int x) { return int(wrapf(float(x))); }
int below(int x, int n) { int r = x - x / n * n; return r < 0 ? r + n : r; }
"""

UNIFORMS = """\
uniform vec4 u0, u1, u2;
uniform vec4 ua[8];
uniform int n0, n1, n2;
uniform bool b0;
"""


class Structured:
    def __init__(self, rng, stage, size):
        self.rng = rng
        self.stage = stage
        self.size = size          # statements, roughly
        self.lines = []
        self.indent = 1
        self.names = 0
        self.scopes = [[]]        # lists of (type, name, writable)
        self.loops = 0            # depth
        self.copies = 1           # upper bound on how often the present statement is executed
        self.functions = []       # (name, return type, parameter types with qualifier, text)
        self.structs = rng.random() < 0.5
        self.arrays = rng.random() < 0.7

    # -- text --------------------------------------------------------------------------------------------------------

    def emit(self, text):
        self.lines.append('   ' * self.indent + text)

    def name(self, prefix):
        self.names += 1
        return f'{prefix}{self.names}'

    def declare(self, kind, text, prefix='t', writable=True):
        name = self.name(prefix)
        self.emit(f'{kind} {name} = {text};')
        self.scopes[-1].append((kind, name, writable))
        return name

    def variables(self, kind, writable=False):
        return [n for scope in self.scopes for k, n, w in scope if k == kind and (w or not writable)]

    def swizzle(self, have, want):
        if have == 1:
            return ''
        return '.' + ''.join(self.rng.choice('xyzw'[:have]) for _ in range(want))

    def index(self, n):
        """An int in 0..n-1."""
        kind = self.rng.choice(['constant', 'uniform', 'input', 'variable', 'counter'])
        counters = [c for c in self.variables('counter')]
        if kind == 'counter' and counters:
            return f'below({self.rng.choice(counters)}, {n})'
        if kind == 'variable' and self.variables('int'):
            return f'below({self.rng.choice(self.variables("int"))}, {n})'
        if kind == 'uniform':
            return f'below(n{self.rng.randrange(3)}, {n})'
        if kind == 'input':
            return f'below(in_i, {n})'
        return str(self.rng.randrange(n))

    def leaf(self, kind):
        """A value of magnitude at most 16."""
        size = SIZES[kind]
        choices = ['literal', 'input', 'input', 'uniform', 'variable', 'variable', 'variable', 'element']
        for _ in range(4):
            what = self.rng.choice(choices)
            if what == 'variable':
                wider = [(k, n) for k in FLOATS if SIZES[k] >= size for n in self.variables(k)]
                if wider:
                    k, n = self.rng.choice(wider)
                    return n if k == kind and self.rng.random() < 0.5 else n + self.swizzle(SIZES[k], size)
            elif what == 'input':
                return f'in_{self.rng.randrange(3)}' + self.swizzle(4, size)
            elif what == 'uniform':
                return f'(16.0 * u{self.rng.randrange(3)}{self.swizzle(4, size)})'
            elif what == 'element':
                text = self.element(kind)
                if text:
                    return text
        values = [f'{self.rng.randrange(-8, 9)}.0' for _ in range(size)]
        return f'({values[0]})' if size == 1 else f'{kind}({", ".join(values)})'

    def element(self, kind):
        """Something out of an array, a matrix, a structure, or a vector by index."""
        what = self.rng.choice(['array', 'uniform array', 'matrix', 'struct', 'component'])
        size = SIZES[kind]
        if what == 'uniform array':
            return f'(16.0 * ua[{self.index(8)}]{self.swizzle(4, size)})'
        if what == 'array' and self.variables('array'):
            return f'{self.rng.choice(self.variables("array"))}[{self.index(3)}]{self.swizzle(4, size)}'
        if what == 'struct' and self.variables('S'):
            s = self.rng.choice(self.variables('S'))
            return f'{s}.v{self.swizzle(3, size)}' if size < 4 else f'vec4({s}.v, {s}.f)'
        if what == 'matrix':
            found = [(m, n) for m in MATRICES for n in self.variables(m)]
            if found:
                m, n = self.rng.choice(found)
                rows = int(m[3])
                if size == 1:
                    return f'{n}[{self.index(rows)}][{self.index(rows)}]'
                if rows >= size:
                    return f'{n}[{self.index(rows)}]{self.swizzle(rows, size)}'
        if what == 'component' and size == 1:
            found = [(k, n) for k in FLOATS[1:] for n in self.variables(k)]
            if found:
                k, n = self.rng.choice(found)
                return f'{n}[{self.index(SIZES[k])}]'
        return None

    def expr(self, kind, depth=2):
        """A value of magnitude below 4000."""
        if depth == 0:
            return self.leaf(kind)
        size = SIZES[kind]
        what = self.rng.choice(['leaf', 'sum', 'sum', 'product', 'product', 'minmax', 'select', 'function', 'convert', 'matrix',
                                'dot', 'round', 'call'])
        if what == 'sum':
            return f'({self.expr(kind, depth - 1)} {self.rng.choice("+-")} {self.expr(kind, depth - 1)})'
        if what == 'product':
            other = self.leaf(kind) if self.rng.random() < 0.6 else self.leaf('float')
            return f'({self.leaf(kind)} * {other})'
        if what == 'minmax':
            return f'{self.rng.choice(["min", "max"])}({self.expr(kind, depth - 1)}, {self.leaf(kind)})'
        if what == 'select':
            return f'({self.condition(1)} ? {self.expr(kind, depth - 1)} : {self.leaf(kind)})'
        if what == 'function':
            name = self.rng.choice(['abs', 'sign', 'step', 'clamp', 'mod'])
            if name == 'step':
                return f'step({self.leaf(kind)}, {self.leaf(kind)})'
            if name == 'clamp':
                return f'clamp({self.expr(kind, depth - 1)}, -5.0, 7.0)'
            if name == 'mod':
                return f'mod({self.leaf(kind)}, {self.rng.choice([2, 4, 8])}.0)'
            return f'{name}({self.expr(kind, depth - 1)})'
        if what == 'round':
            name = self.rng.choice(['floor', 'ceil'])
            return f'{name}({self.leaf(kind)} * {self.rng.choice(["0.25", "0.5", "0.125"])})'
        if what == 'convert':
            if size == 1:
                return self.rng.choice([f'float({self.int_expr(1)})', f'float({self.condition(1)})',
                                        f'float(int({self.leaf("float")} * 0.5))'])
            return self.rng.choice([f'{kind}(i{kind}({self.leaf(kind)} * 0.25))', f'{kind}({self.bool_vector(size)})'])
        if what == 'dot' and size == 1:
            k = self.rng.choice(FLOATS[1:])
            return f'dot({self.leaf(k)}, {self.leaf(k)})'
        if what == 'matrix' and size > 1 and self.variables(f'mat{size}'):
            m = self.rng.choice(self.variables(f'mat{size}'))
            return self.rng.choice([f'({m} * {self.leaf(kind)})', f'({self.leaf(kind)} * {m})'])
        if what == 'call':
            fitting = [f for f in self.functions if f[1] == kind]
            if fitting:
                return self.call(self.rng.choice(fitting))
        return self.leaf(kind)

    def int_leaf(self):
        names = self.variables('int') + self.variables('counter')
        what = self.rng.choice(['name', 'name', 'name', 'uniform', 'input', 'literal', 'struct'])
        if what == 'struct' and self.variables('S'):
            return self.rng.choice(self.variables('S')) + '.i'
        if what == 'name' and names:
            return self.rng.choice(names)
        if what == 'uniform':
            return f'n{self.rng.randrange(3)}'
        if what == 'input':
            return 'in_i'
        return f'({self.rng.randrange(-7, 8)})'

    def int_expr(self, depth=2):
        what = self.rng.choice(['leaf', 'sum', 'sum', 'product', 'divide', 'select', 'convert'])
        if depth == 0 or what == 'leaf':
            return self.int_leaf()
        if what == 'sum':
            return f'({self.int_expr(depth - 1)} {self.rng.choice("+-")} {self.int_expr(depth - 1)})'
        if what == 'product':
            return f'({self.int_leaf()} * {self.int_leaf()})'
        if what == 'divide':
            divisor = self.rng.choice(['2', '3', '(-3)', '5', '7', '(n0 + 1)', '(in_i + 1)'])
            return f'({self.int_leaf()} * {self.int_leaf()} / {divisor})'
        if what == 'select':
            return f'({self.condition(1)} ? {self.int_leaf()} : {self.int_leaf()})'
        return f'int({self.leaf("float")} * {self.rng.choice(["0.5", "0.25", "1.0"])})'

    def bool_vector(self, size):
        kind = f'vec{size}'
        name = self.rng.choice(['lessThan', 'lessThanEqual', 'greaterThan', 'greaterThanEqual', 'equal', 'notEqual'])
        text = f'{name}({self.leaf(kind)}, {self.leaf(kind)})'
        return f'not({text})' if self.rng.random() < 0.2 else text

    def condition(self, depth=2):
        what = self.rng.choice(['float', 'float', 'int', 'int', 'logic', 'bool', 'vector', 'equal', 'not'])
        if what == 'logic' and depth:
            return f'({self.condition(depth - 1)} {self.rng.choice(["&&", "||", "^^"])} {self.condition(depth - 1)})'
        if what == 'not' and depth:
            return f'!({self.condition(depth - 1)})'
        if what == 'bool':
            return self.rng.choice(['b0'] + self.variables('bool'))
        if what == 'vector':
            return f'{self.rng.choice(["any", "all"])}({self.bool_vector(self.rng.choice([2, 3, 4]))})'
        if what == 'equal':
            kind = self.rng.choice(FLOATS[1:])
            return f'({self.leaf(kind)} {self.rng.choice(["==", "!="])} {self.leaf(kind)})'
        relation = self.rng.choice(['<', '<=', '>', '>=', '==', '!='])
        if what == 'int':
            return f'({self.int_leaf()} {relation} {self.int_expr(1)})'
        return f'({self.leaf("float")} {relation} {self.expr("float", 1)})'

    def call(self, function):
        name, _, parameters, _ = function
        arguments = []
        for qualifier, kind in parameters:
            if qualifier == 'in':
                arguments.append(self.int_leaf() if kind == 'int' else self.leaf(kind))
            else:
                targets = self.variables(kind, writable=True)
                if not targets:
                    return self.leaf(function[1])
                arguments.append(self.rng.choice(targets))
        if len(set(a for a, p in zip(arguments, parameters) if p[0] != 'in')) < sum(p[0] != 'in' for p in parameters):
            return self.leaf(function[1])
        # what a call writes must not be read in the same expression: the order is not defined
        if any(p[0] != 'in' for p in parameters):
            self.scopes[-1].append((function[1], self.store(function[1], f'{name}({", ".join(arguments)})'), True))
            return self.scopes[-1][-1][1]
        return f'{name}({", ".join(arguments)})'

    def store(self, kind, text):
        name = self.name('r')
        self.emit(f'{kind} {name} = {text};')
        return name

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, statements):
        self.scopes.append([])
        self.indent += 1
        for _ in range(statements):
            self.statement()
        self.indent -= 1
        self.scopes.pop()

    def assignment(self):
        what = self.rng.choice(['vector', 'vector', 'swizzle', 'swizzle', 'int', 'bool', 'array', 'struct', 'component',
                                'matrix'])
        if what == 'swizzle':
            found = [(k, n) for k in FLOATS[1:] for n in self.variables(k, True)]
            if found:
                kind, name = self.rng.choice(found)
                count = self.rng.randrange(1, SIZES[kind] + 1)
                mask = self.rng.sample('xyzw'[:SIZES[kind]], count)
                text = self.expr(FLOATS[count - 1])
                return self.emit(f'{name}.{"".join(mask)} = wrapf({text});')
        if what == 'component':
            found = [(k, n) for k in FLOATS[1:] for n in self.variables(k, True)]
            if found:
                kind, name = self.rng.choice(found)
                text = self.expr('float')
                return self.emit(f'{name}[{self.index(SIZES[kind])}] = wrapf({text});')
        if what == 'int' and self.variables('int', True):
            text = self.int_expr()
            return self.emit(f'{self.rng.choice(self.variables("int", True))} = wrapi({text});')
        if what == 'bool' and self.variables('bool', True):
            text = self.condition()
            return self.emit(f'{self.rng.choice(self.variables("bool", True))} = {text};')
        if what == 'array' and self.variables('array', True):
            text = self.expr('vec4')
            return self.emit(f'{self.rng.choice(self.variables("array", True))}[{self.index(3)}] = wrapf({text});')
        if what == 'struct' and self.variables('S', True):
            s = self.rng.choice(self.variables('S', True))
            if self.rng.random() < 0.3:
                return self.emit(f'{s}.i = wrapi({self.int_expr()});')
            if self.rng.random() < 0.3:
                return self.emit(f'{s}.a[{self.index(2)}] = wrapf({self.expr("float")}); {s}.f = {s}.a[{self.index(2)}];')
            return self.emit(f'{s}.v = wrapf({self.expr("vec3")});')
        if what == 'matrix':
            found = [(m, n) for m in MATRICES for n in self.variables(m, True)]
            if found:
                m, n = self.rng.choice(found)
                rows = int(m[3])
                text = self.expr(f'vec{rows}')
                return self.emit(f'{n}[{self.index(rows)}] = wrapf({text});')
        found = [(k, n) for k in FLOATS for n in self.variables(k, True)]
        kind, name = self.rng.choice(found)
        text = self.expr(kind)
        if self.rng.random() < 0.3:
            return self.emit(f'{name} += {text}; {name} = wrapf({name});')
        return self.emit(f'{name} = wrapf({text});')

    def declaration(self, what=None):
        what = what or self.rng.choice(FLOATS + ['int', 'bool', 'matrix', 'array', 'S'])
        if what == 'int':
            self.declare('int', f'wrapi({self.int_expr()})')
        elif what == 'bool':
            self.declare('bool', self.condition())
        elif what == 'matrix':
            m = self.rng.choice(MATRICES)
            self.matrix(m)
        elif what == 'array' and self.arrays:
            values = [f'wrapf({self.expr("vec4", 1)})' for _ in range(3)]
            name = self.name('array')
            self.emit(f'vec4 {name}[3];')
            for i, v in enumerate(values):
                self.emit(f'{name}[{i}] = {v};')
            self.scopes[-1].append(('array', name, True))
        elif what == 'S' and self.structs:
            fields = [('v', f'wrapf({self.expr("vec3", 1)})'), ('f', self.leaf('float')), ('i', self.int_leaf())]
            name = self.name('s')
            self.emit(f'S {name};')
            for field, text in fields + [('a[0]', f'{name}.f'), ('a[1]', f'{name}.v.x')]:
                self.emit(f'{name}.{field} = {text};')
            self.scopes[-1].append(('S', name, True))
        elif what in FLOATS:
            self.declare(what, f'wrapf({self.expr(what)})')
        else:
            self.declare('vec4', f'wrapf({self.expr("vec4")})')

    def matrix(self, m):
        rows = int(m[3])
        vec = f'vec{rows}'
        others = [n for n in self.variables(m)]
        what = self.rng.choice(['columns', 'scalar', 'product', 'other'])
        if what == 'product' and len(others) >= 1:
            a, b = self.rng.choice(others), self.rng.choice(others)
            name = self.declare(m, self.rng.choice([f'{a} * {b}', f'matrixCompMult({a}, {b})', f'{a} + {b}']))
            for i in range(rows):
                self.emit(f'{name}[{i}] = wrapf({name}[{i}]);')
        elif what == 'scalar':
            self.declare(m, f'{m}({self.leaf("float")})')
        elif what == 'other' and self.variables('vec4'):
            self.declare(m, f'{m}({", ".join(self.leaf("float") for _ in range(rows * rows))})')
        else:
            self.declare(m, f'{m}({", ".join(self.leaf(vec) for _ in range(rows))})')

    def conditional(self):
        self.emit(f'if ({self.condition()}) {{')
        self.block(self.rng.randrange(1, 3))
        if self.rng.random() < 0.5:
            self.emit('} else {')
            self.block(self.rng.randrange(1, 3))
        self.emit('}')

    def jump(self):
        word = self.rng.choice(['break', 'continue'])
        self.emit(f'if ({self.condition()}) {{')
        if self.rng.random() < 0.4:
            self.block(1)
        self.emit(f'   {word};')
        self.emit('}')

    def length(self):
        """(what ends a loop, at most)"""
        kind = self.rng.choice(['constant', 'uniform', 'input'] if self.stage == 'vertex' else
                               ['constant', 'uniform', 'uniform', 'input'])
        if kind == 'constant':
            n = self.rng.randrange(1, 5)
            return str(n), n
        if kind == 'uniform':
            return f'n{self.rng.randrange(3)}', 6
        if self.stage == 'vertex':
            return 'in_i', 7
        return 'in_few', 3

    def loop(self):
        end, most = self.length()
        if self.copies * most > (48 if self.stage == 'vertex' else 6):
            return self.assignment()
        kind = self.rng.choice(['for', 'for', 'while', 'do'])
        counter = self.name('i')
        self.scopes.append([('counter', counter, False)])
        self.loops += 1
        self.copies *= most
        jumps = self.rng.random() < 0.5
        if kind == 'for':
            start, step = ('0', f'{counter}++') if self.rng.random() < 0.7 else ('1', f'++{counter}')
            self.emit(f'for (int {counter} = {start}; {counter} < {end}; {step}) {{')
        else:
            self.emit(f'int {counter} = 0;')
            self.emit(f'while ({counter} < {end}) {{' if kind == 'while' else 'do {')
            self.emit(f'   {counter}++;')
        statements = self.rng.randrange(1, 3)
        for i in range(statements):
            self.block(1)
            if jumps and self.rng.random() < 0.6:
                self.indent += 1
                self.scopes.append([])
                self.jump()
                self.scopes.pop()
                self.indent -= 1
        self.emit(f'}} while ({counter} < {end});' if kind == 'do' else '}')
        self.loops -= 1
        self.copies //= most
        self.scopes.pop()

    def statement(self):
        # what a statement declares outside of its block is not known behind it
        roll = self.rng.random()
        if roll < 0.18 and self.loops < 3 and self.indent < 5:
            self.loop()
        elif roll < 0.34 and self.indent < 5:
            self.conditional()
        elif roll < 0.55:
            self.declaration()
        else:
            self.assignment()

    def function(self):
        """A function of its own names."""
        inner = Structured(self.rng, self.stage, 2)
        inner.structs, inner.arrays = self.structs, False
        inner.names = self.names + 100 * (len(self.functions) + 1)
        inner.copies = 3
        inner.functions = list(self.functions)
        parameters, declared = [], []
        for _ in range(self.rng.randrange(1, 4)):
            qualifier = self.rng.choice(['in', 'in', 'inout', 'out'])
            kind = self.rng.choice(FLOATS + ['int'])
            name = inner.name('p')
            parameters.append((qualifier, kind))
            declared.append(f'{qualifier} {kind} {name}')
            inner.scopes[0].append((kind, name, True))
        result = self.rng.choice(FLOATS)
        for (qualifier, kind), text in zip(parameters, declared):
            if qualifier == 'out':
                inner.emit(f'{text.split()[-1]} = {"1" if kind == "int" else kind + "(2.0)"};')
        inner.declare(result, inner.leaf(result))
        inner.statement()
        if self.rng.random() < 0.6:
            inner.emit(f'if ({inner.condition()}) {{')
            inner.block(1)
            inner.emit(f'   return wrapf({inner.expr(result, 1)});')
            inner.emit('}')
            inner.statement()
        if self.rng.random() < 0.3 and self.stage == 'vertex':
            inner.emit('for (int q = 0; q < n0; q++) {')
            inner.emit(f'   if ({inner.condition()}) return wrapf({inner.leaf(result)});')
            inner.emit('}')
        for (qualifier, kind), text in zip(parameters, declared):
            if qualifier != 'in':
                wrap = 'wrapi' if kind == 'int' else 'wrapf'
                inner.emit(f'{text.split()[-1]} = {wrap}({text.split()[-1]});')
        inner.emit(f'return wrapf({inner.expr(result, 1)});')
        name = f'f{len(self.functions)}'
        text = f'{result} {name}({", ".join(declared)})\n{{\n' + '\n'.join(inner.lines) + '\n}\n'
        self.functions.append((name, result, parameters, text))

    def program(self):
        """The global part and the statements of main() that set "result" (components 0..1, multiples of 1/32)."""
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            self.function()
        for kind in ('vec4', 'float', 'int', self.rng.choice(FLOATS + MATRICES)):
            if kind == 'int':
                self.declare('int', f'wrapi({self.int_expr()})')
            elif kind in MATRICES:
                self.matrix(kind)
            else:
                self.declare(kind, f'wrapf({self.expr(kind)})')
        for kind, wanted in (('array', self.arrays), ('S', self.structs)):
            if wanted and self.rng.random() < 0.7:
                self.declaration(kind)
        for _ in range(self.size):
            self.statement()
        parts = ['0.0'] * 4
        for kind, name, _ in self.scopes[0]:
            at = self.rng.randrange(4)
            if kind in FLOATS:
                for c in range(SIZES[kind]):
                    parts[(at + c) % 4] += f' + {name}' + ('' if kind == 'float' else '.' + 'xyzw'[c])
            elif kind == 'int':
                parts[at] += f' + float({name})'
            elif kind == 'bool':
                parts[at] += f' + ({name} ? 3.0 : 0.0)'
            elif kind == 'array':
                parts[at] += f' + dot({name}[0] - {name}[1], vec4(1.0)) + {name}[2].y'
            elif kind == 'S':
                parts[at] += f' + {name}.v.x + {name}.f - {name}.v.z'
            elif kind in MATRICES:
                rows = int(kind[3])
                parts[at] += ''.join(f' + {name}[{i}][{(i + 1) % rows}]' for i in range(rows))
        self.emit(f'result = (wrapf(vec4({", ".join(parts)})) + 16.0) / 32.0;')
        text = HELPERS
        if self.structs:
            text += 'struct S { vec3 v; float f; int i; float a[2]; };\n'
        return text + ''.join(f[3] for f in self.functions), '\n'.join(self.lines)


# Inputs by the names that the statements use; declarations in front of main() so that functions see them.
GLOBALS = 'vec4 in_0, in_1, in_2;\nint in_i, in_few;\n'
ATTRIBUTES = 'attribute vec4 position, a0, a1, a2;\nattribute float ai;\n'


def vertex_program(rng):
    """The result goes through varyings of a kind that is drawn, too."""
    s = Structured(rng, 'vertex', rng.randrange(3, 9))
    functions, body = s.program()
    how = rng.choice(['plain', 'array', 'matrix', 'parts', 'index'])
    varying, write, read = {
        'plain': ('varying vec4 color;', 'color = result;', 'color'),
        'array': ('varying vec2 color[2];', 'color[0] = result.xy; color[1] = result.zw;', 'vec4(color[0], color[1])'),
        'matrix': ('varying mat2 color;', 'color = mat2(result);', 'vec4(color[0], color[1])'),
        'parts': ('varying float red; varying vec3 other;', 'red = result.x; other = result.yzw;', 'vec4(red, other)'),
        'index': ('varying float color[4];',
                  'for (int i = 0; i < 4; i++) color[below(i + in_i, 4)] = result[below(i + in_i, 4)];',
                  'vec4(color[0], color[1], color[2], color[3])'),
    }[how]
    vs = (UNIFORMS + ATTRIBUTES + varying + '\n' + GLOBALS + functions + 'void main()\n{\n   gl_Position = position;\n'
          '   in_0 = floor(a0 * 15.0); in_1 = floor(a1 * 15.0); in_2 = floor(a2 * 15.0);\n   in_i = int(ai);\n'
          '   in_few = in_i / 2;\n   vec4 result;\n' + body + f'\n   {write}\n}}\n')
    fs = f'precision mediump float;\n{varying}\nvoid main() {{ gl_FragColor = {read}; }}\n'
    return vs, fs


def fragment_program(rng):
    s = Structured(rng, 'fragment', rng.randrange(1, 4))
    functions, body = s.program()
    varyings = 'varying vec4 v0, v1, v2;\nvarying float vi;\n'
    vs = (ATTRIBUTES + varyings + 'void main()\n{\n   gl_Position = position;\n   v0 = a0; v1 = a1; v2 = a2; vi = ai;\n}\n')
    fs = ('precision highp float;\n' + UNIFORMS + varyings + GLOBALS + functions + 'void main()\n{\n'
          '   in_0 = floor(v0 * 15.0 + 0.03); in_1 = floor(v1 * 15.0 + 0.03); in_2 = floor(v2 * 15.0 + 0.03);\n'
          '   in_i = int(vi + 0.5);\n   in_few = in_i / 2;\n   vec4 result;\n' + body + '\n   gl_FragColor = result;\n}\n')
    return vs, fs
