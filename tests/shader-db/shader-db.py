#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What the compilers make of piglit's shaders, and what a change does to it.

  shader-db.py run [-o FILE.txt] [PATH...]   compile and store the statistics
  shader-db.py compare BEFORE AFTER                             two results
  shader-db.py check [--update] [--bounds]                      run and compare with the committed baseline
  shader-db.py reasons [--list] [PATH...]                       why programs do not compile, as a table
  shader-db.py clocks [-o FILE.txt] [PATH...]                   where the clocks of fragment programs go

Without PATH the programs are the .shader_test files of the Debian package piglit that ask for no more than GLSL 1.20 or
GLSL ES 1.00 (about 3,400 files; they take less than a minute on two cores).  PATHs are
.shader_test, .vert and .frag files or directories of them.

Before and after a change of a compiler:

  tests/shader-db/shader-db.py run -o before.txt
  (change, ninja -C build)
  tests/shader-db/shader-db.py run -o after.txt
  tests/shader-db/shader-db.py compare before.txt after.txt

The comparison prints every changed program (at most --limit), the worst regressions, how many programs each number
helped or hurt, which programs compile no more ("lost") or only now ("gained"), and totals over the programs that both
results have.  All numbers are costs: smaller is better, except "dual", the instructions that do two operations.

"check" compares with the totals by folder of tests/shader-db/baseline.txt. Its exit status is 1 when a program is lost or the
cycles of a stage grow in total. A change of code quality belongs into the baseline: --update rewrites it, so that reviewers
see it. The rows of the programs go to BUILD/shader-db/COMMIT.txt; when those of the commit before are there, the comparison is
by program. --bounds records how far programs are from their lower bounds, too, for the documents.

"reasons" sorts the programs that do not compile by why: limits of the chip, GLSL that is wrong or asks for extensions that
the driver does not offer, files without GLSL.  Its exit status is 1 when a program crashes the compiler, when a sanitizer
complains about a source file of this project, or when a reason is none of the known ones.  For a build with sanitizers:

  tests/sanitize/sanitized.py --build build tools/compiler/tegra20-compiler
  tests/shader-db/shader-db.py reasons --compiler build/sanitized/tools/compiler/tegra20-compiler

"clocks" is a table by the length of the programs, for each PATH (or "piglit"): how far the clocks are from the lower bound,
how many EXECs and packets they take, how full the packets are.

Text results have a line per directory and below it, behind a space, a line per program: its name, then "failed",
"skipped", or the numbers of "VS" and "FS" in the order of the first lines.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import measured  # noqa: E402
import part  # noqa: E402

BASELINE = os.path.join(TOP, 'tests', 'shader-db', 'baseline.txt')
CHIPS = ['tegra20', 'tegra30', 'tegra114']
STATS = {
    'VS': ['inst', 'dual', 'cycles', 'temps', 'consts', 'loops'],
    'FS': ['execs', 'cycles', 'alu packets', 'alu slots', 'mfu', 'tex', 'rows', 'uniforms', 'consts'],
}
MORE_IS_BETTER = {('VS', 'dual')}
FORMATS = {stage: re.compile(', '.join(r'(\d+) ' + name for name in names)) for stage, names in STATS.items()}


class Error(Exception):
    pass


# --- programs ---------------------------------------------------------------------------------------------------------

def wants_more(path):
    """Whether a .shader_test asks for a newer language than the driver has."""
    with open(path, encoding='utf-8', errors='replace') as file:
        require = re.search(r'^\[require\](.*?)^\[', file.read(), re.M | re.S)
    for es, version in re.findall(r'^GLSL( ES)?\s*>?=\s*(\d+\.\d+)', require.group(1) if require else '', re.M):
        if float(version) > (1.0 if es else 1.2):
            return True
    return False


