#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The tests of the simulated A420 that need Mesa's driver: run.py [--build DIR] [--seed N] [--all]

The extensions of tessellation, buffers of its stages, transform feedback as llvmpipe's, shares of vertices.py, pictures.py,
audit.py, tessellation.py and of the grid of OpenGL ES 2.0 cases, which the seed chooses, and es2gears: a minute.  The last line
is "N passed, N failed, N skipped".

  --build DIR  a build with the option adreno (default build)
  --all        all of each, and the other programs of tests/programs
"""

import argparse
import glob
import itertools
import os
import re
import subprocess
import sys

import tessellation  # beside this file

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Shares of each: those of one seed take about as long.
SUITES = {
    'tests/a4xx/vertices.py': 30, 'tests/a4xx/pictures.py': 5, 'tests/a4xx/audit.py': 9, 'tests/a4xx/tessellation.py': 10,
    'tests/gl/es2/run.py': 40,
}
ES2 = '''--references ci/es2-references.txt --references tests/a4xx/es2-references.txt --expect tests/a4xx/es2-fails.txt
loops control discard depth_stencil blend clears depth_range interaction texture_sizes texture_filters completeness
specification attributes draws long_draws attribute_mix fbo_formats fbo_textures fbo_blend read_pixels structs varyings
edges points lines culling interpolation clipping invariance compressed units depth_textures levels copies generate
mutate variables offset discards indexing uniforms'''.split()


class Run:
    def __init__(self, options):
        self.options = options
        self.counts = [0, 0, 0]

    def command(self, command, **environment):
        result = subprocess.run(command, capture_output=True, text=True, errors='replace', cwd=TOP, check=False,
                                env=dict(os.environ, BUILD_DIR=self.options.build, **environment))
        return result.returncode, result.stdout, result.stderr

    def chip(self, *command, options=()):
        return [os.path.join(self.options.build, 'tegra20-run'), '--chip', 'a420', '--strict', *options, '--', *command]

    def check(self, name, good, detail):
        self.counts[0 if good else 1] += 1
        if not good:
            print('FAIL: %s\n%s' % (name, detail[-3000:]), flush=True)

    def check_extensions(self):
        for debug in ('tess', ''):
            status, out, err = self.command(self.chip('wflinfo', '-p', 'surfaceless_egl', '-a', 'gles3', '--verbose'),
                                            FD_MESA_DEBUG=debug)
            found = sorted(re.findall(r'GL_(EXT|OES)_tessellation_shader', out))
            self.check('extensions with FD_MESA_DEBUG=%s' % debug, status == 0 and found == (['EXT', 'OES'] if debug else []),
                       '%s\n%s' % (found, err))

    def check_suite(self, suite, shares):
        command = [suite, '--build', self.options.build] + (ES2 if 'es2' in suite else [])
        if not self.options.all:
            command += ['--part', '%d/%d' % (self.options.seed % shares + 1, shares)]
        self.run_suite(command, **({'TEGRA20_SHIM_CHIP': 'a420'} if 'es2' in suite else {}))

    def check_writes(self):
        """Stages with buffers, in a window of many bins."""
        for runner in glob.glob('/usr/lib/*/piglit/bin/shader_runner')[:1]:
            status, out, err = self.command(self.chip(runner, 'tests/a4xx/writes.shader_test', '-auto', '-fbo'),
                                            **dict(tessellation.ENVIRONMENT, FD_MESA_DEBUG='tess,gmem'),
                                            PIGLIT_PLATFORM='surfaceless_egl')
            self.check('writes.shader_test', status == 0 and '"pass"' in out and 'strict: 0 diagnostics' in err, out + err)

    def check_feedback(self):
        """Transform feedback as llvmpipe's, whatever the chip does with vertices that come again and with instances."""
        program = os.path.join(self.options.build, 'tests/a4xx/a4xx-feedback')
        status, expected, err = self.command([program], LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe')
        self.check('a4xx-feedback on llvmpipe', status == 0, err)
        for switches in itertools.product(('U5=counted', 'U5=place', 'U5=each'), ('U17=continue', 'U17=restart')):
            words = [word for switch in switches for word in ('--switch', switch)]
            status, out, err = self.command(self.chip(program, options=words))
            differ = [line for line, other in zip(out.splitlines(), expected.splitlines()) if line != other]
            self.check('a4xx-feedback ' + ' '.join(switches),
                       status == 0 and out == expected and 'strict: 0 diagnostics' in err, '\n'.join(differ[:5]) + err)

    def check_programs(self):
        command = ['tests/programs/programs.py', '--build', self.options.build, '--chip', 'a420']
        self.run_suite(command if self.options.all else command + ['es2gears'])

    def run_suite(self, command, **environment):
        status, out, err = self.command(command, **environment)
        total = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
        if not total:
            self.check(command[0], False, out + err)
            return
        print('%s: %s' % (' '.join(command[:1] + command[3:]), out.strip().replace('\n', '\n   ')), flush=True)
        self.counts = [a + int(b) for a, b in zip(self.counts, total.groups())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--all', action='store_true')
    run = Run(parser.parse_args())
    run.check_extensions()
    run.check_writes()
    run.check_feedback()
    for suite, shares in SUITES.items():
        run.check_suite(suite, shares)
    run.check_programs()
    print('%d passed, %d failed, %d skipped' % tuple(run.counts))
    return 1 if run.counts[1] else 0


if __name__ == '__main__':
    sys.exit(main())
