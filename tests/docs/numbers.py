#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Numbers in documents are those that the tests measured.

  numbers.py [--build BUILD] [--update] [--take]

Each row of SENTENCES is a place in a document, a pattern with a group per number, and where the numbers come from: the
lists and sources of this repository, or docs/results/figures.json, which holds the closing counts of the test suites.
Every suite that ci/tests.py and ci/piglit run leaves its counts in BUILD/figures.jsonl; --take copies them into
docs/results/figures.json, --update rewrites the documents.  Without options the documents are compared.  The last line is
"N passed, N failed, N skipped".
"""

import argparse
import json
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIGURES = os.path.join(TOP, 'docs', 'results', 'figures.json')


def read(name):
    with open(os.path.join(TOP, name), encoding='utf-8') as file:
        return file.read()


def entries(name):
    """The reasons of an expectation list, one per entry."""
    return [line.split('#', 1)[1].strip() for line in read(name).split('\n') if re.match(r'[^#\s].*\s#', line)]


def lines_matching(name, pattern):
    return [len(re.findall(pattern, read(name), re.M))]


def suite(name, *kinds):
    """Counts of the last recorded run of a test suite: "passed", "failed", "skipped"."""
    return lambda figures: [figures[name][kind] for kind in kinds]


def figure(name, *keys):
    """Numbers that a measuring script recorded under a name."""
    return lambda figures: [figures[name][key] for key in keys]


def repository(function, *args):
    return lambda figures: function(*args)


# Rows of the table in docs/piglit.md, in order: an entry of the list counts for the first that matches.
PIGLIT_REASONS = [
    ('precision: errors below 6e-5', r'precision: the test wants an error below 6e-5'),
    ('precision: other', r'precision:'),
    ('limit: a program of more than', r'limit: .*(unrolls to more|uniforms than|loop of more|vertex constants)'),
    ('limit: no explicit level of detail', r'limit: .*explicit LOD'),
    ('limit: depth has 16 bits', r'limit: (depth has 16|channels have)'),
    ('limit: weights of the linear filter', r'limit: weights'),
    ('limit: clip planes', r'limit: clip planes'),
    ('strict: infinite positions', r'strict:'),
    ('platform: windows of gbm', r'platform:'),
    ('beyond:', r'(\w+: )?beyond:'),
    ('softpipe fails too', r'softpipe fails too'),
]


def piglit_reason(row):
    counts = dict.fromkeys((start for start, _ in PIGLIT_REASONS), 0)
    for reason in entries('ci/piglit-fails.txt'):
        for start, pattern in PIGLIT_REASONS:
            if re.match(pattern, reason):
                counts[start] += 1
                break
        else:
            sys.exit(f'ci/piglit-fails.txt: no row of the table in docs/piglit.md for "{reason}"')
    return [counts[row]]


SENTENCES = [
    ('docs/piglit.md', r'\| passed \| (NUM) \|', suite('ci/piglit', 'passed')),
    ('docs/piglit.md', r'`ci/piglit-quick.txt`, (NUM) tests', repository(lines_matching, 'ci/piglit-quick.txt', r'^[^#\[\s].*')),
    ('docs/piglit.md', r'failed, each in `ci/piglit-fails.txt` with its reason \| (NUM) \|',
     repository(lambda: [len(entries('ci/piglit-fails.txt'))])),
    ('docs/fragment-compiler.rst', r'Last results: (NUM)\s+passed', suite('differential fragment', 'passed')),
    ('docs/fragment-compiler.rst', r';\s+(NUM) passed and\s+(NUM) not\s+compared,\s+of\s+piglit',
     suite('differential piglit', 'passed', 'skipped')),
    ('docs/fragment-compiler.rst', r';\s+(NUM)\s+passed\s+and\s+(NUM)\s+refused\s+or\s+not\s+compared,\s+of\s+the\s+large',
     suite('differential fragment-heavy', 'passed', 'skipped')),
    ('docs/fragment-compiler.rst', r'clocks are (NUM) times the bound \(geometric mean of (NUM) programs, at most (NUM)\)',
     figure('bound of fragment programs', 'mean', 'programs', 'worst')),
    ('docs/vertex-compiler.rst', r'`ci/test differential`` runs (NUM) programs of expressions, (NUM) of statements and (NUM) of',
     lambda figures: [figures[f'differential {stage}']['total']
                      for stage in ('vertex', 'vertex-structured', 'piglit-vertex')]),
    ('docs/vertex-compiler.rst', r"piglit's (NUM) files \((NUM) vertex and (NUM) fragment programs compile",
     figure('programs of piglit', 'files', 'VS', 'FS')),
    ('docs/tegra20.rst', r'``tests/gl/es2`` renders (NUM) cases', suite('tests/gl/es2/run.py', 'total')),
    ('tests/README.md', r'(NUM) one-line bugs', repository(lines_matching, 'tests/mutation/mutations.txt', r'^@ ')),
] + [('docs/piglit.md', rf'\| {re.escape(start)}[^|]*\| (NUM) \|', repository(piglit_reason, start))
     for start, _ in PIGLIT_REASONS]

NUMBER = r'\\d[\\d,.]*'


def text_of(number):
    return f'{number:,}' if isinstance(number, int) else f'{number:.4g}'


def compare(sentence, figures, update):
    """None, or what is wrong with a sentence."""
    name, pattern, source = sentence
    text = read(name)
    match = re.search(re.sub('NUM', NUMBER, pattern), text)
    if not match:
        return f'{name}: there is no sentence "{pattern}"'
    try:
        wanted = [text_of(number) for number in source(figures)]
    except KeyError as e:
        return f'{name}: "{match[0]}": docs/results/figures.json has no {e}'
    if list(match.groups()) == wanted:
        return None
    if not update:
        return f'{name}: "{match[0]}": measured {", ".join(wanted)} (numbers.py --update)'
    for i in reversed(range(len(wanted))):
        text = text[:match.start(i + 1)] + wanted[i] + text[match.end(i + 1):]
    with open(os.path.join(TOP, name), 'w', encoding='utf-8') as file:
        file.write(text)
    return None


def take(build):
    """Merges what the last runs recorded into docs/results/figures.json."""
    figures = json.loads(read(FIGURES)) if os.path.exists(FIGURES) else {}
    with open(os.path.join(TOP, build, 'figures.jsonl'), encoding='utf-8') as file:
        for line in file:
            figures.update(json.loads(line))
    with open(FIGURES, 'w', encoding='utf-8') as file:
        json.dump(figures, file, indent=1, sort_keys=True)
        file.write('\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.environ.get('BUILD_DIR', 'build'))
    parser.add_argument('--update', action='store_true', help='rewrite the documents')
    parser.add_argument('--take', action='store_true', help='take over what the last runs measured')
    args = parser.parse_args()
    if args.take:
        take(args.build)
    figures = json.loads(read(FIGURES))
    wrong = [message for message in (compare(s, figures, args.update) for s in SENTENCES) if message]
    for message in wrong:
        print(f'FAIL: {message}')
    print(f'{len(SENTENCES) - len(wrong)} passed, {len(wrong)} failed, 0 skipped')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
