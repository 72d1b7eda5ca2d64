#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The ways into the project: what the scripts say, and that nothing passes for the chip that is not.

  check_setup.py --build BUILD

The last line is "N passed, N failed, N skipped".  Systems on which something is in the way: ci/matrix.
"""

import argparse
import contextlib
import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'ci'), os.path.join(TOP, 'tests/common')]

import part  # noqa: E402, tests/common/part.py

MAIN = 'deb http://mirror/debian trixie main\n'
STANZA = 'Types: deb\nURIs: http://mirror/debian\nSuites: trixie trixie-updates\nComponents: main\nSigned-By: /key.gpg\n'
OWN = '\nTypes: deb-src\nURIs: http://wrong/debian\nSuites: trixie\nComponents: main\n'
# name, {file: text}, what own_entry() prints
SOURCES = [
    ('one line', {'sources.list': MAIN}, 'http://mirror/debian'),
    ('one line with options', {'sources.list': 'deb [arch=amd64 signed-by=/key.gpg] http://mirror/debian trixie main\n'},
     'http://mirror/debian /key.gpg'),
    ('one line without a newline', {'sources.list': '# none\n', 'sources.list.d/main.list': MAIN.strip()},
     'http://mirror/debian'),
    ('stanza', {'sources.list.d/debian.sources': STANZA + '\n'}, 'http://mirror/debian /key.gpg'),
    ('stanza without an empty line', {'sources.list.d/debian.sources': STANZA, 'sources.list.d/x.sources': OWN.strip() + '\n'},
     'http://mirror/debian /key.gpg'),
    ('stanza without a newline', {'sources.list.d/debian.sources': STANZA.strip(), 'sources.list.d/x.sources': OWN.lstrip()},
     'http://mirror/debian /key.gpg'),
    ('another stanza before', {'sources.list.d/debian.sources': STANZA.replace('trixie', 'sid') + '\n' + STANZA},
     'http://mirror/debian /key.gpg'),
    ('what ci/setup has added', {'sources.list': MAIN, 'sources.list.d/tegra20-driver.sources': STANZA.replace('mirror', 'own')},
     'http://mirror/debian'),
    ('no entry', {'sources.list': MAIN.replace('trixie', 'bookworm')}, ''),
]
WFLINFO = ['wflinfo', '-p', 'surfaceless_egl', '-a', 'gles2']
CHIP = 'OpenGL renderer string: Tegra 2 (tegra20)'


class Checks(part.Counts):
    def __init__(self, build):
        super().__init__()
        self.build = os.path.abspath(build)


def run(command, **env):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors='replace', cwd=TOP, env={**os.environ, **env}, timeout=900)
    return p.returncode, p.stdout


def sources(checks):
    for name, files, expected in SOURCES:
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, 'sources.list.d'))
            for file, text in files.items():
                with open(os.path.join(directory, file), 'w', encoding='utf-8') as f:
                    f.write(text)
            script = 'die() { echo "$*"; exit 1; }; . ci/apt.sh; SUITE=trixie; own_entry'
            status, out = run(['bash', '-c', script], APT_DIR=directory)
            checks.check(f'apt: {name}', out.strip() == expected, f'{out!r}, not {expected!r}')


def newer_mesa(checks):
    """Which Mesa is newer than the plug-in's."""
    for installed, expected in ('26.1.6-1~bpo13+1', '26.1.6-1~bpo13+1'), ('25.0.7-2+deb13u1', ''), ('22.3.6-1', ''), ('', ''):
        out = run(['bash', '-c', f'dpkg-query() {{ echo "{installed}"; [ "{installed}" ]; }}; MESA_UPSTREAM=25.0.7\n'
                   '. <(sed -n "/^newer_mesa()/,/^}/p" ci/setup); newer_mesa'])[1]
        checks.check(f'ci/setup: Mesa {installed or "is not installed"}', out.strip() == expected, out)


