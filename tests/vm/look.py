#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""In tegra20-vm: waits until the screen shows what it should: look.py FILE CONDITION...

A condition is RRGGBB>=N (so many pixels have this colour) or colours>=N (so many different ones).  Writes the screen to FILE
again and again until all hold; status 1 when they never do.
"""

import collections
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run import read_png

MOST_SECONDS = 900  # a machine may have little of its host


def colours(path):
    """How many pixels of the file have which colour, as RRGGBB."""
    _, _, rows = read_png(path)
    counts = collections.Counter()
    for row in rows:
        counts.update(bytes(row[i:i + 3]).hex() for i in range(0, len(row), 4))
    return counts


def holds(condition, counts):
    name, wanted = re.fullmatch(r'(\w+)>=(\d+)', condition).groups()
    return (len(counts) if name == 'colours' else counts[name]) >= int(wanted)


def main():
    path, conditions = os.path.abspath(sys.argv[1]), sys.argv[2:]
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        with open('/sys/kernel/debug/tegra20-screen', 'w', encoding='utf-8') as f:
            f.write(path)
        counts = colours(path)
        if all(holds(c, counts) for c in conditions):
            print('seen:', *conditions)
            return 0
        time.sleep(0.5)
    print('not seen:', *conditions, '; on the screen:', len(counts), 'colours,', counts.most_common(5))
    return 1


if __name__ == '__main__':
    sys.exit(main())
