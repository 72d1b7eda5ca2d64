#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""One-line bugs that nobody wrote by hand, and whether the tests notice them.

  mutate.py [--tree DIR] [--sample N] [--seed S] [--seconds S] [--cpu S] [--room REGEX] [--only TEXT]
            [--report FILE] [--gate] [--named] [--measure] [--kept]

generate.py makes the bugs, of C and Python sources.  A room is a part of the project with the steps that test it (ROOMS).
--sample takes N bugs, as many of each room (--room: of those whose names match; --only: of files with TEXT in their paths) and
of each kind.  The seed gives each bug its place, so that a change elsewhere in the sources leaves the sample as it is.  A bug
is put into a scratch copy of the project (DIR, default build/mutation), and its object is compiled.  When its code stays the
same, or the compiler refuses it or warns of it, another one takes its place.  Then tests run up to the first that fails, short
ones and those that caught much first: of all rooms those that run its line, as --measure found out before (a build with
b_coverage in DIR-reach, half an hour), or all of its room where nobody knows.  It is "caught" if what failed passes without the
bug.  --cpu S leaves out what would take the tests of a bug over S seconds of CPU, but not the first.
Steps:

  unit/NAME           unit tests of tests/unit/NAME; "gl": those of tests/gl
  test NAME           tests of meson whose names begin so
  es2 OPTION...       the grid of OpenGL ES 2.0
  differential STAGE COUNT
  piglit N            every Nth test of ci/piglit-quick.txt
  ci STEP             a step of ci/test
  run COMMAND         anything that ends with "N passed, N failed, N skipped"

--named takes the bugs of named.txt instead: those that a review found no test for, with a step each.  All of them have to be
caught: the exit status is 1 when one survives or does not compile.  A generated bug that survives is measured, whatever it is:
a person finds out whether it changes anything that can be seen, and which test is missing.  --gate, for a release, fails when
fewer than --sample were tried, less than 90 % of them were caught, or less than 80 % of a room.