def versions(checks):
    """What src/tegra20/version/write_version.py writes, from a repository, an archive of one, and neither."""
    with tempfile.TemporaryDirectory() as directory:
        script, source, output = (os.path.join(directory, name) for name in ('write_version.py', 'source', 'output'))
        shutil.copy(os.path.join(TOP, 'src/tegra20/version/write_version.py'), script)
        os.mkdir(source)
        for commit, expected in ('$Format:%h$', '0.2.0'), ('abc123', '0.2.0 (git-abc123)'), ('', r'0.2.0 \(git-[0-9a-f]{10}\)'):
            with open(os.path.join(directory, 'commit.txt'), 'w', encoding='utf-8') as file:
                file.write(commit)
            with open(f'{output}.in', 'w', encoding='utf-8') as file:
                file.write('@VERSION@ @WHO@\n')
            if not commit:
                subprocess.run(['git', '-C', source, 'init', '-q'], check=True)
                subprocess.run(['git', '-C', source, '-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-q', '--allow-empty',
                                '-m', 'm'], check=True)
            written = []
            for _ in range(2):
                status, out = run([script, f'{output}.in', output, '0.2.0', source, 'WHO=a=b'])
                written.append(os.stat(output).st_mtime_ns)
            with open(output, encoding='utf-8') as file:
                text = file.read()
            checks.check(f'version, {commit or "a repository"}', status == 0 and written[0] == written[1] and
                         (text == f'{expected} a=b\n' or re.fullmatch(f'{expected} a=b\n', text)), f'{text}{out}')


def arguments(checks):
    for name in ('demo', 'docs', 'setup', 'test', 'chroot', 'newest-mesa', 'mesa-tree', 'package', 'matrix', 'piglit',
                 'sanitize'):
        status, out = run([f'ci/{name}', '--help'])
        checks.check(f'ci/{name} --help', status == 0 and len(out) > 100 and 'ci/setup: ready' not in out, out)
    for command in (['ci/test', 'nosuchstep'], ['ci/test', '--nosuch'], ['ci/demo', 'nosuch'], ['ci/setup', '--nosuch']):
        status, out = run(command)
        checks.check(' '.join(command), status == 2 and 'unknown' in out and 'ci/setup: ready' not in out, out)


def nothing(checks):
    """No runner succeeds that has run nothing, or that was asked for what there is not."""
    build = checks.build
    for command in (['tests/gl/es2/run.py', '--build', build, 'nosuch'],
                    ['tests/gl/es2/run.py', '--build', build, '--only', 'nosuch'],
                    ['tests/gl/es2/perturb.py', '--build', build, 'nosuch'],
                    ['tests/hwtest/profile.py', '--build', build, '--only', 'nosuch', 'A21=dropped'],
                    ['tests/hwtest/profile.py', '--build', build, 'A999=foo'],
                    ['tests/hwtest/calibrate.py', '--build', build, '--chips', '0'],
                    ['tests/hwtest/flip.py', '--build', build, '--part', '3/2'],
                    ['tests/mutation/mutate.py', '--named', '--only', 'nosuch'],
                    ['tests/differential/run.py', '--build', build, '--stage', 'fragment-heavy', '--count', '0'],
                    ['tests/vm/run.py', '--build', build, 'nosuch'], ['tests/chips/run.py', '--build', build, 'nosuch'],
                    ['tests/programs/programs.py', '--build', build, 'nosuch'], ['tests/docs/check_docs.py', 'nosuch'],
                    ['ci/sanitize', '--no-build', '--include', 'nosuch'], ['ci/piglit', '--include', 'nosuch'],
                    [f'{build}/tests/fuzz/fuzz_sim', '--jobs', '0'],
                    [f'{build}/tests/videocore/videocore-fuzz', '--jobs', '0'],
                    [f'{build}/tegra20-run', '--', f'{build}/tests/gl/test_bounds', '--cases', '0']):
        status, out = run(command)
        checks.check(' '.join(command), status != 0, out)
    import tests  # ci/tests.py
    counts = tests.Counts()
    with contextlib.redirect_stdout(io.StringIO()):
        tests.add_counts(counts, 'nothing', 0, '0 passed, 0 failed, 0 skipped\n', '')
    checks.check('a step whose suite ran nothing', counts.failed == 1, str(counts))


def rotation(checks):
    """Parts of steps (ci/slices.py): whatever the trees are, each part runs in five of them; by chance alone it does not."""
    import slices  # ci/slices.py
    rng = random.Random(1)
    for parts in (2, 3, 4):
        for name, choose in ('chosen', slices.choose), ('by chance', lambda record, step, parts, seed: seed % parts + 1):
            record, late = [], 0
            for _ in range(300):
                record.append(('', {'step': f'{choose(record, "step", parts, rng.getrandbits(32))}/{parts}'}))
                late += bool(slices.late(record, 'step', parts))
            checks.check(f'{parts} parts, {name}', bool(late) == (name == 'by chance'), f'late in {late} trees')


