#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Many programs on the simulated chip, one after another, as clients of one compositor that is drawn by the chip, too.

  gallery.py [--build BUILD] [--pictures DIR] [--report FILE] [NAME ...]

sway and Xwayland run on the chip, then on llvmpipe; each program of the table gets the whole screen until some seconds after
there is something to be seen, for three minutes at most.  A program passes when it draws on the chip without a diagnostic,
and when it is still, its picture is like llvmpipe's.  What moves is judged by eye (--pictures: both pictures of each program;
the verdicts are in docs/applications.md).  Programs that are not installed are skipped (ci/setup --programs installs them),
and those that end early on llvmpipe, too.  --report writes the results to FILE (docs/results/programs.txt), with the commit;
of programs that are named it replaces the lines, which then say so.  About a quarter of an hour on two cores.  The last line
is "N passed, N failed, N skipped".
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from programs import HERE, LIKE, Run, end, measured

SIZE = '800x480'
HACKS = '/usr/libexec/xscreensaver/'
QT5 = '/usr/lib/x86_64-linux-gnu/qt5/examples/opengl/'
SDL2 = '/usr/libexec/installed-tests/SDL2/'
VIDEO = 'av://lavfi:testsrc2=size=320x240:rate=5'
MPV = ['mpv', '--no-config', '--vo=gpu', '--no-audio', '--pause', '--osd-level=0', '--no-osc', '--hwdec=no']
QT = {'QT_QPA_PLATFORM': 'wayland', 'QT_XCB_GL_INTEGRATION': 'xcb_glx'}
X11 = {'QT_QPA_PLATFORM': 'xcb', 'GDK_BACKEND': 'x11', 'SDL_VIDEODRIVER': 'x11', 'WAYLAND_DISPLAY': ''}

TEXT = ['sh', '-c', 'sleep 2; seq 1 300 | tr "\\n" " "; sleep 1000']
LINE = re.compile(r'(?:ok:  |FAIL:|skip:) (\S+): ')
STILL, MOVES, CPU = 'still', 'moves', 'cpu'  # cpu: it draws on the CPU, only the compositor on the chip

# name: (kind, command, environment)
PROGRAMS = {
    'foot': (CPU, ['foot', '-o', 'cursor.blink=no', *TEXT], {}),
    'mpv': (STILL, [*MPV, '--gpu-context=wayland', VIDEO], {}),
    'mpv-x11': (STILL, [*MPV, '--gpu-context=x11egl', VIDEO], X11),
    'imv': (STILL, ['imv-wayland', f'{HERE}/../../docs/demo.png'], {}),
    'gtk3-widget-factory': (CPU, ['gtk3-widget-factory'], {'GDK_BACKEND': 'wayland'}),
    'gtk3-glarea': (MOVES, ['gtk3-demo', '--run=glarea'], {'GDK_BACKEND': 'wayland', 'GDK_GL': 'gles'}),
    'gtk4-widget-factory': (STILL, ['gtk4-widget-factory'], {'GSK_RENDERER': 'gl', 'GDK_DEBUG': 'gl-gles'}),
    'gtk4-fishbowl': (MOVES, ['gtk4-demo', '--run=fishbowl'], {'GSK_RENDERER': 'gl', 'GDK_DEBUG': 'gl-gles'}),
    'qmlscene-qt5': (STILL, ['qmlscene', f'{HERE}/scene.qml'], QT),
    'qml-qt6': (STILL, ['/usr/lib/qt6/bin/qml', f'{HERE}/scene6.qml'], QT),
    'qt5-hellowindow': (MOVES, [QT5 + 'hellowindow/hellowindow'], QT),
    'qt5-cube': (STILL, [QT5 + 'cube/cube'], QT),
    'qt5-hellogl2': (MOVES, [QT5 + 'hellogl2/hellogl2'], QT),
    'qt5-textures': (MOVES, [QT5 + 'textures/textures'], QT),
    'qt5-qopenglwindow': (MOVES, [QT5 + 'qopenglwindow/qopenglwindow'], QT),
    'qt5-2dpainting': (MOVES, [QT5 + '2dpainting/2dpainting'], QT),
    'weston-simple-egl': (MOVES, ['weston-simple-egl'], {}),
    'es2gears_wayland': (MOVES, ['es2gears_wayland'], {}),
    'glmark2-es2-wayland': (MOVES, ['glmark2-es2-wayland', '-b', 'build:use-vbo=true:duration=60'], {}),
    'sdl2-testgl2': (MOVES, [SDL2 + 'testgl2'], X11),
    'sdl2-testgles2': (MOVES, [SDL2 + 'testgles2'], X11),
    'sdl2-testsprite2': (MOVES, [SDL2 + 'testsprite2', '--renderer', 'opengles2'], X11),
    'sdl2-testdraw2': (MOVES, [SDL2 + 'testdraw2', '--renderer', 'opengl'], X11),
    'cog': (STILL, ['cog', '-P', 'wl', f'file://{HERE}/page.html'], {}),
    'cog-instances': (STILL, ['cog', '-P', 'wl', f'file://{HERE}/instances.html'], {}),
    'epiphany': (CPU, ['dbus-run-session', '--', 'epiphany', '--private-instance', f'file://{HERE}/page.html'],
                 {'GDK_BACKEND': 'wayland'}),
    'xterm': (CPU, ['xterm', '+bc', '-b', '2', '-e', *TEXT], X11),
    'glxgears': (MOVES, ['glxgears'], X11),
    'glxheads': (MOVES, ['glxheads'], X11),
    'es2tri': (STILL, ['es2tri'], X11),
    'glmark2': (MOVES, ['glmark2', '-b', 'shading:shading=phong:duration=60'], X11),
    'gource': (MOVES, ['gource', '-800x480', '--disable-auto-rotate', 'commits.log'], X11),
    'neverball': (MOVES, ['/usr/games/neverball', '-l', 'map-easy/easy.sol'], X11),
    'chromium-bsu': (MOVES, ['/usr/games/chromium-bsu', '-w', '-v', '2'], X11),
    'pingus': (MOVES, ['/usr/games/pingus', '--renderer', 'opengl', '-g', '800x480', '--window', '--disable-sound'], X11),
    'trackballs': (MOVES, ['/usr/games/trackballs', '-w', '-m', '-r', '640x480'], X11),
    'armagetronad': (MOVES, ['/usr/games/armagetronad', '-window'], X11),
    'gltron': (MOVES, ['/usr/games/gltron', '-w', '-s'], X11),
    'billard-gl': (MOVES, ['/usr/games/billard-gl'], X11),
    'foobillardplus': (MOVES, ['/usr/games/foobillardplus', '-nofullscreen'], X11),
    'etr': (MOVES, ['/usr/games/etr'], X11),
    'xscreensaver-gears': (MOVES, [HACKS + 'gears'], X11),
    'xscreensaver-molecule': (MOVES, [HACKS + 'molecule'], X11),
    'xscreensaver-pipes': (MOVES, [HACKS + 'pipes'], X11),
    'xscreensaver-flyingtoasters': (MOVES, [HACKS + 'flyingtoasters'], X11),
    'kodi': (MOVES, ['dbus-run-session', '--', 'kodi', '--windowing=wayland'], {}),
}
LIMIT = 180  # seconds until something has to be seen
SECONDS = {'kodi': 40, 'epiphany': 30, 'cog': 20, 'gtk4-widget-factory': 20, 'gtk4-fishbowl': 20, 'neverball': 20}
CONFIG = f'''output HEADLESS-1 resolution {SIZE} background #204060 solid_color
xwayland force
default_border none
exec sh -c 'echo $DISPLAY > $XDG_RUNTIME_DIR/display.new; mv $XDG_RUNTIME_DIR/display.new $XDG_RUNTIME_DIR/display'
'''


