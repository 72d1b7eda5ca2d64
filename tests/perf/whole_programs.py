# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fragment programs with a vertex program that writes their varyings, as .shader_test files for perf-compile."""

import os
import re

VARYING = re.compile(r'^\s*(?:\w+\s+)*?varying\s+((?:(?:lowp|mediump|highp)\s+)?)(\w+)\s+([^;]+);', re.M)


def vertex_program(fragment):
    """Source of a vertex program that a fragment program links with; each varying gets another value."""
    es = not re.search(r'#version\s+1[12]0\b', fragment)
    code = re.sub(r'//[^\n]*|/\*.*?\*/', '', fragment, flags=re.S)
    declarations, body = [], []
    for precision, kind, names in VARYING.findall(code):
        declarations.append(f'varying {precision}{kind} {names};\n')
        for name in names.split(','):
            array = re.match(r'\s*(\w+)\s*\[\s*(\d+)\s*\]', name)
            elements = [f'{array[1]}[{i}]' for i in range(int(array[2]))] if array else [name.strip()]
            for element in elements:
                value = 'position' if kind == 'vec4' else f'{kind}(position.x)'
                body.append(f'   {element} = {value} * {len(body) + 1}.5;\n')
    head = '#version 100\nprecision highp float;\n' if es else '#version 120\n'
    return (head + 'attribute vec4 position;\n' + ''.join(declarations) +
            'void main()\n{\n   gl_Position = position;\n' + ''.join(body) + '}\n')


def write_shader_test(path, directory):
    """Writes DIRECTORY/NAME.shader_test for a .frag file; its path."""
    with open(path, encoding='utf-8', errors='replace') as file:
        fragment = file.read()
    language = 'GLSL >= 1.20' if re.search(r'#version\s+1[12]0\b', fragment) else 'GLSL ES >= 1.00'
    name = '_'.join(os.path.abspath(path).split(os.sep)[-2:])
    out = os.path.join(directory, name + '.shader_test')
    with open(out, 'w', encoding='utf-8') as file:
        file.write(f'[require]\n{language}\n\n[vertex shader]\n{vertex_program(fragment)}\n[fragment shader]\n{fragment}\n'
                   '[test]\ndraw rect -1 -1 2 2\n')
    return out
