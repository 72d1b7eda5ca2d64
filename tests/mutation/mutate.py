#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""One-line bugs, and whether the tests notice them.

  mutate.py [--tree DIR] [--sample N [--seed S]] [--seconds S] [--only TEXT] [--caught FILE] [--list FILE] [--report FILE]
            [--check]

Takes each bug of mutations.txt, puts it into a scratch copy of the project (DIR, default build/mutation), builds what its
step needs and runs the step.  A bug is caught when a test fails, survives when none does, and is invalid when its line is
not there exactly once, when it does not compile, or when the step fails without it.  A survivor needs a reason in the
list.  Nothing in the project itself is changed; runs with different trees may go on at the same time.

--sample takes N at random, --only those whose number, file or step holds TEXT, --caught those that an earlier report
calls caught; --check only looks whether every line is there; --report keeps the results, with the commit: a run with a
report of the same state goes on where the last one stopped. Groups of unit tests are those of tests/unit/GROUP; "test" is
a test of meson by name, "es2" families of the grid, "differential" a stage of tests/differential/run.py with a number of
programs. The last line is "N caught, N survived, N invalid".
"""

import argparse
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import measured  # noqa: E402

# What the results depend on.
STATE = (*measured.DRIVER, 'tests')
GROUPS = {'sim': 'simulator', 'fs': 'fs', 'vs': 'vs', 'cross': 'cross', 'isa': 'isa', 'winsys': 'winsys',
          'registers': 'registers', 'recording': 'recording', 'driver': 'driver'}
TIMEOUT = 900


class Mutation:
    def __init__(self, number, path):
        self.number, self.path, self.old, self.new, self.steps, self.reason = number, path, None, None, [], None

    def text(self, directory):
        """The file with the bug, or None when the line is not there exactly once."""
        name = os.path.join(directory, self.path)
        if not os.path.exists(name):
            return None
        with open(name, encoding='utf-8') as file:
            lines = file.read().split('\n')
        at = [i for i, line in enumerate(lines) if line.strip() == self.old]
        if len(at) != 1:
            return None
        lines[at[0]] = lines[at[0]].replace(self.old, self.new)
        return '\n'.join(lines)


def read_list(path):
    mutations = []
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip('\n')
            if not line or line.startswith('#'):
                continue
            kind, rest = line[0], line[2:]
            if kind == '@':
                mutations.append(Mutation(*rest.split(' ')))
            elif kind == '-':
                mutations[-1].old = rest
            elif kind == '+':
                mutations[-1].new = rest
            elif kind == '=':
                mutations[-1].steps = parse_steps(rest)
            elif kind == '?':
                mutations[-1].reason = rest
            else:
                sys.exit(f'{path}:{number}: not understood: {line}')
    return mutations


def parse_steps(text):
    """[("group", name) | ("test", name) | ("es2", families) | ("differential", stage, count)]"""
    words, steps = text.split(' '), []
    while words:
        word = words.pop(0)
        if word in GROUPS:
            steps.append(('group', word))
        elif word == 'test':
            steps.append(('test', ' '.join(words)))
            words = []
        elif word == 'es2':
            steps.append(('es2',) + tuple(words))
            words = []
        elif word == 'differential':
            steps.append(('differential', words.pop(0), words.pop(0)))
        else:
            sys.exit(f'unknown step {word!r} in {text!r}')
    return steps


# --- the scratch copy -------------------------------------------------------------------------------------------------

def copy_project(tree):
    """Brings the copy up to date without touching what has not changed."""
    names = subprocess.run(['git', 'ls-files'], cwd=TOP, capture_output=True, text=True, check=True).stdout.split('\n')
    for name in filter(None, names):
        source, target = os.path.join(TOP, name), os.path.join(tree, name)
        if not os.path.isfile(source):
            continue
        if os.path.exists(target) and open(source, 'rb').read() == open(target, 'rb').read():
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)
    if not os.path.exists(os.path.join(tree, 'subprojects/mesa')):
        os.makedirs(os.path.join(tree, 'subprojects'), exist_ok=True)
        subprocess.run(['cp', '-al', os.path.join(TOP, 'subprojects/mesa'), os.path.join(tree, 'subprojects/mesa')], check=True)


def environment(tree):
    """As ci/setup compiles: copies of the project share compiled objects."""
    return {**os.environ, 'CC': 'ccache gcc', 'CXX': 'ccache g++', 'CCACHE_BASEDIR': os.path.abspath(tree),
            'CCACHE_NOHASHDIR': '1', 'CCACHE_SLOPPINESS': 'time_macros,include_file_mtime,include_file_ctime',
            'PATH': '/usr/bin:' + os.environ['PATH']}


def run(tree, command, timeout=TIMEOUT):
    """(status, output); a time-out is -1.  Everything that the command started ends with it."""
    process = subprocess.Popen(command, cwd=tree, env=environment(tree), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors='replace', start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, 'timed out'


class Build:
    """Which tests there are, and what they need."""

    def __init__(self, tree):
        self.tree = tree
        if not os.path.exists(os.path.join(tree, 'build/build.ninja')):
            status, output = run(tree, ['meson', 'setup', 'build'], 1800)
            if status:
                sys.exit(f'meson setup failed:\n{output[-2000:]}')
        else:
            run(tree, ['ninja', '-C', 'build', 'build.ninja'])
        self.tests = self.introspect('--tests')
        self.files = {t['id']: t['filename'] for t in self.introspect('--targets')}

    def introspect(self, what):
        return json.loads(run(self.tree, ['meson', 'introspect', 'build', what])[1])

    def chosen(self, step):
        directory = os.path.join('tests/unit', GROUPS[step[1]]) + '/' if step[0] == 'group' else None
        for test in self.tests:
            if step[0] == 'test' and test['name'].startswith(step[1]):
                yield test
            elif directory and 'fuzz' not in test['name'] and any(directory in part for part in test['cmd']):
                yield test

    def targets(self, tests):
        build = os.path.join(self.tree, 'build')
        outputs = {os.path.abspath(name) for names in self.files.values() for name in names}
        needed = set()
        for test in tests:
            if any(os.path.basename(name) == 'tegra20-run' for name in test['cmd']):
                needed.add('tegra20')  # it looks for the driver and the shim beside it
            for name in [f for d in test['depends'] for f in self.files.get(d, [])] + test['cmd']:
                path = os.path.abspath(os.path.join(build, name))
                if path in outputs:
                    needed.add(os.path.relpath(path, build))
        return sorted(needed)


def run_step(build, step):
    """None when it passes, else what failed."""
    if step[0] in ('group', 'test'):
        tests = list(build.chosen(step))
        if not tests:
            return 'invalid: there is no such test'
        status, output = run(build.tree, ['ninja', '-C', 'build'] + build.targets(tests), 1800)
        if status:
            return 'invalid: does not compile: ' + ' '.join(re.findall(r'error: (.*)', output)[:1])
        names = [test['name'] for test in tests]
        status, output = run(build.tree, ['meson', 'test', '-C', 'build', '--no-rebuild', '--num-processes', '1', '--maxfail',
                                          '1'] + names)
        failed = re.findall(r'\d+/\d+ (?:\S+ / )?(.*?) +(?:FAIL|TIMEOUT|ERROR)', output)
        return None if status == 0 else 'timed out' if status == -1 else ', '.join(failed[:1]) or 'meson test'
    status, output = run(build.tree, ['ninja', '-C', 'build', 'tegra20', 'tests/gl/es2/tegra20-es2',
                                      'tests/differential/tegra20-differential', 'tests/differential/tegra20-bounds'], 1800)
    if status:
        return 'invalid: does not compile: ' + ' '.join(re.findall(r'error: (.*)', output)[:1])
    if step[0] == 'es2':
        status, output = run(build.tree, ['tests/gl/es2/run.py', '--build', 'build', '--expect', 'ci/es2-fails.txt',
                                          '--references', 'ci/es2-references.txt'] + list(step[1:]))
    else:
        status, output = run(build.tree, ['tests/differential/run.py', '--build', 'build', '--stage', step[1], '--count',
                                          step[2]])
    failed = re.search(r'(\d+) failed', output[-200:])
    return None if status == 0 else f'{" ".join(step[:2])}: {failed[0] if failed else "ended early"}'


def judge(build, mutation, baseline):
    """(word, detail)"""
    text = mutation.text(build.tree)
    if text is None:
        return 'invalid', 'the line is not there exactly once'
    for step in mutation.steps:
        if step not in baseline:
            baseline[step] = run_step(build, step)
        if baseline[step]:
            return 'invalid', f'{" ".join(step)} fails without a bug: {baseline[step]}'
    name = os.path.join(build.tree, mutation.path)
    with open(name, encoding='utf-8') as file:
        original = file.read()
    try:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text)
        for step in mutation.steps:
            failed = run_step(build, step)
            if failed:
                return ('invalid', failed[9:]) if failed.startswith('invalid: ') else ('caught', failed)
        return 'survived', mutation.reason or 'NO REASON'
    finally:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(original)


def known_results(path, state=None):
    """{number: line} of a report; of one of another state than the one asked for, nothing."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        if state and not file.readline().endswith(f' {state}\n'):
            return {}
        matches = (re.match(r'(\d+) (caught|survived|invalid) +(.*)', line) for line in file)
        return {m[1]: m[0] for m in matches if m and m[2] != 'invalid'}


