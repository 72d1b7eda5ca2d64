#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Run piglit tests on the simulated chip under AddressSanitizer or Valgrind.

  tests/piglit/sanitize.py [--build DIR] [--valgrind] [--count N] [--jobs N] [--include REGEX]

The tests are every n-th of ci/piglit-quick.txt, N of them.  They are started directly, not by piglit, so that only they
run with the tool.  For AddressSanitizer, DIR is what it is in, of this project (ci/sanitize) or of Mesa too:

  tests/sanitize/sanitized.py --build build gl-tests tegra20-run libtegra20_drm_shim.so
  meson setup build-asan -Db_sanitize=address -Db_lundef=false -Doptimization=1 -Dmesa:optimization=1
  ninja -C build-asan tegra20

Only reports with a frame of the driver, the simulator or Mesa count: leaks of the tests themselves are left out.  Wrong
pictures are not looked at here.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import selection

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGLIT = next((d for d in ('/usr/lib/x86_64-linux-gnu/piglit', '/usr/lib/aarch64-linux-gnu/piglit', '/usr/lib/piglit')
               if os.path.isdir(d)), None)
OURS = re.compile(r'libgallium|libtegra20|tegra20_|\bsim_|\bst_\w+ \(|in st_')
# Mesa itself: the empty variant of a program that the driver refused when it was linked; the texels beyond the edges of an
# image in a block that Mesa compresses, which it takes from its stack, and which decide branches when a block is decoded.
MESAS = re.compile(r'(#0|at) \S+ .*calloc.*\n.*\bst_create_(fp|common)_variant\b|'
                   r'value was created by a stack allocation\n.* at \S+ _mesa_texstore_\w*dxt\d')
# Tests that give the driver uninitialised values, which Valgrind follows into it; skipped there.
UNCLEAN = {
    'spec@glsl-1.10@execution@builtins@glsl-fs-mod': 'a comma in its file ends the list of a vec4 after three numbers',
}


def listed_tests():
    """[(profile, test)] of ci/piglit-quick.txt"""
    tests = selection.read_tests(os.path.join(TOP, 'ci', 'piglit-quick.txt'))
    return [(profile, name) for profile, names in tests.items() for name in names]


def commands(chosen):
    """{test: command}"""
    sys.path.insert(0, PIGLIT)
    os.environ['PIGLIT_PLATFORM'] = 'gbm'
    from framework import options, profile as profiles
    options.OPTIONS.env['PIGLIT_PLATFORM'] = 'gbm'
    result = {}
    for name in {profile for profile, _ in chosen}:
        wanted = {test for profile, test in chosen if profile == name}
        for test, runner in profiles.load_test_profile(name).itertests():
            if test in wanted:
                result[test] = runner.command
    return result


def environment(args):
    env = dict(os.environ, TEGRA20_DEBUG='refuse', PIGLIT_PLATFORM='gbm', EGL_PLATFORM='drm',
               WAFFLE_GBM_DEVICE='/dev/dri/renderD128',
               PIGLIT_SOURCE_DIR=PIGLIT, XDG_RUNTIME_DIR=os.environ.get('XDG_RUNTIME_DIR', '/tmp'),
               LD_LIBRARY_PATH=os.path.join(args.build, 'lib'), TEGRA20_SHIM_THREADS='1')
    preload = [os.path.join(args.build, 'libtegra20_drm_shim.so')]
    if not args.valgrind:
        asan = subprocess.run(['gcc', '-print-file-name=libasan.so'], stdout=subprocess.PIPE, text=True, check=True)
        preload.insert(0, os.path.realpath(asan.stdout.strip()))
        env['ASAN_OPTIONS'] = 'detect_leaks=1:exitcode=0:halt_on_error=0'
        env['UBSAN_OPTIONS'] = 'print_stacktrace=1'
    env['LD_PRELOAD'] = ':'.join(preload)
    return env


def reports(text, valgrind):
    """The parts of what the tool printed that concern us."""
    if valgrind:
        blocks = re.split(r'\n==\d+== \n', text)
        kinds = r'Invalid (read|write|free)|uninitialised|Mismatched free|definitely lost|overlap'
    else:
        blocks = re.split(r'\n\n', text)
        kinds = r'ERROR: AddressSanitizer|Direct leak of|runtime error:'
    return [block for block in blocks if re.search(kinds, block) and OURS.search(block) and not MESAS.search(block)]


def execute(args, env, command, origins=False):
    """The finished process, None after a time-out."""
    prefix = ['valgrind', '--quiet', '--leak-check=full', '--errors-for-leak-kinds=definite', '--show-leak-kinds=definite',
              '--num-callers=30', f'--track-origins={"yes" if origins else "no"}'] if args.valgrind else []
    try:
        return subprocess.run(prefix + command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return None


def run(args, env, command):
    done = execute(args, env, command)
    if done and not args.valgrind and re.search('Sanitizer|runtime error', done.stdout):
        # Once more, to know who called: whole stacks of allocations make a program fifteen times slower.
        done = execute(args, {**env, 'ASAN_OPTIONS': env['ASAN_OPTIONS'] + ':fast_unwind_on_malloc=0'}, command)
    if done and args.valgrind and reports(done.stdout, True):
        # Once more, to know where uninitialised values come from, which takes twice as long.
        done = execute(args, env, command, origins=True)
    if not done:
        return 'timeout', []
    found = reports(done.stdout, args.valgrind)
    if found:
        return 'failed', found
    if done.returncode < 0:
        return 'failed', [f'signal {-done.returncode}\n' + done.stdout[-2000:]]
    return ('skipped' if '"result": "skip"' in done.stdout else 'passed'), []


def main():
    parser = argparse.ArgumentParser(description='Run piglit tests under AddressSanitizer or Valgrind.')
    parser.add_argument('--build', help='default: build/sanitized, with --valgrind build')
    parser.add_argument('--valgrind', action='store_true')
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--include')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--timeout', type=int, default=600)
    args = parser.parse_args()
    args.build = os.path.abspath(args.build or os.path.join(TOP, 'build' if args.valgrind else 'build/sanitized'))
    if not PIGLIT or not os.path.exists(os.path.join(args.build, 'libtegra20_drm_shim.so')):
        print(f'no piglit, or no build in {args.build}\n0 passed, 0 failed, 1 skipped')
        return 0

    tests = [t for t in listed_tests() if not args.include or re.search(args.include, t[1])]
    step = max(1, len(tests) // args.count)
    chosen = tests[::step][:args.count]
    unclean = [name for _, name in chosen if args.valgrind and name in UNCLEAN]
    for name in unclean:
        print(f'skipped: {name}: {UNCLEAN[name]}', flush=True)
    chosen = [t for t in chosen if t[1] not in unclean]
    env = environment(args)
    counts = {'passed': 0, 'failed': 0, 'skipped': len(unclean)}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = {pool.submit(run, args, env, command): test for test, command in sorted(commands(chosen).items())}
        for future in concurrent.futures.as_completed(futures):
            outcome, found = future.result()
            if outcome == 'timeout':
                print(f'TIMEOUT: {futures[future]}', flush=True)
                outcome = 'failed'
            for report in found:
                print(f'{futures[future]}:\n{report}\n', flush=True)
            counts[outcome] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
