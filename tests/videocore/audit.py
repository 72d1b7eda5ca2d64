#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Does each part of the simulated VideoCore IV have a unit test that fails without it?  audit.py [--self-test] [--keep DIR]

Reads what there is from the simulator's own tables (operations, conditions, pack and unpack modes, registers and signals of
sim/vc4/qpu_names.h, texture formats of tmu.c, packets of cl.c) and from Mesa's descriptions, compiles a copy of the simulator in
which any one of them can be broken, and runs the unit tests once with each: one of them has to fail.  Prints what no test
notices, and what Mesa describes and the simulator has not; exit status 1 when there is any.

  --self-test  also takes some rows out of the tests' tables and asks that exactly what they test is missing then
  --keep DIR   build there, and leave it
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MESA = os.path.join(TOP, 'subprojects/mesa/src')
TESTS = ('qpu', 'packets', 'texture', 'units', 'notes')

HEADER = '''
#ifndef AUDIT_H
#define AUDIT_H
#include <stdbool.h>
/* Is this what the environment wants to be broken? */
bool audit(const char *kind, int number);
#endif
'''

SOURCE = '''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit.h"
static char broken[32] = "?";
static int broken_number = -1;
__attribute__((constructor)) static void
read_environment(void)
{
   const char *what = getenv("AUDIT");
   if (what)
      sscanf(what, "%31[a-z_]:%d", broken, &broken_number);
}
bool
audit(const char *kind, int number)
{
   return number == broken_number && !strcmp(kind, broken);
}
'''

WRONG = '0x5eed5eed'

