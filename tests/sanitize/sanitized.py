#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""A program of the build once more, with AddressSanitizer and UndefinedBehaviorSanitizer in this project's own code.

  sanitized.py --build BUILD TARGET       prints the path of the new program

Takes the commands by which BUILD makes TARGET (a path in BUILD), runs those that concern sources of this project again
with -fsanitize=address,undefined into BUILD/sanitized, and links with Mesa's libraries as they are.  That takes a minute or
two, where a build directory with b_sanitize compiles all of Mesa too.  Memory that Mesa allocates is watched as well,
because the allocator is the sanitizer's; only Mesa's own reads and writes are not.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

FLAGS = ['-fsanitize=address,undefined', '-fno-omit-frame-pointer']
OUT = 'sanitized'
OWN_SOURCE = re.compile(r'(\.\./)?(src|sim|plugin|tools|tests)/')


def ours(path):
    return not path.startswith(('subprojects/', '../subprojects/', '/', '-')) and '=' not in path


def moved(path):
    return os.path.join(OUT, path)


def compile_command(words):
    """The command for the sanitized object, or None when it is not a compilation of a source of ours."""
    if '-c' not in words or not OWN_SOURCE.match(words[words.index('-c') + 1]):
        return None
    words = list(words)
    for option in ('-o', '-MF', '-MQ'):
        if option in words:
            i = words.index(option) + 1
            words[i] = moved(words[i])
    return words + FLAGS


def link_command(words):
    """Library or program: what was compiled again is taken from there."""
    result = []
    for word in words:
        if ours(word) and os.path.exists(moved(word)):
            word = moved(word)
        result.append(word)
    return result


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'sanitized.py: {" ".join(command)}\n{done.stderr[-2000:]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count())
    parser.add_argument('target')
    args = parser.parse_args()
    os.chdir(args.build)
    listing = subprocess.run(['ninja', '-t', 'commands', args.target], capture_output=True, text=True)
    if listing.returncode:
        sys.exit(f'sanitized.py: {listing.stderr.strip() or "no such target"}')
    compilations, links = [], []
    for line in listing.stdout.split('\n'):
        words = shlex.split(line) if line else []
        command = compile_command(words)
        if command:
            os.makedirs(os.path.dirname(command[command.index('-o') + 1]), exist_ok=True)
            compilations.append(command)
        elif 'csrDT' in words or 'csrD' in words or '-Wl,--start-group' in words:
            links.append(words)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(run, compilations))
    for words in links:
        mode = [i for i, w in enumerate(words) if w.startswith('csrD')]
        target = words[mode[0] + 1] if mode else words[words.index('-o') + 1]
        if not ours(target) or not any(ours(w) and os.path.exists(moved(w)) for w in words):
            continue
        os.makedirs(os.path.dirname(moved(target)), exist_ok=True)
        if mode:
            if os.path.exists(moved(target)):
                os.unlink(moved(target))
            run([words[mode[0] - 1], words[mode[0]], moved(target)] + link_command(words[mode[0] + 2:]))
        else:
            command = link_command([w for w in words if w != target]) + FLAGS
            command[command.index('-o') + 1:command.index('-o') + 1] = [moved(target)]
            run(command)
    print(os.path.join(args.build, moved(args.target)))


if __name__ == '__main__':
    main()
