#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Print the file name of the libgallium that the installed libEGL_mesa loads.

Debian names it libgallium-<package version>.so, other distributions libgallium-<upstream version>.so; the loaders carry
the name as a NEEDED entry, which is the only statement that cannot be out of date.

  gallium_name.py COMPILER...   the C compiler, which knows where the libraries of the machine it compiles for are
"""

import glob
import re
import subprocess
import sys


def main():
    multiarch = subprocess.run(sys.argv[1:] + ['-print-multiarch'], capture_output=True, text=True).stdout.strip()
    candidates = []
    for pattern in (f'/usr/lib/{multiarch}/libEGL_mesa.so.0', '/usr/lib64/libEGL_mesa.so.0', '/usr/lib/libEGL_mesa.so.0',
                    '/usr/lib/libEGL.so.1'):
        candidates += glob.glob(pattern)
    for library in candidates:
        dynamic = subprocess.run(['readelf', '-d', library], capture_output=True, text=True).stdout
        needed = re.search(r'NEEDED.*\[(libgallium-[^]]+\.so)\]', dynamic)
        if needed:
            print(needed.group(1))
            return 0
    sys.stderr.write('no installed libEGL_mesa that loads a libgallium: install libegl-mesa0 of Mesa 24.2 or later '
                     '(ci/setup does)\n')
    return 1


if __name__ == '__main__':
    sys.exit(main())
