#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""place_plugin.py LIBRARY OUTPUT DIRECTORY [NAME]: the plug-in under the name that Mesa's loaders use.

Hard-links (or copies) it to OUTPUT, which is installed, and to the same name (or NAME) in DIRECTORY, alone there for
LD_LIBRARY_PATH.
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
    for old in os.listdir(directory):
        if old.startswith('libgallium-'):
            os.unlink(os.path.join(directory, old))
    place(library, output)
    place(library, os.path.join(directory, name[0] if name else os.path.basename(output)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
