#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""emulated.py TEGRA20-RUN OPTIONS -- COMMAND: starts both through the emulator that a cross build has, if it is one.

Meson starts only the first program of a test in the emulator; what that one starts would be no program of this machine.
"""

import os
import shlex
import sys

WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
split = sys.argv.index('--')
command = WRAPPER + sys.argv[1:split] + ['--'] + WRAPPER + sys.argv[split + 1:]
os.execvp(command[0], command)
