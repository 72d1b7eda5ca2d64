#!/usr/bin/env python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fill version and commit into a template.

  write_version.py TEMPLATE OUTPUT VERSION SOURCE [NAME=VALUE...]

@VERSION@ becomes VERSION with the commit of the folder SOURCE, as "0.2.0 (git-26a5524c1d)": the one that git has, "-dirty"
behind it when files differ from it, or the one that "git archive" or ci/package wrote into commit.txt.  Without either it is
VERSION alone.  @NAME@ becomes VALUE.  An output that stays as it was is not written, so that nothing is built again.
"""

import os
import subprocess
import sys


def commit_of(source):
    """The commit, or an empty string.  The repository must begin at source: a copy may lie inside of another one."""
    if os.path.exists(os.path.join(source, '.git')):
        try:
            return subprocess.run(['git', '-C', source, 'describe', '--always', '--dirty', '--abbrev=10', '--exclude=*'],
                                  check=True, capture_output=True, text=True,
                                  env={**os.environ, 'GIT_OPTIONAL_LOCKS': '0'}).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ''
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'commit.txt'), encoding='utf-8') as file:
        commit = file.read().strip()
    return '' if commit.startswith('$') else commit


def main():
    template, output, version, source, *values = sys.argv[1:]
    commit = commit_of(source)
    with open(template, encoding='utf-8') as file:
        text = file.read()
    text = text.replace('@VERSION@', f'{version} (git-{commit})' if commit else version)
    for value in values:
        name, _, content = value.partition('=')
        text = text.replace(f'@{name}@', content)
    if os.path.exists(output):
        with open(output, encoding='utf-8') as file:
            if file.read() == text:
                return
    with open(output, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(output, os.stat(template).st_mode)


if __name__ == '__main__':
    main()
