#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What ci/setup leaves on the disk: sizes.py [--build BUILD], for README.md.

Adds up the files of a clone: Mesa's source and BUILD without what tests put there.  Records the sum in BUILD/figures.jsonl
(tests/docs/numbers.py --take).  Best run when ci/setup is done and nothing else has used the clone.
"""

import argparse
import json
import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Builds within the build directory, which the steps of ci/test make.
OF_TESTS = {'sanitized', 'mutation', 'mesa-tree', 'mesa-series', 'vm'}


def gigabytes(directory, left_out=()):
    """Blocks of the files below a directory; those with several names count once."""
    files = {}
    for folder, folders, names in os.walk(directory):
        if folder == directory:
            folders[:] = [name for name in folders if name not in left_out]
        for name in names:
            status = os.lstat(os.path.join(folder, name))
            files[status.st_ino] = status.st_blocks * 512
    return sum(files.values()) / 1e9


def main():
    parser = argparse.ArgumentParser(description='What ci/setup leaves on the disk.')
    parser.add_argument('--build', default=os.environ.get('BUILD_DIR', 'build'))
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    figures = {'clone': round(gigabytes(os.path.join(TOP, 'subprojects')) + gigabytes(build, OF_TESTS), 1)}
    with open(os.path.join(build, 'figures.jsonl'), 'a', encoding='utf-8') as file:
        file.write(json.dumps({'sizes': figures}) + '\n')
    print(f'{figures["clone"]} GB in the clone')


if __name__ == '__main__':
    main()
