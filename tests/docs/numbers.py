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
sys.path.insert(0, os.path.join(TOP, 'tests/piglit'))

import selection  # noqa: E402
from check_docs import read  # noqa: E402

FIGURES = os.path.join(TOP, 'docs', 'results', 'figures.json')


def entries(name):
    """The reasons of an expectation list, one per entry."""
    return [line.split('#', 1)[1].strip() for line in read(name).split('\n') if re.match(r'[^#\s].*\s#', line)]


def lines_matching(name, pattern):
    return [len(re.findall(pattern, read(name), re.M))]


def number_of_piglit_tests():
    return [sum(map(len, selection.read_tests(os.path.join(TOP, 'ci/piglit-quick.txt')).values()))]


def suite(name, *kinds):
    """Counts of the last recorded run of a test suite: "passed", "failed", "skipped"."""
    return lambda figures: [figures[name][kind] for kind in kinds]


def figure(name, *keys):
    """Numbers that a measuring script recorded under a name."""
    return lambda figures: [figures[name][key] for key in keys]


def repository(function, *args):
    return lambda figures: function(*args)


def numbers_in(*places):
    """The numbers of patterns with a group, each in a source."""
    found = []
    for name, pattern in places:
        matches = set(re.findall(pattern, read(name), re.M))
        if len(matches) != 1:
            sys.exit(f'{name}: "{pattern}" is there {len(matches)} times')
        found.append(int(matches.pop()))
    return found


def cost_of_finishing():
    """Scenes, least, largest and mean ratio of docs/results/finish.txt."""
    ratios = re.findall(r'^\w+ +[\d.]+ +[\d.]+ +([\d.]+)$', read('docs/results/finish.txt'), re.M)
    scenes, mean = re.search(r'^(\d+) scenes, mean ratio ([\d.]+)$', read('docs/results/finish.txt'), re.M).groups()
    return [int(scenes), float(min(ratios, key=float)), float(max(ratios, key=float)), float(mean)]


def whole_in_vm(what):
    """Passed, failed and skipped of a row of docs/results/long.txt."""
    row = re.search(rf'^{what}, real kernel *\|.*\b(\d+) passed, (\d+) failed, (\d+) skipped$', read('docs/results/long.txt'),
                    re.M)
    return [int(number) for number in row.groups()]


