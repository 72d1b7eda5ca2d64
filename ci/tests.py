#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Run every test: ci/test [--quick] [STEP ...]

Runs the steps below, two side by side where they do not use the same things (ci/test prepares the machine and the build
before).  Each step counts its tests; the last line is the total, "N passed, N failed, N skipped", and the exit status is
non-zero when one failed.  --quick leaves out the piglit step; naming steps runs only those.  --audit lists every skip and
every tolerance of all tests with its reason and count.

Environment: BUILD_DIR (default build).
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('BUILD_DIR', 'build')


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
    """Takes over the closing line "N passed, N failed, N skipped" of another test program."""
    total = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
    if not total:
        check(counts, name, False, out[-3000:] + err[-3000:])
        return
    lines = out.strip().split('\n')
    for at, line in enumerate(lines[:-12]):
        if line.startswith('FAIL'):
            print('\n'.join(lines[at:at + 12]))
    print('\n'.join(lines[-12:-1]))
    record_figures(name, *map(int, total.groups()))
    counts.passed += int(total.group(1))
    counts.failed += int(total.group(2))
    counts.skipped += int(total.group(3))


def record_figures(name, passed, failed, skipped):
    """The counts of a suite, for tests/docs/numbers.py.  A short line is appended as a whole: steps run side by side."""
    append_figures(name, {'passed': passed, 'failed': failed, 'skipped': skipped, 'total': passed + failed + skipped})


def append_figures(name, figures):
    with open(os.path.join(TOP, BUILD, 'figures.jsonl'), 'a', encoding='utf-8') as file:
        file.write(json.dumps({name: figures}) + '\n')


# --- steps ------------------------------------------------------------------------------------------------------------

def step_style(counts):
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


def step_lists(counts):
    """Expectation lists: one test per line, each with its reason."""
    for name in sorted(os.listdir(os.path.join(TOP, 'ci'))):
        if not re.search(r'-(fails|skips|flakes|refused|references)\.txt$', name):
            continue
        bad = []
        for number, line in enumerate(open(os.path.join(TOP, 'ci', name), encoding='utf-8'), 1):
            line = line.strip()
            if line and not line.startswith('#') and not re.search(r'\s#\s*\S', line):
                bad.append(f'ci/{name}:{number}: no reason ("test  # reason")')
        check(counts, f'ci/{name}', not bad, '\n'.join(bad[:20]))
    page = open(os.path.join(TOP, 'tests/README.md'), encoding='utf-8').read()
    files = os.listdir(os.path.join(TOP, 'src/gallium/drivers/tegra20'))
    missing = [name for name in sorted(files) if name.endswith('.c') and f'`{name[8:-2]}`' not in page]
    check(counts, 'tests/README.md names every file of the driver', not missing, ' '.join(missing))
    gone = [f'{name}: {text}' for name, text, _ in tolerances()
            if text not in open(os.path.join(TOP, name), encoding='utf-8').read()]
    check(counts, 'ci/tolerances.txt says what the tests say', not gone, '\n'.join(gone))


def tolerances():
    """[(file, text, reason)] of ci/tolerances.txt"""
    with open(os.path.join(TOP, 'ci/tolerances.txt'), encoding='utf-8') as file:
        return [tuple(part.strip() for part in line.split(' | ')) for line in file if line.strip() and line[0] != '#']


def step_unit(counts):
    """Unit tests (meson test)."""
    log = os.path.join(TOP, BUILD, 'meson-logs', 'testlog.json')
    if os.path.exists(log):
        os.unlink(log)
    status, out, err = run(['meson', 'test', '-C', BUILD, '--no-rebuild', '--no-suite', 'mesa', '--print-errorlogs',
                            '--timeout-multiplier', '4'],
                           timeout=1800)
    if not os.path.exists(log):
        check(counts, 'meson test', False, out + err)
        return
    for line in open(log, encoding='utf-8'):
        result = json.loads(line)
        if result['result'] == 'SKIP':
            skip(counts, f'unit test {result["name"]}')
        else:
            check(counts, result['name'], result['result'] in ('OK', 'EXPECTEDFAIL'),
                  result.get('stdout', '')[-3000:] + (result.get('stderr') or '')[-3000:])


