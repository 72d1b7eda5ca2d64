#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Commits and tests that the tables of documents name exist: commits.py [--build BUILD]

A commit is in the history of what is checked out and has the subject that stands behind its hash: "1234567 winsys: what and
why".  Only where the history is there: an archive of the source, or a shallow clone, has none to compare with.

In the column "Test" a name in backquotes is a test of the build, a step of ci/test, a part of tests/vm/run.py or a function
of a test; what stands in quotation marks is a case that a test names.
"""

import argparse
import functools
import glob
import json
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


def read(path):
    with open(os.path.join(TOP, path), encoding='utf-8') as file:
        return file.read()


@functools.cache
def sources():
    return '\n'.join(read(path) for path in glob.glob('tests/unit/**/*.c', root_dir=TOP, recursive=True))


@functools.cache
def names_of_tests(build):
    """Those of the build, with and without what follows a comma, of ci/test and of tests/vm/run.py."""
    with open(os.path.join(build, 'meson-info', 'intro-tests.json'), encoding='utf-8') as file:
        names = {test['name'] for test in json.load(file)}
    names |= {name.partition(',')[0] for name in names}
    return names | set(re.findall(r'^def step_(\w+)', read('ci/tests.py'), re.M)) | set(
        re.findall(r'^def part_(\w+)', read('tests/vm/run.py'), re.M))


def tests_of(text):
    """Names and cases in the last cell of each row of the tables that have a column "Test"."""
    for table in re.findall(r'^\|[^\n]*\| Test \|\n((?:\|[^\n]*\n)+)', text, re.M):
        for row in table.split('\n')[1:]:
            cell = row.rstrip('|').rpartition('|')[2]
            yield from (name for name in re.findall(r'`(.*?)`|\b(test_\w+)|("[^"]*")', cell))


def exists(build, name, function, case):
    if name:
        return name in names_of_tests(build)
    return re.search(rf'\b{function}\b' if function else re.escape(case), sources())


def main():
    parser = argparse.ArgumentParser(description='Commits and tests that documents name.')
    parser.add_argument('--build', default=os.path.join(TOP, os.environ.get('BUILD_DIR', 'build')))
    build = parser.parse_args().build
    passed = failed = skipped = 0
    history = git('rev-parse', '--is-shallow-repository') == 'false'
    for document in DOCUMENTS:
        text = read(document)
        named = list(NAMED.finditer(text))
        tests = list(tests_of(text))
        lost = [''.join(test) for test in tests if not exists(build, *test)]
        if tests and not lost:
            passed += len(tests)
        else:
            failed += len(lost) or 1
            print(f'FAIL: {document}: of {len(tests)} tests these are not there: {lost}')
        if not named:
            failed += 1
            print(f'FAIL: {document} names no commit')
        if not history:
            skipped += 1
            continue
        for match in named:
            subject = git('log', '-1', '--format=%s', match['hash'])
            if subject == match['subject'] and git('merge-base', '--is-ancestor', match['hash'], 'HEAD') is not None:
                passed += 1
            else:
                failed += 1
                print(f'FAIL: {document}: {match["hash"]} is "{subject}", not "{match["subject"]}", or not in the history')
    print(f'Commits and tests that documents name: {passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