def renderers(checks):
    """tegra20-run says when something else than the chip has drawn."""
    tool = os.path.join(checks.build, 'tegra20-run')
    for name, command, env, expected, text in (
            ('the chip', WFLINFO, {}, 0, CHIP),
            ('no GL', ['true'], {}, 0, ''),
            ('failure', ['false'], {}, 1, ''),
            ('software', WFLINFO, {'LIBGL_ALWAYS_SOFTWARE': '1'}, 4, 'LIBGL_ALWAYS_SOFTWARE'),
            ('software in a child', ['sh', '-c', f'{" ".join(WFLINFO)}; true'], {'LIBGL_ALWAYS_SOFTWARE': '1'}, 4,
             'in wflinfo the driver'),
            ('a window of X11', ['xvfb-run', '-a', 'wflinfo', '-p', 'glx', '-a', 'gl'], {}, 0, CHIP),
            ('more than OpenGL ES 2', ['wflinfo', '-p', 'surfaceless_egl', '-a', 'gles3'], {}, 1, 'OpenGL 2.1, OpenGL ES 2.0'),
            ('more than OpenGL 2.1', ['wflinfo', '-p', 'surfaceless_egl', '-a', 'gl', '-V', '3.3', '--profile', 'core'], {}, 1,
             'MESA_GL_VERSION_OVERRIDE=3.3'),
            ('more than OpenGL 2.1, with the override', ['wflinfo', '-p', 'surfaceless_egl', '-a', 'gl', '-V', '3.3', '--profile',
                                                         'core'], {'MESA_GL_VERSION_OVERRIDE': '3.3'}, 0, CHIP),
            ('another chip', WFLINFO, {'TEGRA20_SHIM_CHIP': 'tegra30'}, 0, 'Tegra 3 (tegra30)'),
            ('a chip without the engine', WFLINFO, {'TEGRA20_SHIM_CHIP': 'tegra124'}, 4, 'the driver has declined'),
            ('a kernel without the interface', WFLINFO, {'TEGRA20_SHIM_NO_STAGING': '1'}, 4, 'the driver has declined')):
        for options in ([], ['--strict']):
            status, out = run([tool, *options, '--', *command], **env)
            checks.check(f'tegra20-run {" ".join(options)}: {name}', status == expected and text in out,
                         f'status {status}\n{out}')


    status, out = run(['xvfb-run', '-a', tool, '--', 'timeout', '-s', 'KILL', '3', 'glxgears'], LIBGL_ALWAYS_SOFTWARE='1')
    checks.check('software, ended by a signal', status == 137 and 'in glxgears the driver' in out, out)


def capabilities(checks):
    if os.getuid() != 0 or not shutil.which('setcap'):
        checks.skip('a program with file capabilities', 'needs root and setcap (libcap2-bin)')
        return
    with tempfile.TemporaryDirectory() as directory:
        program = shutil.copy(shutil.which('wflinfo'), directory)
        if subprocess.run(['setcap', 'cap_sys_nice=ep', program], capture_output=True).returncode:
            checks.skip('a program with file capabilities', f'{directory} does not store them')
            return
        os.chmod(directory, 0o755)
        # root has every capability already
        status, out = run(['runuser', '-u', 'nobody', '--', os.path.join(checks.build, 'tegra20-run'), '--strict', '--', program,
                           *WFLINFO[1:]])
        checks.check('tegra20-run: a program with file capabilities', status == 4 and 'file capabilities' in out, out)


def places(checks):
    """A build directory whose path LD_PRELOAD cannot hold, and one whose driver is for another Mesa."""
    with tempfile.TemporaryDirectory() as parent:
        directory = os.path.join(parent, 'my tegra: one')
        os.mkdir(directory)
        for name in ('tegra20-run', 'libtegra20_drm_shim.so'):
            shutil.copy(os.path.join(checks.build, name), directory)
        shutil.copytree(os.path.join(checks.build, 'lib'), os.path.join(directory, 'lib'))
        status, out = run([os.path.join(directory, 'tegra20-run'), '--', *WFLINFO], TMPDIR=parent)
        checks.check('a path with a space and a colon', status == 0 and CHIP in out, out)
        status, out = run([os.path.join(directory, 'tegra20-run'), '--', *WFLINFO], TMPDIR=directory)
        checks.check('a temporary directory with a space', status == 0 and CHIP in out, out)
        left = [name for name in os.listdir(parent) + os.listdir(directory) if name.startswith('tegra20-run-')]
        checks.check('nothing is left of them', not left, str(left))
        for name in os.listdir(os.path.join(directory, 'lib')):
            os.rename(os.path.join(directory, 'lib', name), os.path.join(directory, 'lib/libgallium-0.0.so'))
        for options in ([], ['--strict']):
            status, out = run([os.path.join(directory, 'tegra20-run'), *options, '--', *WFLINFO])
            checks.check('a driver for another Mesa', status == 4 and 'for which this driver was not built' in out, out)
        status, out = run(['xvfb-run', '-a', os.path.join(directory, 'tegra20-run'), '--', 'timeout', '-s', 'KILL', '3',
                           'glxgears'])
        checks.check('a driver for another Mesa, ended by a signal', 'another renderer draws in glxgears' in out, out)


