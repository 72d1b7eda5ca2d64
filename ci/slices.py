# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Which share of its tests a step of ci/tests.py runs in this tree.

The tests of a step with parts rotate: a run takes the part that the last green trees have not run; where they have run them
all, the tree itself is the seed that chooses.  docs/results/slices.txt has a line per green tree (ci/test --record):

   TREE STEP=PART/PARTS ...

A step whose files are as in the last of these trees runs a tenth of its share, which the line has as "STEP=-".
"""

import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import part  # noqa: E402, tests/common/part.py

RECORD = os.path.join(TOP, 'docs/results/slices.txt')
WINDOW = 5      # trees in which each part has to run; parts are at most one fewer, so that one of them can be chosen
UNCHANGED = 10  # share of a step whose files have not changed


def git(*args):
    return subprocess.run(['git', *args], cwd=TOP, capture_output=True, text=True)


def tree():
    """Of the commit that is checked out; zeros outside of a repository."""
    return git('rev-parse', 'HEAD^{tree}').stdout.strip() or '0' * 40


def read_record():
    """[(tree, {step: "2/4"})], the latest last"""
    if not os.path.exists(RECORD):
        return []
    with open(RECORD, encoding='utf-8') as file:
        words = [line.split() for line in file if line.strip() and not line.startswith('#')]
    return [(line[0], dict(word.split('=') for word in line[1:])) for line in words]


def write_record(shares):
    """Adds this tree, whose {step: Share} were green."""
    lines = [f'{tree} ' + ' '.join(f'{step}={ran}' for step, ran in steps.items()) for tree, steps in read_record()]
    lines.append(f'{tree()} ' + ' '.join(f'{step}={share.recorded}' for step, share in sorted(shares.items())))
    with open(RECORD, 'w', encoding='utf-8') as file:
        file.write('# Green trees and the part of each step that ran there (ci/slices.py); ci/test --record writes this.\n')
        file.writelines(line + '\n' for line in lines[-2 * WINDOW:])


def parts_run(record, step, parts):
    """[{number of part, ...}] of the trees in which the step ran one, the latest last; all: "1/1"."""
    ran = [steps[step].split('/') for _, steps in record if steps.get(step, '-') != '-']
    return [{int(number)} if int(of) == parts else set(range(1, parts + 1))
            for number, of in ran if int(of) in (1, parts)]


def missing(record, step, parts, trees):
    """Parts that none of the last so many trees has run."""
    return sorted(set(range(1, parts + 1)).difference(*parts_run(record, step, parts)[-trees:]))


def late(record, step, parts):
    """Parts that did not run in the last trees although there were enough of these."""
    return missing(record, step, parts, WINDOW) if len(parts_run(record, step, parts)) >= WINDOW else []


def choose(record, step, parts, seed):
    """The part that runs: one that is missing in the last trees, else any."""
    choice = missing(record, step, parts, WINDOW - 1) or range(1, parts + 1)
    return choice[seed % len(choice)]


class Share:
    """PART of PARTS of the tests of a step (from 1), and the seed of its samples."""

    def __init__(self, step, parts, paths, everything=False):
        record, name = read_record(), tree()
        self.seed = int(name[:8], 16)
        self.changed = everything or not record or not paths or \
            git('diff', '--quiet', record[-1][0], '--', *paths).returncode != 0
        if everything:
            parts = 1
        self.part, self.parts = choose(record, step, parts, self.seed), parts
        self.recorded = f'{self.part}/{self.parts}' if self.changed else '-'
        if not self.changed:
            self.part, self.parts = self.seed % (UNCHANGED * parts) + 1, UNCHANGED * parts

    @property
    def whole(self):
        return self.parts == 1

    def of(self, items):
        return part.of(items, (self.part, self.parts))

    def __str__(self):
        return f'{self.part}/{self.parts}'
