#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Applications on the simulated chip, and their pictures.

  programs.py --build BUILD [--chip CHIP] [--keep DIR] [--update] [--long] [--results FILE]
              [NAME ...]

Each program runs in strict mode.  Its picture is compared with a small reference image (docs/reference/NAME.png, which --update
rewrites), or it is recorded with apitrace while it runs, the recording is replayed on the chip and on llvmpipe, and the pictures
are compared.  Programs that are not installed are skipped; --long also runs the games, which take minutes.  --keep leaves
pictures and logs in DIR, --results writes what is printed to FILE, with the commit.  Last line: "N passed, N failed, N skipped".

With --chip vc4 or a420 they run on that, es2gears, desktop and glmark2 if none is named, and llvmpipe's pictures alone count.
"""

import argparse
import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, '../../docs/reference')
sys.path.insert(0, os.path.join(HERE, '../common'))

import measured  # noqa: E402

# of 255, in at least so many percent of the pixels; the reference is our own picture, llvmpipe filters differently
SAME = ('--tolerance', '2', '--percent', '99.9')
LIKE = ('--tolerance', '16', '--percent', '98.5')
EXACT = ('--tolerance', '0')
MOVED = ('--tolerance', '16', '--percent', '80', '--colors', '200')
# of libjs-three and qml-module-qtwebengine
WEBGL = ['/usr/share/javascript/three/three.min.js',
         f'/usr/lib/{sysconfig.get_config_var("MULTIARCH")}/qt5/qml/QtWebEngine/qmldir']
# a picture that shows something: menus have some hundred colours
SCENE = ('--tolerance', '255', '--colors', '200')


class Run:
    def __init__(self, args, directory):
        self.args, self.directory = args, directory
        self.build = os.path.abspath(args.build)
        self.chip_options = ['--chip', args.chip] if args.chip else []
        self.counts = {True: 0, False: 0, None: 0}
        self.home = os.path.join(directory, 'home')
        os.makedirs(self.home, exist_ok=True)
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ('DISPLAY', 'WAYLAND_DISPLAY', 'LIBGL_ALWAYS_SOFTWARE', 'TEGRA20_DEBUG')}
        self.env.update(HOME=self.home, XDG_RUNTIME_DIR=directory, SDL_AUDIODRIVER='dummy',
                        PATH=os.environ['PATH'] + ':/usr/games')

    def path(self, name):
        return os.path.join(self.directory, name)

    def check(self, name, ok, detail=''):
        self.counts[bool(ok)] += 1
        print(('ok:   ' if ok else 'FAIL: ') + name + (f'\n{detail[-2000:].rstrip()}' if detail and not ok else ''), flush=True)
        return ok

    def installed(self, name, commands):
        missing = [c for c in commands if not shutil.which(c, path=self.env['PATH'])]
        if missing:
            self.counts[None] += 1
            print(f'skip: {name}: not installed: {" ".join(missing)}', flush=True)
        return not missing

    def chip(self, *command, directory=None):
        # a compositor and its clients meet on one; directory: one that their user can write
        one = [] if self.args.chip else [f'--one-chip={os.path.join(directory or self.directory, "chip")}']
        return [os.path.join(self.build, 'tegra20-run'), *self.chip_options, *one, '--strict', '--stats', '--', *command]

    def on_chip(self, name, command, timeout=120, env=None):
        """Runs a program to its end; returns its output."""
        try:
            p = subprocess.run(self.chip(*command), env={**self.env, **(env or {})}, capture_output=True, text=True,
                               errors='replace', timeout=timeout)
            text, status = p.stdout + p.stderr, p.returncode
        except subprocess.TimeoutExpired as e:
            text, status = f'{e.stdout}{e.stderr}\ntimed out after {timeout} s', -1
        self.check(f'{name} runs', status == 0, f'status {status}\n{text}')
        self.strict(name, text)
        return text

    def strict(self, name, text):
        drew = re.search(r'\b[1-9]\d* draws', text)
        self.check(f'{name}: draws, no diagnostics', drew and 'strict: 0 diagnostics' in text, text)

    def compare(self, picture, other, tolerance):
        """(equal within the tolerance, what tegra20-compare prints)"""
        if not os.path.exists(picture) or not os.path.exists(other):
            return False, f'no picture {picture if os.path.exists(other) else other}'
        tool = os.path.join(self.build, 'tests/demo/tegra20-compare')
        p = subprocess.run([tool, picture, other, *tolerance], capture_output=True, text=True)
        return p.returncode == 0, p.stdout + p.stderr

    def reference_of(self, name):
        """Debian 12's, or the release's own where its fonts and symbols are others."""
        with open('/etc/os-release', encoding='utf-8') as file:
            release = re.search(r'^VERSION_ID="?(\d*)', file.read(), re.M)
        own = os.path.join(PICTURES, f'{name}-debian{release[1] if release else ""}.png')
        return own if os.path.exists(own) else os.path.join(PICTURES, name + '.png')

    def reference(self, name, picture):
        """Compares with the committed image, or makes it that.  There are none of other chips."""
        if self.args.chip:
            return
        reference = self.reference_of(name)
        if self.args.update and os.path.exists(picture):
            shutil.copyfile(picture, reference)
        self.check(f'{name} against reference/{os.path.basename(reference)}', *self.compare(picture, reference, SAME))


@contextlib.contextmanager
def weston(run, name, options=(), chip=True, renderer='gl'):
    """A headless Weston whose GL renderer uses the chip (else llvmpipe), or that knows no GL (pixman).  Clients find it through
    run.env."""
    log = open(run.path(name + '.log'), 'w+', encoding='utf-8')
    socket = 'programs'
    command = ['weston', '--backend=headless-backend.so', f'--use-{renderer}', '--width=640', '--height=480',
               f'--socket={socket}', '--idle-time=0', *options]
    # Mesa makes a cache with a number of rand(), by which Weston places windows.
    env = {**run.env, 'MESA_SHADER_CACHE_DISABLE': 'true'}
    if not chip:
        env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe')
    process = subprocess.Popen(run.chip(*command) if chip else command, env=env, stdout=log, stderr=log)
    run.env['WAYLAND_DISPLAY'] = socket
    try:
        for _ in range(200):
            if os.path.exists(run.path(socket)) or process.poll() is not None:
                break
            time.sleep(0.1)
        time.sleep(1)
        yield
    finally:
        del run.env['WAYLAND_DISPLAY']
        process.terminate()
        try:
            process.wait(timeout=240)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.seek(0)
        text = log.read()
        log.close()
        run.check(f'{name} ends', process.returncode == 0, text)
        if chip:
            run.strict(name, text)


# --- recordings -------------------------------------------------------------------------------------------------------

@contextlib.contextmanager
def xvfb(screen='640x480x24'):
    read, write = os.pipe()
    process = subprocess.Popen(['Xvfb', '-displayfd', str(write), '-screen', '0', screen, '-noreset'],
                               pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        display = pipe.readline().strip()
    try:
        yield ':' + display
    finally:
        process.terminate()
        process.wait()


def signal_group(process, number):
    """Whether there is still a process of the group."""
    try:
        os.killpg(process.pid, number)
        return True
    except ProcessLookupError:
        return False


def end(process):
    """Ends a program and its children, politely first.  The children may outlive what has started them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        signal_group(process, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=30)
            break
    for _ in range(50):
        if not signal_group(process, 0):
            return
        time.sleep(0.1)
    signal_group(process, signal.SIGKILL)


