#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""recording.py PROGRAM MESA: the recording of an A420 that Mesa's tree has, executed on the simulated one.

PROGRAM is a4xx-recording, MESA Mesa's tree.  Nothing may be remarked but memory that the recording has not (902, 909: vertices,
some programs); and where Mesa's own decoder printed the registers of a draw (the reference log beside the recording has some of
the draws), each has that value.
"""

import gzip
import os
import re
import shlex
import subprocess
import sys
import tempfile

WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))  # of a cross build


def walked(program, recording):
    """Registers by draw, and what was remarked."""
    with tempfile.NamedTemporaryFile() as unpacked:
        with gzip.open(recording) as file:
            unpacked.write(file.read())
        unpacked.flush()
        run = subprocess.run([*WRAPPER, program, unpacked.name], capture_output=True, text=True, check=True)
    draws = []
    broken = 0
    for line in run.stdout.splitlines():
        first, _, value = line.partition(' ')
        if first == 'draw':
            draws.append({})
        elif first == 'broken':
            broken += 1
        else:
            draws[-1][first] = int(value, 16)
    return draws, broken, set(re.findall(r'\[(\d+)\]', run.stderr))


def logged(log):
    """For each draw of the log the registers that it shows: name and value."""
    draws = []
    with open(log, encoding='utf-8', errors='replace') as file:
        for line in file:
            if re.search(r'draw\[\d+\] register values', line):
                draws.append([])
            shown = re.match(r'[ !]\+\t([0-9a-f]{8})\t+([A-Z]\S*?): ', line)
            if shown and draws:
                name = re.sub(r'\[(0x[0-9a-f]+)\]', lambda m: '[%d]' % int(m[1], 16), shown[2])
                draws[-1].append((re.sub(r'\.REG$', '', name), int(shown[1], 16)))
    return draws


def main():
    program, mesa = sys.argv[1:]
    folder = os.path.join(mesa, 'src/freedreno/.gitlab-ci')
    draws, broken, numbers = walked(program, os.path.join(folder, 'traces/glxgears-a420.rd.gz'))
    expected = logged(os.path.join(folder, 'reference/glxgears-a420.log'))
    registers = 0
    differ = []
    for i, shown in enumerate(expected):
        for name, value in shown:
            registers += 1
            if draws[i].get(name, 0) != value:
                differ.append('draw %d: %s is 0x%08x, not 0x%08x' % (i, name, draws[i].get(name, 0), value))
    print('%d draws, %d streams that miss memory, diagnostics: %s' % (len(draws), broken, ' '.join(sorted(numbers))))
    print('%d of %d registers of %d draws as in the log' % (registers - len(differ), registers, len(expected)))
    print('\n'.join(differ[:20]))
    sys.exit(1 if differ or not registers or numbers - {'902', '909'} else 0)


main()
