#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""shader-db.py compare on two small results with known differences, and their totals; results as text and JSON; errors.

  test_shader_db.py shader-db.py
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
failures = 0

BEFORE = """# VS: inst, dual, cycles, temps, consts, loops
spec/a/
 same.shader_test VS 3 0 3 1 1 0 FS 2 2 2 4 1 0 1 1 0
 helped.shader_test VS 10 2 10 4 3 0
 hurt.shader_test FS 2 4 2 4 1 0 1 1 0
 worse.shader_test FS 4 10 2 4 1 0 1 1 0
 lost.shader_test VS 3 0 3 1 1 0
spec/b/
 gained.shader_test failed
 gone.shader_test VS 7 0 7 1 1 0
"""
AFTER = """spec/a/
 same.shader_test VS 3 0 3 1 1 0 FS 2 2 2 4 1 0 1 1 0
 helped.shader_test VS 8 4 8 4 3 0
 hurt.shader_test FS 2 8 2 4 1 0 1 1 0
 worse.shader_test FS 4 30 2 4 1 0 1 1 0
 lost.shader_test failed
spec/b/
 gained.shader_test VS 5 0 5 1 1 0
 new.shader_test VS 9 0 9 1 1 0
"""
# What the comparison must say, each worked out by hand from the above.
EXPECTED = [
    r'^spec/a/helped.shader_test VS: inst 10 -> 8, dual 2 -> 4, cycles 10 -> 8$',
    r'^spec/a/hurt.shader_test FS: cycles 4 -> 8$',
    r'worst regressions \(cycles\):\n  spec/a/worse.shader_test FS: 10 -> 30 \(\+200.0 %\)\n  spec/a/hurt',
    r'^lost \(compiled before\): 1\n  spec/a/lost.shader_test$',
    r'^gained \(compile only now\): 1\n  spec/b/gained.shader_test$',
    r'^only in the first result: 1\n  spec/b/gone.shader_test$',
    r'^only in the second result: 1\n  spec/b/new.shader_test$',
    r'^VS inst +13 +11 +-15.38 % +1 +0$',
    r'^VS dual +2 +4 \+?.*100.00 % +1 +0$',
    r'^FS cycles +16 +40 +\+150.00 % +0 +2$',
    r'^FS execs +8 +8 +\+0.00 % +0 +0$',
    r'^2 vertex and 3 fragment programs in both, 3 changed, 1 lost, 1 gained$',
]


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print('FAIL:', what)


def run(*args):
    return subprocess.run([sys.executable, PROGRAM, *args], capture_output=True, text=True)


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def fake_compiler(directory, lines):
    """A compiler that prints these lines."""
    path = write(directory, 'tegra20-compiler', '#!/bin/sh\ncat <<END\n' + lines + 'END\nexit 1\n')
    os.chmod(path, 0o755)


def check_totals(directory):
    """Of a folder that compiles less, whose fragment programs take longer; what is written is read back."""
    spec = importlib.util.spec_from_file_location('shader_db', PROGRAM)
    shader_db = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shader_db)
    before, after = (shader_db.totals_of(shader_db.read_result(write(directory, 'totals', text))) for text in (BEFORE, AFTER))
    path = os.path.join(directory, 'totals')
    shader_db.write_totals(before, path)
    check(shader_db.read_totals(path) == before, 'totals that were written')
    check(before['spec/a/'] == {'files': [5, 0, 0, 0], 'VS': [3, 16, 2, 16, 6, 5, 0], 'FS': [3, 8, 16, 6, 12, 3, 0, 3, 3, 0]},
          before)
    lines, worse = shader_db.compare_totals(before, after)
    check(lines[-1] == '2 folders: 1 programs lost, cycles VS +0, FS +24' and worse, lines)
    check('spec/a/: compiled 5 -> 4, failed 0 -> 1, VS programs 3 -> 2' in lines[0] and 'FS cycles 16 -> 40' in lines[0], lines)
    check(shader_db.compare_totals(after, after) == (['2 folders: 0 programs lost, cycles VS +0, FS +0'], False), 'the same')
    del after['spec/b/']
    check('spec/b/: its files are others' in shader_db.compare_totals(before, after)[0], 'a folder that is gone')


def main():
    with tempfile.TemporaryDirectory() as directory:
        check_totals(directory)
        before, after = write(directory, 'before', BEFORE), write(directory, 'after', AFTER)
        result = run('compare', before, after)
        check(result.returncode == 0, 'status of compare: ' + result.stderr)
        for pattern in EXPECTED:
            check(re.search(pattern, result.stdout, re.M), f'{pattern}\n{result.stdout}')
        check(', 0 changed, 0 lost, 0 gained' in run('compare', before, before).stdout, 'a result with itself')

        bad = write(directory, 'bad', BEFORE + ' broken VS 1 2\n')
        result = run('compare', before, bad)
        check(result.returncode == 2 and f'{bad}:{BEFORE.count(chr(10)) + 1}: ' in result.stderr, result.stderr)
        check(run('compare', before, '/nonexistent').returncode == 2, 'missing file')

        fake_compiler(directory, 'spec/x.frag - FS shader: 1 execs, 2 cycles, 3 alu packets, 4 alu slots, 5 mfu, 6 tex, '
                      '7 rows, 8 uniforms, 9 consts\nspec/y.frag: does not compile:\n   0:1: reason\n'
                      'z.vert - skipped: needs\n')
        text = os.path.join(directory, 'r.txt')
        result = run('run', '--build', directory, '-o', text, 'spec/x.frag', 'spec/y.frag', 'z.vert')
        check(result.stdout == '1 compiled, 1 failed, 1 skipped\n', result.stdout + result.stderr)
        lines = open(text, encoding='utf-8').read().split('\n')
        check({' x.frag FS 1 2 3 4 5 6 7 8 9', ' y.frag failed', ' z.vert skipped'} <= set(lines), lines)

        write(directory, 'tegra20-compiler', '#!/bin/sh\n' + ''.join(
            f'echo "{name} - FS shader: 1 execs, {clocks} cycles, 5 alu packets, {slots} alu slots, 1 mfu, 2 tex, 1 rows, 0 '
            f'uniforms, 0 consts"; echo "{name} - FS bound: {bound} of {clocks} cycles"\n'
            for name, clocks, slots, bound in (('a.frag', 2, 10, 1), ('b.frag', 4, 20, 2), ('c.frag', 40, 5, 40))))
        result = run('clocks', '--build', directory, 'a.frag')
        for pattern in (r'^2 to 5 +2 +6 +3 +2.000 +2.00 +2 +10 +3.00 +2 +4$', r'^32 to 63 +1 +40 +40 +1.000 +1.00 +1 +5 +1.00 ',
                        r'^all +3 +46 +43 +1.587 +2.00 +3 +15 +2.33 +3 +6$'):
            check(re.search(pattern, result.stdout, re.M), f'{pattern}\n{result.stdout}{result.stderr}')

        fake_compiler(directory, 'spec/x.frag - FS shader: 1 execs, 2 cycles\n')
        check(run('run', '--build', directory, 'spec/x.frag').returncode == 2, 'a line of another format')
    print(f'{failures} failures')
    return 1 if failures else 0


sys.exit(main())
