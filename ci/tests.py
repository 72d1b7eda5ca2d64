#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Run the tests: ci/test [--all] [--record] [STEP ...]

Runs the steps below, two side by side where they do not use the same things (ci/test prepares the machine and the build
before).  Each step counts its tests; the last line is the total, "N passed, N failed, N skipped", and the exit status is
non-zero when one failed.  What takes long runs in parts, another one for each tree (ci/slices.py), which are printed; --all
runs everything.  Naming steps runs only those.  --record keeps in docs/results which parts a green tree ran, and with --all
what came out.  --audit lists every skip and every tolerance of all tests with its reason and count.

Environment: BUILD_DIR (default build).
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import slices  # beside this file
import measured  # tests/common/measured.py, as slices.py finds it

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('BUILD_DIR', 'build')
EVERYTHING = '--all' in sys.argv
# Families of the ES 2 grid whose cases were all compared with llvmpipe, too.
SECOND_OPINIONS = ['texture_sizes', 'specification', 'fbo_textures', 'generate']
ES2_AUDIT = 'docs/results/es2-audit.txt'


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f'{self.passed} passed, {self.failed} failed, {self.skipped} skipped'


def check(counts, name, ok, detail=''):
    """One test with a yes or no result, which it returns."""
    if ok:
        counts.passed += 1
    else:
        counts.failed += 1
        print(f'FAIL: {name}' + (f'\n{detail.rstrip()}' if detail else ''))
    return bool(ok)


def skip(counts, reason):
    counts.skipped += 1
    print(f'SKIP: {reason}')


def run(args, timeout=600, env=None):
    """Returns (status, stdout, stderr); a time-out is status -1."""
    try:
        p = subprocess.run(args, capture_output=True, text=True, errors='replace', timeout=timeout, cwd=TOP,
                           env={**os.environ, **(env or {})})
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired as e:
        return -1, str(e.stdout or ''), f'{e.stderr or ""}\ntimed out after {timeout} s'


def tool(name):
    return os.path.join(BUILD, name)


def add_counts(counts, name, status, out, err):
    """Takes over the closing line "N passed, N failed, N skipped" of another test program; one that ran nothing failed."""
    total = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
    passed, failed, skipped = map(int, total.groups()) if total else (0, 0, 0)
    if not passed + failed + skipped:
        check(counts, name, False, out[-3000:] + err[-3000:] + f'\nstatus {status}, no test ran')
        return
    lines = out.strip().split('\n')
    for at, line in enumerate(lines[:-12]):
        if line.startswith('FAIL'):
            print('\n'.join(lines[at:at + 12]))
    print('\n'.join(lines[-12:-1]))
    append_figures(name, {'passed': passed, 'failed': failed, 'skipped': skipped, 'total': passed + failed + skipped})
    counts.passed += passed
    counts.failed += failed
    counts.skipped += skipped


def suite(counts, *command, name=None, env=None):
    """A test program of its own; name: when the step runs it several times."""
    add_counts(counts, name or command[0], *run(command, timeout=7200, env=env))


def append_figures(name, figures):
    """For tests/docs/numbers.py, when all is run.  A short line is appended as a whole: steps run side by side."""
    if EVERYTHING:
        with open(os.path.join(TOP, BUILD, 'figures.jsonl'), 'a', encoding='utf-8') as file:
            file.write(json.dumps({name: figures}) + '\n')


# --- steps ------------------------------------------------------------------------------------------------------------

def step_style(counts, share):
    """Licence lines, line lengths, executable bits, left-over markers."""
    files = subprocess.run(['git', 'ls-files'], capture_output=True, text=True, cwd=TOP).stdout.split('\n')
    bad = []
    for name in files:
        if not re.search(r'\.(c|h|cpp|py)$|meson\.build$', name):
            continue
        text = open(os.path.join(TOP, name), encoding='utf-8').read()
        if text.strip() and not re.search(r'Copyright .*\n.*SPDX-License-Identifier: MIT', text[:200]):
            bad.append(f'{name}: no copyright and SPDX lines at the top')
        for number, line in enumerate(text.split('\n'), 1):
            limit = 170 if name.startswith('tests/unit/') else 130  # tables of cases may be wider
            if len(line) > limit:
                bad.append(f'{name}:{number}: {len(line)} columns')
            if re.search(r'\b(FIXME|XXX|HACK)\b', line) and name != 'ci/tests.py':
                bad.append(f'{name}:{number}: left-over marker')
    check(counts, 'style', not bad, '\n'.join(bad[:40]))
    check_format(counts, [f for f in files if re.match(r'(src|sim|tools|plugin)/.*\.[ch]$', f)])


def check_format(counts, files):
    """clang-format changes nothing.  Tests are left out: there a case is one line of a table, however long."""
    version = run(['clang-format', '--version'])[1] if shutil.which('clang-format') else 'no clang-format'
    if 'version 14.' not in version:
        skip(counts, f'clang-format: other versions format otherwise than 14: {version.strip()}')
        return
    _, out, err = run(['clang-format', '--dry-run', '-Werror', '--ferror-limit=1'] + files)
    check(counts, 'clang-format', not out + err, (out + err)[:3000])


def step_lists(counts, share):
    """Expectation lists: one test per line, each with its reason."""
    for name in sorted(os.listdir(os.path.join(TOP, 'ci'))):
        if not re.search(r'-(fails|skips|flakes|refused|references|undecided)\.txt$', name):
            continue
        bad = []
        for number, line in enumerate(open(os.path.join(TOP, 'ci', name), encoding='utf-8'), 1):
            line = line.strip()
            if line and not line.startswith('#') and not re.search(r'\s#\s*\S', line):
                bad.append(f'ci/{name}:{number}: no reason ("test  # reason")')
        check(counts, f'ci/{name}', not bad, '\n'.join(bad[:20]))
    page = read('tests/README.md')
    files = os.listdir(os.path.join(TOP, 'src/gallium/drivers/tegra20'))
    missing = [name for name in sorted(files) if name.endswith('.c') and f'`{name[8:-2]}`' not in page]
    check(counts, 'tests/README.md names every file of the driver', not missing, ' '.join(missing))
    gone = [f'{name}: {text}' for name, text, _ in tolerances() if text not in read(name)]
    check(counts, 'ci/tolerances.txt says what the tests say', not gone, '\n'.join(gone))
    listed = {name for name, _, _ in tolerances()}
    unlisted = [name for name in files_below('tests/gl') if name not in listed and
                re.search(r'^[^"\n]*(\bf?abs\(.*[<>]|define \w*TOLERANCE)', read(name), re.M)]
    check(counts, 'ci/tolerances.txt has each test of GL that tolerates a difference', not unlisted, ' '.join(unlisted))
    record = slices.read_record()
    late = [f'{step.name}: {part} of {step.parts}' for step in STEPS.values()
            for part in slices.late(record, step.name, step.parts)]
    check(counts, f'docs/results/slices.txt: each part ran in the last {slices.WINDOW} trees', not late, '\n'.join(late))


def read(name):
    with open(os.path.join(TOP, name), encoding='utf-8') as file:
        return file.read()


def files_below(directory):
    """C files of a directory, without those of folders in it."""
    return [f'{directory}/{name}' for name in sorted(os.listdir(os.path.join(TOP, directory))) if name.endswith('.c')]


def tolerances():
    """[(file, text, reason)] of ci/tolerances.txt"""
    with open(os.path.join(TOP, 'ci/tolerances.txt'), encoding='utf-8') as file:
        return [tuple(part.strip() for part in line.split(' | ')) for line in file if line.strip() and line[0] != '#']


