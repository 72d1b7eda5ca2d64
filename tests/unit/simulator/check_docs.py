#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The documents name every diagnostic and every switch of the simulator, and every register of Tegra20.

  check_docs.py sim_diag.h switches.c gr3d.yaml simulator.md hardware-assumptions.md
"""

import re
import sys

import yaml


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def main():
    diags, switches, registers, simulator, assumptions = map(read, sys.argv[1:])
    missing = [f'{number} {name}: no row in simulator.md' for number, name in re.findall(r'X\((\d+), (\w+)\)', diags)
               if f'| {number} | {name} |' not in simulator]
    missing += [f'{ident}: no row in hardware-assumptions.md' for ident in re.findall(r'\{ "(A\d+)"', switches)
                if f'| {ident} |' not in assumptions]
    missing += [f'{name}: neither effect nor inert in simulator.md'
                for name, reg in yaml.safe_load(registers)['registers'].items()
                if 'chip' not in reg and not re.search(rf'\b{name}\b', simulator)]
    print('\n'.join(missing))
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
