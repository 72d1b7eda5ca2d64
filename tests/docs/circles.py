#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Circles among the files of src/: files that need each other, so that none can be read first.

  circles.py

A source file and the header of the same name are one.  A file needs those whose headers it includes.  Fails on a circle
with a file that KNOWN does not have.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Files of a circle, without directory and ending, and the reason.
KNOWN = [
    ('tegra20_cut tegra20_cut_internal',
     'one cutter in several files: tegra20_cut_internal.h has what they share, and needs the public types'),
    ('tegra20_cache tegra20_caps tegra20_context tegra20_cost tegra20_downsample tegra20_image tegra20_improve tegra20_occlusion '
     'tegra20_program tegra20_resource tegra20_sampler_copy tegra20_samples tegra20_scratch tegra20_screen tegra20_swtnl '
     'tegra20_texture tegra20_variant tegra20_vertex',
     'a context has the state of each feature and makes it, and features take the context, as in all drivers of Gallium'),
]


def includes(paths):
    """Which files need which, by path without the ending."""
    rooms = {}
    for path in paths:
        rooms.setdefault(os.path.splitext(path)[0], []).append(path)
    by_name = {os.path.basename(room): room for room in rooms}
    needs = {}
    for room, files in rooms.items():
        text = ''.join(open(path, encoding='utf-8').read() for path in files)
        names = (os.path.splitext(os.path.basename(name))[0] for name in re.findall(r'^#include "([^"]+)"', text, re.M))
        needs[room] = {by_name[name] for name in names if name in by_name} - {room}
    return needs


def circles(needs):
    """Sets of files that reach each other (Tarjan's components of more than one)."""
    index, low, stack, found = {}, {}, [], []

    def visit(room):
        index[room] = low[room] = len(index)
        stack.append(room)
        for other in sorted(needs[room]):
            if other not in index:
                visit(other)
            if other in stack:
                low[room] = min(low[room], low[other])
        if low[room] == index[room]:
            members = stack[stack.index(room):]
            del stack[stack.index(room):]
            if len(members) > 1:
                found.append({os.path.basename(member) for member in members})

    for room in sorted(needs):
        if room not in index:
            visit(room)
    return found


def sources():
    for directory, _, names in os.walk(os.path.join(TOP, 'src')):
        for name in names:
            if name.endswith(('.c', '.h')):
                yield os.path.join(directory, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    known = [set(files.split()) for files, _ in KNOWN]
    found = circles(includes(sources()))
    new = [circle for circle in found if not any(circle <= files for files in known)]
    for circle in new:
        print(f'FAIL: a circle that KNOWN of {os.path.basename(__file__)} does not have: {", ".join(sorted(circle))}. '
              'Let one of them include less, or move what the others need to a file of its own.')
    print(f'{len(found) - len(new)} passed, {len(new)} failed, 0 skipped')
    return bool(new)


if __name__ == '__main__':
    sys.exit(main())
