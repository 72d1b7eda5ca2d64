#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The driver draws right on a chip with another behaviour when its profile says so.

  tests/hwtest/profile.py [--build DIR] [--every N] [--only TEXT] [--piglit N]
                          [--safe] [--weston] [--sample N [--seed N] | --part K/N] [--results FILE] [--summary FILE]
                          [--pairs UNIT] [A57=16 ...]

For each other value of each row of src/tegra20/hw/hw.yaml (or those named): a simulated chip with that value, the driver with
the profile that tegra20-hwtest --calibrate writes there (of rows it cannot see: with that value); the demo, every Nth case of
the OpenGL ES 2.0 grid (--only: of those with TEXT in their names), compared with softpipe, with --piglit every Nth test of
ci/piglit-quick.txt, others for each value, and with --weston a desktop. What passes by default must pass. Rows without a switch
of the simulator run on the default chip; those of timing with --adversary. TEGRA20_SHIM_CHIP chooses the chip.
--pairs takes each two values of a unit (UNITS, or "all") together, or those with one of the named values; without calibration.
With --safe the profile is the preset of that name, and rows are those that it is right for.
--sample takes that many of them at random, --part 2/8 the second of eight parts.  --results writes each row into the table in
FILE, with the commit that was tried; rows that are there of this state are not tried again.
--summary writes those of the rows that did not pass as on the default chip in everything, and the number of all.
The last line is "N passed, N failed, N skipped", of the run.
"""

import argparse
import concurrent.futures
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(TOP, 'tests/common')]

import calibrate  # noqa: E402, tests/hwtest/calibrate.py
import measured  # noqa: E402, tests/common/measured.py
import part  # noqa: E402, tests/common/part.py
import piglit_slice  # noqa: E402, tests/hwtest/piglit_slice.py

# Share of the cases that may differ where a value changes pixels within what OpenGL allows; of few cases it is one.
BOUNDS = 0.05
# Of the demo's pixels so many must be those of the default chip, in percent; and there.
LIKE, LIKE_WITHIN_BOUNDS = 99.5, 97
# Rows that concern one unit of the chip, by number.
UNITS = {'vertex': [*range(1, 20)], 'raster': [*range(20, 38), 88, 100], 'fragment': [*range(41, 57), *range(80, 88), 89],
         'texture': [*range(57, 67), 82], 'target': [62, 69, 70, 90], '2d': [71, 72, 81]}


class Grid:
    def __init__(self, build, every, directory, only='', first=0):
        self.build = build
        self.program = os.path.join(build, 'tests/gl/es2/tegra20-es2')
        self.names, self.reference = os.path.join(directory, 'names'), os.path.join(directory, 'softpipe')
        listed = subprocess.run([self.program, '--list'], capture_output=True, text=True).stdout.split('\n')[:-1]
        listed = [name for name in listed if only in name]
        self.count = len(listed[first::every])
        if not listed:
            sys.exit(f'profile.py: no case of the grid has "{only}" in its name')
        with open(self.names, 'w', encoding='utf-8') as f:
            f.writelines(name + '\n' for name in listed[first::every])
        self.env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='1')
        subprocess.run([self.program, '--write', self.reference, '--names', self.names], capture_output=True,
                       env=dict(self.env, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='softpipe'))

    def thin_out(self, count):
        """From now on so many of the cases."""
        with open(self.names, encoding='utf-8') as f:
            names = f.readlines()
        names = names[::max(1, len(names) // count)]
        with open(self.names, 'w', encoding='utf-8') as f:
            f.writelines(names)
        self.count = len(names)

    def failures(self, switch, profile, adversary=False):
        """Names of the failing cases; None when the run did not reach its end."""
        command = [os.path.join(self.build, 'tegra20-run'), '--threads', '1'] + chip_options(switch, adversary)
        p = subprocess.run(command + ['--', self.program, '--compare', self.reference, '--names', self.names],
                           env=dict(self.env, TEGRA20_HW=f'default,{profile}'), capture_output=True, text=True,
                           errors='replace', timeout=1800)
        if not re.search(r'\d+ passed, \d+ failed, \d+ skipped\s*$', p.stdout):
            return None
        return {line.split(': ')[1] for line in p.stdout.split('\n') if line.startswith('FAIL: ')}


class Bench:
    """What a chip with its profile is tried with."""

    def __init__(self, args, directory):
        self.build, self.directory = os.path.abspath(args.build), directory
        self.piglit, self.safe, self.pairs, self.weston = args.piglit, args.safe, args.pairs, args.weston
        self.grid = Grid(self.build, args.every, directory, args.only)
        self.usual = self.grid.failures(None, '')
        self.picture = self.draw_demo([], None, '')

    def calibrated(self, values):
        """The profile that calibration writes on the chip; None when it writes none."""
        tool = os.path.join(self.build, 'tegra20-hwtest')
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            found, _ = calibrate.calibrate(tool, calibrate.rows_with_experiments(tool), {r['id']: value for r, value in values},
                                           os.environ.get('TEGRA20_SHIM_CHIP', 'tegra20'), directory)
        return None if found is None else calibrate.as_text(found)

    def draw_demo(self, pairs, switch, profile, adversary=False):
        """The file with the picture, or None."""
        path = os.path.join(self.directory, 'demo-' + '-'.join(re.sub(r'\W', '', text) for text in pairs) + '.png')
        p = subprocess.run([os.path.join(self.build, 'tegra20-run')] + chip_options(switch, adversary) +
                           ['--', os.path.join(self.build, 'tests/demo/tegra20-demo'), '--out', path], capture_output=True,
                           text=True, errors='replace', timeout=600,
                           env=dict(self.grid.env, TEGRA20_HW=f'default,{profile}'))
        return path if p.returncode == 0 else None

    def compare_demo(self, picture, percent):
        """(as good as the default chip's, "99.9")"""
        p = subprocess.run([os.path.join(self.build, 'tests/demo/tegra20-compare'), self.picture, picture or os.devnull,
                            '--tolerance', '3', '--percent', str(percent)], capture_output=True, text=True)
        share = re.search(r'([\d.]+) ?%', p.stdout)
        return p.returncode == 0, share[1] if share else 'none'

    def environment(self, switch, profile, adversary):
        env = {'TEGRA20_HW': f'default,{profile}', 'MESA_SHADER_CACHE_DISABLE': '1'}
        env.update({'TEGRA20_SHIM_SWITCH': switch} if switch else {})
        env.update({'TEGRA20_SHIM_ADVERSARY': '1'} if adversary else {})
        return env

    def try_piglit(self, switch, profile, adversary, first):
        """([line about a test that comes out otherwise], number that passed, number of tests)"""
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            tests = piglit_slice.Slice(self.build, self.piglit, directory, first)
            lines, passed = tests.differences(self.environment(switch, profile, adversary), {'TEGRA20_HW': 'default'})
            return lines, passed, len(tests.tests)

    def try_weston(self, switch, profile, adversary):
        """[line about a picture that is another one]"""
        p = subprocess.run([os.path.join(TOP, 'tests/programs/programs.py'), '--build', self.build, 'desktop'],
                           capture_output=True, text=True,
                           env={**os.environ, **self.environment(switch, profile, adversary)})
        drawn = re.search(r'^[1-9]\d* passed, 0 failed', p.stdout, re.M)
        return re.findall('^FAIL.*', p.stdout, re.M) or ([] if drawn else ['Weston did not run'])

    def check(self, number, values):
        """(verdict, columns of the table, what is wrong) of rows with a value each."""
        text = ','.join(f'{row["id"]}={value}' for row, value in values)
        switch = ','.join(f'{row["id"]}={value}' for row, value in values if row.get('sim', True)) or None
        adversary = any(row.get('sim', True) == 'timing' for row, _ in values)
        bounds = sum(row['fit'] == 'bounds' for row, _ in values)
        profile = 'safe' if self.safe else text
        if not self.safe and not self.pairs and all(row in calibrate.visible_rows() for row, _ in values):
            profile = self.calibrated(values)
        if profile is None:
            return 'failed', ['', '', ''], 'calibration writes no profile'
        found = self.grid.failures(switch, profile, adversary)
        if found is None:
            return 'failed', ['', '', ''], 'the run of the grid ended early'
        new = sorted(found - self.usual)
        like, share = self.compare_demo(self.draw_demo(text.split(','), switch, profile, adversary),
                                        LIKE_WITHIN_BOUNDS if bounds else LIKE)
        lines, passed, total = self.try_piglit(switch, profile, adversary, number) if self.piglit else ([], 0, 0)
        wrong = ([] if like else [f'demo: {share} %']) + (new if len(new) > allowed(bounds, self.grid.count) else [])
        wrong += [f'piglit: {line}' for line in lines if len(lines) > bounds * BOUNDS * total]
        wrong += self.try_weston(switch, profile, adversary) if self.weston else []
        columns = [f'{share} %', f'{self.grid.count - len(found)} of {self.grid.count}', f'{passed} of {total}']
        return 'failed' if wrong else 'passed', columns, ' '.join(wrong[:8])


def allowed(bounds, cases):
    """Number of cases that may differ with so many values that change pixels within what OpenGL allows."""
    return bounds * max(1, BOUNDS * cases)


def chip_options(switch, adversary):
    options = [word for one in (switch or '').split(',') if one for word in ('--switch', one)]
    return options + (['--adversary'] if adversary else [])


def pairs_of(unit):
    """Of one unit, or of each."""
    for name, numbers in UNITS.items():
        if unit in (name, 'all'):
            values = [(row, value) for row in calibrate.load_rows() for value in row['values'][1:]
                      if row.get('sim', True) is True and int(row['id'][1:]) in numbers]
            yield from (pair for pair in itertools.combinations(values, 2) if pair[0][0] != pair[1][0])


class Table:
    """The table of a file of results: one line for each set of values, in the order of the rows."""

    COLUMNS = ('Id', 'Profile', 'Result', 'Demo', 'ES 2', 'piglit', 'Commit')

    def __init__(self, path, command, order):
        self.path, self.command, self.order = path, command, order
        self.state = measured.state()
        self.lines = {}
        if path and os.path.exists(path):
            with open(path, encoding='utf-8') as f:
                cells = ([cell.strip() for cell in line.strip('| \n').split(' | ')] for line in f if line.startswith('| A'))
                self.lines = {line[1].strip('`'): line for line in cells if len(line) == len(self.COLUMNS)}

    def has(self, name):
        return name in self.lines and self.lines[name][-1] == self.state

    def add(self, values, verdict, columns):
        name = profile_of(values)
        self.lines[name] = [', '.join(row['id'] for row, _ in values), f'`{name}`', verdict, *columns, self.state]
        if self.path:
            self.write(self.path)

    def write(self, path, shown=lambda line: True, about=''):
        lines = [self.lines[name] for name in self.order if name in self.lines]
        passed = sum(line[2] == 'passed' for line in lines)
        states = sorted({line[-1] for line in lines})
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'{self.command}: {passed} passed, {len(lines) - passed} failed, {len(self.order) - len(lines)} not tried; '
                    f'driver and simulator of {", ".join(states)}.\n\n'
                    'Demo: pixels as on the default chip. ES 2: cases of the grid that are right. piglit: tests that pass, '
                    f'others for each row.{about}\n\n')
            lines = [line for line in lines if shown(line)]
            f.write('\n'.join(f'| {" | ".join(line)} |' for line in [self.COLUMNS, *lines])
                    .replace('\n', '\n' + '|---' * len(self.COLUMNS) + '|\n', 1) + '\n')

    def write_summary(self, path):
        """The rows that differ from the default chip in anything."""
        def differs(line):
            cases = [re.fullmatch(r'(\d+) of (\d+)', cell) for cell in line[4:6]]
            return line[2] != 'passed' or float(line[3].rstrip(' %')) < 99.99 or any(not c or c[1] != c[2] for c in cases)
        self.write(path, differs, ' Rows that are not here passed with at least 99.99 % of the pixels, all cases and tests.')


