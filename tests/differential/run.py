#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compare generated programs on the simulated chip and on softpipe.

  run.py --build BUILD --stage vertex|fragment [--seed S] [--count N] [--seeds K] [--seconds T] [--keep DIR]

Generates programs (generate.py), renders them on both with the same inputs, and demands that no channel of any pixel
differs by more than the program's own error bound.  Where softpipe disagrees, the distribution's llvmpipe decides and
the case is counted and reported: softpipe of Mesa 25.0 loses the swizzle of an abs() of an abs().  Programs that the
compiler refuses are counted by reason; a reason must name a limit of the chip.  With --seconds it goes on with further
seeds until the time is over.  The last line is "N passed, N failed, N skipped"; failing programs are kept in DIR.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PIXELS = 64 * 64 * 4


def render(build, directory, names, out, driver):
    program = [os.path.join(build, 'tests/differential/tegra20-differential'), directory, out] + names
    env = dict(os.environ)
    if driver == 'tegra20':
        program = [os.path.join(build, 'tegra20-run'), '--strict', '--'] + program
    else:
        env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER=driver)
    return subprocess.run(program, env=env, capture_output=True, text=True, errors='replace')


def records(path):
    """{name: (status, pixels or None)}"""
    result = {}
    with open(path, 'rb') as f:
        for line in iter(f.readline, b''):
            name, _, status = line.decode(errors='replace').rstrip('\n').partition(' ')
            result[name] = (status, f.read(PIXELS) if status == 'ok' else None)
    return result


def worst(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def agrees_with_llvmpipe(args, directory, name, pixels, bound):
    out = os.path.join(directory, 'llvmpipe.out')
    render(args.build, directory, [name], out, 'llvmpipe')
    reference = records(out).get(name, ('', None))[1] if os.path.exists(out) else None
    return reference is not None and worst(pixels, reference) <= bound


def run_seed(args, seed, counts, reasons):
    directory = tempfile.mkdtemp(prefix='tegra20-differential-')
    subprocess.run([sys.executable, os.path.join(HERE, 'generate.py'), '--stage', args.stage, '--seed', str(seed),
                    '--count', str(args.count), '--out', directory], check=True)
    bounds = json.load(open(os.path.join(directory, 'bounds.json'), encoding='utf-8'))
    names = sorted(bounds)
    drivers = ['tegra20', 'softpipe']
    outs = [os.path.join(directory, f'{driver}.out') for driver in drivers]
    runs = [render(args.build, directory, names, out, driver) for out, driver in zip(outs, drivers)]
    for r, who in zip(runs, drivers):
        if r.returncode:
            counts['failed'] += 1
            print(f'seed {seed}: the run on the {who} ended with status {r.returncode}\n{r.stderr[-2000:]}')
    ours, theirs = (records(out) if os.path.exists(out) else {} for out in outs)
    for name in names:
        status, pixels = ours.get(name, ('no result', None))
        reference = theirs.get(name, ('no result', None))[1]
        if pixels is None or reference is None:
            kind = 'skipped' if 'limit' in status or 'needs' in status else 'failed'
            counts[kind] += 1
            reasons[status] += 1
            continue
        difference = worst(pixels, reference)
        if difference <= bounds[name]:
            counts['passed'] += 1
            continue
        if agrees_with_llvmpipe(args, directory, name, pixels, bounds[name]):
            counts['passed'] += 1
            reasons['agree with llvmpipe where softpipe does not'] += 1
            continue
        counts['failed'] += 1
        print(f'{name}: differs by {difference}/255, bound {bounds[name]:.1f}')
        if args.keep:
            os.makedirs(args.keep, exist_ok=True)
            for suffix in ('vert', 'frag'):
                shutil.copy(os.path.join(directory, f'{name}.{suffix}'), args.keep)
    shutil.rmtree(directory)


def main():
    parser = argparse.ArgumentParser(description='Differential test of generated programs.')
    parser.add_argument('--build', required=True)
    parser.add_argument('--stage', choices=['vertex', 'fragment'], required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seeds', type=int, default=1, help='that many seeds, from --seed on')
    parser.add_argument('--seconds', type=float, default=0)
    parser.add_argument('--keep')
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    counts, reasons = collections.Counter(), collections.Counter()
    end = time.monotonic() + args.seconds
    seed = args.seed
    while True:
        run_seed(args, seed, counts, reasons)
        seed += 1
        if seed >= args.seed + args.seeds and time.monotonic() >= end:
            break
    for reason, n in reasons.most_common(20):
        print(f'{n} x {reason}')
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
