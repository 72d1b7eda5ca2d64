#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""CPU-side cost next to other drivers of the class, in one run on one machine.

  peers.py --build BUILD draw [--rounds N]
  peers.py --build BUILD compile [--rounds N] FILE...
  peers.py --build BUILD instructions [--driver DRIVER] [ROW...]

BUILD is a release build with the peers: meson setup BUILD -Dpeers=true -Dbuildtype=release.  Ours runs with
"tegra20-run --noop", etnaviv and lima under Mesa's noop shims, all from the same Mesa tree; the drivers take turns and
medians over the rounds are compared.

"instructions" counts what a draw costs, with Callgrind: the difference between 6,600 and 2,200 draws.  It depends on nothing
else that the machine does, and does not need the peers unless --driver names one.  docs/results/draws.txt holds what "draw"
and "instructions" printed last.
"""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys

DRIVERS = ['tegra20', 'etnaviv', 'lima']


def command_for(build, driver, program):
    """(command, environment) that run a program on a driver whose kernel does nothing."""
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true', mesa_glthread='false')
    if driver == 'tegra20':
        program = [os.path.join(build, 'tegra20-run'), '--noop', '--'] + program
    else:
        shim = {'etnaviv': 'subprojects/mesa/src/etnaviv/drm-shim/libetnaviv_noop_drm_shim.so',
                'lima': 'subprojects/mesa/src/gallium/drivers/lima/drm-shim/liblima_noop_drm_shim.so'}[driver]
        preload = [os.path.join(build, 'tests/perf/libperf_etnaviv_one_core.so'), os.path.join(build, shim)]
        env.update(LD_PRELOAD=':'.join(preload), LD_LIBRARY_PATH=os.path.join(build, 'lib'),
                   MESA_LOADER_DRIVER_OVERRIDE=driver)
    return program, env


def run(build, driver, program):
    program, env = command_for(build, driver, program)
    p = subprocess.run(program, env=env, capture_output=True, text=True, errors='replace')
    if p.returncode:
        sys.stderr.write(f'{driver}: status {p.returncode}\n{p.stderr[-1000:]}\n')
    return dict(line.rsplit(' ', 1) for line in p.stdout.splitlines() if ' ' in line)


def medians(build, program, rounds, drivers):
    """{driver: {row: median}}; rows that failed on a driver are missing there."""
    samples = {d: {} for d in drivers}
    for _ in range(rounds):
        for driver in drivers:
            for row, value in run(build, driver, program).items():
                if value != 'failed':
                    samples[driver].setdefault(row, []).append(float(value))
    return {d: {row: statistics.median(v) for row, v in rows.items()} for d, rows in samples.items()}


def geomean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float('nan')


def draw(args):
    result = medians(args.build, [os.path.join(args.build, 'tests/perf/perf-draw')], args.rounds, ['tegra20', 'etnaviv'])
    ours, peer = result['tegra20'], result['etnaviv']
    print(f'{"state change":16} {"tegra20":>12} {"etnaviv":>12}  ratio   (draws per second of CPU time)')
    ratios = []
    for row in ours:
        if row in peer:
            ratios.append(ours[row] / peer[row])
            print(f'{row:16} {ours[row]:12.0f} {peer[row]:12.0f}  {ratios[-1]:5.2f}')
    print(f'geometric mean {geomean(ratios):.2f}, least {min(ratios, default=0):.2f}, {len(ratios)} rows, '
          f'medians of {args.rounds}')


def compile_programs(args):
    program = [os.path.join(args.build, 'tests/perf/perf-compile')] + args.files
    result = medians(args.build, program, args.rounds, DRIVERS)
    common = sorted(set(result['tegra20']) & (set(result['etnaviv']) | set(result['lima'])))
    for driver in DRIVERS:
        times = [result[driver][f] for f in common if f in result[driver]]
        print(f'{driver:8} {len(times):5} programs, median {statistics.median(times):.3f} ms, '
              f'longest {max(times):.2f} ms' if times else f'{driver:8} no program')
    ratios = [result['tegra20'][f] / max(result[d][f] for d in ('etnaviv', 'lima') if f in result[d]) for f in common]
    if ratios:
        print(f'ratio to the slower peer: median {statistics.median(ratios):.2f} over {len(ratios)} programs, '
              f'medians of {args.rounds}')


def instructions(args):
    program = os.path.join(args.build, 'tests/perf/perf-draw')

    def count(draws, row):
        command, env = command_for(args.build, args.driver, ['valgrind', '--tool=callgrind',
                                                             '--callgrind-out-file=/dev/null', program, str(draws), row])
        p = subprocess.run(command, env=env, capture_output=True, text=True, errors='replace')
        total = re.search(r'Collected : (\d+)', p.stderr)
        if p.returncode or not total:
            sys.exit(f'{row}: status {p.returncode}\n{p.stderr[-1000:]}')
        return int(total[1])

    print(f'instructions of a draw, {args.driver}')
    for row in args.files or run(args.build, args.driver, [program, '100']):
        print(f'{row:16} {(count(6000, row) - count(2000, row)) / 4400:8.0f}', flush=True)


def main():
    parser = argparse.ArgumentParser(description='Compare CPU-side cost with etnaviv and lima.')
    parser.add_argument('--build', required=True)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--driver', choices=DRIVERS, default='tegra20', help='whose instructions are counted')
    parser.add_argument('what', choices=['draw', 'compile', 'instructions'])
    parser.add_argument('files', nargs='*')
    args = parser.parse_intermixed_args()
    args.build = os.path.abspath(args.build)
    if args.what == 'draw':
        draw(args)
    elif args.what == 'instructions':
        instructions(args)
    elif not args.files:
        parser.error('compile needs files')
    else:
        compile_programs(args)


if __name__ == '__main__':
    main()
