#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""tegra20-vm: boots a real kernel on the simulated Tegra20 and runs a command in it (docs/vm.md)."""

import argparse
import contextlib
import ctypes
import fcntl
import glob
import os
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tty

NAME = 'tegra20-vm'
VERSION = 'tegra20-vm @VERSION@\nSend reports to: @REPORTS@'
STATUS_CANNOT_RUN = 126
STATUS_TIMEOUT = 124
DIRECTORY_PREFIX = 'tegra20-vm-run-'
STALE_SECONDS = 60  # no run takes so long to lock its directory
ADDR_NO_RANDOMIZE = 0x0040000
MIB = 1 << 20
# What ci/vm-kernel builds.
KERNELS = [version + variant for version in ('6.1', '6.12') for variant in ('', '-debug', '-kasan', '-pm-fault')]
# The first process of the kernel covers these with file systems in memory.
COVERED = ('/tmp', '/var/tmp', '/run', '/dev', '/proc', '/sys')

DESCRIPTION = """\
Boots a real Linux kernel (User-Mode Linux with Linux's own drivers for host1x and the display) on a simulated Tegra20 and
runs a command in it, with the files of this machine.  The files are read-only but for the working directory and what
--write names; /tmp, /run and /dev are the kernel's own.  Without a command: a shell.  ci/vm-kernel builds the kernels."""

EPILOGUE = """\
The exit status is the command's, 3 when --strict found something, 124 after --timeout, 126 when the kernel does not run.

In the machine, "echo FILE >/sys/kernel/debug/tegra20-screen" writes the screen to a PNG file of the host."""


def die(text, status=STATUS_CANNOT_RUN):
    print(f'{NAME}: {text}', file=sys.stderr)
    sys.exit(status)


def positive(text):
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f'more than 0 seconds are wanted, not {text}')
    return value


def whole(text):
    if not re.fullmatch('[0-9]+', text):
        raise argparse.ArgumentTypeError(f'a whole number is wanted, not {text}')
    return int(text)


def threads(text):
    if whole(text) > 64:
        raise argparse.ArgumentTypeError(f'at most 64 threads are possible, not {text}')
    return int(text)


