#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Grids of OpenGL ES 2.0 cases on the simulated chip, compared with Mesa's software renderers.

  run.py --build BUILD [--only TEXT] [--part K/N] [--pictures DIR] [--expect FILE] [--references FILE] [--surface]
         [--second K/N [--undecided FILE]] [--audit FILE] [FAMILY ...]

Each family is rendered on softpipe, then in strict mode on the simulated chip and compared. Each case is judged once. A run
that ends early is a failure, and one without a case. The last line is "N passed, N failed, N skipped". The lists have lines
"name or pattern # reason":

  --references FILE  cases (of one list or more) that are compared with the distribution's llvmpipe, where softpipe is wrong
  --expect FILE      cases that are expected to fail; a name that passes is a failure, too
  --second K/N       compares such a part of the cases with llvmpipe as well: where the driver and softpipe have the same fault
                     nothing else shows it. One of the three is wrong where it fails. A case that llvmpipe does not survive
                     has no second opinion, which is counted and no pass
  --undecided FILE   cases that have none because the renderers may differ
  --audit FILE       where tolerances and the reasons of skipped cases go, with their counts
"""

import argparse
import collections
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../common'))

import part  # noqa: E402, tests/common/part.py


def run(args, program_args, driver):
    """The counts, or None after a crash, the lines of failures, and the result of the process."""
    program = [os.path.join(args.build, 'tests/gl/es2/tegra20-es2')] + program_args
    # a program that does not fit fails to link: nothing passes with a dummy
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='1', TEGRA20_DEBUG='refuse,' + os.environ.get('TEGRA20_DEBUG', ''))
    if driver == 'tegra20':
        program = [os.path.join(args.build, 'tegra20-run'), '--strict', '--'] + program
    else:
        env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER=driver)
    result = subprocess.run(program, env=env, capture_output=True, text=True, errors='replace')
    lines = result.stdout.split('\n')
    counts = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', result.stdout)
    if driver == 'tegra20' and re.search('^renderer: (softpipe|llvmpipe)', result.stderr, re.M):
        print('FAIL: a software renderer draws instead of the chip')
        return None, [], result
    if not counts or result.returncode not in (0, 1):
        print(f'FAIL: the run on {driver} ended early\n{result.stdout[-2000:]}{result.stderr[-2000:]}')
        return None, [], result
    return [int(c) for c in counts.groups()], [line for line in lines if line.startswith('FAIL: ')], result


def expectations(path):
    lines = open(path, encoding='utf-8') if path else []
    return {line.split('#')[0].strip() for line in lines} - {''}


def crashes(path):
    """The patterns of a list whose reasons are that the driver ends the program: such cases are not run."""
    lines = open(path, encoding='utf-8') if path else []
    return {line.split('#')[0].strip() for line in lines if '# ends the program' in line}


def matching(names, patterns):
    """The names, in order, that one of the patterns describes."""
    return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def write_names(path, names):
    with open(path, 'w', encoding='utf-8') as f:
        f.writelines(name + '\n' for name in names)
    return path


def reference_pictures(args, names, options, directory):
    """The file with the pictures of softpipe, and those of llvmpipe where softpipe is known to be wrong; None: failed."""
    patterns, surface = set().union(*map(expectations, args.references)), ['--surface'] * args.surface
    listed = matching(names, patterns)
    exceptions, more = write_names(os.path.join(directory, 'exceptions'), listed), os.path.join(directory, 'llvmpipe')
    reference = os.path.join(directory, 'softpipe')
    if not run(args, ['--write', reference, '--except', exceptions] + options, 'softpipe')[0]:
        return None
    if listed:
        if not run(args, ['--write', more, '--names', exceptions] + surface + args.families, 'llvmpipe')[0]:
            return None
        with open(reference, 'ab') as f:
            f.write(open(more, 'rb').read())
    return reference


def second_pictures(args, names, path):
    """Writes llvmpipe's pictures; returns the cases at which it ended early."""
    lost, rest, one = [], list(names), f'{path}-part'
    env = dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe', MESA_SHADER_CACHE_DISABLE='1')
    with open(path, 'wb') as whole:
        while rest:
            command = [os.path.join(args.build, 'tests/gl/es2/tegra20-es2'), '--write', one]
            status = subprocess.run(command + ['--names', write_names(f'{path}-names', rest)], env=env,
                                    capture_output=True).returncode
            with open(one, 'rb') as f:
                pictures = f.read()
            whole.write(pictures)
            if status in (0, 1):
                break
            done = {name.decode() for name in re.findall(rb'\n@(.*)\n(?:picture|refused|checked)', pictures)}
            ended = max((i + 1 for i, name in enumerate(rest) if name in done), default=0)
            lost += rest[ended:ended + 1]
            rest = rest[ended + 1:]
    return lost


