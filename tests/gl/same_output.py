#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""same_output.py SHIM LIBRARY_DIR PROGRAM [ARGUMENT...]: a program prints the same on the simulated chip and on softpipe."""

import difflib
import os
import shlex
import subprocess
import sys

# An emulator, in cross builds.
WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
SOFTPIPE = {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'softpipe'}


def output(program, variables):
    """Lines of a program, which is a list of words."""
    env = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}
    env.update(variables)
    return subprocess.run([*WRAPPER, *program], env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def main():
    shim, libraries, *program = sys.argv[1:]
    ours = output(program, {'LD_PRELOAD': shim, 'LD_LIBRARY_PATH': libraries, 'TEGRA20_SHIM_STRICT': '1'})
    wanted = output(program, {'LD_LIBRARY_PATH': libraries, **SOFTPIPE})
    for line in difflib.unified_diff(wanted, ours, 'softpipe', 'tegra20', n=0, lineterm=''):
        print(line)
    print(f'{len(ours)} lines')
    return 0 if ours and ours == wanted else 1


if __name__ == '__main__':
    sys.exit(main())