def killed(checks):
    """What a run that was killed leaves, the next one removes; not what others still use."""
    run_tool = os.path.join(checks.build, 'tegra20-run')
    with tempfile.TemporaryDirectory() as parent:
        runs = [subprocess.Popen([run_tool, '--', 'sleep', '100'], env=dict(os.environ, TMPDIR=parent), start_new_session=True)
                for _ in range(2)]
        while len(os.listdir(parent)) < 2 or not all(os.listdir(os.path.join(parent, name)) for name in os.listdir(parent)):
            time.sleep(0.05)
        os.killpg(runs[0].pid, signal.SIGKILL)
        runs[0].wait()
        end, left = time.monotonic() + 10, os.listdir(parent)
        while len(left) > 1 and time.monotonic() < end:  # its command holds the lock until it has ended, too
            for name in left:
                os.utime(os.path.join(parent, name), (0, 0))
            run([run_tool, '--', 'true'], TMPDIR=parent)
            left = os.listdir(parent)
        os.killpg(runs[1].pid, signal.SIGTERM)
        runs[1].wait()
        checks.check('of two old directories that of the killed run goes', len(left) == 1, str(left))


def sockets(checks):
    """The chip of a command is its user's, unless its socket has a name."""
    run_tool = os.path.join(checks.build, 'tegra20-run')
    mode = ['--', 'sh', '-c', 'stat -c %a "$TEGRA20_SHIM_ONE_CHIP"']
    with tempfile.TemporaryDirectory() as directory:
        for option, expected in (('--one-chip', '600'), (f'--one-chip={directory}/chip', '666')):
            status, out = run([run_tool, option, *mode])
            checks.check(f'mode of the socket of {option.partition("=")[0]}, {expected}', out.split('\n')[0] == expected, out)


def without_chip(checks):
    """tegra20-gl gives programs the Mesa of the system where the chip cannot be used."""
    tool = os.path.join(checks.build, 'tegra20-gl')
    if os.path.exists('/proc/device-tree/compatible'):
        checks.skip('tegra20-gl without the chip', 'this machine may have it')
        return
    plain = run(WFLINFO)[1]
    status, out = run([tool, *WFLINFO])
    checks.check('tegra20-gl: no chip', status == 0 and 'wflinfo runs with the Mesa of the system: ' in out and
                 all(line in out for line in plain.split('\n') if 'renderer' in line), out)
    run_tool = os.path.join(checks.build, 'tegra20-run')
    status, out = run([run_tool, '--', tool, *WFLINFO])
    checks.check('tegra20-gl: on the chip', status == 0 and CHIP in out and 'runs with the Mesa' not in out, out)
    status, out = run([run_tool, '--', tool, *WFLINFO], TEGRA20_SHIM_NO_STAGING='1')
    checks.check('tegra20-gl: the kernel refuses', 'STAGING' in out and 'runs with the Mesa of the system' in out and
                 CHIP not in out, out)
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(os.path.join(directory, 'tools/gl'))
        copy = shutil.copy(tool, os.path.join(directory, 'tools/gl'))
        shutil.copytree(os.path.join(checks.build, 'lib'), os.path.join(directory, 'lib'))
        os.chmod(os.path.join(directory, 'lib'), 0o777)
        status, out = run([run_tool, '--', copy, '--system', 'on'])
        checks.check('tegra20-gl --system on: a directory that others can write', status == 1 and 'others than root' in out, out)
    status, out = run([tool, '--system', 'on'])
    checks.check('tegra20-gl --system on: no chip', status == 1 and 'not switched on' in out, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    checks = Checks(parser.parse_args().build)
    for group in (sources, newer_mesa, versions, arguments, nothing, rotation, renderers, capabilities, places, killed, sockets,
                  without_chip):
        group(checks)
    return checks.finish()


if __name__ == '__main__':
    sys.exit(main())