class Session:
    """sway with Xwayland on one driver; programs in it."""

    def __init__(self, run, driver):
        self.run, self.driver = run, driver
        self.directory = tempfile.mkdtemp(prefix='tegra20-gallery-')
        with open(f'{self.directory}/commits.log', 'w', encoding='utf-8') as file:  # for gource
            file.writelines(f'{1700000000 + 3000 * i}|User {i * i % 7}|A|/{"abcd"[i % 4]}/{i}.c\n' for i in range(120))
        # sway refuses to run as root.  runuser(1) would kill programs two seconds after it was asked to end them.
        self.user = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] if os.getuid() == 0 else []
        self.env = {**run.env, 'HOME': self.directory, 'XDG_RUNTIME_DIR': self.directory, 'XDG_CONFIG_HOME': self.directory,
                    'WLR_BACKENDS': 'headless', 'WLR_RENDERER': 'gles2', 'WLR_LIBINPUT_NO_DEVICES': '1',
                    'SWAYSOCK': f'{self.directory}/sway.sock', 'XDG_CURRENT_DESKTOP': 'sway', 'NO_AT_BRIDGE': '1',
                    'GTK_THEME': 'Adwaita', 'TZ': 'UTC', 'SDL_VIDEO_ALLOW_SCREENSAVER': '1'}
        if driver != 'chip':
            self.env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe', WLR_RENDERER='pixman')
        with open(f'{self.directory}/config', 'w', encoding='utf-8') as file:
            file.write(CONFIG)
        if self.user:
            shutil.chown(self.directory, 'nobody')
        self.log = open(run.path(f'sway-{driver}.log'), 'w+', encoding='utf-8', errors='replace')
        self.process = subprocess.Popen(self.on_driver(['sway', '-c', f'{self.directory}/config']), env=self.env, stdout=self.log,
                                        stderr=self.log, start_new_session=True)
        self.env['WAYLAND_DISPLAY'] = 'wayland-1'
        for _ in range(600):
            if os.path.exists(f'{self.directory}/display'):
                break
            time.sleep(0.1)
        with open(f'{self.directory}/display', encoding='utf-8') as file:
            self.env['DISPLAY'] = file.read().strip()

    def on_driver(self, command):
        return [*self.user, *(self.run.chip(*command, directory=self.directory) if self.driver == 'chip' else command)]

    def picture(self, name):
        """What the whole screen shows."""
        shot = f'{self.directory}/shot.png'
        subprocess.run([*self.user, 'grim', shot], env=self.env, timeout=120, capture_output=True)
        picture = self.run.path(f'{name}-{self.driver}.png')
        if os.path.exists(shot):
            shutil.move(shot, picture)
        return picture

    def screen(self, name):
        """The picture as bytes."""
        path = self.picture(name)
        if not os.path.exists(path):
            return b''
        with open(path, 'rb') as file:
            return file.read()

    def show(self, name):
        """Runs a program for some seconds; returns its picture and what it and tegra20-run said."""
        kind, command, env = PROGRAMS[name]
        empty, start = self.screen(name), time.monotonic()
        path = self.run.path(f'{name}-{self.driver}.log')
        with open(path, 'w+', encoding='utf-8', errors='replace') as log:
            process = subprocess.Popen(self.on_driver(command), env={**self.env, **env}, stdout=log, stderr=log,
                                       cwd=self.directory, start_new_session=True)
            while process.poll() is None and time.monotonic() < start + LIMIT and self.screen(name) == empty:
                time.sleep(1)
            time.sleep(SECONDS.get(name, 6))
            alive = process.poll() is None
            picture = self.picture(name)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            end(process)
            log.seek(0)
            return picture, log.read(), alive

    def close(self):
        subprocess.run([*self.user, 'swaymsg', '-s', self.env['SWAYSOCK'], 'exit'], env=self.env, timeout=120,
                       capture_output=True)
        end(self.process)
        self.log.seek(0)
        text = self.log.read()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)
        return text


