#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""gallery.py: which programs pass."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gallery  # noqa: E402, tests/programs/gallery.py

GOOD = 'tegra20-run: 17 draws\ntegra20-run: strict: 0 diagnostics\n'


class Pictures:
    """In place of programs.Run: pictures are alike when they have the same name."""

    def compare(self, picture, other, _tolerance):
        return picture == other, '99.990 % of the pixels' if picture == other else '12.345 % of the pixels'


class Judgement(unittest.TestCase):
    def judge(self, name, text=GOOD, same=True, alive=True, other=True):
        return gallery.judge(Pictures(), name, ('a', text, alive), ('a' if same else 'b', '', other))

    def setUp(self):
        kinds = {kind: name for name, (kind, _, _) in gallery.PROGRAMS.items()}
        self.still, self.moves, self.cpu = kinds[gallery.STILL], kinds[gallery.MOVES], kinds[gallery.CPU]

    def test_pictures(self):
        for name, same, passes in ((self.still, True, True), (self.still, False, False), (self.cpu, True, True),
                                   (self.cpu, False, False), (self.moves, True, True), (self.moves, False, True)):
            passed, line = self.judge(name, same=same)
            self.assertEqual(bool(passed), passes, line)
            self.assertIn(f'17 draws, {"99.990" if same else "12.345"} % like llvmpipe', line)

    def test_strict(self):
        for text, word in (('tegra20-run: 17 draws\ntegra20-run: strict: 3 diagnostics\n', 'diagnostics'),
                           ('tegra20-run: 17 draws\n', 'diagnostics'), ('', 'did not draw on the chip'),
                           ('tegra20-run: 0 draws\ntegra20-run: strict: 0 diagnostics\n', 'did not draw on the chip')):
            for name in (self.still, self.moves):
                passed, line = self.judge(name, text)
                self.assertFalse(passed, line)
                self.assertTrue(line.endswith(word), line)
        self.assertTrue(self.judge(self.cpu, '')[0])

    def test_early_end(self):
        for name in (self.still, self.moves, self.cpu):
            passed, line = self.judge(name, alive=False)
            self.assertIs(passed, False)
            self.assertTrue(line.endswith('ended early'), line)
            passed, line = self.judge(name, alive=False, other=False)
            self.assertIsNone(passed)
            self.assertTrue(line.endswith(', on llvmpipe too'), line)


if __name__ == '__main__':
    unittest.main()
