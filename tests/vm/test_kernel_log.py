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
REAL = '<4>[    2.500000] tegra-drm drm: something is wrong'
LOCK = 'WARNING: possible circular locking dependency detected'


class Filter(unittest.TestCase):
    def unexpected(self, lines, **options):
        return kernel_log.unexpected('\n'.join(lines) + '\n', **options)

    def test_levels(self):
        for level in range(8):
            line = f'<{level}>[    1.000000] words'
            self.assertEqual(self.unexpected([line]), [line] if level <= 4 else [], line)

    def test_harmless(self):
        for text in ('epollctl add err fd 3', 'panel-simple panel: Specify missing bus_flags', 'Expected bpc == 6',
                     'This architecture does not have kernel memory protection.', '... MAX_LOCK_DEPTH:          48',
                     'Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar',
                     ' memory used by lock dependency info: 11641 kB', ' per task-struct memory footprint: 2688 bytes',
                     'hrtimer: interrupt took 38817024 ns'):
            self.assertEqual(self.unexpected([f'<4>[    1.000000] {text}']), [], text)
        self.assertEqual(self.unexpected([REAL]), [REAL])

    def test_allowed(self):
        self.assertEqual(self.unexpected([REAL], allowed='something is'), [])
        self.assertEqual(self.unexpected([REAL], allowed='anything is'), [REAL])

    def test_mapped_twice(self):
        lines = trace(EXISTS) + MAPPED_AT
        self.assertEqual(self.unexpected(lines, debug=True), [])
        self.assertEqual(self.unexpected(lines), lines)  # of a kernel that does not check DMA it is news

    def test_mapped_otherwise(self):
        for text, known in (('exceeded 7 overlapping mappings of cacheline 0x0000000000064fc0', True),
                            ('tegra-gr3d 54180000.gr3d: mapping sg segment longer than device claims to support [len=81920] '
                             '[max=65536]', True),
                            ('tegra-dc 54200000.dc: mapping sg segment longer than device claims to support [len=81920] '
                             '[max=65536]', False),
                            ('tegra-gr3d 54180000.gr3d: device driver frees DMA memory with different size', False)):
            lines = trace('DMA-API: ' + text)
            self.assertEqual(self.unexpected(lines, debug=True), [] if known else lines)
            self.assertEqual(self.unexpected(lines), lines)

    def test_others_beside_it(self):
        mapped, lock = trace(EXISTS) + MAPPED_AT, trace(LOCK)
        for lines, left in ((mapped + [REAL], [REAL]), ([REAL] + mapped, [REAL]), (mapped + lock, lock), (lock + mapped, lock),
                            (mapped + mapped, []), (mapped + lock + mapped, lock), (lock, lock)):
            self.assertEqual(self.unexpected(lines, debug=True), left)

    def test_cut_off(self):
        """A trace without an end stays, and so does one that another begins in."""
        cut = trace(EXISTS)[:-1]
        self.assertEqual(self.unexpected(cut, debug=True), cut)
        self.assertEqual(self.unexpected(cut + trace(LOCK), debug=True), cut + trace(LOCK))


if __name__ == '__main__':
    unittest.main()
