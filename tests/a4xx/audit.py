#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Does each sentence of the notes have a test that fails without it?  audit.py [--build DIR] [--part K/N] [ROW...]

Breaks the simulator of A4xx for each row N1 to N27 of docs/adreno.md in turn (all, or those that are named: "N4"), links
the unit test "a4xx notes" with it and asks that the row's own case fails.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import part  # noqa: E402, tests/common/part.py

ROWS = 27

# Row: file of sim/a4xx, text that is there once, the same broken.
BREAKS = {
    1: ('patches.c', 'p->lanes = A4XX_MAX(p->in, p->out);', 'p->lanes = p->in;'),
    2: ('ir3_memory.c', 'writer->lane != lane && differs &&', 'false && differs &&'),
    3: ('tess.cpp', 'MESA_PRIM_QUADS,\n      MESA_PRIM_TRIANGLES,', 'MESA_PRIM_TRIANGLES,\n      MESA_PRIM_QUADS,'),
    4: ('patches.c', '(DRAW_PRIMITIVE(initiator) & 0x1f) + 1', '(DRAW_PRIMITIVE(initiator) & 0x1f) + 2'),
    5: ('patches.c', 'tess_create(p->mode, HS_SPACING(param),', 'tess_create(p->mode, 0,'),
    6: ('patches.c', 'param & (lines ? HS_CW : HS_CONNECTED)', 'param & HS_CONNECTED'),
    7: ('patches.c', 'strides[3] = { 28, 20, 12 }', 'strides[3] = { 28, 20, 16 }'),
    8: ('patches.c', 'memcpy(&primitive, group, 4);', 'primitive = i;'),
    9: ('patches.c', 'in_wave | vertex << 5 | vertex << 10', 'in_wave | vertex << 6 | vertex << 11'),
    10: ('patches.c', 'ir3_wave_preload(wave, 1, lane, patch % p->each);\n   ir3_wave_preload(wave, 2, lane, number);',
         'ir3_wave_preload(wave, 2, lane, patch % p->each);\n   ir3_wave_preload(wave, 1, lane, number);'),
    11: ('patches.c', 'ir3_wave_preload(wave, 2, lane, number);',
         'ir3_wave_preload(wave, a4xx_reg(p->chip, VFD_CONTROL_2) & 0xff, lane, number);'),
    12: ('ir3_memory.c', '   case IR3_LDLW:\n', ''),
    13: ('pm4.c', 'if (vector * 4 + i < size)', 'if (vector * 4 + i < size && stage != STAGE_HS)'),
    14: ('patches.c', '& all) != all)', '& all) > all)'),
    15: ('patches.c', '== A4XX_PRIVATE_PATCH ? in_wave', '== A4XX_PRIVATE_PATCH ? lane'),
    16: ('ir3_alu.c', 'return (a & 0xffffff) * (b & 0xffffff) + c;', 'return (a & 0xffffff) * (b & 0xffffff);'),
    17: ('ir3_memory.c', 'offset / factors->stride - factors->first', 'wave->patch[lane]'),
    18: ('patches.c', 'base = p->num_vertices + p->num_points;', 'base = p->num_points;'),
    19: ('ir3_exec.c', 'if (instr->ss)\n      wave->epoch++;', 'wave->epoch++;'),
    20: ('pm4.c', 'block = body[0] >> 18 & 15', 'block = body[0] >> 19 & 7'),
    21: ('patches.c', 'ir3_wave_preload(wave, 2, lane, point->patch);', 'ir3_wave_preload(wave, 0, lane, point->patch);'),
    22: ('patches.c', 'ir3_wave_preload(wave, control >> 16 & 0xff, lane,', 'ir3_wave_preload(wave, 3, lane,'),
    23: ('ir3_memory.c', '      memcpy(value, p, bytes);\n', '      memcpy(value, p, bytes - 1);\n'),
    24: ('draw.c', '*reg = out & 0x1ff;', '*reg = out & 0x1fc;'),
    25: ('pm4.c', 'stage = block & 7;', 'stage = block == 10 ? STAGE_VS : block & 7;'),
    26: ('pm4.c', '{ SP_HS_CTRL_REG1, "SP_HS_CTRL_REG1" },', ''),
    27: ('tess.cpp', 'factors.outer_tf[i] = levels[i];', 'factors.outer_tf[i] = levels[i] > 0 ? levels[i] : 1;'),
}


def commands(build, target):
    return subprocess.run(['ninja', '-C', build, '-t', 'commands', target], capture_output=True, text=True,
                          check=True).stdout.splitlines()


def run_broken(build, row, folder):
    """The names of the cases that fail."""
    name, old, new = BREAKS[row]
    with open(os.path.join(TOP, 'sim/a4xx', name), encoding='utf-8') as file:
        source = file.read()
    if source.count(old) != 1:
        sys.exit('N%d: "%s" is %d times in %s' % (row, old, source.count(old), name))
    broken = os.path.join(folder, name)
    with open(broken, 'w', encoding='utf-8') as file:
        file.write(source.replace(old, new))
    target = 'tests/unit/a4xx/test_a4xx_notes'
    lines = commands(build, target)
    compiler = next(line for line in lines if line.endswith(f'sim/a4xx/{name}'))
    objects = glob.glob(os.path.join(build, 'sim/a4xx/liba4xx_sim.a.p/*.o'))
    own = re.search(r' -o (\S+) ', compiler)[1]
    output = os.path.join(folder, name + '.o')
    compiler = re.sub(r' -MD -MQ .* -o \S+ ', f' -o {output} ', compiler)
    compiler = re.sub(r'-c \S+$', f'-c {broken} -I{TOP}/sim/a4xx', compiler)
    subprocess.run(compiler, shell=True, check=True, cwd=build)
    # In the archive's place its objects, one of them replaced.
    linked = ' '.join([output] + [o for o in objects if os.path.relpath(o, build) != own])
    linker = re.sub(r' -o \S+ ', f' -o {folder}/test ', lines[-1]).replace('sim/a4xx/liba4xx_sim.a', linked, 1)
    subprocess.run(linker, shell=True, check=True, cwd=build)
    run = subprocess.run([f'{folder}/test'], capture_output=True, text=True, timeout=300, check=False)
    # A crash is noticed too: the case that ran.
    cases = re.findall(r'\[  FAILED  \] n(\d+)_', run.stdout + run.stderr)
    if run.returncode < 0:
        cases += re.findall(r'\[ RUN      \] n(\d+)_', run.stdout + run.stderr)[-1:]
    return {int(n) for n in cases}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(TOP, 'build'))
    part.add_option(parser)
    parser.add_argument('rows', nargs='*', metavar='ROW')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    rows = part.of([int(row.lstrip('N')) for row in options.rows] or list(range(1, ROWS + 1)), options.part)
    missed = 0
    for row in rows:
        with tempfile.TemporaryDirectory(dir=build) as folder:
            failed = run_broken(build, row, folder)
        others = ', also by ' + ' '.join('N%d' % n for n in sorted(failed - {row})) if failed - {row} else ''
        print('N%d: noticed%s' % (row, others) if row in failed else 'FAIL: N%d: not noticed%s' % (row, others))
        missed += row not in failed
    print('%d passed, %d failed, 0 skipped' % (len(rows) - missed, missed))
    sys.exit(1 if missed else 0)


main()
