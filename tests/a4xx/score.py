#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Score the simulated Adreno A420 against boards: score.py [--every N] [--include REGEX ...] [--report FILE] ...

Runs piglit on it with Mesa's driver and compares each result with the lists of Mesa's tree that say what boards do
(src/freedreno/ci/freedreno-a420-*.txt).  Prints the agreement in percent and every disagreement; one without a known
cause is a failure.

  --every N        every Nth of the profiles' tests (default 1; 0: none, only the results in --results)
  --include REGEX  only tests that match; may be repeated
  --profiles A,B   default quick_gl,quick_shader
  --timeout S      of a test, default 60
  --first K        begin with the Kth of N
  --report FILE    also writes what is printed

  --results FILE   keeps the results as JSON and adds to those that are in it: the list may be run in parts; a file of
                   another state of the simulator is refused
  --again FILE     then runs the tests again that an earlier report (--report) names as disagreements, and says how many agree now
  --causes FILE    of disagreements, default causes.txt beside this file: a line is a regular expression, a tab and the cause

Environment: BUILD_DIR (default build).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'common'))

import board_score  # noqa: E402

BOARDS = board_score.Boards(name='Adreno A420', chip='a420', lists='freedreno/ci/freedreno-a420', folder='tests/a4xx',
                            sources=('sim/a4xx', 'packaging/patches/freedreno'))

if __name__ == '__main__':
    sys.exit(board_score.main(BOARDS, __doc__))
