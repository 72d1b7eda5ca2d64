#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""CPU time that a program's start takes with best code, beside drafts alone.

  start.py [--build BUILD] [--rounds N] [--results FILE] [NAME ...]

Each program is recorded with apitrace.  "tegra20-run --noop" replays the recording with an empty shader cache, then with the
full one: the difference without the thread's time is that of GLSL and drafts.  It is small beside both, so it is that of the
least of all rounds: whatever else the machine does only adds to them.  Then the recording is followed by its last frame, again
and again, until the thread has had nothing to do for some time; medians.  BUILD is a release build."""

import argparse
import contextlib
import glob
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, 'common'), os.path.join(TESTS, 'programs')]

import measured  # noqa: E402
import programs  # noqa: E402

# api, command, seconds, environment, on the chip, printed before its first frame
RECORDINGS = {
    'openarena': ('egl', programs.openarena_command(programs.OPENARENA_GLSL), 8, {'SDL_VIDEODRIVER': 'offscreen'}, True,
                  'CL_InitCGame: '),
    # it asks OpenGL 2.1 for its version in a way that only 3.0 has
    'supertux': ('egl', ['/usr/games/supertux2', '--renderer', 'opengl20', '-g', '640x480'], 15,
                 {'SDL_VIDEODRIVER': 'offscreen', 'MESA_GL_VERSION_OVERRIDE': '3.0COMPAT'}, True),
    'glmark2': ('egl', ['glmark2-es2', '-b', ':duration=0.2'], 90, {'LIBGL_ALWAYS_SOFTWARE': '1'}, False),
}
IDLE_SECONDS = 20  # programs of the last frame may get their search late


class Run(programs.Run):
    def chip(self, *command, directory=None):
        return [os.path.join(self.build, 'tegra20-run'), '--noop', '--', *command]

    def strict(self, name, text):
        """Nothing is drawn."""


def best_times(session):
    """{task: seconds} of the threads that look for best code."""
    found = {}
    for name in glob.glob('/proc/[0-9]*/task/*/stat'):
        with contextlib.suppress(OSError), open(name, encoding='utf-8', errors='replace') as file:  # it may have ended
            thread, fields = file.read().rsplit(')', 1)
            if thread.endswith('(tegra20:best') and int(fields.split()[3]) == session:
                found[name] = sum(map(int, fields.split()[11:13])) / os.sysconf('SC_CLK_TCK')
    return found


def replay(run, trace, cache, least=0):
    """Seconds of CPU: of the program, of best code; seconds until that was complete, and of all: at least so many, if any."""
    env = {**run.env, 'MESA_SHADER_CACHE_DIR': cache, 'WAFFLE_PLATFORM': 'gbm', 'WAFFLE_GBM_DEVICE': '/dev/dri/renderD128'}
    start, times, end, seconds = time.monotonic(), {}, 0, 0
    command = run.chip('eglretrace', '-b', f'--loop={100000 if least else 0}', trace)
    process = subprocess.Popen(command, env=env, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        now, seconds = best_times(process.pid), time.monotonic() - start
        end = seconds if now else end
        times.update(now)
        if least and seconds > max(least, end) + IDLE_SECONDS:
            programs.signal_group(process, signal.SIGKILL)
        time.sleep(0.02)
    usage, best = os.wait4(process.pid, 0)[2], sum(times.values())
    return usage.ru_utime + usage.ru_stime - best, best, end, seconds


def measure(run, name, rounds):
    trace = programs.replayable(run, name, programs.record(run, name, *RECORDINGS[name]))
    rows = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir=run.directory) as full, tempfile.TemporaryDirectory(dir=run.directory) as cache:
            cold, warm = replay(run, trace, full), replay(run, trace, full)
            rows.append((cold[0], warm[0], *replay(run, trace, cache, cold[3])[1:3]))
    cold, warm, best, end = zip(*rows)
    draft, best, end = max(min(cold) - min(warm), 0.01), statistics.median(best), statistics.median(end)
    print(f'{name:9} drafts {draft:5.2f} s, best code {best:5.2f} s: {(draft + best) / draft:5.2f} times the drafts; the thread '
          f'is idle after {end:4.1f} s', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--results', metavar='FILE')
    parser.add_argument('names', nargs='*', metavar='NAME', help=', '.join(RECORDINGS))
    args = parser.parse_args()
    args.chip = None
    with tempfile.TemporaryDirectory() as directory, measured.kept(args.results), programs.xvfb() as display:
        run = Run(args, directory)
        run.env['DISPLAY'] = display
        for name in args.names or RECORDINGS:
            if run.installed(name, [RECORDINGS[name][1][0], 'apitrace', 'eglretrace']):
                measure(run, name, args.rounds)


if __name__ == '__main__':
    main()