def step_fuzz(counts):
    """Random and mutated streams and programs, with sanitizers, about a minute (docs/simulator.md: for longer)."""
    seed = '1'  # fixed: a run of the tests can be repeated
    directory = os.path.join(BUILD, 'sanitized')
    if not os.path.exists(os.path.join(TOP, directory, 'build.ninja')):
        status, out, err = run(['meson', 'setup', directory, '-Ddriver=false', '-Db_sanitize=address,undefined',
                                '-Db_lundef=false'])
        check(counts, 'configure the simulator with sanitizers', status == 0, out + err)
    status, out, err = run(['ninja', '-C', directory, 'tests/fuzz/fuzz_sim'], timeout=1200)
    check(counts, 'build the simulator with sanitizers', status == 0, out[-3000:] + err)
    recording = os.path.join(TOP, BUILD, 'demo-fuzz.rec')
    status, out, err = run([tool('tegra20-run'), '--record', recording, '--', os.path.join(BUILD, 'tests/demo/tegra20-demo'),
                            '--frames', '3', '--size', '160x120', '--out', os.devnull])
    check(counts, 'record jobs for the fuzzer', status == 0, out + err)
    sanitized = os.path.join(directory, 'tests/fuzz/fuzz_sim')
    for command in ([sanitized, '--jobs', '60000'], [sanitized, '--recording', recording, '--variants', '100'],
                    [tool('tests/fuzz/fuzz_sim'), '--compare', '--jobs', '20000']):
        status, out, err = run(command + ['--seconds', '600', '--seed', seed], timeout=900)
        print(out.strip())
        check(counts, f'{" ".join(command)} --seed {seed}', status == 0, out + err)


def imported_symbols(library):
    out = subprocess.run(['nm', '-D', '--undefined-only', library], capture_output=True, text=True).stdout
    return {m.group(1) for m in re.finditer(r' U (\w+)@libgallium', out)}


def step_plugin(counts):
    """The plug-in exports everything that the distribution's libraries import from their libgallium."""
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


def step_identity(counts):
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