# File, text that is there once, and the same with a way to break it.
BREAKS = (
    ('qpu_alu.h', 'run_add(unsigned op, qpu_u a, qpu_u b)\n{\n',
     f'   if (audit("add", op))\n      return splat({WRONG});\n'),
    ('qpu_alu.h', 'run_mul(unsigned op, qpu_u a, qpu_u b)\n{\n',
     f'   if (audit("mul", op))\n      return splat({WRONG});\n'),
    ('qpu_alu.h', 'qpu_unpack(qpu_u value, unsigned mode, bool to_float)\n{\n',
     f'   if (audit("unpack", mode * 2 + (to_float && mode != 3)))\n      return splat({WRONG});\n'),
    ('qpu_alu.h', 'qpu_pack_color(qpu_u value, unsigned mode, qpu_u old)\n{\n',
     f'   if (audit("pack_mul", mode))\n      return splat({WRONG});\n'),
    ('qpu_alu.h', '   bool saturate = mode >= 8;\n',
     f'   if (audit("pack", mode * 2 + (is_float && ((mode & 7) == 1 || (mode & 7) == 2))))\n      return splat({WRONG});\n'),
    ('qpu_decode.c', 'qpu_small_immediate(unsigned n)\n{\n',
     f'   if (audit("small", n))\n      return {WRONG};\n'),
    ('qpu_decode.c', '   in->signal = bits(word, 60, 4);\n',
     '   if (audit("signal", in->signal))\n      in->signal = QPU_SIG_NONE;\n'),
    ('qpu_decode.c', '      in->branch_cond = bits(word, 52, 4);\n',
     '      if (audit("branch", in->branch_cond))\n'
     '         in->branch_cond = in->branch_cond == QPU_BRANCH_ALWAYS ? 0 : in->branch_cond ^ 1;\n'),
    ('qpu_decode.c', '      in->branch_reg = bits(word, 45, 5);\n',
     '      in->branch_relative ^= audit("branch_part", 0);\n'
     '      in->branch_uses_reg &= !audit("branch_part", 1);\n'
     '      in->branch_reg ^= audit("branch_part", 2);\n'
     '      if (audit("branch_part", 3))\n         in->waddr_add = in->waddr_mul = QPU_W_NOP;\n'),
    ('qpu_decode.c', '   in->cond_mul = bits(word, 46, 3);\n',
     '   in->cond_add ^= audit("cond_add", in->cond_add);\n   in->cond_mul ^= audit("cond_mul", in->cond_mul);\n'),
    ('qpu_decode.c', '      in->kind = in->imm_mode >= 4 ? QPU_SEMAPHORE : QPU_IMMEDIATE;\n'
     '      in->immediate = (uint32_t)word;\n',
     '      in->immediate ^= audit("immediate", in->imm_mode) ? 0xffff : 0;\n'
     '      if (in->imm_mode >= 4 && audit("immediate", 4))\n         in->kind = QPU_IMMEDIATE;\n'),
    ('qpu_decode.c', '         in->rotate = in->raddr_b == 48 ? 16 : in->raddr_b - 48;\n',
     '      if (in->raddr_b >= 48 && audit("rotate", in->raddr_b - 48))\n         in->rotate = 0;\n'),
    ('qpu_exec.c', 'read_special(struct qpu *q, unsigned address, bool file_b, qpu_u *value)\n{\n',
     f'   if (audit("read", address * 2 + file_b) || audit("read_both", address)) {{\n'
     f'      *value = splat({WRONG});\n      return;\n   }}\n'),
    ('qpu_exec.c', 'write_special(struct qpu *q, unsigned address, bool file_b,\n'
     '              const qpu_u *value, const qpu_u *mask)\n{\n',
     '   if (audit("write", address * 2 + file_b) || audit("write_both", address))\n      return;\n'),
    ('tmu.c', '   unsigned bit;\n   if (!level->cpu)\n      return 0;\n',
     f'   if (audit("format", t->format))\n      return {WRONG};\n'),
    ('tmu.c', '      uint32_t words[2] = { 0, 0 };\n      unsigned bit;\n',
     '      if (audit("format", FORMAT_RGBA64))\n         x = y = -1;\n'),
    ('tmu.c', '   const int w = level->width, h = level->height;\n'
     '   float u = tame(s, tex->wrap_s) * w, v = tame(t, tex->wrap_t) * h;\n',
     '   u += audit("wrap", tex->wrap_s);\n   v += audit("wrap", tex->wrap_t);\n'),
    ('tmu.c', '   const int w = level->width, h = level->height;\n   qpu_f u = tame_all(*s, tex->wrap_s) * (float)w;\n'
     '   qpu_f v = tame_all(*t, tex->wrap_t) * (float)h;\n',
     '   u += (float)audit("wrap", tex->wrap_s);\n   v += (float)audit("wrap", tex->wrap_t);\n'),
    ('tmu.c', 'choose(const struct tmu_texture *tex, float lod)\n{\n',
     '   struct tmu_texture other = *tex;\n   other.mag_filter ^= audit("mag_filter", tex->mag_filter);\n'
     '   if (audit("min_filter", tex->min_filter))\n      other.min_filter = (tex->min_filter + 3) % 6;\n   tex = &other;\n'),
    ('tiling.c', 'tiling_utile_offset(enum tiling tiling, uint32_t utiles_per_row, uint32_t ux,\n'
     '                    uint32_t uy)\n{\n',
     '   if (audit("layout", tiling))\n      ux ^= 1;\n'),
    ('tiling.c', '   if (tiling == TILING_RASTER)\n',
     '   x ^= tiling == TILING_RASTER && audit("layout", tiling);\n'),
    ('cl.c', '      if (p[0] >= 16 && p[0] <= 18) {\n',
     '      if (audit("packet", p[0] * 2 + (walk->thread == RENDER))) {\n         walk->address += size;\n'
     '         continue;\n      }\n'),
    ('cl.c', '      if (!size || !(packets[p[0]].threads & walk->thread)) {\n',
     '      if (audit("name", p[0]))\n         size = 0;\n'),
    ('vpm.c', '   if (setup->horizontal) {\n      *row = rest % VPM_ROWS;\n',
     '   if (audit("vpm", setup->size * 4 + setup->laned * 2 + setup->horizontal))\n      rest ^= setup->horizontal ? 1 : 16;\n'),
    ('vpm.c', '   row->part = mode >= 4 ? mode & 3 : mode >= 2 ? mode & 1 : 0;\n',
     '   if (audit("dma", mode))\n      row->bytes = row->bytes == 1 ? 2 : 1;\n'),
)

# Where the addition goes in front of the text, not behind it.
BEFORE = ('if (p[0] >= 16', 'if (setup->horizontal)', '   if (tiling == TILING_RASTER)', 'if (!size ||', '   bool saturate')

# Packets that change nothing here, and why: they are only named.
NO_EFFECT = {
    1: 'nop', 7: 'semaphores have nothing to wait for', 8: 'semaphores have nothing to wait for',
    56: 'lists say themselves what they hold', 66: 'no VG pipeline', 100: 'of the VG pipeline',
    104: 'Z is clipped by the viewport',
}
# Registers that change nothing here.
NO_EFFECT_WRITES = {47: 'alpha mask of the VG pipeline'}
# What Mesa describes, and is no packet of the chip.
NOT_A_PACKET = {254}


def read(*parts):
    with open(os.path.join(*parts), encoding='utf-8') as file:
        return file.read()


