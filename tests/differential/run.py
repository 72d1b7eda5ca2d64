#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Compare generated programs on the simulated chip and on softpipe.

  run.py --build BUILD --stage STAGE [--seed S] [--count N] [--seeds K] [--part K/N] [--seconds T] [--keep DIR]
  run.py --build BUILD --stage vertex-heavy|fragment-heavy|fragment-large [--skips FILE] [--seed S] [--count N] [--keep DIR]
  run.py --build BUILD --stage piglit|piglit-vertex [--count N] [--part K/N] [--keep DIR]

Generates programs (generate.py), renders them on both with the same inputs, and demands that no channel of any pixel
differs by more than the program's own error bound.  Where softpipe disagrees, the distribution's llvmpipe decides and
the case is counted and reported: softpipe of Mesa 25.0 loses the swizzle of an abs() of an abs(), and vertices of a group
of four that leave nested loops at different times disturb each other.  A program that the
compiler refuses, that fits when it is linked but not with the iterations that the uniforms of a draw ask for, or that is
drawn but cannot be compared, is a failure, unless the list --skips names it with a reason ("any": for all programs, to
look for other failures with any seed).  With --seconds it goes on with further
seeds until the time is over.

"piglit" takes the fragment stages of piglit's shader tests instead (piglit_programs.py), with random inputs. Programs
that would draw their colour of failure with any inputs are left out and not counted. Each channel of each pixel has a bound
of its own, which tegra20-bounds finds with the inputs of the pixel by following errors through the operations of the program,
and 2/255 for the two roundings to bytes; near a discontinuity (a comparison of values that are too close) there is none.
softpipe has to be within the bound of what was interpreted, too. "piglit-vertex" takes the vertex stages (piglit_vertex.py);
no pixel may lie above their bound.

The stages "-heavy" and "-large" have large programs like those of conformance suites (heavy.py), in groups.  Fragment programs
have bounds by pixel as well; in vertex programs a cell near a discontinuity may differ.

The last line is "N passed, N failed, N skipped"; failing programs are kept in DIR.  --results writes what is printed to a file,
with the commit.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../common'))

import features  # noqa: E402
import generate  # noqa: E402
import measured  # noqa: E402
import part  # noqa: E402
import piglit_programs  # noqa: E402
import piglit_vertex  # noqa: E402

PIXELS = 64 * 64 * 4
ROUNDINGS = 2.0  # steps of 1/255
UNDECIDED = 255       # a pixel's bound: there is none
LEAST_DECIDED = 0.02  # of the pixels
MOST_VERTEX_OUTLIERS = 0.03


def skip_or_fail(args, counts, reasons, name, why):
    """A program without a verdict: skipped when the list expects it, else a failure."""
    reasons[why] += 1
    args.not_compared.add(name)
    expected = args.skips is None or name in args.skips
    counts['skipped' if expected else 'failed'] += 1
    print(f'{"SKIP" if expected else "FAIL"}: {name}: {why}')


def render(build, directory, names, out, driver, gl=False):
    program = [os.path.join(build, 'tests/differential/tegra20-differential')] + ['--gl'] * gl + [directory, out] + names
    # a program that does not fit is told apart from one that is drawn wrongly
    env = dict(os.environ, TEGRA20_DEBUG='refuse,' + os.environ.get('TEGRA20_DEBUG', ''))
    # softpipe's varyings are exact; the test "one to one" looks at the error of the chip's (A43)
    env.setdefault('TEGRA20_SHIM_SWITCH', 'A43=exact')
    if driver == 'tegra20':
        program = [os.path.join(build, 'tegra20-run'), '--strict', '--'] + program
    else:
        env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER=driver)
    return subprocess.run(program, env=env, capture_output=True, text=True, errors='replace')


def records(path, size=PIXELS):
    """{name: (status, bytes or None)}"""
    result = {}
    with open(path, 'rb') as f:
        for line in iter(f.readline, b''):
            name, _, status = line.decode(errors='replace').rstrip('\n').partition(' ')
            result[name] = (status, f.read(size) if status == 'ok' else None)
    return result