--seconds begins with no further bug after that time.  --report writes the table by room and the survivors, with the reasons of
survivors.txt; "same: ..." says that one changes nothing.  DIR/build/judged.json keeps what was judged: where the sources have
changed, all is tried again, and first the test that caught it; --kept believes what was found out of other commits in which the
bug's file was the same, which the report names.  The last line is "N caught, N survived, N invalid".
"""

import argparse
import collections
import datetime
import hashlib
import json
import math
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'tests/common'), os.path.dirname(os.path.abspath(__file__))]

import generate  # noqa: E402
import measured  # noqa: E402
import reach  # noqa: E402

# Room: files, steps.
GRID = ['es2 --part 3/16', 'es2']
SHADER_DB = 'ci shader_db --all'
ROOMS = {
    'fragment compiler': (r'src/compiler/tegra20/(fs|isa)/',
                          ['unit/isa', 'unit/fs', 'differential fragment-heavy 20', *GRID, 'gl', SHADER_DB]),
    'partitioner': (r'src/compiler/tegra20/(nir|multipass)/', ['unit/fs', 'gl', 'differential fragment-large 12', SHADER_DB]),
    'vertex compiler': (r'src/compiler/tegra20/(vs|linker)/',
                        ['unit/vs', 'unit/cross', 'differential vertex-heavy 20', 'differential piglit-vertex 60', *GRID,
                         SHADER_DB]),
    'compiler': (r'src/compiler/', ['unit/cross', 'unit/vs', 'unit/fs', 'gl', *GRID]),
    'driver': (r'src/gallium/drivers/', ['unit/driver', 'gl', *GRID, 'piglit 12', 'run tests/hwtest/profile.py --every 900 '
                                         'A34=20 A36=passed A37=none']),
    'winsys': (r'src/gallium/winsys/', ['unit/winsys', 'gl', 'ci replay', 'ci faults']),
    'chip and profile': (r'src/tegra20/', ['unit/chip', 'unit/hw', 'unit/recording', 'unit/registers', 'unit/simulator',
                                           'unit/isa', 'test hardware profile page', 'gl', 'ci hwtest', 'ci chips',
                                           'run tests/setup/check_setup.py --build build',
                                           'run tests/vm/run.py --build build profiles']),
    'VideoCore': (r'sim/vc4/', ['unit/vc4', 'test counters of VideoCore IV',
                               'run tests/programs/programs.py --build build --chip vc4 es2gears',
                               'run tests/videocore/score.py --every 120']),
    'shim': (r'sim/(drm-shim|common|tegra20/kernel)/', ['unit/winsys', 'run tests/docs/check_docs.py errors', 'ci kernels',
                                                        'ci faults', 'gl']),
    'simulator': (r'sim/tegra20/', ['unit/simulator', 'unit/cross', 'unit/fs', *GRID, 'ci hwtest', 'ci replay']),
    'virtual machine': (r'sim/vm/', ['unit/vm', 'ci vm']),
    'tools': (r'tools/', ['unit/isa', 'unit/fs', 'unit/hw', 'run tests/docs/check_docs.py man options flags errors shaderdb',
                          'ci replay', 'ci hwtest', 'run tests/hwtest/calibrate.py --chips 4']),
    'plugin': (r'plugin/', ['ci plugin', 'ci identity', 'run tests/programs/programs.py --build build windows', 'gl']),
    'profiles': (r'tests/hwtest/', ['test runners of chips', 'run tests/hwtest/flip.py --part 5/40',
                                    'run tests/hwtest/calibrate.py --chips 2',
                                    'run tests/hwtest/adversary.py --every 300 --piglit 600 --seeds 1',
                                    'run tests/hwtest/profile.py --every 900 --piglit 900 A21=dropped A57=16']),
}
EVERYTHING = list(dict.fromkeys(step for _, steps in ROOMS.values() for step in steps))
SHARE_OF_ALL, SHARE_OF_ROOM = 90, 80  # percent of a release's bugs that are caught
AT_ONCE = 8  # tests that are linked together
TIMEOUT = 1800
REFUSED = re.compile(r'error:|\[-W(incompatible|int-conversion|unused-(function|but|variable)|parentheses|uninitialized)')

# A test of a step: its name, what ninja has to make, the command, its environment, whether it counts its cases
Trial = collections.namedtuple('Trial', 'step name targets command environment counts')


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        file.write(text)


def load(*path):
    return json.loads(read(*path)) if os.path.exists(os.path.join(*path)) else {}


def room_of(path):
    return next((name for name, (pattern, _) in ROOMS.items() if re.match(pattern, path)), None)


# --- the scratch copy -------------------------------------------------------------------------------------------------

class Tree:
    """The copy, its build, and which of its tests pass without a bug."""

    def __init__(self, path, *options):
        self.path = os.path.abspath(path)
        self.build = os.path.join(self.path, 'build')
        self.copy()
        self.environment = {
            **os.environ, 'CC': 'ccache gcc', 'CXX': 'ccache g++', 'CCACHE_BASEDIR': os.path.abspath(path),
            'CCACHE_NOHASHDIR': '1', 'CCACHE_SLOPPINESS': 'time_macros,include_file_mtime,include_file_ctime',
            'COMPILER_PATH': '/usr/libexec/mold',  # a faster linker, if it is there; the step plugin fails with mold 1
            'PATH': '/usr/bin:' + os.environ['PATH'], 'TEGRA20_DEBUG': 'refuse'}
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            status, output = self.run(['meson', 'setup', 'build', *options], 1800)
            if status:
                sys.exit(f'meson setup failed:\n{output[-2000:]}')
        self.run(['ninja', '-C', 'build', 'build.ninja'])
        self.tests = json.loads(self.run(['meson', 'introspect', 'build', '--tests'])[1])
        targets = json.loads(self.run(['meson', 'introspect', 'build', '--targets'])[1])
        self.files = {t['id']: t['filename'] for t in targets}
        self.commands = {os.path.relpath(os.path.join(c['directory'], c['file']), os.path.abspath(path)): c
                         for c in reversed(json.loads(read(self.build, 'compile_commands.json')))}
        self.state = measured.state(*measured.DRIVER, 'tests', 'tools')
        passes = load(self.build, 'passes.json')
        self.passes = set(passes['tests']) if passes.get('state') == self.state and self.state[-1] != '+' else set()
        self.fails = set()
        self.codes = {}  # of objects without a bug
        self.reach = reach.Reach(os.path.join(self.build, 'reach.json'))
        self.usual = load(self.build, 'usual.json')  # {test: seconds of CPU}
        self.catches = collections.Counter(load(self.build, 'catches.json'))  # {test: bugs}

    def copy(self):
        """Brings the copy up to date without touching what has not changed."""
        names = subprocess.run(['git', 'ls-files'], cwd=TOP, capture_output=True, text=True, check=True).stdout.split('\n')
        for name in filter(None, names):
            source, target = os.path.join(TOP, name), os.path.join(self.path, name)
            if not os.path.isfile(source) or os.path.exists(target) and open(source, 'rb').read() == open(target, 'rb').read():
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
        if not os.path.exists(os.path.join(self.path, 'subprojects/mesa')):
            os.makedirs(os.path.join(self.path, 'subprojects'), exist_ok=True)
            subprocess.run(['cp', '-al', os.path.join(TOP, 'subprojects/mesa'), os.path.join(self.path, 'subprojects/mesa')],
                           check=True)

    def run(self, command, timeout=TIMEOUT, environment=(), cpu=resource.RLIM_INFINITY, directory=None):
        """(status, output); a time-out is -1.  Everything that the command started ends with it.  cpu: seconds of a process."""
        process = subprocess.Popen(command, cwd=directory or self.path, env={**self.environment, **dict(environment)}, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace', start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY)))
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return -1, 'timed out'
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:  # nothing is left of it
                pass
            process.communicate()

    def make(self, targets):
        """None, or why it does not compile."""
        status, output = self.run(['ninja', '-C', 'build', *targets], 1800)
        return None if status == 0 else 'does not compile: ' + ' '.join(re.findall(r'error: (.*)', output)[:1])

    def targets(self, tests):
        outputs = {os.path.abspath(os.path.join(self.path, name)) for names in self.files.values() for name in names}
        needed = set()
        for test in tests:
            if any(os.path.basename(name) == 'tegra20-run' for name in test['cmd']):
                needed.add('tegra20')  # it looks for the driver and the shim beside it
            for name in [f for d in test['depends'] for f in self.files.get(d, [])] + test['cmd']:
                path = os.path.abspath(os.path.join(self.build, name))
                if path in outputs:
                    needed.add(os.path.relpath(path, self.build))
        return sorted(needed)

    # --- tests --------------------------------------------------------------------------------------------------------

    def command(self, step):
        word, *rest = step.split(' ')
        if word == 'es2':
            return ['tests/gl/es2/run.py', '--build', 'build', '--expect', 'ci/es2-fails.txt', '--references',
                    'ci/es2-references.txt', *rest]
        if word == 'differential':
            return ['tests/differential/run.py', '--build', 'build', '--stage', rest[0], '--count', rest[1]]
        if word == 'piglit':
            return ['ci/piglit', '--list', 'ci/piglit-quick.txt', '--every', rest[0], '--from', str(int(rest[0]) // 2)]
        if word == 'ci':
            return ['ci/tests.py', '--alone', *rest]
        return shlex.split(step.partition(' ')[2])

    def trials(self, steps):
        """The tests of the steps: short ones and those that caught much first."""
        found = {}
        for step in steps:
            directory = f'tests/{step}/'
            is_unit = step == 'gl' or step.startswith('unit/')
            if is_unit or step.startswith('test '):
                for test in self.tests:
                    name = test['name'].split(' / ')[-1]
                    if 'fuzz' not in name and any(directory in part for part in test['cmd']) if is_unit else \
                            name.startswith(step[5:]):
                        environment = {**test['env'], 'MALLOC_PERTURB_': '165'}  # as meson does
                        found.setdefault(name, Trial(step, name, self.targets([test]), test['cmd'], environment, False))
            else:
                found[step] = Trial(step, step, ['tegra20', 'meson-test-prereq'], self.command(step), {}, True)
        return sorted(found.values(), key=lambda t: (self.cost(t) + 0.5) / (1 + self.catches[t.name]))

    def cost(self, trial):
        return self.usual.get(trial.name, 30 if trial.counts else 1)

    def attempt(self, trial, left=math.inf):
        """(why it fails or None, seconds of CPU).  One that nobody knows gets what is left, and passes if that is too little."""
        usual, before = self.usual.get(trial.name), resource.getrusage(resource.RUSAGE_CHILDREN)
        # a bug that makes it run, or wait, for ever is noticed soon
        cpu, timeout = ((int(30 + 5 * usual), 120 + 8 * usual) if usual
                        else (int(min(left, 900)) + 1, min(TIMEOUT, 120 + 5 * left)))
        status, output = self.run(trial.command, timeout, trial.environment, cpu, None if trial.counts else self.build)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        counted = re.search(r'(\d+) passed, (\d+) failed', output[-400:])
        if trial.counts and counted:
            failed = None if status == 0 and counted[1] != '0' else f'{counted[2]} failed'
        else:
            failed = None if status in (0, 77) and not trial.counts else 'timed out' if status == -1 else f'status {status}'
        if not usual and seconds > left:
            failed = None
        if not failed:
            self.usual[trial.name] = round(seconds * (2 if seconds > left else 1), 2)
        return failed, seconds

    def passes_without(self, trial, failed):
        """Whether what failed passes without a bug, which is not there now."""
        if trial.name not in self.passes or failed == 'timed out':  # that may be the machine's load
            good = self.make(trial.targets) is None and not self.attempt(trial)[0]
            (self.passes if good else self.fails).add(trial.name)
            if not good:
                print(f'{trial.name} fails without a bug', flush=True)
        return trial.name not in self.fails

    # --- equivalence --------------------------------------------------------------------------------------------------

    def objects(self, path):
        """Object codes of a source, of those that include a header; a message where it is refused."""
        users = [path]
        if path.endswith('.h'):
            name = os.path.basename(path)
            users = [p for p in self.commands if p.endswith('.c') and not p.startswith('subprojects') and
                     os.path.exists(os.path.join(self.path, p)) and f'{name}"' in read(self.path, p)][:6]
        entries = [self.commands[user] for user in users if user in self.commands]
        status, output = self.run(['ninja', '-C', 'build', *(entry['output'] for entry in entries)])
        if not entries or status or REFUSED.search(re.sub(r'\x1b\[[\d;]*[mK]', '', output)):
            return 'refused'
        codes = []
        for entry in entries:
            bare = os.path.join(self.path, 'build', 'bare.o')
            subprocess.run(['objcopy', '--strip-debug', os.path.join(self.build, entry['output']), bare], check=True)
            with open(bare, 'rb') as file:
                codes.append(file.read())
        return codes

    def put(self, mutation, text):
        """Puts a bug into the copy.  "equivalent", "refused" or None; the caller puts the text back."""
        path = mutation.path
        if not path.endswith('.py') and path not in self.codes:
            self.codes[path] = self.objects(path)
        write(generate.apply(mutation, text), self.path, path)
        if path.endswith('.py'):
            return None
        codes = self.objects(path) if self.codes[path] != 'refused' else 'refused'
        return 'refused' if codes == 'refused' else 'equivalent' if codes == self.codes[path] else None


def reaching(tree, mutation, text, steps):
    """The tests that may notice a bug."""
    first, last = (text.count('\n', 0, at) + 1 for at in (mutation.start, mutation.end))
    names = tree.reach.of(mutation.path, text, first, last)
    if names is None:
        return tree.trials(steps)
    blind = {step for step in steps if 'vm' in step}  # counters of a virtual machine stay in it
    return [trial for trial in tree.trials(EVERYTHING)
            if trial.name in names or trial.step in blind or trial.name not in tree.reach.tests]


def judge(tree, mutation, steps, first, limit):
    """(word, detail): caught, survived, equivalent, refused.  first: the test that caught it before; limit: seconds."""
    text = read(tree.path, mutation.path)
    used, made, left = 0, set(), False
    try:
        wrong = tree.put(mutation, text)
        if wrong:
            return wrong, ''
        trials = reaching(tree, mutation, text, steps)
        trials.sort(key=lambda t: t.name != first)
        for at, trial in enumerate(trials):
            if trial.name in tree.fails:
                continue
            if used and used + tree.cost(trial) > limit:
                left = True
                continue
            if not made.issuperset(trial.targets):
                targets = {target for t in trials[at:at + AT_ONCE if at else 1] for target in t.targets}
                broken = tree.make(sorted(targets))
                if broken:  # by a script of the build
                    return ('caught', 'the build') if mutation.path.endswith('.py') else ('refused', broken)
                made.update(targets)
            failed, seconds = tree.attempt(trial, limit - used)
            used += seconds
            if failed:
                write(text, tree.path, mutation.path)
                if tree.passes_without(trial, failed):
                    tree.catches[trial.name] += 1
                    return 'caught', trial.name
                made.clear()
                write(generate.apply(mutation, text), tree.path, mutation.path)
        tests = f'{len(trials)} tests' if trials else 'no test runs it'
        return 'survived', f'{used:.0f} s of {tests}' if left else tests
    finally:
        write(text, tree.path, mutation.path)
        write(json.dumps(tree.usual, indent=0), tree.build, 'usual.json')
        write(json.dumps(tree.catches, indent=0), tree.build, 'catches.json')
        write(json.dumps({'state': tree.state, 'tests': sorted(tree.passes)}, indent=0), tree.build, 'passes.json')


# --- what is tried ----------------------------------------------------------------------------------------------------

def sources(room='', only=''):
    """{room: [path, ...]}"""
    names = subprocess.run(['git', 'ls-files', 'src', 'sim', 'tools', 'plugin', 'tests/hwtest'], cwd=TOP, capture_output=True,
                           text=True, check=True).stdout.split('\n')
    found = {}
    for name in names:
        if re.search(r'\.(c|h|py)$', name) and only in name and room_of(name) and re.search(room, room_of(name)):
            found.setdefault(room_of(name), []).append(name)
    return found


def key(mutation, text):
    """What it is, wherever it stands in its file."""
    start, end = text.rfind('\n', 0, mutation.start) + 1, text.find('\n', mutation.end)
    parts = text[start:mutation.start], text[mutation.start:mutation.end], text[mutation.end:end]
    return ' '.join(f'{mutation.path}: {mutation.kind}: {"@@".join(parts)}: {mutation.new}'.split())


def drawn(rooms, seed):
    """Bugs without end: one of each room in turn; of a room one of each kind in turn, in the order of their digests."""
    pools = {}
    for room, paths in random.Random(seed).sample(sorted(rooms.items()), len(rooms)):
        kinds = pools.setdefault(room, {})
        for path in paths:
            text = read(TOP, path)
            for mutation in generate.candidates(path, text):
                digest = hashlib.sha1(f'{seed} {key(mutation, text)}'.encode()).digest()
                kinds.setdefault(mutation.kind, []).append((digest, mutation))
    pools = {room: [sorted(kinds[kind]) for kind in sorted(kinds)] for room, kinds in pools.items()}
    for turn in range(max(len(kind) for kinds in pools.values() for kind in kinds) * 5):
        for room, kinds in pools.items():
            kind = kinds[(turn + seed) % len(kinds)]
            if turn // len(kinds) < len(kind):
                yield room, kind[turn // len(kinds)][1]


def named_bugs():
    """[(room, mutation, steps)] of named.txt: "@ NAME FILE", "- line", "+ line with the bug", "= step; step"."""
    bugs = []
    for block in re.findall(r'^@ (.*)\n- (.*)\n\+ ?(.*)\n= (.*)$', read(TOP, 'tests/mutation/named.txt'), re.M):
        name, path = block[0].split(' ')
        text = read(TOP, path)
        at = [m.start() for m in re.finditer(rf'(?<![^\n ]){re.escape(block[1])}(?=\n)', text)]
        if len(at) != 1:
            sys.exit(f'named.txt: {name}: its line is {len(at)} times in {path}; adapt it to the code as it is now')
        mutation = generate.Mutation(name, path, at[0], at[0] + len(block[1]), block[2])
        bugs.append((f'named {name}', mutation, block[3].split('; ')))
    return bugs


class Judged:
    """What earlier runs found: {bug and file: [word, detail, state of the sources, limit]}."""

    def __init__(self, path, state, kept):
        self.path, self.state, self.known, self.kept, self.states = path, state, load(path), kept, set()

    @staticmethod
    def name(mutation, text):
        return f'{key(mutation, text)} {mutation.start} {hashlib.sha1(text.encode()).hexdigest()}'

    def get(self, mutation, text):
        return self.known.get(self.name(mutation, text), ['', '', '', 0])

    def keep(self, mutation, text, word, detail, limit):
        self.known[self.name(mutation, text)] = [word, detail, self.state, limit]
        write(json.dumps(self.known, indent=0), self.path)


def try_bug(tree, judged, mutation, text, steps, limit):
    """(word, detail) of a bug, as it was judged before where that holds."""
    word, detail, state, before = judged.get(mutation, text)
    same = state == judged.state and not state.endswith('+')
    if word in ('equivalent', 'refused'):
        return word, detail
    if (same or judged.kept) and (word == 'caught' or word and before >= limit):
        judged.states.add(state)
        return word, detail
    word, detail = judge(tree, mutation, steps, detail if word == 'caught' else '', limit)
    judged.keep(mutation, text, word, detail, limit)
    judged.states.add(judged.state)
    return word, detail


def reasons():
    """{bug: reason} of survivors.txt; "same: ..." of those that change nothing."""
    lines = read(TOP, 'tests/mutation/survivors.txt').split('\n')
    return dict(line.split(' # ') for line in lines if ' # ' in line and not line.startswith('#'))


def report(rows, states):
    """The table by room, and the survivors; states of the sources.  rows: (room, word, place, detail, bug)"""
    known = reasons()
    lines = [f'{measured.command()}, {datetime.date.today()}, of commit {", ".join(sorted(states))}', '',
             f'{"room":20} {"caught":>7} {"survived":>9} {"share":>7} {"same":>10} {"refused":>8}']
    for room in [*dict.fromkeys(row[0] for row in rows), 'all']:
        n = collections.Counter(row[1] for row in rows if room in (row[0], 'all'))
        share = f'{100 * n["caught"] / (n["caught"] + n["survived"]):.0f} %' if n['caught'] + n['survived'] else '-'
        lines.append(f'{room:20} {n["caught"]:7} {n["survived"]:9} {share:>7} {n["equivalent"]:10} {n["refused"]:8}')
    lines += ['', 'survived (the tests that ran; why no test notices it):']
    for room, word, place, detail, name in rows:
        if word == 'survived':
            lines += [f'{room}: {place}', f'   {detail}; {known.get(name, "nobody has looked")}']
    return '\n'.join(lines) + '\n'


def shortfall(rows, wanted):
    """What a release lacks, in words."""
    judged = [(row[0], row[1]) for row in rows if row[1] in ('caught', 'survived')]
    found = [f'{len(judged)} bugs were tried, not {wanted}'] if len(judged) < wanted else []
    for room, share in [('all', SHARE_OF_ALL), *((room, SHARE_OF_ROOM) for room in dict.fromkeys(room for room, _ in judged))]:
        words = [word for of, word in judged if room in (of, 'all')]
        if 100 * words.count('caught') < share * len(words):
            found.append(f'{room}: {words.count("caught")} of {len(words)} are caught, less than {share} %')
    return found


def main():
    parser = argparse.ArgumentParser(description='One-line bugs, and whether the tests notice them.')
    parser.add_argument('--tree', default=os.path.join(TOP, 'build', 'mutation'))
    parser.add_argument('--sample', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=math.inf)
    parser.add_argument('--room', default='')
    parser.add_argument('--only', default='')
    parser.add_argument('--cpu', type=float, default=math.inf)
    parser.add_argument('--gate', action='store_true')
    parser.add_argument('--named', action='store_true')
    parser.add_argument('--measure', action='store_true')
    parser.add_argument('--kept', action='store_true')
    parser.add_argument('--report', metavar='FILE')
    args = parser.parse_args()
    if args.named:
        bugs = [bug for bug in named_bugs() if args.only in bug[0]]
        bugs = random.Random(args.seed).sample(bugs, min(args.sample, len(bugs)))
        if not bugs:
            parser.error('no named bug has this in its name')
    else:
        rooms = sources(args.room, args.only)
        bugs = ((room, mutation, ROOMS[room][1]) for room, mutation in drawn(rooms, args.seed))
        if not rooms:
            parser.error('no file is in such a room or has such a path')
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # whoever ends it finds the sources without a bug
    tree = Tree(args.tree)
    if args.measure:
        copy = Tree(args.tree + '-reach', '-Db_coverage=true', '-Dmesa:b_coverage=false')
        copy.make(['all', 'meson-test-prereq'])
        tree.reach.measure(copy, copy.trials(EVERYTHING))
        return 0
    judged, rows = Judged(os.path.join(args.tree, 'build/judged.json'), tree.state, args.kept), []
    end = time.monotonic() + args.seconds
    wanted, known = len(bugs) if args.named else args.sample, reasons()
    counts = {'caught': 0, 'survived': 0, 'invalid': 0}
    # so many of each room
    left = {room: 1 for room, _, _ in bugs} if args.named else {room: math.ceil(wanted / len(rooms)) for room in rooms}
    for room, mutation, steps in bugs:
        if time.monotonic() > end or counts['caught'] + counts['survived'] >= wanted:
            break
        if left[room] == 0:
            continue
        text = read(tree.path, mutation.path)
        word, detail = try_bug(tree, judged, mutation, text, steps, args.cpu)
        place = f'{mutation.path}:{generate.describe(mutation, text)}'
        if word == 'survived' and known.get(key(mutation, text), '').startswith('same: '):
            word = 'equivalent'
        rows.append((room, word, place, detail, key(mutation, text)))
        if word in counts:
            counts[word] += 1
            left[room] -= 1
        elif args.named:
            counts['invalid'] += 1
        print(f'{word:10} {room}: {place}' + (f': {detail}' if detail else ''), flush=True)
        if args.report:
            write(report(rows, judged.states), args.report)
    lacks = shortfall(rows, wanted) if args.gate else []
    print('\n'.join(lacks), end='\n' * bool(lacks))
    print(', '.join(f'{n} {word}' for word, n in counts.items()))
    return 1 if lacks or args.named and counts['survived'] + counts['invalid'] else 0


if __name__ == '__main__':
    sys.exit(main())