def parse(arguments):
    p = argparse.ArgumentParser(prog=NAME, description=DESCRIPTION, epilog=EPILOGUE,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--kernel', default='6.12', metavar='VERSION', help='6.12 (default), 6.1, or a variant such as 6.12-debug')
    p.add_argument('--strict', action='store_true', help='report undefined and suspicious uses of the chip; status 3 then')
    p.add_argument('--stats', action='store_true', help='print what was drawn')
    p.add_argument('--screen', metavar='FILE', help='the last picture on the screen, as PNG; at any time with SIGUSR1')
    p.add_argument('--desktop', choices=('weston', 'sway', 'xorg'),
                   help='start this desktop on the screen, drawn by the chip, and the command in it; the machine is off when '
                        'the command ends')
    p.add_argument('--screenshot', metavar='FILE[@SECONDS]',
                   help='with --desktop: the screen as PNG, so many seconds (default 5) after the command started')
    p.add_argument('--frames', metavar='DIR', help='each frame on the screen that differs from the one before, as PNG')
    p.add_argument('--size', default='640x480', metavar='WxH', help='size of the panel (default 640x480)')
    p.add_argument('--memory', type=whole, default=1024, metavar='MIB', help="the machine's memory (default 1024)")
    p.add_argument('--cma', type=whole, default=256, metavar='MIB', help='of it, contiguous memory for graphics (default 256)')
    p.add_argument('--threads', type=threads, default=0, metavar='N', help='threads of each engine, 0 (default) = one per core')
    p.add_argument('--switch', action='append', default=[], metavar='A=V',
                   help='choose another behaviour for a hardware assumption; may be repeated')
    p.add_argument('--adversary', type=whole, default=0, metavar='SEED',
                   help='a chip whose caches keep what is not invalidated, and whose stores are late')
    p.add_argument('--record', metavar='FILE',
                   help='the jobs of the command with their memory, for tegra20-replay; of one process')
    p.add_argument('--root', action='store_true',
                   help='run the command as root (of the machine), who can write all files that who starts this can')
    p.add_argument('--write', action='append', default=[], metavar='DIR', help='the command may write there, too')
    p.add_argument('--dmesg', metavar='FILE', help="write the kernel's log there, - for stderr")
    p.add_argument('--timeout', type=positive, metavar='S', help='switch the machine off after so many seconds')
    p.add_argument('--log-jobs', action='store_true', help='print a line for each job of an engine')
    p.add_argument('--kernel-argument', action='append', default=[], metavar='TEXT', help="add to the kernel's command line")
    p.add_argument('--version', action='version', version=VERSION, help='print version, commit and where reports go')
    p.add_argument('command', nargs=argparse.REMAINDER, metavar='-- COMMAND', help='default: a shell')
    options = p.parse_args(arguments)
    if options.command[:1] == ['--']:
        del options.command[0]
    return options


# --- what is needed ---------------------------------------------------------------------------------------------------

def find_parts():
    """Directories of the plug-in, of the kernels and of the two programs: of a build directory or installed."""
    here = os.path.dirname(os.path.realpath(__file__))
    for top in (here, os.path.dirname(os.path.dirname(here))):
        if os.path.exists(f'{top}/sim/vm/tegra20-vm-server'):
            return f'{top}/lib', f'{top}/vm', f'{top}/sim/vm', '@SOURCE@/sim/vm/tegra20.dts'
    private = os.path.join(os.path.dirname(here), '@PRIVATE_LIBDIR@')
    if os.path.exists(f'{private}/vm/tegra20-vm-server'):
        return private, f'{private}/vm', f'{private}/vm', f'{private}/vm/tegra20.dts'
    die('tegra20-vm-server was not found: build (ninja) or install again')


def parse_screenshot(options):
    """Divides --screenshot into file and seconds."""
    options.seconds = '5'
    if not options.screenshot:
        return
    if not options.desktop:
        die('--screenshot is of a desktop (--desktop weston, sway or xorg); without one: --screen FILE', 2)
    file, at, seconds = options.screenshot.rpartition('@')
    if at:
        options.screenshot, options.seconds = file, seconds
    if not options.screenshot or not re.fullmatch(r'\d+(\.\d+)?', options.seconds):
        die('--screenshot wants FILE or FILE@SECONDS', 2)


def check_options(options, top):
    """Files and folders that are written must have a place; the assumptions and values are those that tegra20-run knows."""
    parse_screenshot(options)
    for name in ('screen', 'record', 'dmesg', 'frames', 'screenshot'):
        path = getattr(options, name)
        if path and path != '-' and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            die(f'--{name} {path}: there is no such folder', 2)
    for directory in options.write:
        if not os.path.isdir(directory):
            die(f'--write {directory}: there is no such folder', 2)
    tool = next((t for t in (f'{top}/tegra20-run', f'{os.path.dirname(os.path.realpath(__file__))}/tegra20-run')
                 if os.access(t, os.X_OK)), None)
    for switch in options.switch:  # those that begin with U are of a chip that the machine does not have
        if switch[:1] != 'A' or tool and subprocess.run([tool, '--switch', switch, '--', 'true'], capture_output=True).returncode:
            die(f'--switch: unknown assumption or value "{switch}" (docs/hardware-assumptions.md)', 2)


def check_machine(options, kernels):
    kernel = f'{kernels}/linux-{options.kernel}'
    if os.uname().machine != 'x86_64':
        die(f'User-Mode Linux runs on x86_64 only, this is {os.uname().machine}')
    if not os.access(kernel, os.X_OK):
        version, _, variant = options.kernel.partition('-')
        if options.kernel not in KERNELS:
            die(f'there is no kernel {options.kernel}; kernels are {", ".join(KERNELS)}', 2)
        command = f'ci/vm-kernel --version {version}' + (f' --variant {variant}' if variant else '')
        die(f'kernel {options.kernel} is not built: {command}')
    try:
        flags = os.statvfs('/dev/shm')
    except OSError as e:
        die(f"/dev/shm is needed for the machine's memory: {e.strerror}")
    free = flags.f_bavail * flags.f_frsize // MIB
    # Pages are taken when they are used; half is what desktops use.
    if free < options.memory // 2:
        die(f"/dev/shm has {free} MiB left, the machine's memory is {options.memory} MiB: make it larger "
            f'(mount -o remount,size=2G /dev/shm; docker run --shm-size=2g) or choose less with --memory')
    if flags.f_flag & os.ST_NOEXEC:
        die('/dev/shm is mounted noexec: User-Mode Linux executes from it (mount -o remount,exec /dev/shm)')
    if options.cma > options.memory - 128:
        die(f'--cma {options.cma} leaves less than 128 MiB of --memory {options.memory}')
    return kernel


# --- device tree ------------------------------------------------------------------------------------------------------

def build_device_tree(options, template, dtc, directory):
    try:
        width, height = (int(n) for n in options.size.split('x'))
    except ValueError:
        die(f'--size wants WIDTHxHEIGHT, not "{options.size}"', 2)
    if not (64 <= width <= 4000 and 64 <= height <= 4000):
        die(f'--size {options.size}: a panel has 64 to 4000 pixels each way', 2)
    text = open(template, encoding='utf-8').read()
    values = {'CMA': options.cma * MIB, 'WIDTH': width, 'HEIGHT': height, 'WIDTH_MM': width // 4, 'HEIGHT_MM': height // 4,
              'PIXEL_CLOCK': (width + 174) * (height + 12) * 60}
    for name, value in values.items():
        text = text.replace(f'@{name}@', str(value))
    blob = f'{directory}/tegra20.dtb'
    run = subprocess.run([dtc, '-q', '-I', 'dts', '-O', 'dtb', '-o', blob, '-'], input=text, text=True, capture_output=True)
    if run.returncode:
        die(f'the device tree cannot be compiled: {run.stderr}')
    return blob


# --- the command ------------------------------------------------------------------------------------------------------

def user(as_root):
    """(uid, gid, home, whether it needs the rights of root on files)."""
    if as_root:
        return 0, 0, '/root', False
    if os.getuid() == 0:
        nobody = pwd.getpwnam('nobody')
        return nobody.pw_uid, nobody.pw_gid, '/tmp', True
    return os.getuid(), os.getgid(), '/tmp', False


def write_strings(path, strings):
    with open(path, 'wb') as f:
        for string in strings:
            f.write(os.fsencode(string) + b'\0')


def record_directory(options):
    return [os.path.dirname(os.path.abspath(options.record))] if options.record else []


def is_covered(path):
    return any(path == c or path.startswith(c + '/') for c in COVERED)


def describe(options, plugin, directory, interactive):
    """The files that the machine's first process reads."""
    # root starts a desktop, which starts the command as the user
    uid, gid, home, privileged = user(options.root or options.desktop)
    lines = [f'user {uid} {gid}', f'directory {os.getcwd()}'] + ['privileged'] * privileged
    top = os.path.dirname(plugin)
    writable = [os.path.realpath(d) for d in [os.getcwd()] + record_directory(options) + options.write]
    if is_covered(top) and not any(top == w or top.startswith(w + '/') for w in writable):
        lines.append(f'read {top}')
    lines += [f'write {d}' for d in dict.fromkeys(writable)]
    if interactive:
        lines.append('terminal')
    elif not sys.stdin.isatty():
        path = os.readlink(f'/proc/self/fd/{sys.stdin.fileno()}')
        if os.path.isfile(path):
            lines.append(f'input {path}')
    with open(f'{directory}/setup', 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    with open(f'{directory}/seed', 'wb') as f:
        f.write(os.urandom(64))
    environment = {k: v for k, v in os.environ.items() if k not in ('TMPDIR', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY')}
    environment['LD_LIBRARY_PATH'] = ':'.join(filter(None, [plugin, environment.get('LD_LIBRARY_PATH')]))
    environment['HOME'] = home
    if options.record:
        flags = [f for f in environment.get('TEGRA20_DEBUG', '').split(',') if f and not f.startswith('record=')]
        environment['TEGRA20_DEBUG'] = ','.join(flags + [f'record={os.path.abspath(options.record)}'])
    environment['PATH'] = environment.get('PATH', '/usr/bin:/bin')
    if interactive:
        environment['PS1'] = 'tegra20$ '
    write_strings(f'{directory}/environment', [f'{k}={v}' for k, v in environment.items()])
    shell = ['/bin/bash', '--norc', '-i'] if interactive else ['/bin/bash']
    if options.desktop:
        uid, gid, _, _ = user(False)
        screenshot = os.path.abspath(options.screenshot) if options.screenshot else '-'
        command = [f'{find_parts()[2]}/tegra20-vm-desktop', options.desktop, str(uid), str(gid), screenshot, options.seconds]
        write_strings(f'{directory}/command', command + options.command)
    else:
        write_strings(f'{directory}/command', options.command or shell)


# --- running ----------------------------------------------------------------------------------------------------------

def start_server(options, programs, ours):
    command = [f'{programs}/tegra20-vm-server', '--socket', str(ours.fileno()), '--threads', str(options.threads)]
    command += ['--strict'] * options.strict + ['--stats'] * options.stats + ['--log'] * options.log_jobs
    for name in ('screen', 'frames'):
        if getattr(options, name):
            command += [f'--{name}', os.path.abspath(getattr(options, name))]
    if options.switch:
        command += ['--switch', ','.join(options.switch)]
    if options.adversary:
        command += ['--adversary', str(options.adversary)]
    if options.frames:
        os.makedirs(options.frames, exist_ok=True)
    return subprocess.Popen(command, pass_fds=[ours.fileno()], stdin=subprocess.DEVNULL, start_new_session=True)


def start_kernel(options, kernel, blob, directory, theirs, interactive):
    consoles = ['con0=null,fd:1', 'con=null']
    streams = [os.dup(f.fileno()) for f in (sys.stdin, sys.stdout, sys.stderr)]
    if interactive:
        consoles.append(f'con1=fd:{streams[0]},fd:{streams[1]}')
    else:
        consoles += [f'con1=null,fd:{streams[1]}', f'con2=null,fd:{streams[2]}']
    command = [kernel, f'mem={options.memory}M', f'dtb={blob}', f'umid=t20-{os.getpid()}', f'tegra20.fd={theirs.fileno()}',
               'root=hostfs', 'rootfstype=hostfs', 'rootflags=/', 'ro', f'init={find_parts()[2]}/tegra20-vm-init', 'panic=-1',
               'loglevel=8', f'TEGRA20_VM={directory}'] + consoles + options.kernel_argument
    environment = {'TMPDIR': '/dev/shm', 'PATH': os.environ.get('PATH', ''), 'HOME': directory}
    libc = ctypes.CDLL(None)
    log = open(f'{directory}/console', 'wb')
    return subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()] + streams, stdin=subprocess.DEVNULL, stdout=log,
                            stderr=log, start_new_session=True, preexec_fn=lambda: libc.personality(ADDR_NO_RANDOMIZE))


def stop(process):
    """Ends a process and all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            pass


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            return f.read()
    except OSError:
        return ''


def explain(directory, process):
    """Why no exit status came back."""
    console = read(f'{directory}/console')
    reasons = (('ptrace', 'the kernel may not trace its processes: allow ptrace (docker run --cap-add SYS_PTRACE; '
                          '/proc/sys/kernel/yama/ptrace_scope must be below 3)'),
               ('Kernel panic', 'the kernel panicked'),
               ('No space left', '/dev/shm is full'))
    reason = next((r for word, r in reasons if word in console), f'the kernel ended without a word (status {process.returncode})')
    return f'{reason}; the end of its log:\n' + '\n'.join(console.strip().split('\n')[-25:])


def finish(options, directory, process):
    """The status of the command; hands out the logs."""
    log = read(f'{directory}/dmesg') or read(f'{directory}/console')
    if options.dmesg == '-':
        sys.stderr.write(log)
    elif options.dmesg:
        with open(options.dmesg, 'w', encoding='utf-8') as f:
            f.write(log)
    sys.stderr.write(read(f'{directory}/complaints'))
    try:
        return int(read(f'{directory}/status'))
    except ValueError:
        die(explain(directory, process))


class Terminal:
    """Hands the terminal to the machine: it has a line discipline of its own."""
    def __init__(self, used):
        self.saved = termios.tcgetattr(0) if used else None

    def __enter__(self):
        if self.saved:
            tty.setraw(0)

    def __exit__(self, *_):
        if self.saved:
            termios.tcsetattr(0, termios.TCSADRAIN, self.saved)


def run(options, directory):
    plugin, kernels, programs, template = find_parts()
    check_options(options, os.path.dirname(plugin))
    kernel = check_machine(options, kernels)
    interactive = not options.command and not options.desktop and sys.stdin.isatty() and sys.stdout.isatty()
    blob = build_device_tree(options, template, f'{kernels}/dtc', directory)
    describe(options, plugin, directory, interactive)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = start_server(options, programs, ours)
    ours.close()
    sys.stdout.flush()
    sys.stderr.flush()
    machine = start_kernel(options, kernel, blob, directory, theirs, interactive)
    theirs.close()
    signal.signal(signal.SIGUSR1, lambda *_: server.send_signal(signal.SIGUSR1))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda n, _: sys.exit(128 + n))
    late = False
    try:
        with Terminal(interactive):
            machine.wait(timeout=options.timeout)
    except subprocess.TimeoutExpired:
        late = True
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        stop(machine)
        try:
            found = server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            found = 0
            stop(server)
    if late:
        console = '\n'.join(read(f'{directory}/console').strip().split('\n')[-25:])
        if options.dmesg:
            finish_late(options, directory)
        die(f'switched off after {options.timeout:g} s; the end of the kernel\'s log:\n{console}', STATUS_TIMEOUT)
    status = finish(options, directory, machine)
    return status or found


def finish_late(options, directory):
    """The log of a machine that had to be switched off."""
    log = read(f'{directory}/console')
    if options.dmesg == '-':
        sys.stderr.write(log)
    else:
        with open(options.dmesg, 'w', encoding='utf-8') as f:
            f.write(log)


def remove_stale_directories():
    """Those of runs that were killed: others hold a lock."""
    for path in glob.glob(f'{tempfile.gettempdir()}/{DIRECTORY_PREFIX}*'):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        with contextlib.suppress(OSError):
            status = os.fstat(fd)
            if status.st_uid == os.geteuid() and time.time() - status.st_mtime > STALE_SECONDS:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
        os.close(fd)


def main():
    options = parse(sys.argv[1:])
    remove_stale_directories()
    with tempfile.TemporaryDirectory(prefix=DIRECTORY_PREFIX) as directory:
        fcntl.flock(os.open(directory, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_SH)
        return run(options, directory)


if __name__ == '__main__':
    sys.exit(main())
