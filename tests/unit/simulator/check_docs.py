#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What the documents and the tests say of the simulator is complete.

  check_docs.py SOURCE_ROOT

Every diagnostic is documented and has a test.  Every register of Tegra20 is used by the simulator's code or listed as
inert.  Every assumption that the simulator makes has a switch, and every switch an assumption.
"""

import glob
import os
import re
import sys

import yaml


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return f.read()


def check_diagnostics(root, document):
    tests = '\n'.join(read(p) for p in glob.glob(os.path.join(root, 'tests/unit/simulator/test_*.c')))
    for number, name in re.findall(r'X\((\d+), (\w+)\)', read(root, 'sim/tegra20/sim_diag.h')):
        if f'| {number} | {name} |' not in document:
            yield f'{number} {name}: no row in simulator.md'
        if not re.search(rf'\b(SIM_DIAG_)?{name}\b', tests):
            yield f'{number} {name}: no unit test'


def check_switches(root):
    switches = {row['id'] for row in yaml.safe_load(read(root, 'src/tegra20/hw/hw.yaml')) if row.get('sim', True) is True}
    assumptions = set()
    choices, _, _ = read(root, 'docs/hardware-assumptions.md').partition('\n## ')
    for row in re.findall(r'^\| (A\d+ \|.*) \|$', choices, re.M):
        ident, _, place, _ = row.split(' | ')
        if place.startswith('simulator'):
            assumptions.add(ident)
        elif not place.startswith(('driver', 'compiler')):
            yield f'{ident}: neither simulator, driver nor compiler'
    yield from (f'{ident}: a switch without a row of the simulator' for ident in sorted(switches - assumptions))
    yield from (f'{ident}: the simulator makes a choice without a switch' for ident in sorted(assumptions - switches))


def check_registers(root, document):
    code = '\n'.join(read(p) for p in glob.glob(os.path.join(root, 'sim/tegra20/*.c')))
    # The offsets that strict mode's list of initialisation registers covers.
    initialised = [(int(a, 16), int(b, 16)) for a, b in
                   re.findall(r'\{ (0x[0-9a-f]{3}), (0x[0-9a-f]{3}), (?:true|false), 0x?[0-9a-f]+ \}', read(root, 'sim/tegra20/check.c'))]
    effect, inert = document.split('\nInert:\n')
    inert = inert.split('\nGR2D: ')[0]
    effect = effect[effect.index('\n## Registers\n'):]
    for name, reg in yaml.safe_load(read(root, 'src/tegra20/gr3d.yaml'))['registers'].items():
        if 'chip' in reg:
            continue
        used = re.search(rf'\bGR3D_{name}\b', code) is not None
        works, listed = (re.search(rf'\b{name}\b', part) is not None for part in (effect, inert))
        if works == listed:
            yield f'{name}: must be listed once, as having an effect or as inert'
        if works and not used and reg['at'] and not any(first <= reg['at'] <= last for first, last in initialised):
            # Ranges of consecutive registers are named by their first one.
            before = re.sub('_[YZ]_|_HEIGHT|_DEPTH|_HIGH$', lambda m: m[0].replace('Y', 'X').replace('Z', 'X')
                            .replace('_HEIGHT', '_WIDTH').replace('_DEPTH', '_WIDTH').replace('_HIGH', ''), name)
            if not re.search(rf'\bGR3D_{before}\b', code):
                yield f'{name}: said to have an effect, but no code names it'
        if listed and used:
            yield f'{name}: said to be inert, but code names it'


def main():
    root = sys.argv[1]
    document = read(root, 'docs/simulator.md')
    missing = [*check_diagnostics(root, document), *check_switches(root), *check_registers(root, document)]
    print('\n'.join(missing))
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
