#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""near_pictures.py SHIM LIBRARY_DIR PROGRAM [ARGUMENT...]: a program draws nearly the same on the simulated chip and on softpipe.

The program prints lines of a name and the bytes of RGBA pixels, as hexadecimal digits.  A channel may differ by 6: four
roundings of a byte and two of fp20.  Of the pixels of a picture a twelfth may differ by more, for there are tests, wraps and
scales by four, which make small differences large; in one of the first 1,700 scenes of fixed_functions.c a sixth does in
softpipe against llvmpipe.
"""

import os
import sys

import same_output

NEAR = 6
SHARE = 12


def differing(ours, wanted):
    """Number of pixels with a channel that differs too much."""
    a, b = bytes.fromhex(ours), bytes.fromhex(wanted)
    return sum(any(abs(p - q) > NEAR for p, q in zip(a[i:i + 4], b[i:i + 4])) for i in range(0, len(a), 4))


def main():
    shim, libraries, *program = sys.argv[1:]
    ours = same_output.output(program, {'LD_PRELOAD': shim, 'LD_LIBRARY_PATH': libraries, 'TEGRA20_SHIM_STRICT': '1'})
    wanted = same_output.output(program, {'LD_LIBRARY_PATH': libraries, **same_output.SOFTPIPE})
    wrong = 0
    for line, other in zip(ours, wanted):
        (name, a), (_, b) = line.split(), other.split()
        count = differing(a, b)
        if count * 8 * SHARE > len(a):
            wrong += 1
            print(f'{os.path.basename(program[0])} {name}: {count} of {len(a) // 8} pixels differ')
    print(f'{len(ours)} pictures, {wrong} wrong')
    return 0 if ours and len(ours) == len(wanted) and not wrong else 1


if __name__ == '__main__':
    sys.exit(main())
