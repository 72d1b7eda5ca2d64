# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""One-line bugs of C and Python sources that nobody wrote by hand.

candidates(path, text) lists them as Mutation objects.  Kinds: "operator" puts another operator, "constant" another number,
"condition" negates what an if asks, "statement" leaves out an assignment, a call, a break or a continue, "arguments" exchanges
two neighbours of a call.  What only reports (assert, messages on stderr) is left alone.
"""

import ast
import collections
import re

# kind, path, start and end of the text that is replaced, the text in its place
Mutation = collections.namedtuple('Mutation', 'kind path start end new')

OPERATORS = {'+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '^': '|', '&&': '||',
             '||': '&&', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '+=': '-=', '-=': '+=', '|=': '&=',
             '&=': '|=', '<<=': '>>=', '>>=': '<<='}
ASSIGNMENTS = re.compile(r'[-+*/%&|^]?=$|<<=|>>=|\+\+|--')
KEYWORDS = {'if', 'while', 'for', 'switch', 'return', 'sizeof', 'case', 'default', 'else', 'do', 'goto', 'typedef', 'static',
            'const', 'struct', 'union', 'enum', 'unsigned', 'signed', 'void', 'char', 'short', 'int', 'long', 'float', 'double',
            'bool'}
REPORTS = re.compile(r'\b(assert|static_assert|STATIC_ASSERT|unreachable|mesa_log\w*|perror|debug_printf|fprintf\(stderr|'
                     r'sys\.stderr|print\(.*file=)')
COMMUTE = {'calloc', 'CALLOC', 'MIN2', 'MAX2', 'V3D_MIN', 'V3D_MAX', 'fmin', 'fmax', 'fminf', 'fmaxf', 'min', 'max', 'nir_fadd',
           'nir_fmul', 'nir_iadd', 'nir_imul', 'nir_iand', 'nir_ior'}
TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|0[xX][\da-fA-F.]+[pP][-+]?\d+[fF]?|
                   "(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|0[xX][0-9a-fA-F]+[uUlL]*|
                   (?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fFuUlL]*|[A-Za-z_]\w*|<<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||
                   [^\s\w]''', re.S | re.X)
DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.M)
CLOSING = {'(': ')', '[': ']', '{': '}'}


def other_number(text):
    """Another number of the same type, or None."""
    match = re.fullmatch(r'(0[xX][0-9a-fA-F]+|\d+\.\d*|\.\d+|\d+)([fFuUlL]*)', text)
    if not match:
        return None
    digits, suffix = match.groups()
    if digits[:2].lower() == '0x':
        return f'0x{int(digits, 16) + 1:x}{suffix}'
    if '.' in digits:
        return f'{float(digits) * 2 or 1.0}{suffix}'
    return None if len(digits) > 1 and digits[0] == '0' else f'{int(digits) + 1}{suffix}'


class Source:
    """The tokens of a C file, which of them close which, and which are inside of functions."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        blank = DIRECTIVE.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), text)
        self.spans = [m.span() for m in TOKEN.finditer(blank) if not m[0].startswith(('//', '/*'))]
        self.tokens = [blank[a:b] for a, b in self.spans]
        self.partner, stack = {}, []
        for at, token in enumerate(self.tokens):
            if token in CLOSING:
                stack.append(at)
            elif token in ')]}' and stack:
                self.partner[stack[-1]] = at
                stack.pop()
        self.functions = []  # (first, last token) of bodies
        self.opening = {closing: opening for opening, closing in self.partner.items()}
        at = 0
        while at < len(self.tokens):
            if self.tokens[at] in CLOSING:
                end = self.partner.get(at, len(self.tokens))
                if self.tokens[at] == '{' and at and self.tokens[at - 1] == ')':
                    self.functions.append((at, end))
                elif self.tokens[at] == '{' and at and self.tokens[at - 1] == '=':
                    self.functions.append((at, end))  # a table: its constants
                at = end
            at += 1

    def replace(self, kind, first, last, new):
        return Mutation(kind, self.path, self.spans[first][0], self.spans[last][1], new)

    def of(self, first, last):
        return self.text[self.spans[first][0]:self.spans[last][1]]

    def is_spaced(self, at):
        start, end = self.spans[at]
        return self.text[start - 1] in ' \n' and self.text[end] in ' \n'

    def statement_end(self, at):
        """The ";" of the statement that begins at a token, or None where a block or a list comes first."""
        while at < len(self.tokens) and self.tokens[at] != ';':
            if self.tokens[at] in ('{', '}'):
                return None
            at = self.partner.get(at, at) + 1
        return at if at < len(self.tokens) else None

    def statement(self, at):
        """Without it, where an assignment, a call or a jump begins."""
        token, following = self.tokens[at], self.tokens[at + 1] if at + 1 < len(self.tokens) else ''
        end = self.statement_end(at)
        before = self.tokens[at - 1]
        label = before == ':' and {'case', 'default'} & set(self.tokens[at - 5:at])
        if end is None or not label and before not in (';', '{', '}', ')', 'else'):
            return
        if token in ('break', 'continue') or token == '*' or re.match(r'[A-Za-z_]', token) and token not in KEYWORDS and (
                following in ('(', '[', '.', '->') or ASSIGNMENTS.match(following)):
            if before != ')' or self.is_condition(at - 1):
                yield self.replace('statement', at, end, ';')

    def is_condition(self, closing):
        opening = self.opening.get(closing, 0)
        return self.tokens[opening - 1] in ('if', 'while', 'for') or self.tokens[opening - 1].isupper()

    def arguments(self, at):
        """Neighbours of the call whose "(" it is."""
        end, starts = self.partner[at], [at + 1]
        inside = at + 1
        while inside < end:
            if self.tokens[inside] == ',':
                starts.append(inside + 1)
            inside = self.partner.get(inside, inside) + 1
        starts.append(end + 1)
        for a, b, c in zip(starts, starts[1:], starts[2:]):
            one, two = self.of(a, b - 2), self.of(b, c - 2)
            if one != two:
                yield self.replace('arguments', a, c - 2, f'{two}, {one}')

    def candidates(self):
        for first, last in self.functions:
            is_table = self.tokens[first - 1] == '='
            for at in range(first + 1, last):
                token = self.tokens[at]
                number = other_number(token)
                if number and self.tokens[at - 1] not in ('[', 'case'):
                    yield self.replace('constant', at, at, number)
                if is_table:
                    continue
                if token in OPERATORS and self.is_spaced(at):
                    yield self.replace('operator', at, at, OPERATORS[token])
                if token == '(' and at in self.partner:
                    before = self.tokens[at - 1]
                    if before == 'if':
                        yield self.replace('condition', at, self.partner[at], f'(!{self.of(at, self.partner[at])})')
                    elif re.match(r'[A-Za-z_]', before) and before not in KEYWORDS | COMMUTE and self.partner[at] > at + 1:
                        yield from self.arguments(at)
                yield from self.statement(at)