def worst(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def both_renderings(args, directory, names, counts, what, gl=False):
    """Records of our driver and of softpipe, and whether our driver refused to draw a program that is too long."""
    results = []
    refused = False
    for driver in ('tegra20', 'softpipe'):
        out = os.path.join(directory, f'{driver}.out')
        r = render(args.build, directory, names, out, driver, gl)
        if r.returncode:
            # where softpipe crashes, llvmpipe decides about the rest
            counts['failed'] += driver == 'tegra20'
            print(f'{what}: the run on the {driver} ended with status {r.returncode}\n{r.stderr[-2000:]}')
        refused = refused or 'does not fit the chip' in r.stderr
        results.append(records(out) if os.path.exists(out) else {})
    return results + [refused]


def keep_program(args, directory, name):
    if not args.keep:
        return
    os.makedirs(args.keep, exist_ok=True)
    for suffix in ('vert', 'frag'):
        shutil.copy(os.path.join(directory, f'{name}.{suffix}'), args.keep)


def pixel_bounds(args, directory, names):
    """{name: (exact colours, bounds in steps of 1/255)} of the pixels that are drawn with a program, None: not interpreted."""
    out = os.path.join(directory, 'bounds.out')
    bounds = {}
    for i in range(0, len(names), 100):
        subprocess.run([os.path.join(args.build, 'tests/differential/tegra20-bounds'), directory, out] + names[i:i + 100],
                       check=True)
        for name, (_, data) in records(out, 2 * PIXELS).items():
            bounds[name] = data and (data[:PIXELS], data[PIXELS:])
    return bounds


def compare_pixels(pixels, reference, exact, bounds):
    """None, or what is wrong.  Each channel of each pixel has a bound of its own, and where there is one it holds."""
    decided = [i for i in range(PIXELS) if bounds[i] != UNDECIDED]
    strange = sum(abs(reference[i] - exact[i]) > bounds[i] + ROUNDINGS for i in decided)
    if strange:
        return f'the interpreter does not agree with softpipe in {strange} of {len(decided)} values'
    above = [i for i in decided if abs(pixels[i] - reference[i]) > bounds[i] + ROUNDINGS]
    if not above:
        return None
    most = max(above, key=lambda i: abs(pixels[i] - reference[i]) - bounds[i])
    return (f'{len(above)} of {len(decided)} values differ by more than their bound, that of channel {most % 4} at '
            f'{most // 4 % 64}, {most // 256} by {abs(pixels[most] - reference[most])}, bound {bounds[most]}')


def decides_nothing(reference):
    """A test of piglit draws red for any wrong result: when it is right that it does, a wrong result looks the same."""
    return reference == bytes((255, 0, 0, 255)) * (PIXELS // 4)


def run_piglit(args, counts, reasons):
    directory = tempfile.mkdtemp(prefix='tegra20-differential-')
    found = dict(part.of(sorted(piglit_programs.extract(directory, args.count).items()), args.part))
    bounds = pixel_bounds(args, directory, sorted(found))
    for is_es in (False, True):
        names = [name for name in sorted(found) if found[name][1] == is_es and bounds.get(name)]
        for i in range(0, len(names), 150):
            *results, _ = both_renderings(args, directory, names[i:i + 150], counts, f'piglit programs from {i}', gl=not is_es)
            for name in names[i:i + 150]:
                label, (_, reference) = os.path.basename(found[name][0]), results[1].get(name, ('', None))
                if reference and decides_nothing(reference):
                    reasons['not counted: red, as the test draws whatever is wrong'] += 1
                    print(f'RED: {label}')
                else:
                    judge(args, counts, reasons, directory, name, label, results, bounds)
    for name in sorted(found):
        if not bounds.get(name):
            skip_or_fail(args, counts, reasons, os.path.basename(found[name][0]),
                         'not interpreted: does not link with this vertex stage, or an operation without a bound')
    finish(args, directory, {name: os.path.basename(path) for name, (path, _) in found.items()})


def finish(args, directory, names):
    """names: {file: what skip_or_fail() called it}"""
    for name, label in names.items():
        path = os.path.join(directory, f'{name}.{"vert" if "vertex" in args.stage else "frag"}')
        if args.features and os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                args.programs.append((file.read(), label not in args.not_compared))
    shutil.rmtree(directory)


def agrees_with_llvmpipe(args, directory, name, pixels, bound, gl):
    out = os.path.join(directory, 'llvmpipe.out')
    render(args.build, directory, [name], out, 'llvmpipe', gl)
    reference = records(out).get(name, ('', None))[1] if os.path.exists(out) else None
    return reference is not None and worst(pixels, reference) <= bound


def compare(args, directory, bounds, counts, reasons, what, gl=False):
    """Programs with a bound that no pixel may exceed."""
    names = sorted(bounds)
    ours, theirs, refused = both_renderings(args, directory, names, counts, what, gl)
    for name in names:
        status, pixels = ours.get(name, ('no result', None))
        reference = theirs.get(name, ('no result', None))[1]
        if pixels is None:
            skip_or_fail(args, counts, reasons, name, f'is refused: {status}')
        elif reference and worst(pixels, reference) <= bounds[name]:
            counts['passed'] += 1
        elif not any(pixels) and refused:
            skip_or_fail(args, counts, reasons, name, 'does not fit with the uniforms of the draw')
        elif agrees_with_llvmpipe(args, directory, name, pixels, bounds[name], gl):
            counts['passed'] += 1
            reasons['agree with llvmpipe where softpipe does not'] += 1
        else:
            counts['failed'] += 1
            difference = worst(pixels, reference) if reference else 'no reference'
            print(f'{name}: differs by {difference}/255, bound {bounds[name]:.1f}')
            keep_program(args, directory, name)


def run_seed(args, seed, counts, reasons):
    directory = tempfile.mkdtemp(prefix='tegra20-differential-')
    bounds = dict(part.of(sorted(generate.write_structured(args.stage, seed, args.count, directory).items()), args.part))
    compare(args, directory, bounds, counts, reasons, f'seed {seed}')
    finish(args, directory, {name: name for name in bounds})


def expected_skips(path):
    """Names, or None for "any"."""
    if path == 'any':
        return None
    with open(path, encoding='utf-8') as file:
        return {line.split('#')[0].strip() for line in file if line.split('#')[0].strip()}


def wrong_heavy(name, pixels, reference, bounds):
    """None, or what is wrong, or '' when nothing can be said."""
    if name.startswith('vertex'):
        above = sum(abs(x - y) > piglit_vertex.BOUND for x, y in zip(pixels, reference))
        return f'{above} of {PIXELS} values differ' if above > MOST_VERTEX_OUTLIERS * PIXELS else None
    if not bounds.get(name) or bounds[name][1].count(UNDECIDED) > (1 - LEAST_DECIDED) * PIXELS:
        return ''
    return compare_pixels(pixels, reference, *bounds[name])


def judge(args, counts, reasons, directory, name, label, results, bounds):
    """Counts a program by the bounds of its pixels; label: the name that the list of skips has."""
    (status, pixels), (_, reference) = (records_of.get(name, ('no result', None)) for records_of in results)
    if pixels is None and reference is not None:
        skip_or_fail(args, counts, reasons, label, f'is refused: {status}')
        return
    if pixels is None or reference is None:
        wrong = f'{status}, {"no " if reference is None else ""}reference'
    else:
        wrong = wrong_heavy(name, pixels, reference, bounds)
    if wrong == '':
        skip_or_fail(args, counts, reasons, label, 'drawn, but not compared: too near to discontinuities')
        return
    counts['failed' if wrong else 'passed'] += 1
    if wrong:
        print(f'{label}: {wrong}')
        keep_program(args, directory, name)


def run_heavy(args, seed, counts, reasons):
    directory = tempfile.mkdtemp(prefix='tegra20-differential-')
    names = part.of(generate.write_heavy(args.stage, seed, args.count, directory), args.part)
    bounds = pixel_bounds(args, directory, names) if args.stage.startswith('fragment') else {}
    for i in range(0, len(names), 100):
        *results, _ = both_renderings(args, directory, names[i:i + 100], counts, f'programs from {i}')
        for name in names[i:i + 100]:
            judge(args, counts, reasons, directory, name, name, results, bounds)
    finish(args, directory, {name: name for name in names})


def run_piglit_vertex(args, counts, reasons):
    directory = tempfile.mkdtemp(prefix='tegra20-differential-')
    found = dict(part.of(sorted(piglit_vertex.extract(directory, args.count).items()), args.part))
    for is_es in (False, True):
        names = [name for name in sorted(found) if found[name][1] == is_es]
        for i in range(0, len(names), 100):
            compare(args, directory, {name: piglit_vertex.BOUND for name in names[i:i + 100]}, counts, reasons,
                    f'piglit vertex programs from {i}', gl=not is_es)
    for name in os.listdir(args.keep) if args.keep and os.path.exists(args.keep) else []:
        if name.endswith('.vert') and name[:-5] in found:
            print(f'{name[:-5]} is {found[name[:-5]][0]}')
    finish(args, directory, {name: name for name in found})


def main():
    parser = argparse.ArgumentParser(description='Differential test of generated programs.')
    parser.add_argument('--build', required=True)
    parser.add_argument('--stage', choices=generate.STAGES + ['piglit', 'piglit-vertex'], required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=part.at_least_one, help='programs: of a seed (default 100), or of piglit (default all)')
    parser.add_argument('--seeds', type=part.at_least_one, default=1, help='that many seeds, from --seed on')
    parser.add_argument('--seconds', type=float, default=0)
    part.add_option(parser)
    parser.add_argument('--skips', default=os.path.join(HERE, '../../ci/differential-skips.txt'),
                        help='list of programs that may be refused or not be compared, or "any"')
    parser.add_argument('--features', action='store_true', help='table of features of the programs that are compared or not')
    parser.add_argument('--keep')
    parser.add_argument('--results', metavar='FILE')
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    args.skips = expected_skips(args.skips)
    args.not_compared, args.programs = set(), []
    with measured.kept(args.results):
        return run(args)


def run(args):
    counts, reasons = collections.Counter(), collections.Counter()
    end = time.monotonic() + args.seconds
    seed = args.seed
    if args.stage == 'piglit':
        run_piglit(args, counts, reasons)
    elif args.stage == 'piglit-vertex':
        run_piglit_vertex(args, counts, reasons)
    else:
        args.count = args.count or 100
    while not args.stage.startswith('piglit'):
        (run_heavy if args.stage.endswith(('-heavy', '-large')) else run_seed)(args, seed, counts, reasons)
        seed += 1
        if seed >= args.seed + args.seeds and time.monotonic() >= end:
            break
    if args.features:
        features.print_table(args.programs)
    for reason, n in reasons.most_common(20):
        print(f'{n} x {reason}')
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
