#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The driver compiles with musl's headers, as on Alpine and postmarketOS.

  musl.py BUILD [FOLDER...]

Repeats the compile commands that meson left in BUILD for the C files of FOLDERs (default: compiler, winsys, driver,
recordings, simulator) with musl-gcc, as far as the syntax.  Libraries other than the C library come from this system.  The
last line is "N passed, N failed".
"""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

FOLDERS = ['src/compiler/tegra20', 'src/gallium/winsys/tegra20', 'src/gallium/drivers/tegra20',
           'src/tegra20/recording', 'sim/common', 'sim/tegra20']
OWN = ['-fsyntax-only', '-fno-diagnostics-color', '-idirafter', '/usr/include', '-idirafter', '/usr/include/x86_64-linux-gnu',
       # What the headers of Mesa and the kernel are not made for is not our fault.
       '-Wno-cpp', '-U_FORTIFY_SOURCE']


def commands(build, folders):
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        for entry in json.load(file):
            path = os.path.normpath(os.path.join(entry['directory'], entry['file']))
            top = os.path.dirname(os.path.abspath(build))
            if not path.endswith('.c') or not any(path.startswith(os.path.join(top, f) + '/') for f in folders):
                continue
            words = shlex.split(entry['command'])
            while not words[0].startswith('-'):  # "ccache cc"
                words.pop(0)
            kept, skip = [], False
            for word in words:
                if skip or word in ('-o', '-MF', '-MQ'):
                    skip = not skip
                elif word not in ('-c', '-MD', '-DHAVE_XLOCALE_H=1', '-fdiagnostics-color=always'):
                    kept.append(word)
            yield os.path.relpath(path, top), ['musl-gcc', *OWN, *kept], entry['directory']


def main():
    build, folders = sys.argv[1], sys.argv[2:] or FOLDERS
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(subprocess.run, words, cwd=directory, capture_output=True, text=True): path
                for path, words, directory in commands(build, folders)}
        for job in concurrent.futures.as_completed(jobs):
            if job.result().returncode:
                failed += 1
                print(f'FAIL: {jobs[job]}\n{job.result().stderr[:2000]}')
            else:
                passed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