PYTHON_OPERATORS = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.FloorDiv: '//', ast.Mod: '%', ast.LShift: '<<',
                    ast.RShift: '>>', ast.BitAnd: '&',
                    ast.BitOr: '|', ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>',
                    ast.GtE: '>=', ast.In: 'in', ast.NotIn: 'not in', ast.Is: 'is', ast.IsNot: 'is not', ast.And: 'and',
                    ast.Or: 'or'}
PYTHON_OTHERS = {**OPERATORS, '//': '*', '%': '//', 'in': 'not in', 'not in': 'in', 'is': 'is not', 'is not': 'is', 'and': 'or',
                 'or': 'and'}


def python_candidates(path, text):
    starts = [0]
    for line in text.encode().split(b'\n'):
        starts.append(starts[-1] + len(line) + 1)
    data = text.encode()

    def place(node, end=False):
        line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return len(data[:starts[line - 1] + column].decode())

    def replace(kind, first, last, new):
        return Mutation(kind, path, place(first), place(last, True), new)

    def operator(operand, other, sign):
        """The operator between two operands."""
        begin, name = place(operand, True), PYTHON_OPERATORS.get(type(sign))
        found = name and re.match(rf'([\s)]*){re.escape(name)}(?=[\s(\w])', text[begin:place(other)])
        if found:
            yield Mutation('operator', path, begin + found.end(1), begin + found.end(), PYTHON_OTHERS[name])

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.BinOp) and not isinstance(node.left, ast.JoinedStr):
            yield from operator(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from operator(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.Compare):
            yield from operator(node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.Constant) and type(node.value) is int and other_number(text[place(node):place(node, True)]):
            yield replace('constant', node, node, other_number(text[place(node):place(node, True)]))
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield replace('condition', node.test, node.test, f'(not ({text[place(node.test):place(node.test, True)]}))')
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Continue, ast.Break)) or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            yield replace('statement', node, node, 'pass')
        if isinstance(node, ast.Call) and getattr(node.func, 'id', None) not in COMMUTE:
            for a, b in zip(node.args, node.args[1:]):
                one, two = text[place(a):place(a, True)], text[place(b):place(b, True)]
                if one != two and not isinstance(b, (ast.Starred, ast.GeneratorExp)):
                    yield replace('arguments', a, b, f'{two}, {one}')


def candidates(path, text):
    found = python_candidates(path, text) if path.endswith('.py') else Source(path, text).candidates()
    reports = [m.span() for m in re.finditer(rf'^.*(?:{REPORTS.pattern})(?:[^;\n]|\n(?=\s))*', text, re.M)]
    return [m for m in found if not any(a <= m.start < b for a, b in reports)]


def apply(mutation, text):
    """The text with the bug, of as many lines as before."""
    old = text[mutation.start:mutation.end]
    missing = old.count('\n') - mutation.new.count('\n')
    if mutation.path.endswith('.py'):
        return text[:mutation.start] + mutation.new + text[mutation.end:]
    return text[:mutation.start] + mutation.new + '\n' * missing + text[mutation.end:]


def describe(mutation, text):
    """"12: old -> new", of one line."""
    line = text.count('\n', 0, mutation.start) + 1
    old, new = (' '.join(part.split()) for part in (text[mutation.start:mutation.end], mutation.new))
    context = ' '.join(text.split('\n')[line - 1].split()) if mutation.kind in ('operator', 'constant') else old
    return f'{line}: {mutation.kind}: {context[:60]}: ' + (f'{old} -> {new}' if new != ';' and new != 'pass' else 'left out')[:90]
