#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The documents name every diagnostic and every switch of the simulator.

  check_docs.py sim_diag.h switches.c simulator.md hardware-assumptions.md
"""

import re
import sys


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def main():
    diags, switches, simulator, assumptions = map(read, sys.argv[1:])
    missing = [f'{number} {name}: no row in simulator.md' for number, name in re.findall(r'X\((\d+), (\w+)\)', diags)
               if f'| {number} | {name} |' not in simulator]
    missing += [f'{ident}: no row in hardware-assumptions.md' for ident in re.findall(r'\{ "(A\d+)"', switches)
                if f'| {ident} |' not in assumptions]
    print('\n'.join(missing))
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
