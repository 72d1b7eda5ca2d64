#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""vertices.py [--build DIR] [--part K/N] [-v]: tessellated vertices of the simulated A420 against llvmpipe's transform feedback.

Draws a grid of domains, spacings and sizes of patches with a4xx-patches, on the distribution's llvmpipe and on the simulated chip
in strict mode, with both ways of a hull shader's outputs, several sizes of sub-draws and of waves.  Every vertex of every
primitive has to be the same bit for bit, in the same order, without a diagnostic.  Exit status 77: one of the two is missing.
The last line is "N passed, N failed, N skipped".

  --build DIR  a build with the option adreno (default build)
  --part K/N   the Kth of N shares of the domains, spacings and sizes
"""

import argparse
import itertools
import os
import struct
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import part  # noqa: E402, tests/common/part.py

DOMAINS = ('triangles', 'quads', 'isolines', 'triangles-points', 'quads-points')
SPACINGS = ('equal', 'odd', 'even')
SIZES = ((3, 3, 5), (1, 4, 3), (4, 7, 5), (16, 32, 2), (32, 1, 2), (2, 2, 40))
WAYS = ([], ['U2=1'], ['U2=7', 'U7=many'], ['U2=64', 'U8=restart'])
FLOATS = 12  # of a vertex in transform feedback


def run(command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False,
                          env=dict(os.environ, **environment))


def columns(data, width):
    words = struct.unpack('<%dI' % (len(data) // 4), data)
    return [words[i::width] for i in range(width)]


def reference(program, case, path):
    result = run([program] + case + [path], LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe')
    if result.returncode:
        sys.stderr.write(result.stderr)
        sys.exit(77 if result.returncode == 77 else 1)
    with open(path, 'rb') as file:
        return columns(file.read(), FLOATS)


def captured(path):
    """Position and varyings of all corners of the draws of patches, as columns."""
    with open(path, 'rb') as file:
        data = file.read()
    at = 0
    found = None
    while at < len(data):
        _, _, corners, patches, outputs, vertices, indices = struct.unpack_from('<7I', data, at)
        at += 28
        width = 9 + outputs
        words = struct.unpack_from('<%dI' % (vertices * width), data, at)
        at += vertices * width * 4
        order = struct.unpack_from('<%dI' % indices, data, at)
        at += indices * 4
        if patches:
            keep = list(range(4)) + list(range(9, width))
            found = [tuple(words[i * width + c] for i in order) for c in keep]
    return found


def differences(expected, got):
    """Columns of transform feedback that none of the chip's equals."""
    if got is None:
        return ['no draw of patches']
    if len(expected[0]) != len(got[0]):
        return ['%d corners, not %d' % (len(got[0]), len(expected[0]))]
    # The driver may put varyings anywhere; the position is where it is.
    missing = ['position %s' % 'xyzw'[c] for c in range(4) if expected[c] != got[c]]
    return missing + ['varying %d' % (c - 4) for c in range(4, FLOATS) if expected[c] not in got[4:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(TOP, 'build'))
    part.add_option(parser)
    parser.add_argument('-v', '--verbose', action='store_true')
    options = parser.parse_args()
    program = os.path.join(options.build, 'tests/a4xx/a4xx-patches')
    if not os.path.exists(program):
        print('vertices.py: no %s: configure with -Dadreno=true (docs/adreno.md)' % program, file=sys.stderr)
        sys.exit(77)
    cases = vertices = same = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, 'vertices')
        for domain, spacing, size in part.of(list(itertools.product(DOMAINS, SPACINGS, SIZES)), options.part):
            case = [domain, spacing] + [str(n) for n in size]
            expected = reference(program, case, os.path.join(folder, 'feedback'))
            for way, direct in itertools.product(WAYS, (False, True)):
                if os.path.exists(capture):
                    os.remove(capture)
                switches = [word for switch in way for word in ('--switch', switch)]
                result = run([os.path.join(options.build, 'tegra20-run'), '--chip', 'a420', '--strict'] + switches +
                             ['--', program] + case, TEGRA20_SHIM_VERTICES=capture, FD_MESA_DEBUG='tess',
                             MESA_SHADER_CACHE_DISABLE='1', IR3_SHADER_DEBUG='tessdirect' if direct else '')
                bad = [] if result.returncode == 0 else ['status %d: %s' % (result.returncode, result.stderr[-400:])]
                bad += differences(expected, captured(capture) if os.path.exists(capture) else None)
                cases += 1
                vertices += len(expected[0])
                same += 0 if bad else len(expected[0])
                label = ' '.join(case + way + (['direct'] if direct else ['staged']))
                failed += bool(bad)
                if bad:
                    print('FAIL: %s: %s' % (label, '; '.join(bad)), flush=True)
                elif options.verbose:
                    print('%s: %d vertices' % (label, len(expected[0])), flush=True)
    print('%d of %d vertices are the same as llvmpipe\'s' % (same, vertices))
    print('%d passed, %d failed, 0 skipped' % (cases - failed, failed))
    sys.exit(1 if failed else 0)


main()
