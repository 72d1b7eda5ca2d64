# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What files in docs/results say about themselves: the command that wrote them, the day, the state that was measured."""

import contextlib
import datetime
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Driver and chip.
DRIVER = ('src', 'sim', 'plugin', 'meson.build')


def state(*paths):
    """The last commit that changed what results depend on (default: driver and simulator), "1a2b3c4"; "1a2b3c4+" when there
    are changes that are in no commit, "unknown" outside of a repository."""
    paths = paths or DRIVER
    try:
        found = subprocess.run(['git', 'log', '-1', '--format=%h', '--abbrev=7', '--', *paths], cwd=TOP, capture_output=True,
                               text=True).stdout.strip()
        clean = subprocess.run(['git', 'diff', '--quiet', 'HEAD', '--', *paths], cwd=TOP, capture_output=True).returncode == 0
    except OSError:  # a machine without git, the one that builds a package
        return 'unknown'
    return found + ('' if clean else '+') if found else 'unknown'


def command():
    """The command of this run as it can be typed in the project's directory."""
    words = [os.path.relpath(os.path.abspath(sys.argv[0]), TOP)]
    words += [os.path.relpath(word, TOP) if os.path.isabs(word) else word for word in sys.argv[1:]]
    return ' '.join(words)


def head(text=None, *paths):
    """A line for the top of a file."""
    return f'{text or command()}, {datetime.date.today()}, of commit {state(*paths)}'


class Both:
    """Standard output that goes into a file of results as well."""

    def __init__(self, stream):
        self.stream, self.lines = stream, []

    def write(self, text):
        self.lines.append(text)
        return self.stream.write(text)

    def flush(self):
        self.stream.flush()

    def isatty(self):
        return self.stream.isatty()


@contextlib.contextmanager
def kept(path):
    """What is printed inside is written to a file below a head, also when it ends early; without a path it is only printed."""
    if not path:
        yield
        return
    top, both = head(), Both(sys.stdout)
    try:
        with contextlib.redirect_stdout(both):
            yield
    finally:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(top + '\n' + ''.join(both.lines))
