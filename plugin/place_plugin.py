#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""place_plugin.py LIBRARY OUTPUT DIRECTORY [NAME]: a library under the name by which it is loaded.

Hard-links (or copies) it to OUTPUT, which is installed, and to the same name (or NAME) in DIRECTORY, for LD_LIBRARY_PATH.  The
plug-in replaces one of another version there.
"""

import os
import shutil
import sys


def place(library, destination):
    if os.path.exists(destination):
        os.unlink(destination)
    try:
        os.link(library, destination)
    except OSError:
        shutil.copy2(library, destination)


def main():
    library, output, directory, *name = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    name = name[0] if name else os.path.basename(output)
    for old in os.listdir(directory):
        if old.startswith('libgallium-') and name.startswith('libgallium-'):
            os.unlink(os.path.join(directory, old))
    place(library, output)
    place(library, os.path.join(directory, name))
    return 0


if __name__ == '__main__':
    sys.exit(main())