# Rows of the table in docs/piglit.md, in order: an entry of the list counts for the first that matches.
PIGLIT_REASONS = [
    ('precision: errors below 6e-5', r'precision: the test wants an error below 6e-5'),
    ('precision: other', r'precision:'),
    ('limit: more uniforms or constants', r'limit: .*(uniforms than|vertex constants)'),
    ('limit: depth has 16 bits', r'limit: (depth has 16|channels have)'),
    ('limit: weights of the linear filter', r'limit: weights'),
    ('limit: clip planes', r'limit: clip planes'),
    ('choice: glCopyTexImage', r'choice: .*glCopyTexImage'),
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


def clocks_of_logic_operations():
    """The most that a whole target may take in the unit test."""
    return [max(int(n) for n in re.findall(r'"logic=[^"]*", (\d+)', read('tests/unit/fs/test_programs.c')))]


def measured_vectors():
    """Fragment pixels and programs, vertex programs: measured on a chip, of all."""
    programs = [[pixel['kind'].startswith('measured') for pixel in program.get('expected', ())]
                for program in json.loads(read('tests/vectors/fragment-vectors.json'))['programs']]
    pixels = sum(programs, [])
    vertex = json.loads(read('tests/vectors/vertex-vectors.json'))['vectors']
    return [sum(pixels), len(pixels), sum(map(any, programs)), len(programs),
            sum(v['kind'] == 'measured_on_hardware' for v in vertex), len(vertex)]


def number_in(name, pattern):
    """A number that another file has."""
    return [float(number) if '.' in number else int(number) for number in re.search(pattern, read(name)).groups()]


def least_percent(kind):
    """Of the programs of gallery.py that are right and of that kind, the share of pixels that are llvmpipe's."""
    return [min(float(share) for share in re.findall(rf'^ok: .*: {kind}, .* ([\d.]+) % like', read('docs/results/programs.txt'),
                                                     re.M))]


# Tables of what does not compile: the text of a row, and which reasons of shader-db.py it sums up.
FRAGMENT_REASONS = [
    ('Too many fragment', 'uniform components'),
    ('with its functions inlined', 'instructions after inlining'),
    ('a loop with an unknown', 'fragment loop without a bound'),
    ('derivatives of what', 'derivatives want a pass before'),
]
REASONS = [
    ('no GLSL in the file', 'contains no GLSL'),
    ('an extension that is not offered', 'extension not offered'),
    ('GLSL that must not link', 'GL_ARB_shading_language_include', 'stages do not fit together', 'not valid'),
    ('more uniform components', 'uniform components'),
    ('functions that call each other', 'instructions after inlining'),
    (r'16\\ :sup:`16` iterations', 'fragment loop without a bound'),
    ('derivatives in a fragment program', 'derivatives want a pass before'),
]


def of_reasons(*names):
    return lambda figures: [sum(figures['reasons of piglit'].get(name, 0) for name in names)]


WINSYS = 'src/gallium/winsys/tegra20/tegra20'
VM_TESTS = 'tests/vm/run.py'

SENTENCES = [
    ('docs/piglit.md', r'\| passed \| (NUM) \|', suite('ci/piglit', 'passed')),
    ('docs/vm.md', r'once: about (NUM) minutes of processor time', figure('ci/vm-kernel', 'minutes')),
    ('docs/vm.md', r'for the build (NUM) GB', figure('ci/vm-kernel', 'gigabytes')),
    ('docs/vm.md', r'grid of OpenGL ES 2.0, at least (NUM) cases', repository(numbers_in, (VM_TESTS, r'^ES2_CASES = (\d+)'))),
    ('docs/vm.md', r'(NUM) shader tests, (NUM) in a process', repository(numbers_in, (VM_TESTS, r'^PIGLIT_TESTS = (\d+)'),
                                                                        (VM_TESTS, r'^PIGLIT_GROUP = (\d+)'))),
    ('docs/vm.md', r"of (NUM) slots", repository(numbers_in, (f'{WINSYS}_ws_internal.h', r'PUSH_BUFFER_SLOTS (\d+)'))),
    ('docs/vm.md', r'(NUM) sync points', repository(numbers_in, ('sim/vm/kernel/protocol.h', r'VM_NUM_SYNCPTS (\d+)'))),
    ('docs/vm.md', r'chains of (NUM) passes', repository(numbers_in, ('tests/gl/passes.c', r'passes = (\d+), wrong'))),
    ('docs/vm.md', r'(NUM) draws of a million pixels', repository(numbers_in, (VM_TESTS, r"'many', '1024', '(\d+)'"))),
    ('docs/vm.md', r'(NUM) dependent passes, (NUM) contexts', repository(numbers_in, (VM_TESTS, r"'--passes', '(\d+)'"),
                                                                        (VM_TESTS, r"'--contexts', '(\d{3,})'"))),
    ('docs/vm.md', r'(NUM) frames by page flips', repository(numbers_in, (VM_TESTS, r"test_vm_flips', '(\d+)'"))),
    ('docs/vm.md', r'a compositor exchange (NUM) frames',
     repository(numbers_in, (VM_TESTS, r"'--frames', '(\d+)', '--size', '64', '--alloc'"))),
    ('docs/vm.md', r"shader tests run (NUM) in a process", repository(numbers_in, ('tests/vm/piglit.py', r'^GROUP = (\d+)'))),
    ('docs/vm.md', r'of piglit (NUM) passed, (NUM) failed, (NUM) skipped', repository(whole_in_vm, 'piglit')),
    ('docs/buffers-and-faults.md', r'(NUM) scenes of\s+glmark2 takes (NUM) to (NUM) times as long as without, (NUM) in the mean',
     repository(cost_of_finishing)),
    ('docs/vm.md', r'of the grid (NUM) passed, (NUM) failed, (NUM) skipped', repository(whole_in_vm, 'es2')),
    ('docs/piglit.md', r'`ci/piglit-quick.txt`, (NUM) tests', repository(number_of_piglit_tests)),
    ('docs/piglit.md', r'failed, each in `ci/piglit-fails.txt` with its reason \| (NUM) \|',
     repository(lambda: [len(entries('ci/piglit-fails.txt'))])),
    ('docs/fragment-compiler.rst', r'Last results: (NUM) passed and\s+(NUM) not\s+compared,\s+of\s+piglit',
     suite('differential piglit', 'passed', 'skipped')),
    ('docs/fragment-compiler.rst', r';\s+(NUM)\s+passed\s+and\s+(NUM)\s+refused\s+or\s+not\s+compared,\s+of\s+the\s+large',
     suite('differential fragment-heavy', 'passed', 'skipped')),
    ('docs/fragment-compiler.rst', r'A pixel costs at most (NUM) clocks', repository(clocks_of_logic_operations)),
    ('docs/fragment-compiler.rst', r'Of the (NUM) shader tests of piglit', figure('programs of piglit', 'files')),
    ('docs/vertex-compiler.rst', r'\(straight-line programs\): (NUM) programs, geometric mean (NUM), at\s+most (NUM)\.\s',
     figure('bound of vertex programs', 'programs', 'mean', 'worst')),
    ('docs/vertex-compiler.rst', r'(NUM) vertex programs none does, the longest has (NUM)\.\s',
     figure('programs of piglit', 'VS', 'longest VS')),
    ('docs/simulator.md', r'(NUM) of (NUM) fragment pixels, of (NUM) of the (NUM) programs, and (NUM) of\s+(NUM) vertex programs',
     repository(measured_vectors)),
    ('docs/buffers-and-faults.md', r"memory: (NUM) KiB where the scene's objects need up to (NUM) KiB \(ratio (NUM)\)",
     figure('peak of buffers, default', 'peak', 'objects', 'ratio')),
    ('docs/buffers-and-faults.md', r'eight frames in flight (NUM) KiB \((NUM)\)\.\s',
     figure('peak of buffers, --async 60000', 'peak', 'ratio')),
    ('docs/buffers-and-faults.md', r'waits, take (NUM) KiB of buffers', figure('peak of buffers, nobody waits', 'peak')),
    ('docs/piglit.md', r'`quick_gl` hold (NUM) tests', figure('ci/piglit', 'tests')),
    ('docs/piglit.md', r'\| skipped, or failed as listed \| (NUM) \|', suite('ci/piglit', 'skipped')),
    ('docs/applications.md', r'(NUM) programs draw what they should',
     repository(lines_matching, 'docs/results/programs.txt', r'^ok:')),
    ('docs/applications.md', r'at least (NUM) % of the pixels of each snapshot must agree\s+within (NUM)/255',
     repository(lambda: number_in('tests/programs/programs.py', r"LIKE = .*'--percent', '([\d.]+)'") +
                number_in('tests/programs/programs.py', r"LIKE = .*'--tolerance', '(\d+)'"))),
    ('docs/applications.md', r'right: at least (NUM) % of the pixels', repository(least_percent, 'still')),
    ('docs/applications.md', r'(NUM) scenes validate',
     repository(number_in, 'tests/programs/programs.py', r"r == 'Success' .*>= (\d+)")),
    ('docs/videocore.md', r'(NUM) of its scenes fail',
     repository(lambda: [len(re.findall(r"^    '\[", read('tests/programs/programs.py'), re.M))])),
    ('docs/vertex-compiler.rst', r'`ci/test differential`` runs (NUM) large programs, (NUM) of statements and (NUM) of',
     lambda figures: [figures[f'differential {stage}']['total']
                      for stage in ('vertex-heavy', 'vertex-structured', 'piglit-vertex')]),
    ('docs/vertex-compiler.rst', r"piglit's (NUM) files \((NUM) vertex and (NUM) fragment programs compile",
     figure('programs of piglit', 'files', 'VS', 'FS')),
] + [('docs/fragment-compiler.rst', rf'(NUM) +{text} +\S', of_reasons(*reasons)) for text, *reasons in FRAGMENT_REASONS
] + [('docs/vertex-compiler.rst', rf'(NUM) +{text}', of_reasons(*reasons)) for text, *reasons in REASONS
] + [('docs/piglit.md', rf'\| {re.escape(start)}[^|]*\| (NUM) \|', repository(piglit_reason, start))
     for start, _ in PIGLIT_REASONS]

NUMBER = r'\\d[\\d,.]*'


def text_of(number):
    return f'{number:,}' if isinstance(number, int) else f'{number:.5g}'


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
        rows = (f'{json.dumps(name)}: {json.dumps(figures[name], sort_keys=True)}' for name in sorted(figures))
        file.write('{\n' + ',\n'.join(rows) + '\n}\n')


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
