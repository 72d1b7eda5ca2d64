#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Would the ES 2 grid notice?  perturb.py [--build BUILD] [--part K/N] [FAMILY ...]

Judges every reference picture with a mistake (shifted by a pixel in four directions, nothing drawn, 10 % darker, red and
blue exchanged, all in one colour; where that is more than is tolerated: one column, the next smaller level of a texture,
a quarter from elsewhere as of another face) as if the driver had drawn it. Every case has to reject it. Pictures that the
mistake leaves as they are, but for the last bit, are counted: nothing could be seen there. All on softpipe: what is
tested is the oracle. A line per mistake; the last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../common'))

import part  # noqa: E402, tests/common/part.py


def main():
    parser = argparse.ArgumentParser(description='Would the ES 2 grid notice?')
    parser.add_argument('--build', default='build')
    part.add_option(parser)
    parser.add_argument('families', nargs='*', metavar='FAMILY')
    args = parser.parse_args()
    program = [os.path.join(args.build, 'tests/gl/es2/tegra20-es2')]
    env = dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='softpipe', MESA_SHADER_CACHE_DISABLE='1')
    names = subprocess.run(program + ['--list'] + args.families, capture_output=True, text=True).stdout.split('\n')[:-1]
    with tempfile.NamedTemporaryFile('w', encoding='utf-8') as file:
        file.writelines(name + '\n' for name in part.of(names, args.part))
        file.flush()
        chosen = [] if args.part == part.WHOLE else ['--names', file.name]
        result = subprocess.run(program + ['--disturb'] + chosen + args.families, env=env, capture_output=True, text=True,
                                errors='replace', check=False)
    judged = re.findall(r'^([\w-]+): (\d+) rejected, (\d+) accepted, (\d+) show no difference$', result.stdout, re.M)
    total = [sum(int(line[i]) for line in judged) for i in (1, 2, 3)]
    for line in result.stdout.split('\n'):
        if re.search(' accepts the picture | show no difference', line):
            print(line)
    if len(judged) != 11:
        print(f'FAIL: the run ended early\n{result.stderr[-1000:]}')
        total[1] += 1
    print(f'{total[0]} passed, {total[1]} failed, {total[2]} skipped')
    return 1 if total[1] or not total[0] else 0


if __name__ == '__main__':
    sys.exit(main())