def profile_of(values):
    return ','.join(f'{row["name"]}={value}' for row, value in values)


def parse_arguments():
    parser = argparse.ArgumentParser(description='Profiles fit simulated chips.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--every', type=int, default=47)
    parser.add_argument('--only', default='', metavar='TEXT')
    parser.add_argument('--piglit', type=int, default=0, metavar='N')
    parser.add_argument('--sample', type=int, metavar='N')
    part.add_option(parser)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--safe', action='store_true')
    parser.add_argument('--weston', action='store_true')
    parser.add_argument('--results')
    parser.add_argument('--summary', metavar='FILE')
    parser.add_argument('--pairs', choices=[*UNITS, 'all'])
    parser.add_argument('values', nargs='*')
    return parser.parse_args()


def choose(args, everything):
    """[(number, values)] that are wanted of all."""
    wanted = [(number, values) for number, values in enumerate(everything)
              if not args.values or any(f'{row["id"]}={value}' in args.values for row, value in values)]
    if args.sample and args.sample < len(wanted):
        wanted = random.Random(args.seed).sample(wanted, args.sample)
    return part.of(wanted, args.part)


def try_all(args, wanted, table):
    """{"passed": N, "failed": N}, None when the default chip does not draw."""
    counts = {'passed': 0, 'failed': 0}
    with tempfile.TemporaryDirectory(prefix='tegra20-profile-') as directory:
        bench = Bench(args, directory)
        if bench.usual is None or not bench.picture:
            return None
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (_, values), (verdict, columns, wrong) in zip(wanted, pool.map(lambda one: bench.check(*one), wanted)):
                counts[verdict] += 1
                table.add(values, verdict + (f': {wrong}' if wrong else ''), columns)
                if verdict == 'failed':
                    print(f'FAIL: {",".join(row["id"] + "=" + value for row, value in values)}: {wrong}', flush=True)
    return counts


