# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Piglit's tests in tegra20-vm, for ci/piglit --vm: many tests for each start of the machine, and many shader tests in a process.

Starting a process is what takes longest in the machine (docs/vm.md), and Python there takes longer still.  So piglit's
framework stays on the host: it tells the command of each test and judges what the command printed.  The machine only has a
shell script with the commands.

A test of a group counts as passed when it passes there.  Every other one is run again in a process of its own, and that
result counts: what a test leaves behind for the next one of its process cannot make that one fail.  It could make it pass,
which is why tests that are expected to fail are in no group.  A test that takes too long is run once more with ten times the
time.
"""

import itertools
import json
import os
import re
import shlex
import subprocess
import sys

PIGLIT = os.environ.get('PIGLIT_DIR', '/usr/lib/x86_64-linux-gnu/piglit')
GROUP = 25  # shader tests of one process
NAMED = re.compile(r'^PIGLIT TEST: (\d+) - ', re.M)
RESULT = re.compile(r'^PIGLIT: \{"subtest": \{".*" : "(\w+)"\}\}$', re.M)
# Output, errors and statuses of all commands, each between two marks.
SCRIPT = """
cd {piglit}
export PIGLIT_PLATFORM=gbm WAFFLE_GBM_DEVICE=/dev/dri/renderD128 EGL_PLATFORM=drm PIGLIT_SOURCE_DIR={piglit}
export XDG_RUNTIME_DIR=/tmp TEGRA20_DEBUG={debug}
exec >{top}/out 2>{top}/err 3>{top}/status
t() {{
   echo "=== $1"; echo "=== $1" >&2
   n=$1; limit=$2; shift 2
   timeout -k 5 $limit "$@" 3>&-
   echo "$n $?" >&3
}}
"""


def load(wanted):
    """[(name, piglit's test)] of {profile: [name, ...]}; names that piglit does not know are left out."""
    sys.path.insert(0, PIGLIT)
    from framework import options, profile
    options.OPTIONS.env['PIGLIT_PLATFORM'] = 'gbm'
    tests = []
    for name, names in wanted.items():
        known = dict(profile.load_test_profile(name).itertests())
        tests += [(n, known[n]) for n in names if n in known]
    return tests


def between_marks(path):
    """{number: text} of a file with marks."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8', errors='replace') as file:
        parts = re.split(r'^=== (\d+)\n', file.read(), flags=re.M)
    return {int(n): text for n, text in zip(parts[1::2], parts[2::2])}


class Machine:
    def __init__(self, start, top, debug, timeout):
        self.start = start  # of tegra20-vm, without "--" and command
        self.top = top
        self.debug = debug
        self.timeout = timeout
        self.boots = 0
        self.diagnostics = []

    def run(self, commands, strict):
        """[(output, errors, status or None)] of commands in one machine; each is (seconds, words)."""
        if not commands:
            return []
        self.boots += 1
        top = f'{self.top}/boot{self.boots}'
        os.makedirs(top)
        script = SCRIPT.format(piglit=shlex.quote(PIGLIT), debug=shlex.quote(self.debug), top=shlex.quote(top))
        script += ''.join(f't {n} {limit} {shlex.join(words)}\n' for n, (limit, words) in enumerate(commands))
        with open(f'{top}/script', 'w', encoding='utf-8') as file:
            file.write(script)
        p = subprocess.run(self.start + ['--write', top, '--dmesg', f'{top}/dmesg', '--timeout', '3600'] +
                           (['--strict'] if strict else []) + ['--', 'sh', f'{top}/script'],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace')
        with open(f'{top}/vm', 'w', encoding='utf-8') as file:
            file.write(p.stdout + p.stderr)
        if strict and 'strict: 0 diagnostics' not in p.stderr:
            self.diagnostics.append(p.stderr[-2000:])
        outs, errs, statuses = between_marks(f'{top}/out'), between_marks(f'{top}/err'), {}
        if os.path.exists(f'{top}/status'):
            with open(f'{top}/status', encoding='utf-8') as file:
                statuses = dict(map(int, line.split()) for line in file if len(line.split()) == 2)
        return [(outs.get(n, ''), errs.get(n, ''), statuses.get(n)) for n in range(len(commands))]

    def groups(self, tests):
        """{name: result} of shader tests that pass in a process with others."""
        tests = sorted(tests, key=lambda test: test[1].command[0])
        groups = []
        for _, same in itertools.groupby(tests, key=lambda test: test[1].command[0]):
            same = list(same)
            groups += [same[i:i + GROUP] for i in range(0, len(same), GROUP)]
        commands = [(self.timeout * 5, [group[0][1].command[0]] + [test.command[1] for _, test in group] +
                     ['-auto', '-fbo', '-report-subtests']) for group in groups]
        passed = {}
        for group, (out, err, status) in zip(groups, self.run(commands, True)):
            for (name, _), result in zip(group, results_of_group(out, len(group))):
                if result == 'pass' and status in (0, 1):
                    passed[name] = {'result': result, 'out': '', 'err': err}
        return passed

    def alone(self, tests, strict):
        """{name: result} of tests, each in a process of its own."""
        commands = [(self.timeout, list(map(str, test.command))) for _, test in tests]
        return {name: judged(test, *ran) for (name, test), ran in
                zip(tests, self.run(commands, strict))}


def results_of_group(out, count):
    """Results of the tests of a process, by their order; None for those that it did not come to."""
    results = [None] * count
    parts = NAMED.split(out)
    for number, text in zip(parts[1::2], parts[2::2]):
        said = RESULT.findall(text)
        if said and int(number) <= count:
            results[int(number) - 1] = said[-1] if len(said) == 1 else 'fail'
    return results


def judged(test, out, err, status):
    """What piglit's framework says to it."""
    if status is None:
        return {'result': 'incomplete', 'out': out, 'err': err}
    if status == 124 or status == 128 + 9:  # of timeout(1)
        return {'result': 'timeout', 'out': out, 'err': err}
    test.result.out, test.result.err = out, err
    test.result.returncode = 128 - status if status > 128 else status
    test.interpret_result()
    return {'result': str(test.result.result), 'out': out, 'err': err}


def run(start, wanted, top, debug, timeout, expected, unsure):
    """Returns ({test: {'result', 'out', 'err'}}, what strict mode said).

    Tests in expected {name: reason} fail, so they are in no group; those that strict mode is to complain of have a machine of
    their own, for it cannot tell which process it was.  Those in unsure run without strict mode.
    """
    tests = load(wanted)
    machine = Machine(start, top, debug, timeout)
    strict = [test for test in tests if expected.get(test[0], '').startswith('strict:')]
    quiet = [test for test in tests if test not in strict and test[0] not in unsure]
    shaders = [test for test in quiet if test[0] not in expected and
               os.path.basename(test[1].command[0]).startswith('shader_runner')]
    results = machine.groups(shaders)
    in_groups = len(results)
    results.update(machine.alone([test for test in quiet if test[0] not in results], True))
    results.update(machine.alone([test for test in tests if test[0] in unsure], False))
    # On a host that is busy with other things a test may run into its time.
    machine.timeout *= 10
    late = [test for test in quiet if results[test[0]]['result'] == 'timeout' and test[0] not in expected]
    results.update(machine.alone(late, True))
    complaints = machine.diagnostics[:]
    for test in strict:
        results.update(machine.alone([test], True))
        if len(machine.diagnostics) > len(complaints):
            results[test[0]]['result'] = 'strict'
            machine.diagnostics.pop()
    with open(f'{top}/results.json', 'w', encoding='utf-8') as file:
        json.dump(results, file, indent=1)
    print(f'{len(tests)} tests, {in_groups} of them passed in a process with others, {machine.boots} starts of the machine')
    return results, complaints