def piglit_programs():
    try:
        listing = subprocess.run(['dpkg', '-L', 'piglit'], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise Error('the package piglit is not installed (ci/setup installs it), or name files') from None
    newer = re.compile(r'/spec/(glsl-(1\.[3-5]|[34])|glsl-es-3|arb_(gpu|tess|compute|geometry|shader_(im|st)))')
    return sorted(path for path in listing.split('\n')
                  if path.endswith('.shader_test') and not newer.search(path) and not wants_more(path))


def programs_below(paths):
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        for directory, _, names in os.walk(path):
            found += [os.path.join(directory, n) for n in names if re.search(r'\.(shader_test|vert|frag)$', n)]
    if not found:
        raise Error('there are no programs below ' + ' '.join(paths))
    return sorted(found)


def short_name(path):
    return re.sub(r'^.*/piglit/', '', path)


# --- results: {name: {'status': 'compiled' | 'failed' | 'skipped' | 'crashed', 'VS': [numbers], 'FS': [numbers]}} -------

def parse_line(line, result):
    """Takes over a line of tegra20-compiler.  Returns the program that it is about, or None."""
    match = re.match(r'(.*?) - (VS|FS) shader: (.*)', line)
    if match:
        path, stage, text = match.groups()
        numbers = FORMATS[stage].fullmatch(text)
        if not numbers:
            raise Error(f'not a statistics line of {stage}: {line}')
        program = result.setdefault(short_name(path), {'status': 'compiled'})
        program[stage] = [int(n) for n in numbers.groups()]
        return path
    match = re.fullmatch(r'(.*?) - (VS|FS) bound: (\d+) of (\d+) \w+', line)
    if match:
        result[short_name(match[1])][f'{match[2]} over bound'] = int(match[4]) / max(int(match[3]), 1)
        return match[1]
    match = re.match(r'(.*?) - skipped: |(.*?): does not compile:|(.*?): the compiler crashed', line)
    if match:
        path = next(g for g in match.groups() if g)
        status = ['skipped', 'failed', 'crashed'][match.lastindex - 1]
        result[short_name(path)] = {'status': status}
        return path
    return None


def compile_all(compiler, paths, jobs, chip='tegra20', bounds=False):
    command = [compiler, '--stats' if bounds else '--no-bounds', '--chip', chip]
    command += (['-j', str(jobs)] if jobs else []) + ['--'] + paths
    result, seen = {}, set()
    bar = sys.stderr.isatty()
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    except OSError as e:
        raise Error(f'{compiler}: {e.strerror} (build it with ninja, or see --build)') from None
    for line in process.stdout:
        path = parse_line(line.rstrip('\n'), result)
        if path and path not in seen:
            seen.add(path)
            if bar and (len(seen) % 16 == 0 or len(seen) == len(paths)):
                filled = 40 * len(seen) // len(paths)
                sys.stderr.write(f'\r[{"#" * filled}{" " * (40 - filled)}] {len(seen)}/{len(paths)}')
    if bar:
        sys.stderr.write('\n')
    if process.wait() not in (0, 1):
        raise Error(f'{compiler} ended with status {process.returncode}')
    for path in paths:  # a program without any line: neither statistics nor a reason
        result.setdefault(short_name(path), {'status': 'failed'})
    return result


def write_text(result, path):
    lines = [f'# {stage}: {", ".join(names)}' for stage, names in STATS.items()]
    directory = None
    for name in sorted(result, key=lambda n: os.path.split(n)):
        program, (head, tail) = result[name], os.path.split(name)
        if head != directory:
            directory = head
            lines.append(os.path.join(directory, '') or './')
        words = [' ' + tail]
        if program['status'] != 'compiled':
            words.append(program['status'])
        for stage in STATS:
            if stage in program:
                words += [stage] + [str(n) for n in program[stage]]
        lines.append(' '.join(words))
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def parse_program(words):
    program = {'status': 'compiled'}
    i = 0
    while i < len(words):
        if words[i] in STATS:
            length = len(STATS[words[i]])
            program[words[i]] = [int(n) for n in words[i + 1:i + 1 + length]]
            if len(program[words[i]]) != length:
                raise ValueError
            i += 1 + length
        elif words[i] in ('failed', 'skipped', 'crashed'):
            program['status'] = words[i]
            i += 1
        else:
            raise ValueError
    return program


def read_result(path):
    try:
        with open(path, encoding='utf-8') as file:
            text = file.read()
    except OSError as e:
        raise Error(f'{path}: {e.strerror}') from None
    result, directory = {}, ''
    for number, line in enumerate(text.split('\n'), 1):
        if not line or line.startswith('#'):
            continue
        if not line.startswith(' '):
            directory = '' if line == './' else line
            continue
        words = line.split()
        try:
            result[directory + words[0]] = parse_program(words[1:])
        except (ValueError, IndexError):
            raise Error(f'{path}:{number}: not a line of a result') from None
    return result


# --- comparison -------------------------------------------------------------------------------------------------------

class Comparison:
    """lost, gained: names; only_before, only_after: names; changes: (name, stage, before, after); totals, helped, hurt:
    {(stage, number): ...}, over the stages that both results have."""

    def __init__(self, before, after):
        both = sorted(set(before) & set(after))
        compiled = [{n for n in both if r[n]['status'] == 'compiled'} for r in (before, after)]
        self.lost = sorted(compiled[0] - compiled[1])
        self.gained = sorted(compiled[1] - compiled[0])
        self.only_before = sorted(set(before) - set(after))
        self.only_after = sorted(set(after) - set(before))
        self.changes, self.totals, self.helped, self.hurt = [], {}, {}, {}
        self.programs = {stage: 0 for stage in STATS}
        for stage, numbers in STATS.items():
            for number in numbers:
                self.totals[stage, number] = [0, 0]
                self.helped[stage, number] = self.hurt[stage, number] = 0
        for name in both:
            for stage in STATS:
                if stage in before[name] and stage in after[name]:
                    self.add(name, stage, before[name][stage], after[name][stage])

    def add(self, name, stage, before, after):
        self.programs[stage] += 1
        if before != after:
            self.changes.append((name, stage, before, after))
        for number, b, a in zip(STATS[stage], before, after):
            key = stage, number
            self.totals[key][0] += b
            self.totals[key][1] += a
            if a != b:
                better = (a > b) if key in MORE_IS_BETTER else (a < b)
                (self.helped if better else self.hurt)[key] += 1

    def regressions(self):
        """Programs whose cycles grew, the worst (by ratio, then by difference) first."""
        grown = []
        for name, stage, before, after in self.changes:
            b, a = (numbers[STATS[stage].index('cycles')] for numbers in (before, after))
            if a > b:
                grown.append((a / max(b, 1), a - b, name, stage, b, a))
        return sorted(grown, key=lambda g: (-g[0], -g[1], g[2]))

    def cycles_grow(self):
        return any(self.totals[stage, 'cycles'][1] > self.totals[stage, 'cycles'][0] for stage in STATS)


def percent(before, after):
    return f'{100 * (after - before) / before:+.2f} %' if before else 'new' if after else '+0.00 %'


def print_names(title, names, limit):
    if names:
        print(f'{title}: {len(names)}')
        for name in names[:limit]:
            print(f'  {name}')
        if len(names) > limit:
            print(f'  ... {len(names) - limit} more')


def print_comparison(c, limit):
    for name, stage, before, after in c.changes[:limit]:
        parts = [f'{n} {b} -> {a}' for n, b, a in zip(STATS[stage], before, after) if a != b]
        print(f'{name} {stage}: {", ".join(parts)}')
    if len(c.changes) > limit:
        print(f'... {len(c.changes) - limit} more changes (--limit)')
    grown = c.regressions()
    if grown:
        print('\nworst regressions (cycles):')
        for ratio, _, name, stage, b, a in grown[:10]:
            print(f'  {name} {stage}: {b} -> {a} ({100 * (ratio - 1):+.1f} %)')
    print()
    print_names('lost (compiled before)', c.lost, limit)
    print_names('gained (compile only now)', c.gained, limit)
    print_names('only in the first result', c.only_before, 5)
    print_names('only in the second result', c.only_after, 5)
    print(f'{"":16} {"before":>9} {"after":>9} {"change":>10} {"helped":>7} {"hurt":>7}')
    for (stage, number), (b, a) in c.totals.items():
        key = stage, number
        print(f'{stage} {number:13} {b:9} {a:9} {percent(b, a):>10} {c.helped[key]:7} {c.hurt[key]:7}')
    print(f'{c.programs["VS"]} vertex and {c.programs["FS"]} fragment programs in both, {len(c.changes)} changed, '
          f'{len(c.lost)} lost, {len(c.gained)} gained')


# --- totals by folder -------------------------------------------------------------------------------------------------

STATUSES = ('compiled', 'failed', 'skipped', 'crashed')


def totals_of(result):
    """{folder: {'files': number per status, 'VS': [programs, sum, ...], 'FS': [programs, sum, ...]}}"""
    totals = {}
    for name, program in result.items():
        folder = totals.setdefault(os.path.join(os.path.dirname(name), ''), {
            'files': [0] * len(STATUSES), **{stage: [0] * (1 + len(names)) for stage, names in STATS.items()}})
        folder['files'][STATUSES.index(program['status'])] += 1
        for stage in STATS:
            if stage in program:
                folder[stage] = [a + b for a, b in zip(folder[stage], [1, *program[stage]])]
    return totals


def write_totals(totals, path):
    lines = [f'# files: {", ".join(STATUSES)}'] + [f'# {stage}: programs, {", ".join(names)}' for stage, names in STATS.items()]
    for name, folder in sorted(totals.items()):
        lines.append(f'{name} ' + ' '.join(f'{what} {" ".join(map(str, numbers))}' for what, numbers in folder.items()))
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def read_totals(path):
    totals = {}
    try:
        with open(path, encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                parts = re.fullmatch(r'(\S+) files ([\d ]+) VS ([\d ]+) FS ([\d ]+)\n', line)
                if parts:
                    totals[parts[1]] = dict(zip(('files', *STATS), ([int(n) for n in p.split()] for p in parts.groups()[1:])))
                elif not line.startswith('#'):
                    raise Error(f'{path}:{number}: not a line of totals')
    except OSError as e:
        raise Error(f'{path}: {e.strerror} (--update makes one)') from None
    return totals


def compare_totals(before, after):
    """(lines that say what changed, whether it is for the worse).  Folders that have other files now say nothing about it, those
    of which more programs compile nothing about cycles."""
    lines, lost, cycles = [], 0, dict.fromkeys(STATS, 0)
    for name in sorted(set(before) | set(after)):
        b, a = before.get(name), after.get(name)
        if not b or not a or sum(b['files']) != sum(a['files']):
            lines.append(f'{name}: its files are others')
            continue
        lost += max(b['files'][0] - a['files'][0], 0)
        changes = [f'{what} {x} -> {y}' for what, x, y in zip(STATUSES, b['files'], a['files']) if x != y]
        for stage, names in STATS.items():
            changes += [f'{stage} {what} {x} -> {y}' for what, x, y in zip(('programs', *names), b[stage], a[stage]) if x != y]
            if b[stage][0] == a[stage][0]:
                at = 1 + names.index('cycles')
                cycles[stage] += a[stage][at] - b[stage][at]
        lines += [f'{name}: {", ".join(changes)}'] if changes else []
    lines.append(f'{len(after)} folders: {lost} programs lost, cycles ' + ', '.join(f'{s} {n:+}' for s, n in cycles.items()))
    return lines, lost > 0 or max(cycles.values()) > 0


# --- reasons ----------------------------------------------------------------------------------------------------------

# (kind, reason, pattern in the compiler's message); numbers are left out of the table.  Kinds: "limit" names what the chip
# has too little of; "GLSL" is a program that the front end must refuse, or an extension that the driver does not offer.
REASONS = [
    ('limit', 'fragment loop without a bound', r'number of iterations of a loop'),
    ('limit', 'fragment registers', r'do(es)? not fit into the registers|live fragment registers|alive'),
    ('limit', 'linker instructions', r'need \d+ linker instructions'),
    ('limit', 'vertex instructions', r'vertex program needs \d+ instructions'),
    ('limit', 'vertex registers', r'temporary registers'),
    ('limit', 'fragment instructions', r'fragment program needs (at least )?\d+|needs \d+ (EXEC|instructions|ALU|MFU)'),
    ('limit', 'instructions after inlining', r'with its functions inlined'),
    ('limit', 'constants', r'needs \d+ (constant|uniform) registers'),
    ('limit', 'uniform components', r'Too many (vertex|fragment) shader (uniform|default uniform block) components'),
    ('limit', 'draw buffers', r'array index must be < \d+'),
    ('limit', 'derivatives want a pass before', r'derivative'),
    ('GLSL', 'extension not offered', r"extension `\w+' unsupported|_arrays_of_arrays or GLSL|NEW_IDENTIFIER"),
    ('GLSL', 'GL_ARB_shading_language_include', r'preprocessor error: include'),
    ('GLSL', 'stages do not fit together',
     r'mismatching|differing values|multiple non-constant|declared as type|not written by|does not write|lacks invariant'),
    ('GLSL', 'not valid', r'cannot access field|has no field'),
]


def reason_of(text):
    for kind, reason, pattern in REASONS:
        if re.search(pattern, text):
            return kind, reason
    return 'unknown', text.strip().split('\n')[0][:100]


def read_reasons(out, err):
    """({path: (kind, reason)} of the programs that do not compile, complaints of sanitizers about sources of ours)."""
    reasons, complaints = {}, []
    for path, why in re.findall(r'^(.*?) - skipped: (.*)$', out, re.M):
        reasons[short_name(path)] = ('skipped', why)
    for path, why in re.findall(r'^(.*?): the compiler crashed \((.*)\)$', err, re.M):
        reasons[short_name(path)] = ('crash', why)
    for path, text in re.findall(r'^(\S+): does not compile:\n((?:   .*\n?)*)', err, re.M):
        reasons[short_name(path)] = reason_of(text)
    for line in err.split('\n'):
        if re.search(r'runtime error:', line) and re.search(r'tegra20|tools', line):
            complaints.append(line)
        if 'ERROR: AddressSanitizer' in line:
            complaints.append(line)
    # Mesa's null winsys and its variants of programs that do not compile stay allocated; what the compilers allocate must not.
    for leak in re.findall(r'leak of .*?\n\n', err, re.S):
        place = re.search(r'src/compiler/tegra20/\S+', leak)
        if place:
            complaints.append(f'leak: allocated at {place.group()}')
    return reasons, complaints


def append_figures(args, figures):
    with open(os.path.join(args.build, 'figures.jsonl'), 'a', encoding='utf-8') as file:
        file.write(json.dumps(figures) + '\n')


def command_reasons(args):
    paths = part.of(programs_below(args.paths) if args.paths else piglit_programs(), args.part)
    compiler = args.compiler or os.path.join(args.build, 'tegra20-compiler')
    env = {'UBSAN_OPTIONS': 'print_stacktrace=0', **os.environ}
    command = [compiler] + (['-j', str(args.jobs)] if args.jobs else [])

    try:
        done = subprocess.run(command + ['--stats', '--'] + paths, capture_output=True, text=True, errors='replace', env=env)
    except OSError as e:
        raise Error(f'{compiler}: {e.strerror}') from None
    reasons, complaints = read_reasons(done.stdout, done.stderr)
    table = {}
    for name, why in sorted(reasons.items()):
        table.setdefault(why, []).append(name)
    for (kind, reason), names in sorted(table.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f'{len(names):5}  {kind:8} {reason}')
        if args.list:
            print(''.join(f'                   {name}\n' for name in names), end='')
    for line in sorted(set(complaints))[:args.limit]:
        print(line)
    stages = {stage: len(re.findall(rf' - {stage} shader: ', done.stdout)) for stage in STATS}
    if not args.paths and args.part == part.WHOLE:
        append_figures(args, {'reasons of piglit': {reason: len(names) for (_, reason), names in table.items()}})
    bad = [why for why in table if why[0] in ('crash', 'unknown')]
    crashed = sum(len(names) for why, names in table.items() if why[0] == 'crash')
    print(f'{len(paths)} files: {stages["VS"]} vertex and {stages["FS"]} fragment programs compiled, {len(reasons)} files did '
          f'not, {crashed} crashed, {len(set(complaints))} complaints of sanitizers')
    return 1 if bad or complaints or done.returncode not in (0, 1) else 0


# --- clocks -----------------------------------------------------------------------------------------------------------

LENGTHS = [(1, 1), (2, 5), (6, 15), (16, 31), (32, 63), (64, 9999)]


def clocks_row(title, programs):
    """programs: of {'FS': numbers, 'FS over bound': ratio}"""
    if not programs:
        return []
    total = {name: sum(p['FS'][i] for p in programs) for i, name in enumerate(STATS['FS'])}
    ratios = [p['FS over bound'] for p in programs]
    bound = sum(round(p['FS'][STATS['FS'].index('cycles')] / p['FS over bound']) for p in programs)
    mean, fill = statistics.geometric_mean(ratios), total['alu slots'] / max(total['alu packets'], 1)
    return [f'{title:16} {len(programs):8} {total["cycles"]:7} {bound:7} {mean:6.3f} {max(ratios):6.2f} '
            f'{total["execs"]:7} {total["alu packets"]:8} {fill:12.2f} {total["mfu"]:6} {total["tex"]:7}']


def clocks_table(result):
    programs = [p for p in result.values() if 'FS over bound' in p]
    cycles = STATS['FS'].index('cycles')
    lines = [f'{"clocks":16} {"programs":>8} {"clocks":>7} {"bound":>7} {"mean":>6} {"worst":>6} {"EXECs":>7} {"packets":>8} '
             f'{"a packet has":>12} {"MFU":>6} {"lookups":>7}']
    for low, high in LENGTHS:
        title = str(low) if low == high else f'{low} and more' if high == 9999 else f'{low} to {high}'
        lines += clocks_row(title, [p for p in programs if low <= p['FS'][cycles] <= high])
    return lines + clocks_row('all', programs)


def command_clocks(args):
    compiler = os.path.join(args.build, 'tegra20-compiler')
    names = [os.path.basename(path.rstrip('/')) for path in args.paths] or ['piglit']
    command = ' '.join(['tests/shader-db/shader-db.py clocks', *names])
    lines = [measured.head(command, 'src'), 'mean, worst: clocks over the lower bound, geometric mean and the largest. '
             'a packet has: operations, four at most.']
    for name, path in zip(names, args.paths or names):
        paths = piglit_programs() if path == 'piglit' else programs_below([path])
        lines += ['', name, *clocks_table(compile_all(compiler, paths, args.jobs, bounds=True))]
    text = '\n'.join(lines) + '\n'
    if args.output:
        with open(args.output, 'w', encoding='utf-8') as file:
            file.write(text)
    print(text, end='')
    return 0


# --- commands ---------------------------------------------------------------------------------------------------------

def run_programs(args):
    paths = programs_below(args.paths) if getattr(args, 'paths', None) else piglit_programs()
    return compile_all(os.path.join(args.build, 'tegra20-compiler'), paths, args.jobs, getattr(args, 'chip', 'tegra20'),
                       getattr(args, 'bounds', False))


def print_summary(result):
    counts = {}
    for program in result.values():
        counts[program['status']] = counts.get(program['status'], 0) + 1
    print(', '.join(f'{n} {status}' for status, n in sorted(counts.items())))


def command_run(args):
    result = run_programs(args)
    if args.output:
        write_text(result, args.output)
    print_summary(result)
    return 1 if any(p['status'] == 'crashed' for p in result.values()) else 0


def command_compare(args):
    print_comparison(Comparison(read_result(args.before), read_result(args.after)), args.limit)
    return 0


def record_figures(args, result):
    """What the documents say of piglit's programs (tests/docs/numbers.py)."""
    instructions = STATS['VS'].index('inst')
    figures = {'programs of piglit': {'files': len(result), 'longest VS': max(p['VS'][instructions] for p in result.values()
                                                                              if 'VS' in p),
                                      **{stage: sum(stage in program for program in result.values()) for stage in STATS}}}
    if args.bounds:
        ratios = [p['VS over bound'] for p in result.values() if 'VS over bound' in p]
        figures['bound of vertex programs'] = {'programs': len(ratios), 'worst': round(max(ratios), 1),
                                               'mean': round(statistics.geometric_mean(ratios), 3)}
    append_figures(args, figures)


def command_check(args):
    result = run_programs(args)
    record_figures(args, result)
    rows, base = rows_of_commits(args.build)
    worse = False
    if base:
        comparison = Comparison(read_result(base), result)
        print_comparison(comparison, args.limit)
        worse = bool(comparison.lost) or comparison.cycles_grow()
    os.makedirs(os.path.dirname(rows), exist_ok=True)
    write_text(result, rows)
    totals = totals_of(result)
    if args.update:
        write_totals(totals, args.baseline)
        print_summary(result)
        return 0
    lines, grows = compare_totals(read_totals(args.baseline), totals)
    if len(lines) > 1:
        print('the baseline is out of date: --update rewrites it')
    print('\n'.join(lines))
    return 1 if worse or grows else 0


def rows_of_commits(build):
    """Where the rows of what is checked out belong, and the file of those before it, or None."""
    state = measured.state('src')
    log = subprocess.run(['git', 'log', '-2', '--format=%h', '--abbrev=7', '--', 'src'], cwd=TOP, capture_output=True, text=True)
    before = [name for name in log.stdout.split() if name != state][:1]
    rows, *base = (os.path.join(build, 'shader-db', f'{name}.txt') for name in [state, *before])
    return rows, next(filter(os.path.exists, base), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    runs = argparse.ArgumentParser(add_help=False)
    runs.add_argument('--build', default=os.environ.get('BUILD_DIR', os.path.join(TOP, 'build')), help='build directory')
    runs.add_argument('-j', '--jobs', type=int, help='processes (default: one per core)')
    shows = argparse.ArgumentParser(add_help=False)
    shows.add_argument('--limit', type=int, default=40, help='programs to list (default 40)')
    p = commands.add_parser('run', parents=[runs], help='compile and store the statistics')
    p.add_argument('-o', '--output', metavar='FILE', help='result as text')
    p.add_argument('--chip', choices=CHIPS, default='tegra20', help='chip to compile for (default tegra20)')
    p.add_argument('paths', nargs='*', metavar='PATH')
    p.set_defaults(function=command_run)
    p = commands.add_parser('compare', parents=[shows], help='compare two results')
    p.add_argument('before')
    p.add_argument('after')
    p.set_defaults(function=command_compare)
    p = commands.add_parser('check', parents=[runs, shows], help='run and compare with the baseline')
    p.add_argument('--baseline', default=BASELINE, metavar='FILE')
    p.add_argument('--update', action='store_true', help='rewrite the baseline')
    p.add_argument('--bounds', action='store_true', help='record how far programs are from their lower bounds, too')
    p.set_defaults(function=command_check)
    p = commands.add_parser('clocks', parents=[runs], help='where the clocks of fragment programs go')
    p.add_argument('-o', '--output', metavar='FILE', help='the table')
    p.add_argument('paths', nargs='*', metavar='PATH')
    p.set_defaults(function=command_clocks)
    p = commands.add_parser('reasons', parents=[runs, shows], help='why programs do not compile')
    p.add_argument('--compiler', metavar='FILE', help='a tegra20-compiler elsewhere')
    p.add_argument('--list', action='store_true', help='name the programs')
    part.add_option(p)
    p.add_argument('paths', nargs='*', metavar='PATH')
    p.set_defaults(function=command_reasons)
    args = parser.parse_args()
    try:
        return args.function(args)
    except Error as e:
        print(f'shader-db.py: {e}', file=sys.stderr)
        return 2
    except BrokenPipeError:  # "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


if __name__ == '__main__':
    sys.exit(main())
