#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Every citation of a hardware manual names a section that exists.

A citation is the name of a page of docs/hardware and, mostly, sections: "vertex-pipeline.md 6.2", "gr3d-registers.md 1.3
and 3.16", "fragment-pipeline.md 2 to 4", "appendix A", "A.3".  A name alone cites the page.
"""

import os
import re
import subprocess
import sys

from check_docs import read

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = os.path.join(TOP, 'docs', 'hardware')
SECTION = r'(?:[0-9]+(?:\.[0-9]+)*|[A-Z]\.[0-9]+|appendix [A-Z]\b)'
# Sections follow the name, perhaps across the line of a comment: " 2.3, 2.5 and 4", " 2 to 5".
CITATION = re.compile(
    r'(?P<page>[a-z0-9]+(?:-[a-z0-9]+)*\.(?:md|csv))'
    rf'(?P<sections>,? (?:sections? )?{SECTION}(?:(?:, | and | to |-){SECTION})*)?', re.I)


def sections_of(page):
    """The numbers of a page's headings, "appendix A" for "Appendix A. ..."."""
    found = set()
    for title in re.findall(r'^#+ (.*)$', read(os.path.join(PAGES, page)), re.M):
        number = re.match(r'(?:(Appendix [A-Z])\.|([0-9]+(?:\.[0-9]+)*|[A-Z]\.[0-9]+)\.? )', title)
        if number:
            found.add((number.group(1) or number.group(2)).lower())
    return found


def joined_comments(text):
    """Comments run on over lines: " * ", "# " and "// " at the start of a line are white space."""
    return re.sub(r'\s*\n\s*(?:\*|#|//)?[ \t]*', ' ', text)


def citations(text):
    for match in CITATION.finditer(joined_comments(text)):
        yield match['page'], [s.lower() for s in re.findall(SECTION, match['sections'] or '', re.I)]


def check(names):
    """Yields (file, what is wrong); counts come last as (None, number of citations)."""
    pages = {p: sections_of(p) if p.endswith('.md') else set() for p in os.listdir(PAGES) if p != 'README.md'}
    count = 0
    for name in names:
        for page, sections in citations(read(os.path.join(TOP, name))):
            if page not in pages:
                continue
            count += max(1, len(sections))
            for section in sections:
                # An item of a numbered list ("7.4.2") is cited through its section.
                if section not in pages[page]:
                    yield name, f'{page} has no section {section}'
    yield None, count


def main():
    names = subprocess.run(['git', 'ls-files', 'src', 'sim', 'tools', 'plugin', 'tests', 'docs', 'ci'],
                           capture_output=True, text=True, cwd=TOP, check=True).stdout.split('\n')
    names = [n for n in names if re.search(r'\.(c|h|py|md|rst|yaml|build)$', n) and n != 'tests/docs/citations.py']
    bad = count = 0
    for name, problem in check(names):
        if name is None:
            count = problem
        else:
            bad += 1
            print(f'FAIL: {name}: {problem}')
    print(f'{count - bad} passed, {bad} failed, 0 skipped')
    return 1 if bad or not count else 0


if __name__ == '__main__':
    sys.exit(main())
