#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What takes too long for ci/test, under a real kernel: tests/vm/whole.py [--build BUILD] [--kernel V] [--part I/N] WHAT...

  es2      the whole grid of OpenGL ES 2.0, compared with the simulated kernel (12 minutes of one core)
  piglit   the tests of ci/piglit-quick.txt, against the lists of ci/piglit; the shader tests share processes
  debug    the parts of tests/vm/run.py that are made to break something, on a kernel that checks its locks
           (ci/vm-kernel --variant debug)
  kasan    the same on one with the kernel's AddressSanitizer

--part I/N runs one of N parts of es2 or piglit (from 1), --only NAME one part of debug or kasan.  ci/long keeps the results.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import functools
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

sys.path.insert(0, HERE)
from run import BREAKERS, Tests  # noqa: E402


def es2(args, part, parts):
    grid = f'{os.path.abspath(args.build)}/tests/gl/es2/tegra20-es2'
    listed = subprocess.run([f'{args.build}/tegra20-run', '--', grid, '--list'], capture_output=True, text=True, check=True)
    names = [line for line in listed.stdout.split('\n') if '/' in line]
    wanted = names[part - 1::parts]
    with tempfile.TemporaryDirectory(prefix='tegra20-vm-whole-') as directory:
        args.pictures = None
        t = Tests(args, directory)
        with open(f'{directory}/names', 'w', encoding='utf-8') as f:
            f.write('\n'.join(wanted) + '\n')
        environment = {'MESA_SHADER_CACHE_DISABLE': '1', 'TEGRA20_DEBUG': 'refuse'}
        subprocess.run([f'{os.path.abspath(args.build)}/tegra20-run', '--', grid, '--write', 'reference', '--names', 'names'],
                       cwd=directory, capture_output=True, check=False, env={**os.environ, **environment})
        command = ['env'] + [f'{k}={v}' for k, v in environment.items()]
        _, out, err, log = t.vm(command + [grid, '--compare', 'reference', '--names', 'names'], ['--strict'], timeout=3600)
        counts = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
        print('\n'.join(line for line in out.split('\n') if line.startswith('FAIL')))
        if counts:
            t.passed, t.failed, t.skipped = (int(n) for n in counts.groups())
        t.check('es2: ends', bool(counts), out[-1000:] + err[-1000:])
        t.check('es2: strict', 'strict: 0 diagnostics' in err, err[-2000:])
        t.check_log('es2', log)
        return t.passed, t.failed, t.skipped


def last_counts(command):
    p = subprocess.run(command, cwd=TOP, capture_output=True, text=True, errors='replace')
    print(p.stdout.rpartition('\n')[0][-4000:])
    counts = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', p.stdout)
    return tuple(int(n) for n in counts.groups()) if counts else (0, 1, 0)


def piglit(args, part, parts):
    results = f'{args.build}/piglit-vm-{part}'
    counts = last_counts(['ci/piglit', '--list', 'ci/piglit-quick.txt', '--vm', args.kernel, '--every', str(parts), '--from',
                          str(part - 1), '--results', results])
    args.pictures = None
    t = Tests(args, results)
    for path in sorted(glob.glob(os.path.join(TOP, results, 'boot*/dmesg'))):
        with open(path, encoding='utf-8', errors='replace') as file:
            # streaming-texture-leak takes all memory there is and goes on when some comes back; ppgtt_memory_alignment asks for
            # textures that no machine has
            t.check_log(f'piglit, {path}', file.read(),
                        'drm: failed to allocate buffer of size|__vm_enough_memory: .*comm: ppgtt_memory_al')
    return counts[0] + t.passed, counts[1] + t.failed, counts[2]


def build_variant(args, name):
    subprocess.run(['ci/vm-kernel', '--version', args.kernel, '--variant', name], cwd=TOP, check=True)


def variant(args, name, part):
    return last_counts(['tests/vm/run.py', '--build', args.build, '--kernel', f'{args.kernel}-{name}', part])


def main():
    parser = argparse.ArgumentParser(description='Long tests under a real kernel.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--kernel', default='6.12')
    parser.add_argument('--part', default='1/1', metavar='I/N')
    parser.add_argument('--only', choices=BREAKERS)
    parser.add_argument('what', nargs='+', choices=['es2', 'piglit', 'debug', 'kasan'])
    args = parser.parse_args()
    part, parts = (int(n) for n in args.part.split('/'))
    runs = []
    for what in args.what:
        if what in ('debug', 'kasan'):
            build_variant(args, what)
            runs += [functools.partial(variant, args, what, name) for name in ([args.only] if args.only else BREAKERS)]
        else:
            runs.append(functools.partial(es2 if what == 'es2' else piglit, args, part, parts))
    total = (0, 0, 0)
    for run in runs:
        total = tuple(a + b for a, b in zip(total, run()))
    print(f'{total[0]} passed, {total[1]} failed, {total[2]} skipped')
    return 1 if total[1] else 0


if __name__ == '__main__':
    sys.exit(main())
