#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Programs for the Tegra 2 use nothing that its Cortex-A9 lacks: NEON, and the registers d16 to d31.

  no_neon.py [--prefix arm-linux-gnueabihf-] FILE...
  no_neon.py [--prefix arm-linux-gnueabihf-] --self-test

FILEs are programs and libraries with their symbols: these tell code from data and Thumb from ARM.  The attributes must say
VFPv3-D16 and hard floats, and no instruction may be one of NEON's, by its code (Arm Architecture Reference Manual
ARMv7-A, A7.4 and A7.7) or its operands.  The last line is "N passed, N failed".
"""

import argparse
import re
import subprocess
import sys
import tempfile

# objdump -d: "  address:	code	mnemonic	operands"; Thumb codes are one or two half-words, ARM codes one word.
LINE = re.compile(r'^ *[0-9a-f]+:\t([0-9a-f]{8}|[0-9a-f]{4} [0-9a-f]{4}|[0-9a-f]{4}) *\t(\S+)\t?([^@;]*)')


def is_neon(code, mnemonic, operands):
    if mnemonic.startswith('.'):
        return False  # a literal
    if len(code) == 9:  # Thumb, 32 bits
        high = int(code[:4], 16)
        if high & 0xef00 == 0xef00 or high & 0xff10 == 0xf900:
            return True
    elif len(code) == 8:  # ARM
        word = int(code, 16)
        if word & 0xfe000000 == 0xf2000000 or word & 0xff100000 == 0xf4000000:
            return True
    if not mnemonic.startswith('v'):
        return False
    # Moves between a core register and a lane of 8 or 16 bits or all lanes are NEON's though they have VFP's code.
    return bool(re.match(r'vdup|vmov\w*\.[su]?(8|16)$', mnemonic)
                or re.search(r'\b(q\d+|d(1[6-9]|2\d|3[01]))\b', operands))


def neon_in(text):
    """(instructions, lines that are NEON) of what objdump printed."""
    count, found = 0, []
    for line in text:
        match = LINE.match(line)
        if match:
            count += 1
            if is_neon(*match.groups()):
                found.append(line.strip())
    return count, found


def disassemble(prefix, path):
    process = subprocess.Popen([prefix + 'objdump', '-d', path], stdout=subprocess.PIPE, text=True, errors='replace')
    result = neon_in(process.stdout)
    if process.wait():
        sys.exit(f'no_neon.py: {path}: objdump failed')
    return result


def attributes(prefix, path):
    out = subprocess.run([prefix + 'readelf', '-A', path], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r'(Tag_\w+): "?([^"\n]*)', out))


def check_file(prefix, path):
    """Prints what was found; returns whether the file is all right."""
    tags = attributes(prefix, path)
    wrong = [f'{tag} is {tags.get(tag, "missing")}, not {value}' for tag, value in (
        ('Tag_CPU_arch', 'v7'), ('Tag_FP_arch', 'VFPv3-D16'), ('Tag_ABI_VFP_args', 'VFP registers')) if tags.get(tag) != value]
    if 'Tag_Advanced_SIMD_arch' in tags:
        wrong.append('Tag_Advanced_SIMD_arch is ' + tags['Tag_Advanced_SIMD_arch'])
    count, found = disassemble(prefix, path)
    if not count:
        wrong.append('no code')
    wrong += found[:10]
    print(f'{path}: {tags.get("Tag_FP_arch")}, {count} instructions, {len(found)} of NEON')
    for reason in wrong:
        print(f'FAIL: {path}: {reason}')
    return not wrong


CASES = [
    # (instruction, is it NEON's?)
    ('vadd.f32 s0, s1, s2', False), ('vadd.f64 d0, d1, d2', False), ('vldmia r0!, {d0-d3}', False),
    ('vmov.32 d0[1], r0', False), ('vmov d0, r0, r1', False), ('vmov.f64 d0, d1', False), ('vcvt.s32.f32 s0, s1', False),
    ('vmul.f64 d15, d14, d13', False), ('vpush {d8-d15}', False), ('ldrsb r0, [r1]', False), ('pld [r0]', False),
    ('vadd.f32 d0, d1, d2', True), ('vadd.f32 q0, q1, q2', True), ('vadd.i32 d0, d1, d2', True),
    ('vmov.i32 q0, #0', True), ('vmov d0, d1', True), ('vorr d0, d1, d2', True), ('vld1.8 {d0}, [r0]', True),
    ('vst1.32 {d0[0]}, [r0]', True), ('vdup.32 d0, r0', True), ('vmov.8 d0[1], r0', True), ('vmov.s16 r0, d0[1]', True),
    ('vadd.f64 d16, d1, d2', True), ('vmov.f64 d0, d31', True), ('vld2.16 {d0, d1}, [r1]!', True),
]


def self_test(prefix):
    passed = failed = 0
    for thumb in ('arm', 'thumb'):
        for instruction, expected in CASES:
            with tempfile.NamedTemporaryFile(suffix='.o') as out:
                source = f'.syntax unified\n.arch armv7-a\n.fpu neon\n.{thumb}\n.text\n{instruction}\n'
                subprocess.run([prefix + 'as', '-o', out.name, '-'], input=source, text=True, check=True)
                count, found = disassemble(prefix, out.name)
                if count == 1 and bool(found) == expected:
                    passed += 1
                else:
                    failed += 1
                    print(f'FAIL: {thumb}: {instruction}: {"not " if expected else ""}taken for NEON')
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--prefix', default='arm-linux-gnueabihf-', help='of the binutils')
    parser.add_argument('--self-test', action='store_true', help='known instructions')
    parser.add_argument('files', nargs='*', metavar='FILE')
    args = parser.parse_args()
    if args.self_test == bool(args.files):
        parser.error('either FILEs or --self-test')
    if args.self_test:
        passed, failed = self_test(args.prefix)
    else:
        results = [check_file(args.prefix, path) for path in args.files]
        passed, failed = sum(results), len(results) - sum(results)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