def step_unit(counts, share):
    """Unit tests (meson test); of the suite "rotating", which has variants that take long, a part."""
    listed = json.loads(run(['meson', 'introspect', BUILD, '--tests'])[1] or '[]')
    own = [test for test in listed if not test['suite'][0].startswith('mesa')]
    rotating = [test for test in own if test['suite'][0].endswith(':rotating')]
    tests = share.of(rotating) + [test for test in own if test not in rotating]
    tests = tests if share.changed else tests[share.seed % slices.UNCHANGED::slices.UNCHANGED]
    log = os.path.join(TOP, BUILD, 'meson-logs', 'testlog.json')
    if os.path.exists(log):
        os.unlink(log)
    # with the project's name, as names have colons
    status, out, err = run(['meson', 'test', '-C', BUILD, '--no-rebuild', '--print-errorlogs', '--timeout-multiplier', '4'] +
                           [f'{test["suite"][0].partition(":")[0]}:{test["name"]}' for test in tests], timeout=1800)
    if not os.path.exists(log):
        check(counts, 'meson test', False, out + err)
        return
    results = [json.loads(line) for line in open(log, encoding='utf-8')]
    check(counts, 'each test has run', tests and len(results) == len(tests), f'{len(results)} of {len(tests)}')
    for result in results:
        if result['result'] == 'SKIP':
            skip(counts, f'unit test {result["name"]}')
        else:
            check(counts, result['name'], result['result'] in ('OK', 'EXPECTEDFAIL'),
                  result.get('stdout', '')[-3000:] + (result.get('stderr') or '')[-3000:])