def table(text, name):
    """Strings of an array of a C file; None for NULL."""
    body = re.search(rf'\b{name}\[[^=]*=\s*{{(.*?)}};', text, re.DOTALL).group(1)
    return [None if item == 'NULL' else item.strip('"') for item in re.findall(r'"[^"]*"|NULL', body)]


def items_of_qpu():
    names = read(TOP, 'sim/vc4/qpu_names.h')
    items = {}
    for kind, array in (('add', 'qpu_add_names'), ('mul', 'qpu_mul_names')):
        for number, name in enumerate(table(names, array)):
            if name and name != 'nop':
                items[f'{kind}:{number}'] = f'{kind} {name}'
    for number, name in enumerate(table(names, 'qpu_pack_names')):
        if number:
            items[f'pack:{number * 2}'] = f'pack {name}'
        if number & 7 in (1, 2):
            items[f'pack:{number * 2 + 1}'] = f'pack {name} of a float'
        if 3 <= number <= 7:
            items[f'pack_mul:{number}'] = f'pack {name} of the multiplier'
    for number, name in enumerate(table(names, 'qpu_unpack_names')):
        if number:
            items[f'unpack:{number * 2}'] = f'unpack {name}'
        if number and number != 3:
            items[f'unpack:{number * 2 + 1}'] = f'unpack {name} to a float'
    for number, name in enumerate(table(names, 'qpu_cond_names')):
        items[f'cond_add:{number}'] = f'condition "{name}" of the adder'
        items[f'cond_mul:{number}'] = f'condition "{name}" of the multiplier'
    for number, name in enumerate(table(names, 'qpu_branch_names')):
        if not re.fullmatch(r'\.\d+', name):
            items[f'branch:{number}'] = f'branch "{name}"'
    for number, name in enumerate(('relative', 'by a register', 'register', 'link')):
        items[f'branch_part:{number}'] = f'branch: {name}'
    signals = table(names, 'qpu_signal_names')
    signals[13:16] = ['small immediate', 'load immediate', 'branch']
    items.update({f'signal:{number}': f'signal {name}' for number, name in enumerate(signals) if name})
    items.update({f'small:{n}': f'small immediate {n}' for n in range(48)})
    items.update({f'rotate:{n}': f'rotation {n or "by r5"}' for n in range(16)})
    items.update({f'immediate:{n}': f'immediate {n}' for n in (0, 1, 3, 4)})
    return items | items_of_registers(names)


def items_of_registers(names):
    items = {}
    pair = table(names, r'qpu_write_names\[2\]')
    for address in range(36, 64):
        a, b = pair[address - 32], pair[address]
        if a == '-' or address in NO_EFFECT_WRITES:
            continue
        if a == b:
            items[f'write_both:{address}'] = f'write {a}'
        else:
            items[f'write:{address * 2}'], items[f'write:{address * 2 + 1}'] = f'write {a}', f'write {b}'
    numbers = dict(re.findall(r'(QPU_R_\w+) = (\d+)', read(TOP, 'sim/vc4/qpu.h')))
    for constant, a, b in re.findall(r'{ (QPU_R_\w+), { "([^"]*)", "([^"]*)" } }', names):
        address = int(numbers[constant])
        # Busy and wait are 0 here, as transfers are done at once.
        if a == '-' or constant in ('QPU_R_VPM_BUSY', 'QPU_R_VPM_WAIT'):
            continue
        if a == b:
            items[f'read_both:{address}'] = f'read {a}'
        else:
            items[f'read:{address * 2}'], items[f'read:{address * 2 + 1}'] = f'read {a}', f'read {b}'
    return items


def items_of_textures():
    body = re.search(r'enum {\s*(FORMAT_RGBA8888.*?)NUM_FORMATS', read(TOP, 'sim/vc4/tmu.c'), re.DOTALL).group(1)
    items = {f'format:{number}': f'texture format {name.strip()}' for number, name in enumerate(body.split(',')) if name.strip()}
    items.update({f'wrap:{n}': f'wrap mode {n}' for n in range(4)})
    items.update({f'min_filter:{n}': f'min filter {n}' for n in range(6)})
    items.update({f'mag_filter:{n}': f'mag filter {n}' for n in range(2)})
    layouts = re.search(r'enum tiling {(.*?)}', read(TOP, 'sim/vc4/v3d_internal.h')).group(1).split(',')
    items.update({f'layout:{n}': f'layout {name.strip()}' for n, name in enumerate(layouts)})
    return items


