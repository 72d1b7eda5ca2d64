#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""A program draws nearly the same on the simulated chip and on softpipe.

  near_pictures.py SHIM LIBRARY_DIR PROGRAM [ARGUMENT...]
  near_pictures.py --all SHIM LIBRARY_DIR PROGRAM [ARGUMENT...]

The program prints lines of a name and the bytes of RGBA pixels, as hexadecimal digits.  A channel may differ by 6: four
roundings of a byte and two of fp20.  Of the pixels of a picture a twelfth may differ by more, for there are tests, wraps and
scales by four, which make small differences large; in one of the first 1,700 scenes of fixed_functions.c a sixth does in
softpipe against llvmpipe.

With --all every byte counts, whatever it is of, and may differ by 5: what is stored in three bits by one and in five by the other
differs by 4, and may be scaled.
"""

import os
import sys

import same_output

NEAR = 6
SHARE = 12
NEAR_ALL = 5


def differing(ours, wanted):
    """Number of pixels with a channel that differs too much."""
    a, b = bytes.fromhex(ours), bytes.fromhex(wanted)
    return sum(any(abs(p - q) > NEAR for p, q in zip(a[i:i + 4], b[i:i + 4])) for i in range(0, len(a), 4))


def all_near(ours, wanted):
    return len(ours) == len(wanted) and all(abs(p - q) <= NEAR_ALL for p, q in zip(bytes.fromhex(ours), bytes.fromhex(wanted)))


def main():
    every = sys.argv[1] == '--all'
    shim, libraries, *program = sys.argv[1 + every:]
    ours = same_output.output(program, {'LD_PRELOAD': shim, 'LD_LIBRARY_PATH': libraries, 'TEGRA20_SHIM_STRICT': '1'})
    wanted = same_output.output(program, {'LD_LIBRARY_PATH': libraries, **same_output.SOFTPIPE})
    wrong = 0
    for line, other in zip(ours, wanted):
        (name, _, a), (other_name, _, b) = line.partition(' '), other.partition(' ')
        if every:
            right, what = name == other_name and all_near(a, b), ''
        else:
            count = differing(a, b)
            right, what = count * 8 * SHARE <= len(a), f'{count} of {len(a) // 8} pixels'
        if not right:
            wrong += 1
            print(f'{os.path.basename(program[0])} {name}: {what} differ')
    print(f'{len(ours)} pictures, {wrong} wrong')
    return 0 if ours and len(ours) == len(wanted) and not wrong else 1


if __name__ == '__main__':
    sys.exit(main())