def step_fuzz(counts, share):
    """Random and mutated streams, programs and files, with sanitizers, some seconds (docs/simulator.md: for longer)."""
    sanitized, files = tool('sanitized/tests/fuzz/fuzz_sim'), tool('sanitized/tests/fuzz/fuzz_files')
    status, out, err = run(['tests/sanitize/sanitized.py', '--build', BUILD, 'tests/fuzz/fuzz_sim', 'tests/fuzz/fuzz_files'],
                           timeout=1200)
    check(counts, 'build the fuzzers with sanitizers', status == 0, out[-3000:] + err)
    recording = os.path.join(TOP, BUILD, 'demo-fuzz.rec')
    status, out, err = run([tool('tegra20-run'), '--record', recording, '--', os.path.join(BUILD, 'tests/demo/tegra20-demo'),
                            '--frames', '3', '--size', '160x120', '--out', os.devnull])
    check(counts, 'record jobs for the fuzzer', status == 0, out + err)
    for command, number in (([sanitized, '--seconds', '600', '--jobs'], 60000),
                            ([sanitized, '--seconds', '600', '--recording', recording, '--variants'], 100),
                            ([tool('tests/fuzz/fuzz_sim'), '--seconds', '600', '--compare', '--jobs'], 20000),
                            ([files, recording, '--mutations'], 80000)):
        command += [str(number // share.parts), '--seed', str(share.seed)]
        status, out, err = run(command, timeout=900)
        print(out.strip())
        check(counts, ' '.join(command), status == 0, out + err)


# Of globals, by the room (CONTRIBUTING.md).
PREFIXES = {
    'src/compiler': 'tegra20|vs|vsb|fs|sched|cut|vpe|isa_text',
    'src/gallium': 'tegra20|ws',
    'src/tegra20': 'tegra20|recorder|recording|host1x|gr2d|gr3d',
    'sim/common': 'sim',
    'sim/tegra20': 'sim|host1x|gr2d|gr3d|vpe',
    'sim/vc4': 'v3d|bin|cl|clip|qpu|raster|render|shade|tiling|tlb|tmu|vpm',
    'sim/a4xx': 'a4xx|clip|compute|draw|fs|ir3|patches|raster|rb|shader|tex|vfd',
}


def imported_symbols(library):
    out = subprocess.run(['nm', '-D', '--undefined-only', library], capture_output=True, text=True).stdout
    return {m.group(1) for m in re.finditer(r' U (\w+)@libgallium', out)}


def global_names(directory, member):
    """Of the archives below a directory of the build: those of members whose names end so."""
    paths = [os.path.join(path, name) for path, _, names in os.walk(os.path.join(TOP, BUILD, directory)) for name in names
             if name.endswith('.a')]
    return set(re.findall(rf'{member}:\S+ [BCDRT] ([a-z]\w*)$', run(['nm', '-gA', '--defined-only', *paths])[1], re.M))


def step_plugin(counts, share):
    """The plug-in exports everything that the distribution's libraries import from their libgallium.  Names of globals."""
    for room, prefixes in PREFIXES.items():
        if not os.path.isdir(os.path.join(TOP, BUILD, room)):
            skip(counts, f'{room} is not built')
            continue
        names = global_names(room, '[.]c[.]o')
        bad = sorted(n for n in names if not re.match(f'({prefixes})_', n))
        check(counts, f'prefixes of {room} ({len(names)} names)', names and not bad, ' '.join(bad))
    both = global_names('src', '[.]o') & global_names('subprojects', '[.]o')
    check(counts, "no name of src/ is one of Mesa's", not both, ' '.join(sorted(both)))
    multiarch = subprocess.run(['gcc', '-print-multiarch'], capture_output=True, text=True).stdout.strip()
    directory = os.path.join(TOP, BUILD, 'lib')
    name = [n for n in os.listdir(directory) if n.startswith('libgallium-')][0]
    out = subprocess.run(['nm', '-D', '--defined-only', os.path.join(directory, name)], capture_output=True, text=True).stdout
    exported = {m.group(1): m.group(2) for m in re.finditer(r' [TDBRVW] (\w+)@@?(\S+)', out)}
    for library in ('libEGL_mesa.so.0', 'libGLX_mesa.so.0', 'gbm/dri_gbm.so'):
        path = f'/usr/lib/{multiarch}/{library}'
        wanted = imported_symbols(path)
        missing = sorted(s for s in wanted if exported.get(s) != name)
        check(counts, f'symbols of {library} ({len(wanted)})', wanted and not missing, ' '.join(missing[:20]))


def step_identity(counts, share):
    """The distribution's libEGL loads the driver: surfaceless and through gbm."""
    for platform in ('surfaceless_egl', 'gbm'):
        for api, version in (('gles2', 'OpenGL ES 2.0'), ('gles1', 'OpenGL ES-CM 1.1'), ('gl', '2.1')):
            status, out, err = run([tool('tegra20-run'), '--', 'wflinfo', '-p', platform, '-a', api],
                                   env={'WAFFLE_GBM_DEVICE': '/dev/dri/renderD128'})
            for what in ('Tegra 2 (tegra20)', 'Mesa 25.0.7', version):
                check(counts, f'wflinfo -p {platform} -a {api} names {what}', what in out, out[-2000:] + err[-1000:])
    status, out, err = run([tool('tegra20-run'), '--', 'eglinfo', '-B', '-p', 'surfaceless'])
    # that of Debian 13 names the renderer only
    check(counts, 'eglinfo names the driver', 'EGL driver name: tegra' in out or 'renderer: Tegra 2 (tegra20)' in out,
          out[-2000:] + err[-1000:])


def check_demo(counts, chip, renderer, reference, **environment):
    """The demo scene on a chip: strict mode silent, picture like that of a software renderer."""
    pictures = os.path.join(BUILD, 'demo-pictures')
    os.makedirs(os.path.join(TOP, pictures), exist_ok=True)
    ours, theirs = f'{pictures}/{chip}.png', f'{pictures}/{chip}-{reference}.png'
    demo = os.path.join(BUILD, 'tests/demo/tegra20-demo')
    status, out, err = run([tool('tegra20-run'), '--chip', chip, '--strict', '--', demo, '--out', ours])
    check(counts, f'demo on {chip} in strict mode', status == 0, out + err[-3000:])
    check(counts, f'demo ran on {chip}', renderer in out, out)
    status, out, err = run([demo, '--out', theirs], env={'LIBGL_ALWAYS_SOFTWARE': '1', **environment})
    check(counts, f'demo on {reference}', status == 0 and reference in out, out + err)
    status, out, err = run([os.path.join(BUILD, 'tests/demo/tegra20-compare'), ours, theirs, '--tolerance', '3',
                            '--percent', '99.5', '--diff', f'{pictures}/{chip}-diff.png'])
    print(f'demo on {chip} against {reference}: ' + out.strip())
    check(counts, f'demo on {chip} against {reference}', status == 0, out + err)


def step_demo(counts, share):
    """The demo scene: strict mode silent, picture like softpipe's."""
    check_demo(counts, 'tegra20', 'Tegra', 'softpipe', GALLIUM_DRIVER='softpipe', LD_LIBRARY_PATH=os.path.join(TOP, BUILD, 'lib'))


def step_videocore(counts, share):
    """The demo and programs on the other chip with Mesa's own driver: strict mode silent, pictures like llvmpipe's."""
    if not os.path.isdir(os.path.join(TOP, BUILD, 'lib-vc4')):
        skip(counts, 'this build directory was made without the vc4 driver (docs/videocore.md)')
        return
    demo, pictures = os.path.join(BUILD, 'tests/demo/tegra20-demo'), os.path.join(BUILD, 'demo-pictures')
    check_demo(counts, 'vc4', 'VC4 V3D 2.1', 'llvmpipe')
    for name in ('integer_division', 'polygon_offset'):  # all of these pass on boards (docs/videocore.md)
        status, out, err = run([tool('tegra20-run'), '--chip', 'vc4', '--strict', '--',
                                os.path.join(BUILD, 'tests/gl/test_' + name)])
        check(counts, f'{name} on VideoCore IV', status == 0, out + err)
    digests = {}
    for threads in ('1', '3'):
        status, out, err = run([os.path.join(BUILD, 'tests/videocore/videocore-fuzz'), '--jobs', '2000', '--seed', '3',
                                '--threads', threads])
        check(counts, f'mutated frames and random programs, {threads} threads', status == 0 and '2000 jobs' in out, out + err)
        digests[threads] = out.split('\n')[0]
    check(counts, 'mutated frames: memory with 1 and 3 threads', digests['1'] == digests['3'], repr(digests))
    recording, picture = os.path.join(TOP, BUILD, 'vc4.rec'), os.path.join(TOP, pictures, 'vc4-recorded.png')
    status, out, err = run([tool('tegra20-run'), '--chip', 'vc4', '--record', recording, '--', demo, '--frames', '3', '--size',
                            '320x240', '--out', picture])
    check(counts, 'record on VideoCore IV', status == 0, out + err)
    jobs = {}
    for options in (['--threads', '1'], ['--threads', '3'], ['--strict']):
        status, out, err = run([tool('tegra20-replay')] + options + [recording])
        check(counts, f'replay on VideoCore IV, {options[0]}', status == 0 and ' 0 different, 0 hung' in err, out + err[-2000:])
        jobs = re.search(r'vc4, ([1-9]\d*) jobs', err)
        check(counts, f'jobs replayed, {options[0]}', jobs, err)
    check_replayed_picture(counts, recording, picture, '320x240-8888-t', ['--swap'])
    check_videocore_dump(counts, recording, int(jobs[1]) if jobs else 0)
    # a sixtieth of it: all of it takes an hour
    suite(counts, 'tests/videocore/score.py', '--every', '60', '--first', str(share.seed % 60))
    suite(counts, 'tests/gl/es2/run.py', '--build', BUILD, '--references', 'ci/es2-references.txt', '--expect',
          'ci/videocore-fails.txt', '--part', f'{share.seed % 40 + 1}/40', env={'TEGRA20_SHIM_CHIP': 'vc4'},
          name='tests/gl/es2/run.py on VideoCore IV')
    suite(counts, 'tests/programs/programs.py', '--build', BUILD, '--chip', 'vc4', name='tests/programs/programs.py --chip vc4')


def step_adreno(counts, share):
    """Adreno A420 with Mesa's driver and our patches: tessellation, pictures, OpenGL ES 2.0 (all of it: tests/a4xx/run.py)."""
    if not os.path.isdir(os.path.join(TOP, BUILD, 'lib-a4xx')):
        skip(counts, 'this build directory was made without the option adreno (docs/adreno.md)')
        return
    check_demo(counts, 'a420', 'FD420', 'llvmpipe')
    suite(counts, 'tests/a4xx/run.py', '--build', BUILD, '--seed', str(share.seed), *['--all'] * EVERYTHING)


def check_replayed_picture(counts, recording, picture, name, options):
    """tegra20-replay --png writes the surface that a program read its picture from.  OpenGL's rows begin at the bottom."""
    with tempfile.TemporaryDirectory() as directory:
        status, out, err = run([tool('tegra20-replay'), '--png', os.path.join(directory, 'surface'), recording])
        written = [file for file in os.listdir(directory) if file.endswith(f'-{name}.png')]
        if check(counts, f'replay --png writes one {name}', status == 0 and len(written) == 1, f'{written}\n{out}{err[-2000:]}'):
            compare = [os.path.join(BUILD, 'tests/demo/tegra20-compare'), '--surface', '--tolerance', '0', '--percent', '100']
            status, out, err = run(compare + options + [picture, os.path.join(directory, written[0])])
            check(counts, f'replay --png: the picture, {name}', status == 0, out + err)


def check_videocore_dump(counts, recording, jobs):
    """All lists, a shader record for each packet that names one, and programs up to the two instructions after their end."""
    status, out, err = run([tool('tegra20-replay'), '--dump', '--no-run', recording])
    texts = ('tile_rendering_mode', 'store_resolved_eof', 'array_primitives', 'fragment program at', 'coordinate program at')
    check(counts, 'dump of it', status == 0 and all(text in out for text in texts) and 'in no buffer' not in out, out[:2000])
    lists = [re.findall(rf'^job (\d+): {name} list$', out, re.M) for name in ('binning', 'rendering')]
    check(counts, 'dump: lists of each job', jobs and lists[0] == lists[1] == [str(i) for i in range(jobs)], f'{jobs}: {lists}')
    check(counts, 'dump: shader records', 0 < out.count(' gl_shader_state record=') == out.count('\nshader record at'))
    addresses = re.findall(r'^\w+ program at (0x\w+)', out, re.M)
    records = [addresses[i:i + 3] for i in range(0, len(addresses), 3)]
    check(counts, 'dump: three programs in each record', records and all(len(set(r)) == 3 for r in records), str(records))
    programs = re.findall(r'^\w+ program at .*\n((?:   .*\n)*)', out, re.M)
    bad = [text for text in programs if not re.search(r'thrend\n[^\n]*\n[^\n]*\n$', text) or text.count('thrend') != 1]
    check(counts, 'dump: whole programs', len(programs) == 3 * out.count('\nshader record at') and not bad, '\n'.join(bad[:1]))


def step_kernels(counts, share):
    """The demo on both kernel interfaces, with late execution and with little memory: always the same picture."""
    demo = os.path.join(BUILD, 'tests/demo/tegra20-demo')
    digests = {}
    for options in ([], ['--async', '10'], ['--grate'], ['--grate', '--async', '10'], ['--threads', '1'], ['--memory', '64'],
                    ['--memory', '8']):
        name = ' '.join(options) or 'default'
        picture = os.path.join(TOP, BUILD, 'demo-kernel.png')
        status, out, err = run([tool('tegra20-run'), '--strict'] + options +
                               ['--', demo, '--frames', '3', '--out', picture], env={'TEGRA20_DEBUG': 'best'})
        check(counts, f'demo, {name}', status == 0, out + err[-2000:])
        digests[name] = hashlib.sha256(open(picture, 'rb').read()).hexdigest() if os.path.exists(picture) else None
        check(counts, f'picture, {name}', digests[name] == digests['default'], 'another picture than the default run')


def step_grate(counts, share):
    """Every 20th test of piglit on the interface of the grate project's kernel (also there: unit, kernels, bounds, faults)."""
    suite(counts, 'ci/piglit', '--list', 'ci/piglit-quick.txt', '--every', str(20 * share.parts),
          '--from', str(share.seed % (20 * share.parts)), '--results', os.path.join(BUILD, 'piglit-grate'),
          name='ci/piglit, grate', env={'TEGRA20_SHIM_GRATE': '1'})


def step_bounds(counts, share):
    """2,500 cases of draws out of bounds: no engine leaves the buffers of its job, on both kernel interfaces."""
    harmless = {'410', '412'}  # positions that the application made infinite, or larger than the rasteriser's range
    for options, cases in ([], 1500), (['--grate'], 500), (['--async', '3'], 500):
        status, out, err = run([tool('tegra20-run'), '--strict', '--threads', '1'] + options +
                               ['--', os.path.join(BUILD, 'tests/gl/test_bounds'), '--cases', str(cases)], timeout=600)
        numbers = set(re.findall(r'strict: +\d+ x \[(\d+)\]', err))
        name = f'{cases} cases {" ".join(options)}'
        check(counts, f'bounds, {name}', status in (0, 3) and f'{cases} cases' in out, out[-1000:] + err[-3000:])
        check(counts, f'bounds, {name}: memory', 'strict: ' in err and numbers <= harmless, err[-3000:])


def step_memory(counts, share):
    """2,000 frames that stream: nothing grows, nobody waits; peak of buffer memory."""
    steady = os.path.join(BUILD, 'tests/gl/test_steady')
    uncached = {'MESA_SHADER_CACHE_DISABLE': 'true'}  # the queue to the disk holds programs for some time
    # With late execution eight frames are in flight; a minute is "when something waits".
    for options, limit in ([], 2), (['--grate'], 2), (['--async', '60000'], 8), (['--memory', '8'], 2):
        name = ' '.join(options) or 'default'
        status, out, err = run([tool('tegra20-run'), '--strict'] + options + ['--', steady], timeout=600,
                               env=uncached)
        peak = re.search(r'peak of buffers: (\d+) KiB, ([\d.]+) times the (\d+) KiB', out)
        print(f'{name}: {peak.group(0) if peak else "?"}')
        check(counts, f'steady state, {name}', status == 0 and '2000 frames' in out, out[-2000:] + err[-2000:])
        if check(counts, f'peak of buffers, {name}', peak and float(peak.group(2)) < limit, out):
            append_figures(f'peak of buffers, {name}', {'peak': int(peak[1]), 'ratio': float(peak[2]), 'objects': int(peak[3])})
    status, out, err = run([tool('tegra20-run'), '--async', '60000', '--stats', '--', steady, '--no-read', '--frames', '20'])
    # The one wait is that for the engines' first jobs.  20 frames are 91 jobs, for which the push buffers have room.
    check(counts, 'streaming never waits', status == 0 and ', 1 waits' in err, out + err)
    # Nothing is executed before something waits, and the scene never does: the driver bounds what is in flight.
    status, out, err = run([tool('tegra20-run'), '--async', '60000', '--stats', '--', steady, '--no-read', '--frames', '1500'])
    peak = re.search(r'at most (\d+) KiB of buffers', err)
    print(f'nobody waits: {peak.group(0) if peak else "?"}')
    if check(counts, 'memory without any wait is bounded', status == 0 and peak and int(peak.group(1)) < 64 * 1024, out + err):
        append_figures('peak of buffers, nobody waits', {'peak': int(peak[1])})


VM_PARTS = ['boot', 'demo', 'winsys', 'passes', 'processes', 'hangs', 'killed', 'limits']  # of each run
VM_MORE = 4  # of the other parts, by the tree


def step_vm(counts, share):
    """Real kernels on the simulated chip (docs/vm.md)."""
    with contextlib.suppress(PermissionError):
        os.nice(-5)  # these kernels' processes wait for each other all the time: beside busy ones that takes four times as long
    others = [('6.12', 'pm-fault'), ('6.1', '')]
    for version, variant in [('6.12', '')] + share.of(others):
        kernel = f'{version}-{variant}' if variant else version
        command = ['ci/vm-kernel', '--version', version] + (['--variant', variant] if variant else [])
        # 6.12 is always built, its variant has two other files; a second kernel takes as long again
        status, out, err = run(command + ([] if EVERYTHING or version == '6.12' else ['--if-cached']), timeout=3600)
        if status == 4:
            skip(counts, f'kernel {kernel}: it is not built yet, which takes minutes: {" ".join(command)}')
        elif check(counts, f'ci/vm-kernel, {kernel}', status == 0, out + err):
            suite(counts, 'tests/vm/run.py', '--build', BUILD, '--kernel', kernel,
                  *([] if share.whole or kernel != '6.12' else vm_parts(share)), name=f'tests/vm/run.py, {kernel}')
            if not variant:
                suite(counts, 'tests/vm/arm_config.py', version, name=f'tests/vm/arm_config.py, {kernel}')


def vm_parts(share):
    others = [name for name in run(['tests/vm/run.py', '--list'])[1].split() if name not in VM_PARTS]
    return VM_PARTS + random.Random(share.seed).sample(others, VM_MORE) if share.changed else VM_PARTS[:2]


def step_replay(counts, share):
    """A recording of the demo replays bit for bit and is fully decoded."""
    demo = os.path.join(BUILD, 'tests/demo/tegra20-demo')
    recording = os.path.join(TOP, BUILD, 'demo.rec')
    frames = ['--', demo, '--frames', '100', '--size', '320x240', '--out', os.devnull]
    status, out, err = run([tool('tegra20-run'), '--record', recording] + frames)
    check(counts, 'record 100 frames', status == 0, out + err)
    short, picture = os.path.join(TOP, BUILD, 'demo-short.rec'), os.path.join(TOP, BUILD, 'demo-short.png')
    status, out, err = run([tool('tegra20-run'), '--record', short, '--', demo, '--frames', '3', '--size', '320x240',
                            '--out', picture])
    check(counts, 'record 3 frames', status == 0, out + err)
    check_replayed_picture(counts, short, picture, '320x240-rgba8888', [])
    for options in (['--threads', '1'], ['--threads', '2'], ['--strict']):
        status, out, err = run([tool('tegra20-replay')] + options + [recording])
        check(counts, f'replay {" ".join(options)}', status == 0 and ' 0 different, 0 hung' in err, out + err[-2000:])
    status, out, err = run([tool('tegra20-replay'), '--dump', '--no-run', recording])
    check(counts, 'dump', status == 0 and 'draw 0' in out, err)
    unnamed = [line for line in out.split('\n') if re.search(
        r'no such register|in no buffer|other bits=|incomplete|ends inside a packet|opcode \d| !\w+', line)]
    check(counts, 'dump knows every register, field, address and program word', not unnamed, '\n'.join(unnamed[:10]))
    other = os.path.join(TOP, BUILD, 'demo-other.rec')
    status, out, err = run([tool('tegra20-run'), '--record', other, '--', demo, '--frames', '3', '--size', '320x240',
                            '--out', os.devnull], env={'TEGRA20_DEBUG': 'nopasses'})
    check(counts, 'record 3 frames without passes', status == 0, out + err)
    for recorded, wanted, found in ((short, 0, 'fills: 0 with another state, 0 with'), (other, 1, '(job 3): the same picture;')):
        status, out, err = run([tool('tegra20-replay'), '--compare', short, recorded])
        check(counts, f'replay --compare: status {wanted}', status == wanted and found in out, out + err[-2000:])
    # Assumptions whose other value changes the picture: all the others must not matter.
    status, out, err = run(['/usr/bin/python3', 'tests/differential/assumptions.py', '--build', BUILD, '--allow',
                            'A10,A21,A22,A23,A33,A42,A43,A45,A47,A57,A58,A63,A64,A82,A100,A107,A108,A132,A133', short])
    check(counts, 'assumptions of the demo', status == 0, out + err)
    # The driver's own recording, as on a device.
    os.remove(recording)
    status, out, err = run([tool('tegra20-run'), '--async', '2', '--', demo, '--frames', '2', '--out', os.devnull],
                           env={'TEGRA20_DEBUG': f'record={recording}'})
    check(counts, 'record as on a device', status == 0 and 'recording stopped' not in err, out + err)
    status, out, err = run([tool('tegra20-replay'), recording])
    check(counts, 'replay of it', status == 0 and ' 0 different, 0 hung' in err, out + err[-2000:])


def step_compositor(counts, share):
    """Weston and its clients draw with one simulated chip; all in strict mode, executing late; the interfaces take turns."""
    if not shutil.which('weston'):
        skip(counts, 'weston is not installed')
        return
    for options in share.of([[], ['--grate']]):
        compositor(counts, options)


def compositor(counts, options):
    with tempfile.TemporaryDirectory() as directory:
        env = {**os.environ, 'XDG_RUNTIME_DIR': directory}
        prefix = [os.path.join(TOP, BUILD, 'tegra20-run'), f'--one-chip={directory}/chip', '--strict', '--stats', '--async',
                  '3'] + options + ['--']
        log = open(os.path.join(directory, 'weston.log'), 'w+', encoding='utf-8')
        weston = subprocess.Popen(
            prefix + ['weston', '--backend=headless-backend.so', '--use-gl', '--width=640', '--height=480',
                      '--socket=tegra20-test', '--idle-time=0', '--no-config'], env=env, stdout=log, stderr=log)
        for _ in range(100):
            if os.path.exists(os.path.join(directory, 'tegra20-test')):
                break
            time.sleep(0.1)
        env['WAYLAND_DISPLAY'] = 'tegra20-test'
        for client in ('weston-simple-egl', 'weston-simple-dmabuf-egl', 'es2gears_wayland'):
            if not shutil.which(client):
                skip(counts, f'{client} is not installed')
                continue
            p = subprocess.run(prefix + ['timeout', '8', client], env=env, capture_output=True, text=True)
            jobs = re.search(r'(\d+) jobs', p.stderr)
            check(counts, f'{client} draws', jobs and int(jobs.group(1)) > 20, p.stdout + p.stderr)
            check(counts, f'{client}: no diagnostics', 'strict: 0 diagnostics' in p.stderr, p.stderr)
        weston.terminate()
        status = weston.wait(timeout=120)
        log.seek(0)
        text = log.read()
        jobs = re.search(r'(\d+) jobs', text)
        check(counts, 'weston composites', jobs and int(jobs.group(1)) > 50, text[-3000:])
        check(counts, 'weston: no diagnostics', status == 0 and 'strict: 0 diagnostics' in text, text[-3000:])


def step_programs(counts, share):
    """Applications and their pictures: OpenGL ES 1, es2gears, a desktop, glmark2 (docs/applications.md: games)."""
    suite(counts, 'tests/programs/programs.py', '--build', BUILD)


def step_faults(counts, share):
    """Failing ioctls, little memory, jobs that time out: the demo, Weston, 100 piglit tests (20 on the grate interface)."""
    run_option = ['--run', tool('tegra20-run'), '--part', str(share)]
    demo = ['--', os.path.join(BUILD, 'tests/demo/tegra20-demo'), '--size', '64x48', '--frames', '1', '--out', 'PICTURE']
    grate = ['--options=--grate']
    for name, script, options in (('demo', 'walk', demo), ('demo, grate', 'walk', ['--step', '5', *grate, *demo]),
                                  ('weston', 'weston', ['--step', '6']),
                                  ('piglit', 'piglit', ['--count', '100', '--turns', '1']),
                                  ('piglit, grate', 'piglit', ['--count', '20', '--turns', '1', *grate])):
        suite(counts, f'tests/faults/{script}.py', *run_option, *options, name=f'faults, {name}')
    suite(counts, 'tests/faults/queues.py', '--build', BUILD)


def step_differential(counts, share):
    """Simulated chip against softpipe: 600 large programs, 150 of statements, 2,200 stages of piglit.  Equal expressions."""
    suite(counts, 'tests/differential/equal.py', '--build', BUILD, '--part', str(share))
    skipped = set()
    for stage, extent in (('vertex-structured', ['--seeds', '2', '--count', '50']),
                          ('fragment-structured', ['--count', '50']), ('vertex-heavy', ['--count', '200']),
                          ('fragment-heavy', ['--count', '400']),
                          # a draft whose packet would read seven registers; five loops by pixel; nothing fits in what
                          # trials that are cut short find
                          ('fragment-large', ['--seed', '3006', '--count', '8']),
                          ('fragment-large', ['--seed', '3053', '--count', '8']),
                          ('fragment-large', ['--seed', '3070', '--count', '8']),
                          ('piglit', []), ('piglit-vertex', ['--count', '520'])):
        status, out, err = run(['tests/differential/run.py', '--build', BUILD, '--stage', stage, '--part', str(share),
                                '--keep', os.path.join(BUILD, 'differential-failed')] + extent, timeout=1800)
        add_counts(counts, f'differential {stage}', status, out, err)
        skipped |= set(re.findall(r'^SKIP: ([^:]+):', out, re.M))
    with open(os.path.join(TOP, 'ci/differential-skips.txt'), encoding='utf-8') as file:
        listed = {line.split('#')[0].strip() for line in file} - {''}
    check(counts, 'ci/differential-skips.txt: every program of the list is still skipped', not share.whole or listed <= skipped,
          ' '.join(sorted(listed - skipped)))


def step_sanitizers(counts, share):
    """AddressSanitizer and UndefinedBehaviorSanitizer: driver and shim on each interface, compilers, programs in parts."""
    suite(counts, 'ci/sanitize', '--build', BUILD, '--quick', '--include', '^demo', 'address', name='ci/sanitize, demo')
    # An eighth of the part: all of it takes an hour.
    part = '1/1' if share.whole else f'{share.part + share.parts * (share.seed % 8)}/{8 * share.parts}'
    suite(counts, 'ci/sanitize', '--build', BUILD, '--no-build', '--quick', '--part', part, 'address')
    status, out, err = run(['tests/sanitize/sanitized.py', '--build', BUILD, 'tools/compiler/tegra20-compiler',
                            'tests/unit/fs/test_fs_cut_random'], timeout=1800)
    check(counts, 'tests/sanitize/sanitized.py', status == 0, out + err)
    status, out, err = run([tool('sanitized/tests/unit/fs/test_fs_cut_random'), '--programs', '200', '--seed',
                            str(share.seed)], timeout=900)
    print(out.strip())
    check(counts, 'random programs in parts (10,000: --programs 10000)', status == 0, out + err[-3000:])
    status, out, err = run(['tests/shader-db/shader-db.py', 'reasons', '--build', BUILD, '--part', str(share), '--compiler',
                            tool('sanitized/tools/compiler/tegra20-compiler')], timeout=1800)
    print(out.strip())
    check(counts, 'no crash, no complaint, no program that fails for an unknown reason', status == 0, err[-3000:])


def step_install(counts, share):
    """What "meson install" installs works there; the packages' scripts are well-formed (ci/package builds the packages)."""
    with tempfile.TemporaryDirectory() as directory:
        status, out, err = run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--skip-subprojects', '--quiet'],
                               env={'DESTDIR': directory})
        check(counts, 'meson install', status == 0, out + err)
        binaries = {name: os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names}
        for name in [n for n, path in binaries.items() if '/bin/' in path]:
            check(counts, f'{name} has a manual page', name + '.1' in binaries)
        status, out, err = run([binaries['tegra20-run'], '--strict', '--', 'wflinfo', '-p', 'surfaceless_egl', '-a', 'gles2'])
        check(counts, 'installed tegra20-run', status == 0 and 'Tegra 2 (tegra20)' in out, out + err)
        status, out, err = run([binaries['tegra20-run'], '--', binaries['tegra20-gl'], '--', 'wflinfo', '-p', 'surfaceless_egl',
                                '-a', 'gles2'])
        check(counts, 'installed tegra20-gl', status == 0 and 'Tegra 2 (tegra20)' in out, out + err)
        status, out, err = run([binaries['tegra20-gl'], '--check'])
        check(counts, 'tegra20-gl --check: no Tegra20 here', status == 1 and 'as which this driver is installed' in out,
              out + err)
        # A driver made for another Mesa must not be taken for the right one.
        library = next(path for name, path in binaries.items() if name.startswith('libgallium-'))
        os.rename(library, os.path.join(os.path.dirname(library), 'libgallium-0.0.so'))
        status, out, err = run([binaries['tegra20-gl'], '--check'])
        check(counts, 'tegra20-gl --check: another Mesa', status == 1 and 'this driver is libgallium-0.0.so' in out, out + err)
    for script in ('packaging/alpine/APKBUILD', 'tools/gl/tegra20-gl.in', 'packaging/examples/tegra20-gl.sh'):
        status, out, err = run(['dash', '-n', script])
        check(counts, f'{script}: syntax', status == 0, err)
    for script in ('ci/setup', 'ci/chroot', 'ci/newest-mesa', 'ci/test', 'ci/demo'):
        status, out, err = run(['bash', '-n', script])
        check(counts, f'{script}: syntax', status == 0, err)
    suite(counts, 'tests/setup/check_setup.py', '--build', BUILD)


def step_hwtest(counts, share):
    """tegra20-hwtest on the simulated chip: all is as assumed; flipped assumptions are named."""
    status, out, err = run([tool('tegra20-run'), '--', tool('tegra20-hwtest'), '--risky'], timeout=900)
    check(counts, 'tegra20-hwtest with the default assumptions', status == 0 and ' 0 different, 0 not run' in out,
          out[-2000:] + err[-1000:])
    few = ['--', tool('tegra20-hwtest'), '--only', 'A57,A71']
    for options, expected, text in ((['--grate'], 0, 'assumes in all experiments'),
                                    (['--async', '3'], 0, 'assumes in all experiments'),
                                    (['--fail', 'CHANNEL_SUBMIT:3:EINVAL'], 3, 'No experiment could be run'),
                                    (['--chip', 'tegra30'], 0, 'assumes in all experiments'),
                                    (['--chip', 'tegra114'], 0, 'assumes in all experiments'),
                                    (['--chip', 'tegra124'], 4, '')):
        status, out, err = run([tool('tegra20-run')] + options + few)
        check(counts, f'tegra20-hwtest with {" ".join(options)}', status == expected and text in out, out[-2000:] + err[-1000:])
    status, out, err = run([tool('tegra20-run'), '--async', '1'] + few + ['--timeout', '1'], env={
        'TEGRA20_SHIM_HANG': '3', 'TEGRA20_SHIM_TIMEOUT': '60000'})
    check(counts, 'tegra20-hwtest on a chip that stands still', status == 1 and 'HANGS' in out, out[-2000:] + err[-1000:])
    suite(counts, 'tests/hwtest/flip.py', '--build', BUILD, '--part', str(share))


def step_es2(counts, share):
    """Grids of OpenGL ES 2.0 cases: simulated chip against Mesa's software renderers."""
    lists = ['--expect', 'ci/es2-fails.txt', '--references', 'ci/es2-references.txt']
    part, audit = ['--part', str(share)], ['--audit', os.path.join(BUILD, 'es2-audit.txt')] * share.whole
    suite(counts, 'tests/gl/es2/run.py', '--build', BUILD, *part, *audit, *lists)
    # Rows of surfaces are upside down in memory.  The cases are those from above: they count when they fail.
    again = Counts()
    suite(again, 'tests/gl/es2/run.py', '--build', BUILD, *part, '--surface', *lists,
          'structs', 'varyings', 'edges', 'points', 'lines', 'culling', 'clipping', 'uniforms', 'discard', 'depth_stencil',
          'clears', 'depth_range', 'specification', 'draws', 'variables', 'discards',
          name='tests/gl/es2/run.py --surface')
    print(f'again with a surface, not counted twice: {again}')
    check(counts, 'the same with a surface', again.passed and not again.failed)
    # A twentieth of the cases about textures, where softpipe had a fault of the driver, has a second opinion.
    again = Counts()
    suite(again, 'tests/gl/es2/run.py', '--build', BUILD, '--part', f'{share.seed % 20 + 1}/20', '--second', '1/1', *lists,
          '--undecided', 'ci/es2-undecided.txt', *SECOND_OPINIONS, name='tests/gl/es2/run.py --second')
    check(counts, 'the same on llvmpipe', again.passed and not again.failed)


def step_mesa_tree(counts, share):
    """The driver as one of Mesa's own: configured and compiled in a copy of Mesa, without a warning."""
    directory = os.path.join(BUILD, 'mesa-tree')
    extent = '--driver-only' if share.changed else '--place-only'
    status, out, err = run(['ci/mesa-tree', extent, directory], timeout=1800)
    check(counts, f'ci/mesa-tree {extent}', status == 0, out[-3000:] + err[-1000:])
    status, out, err = run(['ci/mesa-series', '--check'])
    check(counts, 'ci/mesa-series names every file', status == 0, out + err)
    log = os.path.join(TOP, directory, 'driver.log')
    warnings = [line for line in open(log) if 'warning: ' in line and 'tegra20' in line] if os.path.exists(log) else []
    check(counts, 'the driver in Mesa compiles without a warning', not warnings, ''.join(warnings[:10]))
    changed = [name for name in ('meson.build', 'src/gallium/auxiliary/target-helpers/drm_helper.h')
               if 'tegra20' in open(os.path.join(TOP, 'subprojects', 'mesa', name)).read()]
    check(counts, 'subprojects/mesa is as it was', not changed, ' '.join(changed))
    # An edit that finds another text than it was made for must not pass.
    tree = tempfile.mkdtemp()
    try:
        for name in ('VERSION', 'meson_options.txt'):
            shutil.copy(os.path.join(TOP, 'subprojects', 'mesa', name), tree)
        with open(os.path.join(tree, 'meson_options.txt'), 'w') as f:
            f.write('option()\n')
        status, out, err = run(['ci/mesa-tree', '--place-only', '--mesa', tree, directory])
        check(counts, 'ci/mesa-tree refuses an unknown Mesa', status == 1 and 'meson_options.txt: expected this once' in err,
              out + err)
    finally:
        shutil.rmtree(tree)


def step_docs(counts, share):
    """Manual pages, documented commands, options, limits, formats, circles of files; the site."""
    suite(counts, 'ci/docs', '--build', BUILD)
    suite(counts, 'tests/docs/circles.py')
    suite(counts, 'tests/docs/citations.py')
    suite(counts, 'tests/docs/numbers.py')
    suite(counts, 'tests/perf/published.py', '--build', BUILD, '--check')
    suite(counts, 'tests/docs/check_docs.py', '--build', BUILD)


def step_shader_db(counts, share):
    """3,100 programs against their baseline, when the compilers have changed: none is lost, none takes more cycles."""
    if not share.changed:
        skip(counts, 'shader-db: the compilers have not changed')
        return
    status, out, err = run(['tests/shader-db/shader-db.py', 'check', '--build', BUILD], timeout=1200)
    print(out.strip().split('\n')[-1])
    check(counts, 'shader-db: no program lost, no cycles more', status == 0, out[-3000:] + err[-1000:])


def step_piglit(counts, share):
    """piglit through the simulator, against the expectation lists."""
    suite(counts, 'ci/piglit', '--list', 'ci/piglit-quick.txt', '--every', str(share.parts), '--from', str(share.part - 1),
          name='ci/piglit --list')


def step_mutation(counts, share):
    """One-line bugs that a review named are caught (some each time); generated ones are tried and measured."""
    bugs = ['tests/mutation/mutate.py', '--seed', str(share.seed), '--tree', os.path.join(BUILD, 'mutation')]
    for what, options in (('named', ['--named', '--sample', '2', '--seconds', '60']),
                          ('generated', ['--sample', '14', '--seconds', '90', '--cpu', '20'])):
        status, out, err = run(bugs + options, timeout=2400)
        print(out.strip())
        total = re.search(r'(\d+) caught, (\d+) survived, (\d+) invalid\s*$', out)
        # The tree chooses the generated ones: one that survives says that a test is missing, not that this tree is wrong.
        if check(counts, f'tests/mutation/mutate.py, {what}', status == 0 and total, out[-3000:] + err[-2000:]):
            counts.passed += int(total[1])
            for line in re.findall(r'^survived +(.*)', out, re.M):
                skip(counts, f'no test notices this bug: {line}')


def step_perturb(counts, share):
    """Would the ES 2 grid notice?  Its pictures shifted, darker, empty, exchanged or uniform are rejected."""
    suite(counts, 'tests/gl/es2/perturb.py', '--build', BUILD, '--part', str(share))


def step_profile(counts, share):
    """Chips that behave otherwise: calibration finds how, and the driver with that profile draws right (a sample of both)."""
    suite(counts, 'tests/hwtest/calibrate.py', '--build', BUILD, '--chips', '8', '--seed', str(share.seed))
    # The whole, with more cases, is in docs/results/profiles.md.
    profiles = ['tests/hwtest/profile.py', '--build', BUILD, '--seed', str(share.seed)]
    values = [] if share.whole else ['--sample', '8' if share.changed else '1']
    suite(counts, *profiles, '--every', '233', '--piglit', '460', *values)
    suite(counts, *profiles, '--every', '1500', '--pairs', 'all', '--sample',
          '30' if share.whole else '6' if share.changed else '1',
          name='tests/hwtest/profile.py, pairs')
    # What the sample has few cases of: triangles that the CPU clips and fragments that it tests, depth, textures of the
    # driver's own, wraps and filters.
    for only, every, values in share.of([('discards/', '4', ['A21=dropped', 'A36=passed', 'A37=none']),
                                         ('offset/', '1', ['A34=20']),
                                         ('levels/cube_projected', '4', ['A133=normalised']),
                                         ('texture_filter/', '5', ['A57=16', 'A58=nearest'])]):
        suite(counts, *profiles, '--only', only, '--every', every, *values, name=f'tests/hwtest/profile.py, {only}')


def step_chips(counts, share):
    """Tegra30 and Tegra114 in strict mode: the demo, slices of the other tests, streams that were made for another chip."""
    suite(counts, 'tests/chips/run.py', '--build', BUILD)


def step_adversary(counts, share):
    """A chip that does nothing before it must: demo, Weston, two processes, 600 ES 2 cases, 130 of piglit, with each seed."""
    suite(counts, 'tests/hwtest/adversary.py', '--build', BUILD, '--part', str(share), '--seeds', '3' if share.whole else '2')
    desktops(counts, '123' if share.whole else str(share.seed % 3 + 1))


def desktops(counts, seeds):
    """A picture of Weston and two clients: with each seed the same as without."""
    if not shutil.which('weston') or not shutil.which('weston-eventdemo'):
        skip(counts, 'weston is not installed')
        return
    pictures = []
    for seed in '0' + seeds:
        with tempfile.TemporaryDirectory() as directory:
            _, out, err = run(['tests/programs/programs.py', '--build', BUILD, '--keep', directory, 'desktop'],
                              env={'TEGRA20_SHIM_ADVERSARY': seed}, timeout=900)
            path = os.path.join(directory, 'desktop.png')
            with open(path if os.path.exists(path) else os.devnull, 'rb') as file:
                pictures.append(file.read())
        check(counts, f'weston, seed {seed}', 'ok:   weston: draws, no diagnostics' in out and pictures[-1] == pictures[0] != b'',
              out[-2000:] + err[-1000:])


class Step:
    """Steps of the same room run one after the other.  Of its parts one runs; of what none of these paths concerns, less."""

    def __init__(self, function, parts=1, paths=(), room=''):
        self.function, self.name, self.parts, self.paths, self.room = function, function.__name__[5:], parts, paths, room
        self.doc = function.__doc__.strip().split('\n')[0]

    def share(self):
        return slices.Share(self.name, self.parts, self.paths, EVERYTHING)


COMPILER = ['src/compiler', 'src/tegra20', 'tools/compiler', 'meson.build']
DRIVER = ['src', 'sim', 'plugin', 'tools', 'meson.build']
PIGLIT = DRIVER + ['ci/piglit*']
# What takes longest first, steps of one room apart: two workers end at about the same time.
STEPS = {step.name: step for step in (
    Step(step_unit, 3, DRIVER + ['tests/unit', 'tests/gl', 'tests/common', 'tests/vectors'], 'meson'),
    Step(step_vm, 2, DRIVER + ['tests/vm', 'ci/vm-kernel']), Step(step_piglit, 4, PIGLIT),
    Step(step_mesa_tree, 1, ['ci/mesa-tree', 'ci/mesa-series', 'src/**/meson.build', 'src/**/*.h']),
    Step(step_adversary, 4, room='weston'), Step(step_mutation), Step(step_es2, 1, DRIVER + ['tests/gl/es2', 'ci/es2*']),
    Step(step_sanitizers, 4, DRIVER + ['ci/sanitize', 'tests/sanitize', 'tests/shader-db', 'tests/gl'], 'sanitized'),
    Step(step_faults, 4, DRIVER + ['tests/faults'], 'weston'), Step(step_profile, 3, DRIVER + ['tests/hwtest']),
    Step(step_differential, 2, DRIVER + ['tests/differential']),
    Step(step_videocore, 1, ['sim/vc4', 'sim/common', 'sim/drm-shim', 'plugin', 'tests/unit/vc4', 'tests/videocore']),
    Step(step_adreno, 1, ['sim/a4xx', 'packaging/patches', 'sim/common', 'sim/drm-shim', 'plugin', 'tests/a4xx']),
    Step(step_programs, room='weston'), Step(step_docs),
    Step(step_hwtest, 2, ['src/tegra20', 'sim', 'tools/hwtest', 'tests/hwtest']),
    Step(step_shader_db, 1, COMPILER + ['tests/shader-db']),
    Step(step_fuzz, 4, ['sim', 'src/tegra20', 'src/compiler/tegra20/tegra20_serialize.c', 'tests/fuzz'], 'sanitized'),
    Step(step_chips), Step(step_compositor, 2, room='weston'), Step(step_perturb, 1, ['tests/gl/es2']),
    Step(step_grate, 1, PIGLIT),
    Step(step_install, room='meson'), Step(step_memory), Step(step_bounds), Step(step_replay), Step(step_kernels),
    Step(step_identity), Step(step_demo), Step(step_plugin), Step(step_lists), Step(step_style))}


def run_step(step):
    """(text, counts, seconds, seconds of CPU) of a step in a process of its own: what it prints stays together."""
    start = time.monotonic()
    p = subprocess.run([sys.executable, os.path.abspath(__file__), '--alone', step.name] + ['--all'] * EVERYTHING,
                       capture_output=True, text=True, errors='replace', cwd=TOP)
    counts = Counts()
    total = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\n(\d+) s of CPU\s*$', p.stdout)
    if total:
        counts.passed, counts.failed, counts.skipped = (int(n) for n in total.groups()[:3])
    else:
        counts.failed = 1
    text = p.stdout[:total.start()] + p.stderr if total else p.stdout + p.stderr
    return text, counts, time.monotonic() - start, total[4] if total else '?'


def run_alone(step):
    counts = Counts()
    try:
        step.function(counts, step.share())
    except Exception as e:  # a step that breaks is one failed test; the others still run
        check(counts, step.name, False, repr(e))
    print(counts)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'{used.ru_utime + used.ru_stime:.0f} s of CPU')
    return 1 if counts.failed else 0


