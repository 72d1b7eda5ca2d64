#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""tegra20-hwtest --calibrate finds what a random chip does otherwise, exactly.

  tests/hwtest/calibrate.py [--build DIR] [--chips N] [--flips N] [--seed N] [--results FILE]

Each chip is a simulated Tegra20, Tegra30 or Tegra114 with up to N switches at another value than the default; chip number K
comes from the seed K. The profile that is written must name these and no others. A chip on which one switch hides another one
in every experiment passes, too, and the results name it: no program could tell. --results writes a line for each chip that was
not found exactly. No row without an experiment of its own may be called proved. An experiment whose notes say that it was begun
and did not end, since it froze the machine, must not be tried again; a calibration that was interrupted goes on. Weights
that no value of A43 has are measured, and hide nothing. The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import yaml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import measured  # noqa: E402, tests/common/measured.py
import part  # noqa: E402, tests/common/part.py

INVISIBLE = {'A79', 'A136'}  # the time of a job, nothing that is left in memory


def load_rows():
    with open(os.path.join(TOP, 'src/tegra20/hw/hw.yaml'), encoding='utf-8') as f:
        return yaml.safe_load(f)


def visible_rows():
    """Rows with a switch of the simulator that changes what a job leaves in memory."""
    return [row for row in load_rows() if row.get('sim', True) is True and row['id'] not in INVISIBLE]


def random_chip(rows, rng, flips):
    """(switches, name): half of them are Tegra20, the others sit behind an SMMU."""
    switches = {row['id']: rng.choice(row['values'][1:]) for row in rng.sample(rows, rng.randint(1, flips))}
    return switches, rng.choice(['tegra20', 'tegra20', 'tegra30', 'tegra114'])


def as_text(chip):
    return ','.join(f'{ident}={value}' for ident, value in chip.items())


def calibrate(tool, tested, chip, name, directory, *options):
    """The profile that was found, and the output."""
    profile = os.path.join(directory, 'profile')
    p = subprocess.run([tool, '--calibrate', '--risky', '--soak', '2', '--profile', profile, '--chip', name, '--chip-of',
                        as_text(chip), *options], capture_output=True, text=True, timeout=1800, env={**os.environ, 'LC_ALL': 'C'})
    if not os.path.exists(profile):
        return None, p.stdout[-500:] + p.stderr[-500:]
    lines = pathlib.Path(profile).read_text(encoding='utf-8').split('\n')
    wrong = [line for line in lines if re.match(r'# A\d+.*: proved$', line) and line[2:].split()[0].split('.')[0] not in tested]
    if wrong:
        return None, f'proved without an experiment: {wrong}'
    return dict(line.split('=') for line in lines if '=' in line and line[0] != '#'), p.stdout


def check(tool, tested, rows, chip, name):
    """(verdict, detail): verdict is exact, hidden or failed."""
    with tempfile.TemporaryDirectory(prefix='tegra20-calibrate-') as directory:
        found, output = calibrate(tool, tested, chip, name, directory)
    if found is None:
        return 'failed', f'no profile: {output}'
    names = {row['name']: row['id'] for row in rows}
    found = {names[name]: value for name, value in found.items()}
    if found == chip:
        return 'exact', ''
    if found.items() <= chip.items() and same_results(tool, found, chip, name):
        return 'hidden', as_text({ident: value for ident, value in chip.items() if ident not in found})
    return 'failed', f'found {as_text(found)}'


def same_results(tool, found, chip, name):
    """One switch can hide another: does every experiment leave the same with and without what was not found?"""
    results = []
    for switches in (found, chip):
        with tempfile.NamedTemporaryFile(suffix='.json') as f:
            subprocess.run([tool, '--risky', '--json', f.name, '--chip', name, '--chip-of', as_text(switches)],
                           capture_output=True)
            report = json.load(f)
        results.append([(e['name'], e['outcome'], e['bytes']) for e in report['experiments']])
    return results[0] == results[1]


def rows_with_experiments(tool):
    listed = subprocess.run([tool, '--list'], capture_output=True, text=True).stdout.split('\nNot decidable')[0]
    return {line.split()[0] for line in listed.split('\n') if line.startswith('A')}


def goes_on(tool):
    """What is wrong with a calibration that is interrupted behind five experiments and given again; None if nothing is."""
    with tempfile.TemporaryDirectory(prefix='tegra20-calibrate-') as directory:
        profile = os.path.join(directory, 'profile')
        command = [tool, '--calibrate', '--soak', '2', '--profile', profile, '--chip-of', 'A57=16']
        p = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        notes, end = '', time.monotonic() + 300
        while notes.count('same ') < 5 and time.monotonic() < end and p.poll() is None:
            if os.path.exists(f'{profile}.notes'):
                with open(f'{profile}.notes', encoding='utf-8') as f:
                    notes = f.read()
        p.send_signal(signal.SIGINT)
        if p.wait() != 128 + signal.SIGINT or os.path.exists(profile):
            return f'interrupted: status {p.returncode}'
        output = subprocess.run(command, capture_output=True, text=True).stdout
        kept = re.search(r'Going on: (\d+) experiments', output)
        with open(profile, encoding='utf-8') as f:
            found = f.read()
        return None if kept and int(kept[1]) >= 5 and '\nnpot-pitch=16\n' in found else f'going on: {output[-500:]}'