def main():
    args = parse_arguments()
    known = {f'{row["id"]}={value}' for row in calibrate.load_rows() for value in row['values'][1:]}
    if set(args.values) - known:
        sys.exit(f'profile.py: no values of src/tegra20/hw/hw.yaml: {" ".join(sorted(set(args.values) - known))}')
    everything = list(pairs_of(args.pairs)) if args.pairs else [
        ((row, value),) for row in calibrate.load_rows() for value in row['values'][1:]
        if not args.safe or 'safe' in row or row['fit'] in ('same', 'bounds')]
    command = f'tests/hwtest/profile.py --every {args.every}' + ''.join(
        f' --{name} {getattr(args, name)}' for name in ('only', 'pairs', 'piglit') if getattr(args, name)) + ''.join(
        f' --{name}' for name in ('safe', 'weston') if getattr(args, name))
    table = Table(args.results, command, [profile_of(values) for values in everything])
    wanted = [(number, values) for number, values in choose(args, everything) if not table.has(profile_of(values))]
    counts = try_all(args, wanted, table) if wanted else {'passed': 0, 'failed': 0}
    if args.summary:
        table.write_summary(args.summary)
    if counts is None:
        print('FAIL: the default chip\n0 passed, 1 failed, 0 skipped')
        return 1
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, 0 skipped')
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
