#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""One-line bugs that nobody wrote by hand, and whether the tests notice them.

  mutate.py [--tree DIR] [--sample N] [--seed S] [--seconds S] [--room REGEX] [--only TEXT] [--steps N] [--then STEP ...]
            [--list] [--report FILE] [--named]

generate.py makes the bugs, of C and Python sources.  A room is a part of the project with the steps that test it (ROOMS).
--sample takes N bugs by the seed, in turn from each room (--room: of those whose names match; --only: of files with
TEXT in their paths), --list prints them.  A bug is put into a scratch copy of the project (DIR, default build/mutation).  When
the object code stays the same, or the compiler refuses it or warns of it, another one takes its place.  Then the steps of its
room run, up to the first failure: "caught", if what failed passes without the bug.  --steps takes only the first N steps of
each room, --then appends more.
Steps:

  unit/NAME           unit tests of tests/unit/NAME, the shortest first; "gl": those of tests/gl
  es2 FAMILY...       families of the grid of OpenGL ES 2.0, or all
  differential STAGE COUNT
  piglit N            every Nth test of ci/piglit-quick.txt
  ci STEP             a step of ci/test
  run COMMAND         anything that ends with "N passed, N failed, N skipped"
  test NAME           tests of meson whose names begin so

--named takes the bugs of named.txt instead: those that a review found no test for, with a step each.  All of them have to be
caught: the exit status is 1 when one survives or does not compile.  A generated bug that survives is measured, whatever it is:
a person finds out whether it changes anything that can be seen, and which test is missing.

