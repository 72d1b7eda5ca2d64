# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fragment programs of piglit's shader tests for the differential test.

extract(directory, limit) writes DIR/piglit-N.vert, .frag and .shader_test for each test of shader-db's list whose
fragment stage is a single shader that reads nothing but varyings, uniforms and 2D textures.  The vertex program is
ours: every component of every varying is one of the twelve values that differential.c lets change linearly over the
target.  Returns {name: (path in piglit, is it GLSL ES?)}.  Programs with the same text are taken once.

Most of the tests compare a result with an expected value and draw green or red.  With other inputs than the test's own
that is always red, whatever the compiler does.  So showing() rewrites them: the colour becomes the result itself,
squeezed into 0..1, and floating-point arguments become varyings, so that each pixel has other ones.  All other uniforms
get the values that the test gives them (DIR/piglit-N.uniforms).
"""

import hashlib
import importlib.util
import os
import re

import heavy

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {'float': 1, 'vec2': 2, 'vec3': 3, 'vec4': 4, 'mat2': 4, 'mat3': 9, 'mat4': 16,
         **{'mat%dx%d' % (c, r): c * r for c in (2, 3, 4) for r in (2, 3, 4)}}
BUILTINS = {'gl_Color': 'gl_FrontColor', 'gl_SecondaryColor': 'gl_FrontSecondaryColor', 'gl_FogFragCoord': 'gl_FogFragCoord'}
# What depends on more than the program and its inputs, or what the test has no input for.
UNSUITABLE = re.compile(r'\b(dFdx|dFdy|fwidth|gl_FragCoord|gl_PointCoord|gl_FrontFacing|gl_LastFragData|gl_FragDepth'
                        r'|gl_FragData|sampler[13]D|samplerCube|sampler\w*Shadow|sampler2DRect|gl_Fog\b|gl_\w*Matrix\w*'
                        r'|gl_Light\w+|gl_TextureEnv\w+|gl_(?:Front|Back)(?:Material|Light\w+)|gl_Point|gl_DepthRange'
                        r'|gl_ClipPlane|gl_ObjectPlane\w*|gl_NormalScale|noise\d)\b|^\s*#\s*include'
                        r'|\binout\s+vec4\s+\w+\s*;', re.M)


# Tests whose colour the specification leaves undefined without saying so in a way that a program could see.
UNDEFINED = {
    'fs-op-div-int-ivec2': 'divides integers by zero',
    'fs-op-assign-div-ivec2-': 'divides integers by zero',
    'fs-loop-unrolled-divide-by-zero': 'divides integers by zero',
    'fs-mat4-out-of-bounds-': 'reads beyond a matrix',
}


def load_shader_db():
    spec = importlib.util.spec_from_file_location('shader_db', os.path.join(HERE, '..', 'shader-db', 'shader-db.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sections(text):
    parts = re.split(r'^\[([^\]]+)\][ \t]*\n', text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def without_comments(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S)


class Inputs:
    """Values for components, in turn."""

    def __init__(self):
        self.next = 0

    def take(self, count):
        names = []
        for _ in range(count):
            names.append('a%d.%s' % (self.next // 4 % 3, 'xyzw'[self.next % 4]))
            self.next += 5
        return ', '.join(names)


def vertex_shader(fragment, is_es):
    """The text, or None when a varying has a type that is not known."""
    inputs, declarations, statements = Inputs(), [], []
    code = without_comments(fragment)
    pattern = r'^\s*((?:invariant\s+|centroid\s+)*varying\s+(?:lowp\s+|mediump\s+|highp\s+)?(\w+)\s+([^;]+);)'
    for declaration, kind, names in re.findall(pattern, code, re.M):
        if kind not in SIZES:
            return None
        declarations.append(declaration)
        for name in names.split(','):
            match = re.fullmatch(r'\s*(\w+)\s*(?:\[\s*(\d+)\s*\])?\s*', name)
            if not match:
                return None
            for i in range(int(match[2] or 1)):
                element = match[1] + ('[%d]' % i if match[2] else '')
                statements.append('   %s = %s(%s);' % (element, kind, inputs.take(SIZES[kind])))
    if len(re.findall(r'\bvarying\b', code)) != len(declarations):
        return None
    for builtin, output in BUILTINS.items():
        if re.search(r'\b%s\b' % builtin, code):
            # colours of vertices are clamped, here nothing is
            value = inputs.take(1) if 'Fog' in builtin else 'vec4(%s) * 0.5 + 0.5' % inputs.take(4)
            statements.append('   %s = %s;' % (output, value))
    coordinates = sorted(set(re.findall(r'\bgl_TexCoord\s*\[\s*(\w+)\s*\]', code)))
    if not all(c.isdigit() for c in coordinates):
        return None
    statements += ['   gl_TexCoord[%s] = vec4(%s);' % (c, inputs.take(4)) for c in coordinates]
    precision = 'precision highp float;\n' if is_es else ''
    version = re.search(r'^\s*#\s*version[^\n]*\n', fragment, re.M)
    return ((version[0].lstrip() if version else '') + precision + 'attribute vec4 position, a0, a1, a2;\n'
            + '\n'.join(declarations) + '\nvoid main() {\n   gl_Position = position;\n' + '\n'.join(statements) + '\n}\n')


# "condition ? green : red": what is compared, with a uniform of the expected value.
GREEN, RED = (r'vec4\s*\(\s*%s(?:\.0)?\s*,\s*%s(?:\.0)?\s*,\s*0(?:\.0)?\s*,\s*1(?:\.0)?\s*\)' % c
              for c in (('0', '1'), ('1', '0')))
COMPARED = [re.compile(r'(?P<left>\b(?:gl_FragColor|color)\s*=\s*)%s\s*\?\s*%s\s*:\s*%s\s*;' % (condition, GREEN, RED))
            for condition in (r'\(?\s*distance\s*\((?P<value>.*),\s*(?P<name>expect(?:ed)?)\s*\)\s*<=\s*tolerance\s*\)?',
                              r'\(?\s*distanceSqr\s*\((?P<value>.*),\s*(?P<name>expect)\s*\)\s*<\s*[\w.+-]+\s*\)?',
                              r'\(?\s*(?P<value>[^;?]*?)\s*==\s*(?P<name>expect(?:ed)?)\b\s*\)?',
                              r'(?P<name>error_sq) <= tolerance \* tolerance(?P<value>)')]
# Fragment programs that only hand on what the vertex program computed.
COPIES = re.compile(r'void\s+main\s*\((?:void)?\)\s*\{\s*gl_FragColor\s*=\s*\w+\s*;\s*\}')
# Functions that are only defined, or only finite, for some arguments.
POSITIVE = re.compile(r'\b(sqrt|inversesqrt|log|log2|pow)\s*\(')


def declared_type(code, name):
    match = re.search(r'\b(float|int|bool|[ib]?vec[234]|mat[234](?:x[234])?)\s+%s\b\s*[;=]' % name, code)
    return match[1] if match else None


def shown(kind, value):
    """An expression of type vec4 in 0..1 that shows every component of the value; columns have different weights."""
    if kind.startswith('mat'):
        columns, rows = int(kind[3]), kind[-1]
        parts = ['%.4f * (%s - 0.5)' % (0.4 - 0.08 * i, shown('vec' + rows, '(%s)[%d]' % (value, i))) for i in range(columns)]
        return '(0.5 + ' + ' + '.join(parts) + ')'
    size = int(kind[-1]) if kind[-1].isdigit() else 1
    vector = 'vec4(%s%s)' % (value, ', 0.25' * (4 - size))
    return '(0.5 + 0.5 * %s / (1.0 + abs(%s)))' % (vector, vector)


def showing(text, qualifier):
    """The program with its result as colour, or None when it does not compare a result with an expected value."""
    code = without_comments(text)
    for pattern in COMPARED:
        match = pattern.search(code)
        if not match:
            continue
        value = match['value'] or 'result'
        kind = declared_type(code, match['name'] if match['value'] else 'result')
        if not kind or code.count(match[0]) != 1:
            return None
        code = code.replace(match[0], match['left'] + shown(kind, value) + ';')
        return with_varying_arguments(code, qualifier)
    return None


def with_varying_arguments(code, qualifier):
    """Floating-point arguments as varyings or attributes; positive ones where the function asks for them."""
    positive = POSITIVE.search(code)
    for declaration, name in re.findall(r'(\buniform\s+(?:float|vec[234]|mat[234](?:x[234])?)\s+(arg\d)\s*;)', code):
        head, tail = code.split(declaration, 1)
        if positive:
            tail = re.sub(r'\b%s\b' % name, '(0.125 + abs(%s))' % name, tail)
        code = head + declaration.replace('uniform', qualifier) + tail
    return code


def test_uniforms(parts):
    """The first values that the test gives each uniform: lines "NAME VALUE..."."""
    values = {}
    for name, body in parts:
        for line in body.split('\n') if name == 'test' else []:
            match = re.match(r'\s*uniform\s+(\w+)\s+([\w.\[\]]+)\s+(.*)', line)
            if match and not match[1].startswith('handle'):
                values.setdefault(match[2], match[3].split('#')[0].strip())
    return ''.join('%s %s\n' % item for item in values.items())


def sample(paths):
    """All paths in an order that mixes the directories: any first part of them is a fair sample."""
    return sorted(paths, key=lambda path: hashlib.sha256(os.path.basename(path).encode()).digest())


def extract(directory, limit=None):
    found, texts = {}, set()
    for path in sample(load_shader_db().piglit_programs()):
        with open(path, encoding='utf-8', errors='replace') as file:
            parts = sections(file.read())
        fragments = [body for name, body in parts if name == 'fragment shader']
        if any(os.path.basename(path).startswith(name) for name in UNDEFINED):
            continue
        if len(fragments) != 1 or any(name.startswith(('geometry', 'tess', 'compute')) for name, _ in parts):
            continue
        if any(name == 'test' and re.search(r'^\s*link error', body, re.M) for name, body in parts):
            continue  # its colour may be undefined: nothing is drawn with it
        fragment = fragments[0]
        if fragment in texts or UNSUITABLE.search(without_comments(fragment)):
            continue
        require = ''.join(body for name, body in parts if name == 'require')
        is_es = re.search(r'GLSL ES', require) is not None
        if re.search(r'GLSL\s*>=\s*1\.20', require) and not re.search(r'^\s*#\s*version', fragment, re.M):
            fragment = '#version 120\n' + fragment  # as piglit's runner does
        shown_fragment = showing(fragment, 'varying')
        if shown_fragment in texts or not shown_fragment and COPIES.search(without_comments(fragment)):
            continue
        fragment = shown_fragment or fragment
        vertex = vertex_shader(fragment, is_es)
        if vertex is None:
            continue
        texts.add(fragment)
        name = 'piglit-%04d' % len(found)
        found[name] = (path, is_es)
        require = 'GLSL ES >= 1.00' if is_es else 'GLSL >= 1.20'
        files = {'vert': vertex, 'frag': fragment, 'uniforms': test_uniforms(parts),
                 'shader_test': '[require]\n%s\n[vertex shader]\n%s\n[fragment shader]\n%s' %
                                (require, heavy.with_all_attributes(vertex), fragment)}
        for suffix, text in files.items():
            with open(os.path.join(directory, name + '.' + suffix), 'w', encoding='utf-8') as file:
                file.write(text)
        if len(found) == limit:
            break
    return found