def available(name):
    command = PROGRAMS[name][1][0]
    return shutil.which(command, path=os.environ['PATH'])


def judge(run, name, shown, reference):
    """(passed, or None where it does not run on llvmpipe either; a line about it)"""
    kind = PROGRAMS[name][0]
    picture, text, alive = shown
    stats = re.search(r'(\d+) draws', text)
    draws = int(stats.group(1)) if stats else 0
    same, detail = run.compare(picture, reference[0], LIKE)
    percent = re.search(r'([\d.]+) ?%', detail)
    line = f'{name}: {kind}, {draws} draws, {percent.group(1) if percent else "?"} % like llvmpipe'
    diagnostics = re.search(r'strict: (\d+) diagnostics', text)
    if not alive:
        return (False, line + ', ended early') if reference[2] else (None, line + ', ended early, on llvmpipe too')
    if kind != CPU and (not draws or not diagnostics or diagnostics.group(1) != '0'):
        return False, line + (', diagnostics' if draws else ', did not draw on the chip')
    return bool(same or kind == MOVES), line


def write_report(path, lines, again):
    """lines: {name: line}"""
    head = measured.head('tests/programs/gallery.py')
    if again and os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            head, *old = file.read().split('\n')
        known = {match[1]: line for match, line in ((LINE.match(line), line) for line in old) if match}
        now = measured.head('again')
        lines = {**known, **{name: f'{line} ({now})' for name, line in lines.items()}}
    words = [line[:4] for line in lines.values()]
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join([head, *lines.values(), f'{words.count("ok: ")} passed, {words.count("FAIL")} failed, '
                              f'{words.count("skip")} skipped']) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--pictures', metavar='DIR')
    parser.add_argument('--report', metavar='FILE')
    parser.add_argument('programs', nargs='*', metavar='NAME')
    parser.set_defaults(chip=None)
    args = parser.parse_args()
    if set(args.programs) - set(PROGRAMS):
        parser.error(f'programs are: {", ".join(PROGRAMS)}')
    missing = [tool for tool in ('sway', 'Xwayland', 'grim') if not shutil.which(tool)]
    if missing:
        print(f'skip: not installed: {" ".join(missing)}\n0 passed, 0 failed, {len(args.programs or PROGRAMS)} skipped')
        return 0
    names = [name for name in args.programs or PROGRAMS if available(name)]
    skipped = [name for name in args.programs or PROGRAMS if not available(name)]
    with tempfile.TemporaryDirectory() as temporary:
        if args.pictures:
            os.makedirs(args.pictures, exist_ok=True)
        run = Run(args, os.path.abspath(args.pictures) if args.pictures else temporary)
        shown = {}
        for driver in ('chip', 'llvmpipe'):
            session = Session(run, driver)
            shown[driver] = {name: session.show(name) for name in names}
            text = session.close()
            if driver == 'chip':
                run.strict('sway', text)
        results = [judge(run, name, shown['chip'][name], shown['llvmpipe'][name]) for name in names]
    words = {True: 'ok:  ', False: 'FAIL:', None: 'skip:'}
    lines = {name: f'{words[ok]} {line}' for name, (ok, line) in zip(names, results)}
    lines.update({name: f'skip: {name}: not installed' for name in skipped})
    for ok, _ in [*results, *((None, '') for _ in skipped)]:
        run.counts[ok] += 1
    failed = run.counts[False]
    print('\n'.join([*lines.values(), f'{run.counts[True]} passed, {failed} failed, {run.counts[None]} skipped']))
    if args.report:
        write_report(args.report, lines, bool(args.programs))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