def items_of_vpm():
    items = {}
    for size, name in enumerate(('8 bits', '16 bits', '32 bits')):
        for laned in range(2 if size < 2 else 1):
            for horizontal in range(2):
                items[f'vpm:{size * 4 + laned * 2 + horizontal}'] = (
                    f'VPM {name} {"laned" if laned else "packed"} {"horizontal" if horizontal else "vertical"}')
    items.update({f'dma:{mode}': f'VPM DMA mode {mode}' for mode in (0, 2, 3, 4, 5, 6, 7)})
    return items


def packets():
    """{number: (name, threads)} of the simulator."""
    text = read(TOP, 'sim/vc4/cl.c')
    own = {'CL_COMPRESSED': '48', 'CL_CLIPPED': '49'}
    found = re.findall(r'\[(\w+)\] = {\s*(\d+), ([A-Z| ]+), "(\w+)" }', text)
    return {int(own.get(number, number)): (name, threads) for number, _, threads, name in found}


def items_of_packets():
    items = {}
    for number, (name, threads) in packets().items():
        items[f'name:{number}'] = f'packet {name}'
        for thread, word in enumerate(('BIN', 'RENDER')):
            if word in threads and number not in NO_EFFECT:
                items[f'packet:{number * 2 + thread}'] = f'what packet {name} does in a {word.lower()} list'
    return items


def missing_of_mesa():
    """What Mesa describes and the simulator's tables do not have."""
    missing = []
    ours = packets()
    for name, code in re.findall(r'<packet name="([^"]*)"[^>]*code="(\d+)"', read(MESA, 'broadcom/cle/vc4_packet.xml')):
        if int(code) not in ours and int(code) not in NOT_A_PACKET:
            missing.append(f'packet {name}')
    names = read(TOP, 'sim/vc4/qpu_names.h')
    defines = read(MESA, 'gallium/drivers/vc4/vc4_qpu_defines.h')
    for prefix, array in (('QPU_A', 'qpu_add_names'), ('QPU_M', 'qpu_mul_names')):
        body = re.search(rf'enum \w+ {{([^}}]*\b{prefix}_NOP\b[^}}]*)}}', defines).group(1)
        theirs, number = {}, -1
        for name, value in re.findall(rf'\b{prefix}_(\w+)(?:\s*=\s*(\d+))?,', re.sub(r'/\*.*?\*/', '', body, flags=re.DOTALL)):
            number = int(value) if value else number + 1
            theirs[number] = name.lower()
        for number, name in theirs.items():
            if (table(names, array)[number] or '') != name:
                missing.append(f'operation {name} ({number})')
    return missing


def missing_of_tiling():
    """Formats that test_tiling.c does not compare with Mesa's tiling code, of those that Mesa tiles: with whole bytes, not in
    raster order.  64 bits per pixel have the places of ETC1's blocks, and a test of their own in test_texture.c."""
    text = read(TOP, 'sim/vc4/tmu.c')
    body = re.search(r'enum {\s*(FORMAT_RGBA8888.*?)NUM_FORMATS', text, re.DOTALL).group(1)
    numbers = {name.strip(): number for number, name in enumerate(body.split(',')) if name.strip()}
    bits = {name: int(count) for name, count in re.findall(r'\[(FORMAT_\w+)\] = { (\d+),', text)}
    raster = re.findall(r't->format == (FORMAT_\w+)', re.search(r'const bool raster =(.*?);', text, re.DOTALL).group(1))
    rows = re.search(r'formats\[\] = {(.*?)};', read(TOP, 'tests/unit/vc4/test_tiling.c'), re.DOTALL).group(1)
    tested = {int(number) for number in re.findall(r'{ "[^"]*", (\d+), \d+ }', rows)}
    return [name for name, number in numbers.items()
            if bits[name] >= 8 and name not in raster and name != 'FORMAT_RGBA64' and number not in tested]