def record(run, name, api, command, seconds, env, chip, ready=None):
    """Runs a program for some seconds after its first frames, or after it has printed what matches a pattern, on the chip or on
    llvmpipe; returns the recording."""
    trace = run.path(name + '.trace')
    command = ['apitrace', 'trace', '-a', api, '-o', trace, *command]
    with open(run.path(name + '-record.log'), 'w+', encoding='utf-8', errors='replace') as log:
        process = subprocess.Popen(run.chip(*command) if chip else command, stdout=log, stderr=log, env={**run.env, **env},
                                   start_new_session=True)
        for _ in range(900):  # until it draws, however slow the machine is
            if process.poll() is not None or os.path.exists(trace) and os.path.getsize(trace) > 32 * 1024:
                break
            time.sleep(0.1)
        for _ in range(1800 if ready else 0):
            with open(log.name, encoding='utf-8', errors='replace') as printed:
                if process.poll() is not None or re.search(ready, printed.read()):
                    break
            time.sleep(1)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
        if process.poll() is None:
            end(process)
        if chip:
            log.seek(0)
            run.strict(name, log.read())
    return trace


def replay(run, name, trace, interval, timeout=600):
    """Replays a recording on the chip and on llvmpipe; returns pairs of pictures."""
    command = ['eglretrace', f'--snapshot-interval={interval}', '-s']
    ours, theirs = run.path(name + '-chip-'), run.path(name + '-llvmpipe-')
    run.on_chip(f'replay of {name}', [*command, ours, trace], timeout,
                {'WAFFLE_PLATFORM': 'gbm', 'WAFFLE_GBM_DEVICE': '/dev/dri/renderD128'})
    subprocess.run([*command, theirs, trace], capture_output=True, timeout=timeout,
                   env={**run.env, 'WAFFLE_PLATFORM': 'surfaceless_egl', 'LIBGL_ALWAYS_SOFTWARE': '1',
                        'GALLIUM_DRIVER': 'llvmpipe', 'MESA_GL_VERSION_OVERRIDE': '2.1'})
    names = sorted(n for n in os.listdir(run.directory) if n.startswith(name + '-chip-'))
    return [(run.path(n), run.path(n.replace('-chip-', '-llvmpipe-'))) for n in names]