def misjudges_strange_weights(tool):
    """Chips with weights that no value of A43 has (error and offset in 2^-24) and something else otherwise, of which the former
    is not measured to 2^-19 or not the latter alone is found: [(weights, rest, output), ...]"""
    names, tested, wrong = {row['name']: row['id'] for row in load_rows()}, rows_with_experiments(tool), []
    for weights, rest in ('-2000', {}), ('700+100', {'A57': '16', 'A82': 'cut'}), ('1800', {'A42': 'cut'}):
        with tempfile.TemporaryDirectory(prefix='tegra20-calibrate-') as directory:
            found, output = calibrate(tool, tested, {'A43': weights, **rest}, 'tegra20', directory)
        measured = re.search(r'large by (\S+) (\S+), give', output)
        off = [abs(float(m) * 1024 - int(w)) for m, w in zip(measured.groups(), f'{weights}+0'.split('+'))] if measured else [99]
        if max(off) > 32 or 'not explained' in output or {names[name]: value for name, value in (found or {}).items()} != rest:
            wrong.append((weights, rest, output[-2000:]))
    return wrong


def leaves_out_what_froze(tool):
    """Notes that earlier runs left, with which the report says something wrong of an experiment: [(notes, outcomes), ...]"""
    name, wrong = 'first-packet', []
    for notes, expected in ((f'trying {name}', 'LOST'), (f'trying {name}\ndone {name}', 'as assumed'),
                            (f'trying {name}\ndone {name}\ntrying {name}', 'LOST'), ('trying sine', 'as assumed')):
        with tempfile.TemporaryDirectory(prefix='tegra20-calibrate-') as directory:
            profile, report = os.path.join(directory, 'profile'), os.path.join(directory, 'report')
            with open(f'{profile}.notes', 'w', encoding='utf-8') as file:
                file.write(notes + '\n')
            subprocess.run([tool, '--calibrate', '--only', 'A83', '--soak', '2', '--profile', profile, '--json', report,
                            '--chip-of', 'A57=16'], capture_output=True)
            with open(report, encoding='utf-8') as file:
                outcomes = {e['name']: e['outcome'] for e in json.load(file)['experiments']}
        if outcomes != {name: expected}:
            wrong.append((notes, outcomes))
    return wrong


def proves_one_of_two(tool):
    """What is wrong with the profile when one experiment fits two assumptions: neither of them is proved; None if nothing is."""
    with tempfile.TemporaryDirectory(prefix='tegra20-calibrate-') as directory:
        found, output = calibrate(tool, (), {'A21': 'dropped'}, 'tegra20', directory, '--only', 'behind-the-eye')
    return None if found else output


CHECKS = [leaves_out_what_froze, goes_on, misjudges_strange_weights, proves_one_of_two]


def main():
    parser = argparse.ArgumentParser(description='Calibration finds the switches of random simulated chips.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--chips', type=part.at_least_one, default=200)
    parser.add_argument('--flips', type=int, default=6)
    parser.add_argument('--seed', type=int, default=1, help='of the first chip')
    parser.add_argument('--results')
    args = parser.parse_args()
    tool = os.path.abspath(os.path.join(args.build, 'tegra20-hwtest'))
    tested = rows_with_experiments(tool)
    rows, seeds = visible_rows(), range(args.seed, args.seed + args.chips)
    chips = [random_chip(rows, random.Random(seed), args.flips) for seed in seeds]
    counts, table = {'exact': 0, 'hidden': 0, 'failed': 0}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda chip: check(tool, tested, rows, *chip), chips)
        for seed, (chip, name), (verdict, detail) in zip(seeds, chips, results):
            counts[verdict] += 1
            if verdict != 'exact':
                table.append(f'{seed:4} {verdict:6} {name} {as_text(chip)}: {detail}')
            if verdict == 'failed':
                print(f'FAIL: seed {table[-1]}', flush=True)
    wrong = [f'FAIL: {check.__name__}: {found}\n' for check in CHECKS if (found := check(tool))]
    print(''.join(wrong), end='')
    if args.results:
        with open(args.results, 'w', encoding='utf-8') as f:
            f.write(measured.head() + '\n\n' +
                    '\n'.join(table) + f'\n\n{counts["exact"]} found exactly, {counts["hidden"]} but for what another one hides '
                    f'in every experiment (named behind the colon), {counts["failed"]} failed\n')
    failed = counts['failed'] + len(wrong)
    print(f'{len(chips) + len(CHECKS) - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