def build(directory, edit=None):
    """A simulator that can be broken, and the tests with it; edit: {test: function of its text}."""
    with open(os.path.join(directory, 'audit.h'), 'w', encoding='utf-8') as file:
        file.write(HEADER)
    with open(os.path.join(directory, 'audit.c'), 'w', encoding='utf-8') as file:
        file.write(SOURCE)
    names = sorted(os.listdir(os.path.join(TOP, 'sim/vc4')))
    texts = {name: read(TOP, 'sim/vc4', name) for name in names if name[-2:] in ('.c', '.h')}
    for name, anchor, addition in BREAKS:
        if texts[name].count(anchor) != 1:
            sys.exit(f'audit.py: {name} has this {texts[name].count(anchor)} times, not once:\n{anchor}')
        new = addition + anchor if any(text in anchor for text in BEFORE) else anchor + addition
        texts[name] = texts[name].replace(anchor, new)
    for name, text in texts.items():
        with open(os.path.join(directory, name), 'w', encoding='utf-8') as file:
            file.write(text)
    flags = ['-std=gnu11', '-O1', '-fno-math-errno', '-ffp-contract=off', '-Wno-psabi', '-DAUDIT', '-include',
             os.path.join(directory, 'audit.h')]
    flags += [f'-I{d}' for d in [directory, os.path.join(TOP, 'sim/common'), os.path.join(TOP, 'tests/unit/vc4')]]
    sources = [name for name in texts if name.endswith('.c')] + ['audit.c']
    sources += glob.glob(os.path.join(TOP, 'sim/common/*.c')) + [os.path.join(TOP, 'tests/unit/vc4/vc4_memory.c')]
    running, objects = [], []
    for source in sources:
        objects.append(os.path.join(directory, os.path.basename(source)[:-2] + '.o'))
        running.append(subprocess.Popen(['gcc', *flags, '-c', os.path.join(directory, source), '-o', objects[-1]]))
        if len(running) == 2 and running.pop(0).wait():
            sys.exit(f'audit.py: cannot compile {source}')
    if any(process.wait() for process in running):
        sys.exit('audit.py: cannot compile the simulator')
    for test in TESTS:
        build_test(directory, test, flags, objects, (edit or {}).get(test))
    return flags, objects


def build_test(directory, test, flags, objects, edit=None):
    text = read(TOP, f'tests/unit/vc4/test_{test}.c')
    path = os.path.join(directory, f'test_{test}.c')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(edit(text) if edit else text)
    if subprocess.run(['gcc', *flags, path, *objects, '-o', path[:-2], '-lcmocka', '-lm', '-lpthread'], check=False).returncode:
        sys.exit(f'audit.py: cannot compile test_{test}.c')


def notices(directory, item):
    """The first test that fails with this broken."""
    for test in TESTS:
        try:
            run = subprocess.run([os.path.join(directory, f'test_{test}')], env={**os.environ, 'AUDIT': item}, timeout=60,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return test
        if run.returncode:
            return test
    return None


def find_missing(directory, items):
    return [name for item, name in items.items() if not notices(directory, item)]


def without(line):
    """Takes a row of a table out of a test."""
    def edit(text):
        if text.count(line) != 1:
            sys.exit(f'audit.py: the test has "{line}" {text.count(line)} times')
        return ''.join(part for part in text.splitlines(True) if line not in part)
    return edit


# Rows of the tests, and what nothing tests without them.
SELF_TEST = (
    ('qpu', '{ "xor", 22,', 'add:22', 'add:21'),
    ('qpu', '"8c saturated"', 'pack:28', 'pack:26'),
    ('texture', '{ "LUMALPHA", 7,', None, 'format:5'),
    ('packets', '{ "flush all", 5,', None, 'name:4'),
)


def self_test(directory, flags, objects):
    """The audit must be able to fail."""
    bad = 0
    if notices(directory, 'add:9'):
        print('audit.py: the tests fail although nothing is broken')
        bad += 1
    for test, line, gone, still in SELF_TEST:
        build_test(directory, test, flags, objects, without(line))
        seen = gone and notices(directory, gone)
        if seen or not notices(directory, still):
            print(f'audit.py: without the row {line} of test_{test}.c: {gone} {"is" if seen else "is not"} noticed')
            bad += 1
        build_test(directory, test, flags, objects)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('--keep')
    args = parser.parse_args()
    items = items_of_qpu() | items_of_textures() | items_of_vpm() | items_of_packets()
    with tempfile.TemporaryDirectory() as temporary:
        directory = args.keep or temporary
        os.makedirs(directory, exist_ok=True)
        flags, objects = build(directory)
        missing = [f'{name}: described by Mesa, not in the simulator' for name in missing_of_mesa()]
        missing += [f'texture {name}: not compared with the tiling code of Mesa' for name in missing_of_tiling()]
        missing += [f'{name}: no unit test fails without it' for name in find_missing(directory, items)]
        bad = self_test(directory, flags, objects) if args.self_test else 0
    print('\n'.join(missing + [f'{len(items)} operations, modes, registers, formats and packets, {len(missing)} without a test']))
    return 1 if missing or bad else 0


if __name__ == '__main__':
    sys.exit(main())
