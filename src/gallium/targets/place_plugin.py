#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""place_plugin.py LIBRARY DESTINATION STAMP: hard-link (or copy) the plug-in to the name that Mesa's loaders use."""

import os
import shutil
import sys


def main():
    library, destination, stamp = sys.argv[1:]
    directory = os.path.dirname(destination)
    os.makedirs(directory, exist_ok=True)
    for name in os.listdir(directory):
        if name.startswith('libgallium-'):
            os.unlink(os.path.join(directory, name))
    try:
        os.link(library, destination)
    except OSError:
        shutil.copy2(library, destination)
    open(stamp, 'w').close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
