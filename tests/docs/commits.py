#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Commits that documents name exist and have the subject that stands behind their hash: "1234567 winsys: what and why".

Only where the history is there: an archive of the source, or a shallow clone, has none to compare with.
"""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENTS = ['docs/buffers-and-faults.md']
# In a cell of a table, alone or in front of another one.
NAMED = re.compile(r'(?<=[|;] )(?P<hash>[0-9a-f]{7,12}) (?P<subject>[^|;]*(?:; [^0-9|;][^|;]*)*?)(?=; [0-9a-f]{7,12} | \|)')


def git(*args):
    p = subprocess.run(['git', '-C', TOP, *args], capture_output=True, text=True, check=False)
    return p.stdout.strip() if p.returncode == 0 else None


def main():
    passed = failed = skipped = 0
    history = git('rev-parse', '--is-shallow-repository') == 'false'
    for document in DOCUMENTS:
        with open(os.path.join(TOP, document), encoding='utf-8') as f:
            named = list(NAMED.finditer(f.read()))
        if not named:
            failed += 1
            print(f'FAIL: {document} names no commit')
        if not history:
            skipped += 1
            continue
        for match in named:
            subject = git('log', '-1', '--format=%s', match['hash'])
            if subject == match['subject']:
                passed += 1
            else:
                failed += 1
                print(f'FAIL: {document}: {match["hash"]} is "{subject}", not "{match["subject"]}"')
    print(f'Commits that documents name: {passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
