#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The register descriptions against the manual: check_manual.py YAML_DIR MANUAL_DIR

Driver, shim and simulator take register numbers and codes from one description (src/tegra20/*.yaml).  An error there
would be made by all of them alike, so no picture shows it.  This compares every register, field and code of gr3d.yaml and
host1x.yaml with the tables of the manual (gr3d-registers.md 2.1, gr3d-formats.csv) and gr2d.yaml with the table of
surfaces-and-textures.md 8, in both directions.  The last line is "N rows, N differences".
"""

import csv
import os
import re
import sys

import yaml

# Codes that the description leaves out, because nothing uses them, or names otherwise.
NO_CODE = re.compile(r'\.(UNUSED_\w+|UNKNOWN_\w+|RESERVED\w*)$')
OTHER_NAME = {'INDEX_MODE.UINT32_GUESS': 'INDEX_MODE.UINT32', 'SURFACE_LAYOUT.TILED_16x16': 'SURFACE_LAYOUT.TILED'}
# Groups of gr3d-formats.csv that describe instruction words (src/compiler/tegra20/isa, tested there) or texture
# states (hand-written in the unit test of words).
OTHER_PLACE = re.compile(r'^(ALU|FP_ALU|MFU|TEXTURE|HOST1X)_')


class Report:
    def __init__(self):
        self.rows = self.differences = 0

    def compare(self, what, ours, manual):
        self.rows += 1
        if ours != manual:
            self.differences += 1
            print(f'{what}: the description says {ours}, the manual {manual}')


def load(path):
    with open(path, encoding='utf-8') as file:
        return yaml.safe_load(file)


ROW = re.compile(r'\| (?:(0x[0-9a-f]{3})(?:–0x[0-9a-f]+ \((\d+) × (\d+)\))? )?\| (?:\*\*(\w+)\*\*(?: \(T\d+\))?|· (\w+)) '
                 r'\| ([\d:]*) \| ([^|;]*)(?:; ([^|]*))? \| (.*) \| \[\w\] \|$')


def manual_registers(path):
    """{(name, offset): [row]} of the manual's tables: the register, where it has no fields, or else these."""
    rows, known = {}, None
    with open(path, encoding='utf-8') as file:
        for match in map(ROW.match, file.read().replace('\\|', '/').split('\n')):
            if not match:
                continue
            offset, count, stride, name, field, bits, kind, values, text = match.groups()
            if name:
                known = None if text.startswith('HOST1X class') else (name, int(offset, 16))
                array = count or 1, stride or 1
            if known and bits:
                msb, _, lsb = bits.partition(':')
                rows.setdefault(known, []).append({'count': array[0], 'stride': array[1], 'field': field, 'msb': msb,
                                                   'lsb': lsb or msb, 'kind': kind.strip(), 'values': values or ''})
    return rows


def gr3d_registers(report, description, path):
    rows, seen = manual_registers(path), set()
    for (name, offset), fields in rows.items():
        ours = description['registers'].get(name)
        seen.add(name)
        if ours is None:
            report.compare(name, 'nothing', hex(offset))
            continue
        first = fields[0]
        report.compare(name, (ours['at'], ours.get('n', 1), ours.get('stride', 1)),
                       (offset, int(first['count']), int(first['stride'])))
        manual = {row['field']: row for row in fields if row['field']}
        described = ours.get('fields') or {}
        report.compare(f'{name}: fields', sorted(described), sorted(manual))
        for field in set(described) & set(manual):
            row = manual[field]
            # an enumeration without names of its own is a number here
            kind = 'uint' if row['kind'] == 'enum' and not described[field].get('enum') else row['kind']
            report.compare(f'{name}.{field}', (list(described[field]['bits']), described[field]['kind']),
                           ([int(row['msb']), int(row['lsb'])], kind))
            codes = re.findall(r'(?:^|;)(\d+|0x[0-9a-f]+)=(\w+)', row['values'])
            if described[field].get('enum') and codes:
                enum = description['enums'][described[field]['enum']]
                for number, code in codes:
                    if code in enum:
                        report.compare(f'{name}.{field}={code}', enum[code], int(number, 0))
    report.compare('registers', sorted(set(description['registers']) - seen), [])


def gr3d_codes(report, enums, path):
    with open(path, newline='', encoding='utf-8') as file:
        manual = {row['name']: int(row['value'], 16) for row in csv.DictReader(file)}
    manual = {OTHER_NAME.get(name, name): value for name, value in manual.items()
              if not NO_CODE.search(name) and not OTHER_PLACE.match(name)}
    ours = {f'{group}.{name}': value for group, codes in enums.items() for name, value in codes.items()}
    for name in sorted(set(manual) | set(ours)):
        report.compare(name, ours.get(name), manual.get(name))


def host1x_codes(report, enums, path):
    with open(path, newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            match = re.match(r'HOST1X_(OPCODE|CLASS)\.(\w+)', row['name'])
            if match and match[2] in enums[match[1]]:
                report.compare(row['name'], enums[match[1]][match[2]], int(row['value'], 16))


def gr2d_registers(report, description, path):
    rows = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            match = re.match(r'\| (0x[0-9a-f]{2}(?:, 0x[0-9a-f]{2})*) \| ([\w, ]+) \| (.*) \|$', line)
            for offset, name in zip(match[1].split(', '), match[2].split(', ')) if match else []:
                rows[name] = int(offset, 16), match[3]
    for name, ours in description['registers'].items():
        if name not in rows:
            continue
        report.compare(f'GR2D {name}', ours['at'], rows[name][0])
        numbers = re.findall(r'\b(\d+:\d+|\d+)(?=[ :(])', rows[name][1])
        for field, value in (ours.get('fields') or {}).items():
            msb, lsb = value['bits']
            text = f'{msb}:{lsb}' if msb != lsb else f'{msb}'
            report.compare(f'GR2D {name}.{field}', text, text if text in numbers else f'{" ".join(numbers)}')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    yamls, manual = sys.argv[1:]
    report = Report()
    gr3d = load(os.path.join(yamls, 'gr3d.yaml'))
    gr3d_registers(report, gr3d, os.path.join(manual, 'gr3d-registers.md'))
    gr3d_codes(report, gr3d['enums'], os.path.join(manual, 'gr3d-formats.csv'))
    host1x_codes(report, load(os.path.join(yamls, 'host1x.yaml'))['enums'], os.path.join(manual, 'gr3d-formats.csv'))
    gr2d_registers(report, load(os.path.join(yamls, 'gr2d.yaml')), os.path.join(manual, 'surfaces-and-textures.md'))
    print(f'{report.rows} rows, {report.differences} differences')
    return 1 if report.differences or report.rows < 700 else 0


if __name__ == '__main__':
    sys.exit(main())
