#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""tegra20-hwtest names the assumption that the simulated chip breaks.

  tests/hwtest/flip.py [--build DIR] [--part K/N] [A57=16 ...]

For each switch of the simulator (or those named) runs the experiments on a chip whose switch has another value: the
report must come to the conclusion that it is this one.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

import calibrate  # noqa: E402, tests/hwtest/calibrate.py
import part  # noqa: E402, tests/common/part.py


def run(build, switch, path):
    command = [os.path.join(build, 'tegra20-run')] + (['--switch', switch] if switch else []) + \
        ['--', os.path.join(build, 'tegra20-hwtest'), '--risky', '--timeout', '60', '--no-vectors', '--json', path]
    return subprocess.run(command, capture_output=True, text=True, cwd=TOP, timeout=600)


def unlisted_rows(build):
    """Rows of the document that are neither an experiment nor named as undecidable."""
    text = subprocess.run([os.path.join(build, 'tegra20-hwtest'), '--list'], capture_output=True, text=True, cwd=TOP).stdout
    listed = {line.split()[0] for line in text.split('\n') if line.startswith('A')}
    document = pathlib.Path(TOP, 'docs/hardware-assumptions.md').read_text(encoding='utf-8')
    return sorted(set(re.findall(r'^\| (A\d+) ', document, re.M)) - listed)


def check(build, ident, value):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'report.json')
        p = run(build, f'{ident}={value}', path)
        if not os.path.exists(path):
            return f'no report: {p.stdout[-300:]}{p.stderr[-300:]}'
        report = json.loads(pathlib.Path(path).read_text(encoding='utf-8'))
    if p.returncode != 1:
        return f'status {p.returncode}: the experiments do not see it\n{p.stderr[-300:]}'
    found = [(c['id'], c['chip']) for c in report.get('any of', [])]
    if found != [(ident, value)]:
        return f'concluded {found or report}'
    if f'{ident}: assumed' not in p.stdout:
        return 'not in the text'
    return None


def main():
    parser = argparse.ArgumentParser(description='Flip assumptions of the simulated chip; the report must name them.')
    parser.add_argument('--build', default='build')
    part.add_option(parser)
    parser.add_argument('switches', nargs='*')
    args = parser.parse_args()
    alternatives = [(row['id'], value) for row in calibrate.visible_rows() for value in row['values'][1:]]
    wanted = part.of([tuple(s.split('=', 1)) for s in args.switches] or alternatives, args.part)
    results = [('rows without an experiment or a reason', ' '.join(unlisted_rows(args.build)))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = pool.map(lambda w: check(args.build, *w), wanted)
        results += [(f'{ident}={value}', error) for (ident, value), error in zip(wanted, errors)]
    failed = [f'FAIL: {name}: {error}\n' for name, error in results if error]
    print(''.join(failed) + f'{len(results) - len(failed)} passed, {len(failed)} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
