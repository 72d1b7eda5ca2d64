#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Circles among the files of src/: files of which none can be read first.

  circles.py

Headers that include each other; and rooms (a source file with the header of its name) that call each other, whatever headers
declare it: a room needs those that define the functions that it names.  Fails on a circle that KNOWN does not have.  The last
line is "N passed, N failed, N skipped".
"""

import argparse
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Files of a circle, and the reason.
KNOWN = [
    ('tegra20_ws_bo tegra20_ws_fence tegra20_ws_job tegra20_ws_record',
     'a buffer waits for its fences, a fence submits a job to learn about an engine, jobs (and their recordings) have buffers'),
]


def needs_of(paths):
    """Which headers need which (by path), and which rooms (by path without the ending)."""
    texts = {path: re.sub(r'/\*.*?\*/', '', open(path, encoding='utf-8').read(), flags=re.S) for path in paths}
    headers = {os.path.basename(path): path for path in texts if path.endswith('.h')}
    defined, needs = {}, {}
    for path, text in texts.items():
        for name in re.findall(r'^(?!static\b)[\w *]+\n(\w+)\([^;{}]*\)\n\{', text, re.M):
            defined[name] = os.path.splitext(path)[0]
    for path, text in texts.items():
        names = (os.path.basename(name) for name in re.findall(r'^#include "([^"]+)"', text, re.M))
        needs[path] = {headers[name] for name in names if name in headers}
        room = os.path.splitext(path)[0]
        bodies = text if path.endswith('.c') else ''.join(re.findall(r'^\{\n.*?^\}', text, re.M | re.S))
        called = {defined[name] for name in re.findall(r'(?<!struct )(?<![.>])\b\w+\b(?!\.h)', bodies) if name in defined}
        needs[room] = needs.get(room, set()) | called - {room}
    return needs


def circles(needs):
    """Sets of more than one that all need each other, at last."""
    needed = {}
    for start in needs:
        needed[start], todo = set(), [start]
        while todo:
            new = needs[todo.pop()] - needed[start]
            needed[start] |= new
            todo += new
    return {frozenset(os.path.basename(other) for other in needed[start] if start in needed[other])
            for start in needs if start in needed[start]}


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    known = [set(files.split()) for files, _ in KNOWN]
    found = circles(needs_of(glob.glob(os.path.join(TOP, 'src', '**', '*.[ch]'), recursive=True)))
    new = [circle for circle in found if not any(circle <= files for files in known)]
    for circle in sorted(new, key=sorted):
        print(f'FAIL: a circle that KNOWN of {os.path.basename(__file__)} does not have: {", ".join(sorted(circle))}. '
              'Let one of them include less, or move what the others need to a file of its own.')
    print(f'{len(found) - len(new)} passed, {len(new)} failed, 0 skipped')
    return bool(new)


if __name__ == '__main__':
    sys.exit(main())
