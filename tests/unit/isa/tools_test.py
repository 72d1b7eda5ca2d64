#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""tegra20-asm and tegra20-disasm as programs: round trips through both, errors with file and line, exit status.

  tools_test.py ASM DISASM vertex-vectors.json
"""

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

ASM, DISASM, VECTORS = sys.argv[1:]
# An emulator, in cross builds.
WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
failures = 0


def run(program, *args, text=None):
    return subprocess.run([*WRAPPER, program, *args], input=text, capture_output=True, text=True)


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print('FAIL:', what)


def words(section, instructions):
    return f'.{section}\n' + ''.join(' '.join(f'{w:08x}' for w in i) + '\n' for i in instructions)


def round_trips():
    vectors = json.load(open(VECTORS, encoding='utf-8'))
    programs = [('vertex', v['name'], v['vs_words']) for v in vectors['vectors']]
    programs.append(('linker', 'linker vectors', [v['words'] for v in vectors['linker_vectors']]))
    for section, name, instructions in programs:
        before = words(section, instructions)
        assembly = run(DISASM, text=before)
        after = run(ASM, '--no-check', text=assembly.stdout)
        check(assembly.returncode == 0 and after.returncode == 0 and after.stdout == before, f'{name}: {assembly.stderr}{after.stderr}')


# 32-bit words of an instruction
SINGLE = {'vertex': 4, 'linker': 2, 'mfu': 2, 'alu': 8, 'tex': 1, 'dw': 1, 'pseq': 1}


def any_words():
    """Any words at all, also those that no compiler would write, and with the stage from the command line."""
    generator = random.Random(1)
    for stage, count in SINGLE.items():
        bits = [[generator.getrandbits(32) for _ in range(count)] for _ in range(32)]
        sparse = [[w & generator.getrandbits(32) & generator.getrandbits(32) for w in i] for i in bits]
        instructions = (bits + sparse)[::4 if stage == 'linker' else 1]  # 16 of these are all that the chip has room for
        before = words(stage, instructions)
        assembly = run(DISASM, '--stage', stage, text=before.split('\n', 1)[1])
        after = run(ASM, '--no-check', text=assembly.stdout)
        check(after.stdout == before, f'random words of {stage}: {assembly.stderr}{after.stderr}')


# text, what the message must hold behind the file's name
ERRORS = [
    ('EXEC MOVv r0.xyzw, a[0].xyzw;\nEXEC FOOv;\n', ':2: no operation is called "FOOv"'),
    ('// comment\n\nEXEC MOVv r0.xyzw, a[16].xyzw;\n', ':3: 16 is too large'),
    ('EXEC MOVv r0.xyzw, a[0].xyzw;\n', ':1: the last instruction has no end bit'),
    ('EXEC;\nEXEC_END MOVv r33.x***, a[0].xyzw;\n', ':2: vector destination 32..62'),
    ('.nothing\nEXEC_END;\n', ':1: there is no section of this name'),
    ('EXEC(lt eq gt p.xyzw cr=0) BRAs nowhere;\nEXEC_END;\n', ':1: the jump names a label that does not exist'),
    ('EXEC;\n' * 300, ':257: too many instructions'),
    ('.linker\nLINK fp20, fp21;\n', ':2: expected fp20, fx10.l, fx10.h or NOP at "fp21"'),
    ('.linker\nLINK fp20(cx), NOP, NOP, NOP, tram0.xyzw, export1;\n', ':2: expected cw, cl or dis at "cx), NOP'),
    ('.linker\nLINK NOP, NOP, NOP, NOP, tram0.xyzq, export1;\n', ':2: expected four of x, y, z, w at "q, export1"'),
]


def errors():
    for text, message in ERRORS:
        with tempfile.NamedTemporaryFile('w', suffix='.asm') as file:
            file.write(text)
            file.flush()
            result = run(ASM, file.name)
            check(result.returncode == 1 and file.name + message in result.stderr, f'{text!r:.60}: {result.stderr}')
            check(not result.stdout, f'{text!r:.60}: words in spite of the error')
    check('not a 32-bit hexadecimal number' in run(DISASM, text='xyz').stderr, 'word that is no number')
    check('has 3 of 4 words' in run(DISASM, text='1 2 3').stderr, 'incomplete instruction')
    check(run(DISASM, '--stage', 'nothing', text='').returncode == 2, 'unknown stage')
    check(run(ASM, '/nonexistent').returncode == 1, 'missing file')
    for program in ASM, DISASM:
        check(run(program, '--help').stdout.startswith('Usage:'), 'help')
        check(run(program, '--foo').returncode == 2, 'unknown option')


def labels():
    text = 'start: EXEC MOVv r0.x***, a[0].xyzw;\nEXEC(cc eq p.xxxx cr=0) BRAs start;\nEXEC_END;\n'
    result = run(ASM, text=text)
    numbered = run(ASM, text=text.replace('start: ', '').replace('start', '0'))
    check(result.returncode == 0 and result.stdout == numbered.stdout, 'label: ' + result.stderr)


round_trips()
any_words()
errors()
labels()
print(f'{failures} failures')
sys.exit(failures > 0)
