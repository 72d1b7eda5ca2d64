#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""CPU time of best code beside that of drafts: best.py [--build BUILD] [--before BUILD [--drafts]] [--results FILE] FILE...

Compiles fragment programs of .frag files, or of directories of them, both ways; --before names the build of an earlier state,
of which --drafts measures the drafts alone.
Programs in one pass and in parts have a row each, all together another.  Times are without the compiler's start, and with that
of GLSL; BUILD is a release build.  Programs that need more than the chip has are left out.
"""

import argparse
import glob
import math
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../common'))

import measured  # noqa: E402


def compile_file(build, path, *options):
    """(seconds of CPU, kind or None, cycles)"""
    command = [os.path.join(build, 'tegra20-compiler'), '--no-bounds', '-j1', '--parts', *options, path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = process.stdout.read()
    usage = os.wait4(process.pid, 0)[2]
    found = re.search(r'FS (parts|shader): .*?(\d+) cycles', text)
    return usage.ru_utime + usage.ru_stime, found and found[1], int(found[2]) if found else 0


def row(kind, programs, way):
    """programs: {way: (seconds, cycles)} of each"""
    draft, best = ([p[w][0] for p in programs] for w in ('draft', way))
    ratio = math.exp(statistics.fmean(math.log(b / d) for b, d in zip(best, draft)))
    return (f'{kind:8} {len(programs):4} programs, {way:12} {sum(p[way][1] for p in programs):6} cycles, '
            f'{sum(best):7.2f} s, {sum(best) / sum(draft):5.2f} times the drafts, {ratio:5.2f} in the geometric mean')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--before', metavar='BUILD')
    parser.add_argument('--drafts', action='store_true')
    parser.add_argument('--results', metavar='FILE')
    parser.add_argument('files', nargs='+', metavar='FILE')
    args = parser.parse_args()
    files = [f for name in args.files for f in (sorted(glob.glob(f'{name}/**/*.frag', recursive=True)) if os.path.isdir(name)
                                                else [name])]
    ways = {'draft': (args.build, '--draft'), 'best': (args.build,)}
    if args.before:
        ways.update({'draft before': (args.before, '--draft'), **({} if args.drafts else {'best before': (args.before,)})})
    start = {way: min(compile_file(build, '/dev/null', *options)[0] for _ in range(9)) for way, (build, *options) in ways.items()}
    kinds = {'shader': [], 'parts': []}
    for path in files:
        found = {way: compile_file(build, path, *options) for way, (build, *options) in ways.items()}
        if all(kind for _, kind, _ in found.values()):
            kinds[found['draft'][1]].append({way: (max(seconds - start[way], 1e-3), cycles)
                                             for way, (seconds, _, cycles) in found.items()})
    with measured.kept(args.results):
        for kind, programs in ('one pass', kinds['shader']), ('parts', kinds['parts']), ('all', kinds['shader'] + kinds['parts']):
            print(''.join(row(kind, programs, way) + '\n' for way in ways if programs), end='')


if __name__ == '__main__':
    main()