def run_steps(steps, workers):
    """Prints each step when it is done; the total, and the line of each step."""
    locks = {room: threading.Lock() for room in {step.room for step in steps}}
    printing, total, durations, lines = threading.Lock(), Counts(), last_durations(), []

    def work(step):
        with locks[step.room] if step.room else contextlib.nullcontext():
            text, counts, seconds, cpu = run_step(step)
        share = step.share()
        with printing:
            lines.append(f'== {step.name}: {step.doc} {"" if share.whole else f"Part {share}, seed {share.seed}. "}{counts} '
                         f'({seconds:.1f} s, {cpu} s of CPU)')
            print(text + lines[-1], flush=True)
            total.add(counts)
            durations[step.name] = round(seconds)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, steps))
    with open(os.path.join(TOP, BUILD, 'step-seconds.json'), 'w', encoding='utf-8') as file:
        json.dump(durations, file)
    return total, lines


def last_durations():
    """Seconds of each step when it ran last in this build directory."""
    path = os.path.join(TOP, BUILD, 'step-seconds.json')
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def record(lines):
    """Which parts this tree ran; with --all also what came out."""
    if slices.git('status', '--porcelain', '--untracked-files=no').stdout:
        sys.exit('ci/test --record: there are changes that are in no commit, so no tree has run')
    slices.write_record({step.name: step.share() for step in STEPS.values() if step.parts > 1 or step.paths})
    if STEPS['es2'].share().whole:
        shutil.copy(os.path.join(TOP, BUILD, 'es2-audit.txt'), os.path.join(TOP, ES2_AUDIT))
    if EVERYTHING:
        with open(os.path.join(TOP, 'docs/results/tests-all.txt'), 'w', encoding='utf-8') as file:
            file.write('\n'.join([measured.head('ci/test --all --record')] + lines) + '\n')


