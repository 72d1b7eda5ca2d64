# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fragment programs of piglit's shader tests for the differential test.

extract(directory, limit) writes DIR/piglit-N.vert, .frag and .shader_test for each test of shader-db's list whose
fragment stage is a single shader that reads nothing but varyings, uniforms and 2D textures.  The vertex program is
ours: every component of every varying is one of the twelve values that differential.c lets change linearly over the
target.  Returns {name: (path in piglit, is it GLSL ES?)}.  Programs with the same text are taken once.
"""

import importlib.util
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {'float': 1, 'vec2': 2, 'vec3': 3, 'vec4': 4, 'mat2': 4, 'mat3': 9, 'mat4': 16}
BUILTINS = {'gl_Color': 'gl_FrontColor', 'gl_SecondaryColor': 'gl_FrontSecondaryColor',
            'gl_FogFragCoord': 'gl_FogFragCoord'}
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
            value = inputs.take(1) if 'Fog' in builtin else 'vec4(%s)' % inputs.take(4)
            statements.append('   %s = %s;' % (output, value))
    coordinates = sorted(set(re.findall(r'\bgl_TexCoord\s*\[\s*(\w+)\s*\]', code)))
    if not all(c.isdigit() for c in coordinates):
        return None
    statements += ['   gl_TexCoord[%s] = vec4(%s);' % (c, inputs.take(4)) for c in coordinates]
    precision = 'precision highp float;\n' if is_es else ''
    version = re.search(r'^\s*#\s*version[^\n]*\n', fragment, re.M)
    return ((version[0].lstrip() if version else '') + precision + 'attribute vec4 position, a0, a1, a2;\n'
            + '\n'.join(declarations) + '\nvoid main() {\n   gl_Position = position;\n' + '\n'.join(statements) + '\n}\n')


def extract(directory, limit=None):
    found, texts = {}, set()
    for path in load_shader_db().piglit_programs():
        with open(path, encoding='utf-8', errors='replace') as file:
            parts = sections(file.read())
        fragments = [body for name, body in parts if name == 'fragment shader']
        if any(os.path.basename(path).startswith(name) for name in UNDEFINED):
            continue
        if len(fragments) != 1 or any(name.startswith(('geometry', 'tess', 'compute')) for name, _ in parts):
            continue
        fragment = fragments[0]
        if fragment in texts or UNSUITABLE.search(without_comments(fragment)):
            continue
        require = ''.join(body for name, body in parts if name == 'require')
        is_es = re.search(r'GLSL ES', require) is not None
        if re.search(r'GLSL\s*>=\s*1\.20', require) and not re.search(r'^\s*#\s*version', fragment, re.M):
            fragment = '#version 120\n' + fragment  # as piglit's runner does
        vertex = vertex_shader(fragment, is_es)
        if vertex is None:
            continue
        texts.add(fragment)
        name = 'piglit-%04d' % len(found)
        found[name] = (path, is_es)
        require = 'GLSL ES >= 1.00' if is_es else 'GLSL >= 1.20'
        files = {'vert': vertex, 'frag': fragment,
                 'shader_test': '[require]\n%s\n[vertex shader]\n%s\n[fragment shader]\n%s' % (require, vertex, fragment)}
        for suffix, text in files.items():
            with open(os.path.join(directory, name + '.' + suffix), 'w', encoding='utf-8') as file:
                file.write(text)
        if len(found) == limit:
            break
    return found
