#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Do tests that need no reason of the chip's fail on softpipe too?

  tests/piglit/compare.py

Each test of ci/piglit-fails.txt is run on softpipe in a window of Xvfb, limited to what this driver reports: OpenGL 2.1 with
GLSL 1.20, OpenGL ES 2.0, and the extensions of tests/gl/reported.txt.  Those with another reason than a limit of the chip,
"limit: ...", "precision: ...", "strict: ..." for what strict mode reports, a "choice: ..." or "platform: ..." of windows of gbm
have to fail there.  The last line is "N passed, N failed, N skipped".
"""

import bz2
import json
import os
import re
import subprocess
import sys
import tempfile

import selection

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = re.compile('limit: |precision: |platform: |strict: |choice: ')


def reasons():
    """{test: reason}"""
    with open(os.path.join(TOP, 'ci/piglit-fails.txt'), encoding='utf-8') as file:
        return dict(line.strip().split('  # ') for line in file if '  # ' in line and line[0] != '#')


def extensions(lines):
    return {line for line in lines if re.fullmatch(r'GL_[A-Z0-9]+_\w*[a-z]\w*', line)}


def softpipe_environment():
    """softpipe with the versions and extensions that the driver reports."""
    env = dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='softpipe', MESA_GL_VERSION_OVERRIDE='2.1',
               MESA_GLSL_VERSION_OVERRIDE='120', MESA_GLES_VERSION_OVERRIDE='2.0',
               XDG_RUNTIME_DIR=os.environ.get('XDG_RUNTIME_DIR', '/tmp'), LD_LIBRARY_PATH=os.path.join(TOP, 'build', 'lib'))
    theirs = set()
    with open(os.path.join(TOP, 'tests/gl/reported.txt'), encoding='utf-8') as f:
        ours = extensions(f.read().split())
    for api in ('gl', 'gles2', 'gles1'):
        theirs |= extensions(subprocess.run([os.path.join(TOP, 'build/tests/gl/report'), api], env=env, check=True,
                                            capture_output=True, text=True).stdout.splitlines())
    env['MESA_EXTENSION_OVERRIDE'] = ' '.join('-' + name for name in sorted(theirs - ours))
    return env


def run_softpipe(tests):
    """{test: result}"""
    env, found = softpipe_environment(), {}
    with tempfile.TemporaryDirectory() as directory:
        listed, results = os.path.join(directory, 'tests'), os.path.join(directory, 'results')
        for profile in ('quick_shader', 'quick_gl'):
            with open(listed, 'w', encoding='utf-8') as file:
                file.writelines(name + '\n' for name in selection.profile_tests(profile) if name in tests)
            subprocess.run(['xvfb-run', '-a', '-s', '-screen 0 1280x1024x24', 'piglit', 'run', '--overwrite', '-l', 'quiet',
                            '--timeout', '300', '-p', 'x11_egl', '--test-list', listed, profile, results], env=env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            with bz2.open(os.path.join(results, 'results.json.bz2')) as file:
                found.update({name: test['result'] for name, test in json.load(file)['tests'].items()})
    return found


def main():
    known = reasons()
    tried = {name: reason for name, reason in known.items() if not OURS.match(reason)}
    results = run_softpipe(tried)
    wrong = [name for name in tried if results.get(name, 'not run') in ('pass', 'warn', 'skip', 'not run')]
    print(''.join(f'FAIL: {name}: {tried[name]}; softpipe: {results.get(name, "not run")}\n' for name in wrong) +
          f'{len(tried) - len(wrong)} passed, {len(wrong)} failed, {len(known) - len(tried)} skipped')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