def describe(counts):
    return ', '.join(f'{n} {word}' for word, n in counts.items())


def main():
    parser = argparse.ArgumentParser(description='One-line bugs, and whether the tests notice them.')
    parser.add_argument('--tree', default=os.path.join(TOP, 'build', 'mutation'))
    parser.add_argument('--list', default=os.path.join(TOP, 'tests/mutation/mutations.txt'))
    parser.add_argument('--sample', type=int)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--seconds', type=float, default=math.inf, help='begin with no further one after that time')
    parser.add_argument('--only')
    parser.add_argument('--report')
    parser.add_argument('--caught', help='only those that this report calls caught and whose line is there')
    parser.add_argument('--check', action='store_true')
    args = parser.parse_args()
    mutations = read_list(args.list)
    if args.only:
        mutations = [m for m in mutations if re.search(args.only, f'{m.number} {m.path} {m.steps}')]
    if args.check:
        gone = [m for m in mutations if m.text(TOP) is None]
        print(''.join(f'{m.number} {m.path}: the line is not there exactly once: {m.old}\n' for m in gone), end='')
        print(f'{len(mutations) - len(gone)} passed, {len(gone)} failed, 0 skipped')
        return 1 if gone else 0
    if args.caught:
        caught = {number for number, line in known_results(args.caught).items() if line.split()[1] == 'caught'}
        mutations = [m for m in mutations if m.number in caught and m.text(TOP) is not None]
    if args.sample:
        seed = args.seed if args.seed is not None else int(time.time())
        print(f'{args.sample} at random, seed {seed}')
        mutations = random.Random(seed).sample(mutations, args.sample)
    copy_project(args.tree)
    build, baseline = Build(args.tree), {}
    state = measured.state(*STATE)
    lines, counts = known_results(args.report, state), {'caught': 0, 'survived': 0, 'invalid': 0}
    unexplained = 0
    end = time.monotonic() + args.seconds
    for mutation in mutations:
        if time.monotonic() > end:
            print(f'no time for number {mutation.number}')
            continue
        if mutation.number not in lines:
            word, detail = judge(build, mutation, baseline)
            lines[mutation.number] = f'{mutation.number} {word:8} {os.path.basename(mutation.path)}: {detail}'
            print(lines[mutation.number], flush=True)
        word = lines[mutation.number].split()[1]
        counts[word] += 1
        unexplained += word == 'invalid' or word == 'survived' and not mutation.reason
        if args.report:
            with open(args.report, 'w', encoding='utf-8') as file:
                file.write(measured.head('tests/mutation/mutate.py --report FILE', *STATE) + '\n')
                file.write(''.join(lines[number] + '\n' for number in sorted(lines)))
                file.write(describe(counts) + '\n')
    total = describe(counts)
    print(total)
    return 1 if unexplained else 0


if __name__ == '__main__':
    sys.exit(main())
