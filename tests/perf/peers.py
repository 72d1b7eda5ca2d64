#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""CPU-side cost next to other drivers of the class, in one run on one machine.

  peers.py --build BUILD draw|frame [--rounds N] [--before BUILD]
  peers.py --build BUILD compile [--rounds N] [--before BUILD] FILE...
  peers.py --build BUILD instructions [--driver DRIVER] [--before BUILD] [ROW...]

BUILD is a release build with the peers: meson setup BUILD -Dpeers=true -Dbuildtype=release.  Ours runs with
"tegra20-run --noop", etnaviv and lima under Mesa's noop shims, all from the same Mesa tree; the drivers take turns and
medians over the rounds are compared.

"draw" changes a piece of state between two draws, "frame" does what frames consist of beside draws: clears, uploads, flushes.

"compile" takes .shader_test files, .frag files, for which a vertex program is made, and directories of them.  Programs that a
driver draws as drafts (src/gallium/drivers/tegra20/tegra20_improve.h) are measured as such: each is drawn once.

"instructions" counts what a draw costs, with Callgrind: the difference between 6,600 and 2,200 draws.  It depends on nothing
else that the machine does, and does not need the peers unless --driver names one.  --before names the build of an earlier
state of this driver, of the same build type, which runs the same program in the same rounds.  docs/results/draws.txt holds
what "draw" and "instructions" printed last, docs/results/frames.txt and compile.txt what "frame" and "compile" did (--results).
"""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import measured  # noqa: E402
import whole_programs  # noqa: E402

DRIVERS = ['tegra20', 'etnaviv', 'lima', 'r300', 'vc4']
SHIMS = {
    'etnaviv': 'subprojects/mesa/src/etnaviv/drm-shim/libetnaviv_noop_drm_shim.so',
    'lima': 'subprojects/mesa/src/gallium/drivers/lima/drm-shim/liblima_noop_drm_shim.so',
    'r300': 'subprojects/mesa/src/amd/drm-shim/libradeon_noop_drm_shim.so',
    'vc4': 'subprojects/mesa/src/broadcom/drm-shim/libvc4_noop_drm_shim.so',
}
BEFORE = 'before'  # ours, from another build


def command_for(build, driver, program, before=None):
    """(command, environment) that run a program on a driver whose kernel does nothing."""
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true', mesa_glthread='false')
    if driver in ('tegra20', BEFORE):
        program = [os.path.join(before if driver == BEFORE else build, 'tegra20-run'), '--noop', '--'] + program
    else:
        preload = [os.path.join(build, 'tests/perf/libperf_etnaviv_one_core.so'), os.path.join(build, SHIMS[driver])]
        env.update(LD_PRELOAD=':'.join(preload), LD_LIBRARY_PATH=os.path.join(build, 'lib'), MESA_LOADER_DRIVER_OVERRIDE=driver)
    return program, env


def run(build, driver, program, before=None):
    program, env = command_for(build, driver, program, before)
    p = subprocess.run(program, env=env, capture_output=True, text=True, errors='replace')
    if p.returncode:
        sys.stderr.write(f'{driver}: status {p.returncode}\n{p.stderr[-1000:]}\n')
    return dict(line.rsplit(' ', 1) for line in p.stdout.splitlines() if ' ' in line)


def medians(build, program, rounds, drivers, before=None):
    """{driver: {row: median}}; rows that failed on a driver are missing there."""
    samples = {d: {} for d in drivers}
    for turn in range(rounds):
        for driver in drivers[::-1 if turn % 2 else 1]:  # the one that follows another finds other caches
            for row, value in run(build, driver, program, before).items():
                if value != 'failed':
                    samples[driver].setdefault(row, []).append(float(value))
    return {d: {row: statistics.median(v) for row, v in rows.items()} for d, rows in samples.items()}


def geomean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float('nan')


def rates(args):
    others = args.peers + ([BEFORE] if args.before else [])
    result = medians(args.build, [os.path.join(args.build, f'tests/perf/perf-{args.what}')], args.rounds, ['tegra20'] + others,
                     args.before)
    ours = result['tegra20']
    print('draws, or turns, per second of CPU time; ratio: those of tegra20 to those of the column before it')
    print(f'{args.what:16} {"tegra20":>10}' + ''.join(f' {d:>10} ratio' for d in others))
    ratios = {d: {row: ours[row] / result[d][row] for row in ours if row in result[d]} for d in others}
    for row in ours:
        print(f'{row:16} {ours[row]:10.0f}' +
              ''.join(f' {result[d].get(row, 0):10.0f} {ratios[d].get(row, 0):5.2f}' for d in others))
    for d in others:
        print(f'{d}: geometric mean {geomean(ratios[d].values()):.3f}, least {min(ratios[d].values(), default=0):.2f}, '
              f'{len(ratios[d])} rows, medians of {args.rounds}')


def expand(paths, directory):
    """The .shader_test files of files and directories."""
    found = []
    for path in paths:
        inside = [os.path.join(d, f) for d, _, files in os.walk(path) for f in files] if os.path.isdir(path) else [path]
        found += [whole_programs.write_shader_test(f, directory) if f.endswith('.frag') else f
                  for f in sorted(inside) if f.endswith(('.frag', '.shader_test'))]
    return found


def compile_programs(args):
    drivers = ['tegra20', 'etnaviv', 'lima'] + ([BEFORE] if args.before else [])
    with tempfile.TemporaryDirectory() as directory:
        program = [os.path.join(args.build, 'tests/perf/perf-compile')] + expand(args.files, directory)
        result = medians(args.build, program, args.rounds, drivers, args.before)
    common = sorted(set(result['tegra20']) & (set(result['etnaviv']) | set(result['lima'])))
    for driver in drivers:
        times = [result[driver][f] for f in common if f in result[driver]]
        print(f'{driver:8} {len(times):5} programs, median {statistics.median(times):.3f} ms, '
              f'longest {max(times):.2f} ms' if times else f'{driver:8} no program')
    print_ratios('etnaviv', compile_ratios(result, ['etnaviv']), args.rounds)
    if args.before:
        ratios = compile_ratios(result, [BEFORE])
        print(f'geometric mean of now / before {geomean(r for r, _, _ in ratios):.3f} over {len(ratios)} programs')
    print_ratios('the slower peer', compile_ratios(result, ['etnaviv', 'lima']), args.rounds)


def compile_ratios(result, peers):
    """[(ratio to the slowest of the peers, ms, path)], of the programs that one of them compiles; the largest last."""
    return sorted((time / max(result[d][f] for d in peers if f in result[d]), time, f)
                  for f, time in result['tegra20'].items() if any(f in result[d] for d in peers))


def print_ratios(peer, ratios, rounds):
    if ratios:
        print(f'ratio to {peer}: median {statistics.median(r for r, _, _ in ratios):.2f} over {len(ratios)} programs, '
              f'{sum(r > 3 for r, _, _ in ratios)} above 3, medians of {rounds}; the largest:')
    for ratio, time, path in reversed(ratios[-8:]):
        print(f'{ratio:6.2f} {time:8.2f} ms  {os.path.basename(path)}')


def instructions(args):
    program = os.path.join(args.build, 'tests/perf/perf-draw')

    def count(driver, draws, row):
        command, env = command_for(args.build, driver, ['valgrind', '--tool=callgrind',
                                                             '--callgrind-out-file=/dev/null', program, str(draws), row],
                                   args.before)
        p = subprocess.run(command, env=env, capture_output=True, text=True, errors='replace')
        total = re.search(r'Collected : (\d+)', p.stderr)
        if p.returncode or not total:
            sys.exit(f'{row}: status {p.returncode}\n{p.stderr[-1000:]}')
        return int(total[1])

    drivers = [args.driver] + ([BEFORE] if args.before else [])
    print('instructions of a draw: ' + ', '.join(drivers))
    counts = []
    for row in args.files or run(args.build, args.driver, [program, '100']):
        counts.append([(count(driver, 6000, row) - count(driver, 2000, row)) / 4400 for driver in drivers])
        print(f'{row:16}' + ''.join(f' {c:8.0f}' for c in counts[-1]), flush=True)
    if args.before:
        print(f'geometric mean of now / before {geomean([now / old for now, old in counts]):.3f}')


def main():
    parser = argparse.ArgumentParser(description='Compare CPU-side cost with other drivers.')
    parser.add_argument('--build', required=True)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--driver', choices=DRIVERS, default='tegra20', help='whose instructions are counted')
    parser.add_argument('--before', help='build of an earlier state')
    parser.add_argument('--peers', type=lambda names: [n for n in names.split(',') if n], default=['etnaviv'],
                        help='names with commas between them, of: ' + ', '.join(SHIMS))
    parser.add_argument('--results', metavar='FILE', help='keep what is printed')
    parser.add_argument('what', choices=['draw', 'frame', 'compile', 'instructions'])
    parser.add_argument('files', nargs='*')
    args = parser.parse_intermixed_args()
    args.build = os.path.abspath(args.build)
    args.before = os.path.abspath(args.before) if args.before else None
    if args.what == 'compile' and not args.files:
        parser.error('compile needs files')
    with measured.kept(args.results):
        {'draw': rates, 'frame': rates, 'instructions': instructions, 'compile': compile_programs}[args.what](args)


if __name__ == '__main__':
    main()