def step_demo(counts):
    """The demo scene: strict mode silent, picture like softpipe's."""
    pictures = os.path.join(BUILD, 'demo-pictures')
    os.makedirs(os.path.join(TOP, pictures), exist_ok=True)
    ours, theirs = f'{pictures}/tegra20.png', f'{pictures}/softpipe.png'
    demo = os.path.join(BUILD, 'tests/demo/tegra20-demo')
    status, out, err = run([tool('tegra20-run'), '--strict', '--', demo, '--out', ours])
    check(counts, 'demo in strict mode', status == 0, out + err[-3000:])
    check(counts, 'demo ran on the simulated chip', 'Tegra' in out, out)
    status, out, err = run([demo, '--out', theirs], env={
        'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'softpipe', 'LD_LIBRARY_PATH': os.path.join(TOP, BUILD, 'lib')})
    check(counts, 'demo on softpipe', status == 0 and 'softpipe' in out, out + err)
    status, out, err = run([os.path.join(BUILD, 'tests/demo/tegra20-compare'), ours, theirs, '--tolerance', '3',
                            '--percent', '99.5', '--diff', f'{pictures}/diff.png'])
    print('demo against softpipe: ' + out.strip())
    check(counts, 'demo against softpipe', status == 0, out + err)


def step_videocore(counts):
    """The demo and programs on the other chip with Mesa's own driver: strict mode silent, pictures like llvmpipe's."""
    if not os.path.isdir(os.path.join(TOP, BUILD, 'lib-vc4')):
        skip(counts, 'this build directory was made without the vc4 driver (docs/videocore.md)')
        return
    pictures = os.path.join(BUILD, 'demo-pictures')
    os.makedirs(os.path.join(TOP, pictures), exist_ok=True)
    ours, theirs = f'{pictures}/vc4.png', f'{pictures}/llvmpipe.png'
    demo = os.path.join(BUILD, 'tests/demo/tegra20-demo')
    status, out, err = run([tool('tegra20-run'), '--chip', 'vc4', '--strict', '--', demo, '--out', ours])
    check(counts, 'demo on VideoCore IV in strict mode', status == 0, out + err[-3000:])
    check(counts, 'demo ran on VideoCore IV', 'VC4 V3D 2.1' in out, out)
    status, out, err = run([demo, '--out', theirs], env={'LIBGL_ALWAYS_SOFTWARE': '1'})
    check(counts, 'demo on llvmpipe', status == 0 and 'llvmpipe' in out, out + err)
    status, out, err = run([os.path.join(BUILD, 'tests/demo/tegra20-compare'), ours, theirs, '--tolerance', '3',
                            '--percent', '99.5', '--diff', f'{pictures}/vc4-diff.png'])
    print('demo on VideoCore IV against llvmpipe: ' + out.strip())
    check(counts, 'demo on VideoCore IV against llvmpipe', status == 0, out + err)
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
    status, out, err = run(['tests/videocore/audit.py', '--self-test'], timeout=1200)
    check(counts, 'each operation, mode, register, format and packet has a unit test', status == 0, out + err)
    add_counts(counts, 'tests/programs/programs.py --chip vc4',
               *run(['tests/programs/programs.py', '--build', BUILD, '--chip', 'vc4'], timeout=900))


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


def step_kernels(counts):
    """The demo on both kernel interfaces, with late execution and with little memory: always the same picture."""
    demo = os.path.join(BUILD, 'tests/demo/tegra20-demo')
    digests = {}
    for options in ([], ['--legacy'], ['--async', '10'], ['--legacy', '--async', '10'], ['--grate'],
                    ['--grate', '--async', '10'], ['--threads', '1'],
                    ['--memory', '64'], ['--memory', '8']):
        name = ' '.join(options) or 'default'
        picture = os.path.join(TOP, BUILD, 'demo-kernel.png')
        status, out, err = run([tool('tegra20-run'), '--strict'] + options +
                               ['--', demo, '--frames', '3', '--out', picture], env={'TEGRA20_DEBUG': 'best'})
        check(counts, f'demo, {name}', status == 0, out + err[-2000:])
        digests[name] = hashlib.sha256(open(picture, 'rb').read()).hexdigest() if os.path.exists(picture) else None
        check(counts, f'picture, {name}', digests[name] == digests['default'], 'another picture than the default run')
    # without a word of the driver: another one of Mesa's is for it
    status, out, err = run([tool('tegra20-run'), '--chip', 'tegra124', '--', demo, '--frames', '1', '--out', os.devnull])
    check(counts, 'tegra124 falls back', re.search('renderer: (softpipe|llvmpipe)', out) and 'tegra20:' not in err, out + err)


def step_legacy(counts):
    """Tests of GL and every 20th piglit test on the older interface (also there: unit, kernels, bounds, memory, faults...)."""
    on_kernel(counts, 'legacy')


def step_grate(counts):
    """The same on the interface of the grate project's kernel (also there: unit, kernels)."""
    on_kernel(counts, 'grate')


def on_kernel(counts, kernel):
    env = {f'TEGRA20_SHIM_{kernel.upper()}': '1'}
    status, out, err = run(['meson', 'test', '-C', BUILD, '--list', '--suite', 'gl'])
    other = 'reset|no device|two processes|threads|hand over|tegra20-gl|long jobs'  # with kernels of their own, or none
    names = [name for name in re.findall(r' / (.*)', out) if not re.match(other, name)]
    check(counts, 'tests of GL are found', len(names) > 10, out + err)
    status, out, err = run(['meson', 'test', '-C', BUILD, '--no-rebuild', '--logbase', kernel, '--print-errorlogs'] + names,
                           timeout=1800, env=env)
    total = {word: int(n) for word, n in re.findall(r'^(Ok|Skipped): +(\d+)', out, re.M)}
    counts.passed += total.get('Ok', 0)
    counts.skipped += total.get('Skipped', 0)
    check(counts, f'tests of GL, {kernel}', status == 0, out[-3000:] + err)
    results = os.path.join(TOP, BUILD, f'piglit-{kernel}')
    status, out, err = run(['ci/piglit', '--list', 'ci/piglit-quick.txt', '--every', '20', '--results', results], timeout=1800,
                           env=env)
    add_counts(counts, f'ci/piglit, {kernel}', status, out, err)


def step_bounds(counts):
    """2,500 cases of draws out of bounds: no engine leaves the buffers of its job, on both kernel interfaces."""
    harmless = {'410', '412'}  # positions that the application made infinite, or larger than the rasteriser's range
    for options, cases in ([], 1500), (['--legacy'], 500), (['--async', '3'], 500):
        status, out, err = run([tool('tegra20-run'), '--strict', '--threads', '1'] + options +
                               ['--', os.path.join(BUILD, 'tests/gl/test_bounds'), '--cases', str(cases)], timeout=600)
        numbers = set(re.findall(r'strict: +\d+ x \[(\d+)\]', err))
        name = f'{cases} cases {" ".join(options)}'
        check(counts, f'bounds, {name}', status in (0, 3) and f'{cases} cases' in out, out[-1000:] + err[-3000:])
        check(counts, f'bounds, {name}: memory', 'strict: ' in err and numbers <= harmless, err[-3000:])


def step_memory(counts):
    """2,000 frames that stream: nothing grows, nobody waits; peak of buffer memory."""
    steady = os.path.join(BUILD, 'tests/gl/test_steady')
    uncached = {'MESA_SHADER_CACHE_DISABLE': 'true'}  # the queue to the disk holds programs for some time
    # With late execution eight frames are in flight; a minute is "when something waits".
    for options, limit in ([], 2), (['--legacy'], 2), (['--async', '60000'], 8), (['--memory', '8'], 2):
        name = ' '.join(options) or 'default'
        status, out, err = run([tool('tegra20-run'), '--strict'] + options + ['--', steady], timeout=600,
                               env=uncached)
        peak = re.search(r'peak of buffers: (\d+) KiB, ([\d.]+) times the (\d+) KiB', out)
        print(f'{name}: {peak.group(0) if peak else "?"}')
        check(counts, f'steady state, {name}', status == 0 and '2000 frames' in out, out[-2000:] + err[-2000:])
        if check(counts, f'peak of buffers, {name}', peak and float(peak.group(2)) < limit, out):
            append_figures(f'peak of buffers, {name}', {'peak': int(peak[1]), 'ratio': float(peak[2]), 'objects': int(peak[3])})
    status, out, err = run([tool('tegra20-run'), '--async', '60000', '--stats', '--', steady, '--no-read', '--frames', '25'])
    # The one wait is that for the engines' first jobs.  25 frames are 100 jobs, for which the push buffers have room.
    check(counts, 'streaming never waits', status == 0 and ', 1 waits' in err, out + err)
    # Nothing is executed before something waits, and the scene never does: the driver bounds what is in flight.
    status, out, err = run([tool('tegra20-run'), '--async', '60000', '--stats', '--', steady, '--no-read', '--frames', '1500'])
    peak = re.search(r'at most (\d+) KiB of buffers', err)
    print(f'nobody waits: {peak.group(0) if peak else "?"}')
    if check(counts, 'memory without any wait is bounded', status == 0 and peak and int(peak.group(1)) < 64 * 1024, out + err):
        append_figures('peak of buffers, nobody waits', {'peak': int(peak[1])})


def step_vm(counts):
    """Real kernels on the simulated chip (docs/vm.md)."""
    with contextlib.suppress(PermissionError):
        os.nice(-5)  # these kernels' processes wait for each other all the time: beside busy ones that takes four times as long
    for version, variant in ('6.12', ''), ('6.12', 'pm-fault'), ('6.1', ''):
        kernel = f'{version}-{variant}' if variant else version
        status, out, err = run(['ci/vm-kernel', '--version', version] + (['--variant', variant] if variant else []), timeout=3600)
        check(counts, f'ci/vm-kernel, {kernel}', status == 0, out + err)
        if status == 0:
            add_counts(counts, f'tests/vm/run.py, {kernel}',
                       *run(['tests/vm/run.py', '--build', BUILD, '--kernel', kernel], timeout=14400))
        if status == 0 and not variant:
            add_counts(counts, f'tests/vm/arm_config.py, {kernel}', *run(['tests/vm/arm_config.py', version]))


def step_replay(counts):
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
    # Assumptions whose other value changes the picture: all the others must not matter.
    status, out, err = run(['/usr/bin/python3', 'tests/differential/assumptions.py', '--build', BUILD, '--allow',
                            'A10,A21,A22,A23,A33,A42,A43,A45,A47,A57,A58,A63,A64,A82,A100,A107,A108', short])
    check(counts, 'assumptions of the demo', status == 0, out + err)
    # The driver's own recording, as on a device.
    status, out, err = run([tool('tegra20-run'), '--', demo, '--frames', '2', '--out', os.devnull],
                           env={'TEGRA20_DEBUG': f'record={recording}'})
    check(counts, 'record as on a device', status == 0, out + err)
    status, out, err = run([tool('tegra20-replay'), recording])
    check(counts, 'replay of it', status == 0 and ' 0 different, 0 hung' in err, out + err[-2000:])


def step_compositor(counts):
    """Weston and its clients draw with one simulated chip; all in strict mode, executing late, on both interfaces."""
    if not shutil.which('weston'):
        skip(counts, 'weston is not installed')
        return
    compositor(counts, [])
    compositor(counts, ['--legacy'])


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


def step_programs(counts):
    """Applications and their pictures: OpenGL ES 1, es2gears, a desktop, glmark2 (docs/applications.md: games)."""
    add_counts(counts, 'tests/programs/programs.py', *run(['tests/programs/programs.py', '--build', BUILD], timeout=900))


def step_faults(counts):
    """Failing ioctls, little memory, jobs that time out, on both kernel interfaces: the demo, Weston, 100 piglit tests."""
    run_option = ['--run', tool('tegra20-run')]
    demo = ['--', os.path.join(BUILD, 'tests/demo/tegra20-demo'), '--size', '64x48', '--frames', '1', '--out', 'PICTURE']
    legacy = ['--options=--legacy']
    for name, command in (
            ('demo, every ioctl, every error', ['tests/faults/walk.py'] + run_option + demo),
            ('demo, legacy', ['tests/faults/walk.py'] + run_option + ['--step', '5'] + legacy + demo),
            ('weston', ['tests/faults/weston.py'] + run_option + ['--step', '12']),
            ('weston, legacy', ['tests/faults/weston.py'] + run_option + ['--count', '12'] + legacy),
            ('piglit', ['tests/faults/piglit.py'] + run_option + ['--count', '100', '--turns', '1']),
            ('piglit, legacy', ['tests/faults/piglit.py'] + run_option + ['--count', '20', '--turns', '1'] + legacy)):
        status, out, err = run(command, timeout=2400)
        add_counts(counts, f'faults, {name}', status, out, err)


def step_differential(counts):
    """Simulated chip against softpipe: 2,000 small and 600 large programs, 150 of statements, 2,200 stages of piglit."""
    seed = 1  # fixed: a run of the tests can be repeated
    skipped = set()
    for stage, extent in (('vertex', ['--seeds', '20']), ('fragment', ['--seeds', '20']),
                          ('vertex-structured', ['--seeds', '2', '--count', '50']),
                          ('fragment-structured', ['--count', '50']), ('vertex-heavy', ['--count', '200']),
                          ('fragment-heavy', ['--count', '400']),
                          # a draft whose packet would read seven registers; five loops by pixel; nothing fits in what
                          # trials that are cut short find
                          ('fragment-large', ['--seed', '3006', '--count', '8']),
                          ('fragment-large', ['--seed', '3053', '--count', '8']),
                          ('fragment-large', ['--seed', '3070', '--count', '8']),
                          ('piglit', []), ('piglit-vertex', ['--count', '520'])):
        status, out, err = run(['tests/differential/run.py', '--build', BUILD, '--stage', stage, '--seed', str(seed),
                                '--keep', os.path.join(BUILD, 'differential-failed')] + extent, timeout=1800)
        add_counts(counts, f'differential {stage}', status, out, err)
        skipped |= set(re.findall(r'^SKIP: ([^:]+):', out, re.M))
    with open(os.path.join(TOP, 'ci/differential-skips.txt'), encoding='utf-8') as file:
        listed = {line.split('#')[0].strip() for line in file} - {''}
    check(counts, 'ci/differential-skips.txt: every program of the list is still skipped', listed <= skipped,
          ' '.join(sorted(listed - skipped)))


def step_sanitizers(counts):
    """Both compilers with AddressSanitizer and UndefinedBehaviorSanitizer on all shaders of piglit; reasons of failures."""
    status, out, err = run(['tests/sanitize/sanitized.py', '--build', BUILD, 'tools/compiler/tegra20-compiler'], timeout=1800)
    check(counts, 'tests/sanitize/sanitized.py', status == 0, out + err)
    status, out, err = run(['tests/shader-db/shader-db.py', 'reasons', '--build', BUILD, '--compiler',
                            tool('sanitized/tools/compiler/tegra20-compiler')], timeout=1800)
    print(out.strip())
    check(counts, 'no crash, no complaint, no program that fails for an unknown reason', status == 0, err[-3000:])


def step_install(counts):
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
    add_counts(counts, 'tests/setup/check_setup.py', *run(['tests/setup/check_setup.py', '--build', BUILD]))


def step_hwtest(counts):
    """tegra20-hwtest on the simulated chip: all is as assumed; a flipped assumption is named, each of them."""
    status, out, err = run([tool('tegra20-run'), '--', tool('tegra20-hwtest'), '--risky'], timeout=900)
    check(counts, 'tegra20-hwtest with the default assumptions', status == 0 and ' 0 different, 0 not run' in out,
          out[-2000:] + err[-1000:])
    few = ['--', tool('tegra20-hwtest'), '--only', 'A57,A71']
    for options, expected, text in ((['--legacy'], 0, 'assumes in all experiments'),
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
    add_counts(counts, 'tests/hwtest/flip.py', *run(['tests/hwtest/flip.py', '--build', BUILD], timeout=1800))


def step_es2(counts):
    """Grids of OpenGL ES 2.0 cases: simulated chip against Mesa's software renderers, 19,000 cases."""
    lists = ['--expect', 'ci/es2-fails.txt', '--references', 'ci/es2-references.txt']
    result = run(['tests/gl/es2/run.py', '--build', BUILD, '--audit'] + lists, timeout=2400)
    with open(os.path.join(TOP, BUILD, 'es2-audit.txt'), 'w', encoding='utf-8') as file:
        file.writelines(line + '\n' for line in result[1].split('\n') if re.match('TOLERANCE|UNCHANGED|SKIPPED', line))
    rest = '\n'.join(line for line in result[1].split('\n') if not re.match('TOLERANCE|UNCHANGED|SKIPPED', line))
    add_counts(counts, 'tests/gl/es2/run.py', result[0], rest, result[2])
    # Rows of surfaces are upside down in memory.  The cases are those from above: they count when they fail.
    again = Counts()
    add_counts(again, 'tests/gl/es2/run.py --surface',
               *run(['tests/gl/es2/run.py', '--build', BUILD, '--surface'] + lists +
                    ['structs', 'varyings', 'edges', 'points', 'lines', 'culling', 'clipping', 'limits', 'discard',
                     'depth_stencil', 'clears', 'depth_range', 'specification', 'draws', 'variables', 'discards', 'quads'],
                    timeout=1200))
    print(f'again with a surface, not counted twice: {again}')
    check(counts, 'the same with a surface', again.passed and not again.failed)


def step_mesa_tree(counts):
    """The driver as one of Mesa's own: configured and compiled in a copy of Mesa, without a warning."""
    directory = os.path.join(BUILD, 'mesa-tree')
    status, out, err = run(['ci/mesa-tree', '--driver-only', directory], timeout=1800)
    check(counts, 'ci/mesa-tree --driver-only', status == 0, out[-3000:] + err[-1000:])
    status, out, err = run(['ci/mesa-series', '--check'])
    check(counts, 'ci/mesa-series names every file', status == 0, out + err)
    log = os.path.join(TOP, directory, 'driver.log')
    warnings = [line for line in open(log) if 'warning: ' in line and 'tegra20' in line] if os.path.exists(log) else []
    check(counts, 'the driver in Mesa compiles without a warning', status == 0 and not warnings, ''.join(warnings[:10]))
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


def step_docs(counts):
    """Manual pages, documented commands, options, limits, formats; shader-db against its baseline."""
    add_counts(counts, 'tests/docs/citations.py', *run(['tests/docs/citations.py']))
    add_counts(counts, 'tests/docs/numbers.py', *run(['tests/docs/numbers.py']))
    add_counts(counts, 'tests/docs/check_docs.py', *run(['tests/docs/check_docs.py', '--build', BUILD], timeout=1200))
    status, out, err = run(['tests/shader-db/shader-db.py', 'check', '--build', BUILD], timeout=1200)
    print(out.strip().split('\n')[-1])
    check(counts, 'shader-db: no program lost, no cycles more', status == 0, out[-3000:] + err[-1000:])


def step_piglit(counts):
    """piglit through the simulator, against the expectation lists."""
    status, out, err = run(['ci/piglit', '--list', 'ci/piglit-quick.txt'], timeout=3600)
    add_counts(counts, 'ci/piglit --list', status, out, err)


def commit_seed():
    """For samples: other ones for each commit, and a run can be repeated."""
    return str(int(run(['git', 'rev-parse', 'HEAD'])[1][:8] or '0', 16))


def step_mutation(counts):
    """Up to ten of the one-line bugs and three of the waits that the last runs of tests/mutation caught, at random."""
    # what is built and run for a bug takes from seconds to minutes
    for name, report, sample, seconds in (('mutations.txt', 'mutation.txt', '10', '150'),
                                          ('waits.txt', 'waits.txt', '3', '60')):
        bugs = ['tests/mutation/mutate.py', '--list', f'tests/mutation/{name}']
        _, out, _ = run(bugs + ['--check'])
        print(out.strip())  # bugs whose line is gone cannot be tried: they need another place
        # no wait may get lost
        check(counts, f'tests/mutation/{name}: every line is there', name != 'waits.txt' or ' 0 failed' in out, out)
        status, out, err = run(bugs + ['--sample', sample, '--seed', commit_seed(), '--seconds', seconds,
                                       '--caught', f'docs/results/{report}', '--tree', os.path.join(BUILD, 'mutation')],
                               timeout=2400)
        print(out.strip())
        total = re.search(r'(\d+) caught, (\d+) survived, (\d+) invalid\s*$', out)
        check(counts, f'tests/mutation/mutate.py, {name}', status == 0 and total, out[-3000:] + err[-2000:])
        if total:
            counts.passed += int(total[1])


def step_perturb(counts):
    """Would the ES 2 grid notice?  Its pictures shifted, darker, empty, exchanged or uniform are rejected."""
    status, out, err = run(['tests/gl/es2/perturb.py', '--build', BUILD], timeout=2400)
    print('\n'.join(out.strip().split('\n')[-12:]))
    check(counts, 'tests/gl/es2/perturb.py', status == 0, out[-3000:] + err[-1000:])


# Steps that use the same directory, or the same compositor, one after the other; all others may run side by side.
def step_profile(counts):
    """Chips that behave otherwise: calibration finds how, and the driver with that profile draws right (a sample of both)."""
    add_counts(counts, 'tests/hwtest/calibrate.py', *run(['tests/hwtest/calibrate.py', '--build', BUILD, '--chips', '8'],
                                                         timeout=1800))
    # A fixed sample: with another one for each commit a change would answer for what it has nothing to do with.  The whole is
    # in docs/results/profiles.md and pairs.md.
    profiles = ['tests/hwtest/profile.py', '--build', BUILD, '--seed', '1']
    add_counts(counts, 'tests/hwtest/profile.py',
               *run(profiles + ['--every', '233', '--piglit', '460', '--sample', '30'], timeout=1800))
    add_counts(counts, 'tests/hwtest/profile.py, pairs',
               *run(profiles + ['--every', '1500', '--pairs', 'all', '--sample', '20'], timeout=1800))
    # Triangles that the CPU clips, and fragments that it tests.
    add_counts(counts, 'tests/hwtest/profile.py, clipping and stencil',
               *run(profiles + ['--only', 'discards/', '--every', '4', 'A21=dropped', 'A36=passed', 'A37=none'], timeout=1800))
    add_counts(counts, 'tests/hwtest/profile.py, depth',
               *run(profiles + ['--only', 'polygon_offset/', '--every', '1', 'A34=20'], timeout=1800))
    # All wraps and filters, of which the sample has few.
    add_counts(counts, 'tests/hwtest/profile.py, textures',
               *run(profiles + ['--only', 'texture_filter/', '--every', '5', 'A57=16', 'A58=nearest'], timeout=1800))


def step_chips(counts):
    """Tegra30 and Tegra114 in strict mode: the demo, slices of the other tests, streams that were made for another chip."""
    add_counts(counts, 'tests/chips/run.py', *run(['tests/chips/run.py', '--build', BUILD], timeout=1200))


def step_adversary(counts):
    """A chip that does nothing before it must, three seeds: demo, Weston, two processes, 1,000 ES 2 cases, 250 of piglit."""
    # half of what the script takes when nothing is said
    add_counts(counts, 'tests/hwtest/adversary.py',
               *run(['tests/hwtest/adversary.py', '--build', BUILD, '--every', '18', '--piglit', '18'], timeout=1800))
    desktops(counts)


def desktops(counts):
    """A picture of Weston and two clients: with each seed the same as without."""
    if not shutil.which('weston') or not shutil.which('weston-eventdemo'):
        skip(counts, 'weston is not installed')
        return
    pictures = []
    for seed in '0123':
        with tempfile.TemporaryDirectory() as directory:
            _, out, err = run(['tests/programs/programs.py', '--build', BUILD, '--keep', directory, 'desktop'],
                              env={'TEGRA20_SHIM_ADVERSARY': seed}, timeout=900)
            path = os.path.join(directory, 'desktop.png')
            with open(path if os.path.exists(path) else os.devnull, 'rb') as file:
                pictures.append(file.read())
        check(counts, f'weston, seed {seed}', 'ok:   weston: draws, no diagnostics' in out and pictures[-1] == pictures[0] != b'',
              out[-2000:] + err[-1000:])


STEPS = {step_style: '', step_lists: '', step_plugin: '', step_unit: 'meson', step_fuzz: 'sanitized', step_identity: '',
         step_demo: '', step_videocore: '', step_kernels: '', step_vm: '', step_legacy: 'meson', step_grate: 'meson',
         step_bounds: '', step_memory: '', step_replay: '',
         step_compositor: 'weston', step_programs: 'weston', step_docs: '', step_install: 'meson', step_faults: 'weston',
         step_differential: '', step_sanitizers: 'sanitized', step_es2: '', step_perturb: '', step_hwtest: '', step_profile: '',
         step_adversary: 'weston', step_chips: '', step_mesa_tree: '', step_mutation: '', step_piglit: ''}


def run_step(step):
    """(text, counts, seconds, seconds of CPU) of a step in a process of its own: what it prints stays together."""
    start = time.monotonic()
    p = subprocess.run([sys.executable, os.path.abspath(__file__), '--alone', step.__name__[5:]], capture_output=True, text=True,
                       errors='replace', cwd=TOP)
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
        step(counts)
    except Exception as e:  # a step that breaks is one failed test; the others still run
        check(counts, step.__name__[5:], False, repr(e))
    print(counts)
    return counts


def run_steps(steps, workers):
    """Prints each step when it is done; the total."""
    locks = {room: threading.Lock() for room in set(STEPS.values())}
    printing, total, durations = threading.Lock(), Counts(), last_durations()

    def work(step):
        with locks[STEPS[step]] if STEPS[step] else contextlib.nullcontext():
            text, counts, seconds, cpu = run_step(step)
        with printing:
            name = step.__name__[5:]
            print(f'{text}== {name}: {first_line(step)} {counts} ({seconds:.1f} s, {cpu} s of CPU)', flush=True)
            total.add(counts)
            durations[name] = round(seconds)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, steps))
    with open(os.path.join(TOP, BUILD, 'step-seconds.json'), 'w', encoding='utf-8') as file:
        json.dump(durations, file)
    return total


def first_line(step):
    return step.__doc__.strip().split('\n')[0]


def last_durations():
    """Seconds of each step when it ran last in this build directory."""
    path = os.path.join(TOP, BUILD, 'step-seconds.json')
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def print_audit():
    """Every skip and every tolerance, with its reason and count."""
    for name in sorted(os.listdir(os.path.join(TOP, 'ci'))):
        if re.search(r'-(fails|skips|flakes|references)\.txt$', name):
            with open(os.path.join(TOP, 'ci', name), encoding='utf-8') as file:
                reasons = [line.split('#', 1)[1].strip() for line in file if '#' in line and not line.startswith('#')]
            print(f'ci/{name}: {len(reasons)} entries')
            for reason, count in sorted(collections.Counter(reasons).items(), key=lambda item: (-item[1], item[0])):
                print(f'{count:6} x {reason}')
    print('tolerances (ci/tolerances.txt)')
    for name, text, reason in tolerances():
        print(f'   {name}: {text}: {reason}')
    print('ES 2 grid: tolerances, pictures that a mistake does not change, skipped cases (ci/test es2 writes them)')
    path = os.path.join(TOP, BUILD, 'es2-audit.txt')
    if not os.path.exists(path):
        run_alone(step_es2)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    print(text, end='')
    counts = collections.Counter(re.findall(r'^([A-Z]+)', text, re.M))
    print(f'{len(tolerances())} tolerances in ci/tolerances.txt; ES 2 grid: {counts["TOLERANCE"]} kinds of tolerances, '
          f'{counts["UNCHANGED"]} of pictures that a mistake does not change, {counts["SKIPPED"]} of skipped cases')
    return 0


def main():
    names = {s.__name__[5:]: s for s in STEPS}
    seconds = last_durations()
    table = ''.join(f'  {name:13}{first_line(step)}{f" [{seconds[name]} s]" if name in seconds else ""}\n'
                    for name, step in names.items())
    parser = argparse.ArgumentParser(description='Run the tests.', formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog=f'steps, with the seconds that they took last:\n{table}')
    parser.add_argument('--quick', action='store_true', help='leave out piglit')
    parser.add_argument('--audit', action='store_true', help='list every skip and every tolerance with reason and count')
    parser.add_argument('--workers', type=int, default=2, help='steps that run side by side (default 2)')
    parser.add_argument('--alone', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('steps', nargs='*', metavar='STEP')
    args = parser.parse_args()
    for step in args.steps:
        if step not in names:
            parser.error(f'unknown step {step!r}')
    os.environ['PATH'] = '/usr/bin:' + os.environ['PATH']
    os.environ.setdefault('TEGRA20_DEBUG', 'refuse')  # no test passes with a dummy in place of a program that does not fit
    if args.audit:
        return print_audit()
    if args.alone:
        failed = run_alone(names[args.steps[0]]).failed
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f'{used.ru_utime + used.ru_stime:.0f} s of CPU')
        return 1 if failed else 0
    # the longest steps first: two workers end at about the same time
    left_out = {step_piglit} if args.quick else set()
    chosen = [names[name] for name in args.steps] or [s for s in STEPS if s not in left_out]
    if not args.steps:
        chosen.sort(key=lambda step: -seconds.get(step.__name__[5:], 0))
    total = run_steps(chosen, args.workers)
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == '__main__':
    sys.exit(main())
