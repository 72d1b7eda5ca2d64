#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The tests of the driver on the other chips, in strict mode.

  run.py --build BUILD [--chip CHIP ...] [--every N] [--whole] [--results FILE] [PART ...]

Parts: demo (the bytes of Tegra20's picture), streams (each chip's recording on each other chip is named by strict mode),
es2 (families of the OpenGL ES 2.0 grid), piglit (every Nth test of ci/piglit-quick.txt), differential (generated programs
against softpipe) and faults (ioctls of the demo fail in turn).  --whole takes all of each, which is hours of CPU; --every
is N, 120 by default.  --results writes the counts of each part into FILE.  What the lists of ci/ expect to fail on Tegra20
may pass on a chip with more room.

The last line is "N passed, N failed, N skipped".
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHIPS = {'tegra20': 'Tegra 2 (tegra20)', 'tegra30': 'Tegra 3 (tegra30)', 'tegra114': 'Tegra 4 (tegra114)'}
PARTS = ['demo', 'streams', 'es2', 'piglit', 'differential', 'faults']
FAMILIES = ['texture_sizes', 'structs', 'culling', 'depth_range', 'depth_stencil', 'fbo_textures']
# What a stream of the first chip draws from strict mode on the second (docs/simulator.md).
NAMED = {
    ('tegra20', 'tegra30'): 208, ('tegra20', 'tegra114'): 526, ('tegra30', 'tegra20'): 202,
    ('tegra30', 'tegra114'): 526, ('tegra114', 'tegra20'): 526, ('tegra114', 'tegra30'): 526,
}


