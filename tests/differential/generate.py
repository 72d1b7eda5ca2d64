# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Random GLSL programs, as files DIR/NAME.vert and .frag: of statements (structured.py), or large ones in groups (heavy.py)."""

import os
import random

import heavy
import structured

STAGES = ['vertex-structured', 'fragment-structured', 'vertex-heavy', 'fragment-heavy', 'fragment-large']
# Results of structured programs are multiples of 1/32.
STRUCTURED_BOUND = 1.0


def write_structured(stage, seed, count, out):
    """Files of programs of statements, whose results may be a rounding apart.  Returns {name: steps of 1/255}."""
    make = structured.vertex_program if stage.startswith('vertex') else structured.fragment_program
    rng = random.Random('%s %d' % (stage, seed))
    bounds = {}
    for i in range(count):
        name = '%s-%d-%04d' % (stage, seed, i)
        vs, fs = make(rng)
        bounds[name] = STRUCTURED_BOUND
        write(out, name, vert=vs, frag=fs)
    return bounds


def write(out, name, **texts):
    for suffix, text in texts.items():
        with open(os.path.join(out, name + '.' + suffix), 'w', encoding='utf-8') as f:
            f.write(text)


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
        write(out, name, vert=vs, frag=fs, shader_test=test)
        names.append(name)
    return names
