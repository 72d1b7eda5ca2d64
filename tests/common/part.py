# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Options of test programs: --part K/N, the Kth of N shares of what they would run, every Nth from the Kth on; and counts."""

import argparse

WHOLE = (1, 1)


def parse(text):
    try:
        part, parts = map(int, text.split('/'))
    except ValueError:
        part = parts = 0
    if not 1 <= part <= parts:
        raise argparse.ArgumentTypeError(f'"{text}" is not K/N with K from 1 to N')
    return part, parts


def at_least_one(text):
    """The type of an option that says how many tests run: none would be green whatever is broken."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'"{text}" is no number of tests from 1 on')
    return int(text)


def add_option(parser):
    parser.add_argument('--part', type=parse, default=WHOLE, metavar='K/N', help='the Kth of N shares (default: all)')


def of(items, part):
    """Of few items at least one."""
    return items[part[0] - 1::part[1]] or [items[part[0] % len(items)] for _ in items[:1]]


class Counts:
    """Of checks; those that fail are printed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, ok, detail=''):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print(f'FAIL: {name}' + (f'\n{str(detail)[-3000:].rstrip()}' if detail else ''), flush=True)

    def skip(self, name, reason):
        self.skipped += 1
        print(f'skip: {name}: {reason}', flush=True)

    def __str__(self):
        return f'{self.passed} passed, {self.failed} failed, {self.skipped} skipped'

    def finish(self):
        """Prints them as the last line; returns the exit status."""
        print(self)
        return 1 if self.failed else 0
