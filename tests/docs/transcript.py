#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The run on a simulated chip in docs/first-contact.md is what the programs print.

  transcript.py [--build DIR] [--update]

Runs each command of its last indented block, in a directory of its own, and compares what it prints, line by line; --update
writes it into the document.  The picture that the last command draws must be that of the default chip.  The last line is
"N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join(TOP, 'docs/first-contact.md')
SECTION = '## A run on a simulated chip with four surprises'


def split(text):
    """(everything before the block, [[command, output], ...], everything behind it); output is without indentation."""
    start = text.index('    $ ', text.index(SECTION))
    end = re.search(r'\n(?=\S)', text[start:])
    end = start + end.start() if end else len(text)
    parts = re.split(r'^ {4}\$ ', text[start:end].rstrip('\n'), flags=re.M)[1:]
    steps = []
    for part in parts:
        command, _, output = part.partition('\n')
        while command.endswith('\\'):
            more, _, output = output.partition('\n')
            command += '\n' + more
        steps.append([command, '\n'.join(line[4:] for line in output.split('\n'))])
    return text[:start], steps, text[end:]


def run(build, directory, command):
    path = os.pathsep.join([build, os.path.join(build, 'tests/demo'), os.environ['PATH']])
    p = subprocess.run(['bash', '-c', command], cwd=directory, env={**os.environ, 'PATH': path, 'HOME': directory, 'LC_ALL': 'C'},
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    return '\n'.join(line.rstrip() for line in p.stdout.rstrip('\n').split('\n'))


def draws_right(build, directory):
    """Is the picture of the surprising chip, with its profile, that of the default chip?"""
    run(build, directory, 'TEGRA20_HW=default tegra20-run -- tegra20-demo --out usual.png')
    return subprocess.run([os.path.join(build, 'tests/demo/tegra20-compare'), 'usual.png', 'demo.png', '--tolerance', '3',
                           '--percent', '99'], cwd=directory, capture_output=True).returncode == 0


def block(steps):
    lines = [line for command, output in steps for line in [f'    $ {command}'] +
             [f'    {line}' if line else '' for line in output.split('\n')]]
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description='The transcript of docs/first-contact.md.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--update', action='store_true')
    args = parser.parse_args()
    with open(DOCUMENT, encoding='utf-8') as f:
        before, steps, behind = split(f.read())
    failed = 0
    with tempfile.TemporaryDirectory(prefix='tegra20-transcript-') as directory:
        for step in steps:
            output = run(os.path.abspath(args.build), directory, step[0])
            if output != step[1].rstrip('\n') and not args.update:
                failed += 1
                print(f'FAIL: docs/first-contact.md: {step[0]}: prints now\n{output}')
            step[1] = output
        if not draws_right(os.path.abspath(args.build), directory):
            failed += 1
            print('FAIL: docs/first-contact.md: the picture with the profile is not that of the default chip')
    if args.update:
        with open(DOCUMENT, 'w', encoding='utf-8') as f:
            f.write(before + block(steps) + behind)
    print(f'{len(steps) + 1 - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
