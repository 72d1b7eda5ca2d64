# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Which features of GLSL are in programs that are compared, and which only in those that are not."""

import re

FEATURES = {
    'for': r'\bfor\b', 'while': r'\bwhile\b', 'do': r'\bdo\b', 'break': r'\bbreak\b', 'continue': r'\bcontinue\b',
    'loop until a comparison': r'\bbreak;|\bwhile *\((?!false)', 'if': r'\bif\b', 'else': r'\belse\b', 'selection': r'\?',
    'discard': r'\bdiscard\b', 'return in a branch': r'\bif\b[^;{]*\{?\s*return\b',
    'function': r'^\w+ (?!main)\w+\([^;]*\)\s*\{', 'out parameter': r'\b(in)?out \w+ \w+[,)]', 'struct': r'\bstruct\b',
    'array': r'\w\[\d+\];', 'index by variable': r'\[[a-z_(]', 'matrix': r'\bmat[234]\b', 'int': r'\bint \w',
    'integer division': r'\bint\b(.|\n)*[\w)] / [\w(]', 'bool': r'\bb(ool|vec[234]) \w',
    'relational function': r'\b(lessThan|greaterThan|equal|notEqual)\w*\(', 'any, all, not': r'\b(any|all|not)\(',
    'quotient': r'[\w)] / [a-z(]', 'floor, ceil, fract': r'\b(floor|ceil|fract)\(', 'mod': r'\bmod\(',
    'step': r'\bstep\(', 'smoothstep': r'\bsmoothstep\(', 'mix': r'\bmix\(', 'min, max, clamp': r'\b(min|max|clamp)\(',
    'abs, sign': r'\b(abs|sign)\(', 'sin, cos, tan': r'\b(sin|cos|tan)\(', 'asin, acos, atan': r'\b(asin|acos|atan)\(',
    'exp, log, pow': r'\b(exp2?|log2?|pow)\(', 'sqrt': r'\b(inverse)?sqrt\(',
    'length, normalize': r'\b(length|distance|normalize)\(', 'dot': r'\bdot\(', 'cross': r'\bcross\(',
    'reflect, refract, faceforward': r'\b(reflect|refract|faceforward)\(', 'texture': r'\btexture2D\(',
    'projected texture': r'\btexture2DProj\(', 'cube': r'\btextureCube\(', 'lod': r'\btexture\w+Lod\(',
    'gl_FragCoord': r'\bgl_FragCoord\b', 'gl_FrontFacing': r'\bgl_FrontFacing\b', 'gl_PointCoord': r'\bgl_PointCoord\b',
    'derivatives': r'\b(dFdx|dFdy|fwidth)\(',
}


def of_program(text):
    return {name for name, pattern in FEATURES.items() if re.search(pattern, text, re.M)}


def print_table(programs):
    """programs: [(text, whether it was compared)]"""
    found = [(of_program(text), compared) for text, compared in programs]
    rows = {name: [sum(name in features and compared is which for features, compared in found) for which in (True, False)]
            for name in FEATURES}
    print(f'{"feature":32} {"compared":>8} {"not":>6}')
    for name, (yes, no) in rows.items():
        if yes or no:
            print(f'{name:32} {yes:8} {no:6}' + ('' if yes else '  never compared'))
    print('in no program: ' + ', '.join(name for name, counts in rows.items() if not any(counts)))
