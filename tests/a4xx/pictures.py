#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""pictures.py [--build DIR] [--out DIR] [--part K/N] [CASE...]: pictures of the simulated A420 against llvmpipe's.

Draws the cases of a4xx-pictures on the distribution's llvmpipe and on the simulated chip in strict mode: in GMEM with and
without a binning pass, in memory (not with a depth buffer, which this driver has only in GMEM), with one thread, and on a chip
of which everything that nobody knows is otherwise.  Those of the chip have to be the same; of llvmpipe's 99.5 % of the pixels
have to be within 9 of 255 steps.  Exit status 77: one of the two is missing.  The last line is "N passed, N failed, N skipped".

  --build DIR  a build with the option adreno (default build)
  --out DIR    keeps the pictures there
"""

import argparse
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import part  # noqa: E402, tests/common/part.py

# U9 to U15 of docs/adreno.md; U16 moves depths.
OTHERWISE = 'U9=bit22 U10=always U11=tiles U12=gmem U13=nothing U14=float U15=stop'.split()
WAYS = {'gmem': ('gmem', '2', []), 'nobin': ('nobin', '2', []), 'sysmem': ('sysmem', '2', []), 'one': ('gmem', '1', []),
        'otherwise': ('gmem', '2', OTHERWISE), 'bit23': ('sysmem', '2', ['U9=bit23'])}
TOLERANCE = 9  # a step of 5 bits
PERCENT = 99.5


def draw(command, path, **environment):
    """(status, what it says)"""
    result = subprocess.run(command + [path], capture_output=True, text=True, timeout=300, check=False,
                            env=dict(os.environ, MESA_SHADER_CACHE_DISABLE='1', **environment))
    if result.returncode:
        sys.stderr.write(result.stderr)
    return result.returncode, result.stdout.strip()


def compare(options, ours, theirs, tolerance, percent):
    """(close enough, how close)"""
    tool = os.path.join(options.build, 'tests/demo/tegra20-compare')
    result = subprocess.run([tool, ours, theirs, '--tolerance', str(tolerance), '--percent', str(percent)],
                            capture_output=True, text=True, check=False)
    return result.returncode == 0, result.stdout.strip()


def check(options, program, name, needs, folder):
    """What is wrong with a case."""
    paths = {way: '%s/%s-%s.png' % (folder, name, way) for way in [*WAYS, 'llvmpipe']}
    status, expected = draw([program, name], paths['llvmpipe'], LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe')
    if status:
        sys.exit(77)
    bad = []
    for way, (debug, threads, switches) in WAYS.items():
        if 'depth' in needs and debug == 'sysmem':
            continue
        command = [os.path.join(options.build, 'tegra20-run'), '--chip', 'a420', '--strict', '--threads', threads,
                   *(word for switch in switches for word in ('--switch', switch)), '--', program, name]
        status, said = draw(command, paths[way], FD_MESA_DEBUG=debug + ',tess' * ('patches' in needs))
        if status or said != expected:
            bad.append('%s: status %d, "%s", not "%s"' % (way, status, said, expected))
        elif way != 'gmem' and not compare(options, paths['gmem'], paths[way], 0, 100)[0]:
            bad.append('%s: not the same picture as in GMEM' % way)
    if not bad:
        close, how = compare(options, paths['gmem'], paths['llvmpipe'], TOLERANCE, PERCENT)
        print('%-16s %s' % (name, how), flush=True)
        bad += [] if close else ['not as llvmpipe']
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(TOP, 'build'))
    parser.add_argument('--out')
    part.add_option(parser)
    parser.add_argument('cases', nargs='*', metavar='CASE')
    options = parser.parse_args()
    program = os.path.join(options.build, 'tests/a4xx/a4xx-pictures')
    if not os.path.exists(program):
        print('pictures.py: no %s: configure with -Dadreno=true (docs/adreno.md)' % program, file=sys.stderr)
        sys.exit(77)
    listed = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    cases = {name: needs for name, *needs in map(str.split, listed) if not options.cases or name in options.cases}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in part.of(list(cases), options.part):
            bad = check(options, program, name, cases[name], options.out or folder)
            failed += bool(bad)
            if bad:
                print('FAIL: %s: %s' % (name, '; '.join(bad)), flush=True)
    total = len(part.of(list(cases), options.part))
    print('%d passed, %d failed, 0 skipped' % (total - failed, failed))
    sys.exit(1 if failed or not total else 0)


main()
