#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""kernel_log.py: what is filtered from a kernel's log, and what is not."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernel_log  # noqa: E402, tests/vm/kernel_log.py


def trace(what):
    return ['<4>[    2.000000] ------------[ cut here ]------------', f'<4>[    2.000000] {what}',
            '<4>[    2.000000] WARNING: CPU: 0 PID: 31 at kernel/some.c:596 some_function+0x1a/0x2b',
            '<4>[    2.000000] ---[ end trace 0000000000000000 ]---']


EXISTS = 'DMA-API: host1x: cacheline tracking EEXIST, overlapping mappings aren\'t supported'
MAPPED_AT = ['<4>[    2.000000] DMA-API: Mapped at:', '<4>[    2.000000]  debug_dma_map_sg+0x123/0x456',
             '<4>[    2.000000]  tegra_bo_pin+0x12/0x34']
REAL = ['<4>[    2.500000] tegra-drm drm: something is wrong']
MAPPED = trace(EXISTS) + MAPPED_AT
LOCK = trace('WARNING: possible circular locking dependency detected')
CUT = trace(EXISTS)[:-1]  # a trace without an end stays, and so does one that another begins in
WRONG = trace('DMA-API: tegra-gr3d 54180000.gr3d: device driver frees DMA memory with different size')
TOO_LONG = [trace(f'DMA-API: tegra-{unit}: mapping sg segment longer than device claims to support [len=81920] [max=65536]')
            for unit in ('gr3d 54180000.gr3d', 'dc 54200000.dc')]
TOO_MANY = trace('DMA-API: exceeded 7 overlapping mappings of cacheline 0x0000000000064fc0')

# lines, which of them are unexpected of a kernel that checks DMA (one that does not expects no word of it)
CASES = [
    (MAPPED, []), (TOO_MANY, []), (TOO_LONG[0], []), (TOO_LONG[1], TOO_LONG[1]), (WRONG, WRONG), (LOCK, LOCK),
    (MAPPED + REAL, REAL), (REAL + MAPPED, REAL), (MAPPED + LOCK, LOCK), (LOCK + MAPPED, LOCK), (MAPPED + MAPPED, []),
    (MAPPED + LOCK + MAPPED, LOCK), (CUT, CUT), (CUT + LOCK, CUT + LOCK),
]


class Filter(unittest.TestCase):
    def check(self, lines, left, **options):
        self.assertEqual(kernel_log.unexpected('\n'.join(lines) + '\n', **options), left)

    def test_levels(self):
        for level in range(8):
            line = f'<{level}>[    1.000000] words'
            self.check([line], [line] if level <= 4 else [])

    def test_harmless(self):
        for text in ('epollctl add err fd 3', 'panel-simple panel: Specify missing bus_flags', 'Expected bpc == 6',
                     'This architecture does not have kernel memory protection.', '... MAX_LOCK_DEPTH:          48',
                     'Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar',
                     ' memory used by lock dependency info: 11641 kB', ' per task-struct memory footprint: 2688 bytes',
                     'hrtimer: interrupt took 38817024 ns'):
            self.check([f'<4>[    1.000000] {text}'], [])

    def test_allowed(self):
        self.check(REAL, [], allowed='something is')
        self.check(REAL, REAL, allowed='anything is')

    def test_traces(self):
        for lines, left in CASES:
            self.check(lines, left, debug=True)
            self.check(lines, lines)


if __name__ == '__main__':
    unittest.main()