def print_audit():
    """Every skip and every tolerance, with its reason and count."""
    for name in sorted(os.listdir(os.path.join(TOP, 'ci'))):
        if re.search(r'-(fails|skips|flakes|references|undecided)\.txt$', name):
            with open(os.path.join(TOP, 'ci', name), encoding='utf-8') as file:
                reasons = [line.split('#', 1)[1].strip() for line in file if '#' in line and not line.startswith('#')]
            print(f'ci/{name}: {len(reasons)} entries')
            for reason, count in sorted(collections.Counter(reasons).items(), key=lambda item: (-item[1], item[0])):
                print(f'{count:6} x {reason}')
    print('tolerances (ci/tolerances.txt)')
    for name, text, reason in tolerances():
        print(f'   {name}: {text}: {reason}')
    print('ES 2 grid: tolerances, pictures that a mistake does not change, skipped cases (of the last ci/test --record)')
    text = read(ES2_AUDIT)
    print(text, end='')
    counts = collections.Counter(re.findall(r'^([A-Z]+)', text, re.M))
    print(f'{len(tolerances())} tolerances in ci/tolerances.txt; ES 2 grid: {counts["TOLERANCE"]} kinds of tolerances, '
          f'{counts["UNCHANGED"]} of pictures that a mistake does not change, {counts["SKIPPED"]} of skipped cases')
    return 0


