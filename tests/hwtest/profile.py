#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The driver draws right on a chip with another behaviour when its profile says so.

  tests/hwtest/profile.py [--build DIR] [--every N] [--results FILE] [--pairs UNIT] [A57=16 ...]

For each other value of each row of src/tegra20/hw/hw.yaml (or those named): a simulated chip with that value, the driver with
that profile, and every Nth case of the OpenGL ES 2.0 grid, compared with softpipe.  What passes by default must pass.  Rows
without a switch of the simulator run on the default chip; those of timing with --adversary.  --pairs takes each two values of
a unit (UNITS, or "all") together.  --results writes the table.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile

import yaml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Share of the cases that may differ where a value changes pixels within what OpenGL allows.
BOUNDS = 0.05
# Rows that concern one unit of the chip, by number.
UNITS = {'vertex': [*range(1, 20)], 'raster': [*range(20, 38), 88, 100], 'fragment': [*range(41, 57), *range(80, 88), 89],
         'texture': [*range(57, 67), 82], 'target': [62, 69, 70, 90], '2d': [71, 72, 81]}


def load_rows():
    with open(os.path.join(TOP, 'src/tegra20/hw/hw.yaml'), encoding='utf-8') as f:
        return yaml.safe_load(f)


class Grid:
    def __init__(self, build, every, directory):
        self.build = build
        self.program = os.path.join(build, 'tests/gl/es2/tegra20-es2')
        self.names, self.reference = os.path.join(directory, 'names'), os.path.join(directory, 'softpipe')
        listed = subprocess.run([self.program, '--list'], capture_output=True, text=True).stdout.split('\n')[:-1]
        self.count = len(listed[::every])
        with open(self.names, 'w', encoding='utf-8') as f:
            f.writelines(name + '\n' for name in listed[::every])
        self.env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='1')
        subprocess.run([self.program, '--write', self.reference, '--names', self.names], capture_output=True,
                       env=dict(self.env, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='softpipe'))

    def thin_out(self, every):
        """From now on every Nth of the cases."""
        with open(self.names, encoding='utf-8') as f:
            names = f.readlines()[::every]
        with open(self.names, 'w', encoding='utf-8') as f:
            f.writelines(names)
        self.count = len(names)

    def failures(self, switch, profile, adversary=False):
        """Names of the failing cases; None when the run did not reach its end."""
        command = [os.path.join(self.build, 'tegra20-run'), '--threads', '1'] + \
            [word for one in (switch or '').split(',') if one for word in ('--switch', one)]
        command += ['--adversary'] if adversary else []
        p = subprocess.run(command + ['--', self.program, '--compare', self.reference, '--names', self.names],
                           env=dict(self.env, TEGRA20_HW=f'default,{profile}'), capture_output=True, text=True,
                           errors='replace', timeout=1800)
        if not re.search(r'\d+ passed, \d+ failed, \d+ skipped\s*$', p.stdout):
            return None
        return {line.split(': ')[1] for line in p.stdout.split('\n') if line.startswith('FAIL: ')}


def known_failures(text):
    """Cases that ci/profile-fails.txt lists for a value, "A21=dropped"."""
    with open(os.path.join(TOP, 'ci/profile-fails.txt'), encoding='utf-8') as f:
        listed = [line.split('#')[0].strip() for line in f]
    return {line[len(text) + 1:] for line in listed if line.startswith(text + '/')}


def check(grid, row, value, usual):
    """(verdict, detail): verdict is passed, failed or skipped."""
    if row['fit'] == 'none':
        return 'skipped', f'the driver has no way: {row["cost"]}'
    text = f'{row["id"]}={value}'
    sim = row.get('sim', True)
    found = grid.failures(text if sim else None, text, sim == 'timing')
    if found is None:
        return 'failed', 'the run ended early'
    new = sorted(found - usual - known_failures(text))
    allowed = int(BOUNDS * grid.count) if row['fit'] == 'bounds' else 0
    detail = f'{grid.count - len(found)} of {grid.count}' + (f', other than usual: {" ".join(new[:5])}' if new else '')
    return 'passed' if len(new) <= allowed else 'failed', detail


def check_pair(grid, pair, usual):
    """(verdict, detail) of two values at once."""
    text = ','.join(f'{row["id"]}={value}' for row, value in pair)
    found = grid.failures(text, text)
    if found is None:
        return 'failed', 'the run ended early'
    new = sorted(found - usual - set().union(*(known_failures(one) for one in text.split(','))))
    allowed = int(BOUNDS * grid.count) * sum(row['fit'] == 'bounds' for row, _ in pair)
    detail = f'{grid.count - len(found)} of {grid.count}' + (f', other than usual: {" ".join(new[:5])}' if new else '')
    return 'passed' if len(new) <= allowed else 'failed', detail


def pairs_of(unit):
    """Of one unit, or of each."""
    for name, numbers in UNITS.items():
        if unit in (name, 'all'):
            values = [(row, value) for row in load_rows() for value in row['values'][1:]
                      if row.get('sim', True) is True and row['fit'] != 'none' and int(row['id'][1:]) in numbers]
            yield from (pair for pair in itertools.combinations(values, 2) if pair[0][0] != pair[1][0])


def main():
    parser = argparse.ArgumentParser(description='Profiles fit simulated chips.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--every', type=int, default=47)
    parser.add_argument('--results')
    parser.add_argument('--pairs', choices=[*UNITS, 'all'])
    parser.add_argument('values', nargs='*')
    args = parser.parse_args()
    wanted = [(row, value) for row in load_rows() for value in row['values'][1:]
              if not args.pairs and (not args.values or f'{row["id"]}={value}' in args.values)]
    wanted += [pair for pair in pairs_of(args.pairs)]
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    table = []
    with tempfile.TemporaryDirectory(prefix='tegra20-profile-') as directory:
        grid = Grid(os.path.abspath(args.build), args.every, directory)
        usual = grid.failures(None, '')
        if usual is None:
            print('FAIL: the default chip\n0 passed, 1 failed, 0 skipped')
            return 1
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda w: check_pair(grid, w, usual) if args.pairs else check(grid, w[0], w[1], usual), wanted)
            for what, (verdict, detail) in zip(wanted, results):
                rows = what if args.pairs else [what]
                counts[verdict] += 1
                table.append(f'| {", ".join(row["id"] for row, _ in rows)} | '
                             f'`{",".join(row["name"] + "=" + value for row, value in rows)}` | {verdict} | {detail} |')
                if verdict == 'failed':
                    print(f'FAIL: {",".join(row["id"] + "=" + value for row, value in rows)}: {detail}', flush=True)
    if args.results:
        with open(args.results, 'w', encoding='utf-8') as f:
            f.write('| Id | Profile | Result | Cases right |\n|---|---|---|---|\n' + '\n'.join(table) + '\n')
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
