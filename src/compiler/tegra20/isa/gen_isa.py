# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
#
# Makes a C header from the description of an instruction set: a structure with the fields unpacked, functions to pack
# and unpack it, enums with their names, and a table of the fields.
#
#   gen_isa.py DESCRIPTION.yaml OUTPUT.h

import sys
import yaml


def c_type(field):
    if field['kind'] == 'bool':
        return 'bool'
    return 'uint8_t' if field['size'] <= 8 else 'uint16_t'


def declare(field):
    name = field['name']
    if field['kind'] == 'swizzle':
        return f'uint8_t {name}[4];'
    if 'count' in field:
        return f'{c_type(field)} {name}[{field["count"]}];'
    return f'{c_type(field)} {name};'


def accesses(field):
    """C lvalue, lowest bit and width of each part of a field."""
    name = field['name']
    if field['kind'] == 'swizzle':
        return [(f'inst->{name}[{c}]', field['low'] + 6 - 2 * c, 2) for c in range(4)]
    if 'count' in field:
        return [(f'inst->{name}[{i}]', field['low'] + i * field['stride'], field['size']) for i in range(field['count'])]
    return [(f'inst->{name}', field['low'], field['size'])]


def check(isa):
    owner = {}
    for field in isa['fields']:
        if 'overlay' in field:
            continue
        for _, low, size in accesses(field):
            for bit in range(low, low + size):
                assert bit < isa['bits'], f'{field["name"]}: bit {bit} is outside the word'
                assert bit not in owner, f'{field["name"]}: bit {bit} belongs to {owner[bit]}'
                owner[bit] = field['name']
    missing = [bit for bit in range(isa['bits']) if bit not in owner]
    assert not missing, f'bits without a field: {missing}'


def generate(isa):
    name, NAME = isa['name'], isa['name'].upper()
    words = isa['bits'] // 32
    out = []
    emit = out.append

    emit('/* SPDX-License-Identifier: MIT */')
    emit(f'/* Generated from {name}.yaml by gen_isa.py. */')
    emit(f'#ifndef {NAME}_ISA_H\n#define {NAME}_ISA_H\n')
    emit('#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n\n#include "isa.h"\n')

    for enum, values in isa.get('enums', {}).items():
        prefix = f'{NAME}_{enum.upper()}'
        prefix = prefix[:-3] if prefix.endswith('_OP') else prefix
        emit(f'enum {name}_{enum} {{')
        for number, label in values.items():
            emit(f'   {prefix}_{label} = {number},')
        emit('};\n')
        emit(f'/* Names by number; NULL where nothing is known. */')
        emit(f'static const char *const {name}_{enum}_names[{max(values) + 1}] = {{')
        for number, label in values.items():
            emit(f'   [{number}] = "{label}",')
        emit('};\n')

    emit(f'struct {name}_inst {{')
    for field in isa['fields']:
        emit(f'   {declare(field)}')
    emit('};\n')

    emit(f'#define {NAME}_NUM_FIELDS {len([f for f in isa["fields"] if "overlay" not in f])}')
    emit(f'static const struct isa_field {name}_fields[{NAME}_NUM_FIELDS] = {{')
    for field in isa['fields']:
        if 'overlay' in field:
            continue
        emit(f'   {{"{field["name"]}", {field["low"]}, {field["size"]}, {field.get("count", 1)}, {field.get("stride", 0)}}},')
    emit('};\n')

    emit(f'/* An instruction that does nothing. */')
    emit(f'static inline struct {name}_inst\n{name}_inst_init(void)\n{{')
    emit(f'   struct {name}_inst inst = {{0}};')
    for field in isa['fields']:
        if field['kind'] == 'swizzle':
            emit(f'   for (unsigned c = 0; c < 4; c++)\n      inst.{field["name"]}[c] = c;')
        elif 'default' in field:
            emit(f'   inst.{field["name"]} = {field["default"]};')
    emit('   return inst;\n}\n')

    order = 'ISA_HIGH_FIRST' if isa['first_word'] == 'high' else 'ISA_LOW_FIRST'

    emit(f'static inline void\n{name}_pack(const struct {name}_inst *inst, uint32_t words[{words}])\n{{')
    emit(f'   memset(words, 0, {words} * sizeof(words[0]));')
    for field in isa['fields']:
        overlays = [f for f in isa['fields'] if f.get('overlay') == field['name']]
        indent = '   '
        if 'when' in field:
            emit(f'   if ({field["when"]})')
            indent = '      '
        elif overlays:
            emit(f'   if (!({overlays[0]["when"]})) {{')
            indent = '      '
        for value, low, size in accesses(field):
            if field['kind'] == 'mask':
                value = f'isa_reverse4({value})'
            emit(f'{indent}isa_set(words, {words}, {order}, {low}, {size}, {value});')
        if overlays:
            emit('   }')
    emit('}\n')

    emit(f'static inline void\n{name}_unpack(const uint32_t words[{words}], struct {name}_inst *inst)\n{{')
    for field in isa['fields']:
        for value, low, size in accesses(field):
            get = f'isa_get(words, {words}, {order}, {low}, {size})'
            if field['kind'] == 'mask':
                get = f'isa_reverse4({get})'
            emit(f'   {value} = {get};')
    emit('}\n\n#endif')
    return '\n'.join(out) + '\n'


def main():
    with open(sys.argv[1]) as source:
        isa = yaml.safe_load(source)
    check(isa)
    with open(sys.argv[2], 'w') as output:
        output.write(generate(isa))


main()
