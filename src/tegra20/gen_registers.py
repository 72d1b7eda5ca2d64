#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Make C from a register description (gr3d.yaml, gr2d.yaml, host1x.yaml).

  gen_registers.py --header PREFIX IN.yaml OUT.h     offsets, field macros, enumerations
  gen_registers.py --table  PREFIX IN.yaml OUT.c     tables that turn a register write into text (register_info.h)

For a register R at offset O the header has PREFIX_R (a macro with an index for arrays); for a field F of it
PREFIX_R_F__SHIFT, PREFIX_R_F__MASK and the inline function PREFIX_R_F(value), which shifts and masks.
"""

import sys

import yaml


def load(path):
    with open(path, encoding='utf-8') as f:
        return yaml.safe_load(f)


def field_mask(bits):
    msb, lsb = bits
    return ((1 << (msb - lsb + 1)) - 1) << lsb


def emit_header(prefix, desc, source, out):
    guard = f'TEGRA20_{prefix}_REGS_H'
    out.write(f'/* Generated from {source} by gen_registers.py: do not edit. */\n\n')
    out.write(f'#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n')
    for name, values in (desc.get('enums') or {}).items():
        out.write(f'enum {prefix.lower()}_{name.lower()} {{\n')
        for value, number in values.items():
            out.write(f'   {prefix}_{name}_{value} = {number:#x},\n')
        out.write('};\n\n')
    for name, reg in desc['registers'].items():
        out.write(f'/* {reg["doc"]} [{reg["conf"]}] */\n')
        if reg.get('n', 1) > 1:
            step = reg.get('stride', 1)
            out.write(f'#define {prefix}_{name}(i) ({reg["at"]:#05x} + {step} * (i))\n')
            out.write(f'#define {prefix}_{name}__COUNT {reg["n"]}\n')
        else:
            out.write(f'#define {prefix}_{name} {reg["at"]:#05x}\n')
        for fname, field in (reg.get('fields') or {}).items():
            macro = f'{prefix}_{name}_{fname}'
            mask = field_mask(field['bits'])
            out.write(f'#define {macro}__SHIFT {field["bits"][1]}\n#define {macro}__MASK {mask:#010x}u\n')
            out.write(f'static inline uint32_t {macro}(uint32_t v) {{ return (v << {field["bits"][1]}) & {mask:#010x}u; }}\n')
        out.write('\n')
    out.write(f'#endif\n')


def c_string(text):
    return '"' + str(text).replace('\\', '\\\\').replace('"', '\\"') + '"'


def emit_table(prefix, desc, source, out):
    low = prefix.lower()
    out.write(f'/* Generated from {source} by gen_registers.py: do not edit. */\n\n#include "tegra20/register_info.h"\n\n')
    for name, values in (desc.get('enums') or {}).items():
        out.write(f'static const struct register_enum_value {low}_enum_{name}[] = {{\n')
        for value, number in values.items():
            out.write(f'   {{ {number}, "{value}" }},\n')
        out.write('   { 0, NULL },\n};\n')
    for name, reg in desc['registers'].items():
        fields = reg.get('fields') or {}
        if not fields:
            continue
        out.write(f'static const struct register_field {low}_fields_{name}[] = {{\n')
        for fname, f in fields.items():
            enum = f'{low}_enum_{f["enum"]}' if 'enum' in f else 'NULL'
            out.write(f'   {{ "{fname}", {f["bits"][0]}, {f["bits"][1]}, REGISTER_{f["kind"].upper()}, {enum} }},\n')
        out.write('   { NULL, 0, 0, REGISTER_UINT, NULL },\n};\n')
    out.write(f'\nconst struct register_info {low}_registers[] = {{\n')
    for name, reg in desc['registers'].items():
        fields = f'{low}_fields_{name}' if reg.get('fields') else 'NULL'
        out.write(f'   {{ "{name}", {reg["at"]:#05x}, {reg.get("n", 1)}, {reg.get("stride", 1)}, '
                  f'REGISTER_{reg["kind"].upper()}, \'{reg["conf"]}\', {c_string(reg.get("chip", ""))}, {fields} }},\n')
    out.write('   { NULL, 0, 0, 0, REGISTER_UINT, 0, NULL, NULL },\n};\n')


def main():
    mode, prefix, source, target = sys.argv[1:]
    desc = load(source)
    with open(target, 'w', encoding='utf-8') as out:
        {'--header': emit_header, '--table': emit_table}[mode](prefix, desc, source.split('/')[-1], out)


if __name__ == '__main__':
    main()
