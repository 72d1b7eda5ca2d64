# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Vertex programs of piglit's shader tests for the differential test.

extract(directory, limit) writes DIR/piglit-vertex-N.vert and .frag for each test of shader-db's list whose vertex stage is a
single shader.  Its main() is called by ours, which gives it the attributes that differential.c has, one set per cell of
the grid, and makes a colour of everything it writes: the sum of x / (1 + |x|) over all outputs, which keeps any value
visible in 8 bits.  Programs that compare their result with an expected value show the result (piglit_programs.showing),
with arguments that are attributes.  Returns {name: (path in piglit, is it GLSL ES?)}.  Programs with the same text are
taken once.
"""

import os
import re

import piglit_programs

# One for the rounding to a byte of each side, one for interpolation in 13 bits.
BOUND = 3.0
BUILTIN_ATTRIBUTES = {'gl_Vertex': 'vec4', 'gl_Normal': 'vec3', 'gl_Color': 'vec4', 'gl_SecondaryColor': 'vec4',
                      'gl_FogCoord': 'float', **{f'gl_MultiTexCoord{i}': 'vec4' for i in range(8)}}
BUILTIN_OUTPUTS = {'gl_FrontColor': 'vec4', 'gl_BackColor': 'vec4', 'gl_FrontSecondaryColor': 'vec4',
                   'gl_BackSecondaryColor': 'vec4', 'gl_FogFragCoord': 'float', 'gl_PointSize': 'float'}
# Results that the specification leaves open, names that are not ours to change, and more than one stage.
UNSUITABLE = re.compile(r'\b(noise\d|ftransform|gl_ClipVertex|isnan|isinf|struct\s+\w*\s*\{[^}]*\}\s*varying|texture\w*)\b|'
                        r'^\s*#\s*(include|extension|define)|/\s*0\.0\b|\blayout\b', re.M)
DECLARATION = r'\b{}\s+(?:(?:lowp|mediump|highp)\s+)?(\w+)\s+([^;]+);'


# Tests that divide integers by uniforms, which may be zero here, or that are about values that are no numbers.
UNDEFINED = re.compile(r'-div-(int|ivec)|-mod-(int|ivec)|nan|inf\b')


def declared(code, qualifier):
    """[(type, name, array size or None)], or None when one is not of a type that is known."""
    found = []
    for kind, names in re.findall(DECLARATION.format(qualifier), code):
        for name in names.split(','):
            match = re.fullmatch(r'\s*(\w+)\s*(?:\[\s*(\d+)\s*\])?\s*', name)
            if not match or kind not in piglit_programs.SIZES:
                return None
            found.append((kind, match[1], int(match[2]) if match[2] else None))
    return found if len(re.findall(r'\b%s\b' % qualifier, code)) == len(re.findall(DECLARATION.format(qualifier), code)) else None


def encoded(kind, text):
    """Expressions of type vec4."""
    if kind.startswith('mat'):
        return [e for i in range(int(kind[3])) for e in encoded('vec' + kind[-1], f'{text}[{i}]')]
    size = piglit_programs.SIZES[kind]
    return [f'test_encode(vec4({text}{", 0.0" * (4 - size)}))']


def wrapped(code, is_es):
    """The whole vertex shader and the matching fragment shader, or None."""
    code = re.sub(r'\b(position|a[0-2]|ai|color)\b', r'piglit_\1', code)
    code = re.sub(r'\bmain\b', 'piglit_main', code)
    attributes, varyings = declared(code, 'attribute'), declared(code, 'varying')
    if attributes is None or varyings is None or any(size for _, _, size in attributes):
        return None
    inputs, before, after, globals_ = piglit_programs.Inputs(), [], [], []
    code = re.sub(DECLARATION.format('attribute'), '', code)
    for name, kind in BUILTIN_ATTRIBUTES.items():
        if re.search(r'\b%s\b' % name, code):
            code = re.sub(r'\b%s\b' % name, 'in_' + name[3:], code)
            attributes.append((kind, 'in_' + name[3:], None))
    for kind, name, _ in attributes:
        globals_.append(f'{kind} {name};')
        before.append(f'   {name} = {kind}({inputs.take(piglit_programs.SIZES[kind])});')
    outputs = encoded('vec4', 'gl_Position')
    for kind, name, size in varyings:
        for element in [f'{name}[{i}]' for i in range(size)] if size else [name]:
            outputs += encoded(kind, element)
    for name, kind in BUILTIN_OUTPUTS.items():
        if re.search(r'\b%s\b' % name, code):
            outputs += encoded(kind, name)
    coordinates = sorted(set(re.findall(r'\bgl_TexCoord\s*\[\s*(\w+)\s*\]', code)))
    if not all(c.isdigit() for c in coordinates):
        return None
    for c in coordinates:
        outputs += encoded('vec4', f'gl_TexCoord[{c}]')
    version = re.search(r'^\s*#\s*version[^\n]*\n', code, re.M)
    head = version[0].lstrip() if version else ''
    if version:
        code = code.replace(version[0], '\n', 1)
    vertex = (head + 'attribute vec4 position, a0, a1, a2;\nvarying vec4 color;\n' + '\n'.join(globals_) + '\n' + code
              + '\nvec4 test_encode(vec4 v) { return v / (1.0 + abs(v)); }\nvoid main()\n{\n' + '\n'.join(before)
              + '\n   piglit_main();\n   vec4 sum = ' + ' + '.join(outputs)
              + f';\n   color = 0.5 + sum * {0.5 / len(outputs):.8f};\n   gl_Position = position;\n}}\n')
    precision = 'precision mediump float;\n' if is_es else ''
    return vertex, head + precision + 'varying vec4 color;\nvoid main() { gl_FragColor = color; }\n'


def extract(directory, limit=None):
    found, texts = {}, set()
    for path in piglit_programs.sample(piglit_programs.load_shader_db().piglit_programs()):
        with open(path, encoding='utf-8', errors='replace') as file:
            parts = piglit_programs.sections(file.read())
        vertices = [body for name, body in parts if name == 'vertex shader']
        if len(vertices) != 1 or any(name.startswith(('geometry', 'tess', 'compute')) for name, _ in parts):
            continue
        require = ''.join(body for name, body in parts if name == 'require')
        code = piglit_programs.without_comments(vertices[0])
        code = piglit_programs.showing(code, 'attribute') or code
        if code in texts or UNSUITABLE.search(code) or UNDEFINED.search(os.path.basename(path)):
            continue
        is_es = re.search(r'GLSL ES', require) is not None
        if re.search(r'GLSL\s*>=\s*1\.20', require) and not re.search(r'^\s*#\s*version', code, re.M):
            code = '#version 120\n' + code  # as piglit's runner does
        texts.add(code)
        pair = wrapped(code, is_es)
        if pair is None:
            continue
        name = 'piglit-vertex-%04d' % len(found)
        found[name] = (path, is_es)
        for suffix, text in zip(('vert', 'frag', 'uniforms'), pair + (piglit_programs.test_uniforms(parts),)):
            with open(os.path.join(directory, name + '.' + suffix), 'w', encoding='utf-8') as file:
                file.write(text)
        if len(found) == limit:
            break
    return found