def main():
    seconds = last_durations()
    table = ''.join(f'  {name:13}{step.doc}{f" [{seconds[name]} s]" if name in seconds else ""}\n'
                    for name, step in STEPS.items())
    parser = argparse.ArgumentParser(description='Run the tests.', formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog=f'steps, with the seconds that they took last:\n{table}')
    parser.add_argument('--all', action='store_true', help='everything, not the parts that this tree takes (hours)')
    parser.add_argument('--record', action='store_true', help='keep in docs/results which parts ran, if all is green')
    parser.add_argument('--audit', action='store_true', help='list every skip and every tolerance with reason and count')
    parser.add_argument('--workers', type=int, default=2, help='steps that run side by side (default 2)')
    parser.add_argument('--alone', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('steps', nargs='*', metavar='STEP')
    args = parser.parse_args()
    for name in args.steps:
        if name not in STEPS:
            parser.error(f'unknown step {name!r}')
    if args.record and args.steps:
        parser.error('--record is for all steps')
    os.environ['PATH'] = '/usr/bin:' + os.environ['PATH']
    # As ci/setup compiles: what steps build is not compiled twice, in no clone.
    os.environ.update(CCACHE_BASEDIR=TOP, CCACHE_NOHASHDIR='1',
                      CCACHE_SLOPPINESS='time_macros,include_file_mtime,include_file_ctime')
    os.environ.setdefault('TEGRA20_DEBUG', 'refuse')  # no test passes with a dummy in place of a program that does not fit
    if args.audit:
        return print_audit()
    if args.alone:
        return run_alone(STEPS[args.steps[0]])
    # the longest steps first: two workers end at about the same time
    chosen = [STEPS[name] for name in args.steps or sorted(STEPS, key=lambda name: -seconds.get(name, 0))]
    total, lines = run_steps(chosen, args.workers)
    green = total.passed and not total.failed
    if args.record and green:
        record(lines + [str(total)])
    print(total)
    return 0 if green else 1


if __name__ == '__main__':
    sys.exit(main())
