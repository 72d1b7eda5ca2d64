#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What docs/install.md says of a kernel's configuration, held against the sources: arm_config.py VERSION...

Configures the sources that ci/vm-kernel has unpacked for ARM, with tegra_defconfig: every line that the document lists as
needed must be there.  In the device tree both engines must be switched on.  The last line is "N passed, N failed,
N skipped".
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../common'))

import part  # noqa: E402, tests/common/part.py

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.environ.get('TEGRA20_VM_CACHE',
                       os.path.join(os.environ.get('XDG_CACHE_HOME', os.path.expanduser('~/.cache')), 'tegra20-vm'))


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def engines_off(source):
    """Of both engines and the display those that the chip's device tree has not, or not switched on."""
    (tree,) = glob.glob(f'{source}/arch/arm/boot/dts/**/tegra20.dtsi', recursive=True)
    nodes = {engine: re.search(rf'\b{engine}@\w+ {{(.*?)}};', read(tree), re.S) for engine in ('gr2d', 'gr3d', 'dc')}
    return [engine for engine, node in nodes.items() if not node or 'status' in node[1]]


def main():
    with open(f'{TOP}/docs/install.md', encoding='utf-8') as file:
        text = file.read()
    listed = re.findall(r'^ {4}(CONFIG_\w+=\w+)$', text, re.M)
    counts = part.Counts()
    for version in sys.argv[1:]:
        off = engines_off(f'{CACHE}/source-{version}')
        # the display's output is for the board to switch on: what is off is found
        counts.check(f'{version}: switched off in tegra20.dtsi: {off}, not the display alone', off == ['dc'])
        with tempfile.TemporaryDirectory(prefix='tegra20-arm-') as directory:
            # The compiler is only asked for its version.
            p = subprocess.run(['make', '-s', '-C', f'{CACHE}/source-{version}', 'ARCH=arm', 'CC=gcc', f'O={directory}',
                                'tegra_defconfig'], capture_output=True, text=True)
            config = ''
            if os.path.exists(f'{directory}/.config'):
                with open(f'{directory}/.config', encoding='utf-8') as file:
                    config = file.read()
        missing = [line for line in listed if f'\n{line}\n' not in config]
        counts.check(f'{version}: tegra_defconfig has not {missing} of {len(listed)} lines of docs/install.md',
                     len(listed) > 10 and not missing, p.stderr[-1000:])
    return counts.finish()


if __name__ == '__main__':
    sys.exit(main())
