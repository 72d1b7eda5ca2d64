#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Programs and libraries of the build once more, with sanitizers in this project's own code.

  sanitized.py --build BUILD [--kind address|thread] TARGET...       prints the directory of what was made

address: AddressSanitizer and UndefinedBehaviorSanitizer, in BUILD/sanitized; thread: ThreadSanitizer, in
BUILD/sanitized-thread.  Takes the commands by which BUILD makes the targets, runs those that concern sources of this project
again with the sanitizer, and links with Mesa's libraries as they are.  That takes a minute or two, where a build directory
with b_sanitize compiles all of Mesa too.  Memory that Mesa allocates is watched as well, because the allocator is the
sanitizer's; only Mesa's own reads and writes are not.  Programs find the plug-in and the shim with the sanitizer where they
find them in BUILD.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

KINDS = {'address': ('sanitized', '-fsanitize=address,undefined'), 'thread': ('sanitized-thread', '-fsanitize=thread')}
# The shim answers calls that the thread sanitizer makes before it is ready.
AS_IT_IS = {'address': '/', 'thread': 'sim/drm-shim/'}
OWN_SOURCE = re.compile(r'(\.\./)?(src|sim|plugin|tools|tests)/')


def ours(path):
    return not path.startswith(('subprojects/', '../subprojects/', '/', '-')) and '=' not in path


class Copy:
    """What is made once more, in the directory out of the build directory, where we are."""

    def __init__(self, kind):
        self.out, flag = KINDS[kind]
        self.as_it_is = AS_IT_IS[kind]
        self.flags = [flag, '-fno-omit-frame-pointer']
        self.compilations, self.links, self.placements = [], [], []

    def moved(self, path):
        return os.path.join(self.out, path)

    def made(self, word):
        return ours(word) and os.path.lexists(self.moved(word))

    def with_made(self, words):
        """What was made again is taken from there."""
        return [self.moved(word) if self.made(word) else word for word in words]

    def add(self, words):
        """A command of the build."""
        if '-c' in words and OWN_SOURCE.match(words[words.index('-c') + 1]):
            if not words[words.index('-o') + 1].startswith(self.as_it_is):
                self.compilations.append(words)
        elif 'csrDT' in words or 'csrD' in words or '-Wl,--start-group' in words:
            self.links.append(words)
        elif os.path.basename(words[0]) == 'ln' or len(words) > 1 and words[1].endswith('place_plugin.py'):
            self.placements.append(words)

    def compile(self, words):
        words = list(words)
        for option in ('-o', '-MF', '-MQ'):
            if option in words:
                i = words.index(option) + 1
                words[i] = self.moved(words[i])
        os.makedirs(os.path.dirname(words[words.index('-o') + 1]), exist_ok=True)
        run(words + self.flags)

    def link(self, words):
        """Library or program, if there is something in it that was made again."""
        mode = [i for i, w in enumerate(words) if w.startswith('csrD')]
        target = words[mode[0] + 1] if mode else words[words.index('-o') + 1]
        if not ours(target) or not any(self.made(w) for w in words if w != target):
            return
        os.makedirs(os.path.dirname(self.moved(target)), exist_ok=True)
        if mode:
            if os.path.exists(self.moved(target)):
                os.unlink(self.moved(target))
            run([words[mode[0] - 1], words[mode[0]], self.moved(target)] + self.with_made(words[mode[0] + 2:]))
        else:
            command = self.with_made([w for w in words if w != target]) + self.flags
            command[command.index('-o') + 1:command.index('-o') + 1] = [self.moved(target)]
            run(command)

    def place(self, words):
        """A link to what was made, or a directory for it; the last words are what comes of it."""
        top = os.getcwd()
        if any(self.made(w) for w in words):
            run([w.replace(top, os.path.join(top, self.out)) if w.startswith(top + os.sep) else
                 self.moved(w) if ours(w) and i > 1 and not w.startswith('../') else w for i, w in enumerate(words)])

    def make(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.compile, self.compilations))
        for words in self.links:
            self.link(words)
        for words in self.placements:
            self.place(words)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'sanitized.py: {" ".join(command)}\n{done.stderr[-2000:]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--kind', choices=KINDS, default='address')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count())
    parser.add_argument('targets', nargs='+', metavar='TARGET')
    args = parser.parse_args()
    os.chdir(args.build)
    built = subprocess.run(['ninja'] + args.targets, capture_output=True, text=True)
    if built.returncode:
        sys.exit(f'sanitized.py: {(built.stdout + built.stderr)[-2000:]}')
    copy = Copy(args.kind)
    for line in subprocess.check_output(['ninja', '-t', 'commands'] + args.targets, text=True).split('\n'):
        if line:
            copy.add(shlex.split(line))
    copy.make(args.jobs)
    print(os.path.join(args.build, copy.out))


if __name__ == '__main__':
    main()
