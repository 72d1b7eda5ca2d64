#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Programs from the cache on disk: cache.py COUNTERS DRAFTS PROGRAM...

Runs the test program "counters" (in the environment that finds the driver) with an empty cache, again with what it left,
with a chip that is said to behave otherwise, with damaged entries and without a cache. The second process must compile
nothing, on the other chip nothing may be taken, damaged entries must be compiled again, and the pictures must be the
same. What drafts were exchanged for must be found by a second run of "drafts". The other programs must run with an empty
cache and with what they left.
"""

import os
import random
import shlex
import subprocess
import sys
import tempfile

# An emulator, in cross builds.
WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))


def start(program, directory, *arguments, **more):
    """What the program prints."""
    env = {k: v for k, v in os.environ.items() if k != 'MESA_SHADER_CACHE_DISABLE'}
    # one file per entry, so that single entries can be damaged
    env.update(MESA_SHADER_CACHE_DIR=directory, MESA_DISK_CACHE_MULTI_FILE='1', **more)
    p = subprocess.run([*WRAPPER, program, *arguments], env=env, capture_output=True, text=True, timeout=600)
    if p.returncode:
        sys.exit(f'{program}: status {p.returncode}\n{p.stderr}')
    return p.stdout


def run(program, directory, **more):
    lines = start(program, directory, **more).splitlines()
    values = {name: int(value) for name, value in (line.rsplit(' ', 1) for line in lines)}
    return values['shader-variants'], values['cached-shader-variants'], values['checksum']


def entries(directory):
    return sorted(os.path.join(d, f) for d, _, files in os.walk(directory) for f in files
                  if os.path.basename(d) != 'index' and len(f) >= 38)


def expect(what, ok, detail):
    if not ok:
        sys.exit(f'{what}: {detail}')


def main():
    program = sys.argv[1]
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as directory:
        variants, cached, picture = run(program, directory)
        expect('the first process compiles everything', cached == 0, cached)
        files = entries(directory)
        expect('variants are stored', len(files) >= variants, files)

        again = run(program, directory)
        expect('the second process compiles nothing', again == (variants, variants, picture), again)
        other = run(program, directory, TEGRA20_HW='default,A57=16')
        expect('programs of another profile are not taken', other[:2] == (variants, 0), other)
        # what a draft is exchanged for is stored too, at any time (entries are therefore listed when they are damaged)
        best = run(program, directory, TEGRA20_DEBUG='refuse,best')
        expect('the best code draws the same', (best[0], best[2]) == (variants, picture), best)
        best = run(program, directory, TEGRA20_DEBUG='refuse,best')
        expect('the best code is stored', best == (variants, variants, picture), best)

        for damage in ('truncated', 'flipped', 'empty', 'garbage'):
            for name in entries(directory):
                data = bytearray(open(name, 'rb').read())
                if damage == 'truncated':
                    data = data[:rng.randrange(len(data))]
                elif damage == 'empty':
                    data.clear()
                else:
                    # not the head, by which Mesa recognises its entries (a debug build stops there)
                    half = len(data) // 2
                    if damage == 'flipped':
                        data[rng.randrange(half, len(data))] ^= 1 << rng.randrange(8)
                    else:
                        data[half:] = rng.randbytes(len(data) - half)
                with open(name, 'wb') as file:
                    file.write(data)
            got = run(program, directory)
            expect(f'{damage} entries', got == (variants, 0, picture), got)
            # what was refused has been written anew, except where a file of that name was kept
            for name in entries(directory):
                os.unlink(name)
            run(program, directory)

        without = run(program, directory, MESA_SHADER_CACHE_DISABLE='true')
        expect('without cache', without == (variants, 0, picture), without)
    with tempfile.TemporaryDirectory() as directory:
        start(sys.argv[2], directory, TEGRA20_DEBUG='refuse,sync')
        start(sys.argv[2], directory, '--cached', TEGRA20_DEBUG='refuse,sync')
    for other in sys.argv[3:]:
        with tempfile.TemporaryDirectory() as directory:
            for _ in range(3):
                start(other, directory)
    print(f'{variants} variants; cached: 0, then all of them')


if __name__ == '__main__':
    main()
