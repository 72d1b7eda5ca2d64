#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Tests under a real kernel: tests/vm/run.py [--build BUILD] [--kernel VERSION] [PART...]

Boots tegra20-vm for each part and looks at what comes back: pictures, statuses, the kernel's log.  The last line is
"N passed, N failed, N skipped".
"""

import argparse
import filecmp
import os
import re
import subprocess
import sys
import tempfile

# Lines of a log that a healthy kernel prints although they are warnings.
HARMLESS = re.compile(r'epollctl add err|does not have kernel memory protection|panel-simple panel: |Expected bpc')


class Tests:
    def __init__(self, args, directory):
        self.build = os.path.abspath(args.build)
        self.kernel = args.kernel
        self.directory = directory
        self.passed = self.failed = self.skipped = 0

    def check(self, name, ok, detail=''):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f'FAIL: {name}' + (f'\n{detail[-3000:].rstrip()}' if detail else ''), flush=True)

    def vm(self, command, options=(), timeout=120):
        """Returns (status, output, errors, log of the kernel)."""
        log = f'{self.directory}/dmesg'
        p = subprocess.run([f'{self.build}/tegra20-vm', '--kernel', self.kernel, '--timeout', str(timeout), '--dmesg', log,
                            *options, '--', *command], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors='replace')
        text = open(log, encoding='utf-8', errors='replace').read() if os.path.exists(log) else ''
        return p.returncode, p.stdout, p.stderr, text

    def check_log(self, name, log, allowed='$^'):
        """No warning, unless it is one of those that the test is about."""
        bad = [line for line in log.split('\n')
               if re.match(r'<[0-4]>', line) and not HARMLESS.search(line) and not re.search(allowed, line)]
        self.check(f'{name}: log without warning', not bad, '\n'.join(bad[:20]))


def part_boot(t):
    """Status, output and errors of a command; the calling user; files that are written."""
    status, out, err, log = t.vm(['sh', '-c', 'id -u; echo error >&2; echo text >written; exit 7'])
    t.check('status', status == 7, err)
    t.check('output', out.strip() == str(os.getuid() or 65534), out)
    t.check('errors', 'error' in err, err)
    t.check('file', open(f'{t.directory}/written', encoding='utf-8').read() == 'text\n')
    t.check('kernel', f'Linux version {t.kernel.partition("-")[0]}.' in log, log[:300])
    t.check_log('boot', log)


def part_demo(t):
    """The demo, bit by bit as on the simulated kernel."""
    demo = [f'{t.build}/tests/demo/tegra20-demo', '--frames', '3', '--out']
    subprocess.run([f'{t.build}/tegra20-run', '--'] + demo + ['shim.png'], cwd=t.directory, check=True, capture_output=True)
    status, out, err, log = t.vm(demo + ['vm.png'], ['--strict'])
    t.check('demo', status == 0 and 'Tegra 2 (tegra20)' in out and 'strict: 0 diagnostics' in err, out + err)
    t.check('picture', filecmp.cmp(f'{t.directory}/shim.png', f'{t.directory}/vm.png', shallow=False))
    t.check_log('demo', log)


PARTS = {name[5:]: f for name, f in list(globals().items()) if name.startswith('part_')}


def main():
    parser = argparse.ArgumentParser(description='Tests under a real kernel.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--kernel', default='6.12')
    parser.add_argument('parts', nargs='*', metavar='PART', help='of: ' + ', '.join(PARTS))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='tegra20-vm-test-') as directory:
        t = Tests(args, directory)
        for name in args.parts or PARTS:
            PARTS[name](t)
    print(f'{t.passed} passed, {t.failed} failed, {t.skipped} skipped')
    return 1 if t.failed else 0


if __name__ == '__main__':
    sys.exit(main())
