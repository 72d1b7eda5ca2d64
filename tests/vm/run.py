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
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

# Lines of a log that a healthy kernel prints although they are warnings.
HARMLESS = re.compile(r'epollctl add err|does not have kernel memory protection|panel-simple panel: |Expected bpc')


def read_png(path):
    """(width, height, rows of RGBA bytes) of a file that the screen was written to."""
    data, pos, packed = open(path, 'rb').read(), 8, b''
    while pos < len(data):
        size, kind = struct.unpack('>I4s', data[pos:pos + 8])
        if kind == b'IHDR':
            width, height = struct.unpack('>II', data[pos + 8:pos + 16])
        elif kind == b'IDAT':
            packed += data[pos + 8:pos + 8 + size]
        pos += 12 + size
    raw, rows, above = zlib.decompress(packed), [], bytearray(4 * width)
    for y in range(height):
        start = y * (4 * width + 1)
        mode, row = raw[start], bytearray(raw[start + 1:start + 1 + 4 * width])
        for i, value in enumerate(row):
            left = row[i - 4] if i >= 4 else 0
            corner = above[i - 4] if i >= 4 else 0
            estimate = left + above[i] - corner
            nearest = min((abs(estimate - left), 0, left), (abs(estimate - above[i]), 1, above[i]),
                          (abs(estimate - corner), 2, corner))[2]
            row[i] = (value + (0, left, above[i], (left + above[i]) // 2, nearest)[mode]) & 255
        rows.append(row)
        above = row
    return width, height, rows


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

    def vm(self, command, options=(), timeout=480):
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


def part_passes(t):
    """Chains of passes and of copies within a texture: more slots than the ring of the channel has."""
    status, out, err, log = t.vm([f'{t.build}/tests/gl/test_passes'], ['--strict'])
    t.check('passes', status == 0 and '0 wrong pixels' in out and 'strict: 0 diagnostics' in err, out + err)
    t.check_log('passes', log)


def part_processes(t):
    """Two processes exchange 300 frames; every pixel of each is right."""
    status, out, err, log = t.vm([f'{t.build}/tests/gl/test_two_processes'], ['--strict'])
    t.check('two processes', status == 0 and 'every pixel right' in out and 'strict: 0 diagnostics' in err, out + err)
    t.check_log('two processes', log)


def part_es2(t):
    """Cases of the OpenGL ES 2 grid: as on the simulated kernel, which the step es2 compares with softpipe."""
    grid = f'{t.build}/tests/gl/es2/tegra20-es2'
    families = ['culling', 'clipping', 'depth_range', 'variables', 'limits']
    cache = {'MESA_SHADER_CACHE_DISABLE': '1'}
    subprocess.run([f'{t.build}/tegra20-run', '--', grid, '--write', 'reference'] + families, cwd=t.directory,
                   capture_output=True, check=False, env={**os.environ, **cache})
    status, out, err, log = t.vm(['env', 'MESA_SHADER_CACHE_DISABLE=1', grid, '--compare', 'reference'] + families,
                                 ['--strict'], timeout=900)
    counts = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
    t.check('grid of OpenGL ES 2', counts and not int(counts.group(2)), out[-2000:] + err)
    if counts:
        t.passed += int(counts.group(1))
    t.check_log('grid of OpenGL ES 2', log)


def part_kms(t):
    """modetest sets a mode: its colour bars are on the simulated screen."""
    if not shutil.which('modetest'):
        print('kms: skipped, modetest is not installed (libdrm-tests)')
        t.skipped += 1
        return
    script = ('sleep 60 | modetest -M tegra -s 46:640x480 & sleep 4; '
              'echo $PWD/screen.png >/sys/kernel/debug/tegra20-screen; pkill sleep; wait')
    status, out, err, log = t.vm(['sh', '-c', script])
    t.check('modetest', 'setting mode 640x480' in out + err, out + err)
    width, height, rows = read_png(f'{t.directory}/screen.png')
    t.check('size of the screen', (width, height) == (640, 480), f'{width} x {height}')
    bars = [(0xc0, 0xc0, 0xc0), (0xc0, 0xc0, 0), (0, 0xc0, 0xc0), (0, 0xc0, 0), (0xc0, 0, 0xc0), (0xc0, 0, 0), (0, 0, 0xc0)]
    for i, colour in enumerate(bars):
        x = (2 * i + 1) * width // 14
        got = tuple(rows[min(height, 480) // 4][4 * x:4 * x + 3])
        t.check(f'bar {i}', got == colour, f'{got}, not {colour}')
    t.check_log('kms', log)


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