def replayable(run, name, trace):
    """The recording to its last frame, without contexts that the program asked for in vain, at which eglretrace would stop."""
    dump = subprocess.run(['apitrace', 'dump', '--color=never', '--grep=eglCreateContext|SwapBuffers', trace],
                          capture_output=True, text=True, errors='replace', check=False).stdout
    failed = [int(call) for call in re.findall(r'^(\d+) eglCreateContext\(.*\) = NULL$', dump, re.MULTILINE)]
    final = max(map(int, re.findall(r'^(\d+) \w+SwapBuffers', dump, re.MULTILINE)), default=99999999)
    starts, ends = [0] + [call + 1 for call in failed], [call - 1 for call in failed] + [final]
    calls = ','.join(f'{first}-{last}' for first, last in zip(starts, ends) if first <= last)
    trimmed = run.path(name + '-trimmed.trace')
    subprocess.run(['apitrace', 'trim', f'--calls={calls}', '-o', trimmed, trace], capture_output=True, check=True)
    os.replace(trimmed, trace)
    return trace


def recorded(run, name, command, seconds, interval, ready=None):
    """Runs a program that SDL can give a surface without a window, and compares its frames with llvmpipe's."""
    trace = record(run, name, 'egl', command, seconds, {'SDL_VIDEODRIVER': 'offscreen'}, True, ready)
    compare_replays(run, name, replayable(run, name, trace), interval)


def compare_replays(run, name, trace, interval):
    """Every picture must be like llvmpipe's.  Returns ours."""
    if not run.check(f'{name} is recorded', os.path.exists(trace)):
        return []
    pairs = replay(run, name, trace, interval)
    run.check(f'{name} has pictures, the last ones of a scene', pairs and run.compare(*pairs[-1], SCENE)[0])
    results = [run.compare(ours, theirs, LIKE) for ours, theirs in pairs]
    wrong = [text for ok, text in results if not ok]
    print(''.join(text for _, text in results), end='')
    run.check(f"{name}: pictures like llvmpipe's", pairs and not wrong, ''.join(wrong))
    os.unlink(trace)
    return [ours for ours, _ in pairs]


# --- programs ---------------------------------------------------------------------------------------------------------

def gles1(run):
    """A program for OpenGL ES 1.1 (own: Debian 12 has none)."""
    picture = run.path('gles1.png')
    text = run.on_chip('gles1', [os.path.join(run.build, 'tests/programs/tegra20-gles1'), picture])
    run.check('gles1: OpenGL ES-CM 1.1 on the chip', re.search(r'Tegra 2 \(tegra20\), .*, OpenGL ES-CM 1\.1', text), text)
    run.reference('gles1', picture)


def es2gears(run):
    """mesa-utils; the first frame does not depend on time."""
    if not run.installed('es2gears', ['es2gears_x11', 'apitrace', 'eglretrace', 'Xvfb']):
        return
    with xvfb() as display:  # recorded on llvmpipe
        trace = record(run, 'es2gears', 'egl', ['es2gears_x11'], 1, {'DISPLAY': display, 'LIBGL_ALWAYS_SOFTWARE': '1'}, False)
    pictures = compare_replays(run, 'es2gears', trace, 100)
    if pictures:
        run.reference('es2gears', pictures[0])


def screenshot(run, name):
    """What Weston's screen shows."""
    subprocess.run(['weston-screenshooter'], env=run.env, cwd=run.directory, timeout=240)
    for shot in [n for n in os.listdir(run.directory) if n.startswith('wayland-screenshot')]:
        os.rename(run.path(shot), run.path(name))
    return run.path(name)


def wait_for_window(run, title):
    """Weston places windows by their order."""
    for _ in range(300):
        scene = subprocess.run(['weston-debug', 'scene-graph'], env=run.env, capture_output=True, text=True, timeout=240).stdout
        if f"window '{title}'" in scene:
            break
        time.sleep(0.1)


