#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""no_device.py SHIM LIBRARY_DIR REPORT: a device that cannot be used is said once, by cause, and that softpipe draws."""

import os
import re
import shlex
import subprocess
import sys

# An emulator, in cross builds.
WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))

# What fails, who says it (the driver, or Mesa before it loads the driver), what must be said.
CASES = (
    ('OPEN:1+:EACCES', 'libEGL', r'failed to open /dev/dri/renderD128: Permission denied'),
    ('VERSION:1+:ENODEV', 'libEGL', r'failed to get driver name'),
    ('CHANNEL_OPEN:1+:EACCES', 'tegra20', r'be a member of its group \(usually "render"'),
    ('CHANNEL_SUBMIT:1+:EACCES', 'tegra20', r'cannot power up GR3D.* use Linux 6\.1, or 6\.12\.97 or later'),
    ('CHANNEL_OPEN:1+:EINVAL', 'tegra20', r'build a kernel with CONFIG_STAGING=y and CONFIG_DRM_TEGRA_STAGING=y'),
    ('CHANNEL_OPEN:1+:ENOTTY', 'tegra20', r'build a kernel with CONFIG_STAGING=y and CONFIG_DRM_TEGRA_STAGING=y'),
    ('CHANNEL_OPEN:1+:EBUSY', 'tegra20', r'close other programs that use the GPU'),
    ('CHANNEL_OPEN:1+:EBADF', 'tegra20', r'cannot open a GR3D channel: Bad file descriptor'),
)


def main():
    shim, libraries, program = sys.argv[1:]
    failed = 0
    for fault, speaker, message in CASES:
        env = {**os.environ, 'LD_PRELOAD': shim, 'LD_LIBRARY_PATH': libraries, 'TEGRA20_SHIM_FAIL': fault}
        p = subprocess.run([*WRAPPER, program, 'gl'], env=env, capture_output=True, text=True)
        renderer = re.search('renderer: (.*)', p.stdout)
        said = [line for line in p.stderr.splitlines() if line.startswith(speaker) and re.search(message, line)]
        ours = [line for line in p.stderr.splitlines() if line.startswith('tegra20: ')]
        fallback = [line for line in ours if 'not the chip, but softpipe draws' in line]
        good = (p.returncode == 0 and renderer and re.search('softpipe|llvmpipe', renderer.group(1)) and said and
                len(ours) == (speaker == 'tegra20') + 1 and len(fallback) == 1)
        print(f'{"ok" if good else "FAIL"}: {fault}')
        if not good:
            failed += 1
            print(p.stdout[:500], p.stderr)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
