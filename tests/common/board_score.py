# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Scores of simulated chips against boards: piglit on a chip with Mesa's driver, each result compared with the lists of Mesa's
tree that say what boards do.

A test that no list names passes on boards.  Flaky tests and those that are skipped on either side (Mesa's list of those is
matched before the run) do not count.  A test with subtests counts by what it says itself, and each subtest counts, as in the
lists: a test may fail or crash where all subtests that it came to pass, and a crash is the test's.

Environment: BUILD_DIR, of the build (default build).
"""

import argparse
import bz2
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile

import measured

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = {'pass', 'warn'}


@dataclasses.dataclass
class Boards:
    """A simulated chip, and where the lists of its boards are."""
    name: str
    chip: str  # of tegra20-run
    lists: str  # in Mesa's tree: what -fails.txt, -flakes.txt and -skips.txt follow
    folder: str  # of causes.txt and renamed.txt
    sources: tuple  # of the simulator
    options: tuple = ()  # of tegra20-run
    script: str = 'score.py'

    def read(self, name):
        """Lines of a list that say something."""
        path = os.path.join(TOP, 'subprojects/mesa/src', f'{self.lists}-{name}.txt')
        with open(path, encoding='utf-8') as file:
            return [line.strip() for line in file if line.strip() and not line.startswith('#')]

    def renamed(self):
        """{name in Debian's piglit: name in the lists, which are of a later piglit}."""
        path = os.path.join(TOP, self.folder, 'renamed.txt')
        if not os.path.exists(path):
            return {}
        with open(path, encoding='utf-8') as file:
            return dict(line.rstrip('\n').split('\t') for line in file if line.strip() and not line.startswith('#'))

    def fails(self):
        """What boards do not pass."""
        fails = {plain(line.rpartition(',')[0]) for line in self.read('fails')}
        return fails | {old for old, new in self.renamed().items() if new in fails}

    def program(self):
        """How this was called."""
        return f'{self.folder}/{self.script}'


def plain(name):
    """Piglit's results have names in small letters, Mesa's lists "-" for a comma."""
    return name.lower().replace(',', '-')


def list_tests(profile):
    run = subprocess.run(['piglit', 'print-cmd', '--format', '{name}', profile], capture_output=True, text=True, check=True)
    return [line.strip() for line in run.stdout.split('\n') if line.strip()]


def run_piglit(boards, profile, tests, timeout, environment=None):
    """{test: what piglit says of it}"""
    with tempfile.TemporaryDirectory() as directory:
        names = os.path.join(directory, 'names')
        with open(names, 'w', encoding='utf-8') as file:
            file.write('\n'.join(tests) + '\n')
        results = os.path.join(directory, 'results')
        env = dict(os.environ, WAFFLE_GBM_DEVICE='/dev/dri/renderD128', EGL_PLATFORM='drm',
                   XDG_RUNTIME_DIR=os.environ.get('XDG_RUNTIME_DIR', '/tmp'), **environment or {})
        run = subprocess.run(
            [os.path.join(TOP, os.environ.get('BUILD_DIR', 'build'), 'tegra20-run'), '--chip', boards.chip,
             *boards.options, '--', 'piglit', 'run', '-j', '1', '-p', 'gbm',
             '--timeout', str(timeout), '-l', 'quiet', '--test-list', names, profile, results],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        path = os.path.join(results, 'results.json.bz2')
        if not os.path.exists(path):
            sys.exit(f'{boards.program()}: piglit wrote no results:\n{run.stdout}')
        with bz2.open(path) as file:
            return json.load(file)['tests']


def run_tests(boards, profile, tests, timeout):
    """{test or test@subtest: result}."""
    flat = {}
    for name, test in run_piglit(boards, profile, tests, timeout).items():
        subtests = {k: v for k, v in (test.get('subtests') or {}).items() if not k.startswith('__')}
        flat[name] = own_result(test, subtests)
        # The runner of these tests gives the crash to the subtest that would have been next.
        flat.update({f'{name}@{subtest}': result for subtest, result in subtests.items() if result != 'crash'})
    return flat


def own_result(test, subtests):
    """What a test says itself: piglit gives it the worst of its subtests' results."""
    if not subtests or test['result'] in ('crash', 'timeout', 'incomplete'):
        return test['result']
    if test.get('returncode') == 1:
        return 'fail'
    return 'skip' if set(subtests.values()) <= {'skip', 'notrun'} else 'pass'


def compare(boards, results):
    fails = boards.fails()
    flakes = [re.compile(line, re.IGNORECASE) for line in boards.read('flakes') if '*' in line or '[' in line]
    flaky = set(map(plain, boards.read('flakes')))
    skips = [re.compile(line, re.IGNORECASE) for line in boards.read('skips')]
    counts = {'agree': 0, 'both fail': 0, 'not counted': 0}
    differences = []
    for name, result in sorted(results.items()):
        if result in ('skip', 'notrun') or plain(name) in flaky or any(p.search(name) for p in skips + flakes):
            counts['not counted'] += 1
            continue
        board, ours = 'fail' if plain(name) in fails else 'pass', 'pass' if result in GOOD else 'fail'
        if board == ours:
            counts['agree'] += 1
            counts['both fail'] += board == 'fail'
        else:
            differences.append((name, board, result))
    return counts, differences


def read_causes(path):
    with open(path, encoding='utf-8') as file:
        lines = [line.rstrip('\n') for line in file if line.strip() and not line.startswith('#')]
    return [(re.compile(pattern), cause) for pattern, cause in (line.split('\t') for line in lines)]


def cause_of(name, causes):
    return next((cause for pattern, cause in causes if pattern.search(name)), 'unknown')


def run_profiles(boards, args, names=None):
    """Results of what --profiles, --include, --every and --first select; with names, of these tests."""
    skips = [re.compile(line) for line in boards.read('skips')]
    results = {}
    for profile in args.profiles.split(','):
        tests = [t for t in list_tests(profile) if not any(p.search(t) for p in skips)]
        if names is None:
            tests = [t for t in tests if not args.include or any(re.search(i, t) for i in args.include)]
            tests = tests[args.first::args.every]
        else:
            # A disagreement may be a subtest's.
            tests = [t for t in tests if any(name == t or name.startswith(t + '@') for name in names)]
        if tests:
            results.update(run_tests(boards, profile, tests, args.timeout))
    return results


DISAGREEMENT = re.compile(r'^(.*): board (pass|fail), simulated ([a-z]+): ')


def read_report(path):
    """Names of disagreements, and how many results there were."""
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    names = [match.group(1) for match in map(DISAGREEMENT.match, lines) if match]
    counts = [int(m.group(1)) for m in (re.match(r'agreement: .* of (\d+) results', line) for line in lines) if m]
    return list(dict.fromkeys(names)), sum(counts)


def run_again(boards, args, causes):
    """Lines about the disagreements of an earlier report."""
    names, total = read_report(args.again)
    results = run_profiles(boards, args, names)
    _, differences = compare(boards, {name: result for name, result in results.items() if name in names})
    gone = [name for name in names if name not in results]
    left = len(differences)
    return [
        '',
        f'again: {len(names)} disagreements of {total} results in {os.path.relpath(args.again, TOP)}: {len(names) - left} '
        f'agree now ({len(gone)} are no results of their own any more), {left} do not',
        f'together: {(total - left) * 100 / total:.2f} % of {total} results, where nothing else has changed since',
    ] + describe(differences, causes)


def describe(differences, causes):
    return [f'{name}: board {board}, simulated {ours}: {cause_of(name, causes)}' for name, board, ours in differences]


def main(boards, description):
    """Of a chip's score.py; the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--include', action='append', default=[])
    parser.add_argument('--profiles', default='quick_gl,quick_shader')
    parser.add_argument('--timeout', type=int, default=60)
    parser.add_argument('--report')
    parser.add_argument('--results')
    parser.add_argument('--again')
    parser.add_argument('--causes', default=os.path.join(TOP, boards.folder, 'causes.txt'))
    args = parser.parse_args()
    state = measured.state(*boards.sources, 'sim/drm-shim', 'plugin', 'meson.build')
    kept = {'state': state, 'parts': [], 'results': {}}
    if args.results and os.path.exists(args.results):
        with open(args.results, encoding='utf-8') as file:
            kept = json.load(file)
        if kept['state'] != state:
            sys.exit(f'score.py: {args.results} is of {kept["state"]}, the simulator of {state}')
    if args.every:
        kept['results'].update(run_profiles(boards, args))
        kept['parts'].append(f'{args.first} of {args.every}' + ''.join(f' {i}' for i in args.include))
    if args.results:
        with open(args.results, 'w', encoding='utf-8') as file:
            json.dump(kept, file, indent=0, sort_keys=True)
    causes = read_causes(args.causes)
    text = [f'# Piglit on the simulated {boards.name} against the lists of boards in Mesa: {boards.program()}',
            f'state: {state}']
    if kept['results']:
        counts, differences = compare(boards, kept['results'])
        total = counts['agree'] + len(differences)
        if not total:
            sys.exit('score.py: no test counts')
        text += [
            f'parts: {", ".join(kept["parts"])}',
            f'agreement: {counts["agree"] * 100 / total:.2f} % of {total} results ({counts["both fail"]} of them fail on both, '
            f'{counts["not counted"]} skipped or flaky ones not counted)',
            f'disagreements: {len(differences)}',
        ] + describe(differences, causes)
    if args.again:
        text += run_again(boards, args, causes)
    print('\n'.join(text))
    if args.report:
        with open(args.report, 'w', encoding='utf-8') as file:
            file.write('\n'.join(text) + '\n')
    unknown = sum(line.endswith(': unknown') for line in text if not line.startswith('state: '))
    if kept['results']:
        print(f'{counts["agree"]} passed, {unknown} failed, {len(differences) - unknown + counts["not counted"]} skipped')
    return 1 if unknown else 0
