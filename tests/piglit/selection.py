# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Which tests of piglit run: lists of names, and rules as in ci/piglit-quick.txt.

Below a line [PROFILE], "+ PREFIX" takes the tests of this profile whose names begin so, "- PREFIX" leaves them out, and of
several rules the one with the longest prefix decides ("PREFIX$" is a whole name).  A line without a sign names one test.
"""

import re
import subprocess


def profile_tests(profile):
    """Sorted names of all tests of a profile, as piglit knows them."""
    lines = subprocess.run(['piglit', 'print-cmd', profile], capture_output=True, text=True, check=True).stdout.split('\n')
    return sorted({line.split(' ::: ')[0].lower() for line in lines if ' ::: ' in line})


def taken(name, rules):
    """Whether the rules, {prefix: True to take}, take a test."""
    name += '$'
    return next((rules[name[:end]] for end in range(len(name), -1, -1) if name[:end] in rules), False)


def read_tests(path):
    """{profile: [test, ...]}"""
    tests, rules, profile = {}, {}, None
    with open(path, encoding='utf-8') as file:
        for line in (line.rstrip('\n') for line in file):
            if line.startswith('['):
                profile = line.strip('[]')
            elif re.match(r'[+-] |[+]$', line):
                rules.setdefault(profile, {})[line[2:]] = line[0] == '+'
            elif line and not line.startswith('#'):
                tests.setdefault(profile, []).append(line)
    for profile, signs in rules.items():
        tests.setdefault(profile, []).extend(name for name in profile_tests(profile) if taken(name, signs))
    return tests