def second_opinion(args, names, directory):
    """([line of a failure], number of cases that agree, [case that has no second opinion])"""
    path = os.path.join(directory, 'second')
    undecided = matching(names, expectations(args.undecided) | expectations(args.expect))
    names = [name for name in part.of(names, args.second) if name not in undecided]
    lost = second_pictures(args, names, path)
    chosen = write_names(f'{path}-names', [name for name in names if name not in lost])
    counts, failures, _ = run(args, ['--compare', path, '--names', chosen], 'tegra20')
    return [f'{line} (second opinion)' for line in failures], counts[0] if counts else 0, lost


def write_audit(path, output):
    skipped = collections.Counter(': '.join((line[6:].split('/')[0], line.split(': ', 2)[2]))
                                  for line in output.split('\n') if line.startswith('SKIP: '))
    lines = [f'SKIPPED: {count} x {reason}' for reason, count in sorted(skipped.items())]
    kinds = {}
    for family, cases, channel, rest in re.findall(r'^(TOLERANCE: .*): (\d+) cases: (\d+) (of 255, .*)$', output, re.M):
        kinds.setdefault((family, rest), []).append(f'{cases} x {channel}')
    lines += [f'{family}: {", ".join(channels)} {rest}' for (family, rest), channels in kinds.items()]
    write_names(path, lines + re.findall('^UNCHANGED.*', output, re.M))


def chosen_cases(args):
    """Names of the cases that are to run."""
    program = [os.path.join(args.build, 'tests/gl/es2/tegra20-es2'), '--list']
    program += (['--only', args.only] if args.only else []) + args.families
    listed = subprocess.run(program, capture_output=True, text=True)
    return part.of(listed.stdout.split('\n')[:-1], args.part)


def main():
    parser = argparse.ArgumentParser(description='OpenGL ES 2.0 cases on the simulated chip.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--only', help='cases whose name holds this text')
    parser.add_argument('--pictures', help='where to write the pictures of failing cases')
    parser.add_argument('--expect', help='list of cases that are expected to fail')
    parser.add_argument('--references', action='append', default=[], help='list of cases that are compared with llvmpipe')
    parser.add_argument('--surface', action='store_true', help='render to a surface instead of framebuffer objects')
    parser.add_argument('--audit', metavar='FILE', help='where to write tolerances and reasons of skipped cases')
    part.add_option(parser)
    parser.add_argument('--second', type=part.parse, metavar='K/N', help='this share of the cases on llvmpipe, too')
    parser.add_argument('families', nargs='*', metavar='FAMILY')
    parser.add_argument('--undecided', metavar='FILE', help='list of cases that have no second opinion')
    args = parser.parse_args()
    if args.pictures:
        os.makedirs(args.pictures, exist_ok=True)
    chosen, ending = chosen_cases(args), crashes(args.expect)
    names = [name for name in chosen if not matching([name], ending)]
    if not names:
        print('FAIL: no case matches')
    more = (['--pictures', args.pictures] if args.pictures else []) + ['--audit'] * bool(args.audit)
    with tempfile.TemporaryDirectory(prefix='tegra20-es2-') as directory:
        options = ['--surface'] * args.surface + (['--only', args.only] if args.only else [])
        if args.part != part.WHOLE or len(names) < len(chosen):
            options += ['--names', write_names(os.path.join(directory, 'names'), names)]
        options += args.families
        reference = reference_pictures(args, names, options, directory) if names else None
        counts, failures, result = run(args, ['--compare', reference] + more + options, 'tegra20') if reference else (None,) * 3
        second = second_opinion(args, names, directory) if counts and args.second else ([], 0, [])
    if not counts:
        print('0 passed, 1 failed, 0 skipped')
        return 1
    patterns = expectations(args.expect)
    expected = set(matching(names, patterns))
    failed = [line for line in failures if line[6:].split(': ')[0] not in expected]
    known = len(failures) - len(failed) + len(chosen) - len(names)
    for name in sorted(patterns & set(names) - {line[6:].split(': ')[0] for line in failures}):
        failed.append(f'FAIL: {name}: passes, take it out of {args.expect}')
    failed += second[0]
    print('\n'.join(failed))
    if args.second:
        print(f'second opinion: {second[1]} cases as on llvmpipe, {len(second[2])} without one {" ".join(second[2][:5])}')
    strict = re.search(r'strict: (\d+) diagnostics', result.stderr)
    if not strict or int(strict.group(1)):
        failed.append('strict')
        print('FAIL: strict mode\n' + result.stderr[-2000:])
    if args.audit:
        write_audit(args.audit, result.stdout)
    print(f'{known} known failures')
    print(f'{counts[0]} passed, {len(failed)} failed, {counts[2] + known} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