class Tests:
    def __init__(self, args, directory):
        self.args, self.directory = args, directory
        self.counts = {}  # (part, chip): [passed, failed, skipped]
        self.build = os.path.abspath(args.build)

    def run(self, command, chip=None):
        env = {**os.environ, **({'TEGRA20_SHIM_CHIP': chip} if chip else {})}
        p = subprocess.run(command, capture_output=True, text=True, errors='replace', cwd=TOP, env=env)
        return p.returncode, p.stdout, p.stderr

    def add(self, part, chip, passed=0, failed=0, skipped=0):
        counts = self.counts.setdefault((part, chip), [0, 0, 0])
        for i, n in enumerate((passed, failed, skipped)):
            counts[i] += n

    def check(self, part, chip, ok, what):
        self.add(part, chip, *((1, 0) if ok else (0, 1)))
        if not ok:
            print(f'FAIL: {part}, {chip}: {what}')

    def take(self, part, chip, result, expected=frozenset()):
        """Counts of another program.  Failures whose line is in expected are known; FIXED entries are none."""
        status, out, err = result
        total = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
        if not total:
            self.check(part, chip, False, out[-2000:] + err[-2000:])
            return
        passed, failed, skipped = (int(n) for n in total.groups())
        lines = [line for line in out.split('\n') if re.match(r'(FAIL|FIXED|[A-Z]+): ', line)]
        fixed = [line for line in lines if line.startswith('FIXED: ')] if chip == 'tegra114' else []
        known = [line for line in lines if line.startswith('FAIL: ') and line[6:].split(': ')[0] in expected]
        bad = failed - len(fixed) - len(known)
        if bad:
            print('\n'.join(f'{part}, {chip}: {line}' for line in lines if line not in fixed + known))
        self.add(part, chip, passed + len(fixed), bad, skipped + len(known))

    # --- parts ---

    def demo_command(self, picture, *more):
        return [os.path.join(self.build, 'tests/demo/tegra20-demo'), *more, '--out', picture]

    def draw_demo(self, chip, options=(), size=()):
        picture = os.path.join(self.directory, f'{chip}.png')
        command = [os.path.join(self.build, 'tegra20-run'), '--strict', '--chip', chip, *options, '--']
        # a draft that is exchanged in between may differ in the last bit
        best = ['env', 'TEGRA20_DEBUG=best']
        status, out, err = self.run(command + best + self.demo_command(picture, *size))
        digest = hashlib.sha256(open(picture, 'rb').read()).hexdigest() if os.path.exists(picture) else None
        return status, out, err, digest

    def demo(self, chip):
        reference = self.draw_demo('tegra20')[3]
        status, out, err, digest = self.draw_demo(chip)
        self.check('demo', chip, status == 0 and 'strict: 0 diagnostics' in err, out + err)
        self.check('demo', chip, f'renderer: {CHIPS[chip]}' in out, out)
        self.check('demo', chip, digest and digest == reference, 'the picture is not that of Tegra20')

    def streams(self, chip):
        """What was recorded on each chip, executed on this one."""
        for maker in CHIPS:
            path = os.path.join(self.directory, f'{maker}.rec')
            if not os.path.exists(path):
                self.draw_demo(maker, ['--record', path], ['--size', '160x120', '--frames', '2'])
            status, out, err = self.run([os.path.join(self.build, 'tegra20-replay'), '--strict', '--chip', chip, path])
            if maker == chip:
                ok = status == 0 and ', 0 diagnostics' in err
                # without being told, the recording says what it is of
                again = self.run([os.path.join(self.build, 'tegra20-replay'), '--strict', path])
                ok = ok and again[0] == 0 and f'tegra20-replay: {chip}, ' in again[2]
            else:
                ok = status in (1, 3) and f'[{NAMED[maker, chip]}]' in err
            self.check('streams', chip, ok, f'recorded on {maker}: status {status}\n{err[-1500:]}')

    def es2(self, chip):
        families = [] if self.args.whole else FAMILIES
        expected = {line.split('#')[0].strip() for line in open(os.path.join(TOP, 'ci/es2-fails.txt'), encoding='utf-8')}
        self.take('es2', chip, self.run(['tests/gl/es2/run.py', '--build', self.args.build, '--references',
                                         'ci/es2-references.txt', *families], chip), expected)

    def piglit(self, chip):
        every = 1 if self.args.whole else self.args.every
        self.take('piglit', chip, self.run(['ci/piglit', '--list', 'ci/piglit-quick.txt', '--every', str(every), '--from',
                                            str(every // 2), '--results', os.path.join(self.directory, 'piglit')], chip))

    def differential(self, chip):
        whole = self.args.whole
        for stage, extent in (('vertex-structured', ['--count', '100' if whole else '8']),
                              ('fragment-structured', ['--count', '50' if whole else '4']),
                              ('vertex-heavy', ['--count', '200' if whole else '4']),
                              ('fragment-heavy', ['--count', '400' if whole else '8'])):
            self.take('differential', chip, self.run(['tests/differential/run.py', '--build', self.args.build, '--stage',
                                                      stage, *extent], chip))

    def faults(self, chip):
        step = [] if self.args.whole else ['--step', '40']
        demo = self.demo_command('PICTURE', '--size', '64x48', '--frames', '1')
        self.take('faults', chip, self.run(['tests/faults/walk.py', '--run', os.path.join(self.build, 'tegra20-run'), *step,
                                            f'--options=--strict --chip {chip}', '--', *demo]))


def no_engine(tests):
    """Tegra124 has another driver: ours says nothing.  The plug-in has only softpipe, and says so."""
    status, out, err, _ = tests.draw_demo('tegra124', size=['--size', '16x16', '--frames', '1'])
    said = re.findall('^tegra20: (.*)', err, re.M)
    tests.check('demo', 'tegra124', 'renderer: softpipe' in out and said == ['not the chip, but softpipe draws in tegra20-demo'],
                f'status {status}\n{out}{err}')


def main():
    parser = argparse.ArgumentParser(description='The tests of the driver on the other chips.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--chip', action='append', choices=CHIPS, help='default: tegra30 and tegra114')
    parser.add_argument('--every', type=int, default=120, help='of piglit every Nth test (default 120)')
    parser.add_argument('--whole', action='store_true')
    parser.add_argument('--results', metavar='FILE')
    parser.add_argument('parts', nargs='*', metavar='PART')
    args = parser.parse_args()
    unknown = set(args.parts) - set(PARTS)
    if unknown:
        parser.error(f'there is no part {" ".join(sorted(unknown))}: {" ".join(PARTS)}')
    with tempfile.TemporaryDirectory(prefix='tegra20-chips-') as directory:
        tests = Tests(args, directory)
        for part in args.parts or PARTS:
            for chip in args.chip or ['tegra30', 'tegra114']:
                getattr(tests, part)(chip)
        if not args.parts or 'demo' in args.parts:
            no_engine(tests)
    lines = [f'{part:13} {chip:9} {p:6} passed {f:4} failed {s:5} skipped' for (part, chip), (p, f, s) in tests.counts.items()]
    print('\n'.join(lines))
    if args.results:
        extent = 'all of each part' if args.whole else f'families {" ".join(FAMILIES)}; every {args.every}th test of piglit'
        with open(args.results, 'w', encoding='utf-8') as file:
            file.write(f'# tests/chips/run.py: {extent}\n' + '\n'.join(lines) + '\n')
    passed, failed, skipped = (sum(counts[i] for counts in tests.counts.values()) for i in range(3))
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
