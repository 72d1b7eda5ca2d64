# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The option --part K/N of test programs: the Kth of N shares of what they would run, every Nth from the Kth on."""

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


def add_option(parser):
    parser.add_argument('--part', type=parse, default=WHOLE, metavar='K/N', help='the Kth of N shares (default: all)')


def of(items, part):
    """Of few items at least one."""
    return items[part[0] - 1::part[1]] or [items[part[0] % len(items)] for _ in items[:1]]
