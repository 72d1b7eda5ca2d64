#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""apply.py MESA OUT: copies Mesa's compiler and driver for Adreno from the tree MESA to the folder OUT, applies the
patches beside this script, and prints the copies' C and C++ files, one a line.  A copy that is as it should be stays.

A folder named for a version of Mesa, as 25.1, has those patches that are others there.
"""

import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

PARTS = ['src/freedreno/ir3', 'src/freedreno/registers', 'src/gallium/drivers/freedreno']
# Headers that Mesa generates; those of the copy come first.
HEADERS = ['a4xx.xml', 'adreno_pm4.xml']
# Programs, and what needs perfetto.
NOT_IN_THE_LIBRARIES = ['ir3/ir3_cmdline.c', 'gmemtool.c', 'freedreno_perfetto.cc']


def patches_for(mesa):
    """Paths of the series for a tree of Mesa, in order."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(mesa, 'VERSION'), encoding='utf-8') as file:
        version = '.'.join(file.read().split('.')[:2])
    patches = {}
    for folder in here, os.path.join(here, version):
        patches.update((os.path.basename(path), path) for path in glob.glob(os.path.join(folder, '*.patch')))
    return [patches[name] for name in sorted(patches)]


def patched(mesa, patches, folder):
    for part in PARTS:
        shutil.copytree(os.path.join(mesa, part), os.path.join(folder, part), ignore=shutil.ignore_patterns('tests', 'ci'))
    for patch in patches:
        # What a patch says of other folders is for Mesa's tree alone.
        run = subprocess.run(['git', 'apply', '-p1'] + ['--include=%s/*' % part for part in PARTS] + [patch],
                             cwd=folder, capture_output=True, text=True, check=False,
                             env=dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(folder)))
        if run.returncode:
            sys.exit('%s does not apply to %s:\n%s' % (patch, mesa, run.stderr))


def generate_headers(folder):
    registers = os.path.join(folder, 'src/freedreno/registers')
    os.mkdir(os.path.join(folder, 'headers'))
    for name in HEADERS:
        run = subprocess.run([sys.executable, os.path.join(registers, 'gen_header.py'), '--rnn', registers,
                              '--xml', os.path.join(registers, 'adreno', name), 'c-defines'],
                             capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit('%s: %s' % (name, run.stderr))
        with open(os.path.join(folder, 'headers', name + '.h'), 'w', encoding='utf-8') as out:
            # The header says where it comes from, and when that was changed: another place and time with each run.
            out.write(re.sub(r'^- .*\n', '', run.stdout, flags=re.M))


def update(folder, out):
    """Files that are the same keep their times: nothing is compiled again for them."""
    for root, _, names in os.walk(folder):
        for name in names:
            source = os.path.join(root, name)
            target = os.path.join(out, os.path.relpath(source, folder))
            if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)


def main():
    mesa, out = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=os.path.dirname(out)) as folder:
        patched(mesa, patches_for(mesa), folder)
        generate_headers(folder)
        update(folder, out)
    for part in PARTS:
        for name in sorted(glob.glob(os.path.join(out, part, '**', '*.c*'), recursive=True)):
            if os.path.relpath(name, os.path.join(out, part)) not in NOT_IN_THE_LIBRARIES:
                print(name)


if __name__ == '__main__':
    main()
