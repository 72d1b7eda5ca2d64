#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Apply the patches of this folder to Mesa, and compile what each of them leaves: series.py [--mesa SOURCE] [--report FILE] DIR

DIR gets a folder for each Mesa, with the commits (series) and a build of Mesa's compiler and driver for Adreno.  The last line
is "N passed, N failed, N skipped".

  --mesa SOURCE   unpacked Mesa 25.0 or 25.1 (default subprojects/mesa); may be repeated
  --report FILE   also writes what is printed
  -j N            jobs of ninja
"""

import argparse
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

import apply  # beside this file

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..'))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import measured  # noqa: E402


def load_mesa_series():
    loader = importlib.machinery.SourceFileLoader('mesa_series', os.path.join(TOP, 'ci/mesa-series'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('mesa_series', loader))
    loader.exec_module(module)
    return module


mesa_series = load_mesa_series()


class Series(mesa_series.Series):
    options = [option.replace('=tegra20,', '=freedreno,') for option in mesa_series.mesa_tree.OPTIONS]
    libraries = r'/libfreedreno(_ir3)?\.a'

    def run(self, log, *args):
        # Ninja configures again when a commit changes a build file.
        return '--reconfigure' in args or super().run(log, *args)


def result_of(series, path, jobs):
    try:
        series.git('am', '-q', path)
    except subprocess.CalledProcessError:
        return 'DOES NOT APPLY'
    return 'compiles' if series.compile(jobs, False) else 'DOES NOT COMPILE'


def compile_series(mesa, directory, jobs):
    """What each patch leaves of a tree of Mesa: numbers of commits passed, failed, skipped."""
    os.makedirs(directory, exist_ok=True)
    series = Series(directory, mesa)
    series.start()
    print('Mesa ' + mesa_series.read_text(os.path.join(mesa, 'VERSION')).strip(), flush=True)
    paths = apply.patches_for(mesa)
    results = []
    for path in paths:
        results.append(result_of(series, path, jobs))
        print(f'{os.path.basename(path)}: {results[-1]}', flush=True)
        if results[-1] != 'compiles':
            break
    passed = results.count('compiles')
    return passed, len(results) - passed, len(paths) - len(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('dir')
    parser.add_argument('--mesa', action='append')
    parser.add_argument('--report')
    parser.add_argument('-j', type=int, default=os.cpu_count(), metavar='N')
    args = parser.parse_args()
    counts = [0, 0, 0]
    with measured.kept(args.report):
        for number, mesa in enumerate(args.mesa or [os.path.join(TOP, 'subprojects/mesa')]):
            result = compile_series(os.path.realpath(mesa), os.path.join(os.path.realpath(args.dir), str(number)), args.j)
            counts = [a + b for a, b in zip(counts, result)]
        print('%d passed, %d failed, %d skipped' % tuple(counts))
    return 1 if counts[1] else 0


if __name__ == '__main__':
    sys.exit(main())