def show_desktop(run, name, picture, expected, tolerance, chip=True):
    """Weston's GL renderer with two of its clients, until its screen is like the expected picture (if there is one)."""
    with weston(run, name, ['--debug', f'--config={HERE}/weston.ini'], chip):
        clients = []
        for title, *client in (('EventDemo', 'weston-eventdemo', '--width', '200', '--height', '150'),
                               ('Wayland ClickDot', 'weston-clickdot')):
            clients.append(subprocess.Popen(client, env=run.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            wait_for_window(run, title)
        for _ in range(10 if expected else 1):  # until the clients are there
            screenshot(run, os.path.basename(picture))
            if expected and run.compare(picture, expected, tolerance)[0]:
                break
            time.sleep(2)
        for client in clients:
            client.terminate()
            client.wait()


def desktop(run):
    """Against our own picture; on another chip against llvmpipe's, which in turn is like ours."""
    if not run.installed('desktop', ['weston', 'weston-eventdemo', 'weston-clickdot', 'weston-screenshooter']):
        return
    picture, reference = run.path('desktop.png'), run.reference_of('desktop')
    if not run.args.chip:
        show_desktop(run, 'weston', picture, None if run.args.update else reference, SAME)
        run.reference('desktop', picture)
        return
    theirs = run.path('desktop-llvmpipe.png')
    show_desktop(run, 'weston on llvmpipe', theirs, reference, LIKE, False)
    show_desktop(run, 'weston', picture, theirs, LIKE)
    run.check("desktop: picture like llvmpipe's", *run.compare(picture, theirs, LIKE))


def x11_screen(run, display, picture):
    """Writes what an X server without GL shows, as xwd has it: 24 or 32 bits of BGR, rows from the top."""
    data = subprocess.run(['xwd', '-root', '-silent'], env={**run.env, 'DISPLAY': display}, capture_output=True, check=True,
                          timeout=60).stdout
    header = struct.unpack('>25I', data[:100])
    width, height, pixel, stride = header[4], header[5], header[11] // 8, header[12]
    start = header[0] + 12 * header[19]
    rows = bytearray()
    for y in range(height):
        row, line = data[start + y * stride:start + y * stride + width * pixel], bytearray(1 + 3 * width)
        line[1::3], line[2::3], line[3::3] = row[2::pixel], row[1::pixel], row[::pixel]
        rows += line
    with open(picture, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n')
        for kind, content in ((b'IHDR', struct.pack('>2I5B', width, height, 8, 2, 0, 0, 0)), (b'IDAT', zlib.compress(rows)),
                              (b'IEND', b'')):
            file.write(struct.pack('>I', len(content)) + kind + content + struct.pack('>I', zlib.crc32(kind + content)))


def on_x11(run, name, command, size, ready):
    """A program in a window of an X server that knows nothing of the chip.  Returns the server's screen and the picture of
    tegra20-run --screenshot, of a time when ready(screen, picture)."""
    shown, shot, next_shot = (run.path(f'{name}-{word}.png') for word in ('shown', 'shot', 'next'))
    with xvfb(f'{size}x24') as display, open(run.path(f'{name}.log'), 'w+', encoding='utf-8') as log:
        options = run.chip(*command)
        options[options.index('--'):] = ['--screenshot', next_shot, '--', *command]
        process = subprocess.Popen(options, stdout=log, stderr=log, env={**run.env, 'DISPLAY': display}, start_new_session=True)
        limit = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < limit:
            if os.path.exists(next_shot):  # which the program replaces once a second
                shutil.copyfile(next_shot, shot)
            x11_screen(run, display, shown)
            if ready(shown, shot):
                break
            time.sleep(0.05)
        end(process)
        log.seek(0)
        text = log.read()
    run.strict(name, text)
    return shown, shot


def x11_window(run):
    """The window shows what the program has drawn, also when its size has changed."""
    drawn = run.path('window-drawn.png')
    command = [os.path.join(run.build, 'tests/programs/tegra20-window'), drawn]
    shown, shot = on_x11(run, 'window', command, '203x155', lambda *both: all(run.compare(drawn, one, EXACT)[0] for one in both))
    run.check('window: what X11 shows is what was drawn', *run.compare(drawn, shown, EXACT))
    run.check('window: tegra20-run --screenshot', *run.compare(drawn, shot, EXACT))


def x11_programs(run):
    """Programs that move: a window soon shows what --screenshot has just written, but for what has moved since."""
    for name, size in ('glxgears', '300x300'), ('neverball', '800x600'):
        if run.installed(name, [name]):
            both = on_x11(run, name, [name], size, lambda *both: run.compare(*both, MOVED)[0])
            run.check(f'{name}: X11 shows what was drawn', *run.compare(*both, MOVED))


def in_weston(run, command, like=None):
    """The screen of a Weston without GL with a program on the chip, two seconds after its first picture; or, with llvmpipe, as
    soon as it is like a picture."""
    driver = 'llvmpipe' if like else 'chip'
    picture, first = run.path(f'{command[0]}-{driver}.png'), run.path('first.png')
    software = {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe'} if like else {}
    options = run.chip(*command)
    options[options.index('--'):] = ['--screenshot', f'{first}@0', '--', *command]

    def ready():
        if not like and not os.path.exists(first):
            return False
        time.sleep(2)
        screenshot(run, os.path.basename(picture))
        return not like or run.compare(picture, like, LIKE)[0]

    with weston(run, f'weston without GL, {command[0]}, {driver}', ['--no-config', '--debug'], False, 'pixman'), \
         open(run.path(f'{command[0]}-{driver}.log'), 'w+', encoding='utf-8') as log:
        process = subprocess.Popen(command if like else options, env={**run.env, **software}, stdout=log, stderr=log,
                                   start_new_session=True)
        limit = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < limit and not ready():
            time.sleep(0.2)
        end(process)
        log.seek(0)
        if not like:
            run.strict(f'{command[0]} in Weston', log.read())
    with contextlib.suppress(FileNotFoundError):  # where nothing was drawn
        os.remove(first)
    return picture


def wayland_windows(run):
    """A scene of glmark2 that stands still, like llvmpipe's; and gears, in a window that stays empty with llvmpipe: Weston's own
    screen has 640 colours."""
    scene = ['glmark2-es2-wayland', '--fullscreen', '-b', 'effect2d:duration=120']
    chip = in_weston(run, scene)
    run.check("glmark2 in Weston: like llvmpipe's", *run.compare(chip, in_weston(run, scene, chip), (*LIKE, '--colors', '100')))
    gears = in_weston(run, ['es2gears_wayland'])
    run.check('es2gears_wayland in Weston: shows gears', *run.compare(gears, gears, ('--colors', '800')))


def desktop_window(run):
    """tegra20-run --desktop: ends with the status of its command; its picture shows more than the program."""
    shot = run.path('desktop-window.png')
    with xvfb('1024x768x24') as display:
        command = [os.path.join(run.build, 'tegra20-run'), '--desktop', '--strict', '--stats', '--screenshot', shot, '--',
                   'timeout', '10', 'es2gears_wayland']
        p = subprocess.run(command, env={**run.env, 'DISPLAY': display}, capture_output=True, text=True, errors='replace',
                           timeout=240)
    run.check('tegra20-run --desktop: the status of its command', p.returncode == 124, p.stdout + p.stderr)
    run.strict('tegra20-run --desktop', p.stderr)
    run.check('tegra20-run --desktop: shows a desktop', *run.compare(shot, shot, SCENE))


def windows(run):
    """Windows that take no buffers of the chip: it draws, and its pictures are copied into them."""
    if run.installed('windows', ['Xvfb', 'xwd', 'weston', 'weston-screenshooter', 'glmark2-es2-wayland', 'es2gears_wayland']):
        x11_window(run)
        x11_programs(run)
        wayland_windows(run)
        desktop_window(run)


# Mesa's vc4 driver hands on whole pixels as gl_FragCoord (emit_fragcoord_input() in vc4_program.c); these scenes take five times
# the fraction of three times a value made of it, which lies elsewhere then.
GLMARK2_FAILS = {'vc4': (
    '[conditionals] fragment-steps=5:vertex-steps=0',
    '[function] fragment-complexity=low:fragment-steps=5',
    '[function] fragment-complexity=medium:fragment-steps=5',
    '[loop] fragment-loop=false:fragment-steps=5:vertex-steps=5',
    '[loop] fragment-steps=5:fragment-uniform=false:vertex-steps=5',
    '[loop] fragment-steps=5:fragment-uniform=true:vertex-steps=5',
),
    # one pixel is looked at, where two texels meet: coordinates are not exact (A43); right with A43=exact
    'tegra20': ('[desktop] blur-radius=5:effect=blur:passes=1:separable=true:windows=4',)}


def glmark2(run):
    """glmark2's own validation of its scenes, as a client of Weston."""
    if not run.installed('glmark2', ['weston', 'glmark2-es2-wayland']):
        return
    with weston(run, 'weston under glmark2', ['--no-config']):
        text = run.on_chip('glmark2', ['glmark2-es2-wayland', '--validate'], timeout=400)
    results = re.findall(r'^(\[.*\] .*?):? Validation: (\w+)', text, re.M)
    listed = GLMARK2_FAILS.get(run.args.chip or 'tegra20', ())
    run.check('glmark2 validates', sum(r == 'Success' for _, r in results) >= 27 - len(listed), text)
    for scene, result in results:  # "Unknown": glmark2 has no picture to compare with
        if (result == 'Failure') != (scene in listed):
            run.check(f'glmark2 {scene}: {result}', False)


class Sway:
    """sway with NAME.config on the chip.  "files" has what its programs left in *.txt, {file: text}, and "log"
    what was logged, when it has ended."""

    def __init__(self, run, name, config, env=None):
        self.run, self.name = run, name
        # sway refuses to run as root
        self.user = ['runuser', '-u', 'nobody', '--'] if os.getuid() == 0 else []
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = self.temporary.name
        if self.user:
            shutil.chown(self.directory, 'nobody')
        self.env = {**run.env, 'HOME': self.directory, 'XDG_RUNTIME_DIR': self.directory, 'WLR_BACKENDS': 'headless',
                    'WLR_RENDERER': 'gles2', 'WLR_LIBINPUT_NO_DEVICES': '1', 'SWAYSOCK': f'{self.directory}/sway.sock',
                    **(env or {})}
        command = run.chip('sway', '-c', f'{HERE}/{config}.config', directory=self.directory)
        self.output = open(run.path(f'{name}.log'), 'w+', encoding='utf-8', errors='replace')
        self.process = subprocess.Popen([*self.user, *command], env=self.env, stdout=self.output, stderr=self.output,
                                        start_new_session=True)
        self.files, self.log = {}, ''

    def shoot(self, name, region=()):
        """The picture of the screen, or of a region "X,Y WIDTHxHEIGHT" of it."""
        shot, picture = os.path.join(self.directory, f'{name}.png'), self.run.path(f'{name}.png')
        options = ['-g', region] if region else []
        subprocess.run([*self.user, 'grim', *options, shot], env={**self.env, 'WAYLAND_DISPLAY': 'wayland-1'}, timeout=240)
        if os.path.exists(shot):
            shutil.copyfile(shot, picture)
        return picture

    def text(self, name):
        path = os.path.join(self.directory, name)
        return open(path, encoding='utf-8', errors='replace').read() if os.path.exists(path) else ''

    def end(self):
        subprocess.run([*self.user, 'swaymsg', '-s', self.env['SWAYSOCK'], 'exit'], env=self.env, timeout=240,
                       capture_output=True)
        end(self.process)
        self.output.seek(0)
        self.log = self.output.read()
        self.output.close()
        self.files = {name: self.text(name) for name in os.listdir(self.directory) if name.endswith('.txt')}
        self.temporary.cleanup()
        self.run.strict(self.name, self.log)


def sway_session(run, name, shown, env=None, region=()):
    """sway with NAME.config on the chip, until it (or a region of it) looks like reference/NAME.png and shown(session) holds,
    which is checked; returns what is in *.txt of its directory, {file: text}, and what was logged."""
    session = Sway(run, name, name, env)
    for _ in range(1 if run.args.update else 30):  # until the clients are there
        time.sleep(40 if run.args.update else 3)
        picture, ready = session.shoot(name, region), shown(session)
        if ready and run.compare(picture, run.reference_of(name), SAME)[0]:
            break
    run.check(f'{name}: its programs show what they should', ready)
    if region:
        session.shoot(f'{name}-whole')
    session.end()
    run.reference(name, picture)
    return session.files, session.log


def sway(run):
    """A compositor built on wlroots (as postmarketOS's are), with a video player and Qt Quick as clients."""
    if run.installed('sway', ['sway', 'swaymsg', 'grim', 'mpv', 'qmlscene', 'runuser']):
        sway_session(run, 'sway', lambda _: True, {'QML_SCENE': f'{HERE}/scene.qml'})


def webgl(run):
    """A browser, QtWebEngine, with a page of three.js."""
    if not all(map(os.path.exists, WEBGL)):
        run.counts[None] += 1
        print(f'skip: webgl: not installed: {" ".join(WEBGL)}', flush=True)
    elif run.installed('webgl', ['sway', 'swaymsg', 'grim', 'qmlscene', 'runuser']):
        sway_session(run, 'webgl', lambda session: 'draws, error 0, Tegra 2 (tegra20)' in session.text('webgl.txt'),
                     {'QML_SCENE': f'{HERE}/webgl.qml'})


def gears_turn(session):
    return 'FPS' in session.text('gears.txt')


def x11(run):
    """Xwayland with glamor: a terminal, a toolkit that draws on the CPU, a program with GLX."""
    if not run.installed('x11', ['sway', 'swaymsg', 'grim', 'Xwayland', 'xterm', 'xlogo', 'gtk3-widget-factory', 'glxinfo',
                                 'glxgears', 'runuser']):
        return

    files, text = sway_session(run, 'x11', gears_turn)
    run.check('x11: glamor has started', 'glamor' not in text or 'link failure' not in text, text)
    information = files.get('glxinfo.txt', '')
    run.check('x11: GLX on the chip', 'OpenGL renderer string: Tegra 2 (tegra20)' in information, information)
    run.check('x11: glxgears turns', 'FPS' in files.get('gears.txt', ''), str(files))


def game_draws(session):
    """Whether neverball's window shows more than a colour."""
    picture = session.shoot('x11_session-game', '561,351 318x236')
    return os.path.exists(picture) and os.path.getsize(picture) > 8192


X11 = ['sway', 'swaymsg', 'grim', 'Xwayland', 'runuser']


def x11_session(run):
    """An X server with glamor as a window of sway, openbox, a terminal, a GTK program, glxgears and neverball.  What stands
    still is compared."""
    if not run.installed('x11_session', X11 + ['openbox', 'xterm', 'xlogo', 'xprop', 'gtk3-demo-application', 'glxgears',
                                               'glxinfo', 'neverball']):
        return
    files, text = sway_session(run, 'x11_session', lambda session: gears_turn(session) and game_draws(session),
                               {'X11_CLIENTS': 'desktop', 'X11_SESSION': f'{HERE}/x11_session.sh'}, '0,0 550x640')
    run.check('x11_session: GLX on the chip', 'OpenGL renderer string: Tegra 2 (tegra20)' in files.get('glxinfo.txt', ''),
              str(files))
    run.check('x11_session: glxgears turns', 'FPS' in files.get('gears.txt', ''), str(files))
    run.check('x11_session: neverball on the chip', 'GL renderer: Tegra 2 (tegra20)' in files.get('neverball.txt', ''),
              str(files))
    windows = files.get('windows.txt', '')
    wanted = ('Openbox', 'xterm', 'glxgears', 'Neverball', 'xlogo', 'gtk3-demo-application')
    missing = [name for name in wanted if name not in windows]
    run.check('x11_session: all windows', not missing, f'{windows}\n{missing}')
    run.check('x11_session: glamor has started', 'Failed to initialize glamor' not in files.get('server.txt', '') + text, text)


def x11_tests(run, name, tests, server=None, **settings):
    """Runs the tests of a program one after another, as clients of Xwayland on the chip, or of a server in Xvfb that draws with
    llvmpipe, as far as that has what the chip's OpenGL has: glamor without a second blend source draws component-alpha masks
    wrongly, whatever the driver.  Returns {test: (status, seconds, output)}."""
    settings = {'X11_CLIENTS': name, 'X11_TESTS': ' '.join(tests), 'X11_SESSION': f'{HERE}/x11_session.sh', **settings}
    timeout = time.monotonic() + (int(settings['X11_SECONDS']) + 2) * len(tests)
    with contextlib.ExitStack() as stack:
        if server:
            directory = stack.enter_context(tempfile.TemporaryDirectory())
            env = {**run.env, 'XDG_RUNTIME_DIR': directory, 'DISPLAY': stack.enter_context(xvfb()), 'X11_SERVER': server,
                   'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe', 'MESA_GL_VERSION_OVERRIDE': '2.1',
                   'MESA_EXTENSION_OVERRIDE': '-GL_ARB_blend_func_extended', **settings}
            process = subprocess.Popen([settings['X11_SESSION']], env=env, start_new_session=True)
            stack.callback(end, process)
        else:
            session = Sway(run, name, 'x11_session', settings)
            directory, process = session.directory, session.process
            stack.callback(session.end)
        while not os.path.exists(f'{directory}/ended.txt') and process.poll() is None and time.monotonic() < timeout:
            time.sleep(1)
        path = f'{directory}/{name}.txt'
        text = open(path, encoding='utf-8', errors='replace').read() if os.path.exists(path) else ''
    with open(run.path(f'{name}-{server.split()[0] if server else "chip"}.txt'), 'w', encoding='utf-8') as file:
        file.write(text)
    parts = re.split(r'^(\w+): status (\d+), (\d+) s\n', text, flags=re.M)
    return {test: (int(status), int(seconds), output)
            for output, test, status, seconds in zip(parts[0::4], parts[1::4], parts[2::4], parts[3::4])}


RENDERCHECK = ('fill', 'dcoords', 'scoords', 'mcoords', 'tscoords', 'tmcoords', 'blend', 'composite', 'cacomposite', 'gradients',
               'repeat', 'triangles', 'bug7366', 'gtk_argb_xbgr', 'libreoffice_xrgb')

# The operators that glamor draws; the others, which no program is known to use, are drawn on the CPU in either case.
OPERATORS = ('Clear', 'Src', 'Dst', 'Over', 'OverReverse', 'In', 'InReverse', 'Out', 'OutReverse', 'Atop', 'AtopReverse', 'Xor',
             'Add')


def rendercheck(run):
    """Every test of the X extension RENDER, on the chip and with glamor on llvmpipe: none fails that passes there.  With the
    formats of windows, of pictures with alpha and of masks; each more makes three times as many tests."""
    if not run.installed('rendercheck', X11 + ['rendercheck', 'Xvfb', 'Xephyr']):
        return
    settings = {'X11_FORMATS': 'a8r8g8b8,a8', 'X11_OPERATORS': ','.join(OPERATORS), 'X11_SECONDS': '1500'}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        chip, other = pool.map(lambda server: x11_tests(run, 'rendercheck', RENDERCHECK, server, **settings),
                               (None, 'Xephyr -glamor -screen 640x480'))
    for test in RENDERCHECK:
        counts = []
        for results in chip, other:
            status, seconds, output = results.get(test, (-1, 0, ''))
            found = re.search(r'(\d+) tests passed of (\d+) total', output)
            counts.append((status, int(found[1]), int(found[2]), seconds) if found else (status, 0, 0, seconds))
        ours, theirs = counts
        run.check(f'rendercheck {test}: {ours[1]} of {ours[2]} in {ours[3]} s, '
                  f'llvmpipe {theirs[1]} of {theirs[2]} in {theirs[3]} s',
                  ours[0] in (0, 1) and ours[2] and ours[1] >= theirs[1], chip.get(test, ('', '', ''))[2])


def game(run, name):
    return run.installed(name, [name, 'apitrace', 'eglretrace'])


def neverball(run):
    """Fixed function: lights, reflections with stencil, shadows, blending."""
    if not game(run, 'neverball'):
        return
    os.makedirs(os.path.join(run.home, '.neverball'), exist_ok=True)
    with open(os.path.join(run.home, '.neverball/neverballrc'), 'w', encoding='utf-8') as rc:
        rc.write('width 320\nheight 240\nfullscreen 0\nreflection 1\nmultisample 0\nshadow 1\naniso 0\n')
    recorded(run, 'neverball', ['/usr/games/neverball', '-l', 'map-easy/easy.sol'], 20, 20)


OPENARENA_GLSL = {'cl_renderer': 'opengl2', 'com_hunkMegs': 512}


def openarena_command(settings):
    settings = {'r_mode': -1, 'r_customwidth': 320, 'r_customheight': 240, 'r_fullscreen': 0, 's_initsound': 0,
                'r_ext_multisample': 0, 'r_ext_texture_filter_anisotropic': 0, 'timedemo': 1, **settings}
    options = [word for key, value in settings.items() for word in ('+set', key, str(value))]
    return ['/usr/games/openarena', *options, '+demo', 'demo088-test1']


def openarena(run):
    """Fixed function: lightmaps in a second texture, alpha test, portals, many small blended draws."""
    if game(run, 'openarena'):
        recorded(run, 'openarena', openarena_command({'cl_renderer': 'opengl1'}), 60, 20, 'CL_InitCGame: ')


def openarena_glsl(run):
    """The renderer with programs, some of which take several passes."""
    if game(run, 'openarena'):
        recorded(run, 'openarena_glsl', openarena_command(OPENARENA_GLSL), 40, 20, 'CL_InitCGame: ')


def etr(run):
    """Extreme Tux Racer, which wants X11: its menus (apitrace ends with a segmentation fault when a race begins)."""
    if not run.installed('etr', ['etr', 'apitrace', 'eglretrace', 'Xvfb']):
        return
    with xvfb() as display:
        trace = record(run, 'etr', 'gl', ['/usr/games/etr'], 8, {'DISPLAY': display, 'LIBGL_ALWAYS_SOFTWARE': '1',
                                                                  'MESA_GL_VERSION_OVERRIDE': '2.1'}, False)
    compare_replays(run, 'etr', trace, 25)


QUICK = [gles1, es2gears, windows, desktop, glmark2]
OTHER_CHIP = [es2gears, desktop, glmark2]
LONG = [sway, webgl, x11, x11_session, rendercheck, neverball, openarena, openarena_glsl, etr]


def main():
    names = {p.__name__: p for p in QUICK + LONG}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--chip', metavar='CHIP', help='another chip of tegra20-run: vc4, a420')
    parser.add_argument('--keep', metavar='DIR')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--results', metavar='FILE')
    parser.add_argument('programs', nargs='*', metavar='NAME', help=', '.join(names))
    args = parser.parse_args()
    if set(args.programs) - set(names):
        parser.error(f'programs are: {", ".join(names)}')
    wanted = [names[n] for n in args.programs] or (OTHER_CHIP if args.chip else QUICK + (LONG if args.long else []))
    with tempfile.TemporaryDirectory() as temporary, measured.kept(args.results):
        if args.keep:
            os.makedirs(args.keep, mode=0o700, exist_ok=True)
        run = Run(args, os.path.abspath(args.keep) if args.keep else temporary)
        for program in wanted:
            start = time.monotonic()
            program(run)
            print(f'-- {program.__name__}: {time.monotonic() - start:.0f} s', flush=True)
        print('{} passed, {} failed, {} skipped'.format(run.counts[True], run.counts[False], run.counts[None]))
    return 1 if run.counts[False] else 0


if __name__ == '__main__':
    sys.exit(main())