--seconds begins with no further bug after that time. --report writes the table by room and the survivors. What was judged is
kept in DIR/build/judged.json, and not tried again while the sources are the same. The last line is "N caught, N survived, N
invalid".
"""

import argparse
import json
import math
import os
import random
import re
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

# Room: files, steps; what a room has is tried from the cheapest on.
GRID = 'es2'
ROOMS = {
    'fragment compiler': (r'src/compiler/tegra20/(fs|isa)/', ['unit/isa', 'unit/fs', 'differential fragment 60', GRID, 'gl']),
    'partitioner': (r'src/compiler/tegra20/nir/', ['unit/fs', 'gl', 'differential fragment-large 12']),
    'vertex compiler': (r'src/compiler/tegra20/(vs|linker)/',
                        ['unit/vs', 'unit/cross', 'differential vertex 60', 'differential piglit-vertex 60', GRID]),
    'compiler': (r'src/compiler/', ['unit/cross', 'unit/vs', 'unit/fs', 'gl', GRID]),
    'driver': (r'src/gallium/drivers/', ['unit/driver', 'gl', GRID, 'piglit 12']),
    'winsys': (r'src/gallium/winsys/', ['unit/winsys', 'gl', 'ci replay', 'ci faults']),
    'chip and profile': (r'src/tegra20/', ['unit/chip', 'unit/hw', 'unit/recording', 'unit/registers', 'unit/simulator',
                                           'unit/isa', 'gl', 'ci hwtest', 'ci chips']),
    'VideoCore': (r'sim/vc4/', ['unit/vc4', 'run tests/videocore/score.py --every 120',
                               'run tests/programs/programs.py --build build --chip vc4 es2gears']),
    'shim': (r'sim/(drm-shim|common|tegra20/kernel)/', ['unit/winsys', 'gl', 'ci kernels', 'ci faults']),
    'simulator': (r'sim/tegra20/', ['unit/simulator', 'unit/cross', 'unit/fs', GRID, 'ci hwtest', 'ci replay']),
    'virtual machine': (r'sim/vm/', ['unit/vm', 'ci vm']),
    'tools': (r'tools/', ['unit/isa', 'unit/hw', 'run tests/docs/check_docs.py man options errors shaderdb', 'ci replay',
                          'ci hwtest', 'run tests/hwtest/calibrate.py --chips 4']),
    'plugin': (r'plugin/', ['ci plugin', 'ci identity', 'gl']),
    'profiles': (r'tests/hwtest/', ['run tests/hwtest/calibrate.py --chips 2',
                                    'run tests/hwtest/profile.py --every 900 --sample 2 --piglit 900 A21=dropped A57=16']),
}
TIMEOUT = 900
SHORT = 5  # seconds: such tests of a group run before the others
REFUSED = re.compile(r'error:|\[-W(incompatible|int-conversion|unused-(function|but|variable)|parentheses|uninitialized)')


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        file.write(text)


def room_of(path):
    return next((name for name, (pattern, _) in ROOMS.items() if re.match(pattern, path)), None)


# --- the scratch copy -------------------------------------------------------------------------------------------------

class Tree:
    """The copy, its build, and which of its tests pass without a bug."""

    def __init__(self, path):
        self.path, self.build = path, os.path.join(path, 'build')
        self.copy()
        self.environment = {
            **os.environ, 'CC': 'ccache gcc', 'CXX': 'ccache g++', 'CCACHE_BASEDIR': os.path.abspath(path),
            'CCACHE_NOHASHDIR': '1', 'CCACHE_SLOPPINESS': 'time_macros,include_file_mtime,include_file_ctime',
            'PATH': '/usr/bin:' + os.environ['PATH'], 'TEGRA20_DEBUG': 'refuse'}
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            status, output = self.run(['meson', 'setup', 'build'], 1800)
            if status:
                sys.exit(f'meson setup failed:\n{output[-2000:]}')
        self.run(['ninja', '-C', 'build', 'build.ninja'])
        self.tests = json.loads(self.run(['meson', 'introspect', 'build', '--tests'])[1])
        targets = json.loads(self.run(['meson', 'introspect', 'build', '--targets'])[1])
        self.files = {t['id']: t['filename'] for t in targets}
        self.commands = {os.path.relpath(os.path.join(c['directory'], c['file']), os.path.abspath(path)): c
                         for c in reversed(json.loads(read(self.build, 'compile_commands.json')))}
        self.passes, self.fails, self.seconds = set(), set(), {}

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

    def run(self, command, timeout=TIMEOUT):
        """(status, output); a time-out is -1.  Everything that the command started ends with it."""
        process = subprocess.Popen(command, cwd=self.path, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors='replace', start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return -1, 'timed out'

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

    # --- steps --------------------------------------------------------------------------------------------------------

    def run_tests(self, tests):
        """Names of those that fail, the first of each half."""
        names = [test['name'] for test in tests if test['name'] not in self.fails]
        halves = [[n for n in names if self.seconds.get(n, 0) < SHORT], [n for n in names if self.seconds.get(n, 0) >= SHORT]]
        for half in filter(None, halves):
            self.run(['meson', 'test', '-C', 'build', '--no-rebuild', '--num-processes', '1', '--maxfail', '1', *half], 3600)
            for line in read(self.build, 'meson-logs/testlog.json').split('\n')[:-1]:
                result = json.loads(line)
                self.seconds[result['name']] = result['duration']
                if result['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL', 'INTERRUPT'):
                    return result['name'].split(' / ')[-1]
        return None

    def run_counted(self, command):
        """None, or how many cases fail."""
        status, output = self.run(command, 1800)
        failed = re.search(r'(\d+) passed, (\d+) failed', output[-400:])
        return None if status == 0 and failed and failed[1] != '0' else f'{failed[2]} failed' if failed else 'ended early'

    def chosen(self, step):
        """Tests of meson that a step is."""
        directory = f'tests/{step}/'
        return [t for t in self.tests if 'fuzz' not in t['name'] and any(directory in part for part in t['cmd'])]

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

    def try_step(self, step):
        """(what fails or None, why it does not compile or None)"""
        if step == 'gl' or step.startswith('unit/'):
            tests = self.chosen(step)
            broken = self.make(self.targets(tests)) if tests else None
            return (None, broken) if broken else (self.run_tests(tests), None)
        if step.startswith('test '):
            tests = [t for t in self.tests if t['name'].startswith(step[5:])]
            broken = self.make(self.targets(tests))
            return (None, broken) if broken else (self.run_tests(tests), None)
        broken = self.make(['tegra20', 'meson-test-prereq'])
        return (None, broken) if broken else (self.run_counted(self.command(step)), None)

    def passes_without(self, step, what):
        """Whether what failed passes without a bug: the test of meson of that name, or the step."""
        alone = f'test {what}' if step == 'gl' or step.startswith(('unit/', 'test ')) else step
        if alone not in self.passes and alone not in self.fails:
            good = self.try_step(alone) == (None, None)
            (self.passes if good else self.fails).add(alone)
            if not good and alone.startswith('test '):
                self.fails.add(what)
        return alone in self.passes

    # --- equivalence --------------------------------------------------------------------------------------------------

    def objects(self, path):
        """Object codes of a source, of those that include a header; a message where it is refused."""
        users = [path]
        if path.endswith('.h'):
            name = os.path.basename(path)
            users = [p for p in self.commands if p.endswith('.c') and not p.startswith('subprojects') and
                     f'"{name}"' in read(self.path, p)][:6]
        codes = []
        for user in users:
            entry = self.commands.get(user)
            if not entry:
                return None
            out = os.path.join(self.path, 'build', 'mutant.o')
            command = re.sub(r' -MQ \S+| -MD| -MF \S+', '', entry['command'])
            command = re.sub(r'^ccache ', '', re.sub(r' -o \S+', f' -g0 -o {shlex.quote(os.path.abspath(out))}', command))
            done = subprocess.run(command, shell=True, cwd=entry['directory'], capture_output=True, text=True)
            if done.returncode or REFUSED.search(done.stderr):
                return 'refused'
            codes.append(open(out, 'rb').read())
        return codes

    def put(self, mutation, text):
        """Puts a bug into the copy.  "equivalent", "refused" or None; the caller puts the text back."""
        usual = None if mutation.path.endswith('.py') else self.objects(mutation.path)
        write(generate.apply(mutation, text), self.path, mutation.path)
        if mutation.path.endswith('.py'):
            return None
        if not usual or usual == 'refused':
            return 'refused'
        codes = self.objects(mutation.path)
        return 'refused' if codes == 'refused' else 'equivalent' if codes == usual else None


def judge(tree, mutation, steps):
    """(word, detail): caught, survived, equivalent, refused"""
    text = read(tree.path, mutation.path)
    try:
        wrong = tree.put(mutation, text)
        if wrong:
            return wrong, ''
        for step in steps:
            failed, broken = tree.try_step(step)
            while failed:
                write(text, tree.path, mutation.path)
                if tree.passes_without(step, failed):
                    return 'caught', failed if step == 'gl' or step.startswith('unit/') else f'{step}: {failed}'
                write(generate.apply(mutation, text), tree.path, mutation.path)
                failed, broken = tree.try_step(step) if step == 'gl' or step.startswith('unit/') else (None, None)
            if broken:  # by a script of the build
                return ('caught', 'the build') if mutation.path.endswith('.py') else ('refused', broken)
        return 'survived', ''
    finally:
        write(text, tree.path, mutation.path)


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


def drawn(rooms, seed):
    """Bugs without end: one of each room in turn; of a room a kind by chance, then one of its bugs."""
    rng = random.Random(seed)
    pools, rooms = {}, dict(rng.sample(sorted(rooms.items()), len(rooms)))
    for room, paths in rooms.items():
        kinds = pools.setdefault(room, {})
        for path in paths:
            for mutation in generate.candidates(path, read(TOP, path)):
                kinds.setdefault(mutation.kind, []).append(mutation)
    while any(pools.values()):
        for room, kinds in pools.items():
            if kinds:
                kind = rng.choice(sorted(kinds))
                yield room, kinds[kind].pop(rng.randrange(len(kinds[kind])))
                if not kinds[kind]:
                    del kinds[kind]


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
    """What earlier runs found of the same sources."""

    def __init__(self, path):
        self.path, self.state = path, measured.state(*measured.DRIVER, 'tests', 'tools')
        self.known = json.loads(read(path)) if os.path.exists(path) else {}
        if self.known.pop('state', None) != self.state or self.state.endswith('+'):
            self.known = {}

    def get(self, mutation):
        return self.known.get(repr(tuple(mutation)))

    def keep(self, mutation, result):
        self.known[repr(tuple(mutation))] = result
        write(json.dumps({'state': self.state, **self.known}, indent=0), self.path)


def report(rows, seed):
    """The table by room, and the survivors."""
    lines = [measured.head(None, *measured.DRIVER, 'tests', 'tools') + f', seed {seed}', '',
             f'{"room":20} {"caught":>7} {"survived":>9} {"share":>7} {"same code":>10} {"refused":>8}']
    for room in dict.fromkeys(row[0] for row in rows):
        n = {w: sum(row[0] == room and row[1] == w for row in rows) for w in ('caught', 'survived', 'equivalent', 'refused')}
        share = f'{100 * n["caught"] / (n["caught"] + n["survived"]):.0f} %' if n['caught'] + n['survived'] else '-'
        lines.append(f'{room:20} {n["caught"]:7} {n["survived"]:9} {share:>7} {n["equivalent"]:10} {n["refused"]:8}')
    lines += ['', 'survived:'] + [f'{room}: {text}' for room, word, text, _ in rows if word == 'survived']
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description='One-line bugs, and whether the tests notice them.')
    parser.add_argument('--tree', default=os.path.join(TOP, 'build', 'mutation'))
    parser.add_argument('--sample', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=math.inf)
    parser.add_argument('--room', default='')
    parser.add_argument('--only', default='')
    parser.add_argument('--steps', type=int)
    parser.add_argument('--then', action='append', default=[], metavar='STEP')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--named', action='store_true')
    parser.add_argument('--report', metavar='FILE')
    args = parser.parse_args()
    if args.named:
        bugs = [bug for bug in named_bugs() if args.only in bug[0]]
        bugs = random.Random(args.seed).sample(bugs, min(args.sample, len(bugs)))
        if not bugs:
            parser.error('no named bug has this in its name')
    else:
        rooms = sources(args.room, args.only)
        bugs = ((room, mutation, ROOMS[room][1][:args.steps] + args.then) for room, mutation in drawn(rooms, args.seed))
        if not rooms:
            parser.error('no file is in such a room or has such a path')
    if args.list:
        for _, (room, mutation, _) in zip(range(args.sample), bugs):
            print(f'{room}: {mutation.path}:{generate.describe(mutation, read(TOP, mutation.path))}')
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # whoever ends it finds the sources without a bug
    tree = Tree(args.tree)
    judged, rows, end = Judged(os.path.join(args.tree, 'build/judged.json')), [], time.monotonic() + args.seconds
    wanted = len(bugs) if args.named else args.sample
    counts = {'caught': 0, 'survived': 0, 'invalid': 0}
    # so many of each room
    left = {room: 1 for room, _, _ in bugs} if args.named else {room: math.ceil(wanted / len(rooms)) for room in rooms}
    for room, mutation, steps in bugs:
        if time.monotonic() > end or counts['caught'] + counts['survived'] >= wanted:
            break
        if left[room] == 0:
            continue
        word, detail = judged.get(mutation) or judge(tree, mutation, steps)
        judged.keep(mutation, (word, detail))
        rows.append((room, word, f'{mutation.path}:{generate.describe(mutation, read(TOP, mutation.path))}', detail))
        word = rows[-1][1]
        if word in counts:
            counts[word] += 1
            left[room] -= 1
        elif args.named:
            counts['invalid'] += 1
        print(f'{word:10} {rows[-1][0]}: {rows[-1][2]}' + (f': {rows[-1][3]}' if rows[-1][3] else ''), flush=True)
        if args.report:
            write(report(rows, args.seed), args.report)
    print(', '.join(f'{n} {word}' for word, n in counts.items()))
    return 1 if args.named and counts['survived'] + counts['invalid'] else 0


if __name__ == '__main__':
    sys.exit(main())
