#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Tests under a real kernel: tests/vm/run.py [--build BUILD] [--kernel VERSION] [--list] [PART...]

Boots tegra20-vm for each part and looks at what comes back: pictures, statuses, the kernel's log.  Without parts: all of
those that are meant for the kernel.  The last line is "N passed, N failed, N skipped".
"""

import argparse
import fcntl
import filecmp
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import zlib

import kernel_log

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../common'), os.path.join(HERE, '../piglit')]

import part  # noqa: E402, tests/common/part.py
import selection  # noqa: E402


def read_png(path):
    """(width, height, rows of RGBA bytes) of a file that the screen was written to."""
    data, pos, packed = open(path, 'rb').read(), 8, b''
    while pos < len(data):
        size, kind = struct.unpack('>I4s', data[pos:pos + 8])
        if kind == b'IHDR':
            width, height = struct.unpack('>II', data[pos + 8:pos + 16])
        elif kind == b'IDAT':
            packed += data[pos + 8:pos + 8 + size]
        pos += 12 + size
    raw, rows, above = zlib.decompress(packed), [], bytearray(4 * width)
    for y in range(height):
        start = y * (4 * width + 1)
        mode, row = raw[start], bytearray(raw[start + 1:start + 1 + 4 * width])
        for i, value in enumerate(row):
            left = row[i - 4] if i >= 4 else 0
            corner = above[i - 4] if i >= 4 else 0
            estimate = left + above[i] - corner
            nearest = min((abs(estimate - left), 0, left), (abs(estimate - above[i]), 1, above[i]),
                          (abs(estimate - corner), 2, corner))[2]
            row[i] = (value + (0, left, above[i], (left + above[i]) // 2, nearest)[mode]) & 255
        rows.append(row)
        above = row
    return width, height, rows


# Seconds that a machine may run: many times what any part takes, for a host may be busy.
TIMEOUT = 1800


class Tests(part.Counts):
    def __init__(self, args, directory):
        super().__init__()
        self.build = os.path.abspath(args.build)
        self.kernel = args.kernel
        self.pictures = args.pictures
        self.directory = directory

    def record(self, name, figures):
        """For tests/docs/numbers.py; of the kernel that the documents are about."""
        if self.kernel == '6.12' and figures:
            with open(f'{self.build}/figures.jsonl', 'a', encoding='utf-8') as file:
                file.write(json.dumps({name: figures}) + '\n')

    def vm(self, command, options=(), timeout=TIMEOUT):
        """Returns (status, output, errors, log of the kernel)."""
        log = f'{self.directory}/dmesg'
        p = subprocess.run([f'{self.build}/tegra20-vm', '--kernel', self.kernel, '--timeout', str(timeout), '--dmesg', log,
                            *options, '--', *command], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True)
        text = open(log, encoding='utf-8', errors='replace').read() if os.path.exists(log) else ''
        return p.returncode, p.stdout.decode(errors='replace'), p.stderr.decode(errors='replace'), text

    def runs(self, name, command, options=(), said='', allowed='$^', debug='refuse'):
        """A command that ends well and says something, without a diagnostic if strict and without a warning of the kernel that
        it is not about.  Returns (output, errors, log)."""
        status, out, err, log = self.vm((['env', f'TEGRA20_DEBUG={debug}'] if debug else []) + command, options)
        strict = '--strict' not in options or 'strict: 0 diagnostics' in err
        self.check(name, status == 0 and strict and re.search(said, out + err, re.M), out + err)
        self.check_log(name, log, allowed)
        return out, err, log

    def demo(self, *more):
        """The command of the demo, whose picture of the simulated kernel is usual.png then; its own is the last word."""
        demo = [f'{self.build}/tests/demo/tegra20-demo', *more, '--out']
        subprocess.run([f'{self.build}/tegra20-run', '--', 'env', 'TEGRA20_DEBUG=best'] + demo + ['usual.png'],
                       cwd=self.directory, check=True, capture_output=True)
        return demo + ['vm.png']

    def is_usual(self):
        """Is the picture of the demo there, and bit by bit the usual one?  It is away then."""
        picture = f'{self.directory}/vm.png'
        same = os.path.exists(picture) and filecmp.cmp(picture, f'{self.directory}/usual.png', shallow=False)
        if os.path.exists(picture):
            os.remove(picture)
        return same

    def check_log(self, name, log, allowed='$^'):
        """No warning, unless it is one of those that the test is about."""
        bad = kernel_log.unexpected(log, allowed, self.kernel.endswith('-debug'))
        self.check(f'{name}: log without warning', not bad, '\n'.join(bad[:20]))


# Microseconds that the first write to a page takes, without what the loop takes.
FAULTS = """
import mmap, time
pages = 5000
memory = mmap.mmap(-1, pages * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def write():
    start = time.perf_counter()
    for i in range(0, pages * mmap.PAGESIZE, mmap.PAGESIZE):
        memory[i] = 1
    return time.perf_counter() - start
print((write() - write()) * 1e6 / pages)
"""


def part_boot(t):
    """Status, output and errors of a command; the calling user; files that are written; what a killed run left."""
    left = tempfile.mkdtemp(prefix='tegra20-vm-run-')
    os.utime(left, (0, 0))
    status, out, err, log = t.vm(['sh', '-c', 'id -u; id -G; stat -c "%u %g %a" $XDG_RUNTIME_DIR; grep CapEff /proc/self/status; '
                                  'echo error >&2; echo text >written; exit 7'])
    t.check('directory of a killed run', not os.path.exists(left))
    t.check('status', status == 7, err)
    # nobody with CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER, as root's files are written
    user, group, rights = (os.getuid(), os.getgid(), 0) if os.getuid() else (65534, 65534, 0b1110)
    t.check('user', out == f'{user}\n{group}\n{user} {group} 700\nCapEff:\t{rights:016x}\n', out)
    t.check('errors', 'error' in err, err)
    t.check('file', open(f'{t.directory}/written', encoding='utf-8').read() == 'text\n')
    t.check('kernel', f'Linux version {t.kernel.partition("-")[0]}.' in log, log[:300])
    t.check_log('boot', log)
    status, out, err, _ = t.vm(['/usr/bin/python3', '-c', FAULTS])
    t.check('page faults', status == 0 and re.fullmatch(r'-?[\d.]+\n', out), out + err)
    t.record('page fault in tegra20-vm', {'microseconds': round(float(out), -1)} if status == 0 else {})


CHECK_GOOD = ('Mesa: it loads libgallium-', 'chip: Tegra20', "interface: mainline's", 'device: /dev/dri/renderD128 can be opened',
              'MiB of contiguous memory for', 'engines: they run jobs (mainline interface)',
              # what the machine has in place of it no other kernel has
              'was built without CONFIG_ARCH_TEGRA_2x_SOC, ')


def part_check(t):
    """What tegra20-gl --check says of this machine, and of its mistakes."""
    check = f'{t.build}/tegra20-gl --check'
    forbid = 'chmod 600 /dev/dri/renderD128; exec setpriv --reuid nobody --regid nogroup --clear-groups '
    for name, script, options, words, wrong in (
            ('good', check, [], CHECK_GOOD, ('may not', 'too few', 'cannot')),
            ('little memory', check, ['--cma', '8'], ('memory: 8 MiB of contiguous memory are too few for',), ()),
            ('no permission', forbid + check, ['--root'],
             ('device: you may not open /dev/dri/renderD128: join its group (adduser nobody ',), ('run jobs',))):
        _, out, err, log = t.vm(['sh', '-c', script], options)
        t.check(f'--check, {name}', all(word in out for word in words) and not any(word in out for word in wrong), out + err)
        t.check_log(f'--check, {name}', log)


# Pictures are compared bit by bit: a draft that is exchanged in between may differ in the last one ("best").

def part_demo(t):
    """The demo, bit by bit as on the simulated kernel."""
    t.runs('demo', t.demo('--frames', '3'), ['--strict'], r'Tegra 2 \(tegra20\)', debug='refuse,best')
    t.check('demo: picture', t.is_usual())


# What an adversary takes time for is copies of the memory.
SMALL = ['--memory', '256', '--cma', '64']


def part_adversary(t):
    """The same on a chip with caches and late stores: each wait and invalidation of the driver is still there."""
    demo = t.demo('--frames', '3')
    for seed in '1', '2':
        t.runs(f'adversary {seed}', demo, ['--adversary', seed, *SMALL], debug='best')
        t.check(f'adversary {seed}: picture', t.is_usual())


def part_overlap(t):
    """Jobs of two contexts, which the kernel does not hold apart (kernel-review.md 6): each waits for the engine itself."""
    draws = [f'{t.build}/tests/vm/test_vm_draws', '--queued', '--contexts', '2', '--frames', '24']
    for seed in '1', '2', '3':
        t.runs(f'overlap {seed}', draws, ['--adversary', seed, '--strict', *SMALL], '^24 frames right, 0 wrong')
    # They do overlap in this machine, if they are in the queue before the long draws end, which a busy host may prevent.
    for _ in range(10):
        status, out, err, _ = t.vm(['env', 'TEGRA20_DEBUG=refuse,nowait'] + draws, ['--adversary', '1', *SMALL])
        wrong = status == 1 and re.search('^[1-9][0-9]* frames right, [1-9]', out, re.M)
        if wrong:
            break
    t.check('overlap without the wait', wrong, out + err)


# Chips on which the driver is wrong without its profile, and with it draws as on the one that it takes for granted: draws that
# must not meet (kernel-review.md 7), registers of Tegra30 that matter (8), another pitch of textures (10).
PROFILES = ('A98=wait', ['--adversary', '1']), ('A98=alone', ['--adversary', '1']), ('A107=zeroed', []), ('A57=16', [])


def part_profiles(t):
    """The demo on chips that behave otherwise, with the profile that says so; without it the picture is another one."""
    demo = t.demo('--frames', '2', '--size', '160x120')
    for value, options in PROFILES:
        for profile in value, '':
            name = f'{value}, profile "{profile}"'
            t.runs(name, ['env', f'TEGRA20_HW=default,{profile}'] + demo, ['--switch', value, *options, *SMALL],
                   debug='refuse,best')
            t.check(f'{name}: picture', t.is_usual() == bool(profile))
    script = (f'cp -a /etc /tmp/etc && mkdir -p /tmp/etc/tegra20 && printf "%s\\n" "tegra20-hw 1" "chip 0x20" {value} "end 3" '
              '>/tmp/etc/tegra20/hardware-profile && mount --bind /tmp/etc /etc && exec "$@"')
    t.runs('profile of all users', ['sh', '-c', script, 'sh'] + demo, ['--root', '--switch', value, *SMALL], debug='refuse,best')
    t.check('profile of all users: picture', t.is_usual())


def part_record(t):
    """What is recorded in the machine replays bit by bit."""
    demo = [f'{t.build}/tests/demo/tegra20-demo', '--frames', '2', '--size', '160x120', '--out', 'vm.png']
    t.runs('record', demo, ['--record', 'recording'], debug='')
    replay = subprocess.run([f'{t.build}/tegra20-replay', 'recording'], cwd=t.directory, capture_output=True, text=True,
                            check=False)
    t.check('replay', replay.returncode == 0 and ' 0 different, 0 hung' in replay.stderr, replay.stdout + replay.stderr)


class Shell:
    """The shell of a machine, as someone at a terminal has it."""
    PROMPT = 'tegra20$ '

    def __init__(self, t, options):
        self.text = ''
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(t.directory)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('4H', 33, 99, 0, 0))
            os.execv(f'{t.build}/tegra20-vm', [f'{t.build}/tegra20-vm', '--kernel', t.kernel, *options])

    def read_until(self, pattern, seconds=TIMEOUT):
        """What was printed up to the pattern; None when it does not come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.text)
            if found:
                before, self.text = self.text[:found.end()], self.text[found.end():]
                return before
            try:
                if select.select([self.fd], [], [], 1)[0]:
                    self.text += os.read(self.fd, 4096).decode(errors='replace')
            except OSError:  # it has ended
                break
        return None

    def say(self, text):
        """Types a line; returns what came back up to the next prompt."""
        os.write(self.fd, text.encode() + b'\r')
        return self.read_until(re.escape(self.PROMPT)) or ''

    def status(self):
        self.read_until('(?!)')
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def comes_true(condition):
    end = time.monotonic() + TIMEOUT
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def part_interactive(t):
    """The shell that a machine without a command starts, and pictures of its screen on demand."""
    if not shutil.which('modetest'):
        t.skip('interactive', 'modetest is not installed (libdrm-tests)')
        return
    log = f'{t.directory}/dmesg'
    shell = Shell(t, ['--size', '100x80', '--screen', 'screen.png', '--dmesg', log])
    t.check('shell: prompt', shell.read_until(re.escape(Shell.PROMPT)) is not None, shell.text)
    said = shell.say('echo $((6 * 7)); uname -r; tty; stty size; echo wrong >&2')
    version = re.escape(t.kernel.partition('-')[0])
    t.check('shell: answers', re.search(rf'\b42\r\n{version}\.\d+\r\n/dev/tty1\r\n33 99\r\nwrong\r\n', said), said)
    os.write(shell.fd, b'sleep 3600\r')
    shell.read_until('3600\r\n')
    time.sleep(1)
    os.write(shell.fd, b'\x03')
    t.check('shell: Ctrl-C', shell.read_until(re.escape(Shell.PROMPT)) is not None, shell.text)
    said = shell.say('wflinfo -p surfaceless_egl -a gles2 | grep renderer')
    t.check('shell: driver', 'Tegra 2 (tegra20)' in said, said)
    shell.say('sleep 3600 | modetest -M tegra -s 46:100x80 >/tmp/modetest 2>&1 &')
    said = shell.say(f"/usr/bin/python3 {HERE}/look.py asked.png 'c0c0c0>=500' 'colours>=7'")
    t.check('screen from inside', 'seen: ' in said and read_png(f'{t.directory}/asked.png')[:2] == (100, 80), said)
    os.kill(shell.pid, signal.SIGUSR1)
    screen, asked = f'{t.directory}/screen.png', f'{t.directory}/asked.png'
    t.check('screen by a signal', comes_true(lambda: os.path.exists(screen) and filecmp.cmp(screen, asked, shallow=False)))
    os.remove(screen)
    os.write(shell.fd, b'exit 5\r')
    t.check('shell: status', shell.status() == 5)
    t.check('last screen', os.path.exists(screen))
    t.check_log('shell', open(log, encoding='utf-8', errors='replace').read())


def part_winsys(t):
    """The unit tests of the winsys.  Some of their streams make no sense to the engine, so they are not strict."""
    t.runs('winsys', [f'{t.build}/tests/unit/winsys/test_winsys'], [], r'\[  PASSED  \] ([2-9]\d|\d{3}) test')


def part_passes(t):
    """Chains of passes and of copies within a texture: more slots than the ring of the channel has."""
    t.runs('passes', [f'{t.build}/tests/gl/test_passes'], ['--strict'], r'\b0 wrong pixels')


JOB_CLOCKS = 100000000


def part_long_jobs(t):
    """More work than the kernel gives a job time for: it is cut into jobs that are not longer than they may be."""
    _, err, _ = t.runs('long jobs', ['env', f'TEGRA20_JOB_CLOCKS={JOB_CLOCKS}', f'{t.build}/tests/gl/test_long_jobs',
                                     'many', '1024', '60', 'long'], ['--stats'], 'many: right')
    clocks = re.search(r'(\d+) fragment clocks, at most (\d+) in a job', err)
    t.check('long jobs: cut', clocks and int(clocks[1]) > 10 * JOB_CLOCKS and int(clocks[2]) <= JOB_CLOCKS, err)


def part_programs(t):
    """Tests of the driver whose draws take many jobs: cut by a small bound, rounds of loops, buffers of other programs; and
    those of what draws leave to others: code that is exchanged between them, indices that they share."""
    for case in 'one', 'vertices', 'fills':
        t.runs(f'long jobs, {case}', ['env', 'TEGRA20_JOB_CLOCKS=330000', f'{t.build}/tests/gl/test_long_jobs', case],
               ['--strict'])
    for name in 'loops', 'derivatives', 'red_green', 'drafts', 'indices':
        t.runs(name, ['env', 'MESA_SHADER_CACHE_DISABLE=true', 'TESTS_SLOWER=4', f'{t.build}/tests/gl/test_{name}'],
               ['--strict'], debug='refuse,sync')


def part_processes(t):
    """Two processes exchange 300 frames; every pixel of each is right."""
    t.runs('two processes', [f'{t.build}/tests/gl/test_two_processes'], ['--strict'], 'every pixel right')


def part_pm_fault(t):
    """A kernel that cannot power up the engines is declined, with a message that names kernels that work."""
    status, out, err, log = t.vm(['wflinfo', '-p', 'surfaceless_egl', '-a', 'gles2'])
    text = out + err
    advice = 'cannot power up GR3D' in text and 'use Linux 6.1, or 6.12.97 or later' in text
    t.check('power fault: message', advice, text)
    t.check('power fault: software', status == 0 and re.search('renderer string: (llvmpipe|softpipe)', out), text)
    t.check_log('power fault', log, 'could not power up engine: -13')
    _, out, err, log = t.vm([f'{t.build}/tegra20-gl', '--check'])
    t.check('power fault: --check', 'engines: the kernel cannot power up GR3D' in out, out + err)


def part_limits(t):
    """Jobs of every length around each limit, 10,000 dependent passes, 100 contexts, buffers up to the end of memory."""
    tests = f'{t.build}/tests/vm'
    for name, command, options, said, allowed in (
            ('lengths', [f'{tests}/test_vm_jobs', 'lengths'], [], r'^3\d\d jobs ran, 0 were lost', '$^'),
            ('10,000 passes', [f'{t.build}/tests/gl/test_passes', '--passes', '10000'], ['--strict'],
             '^10000 passes: 0 wrong', '$^'),
            ('100 contexts', [f'{tests}/test_vm_draws', '--contexts', '100', '--frames', '200'], ['--strict'],
             '^200 frames right, 0 wrong', '$^'),
            ('end of memory', [f'{tests}/test_vm_draws', '--memory'], ['--cma', '64', '--strict'],
             r'memory for \d\d textures.*\n20 frames right, 0 wrong', 'failed to allocate buffer of size')):
        t.runs(name, command, options, said, allowed, debug='')


def part_thresholds(t):
    """Streams wait for the other engine when sync points pass 2^23 and 2^24, which is where 24 bits look otherwise."""
    t.runs('thresholds', [f'{t.build}/tests/vm/test_vm_jobs', 'thresholds'], [], '^4 jobs ran, 0 were lost')


def part_scattered(t):
    """A dma-buf in pieces, which the kernel gives to the engines as if it were in one."""
    out, err, _ = t.runs('scattered', [f'{t.build}/tests/vm/test_vm_jobs', 'scattered'], ['--root'], 'the kernel takes it')
    t.check('scattered: message', 'the winsys refuses it' in out and 'udmabuf' in err, out + err)


def part_handover(t):
    """A buffer that others know is complete when glFlush() returns, while the engines work on their own."""
    t.runs('hand over', [f'{t.build}/tests/gl/test_handover'], ['--strict'], debug='')
    status, out, err, _ = t.vm(['env', 'TEGRA20_DEBUG=nofinish', f'{t.build}/tests/gl/test_handover'])
    t.check('hand over, unfinished', status == 1 and ', expected ' in out, out + err)


def part_power(t):
    """Between frames both engines lose their power, and with it their state."""
    t.runs('power', [f'{t.build}/tests/vm/test_vm_draws', '--frames', '10', '--rest'], ['--strict'],
           '^10 frames right, 0 wrong', debug='')


# Two of three users may use the node, at once and one after the other.
USERS = """
as() { user=$1 groups=$2; shift 2; setpriv --reuid $user --regid nogroup --groups $groups "$@"; }
chmod 660 /dev/dri/renderD128; chgrp video /dev/dri/renderD128
as nobody video $tests/test_vm_jobs fresh && as games video $tests/test_vm_jobs fresh || exit 1
for user in nobody games; do
   as $user video $tests/test_vm_draws --frames 300 >/tmp/$user & pids="$pids $!"
done
for pid in $pids; do wait $pid || exit 1; done
cat /tmp/nobody /tmp/games
as daemon nogroup wflinfo -p surfaceless_egl -a gles2
"""


def part_users(t):
    """Two users draw next to each other and find nothing of each other in memory; a third one may not."""
    status, out, err, log = t.vm(['bash', '-c', f'tests={t.build}/tests/vm\n' + USERS], ['--root', '--strict'])
    t.check('users: memory', out.count(', 0 words not zero') == 2, out + err)
    t.check('users: frames', out.count('300 frames right, 0 wrong') == 2, out + err)
    t.check('users: no permission', status == 0 and re.search('renderer string: (llvmpipe|softpipe)', out), out + err)
    t.check('users: strict', 'strict: 0 diagnostics' in err, err)
    t.check_log('users', log)


# Starts programs that draw, and the rest of the script when they do; at its end they have to draw 20 more frames.
NEXT_TO = """
for n in $(seq $drawing); do
   $tests/test_vm_draws --until /tmp/stop --ready /tmp/ready$n >/tmp/out$n 2>&1 & pids="$pids $!"
done
for n in $(seq $drawing); do
   while [ ! -e /tmp/ready$n ]; do sleep 0.1; done
done
misbehave; status=$?
touch /tmp/stop
for pid in $pids; do wait $pid || status=1; done
cat /tmp/out*
exit $status
"""


def part_hangs(t):
    """A job on which the engine hangs: programs next to it lose one frame at most and go on, and so does who did it."""
    script = f'tests={t.build}/tests/vm; drawing=2; misbehave() {{ $tests/test_vm_jobs hang; }}\n' + NEXT_TO
    status, out, err, log = t.vm(['bash', '-c', script])
    t.check('hang: goes on', '20 jobs ran, 1 were lost' in out, out + err)
    frames = re.findall(r'(\d+) frames right, (\d+) wrong', out)
    t.check('hang: others', status == 0 and len(frames) == 4 and all(int(wrong) <= 1 for _, wrong in frames), out + err)
    t.check('hang: was one', log.count('cdma_timeout_handler: timeout') >= 1, log)
    t.check_log('hang', log, 'cdma_timeout_handler: timeout|job submission failed: host1x job submission failed: -1')


# What a program that uses something up does beside those that draw, and what it must say.
BURDENS = (
    ('hog of 16 KiB', '$tests/test_vm_neighbour memory 120 --until /tmp/stop >/tmp/out_memory & pids="$pids $!"; '
     'while ! grep -q MiB /tmp/out_memory; do sleep 0.1; done; $tests/test_vm_neighbour hog 64',
     r'^GL_OUT_OF_MEMORY after \d{4,} textures, \d+ KiB\n(.*\n)*a draw: (.*\n)*120 MiB$', ['--memory', '512', '--cma', '64']),
    ('hog of 4 MiB', '$tests/test_vm_neighbour hog 1024',
     r'GL_OUT_OF_MEMORY after \d+ textures, \d+ KiB\na draw: right', ['--memory', '512', '--cma', '64']),
    ('file descriptors', '$tests/test_vm_neighbour descriptors',
     r'all of \d+ descriptors: a draw is right, another context is', []),
    ('threads', '$tests/test_vm_neighbour threads', r'\d+ threads: a draw is right', []),
    ('imports', '$tests/test_vm_neighbour imports', r'24 bad dma-bufs: 0 taken', []),
    ('long draws', '$tests/test_vm_neighbour long 2', '2 long draws: right', []),
)


def part_neighbours(t):
    """Programs that use up memory, descriptors, threads and the engine, beside two that draw: these see nothing but time."""
    for name, command, said, options in BURDENS:
        script = f'tests={t.build}/tests/vm; drawing=2; misbehave() {{ {command}; }}\n' + NEXT_TO
        status, out, err, log = t.vm(['bash', '-c', script], options)
        t.check(f'{name}: an error, or none', status == 0 and re.search(said, out, re.M), out + err)
        frames = re.findall(r'(\d+) frames right, (\d+) wrong', out)
        t.check(f'{name}: others', len(frames) == 4 and all(wrong == '0' for _, wrong in frames), out + err)
        t.check(f'{name}: nobody is killed', 'Out of memory' not in log and 'oom-kill' not in log, log)
        t.check_log(name, log, 'failed to allocate buffer of size')
        longest = max(map(float, re.findall(r'longest frame: ([\d.]+) s', out)), default=0)
        came = re.search('^(GL_OUT|all of|.* threads|.* dma-bufs).*', out, re.M)
        print(f'{name}: longest frame of the others {longest} s; {came[0] if came else ""}')


def part_memory_ends(t):
    """Memory ends in calls that take some, and the program draws on."""
    out, _, log = t.runs('memory ends', [f'{t.build}/tests/gl/test_out_of_memory'],
                         ['--memory', '256', '--cma', '32', '--strict'], '', 'failed to allocate buffer of size')
    rows = re.findall(r'^(.*\S) +without +\w+ +\w+ +(\w+)', out, re.M)
    t.check('memory ends: everywhere', len(rows) > 20 and dict(rows).get('texture') == '505', out)
    t.check('memory ends: nobody is killed', 'oom-kill' not in log, log)
    print(f'memory ends: {len(rows)} kinds of calls')


def part_killed(t):
    """Programs that are killed before each of their calls of the kernel and inside of it: others draw on."""
    script = f'tests={t.build}/tests/vm; drawing=1\n' + r"""
client() { env LD_PRELOAD=$tests/libvm_kill_at.so "$@" $tests/test_vm_draws --frames 2 2>&1; }
count() { sed -n 's/^\([0-9]*\) calls$/\1/p'; }
misbehave() {
   calls=$(client A=1 | count)
   killed=0; ended=0
   for n in $(seq $calls); do
      for how in OUTSIDE INSIDE; do
         said=$(client KILL_AT=$n KILL_$how=1); end=$?
         made=$(echo "$said" | count)
         if [ $end = 137 ]; then
            killed=$((killed + 1))
         elif [ $end = 0 ] && [ "${made:-$n}" -lt $n ]; then
            ended=$((ended + 1))
         else
            echo "call $n, $how: status $end: $said"
         fi
      done
   done 2>/dev/null
   echo "$calls calls: $killed killed, $ended ended before"
}
""" + NEXT_TO
    status, out, err, log = t.vm(['bash', '-c', script])
    # A program makes fewer calls when its jobs are done before it looks: then it ends before the last ones of the first run.
    calls, killed, ended = (int(n) for n in re.search(r'(\d+) calls: (\d+) killed, (\d+) ended before|$', out).groups('0'))
    t.check('killed: all', killed > 40 and killed + ended == 2 * calls, out + err)
    frames = re.findall(r'(\d+) frames right, (\d+) wrong', out)
    t.check('killed: others', status == 0 and len(frames) == 2 and all(wrong == '0' for _, wrong in frames), out + err)
    t.check_log('killed', log)


ES2_CASES = 2000  # at least


def part_es2(t):
    """Cases of the OpenGL ES 2 grid: as on the simulated kernel, which the step es2 compares with softpipe."""
    grid = f'{t.build}/tests/gl/es2/tegra20-es2'
    families = ['culling', 'clipping', 'depth_range', 'variables', 'uniforms', 'depth_stencil', 'blend', 'lines',
                'interaction', 'fbo_blend']
    cache = {'MESA_SHADER_CACHE_DISABLE': '1'}
    subprocess.run([f'{t.build}/tegra20-run', '--', grid, '--write', 'reference'] + families, cwd=t.directory,
                   capture_output=True, check=False, env={**os.environ, **cache})
    status, out, err, log = t.vm(['env', 'MESA_SHADER_CACHE_DISABLE=1', grid, '--compare', 'reference'] + families,
                                 ['--strict'])
    counts = re.search(r'(\d+) passed, (\d+) failed, (\d+) skipped\s*$', out)
    t.check('grid of OpenGL ES 2', counts and not int(counts.group(2)), out[-2000:] + err)
    if counts:
        t.passed += int(counts.group(1))
        t.check('grid of OpenGL ES 2: number', int(counts.group(1)) >= ES2_CASES, counts.group(0))
    t.check_log('grid of OpenGL ES 2', log)


PIGLIT = '/usr/lib/x86_64-linux-gnu/piglit'
PIGLIT_GROUP = 10  # tests of one process
PIGLIT_TESTS = 320


def piglit_files():
    """Shader tests of ci/piglit-quick.txt that pass, an even choice."""
    with open(f'{HERE}/../../ci/piglit-fails.txt', encoding='utf-8') as f:
        fails = {line.partition(' #')[0].strip() for line in f}
    files = []
    for name in sum(selection.read_tests(f'{HERE}/../../ci/piglit-quick.txt').values(), []):
        if name in fails or '@execution@' not in name:
            continue
        paths = [f'{PIGLIT}/{d}/{name.replace("@", "/")}.shader_test' for d in ('tests', 'generated_tests')]
        files += [path for path in paths if os.path.exists(path)]
    step = len(files) // PIGLIT_TESTS
    return files[::step][:PIGLIT_TESTS]


def part_piglit(t):
    """Shader tests of piglit, ten in a process."""
    if not os.path.exists(f'{PIGLIT}/bin/shader_runner'):
        t.skip('piglit', 'it is not installed')
        return
    files = piglit_files()
    with open(f'{t.directory}/list', 'w', encoding='utf-8') as f:
        f.write('\n'.join(files) + '\n')
    script = (f'cd {PIGLIT}; export PIGLIT_PLATFORM=gbm WAFFLE_GBM_DEVICE=/dev/dri/renderD128 TEGRA20_DEBUG=refuse; '
              f"xargs -n {PIGLIT_GROUP} sh -c 'exec bin/shader_runner \"$@\" -auto -fbo' - <{t.directory}/list")
    status, out, err, log = t.vm(['sh', '-c', script], ['--strict'])
    groups = -(-len(files) // PIGLIT_GROUP)
    passed = out.count('"result": "pass"')
    t.check('piglit: number', len(files) == PIGLIT_TESTS, f'{len(files)} files')
    t.check('piglit', status == 0 and passed == groups and 'strict: 0 diagnostics' in err,
            f'{passed} of {groups} groups pass\n' + '\n'.join(re.findall('.*"(?:fail|skip|crash)".*', out)) + out + err)
    if passed == groups:
        t.passed += len(files)
    t.check_log('piglit', log)


BARS = [(0xc0, 0xc0, 0xc0), (0xc0, 0xc0, 0), (0, 0xc0, 0xc0), (0, 0xc0, 0), (0xc0, 0, 0xc0), (0xc0, 0, 0), (0, 0, 0xc0)]


def part_kms(t):
    """modetest sets a mode: its colour bars are on the simulated screen."""
    if not shutil.which('modetest'):
        t.skip('kms', 'modetest is not installed (libdrm-tests)')
        return
    colours = ' '.join(f"'{bytes(bar).hex()}>=10000'" for bar in BARS)
    script = ('sleep 3600 | modetest -M tegra -s 46:640x480 & '
              f'/usr/bin/python3 {HERE}/look.py screen.png {colours}; status=$?; pkill sleep; wait; exit $status')
    status, out, err, log = t.vm(['sh', '-c', script])
    t.check('modetest', status == 0 and 'setting mode 640x480' in out + err, out + err)
    width, height, rows = read_png(f'{t.directory}/screen.png')
    t.check('size of the screen', (width, height) == (640, 480), f'{width} x {height}')
    for i, colour in enumerate(BARS):
        x = (2 * i + 1) * width // 14
        got = tuple(rows[min(height, 480) // 4][4 * x:4 * x + 3])
        t.check(f'bar {i}', got == colour, f'{got}, not {colour}')
    t.check_log('kms', log)


MOST_LOST_FLIPS = 3  # of 100; one was seen, with three other programs on two processors


def part_flips(t):
    """100 frames by page flips: they are on the screen, in order, and each picture is one whole frame.

    Linux arms the event of a flip before the controller gets the registers (tegra_crtc_atomic_begin()): where a frame begins
    between the two, because something else runs meanwhile, the next flip replaces the one that was not shown.
    """
    frames = f'{t.directory}/frames'
    command = [f'{t.build}/tests/vm/test_vm_flips', '100']
    status, out, err, log = t.vm(command, ['--size', '64x64', '--strict', '--frames', frames])
    t.check('flips', status == 0 and '100 frames shown' in out and 'strict: 0 diagnostics' in err, out + err)
    numbers, torn = [], []
    for name in sorted(os.listdir(frames)):
        colours = {bytes(row[i:i + 3]) for row in read_png(f'{frames}/{name}')[2] for i in range(0, len(row), 4)}
        if len(colours) > 1:
            torn.append(name)
        red, green, _ = colours.pop()
        numbers.append(red // 17 * 16 + green // 17)
    t.check('flips: whole frames', not torn, f'{len(torn)} pictures with several colours: {torn[:10]}')
    # the screen may be black before and after
    shown = [n for n in numbers if n]
    t.check('flips: in order', shown == sorted(set(shown)) and shown[-1:] == [100], f'{shown}')
    t.check('flips: shown', len(shown) >= 100 - MOST_LOST_FLIPS, f'{shown}')
    t.check_log('flips', log)


def part_exchange(t):
    """A client and a compositor exchange 1,000 frames; every pixel of each is right."""
    command = [f'{t.build}/tests/gl/test_two_processes', '--frames', '1000', '--size', '64', '--alloc', 'scanout']
    t.runs('exchange', command, ['--strict'], '^1000 frames.*every pixel right', debug='')


# Starts a program, looks at the screen, ends the program.
SHOW = """
setsid sh -c "$program" >/tmp/log 2>&1 & pid=$!
/usr/bin/python3 $look screen.png $conditions; status=$?
kill -TERM -- -$pid 2>/dev/null; wait $pid
[ $status = 0 ] || tail -n 60 /tmp/log /tmp/*.log
exit $status
"""

# Name, desktop or None, program that has to be installed, command, what has to be on a screen of 320 x 240.
DESKTOPS = (
    ('kmscube', None, 'kmscube', 'sleep 600 | kmscube -D /dev/dri/card0', '808080>=20000 colours>=500'),
    ('weston', 'weston', 'weston', 'weston-simple-egl -o', 'colours>=700'),
    ('sway', 'sway', 'sway', 'weston-simple-egl -o', 'colours>=100'),
    ('sway, Xwayland', 'sway', 'Xwayland', "xlogo -bg '#104010' -fg '#f0e010'", '104010>=10000 f0e010>=3000'),
    ('Xorg', 'xorg', 'Xorg', "xlogo -bg '#2040c0' -fg '#f0e010' -geometry 320x240+0+0 & glxgears -geometry 100x100+0+0",
     '2040c0>=10000 f0e010>=3000 000000>=500 colours>=50'),
)


def part_desktops(t):
    """kmscube, Weston and sway on KMS, Xwayland, Xorg with modesetting and glamor: what they show; glmark2 draws."""
    os.chmod(t.directory, 0o755)  # programs of a desktop run as nobody
    for name, desktop, needed, program, conditions in DESKTOPS:
        if not shutil.which(needed):
            t.skip(f'desktops: {name}', f'{needed} is not installed')
            continue
        script = f'look={HERE}/look.py program="{program}" conditions="{conditions}"\n{SHOW}'
        options = ['--desktop', desktop] if desktop else ['--root']
        status, out, err, log = t.vm(['bash', '-c', script], options + ['--size', '320x240'])
        t.check(f'{name} on the screen', status == 0, out + err)
        if t.pictures:
            shutil.copy(f'{t.directory}/screen.png', f'{t.pictures}/{name.replace(", ", "-").lower()}.png')
        t.check_log(name, log)
    status, out, err, log = t.vm(['sh', '-c', 'sleep 9; exit 7'],
                                 ['--desktop', 'xorg', '--screenshot', f'{t.directory}/shot.png@6'])
    size = read_png(f'{t.directory}/shot.png')[:2] if os.path.exists(f'{t.directory}/shot.png') else None
    t.check('--desktop: status of the command, --screenshot', status == 7 and size == (640, 480), f'{status} {size}\n{out}{err}')
    if shutil.which('glmark2-es2-drm'):
        status, out, err, log = t.vm(['glmark2-es2-drm', '-b', 'build:nframes=10', '-b', 'texture:nframes=10'])
        t.check('glmark2-es2-drm', status == 0 and 'Tegra 2' in out and 'glmark2 Score' in out, out + err)
        t.check_log('glmark2-es2-drm', log)


# A client of the compositor, and programs that do all sorts of things to it: those that are killed, and one that is stopped.
# That one uses no shader cache: Mesa would let the others wait for ever for a lock that it holds (docs/buffers-and-faults.md).
BESIDE_COMPOSITOR = """
weston-simple-egl -o >/tmp/client 2>&1 & client=$!
/usr/bin/python3 $look begun.png $conditions || exit 1
MESA_SHADER_CACHE_DISABLE=1 $tests/test_vm_draws --until /tmp/never --ready /tmp/stopped & stopped=$!
while [ ! -e /tmp/stopped ]; do sleep 0.1; done
kill -STOP $stopped
for n in 1 2 3 4 5 6 7 8; do
   $tests/test_vm_draws --contexts $n --until /tmp/never & killed=$!
   sleep 0.$n; kill -KILL $killed; wait $killed
done 2>/dev/null
for burden in 'hog 64' 'hog 1024' descriptors threads imports; do $tests/test_vm_neighbour $burden; done
/usr/bin/python3 $look burdened.png $conditions && $tests/test_vm_jobs hang && /usr/bin/python3 $look end.png $conditions &&
   kill $client
status=$?; kill -KILL $stopped
exit $status
"""


def part_compositors(t):
    """Weston and sway beside programs that are killed or stopped, hang the engine and use up what there is: they go on."""
    os.chmod(t.directory, 0o755)  # programs of a desktop run as nobody
    for name, conditions in (('weston', 'colours>=700'), ('sway', 'colours>=100')):
        if not shutil.which(name):
            t.skip(f'compositors: {name}', 'it is not installed')
            continue
        frames = f'{t.directory}/{name}'
        os.makedirs(frames)
        script = f'tests={t.build}/tests/vm look={HERE}/look.py conditions="{conditions}"\n{BESIDE_COMPOSITOR}'
        status, out, err, log = t.vm(['bash', '-c', script], ['--desktop', name, '--size', '320x240', '--memory', '512', '--cma',
                                                              '64', '--frames', frames], timeout=900)
        t.check(f'{name}: goes on', status == 0 and out.count('seen:') == 3, out + err)
        t.check(f'{name}: the others', '20 jobs ran, 1 were lost' in out and out.count('GL_OUT_OF_MEMORY after') == 2, out + err)
        t.check(f'{name}: nobody is killed', 'oom-kill' not in log, log)
        t.check_log(name, log, 'failed to allocate buffer of size|cdma_timeout_handler|job submission failed')
        looked = [os.path.getmtime(f'{t.directory}/{p}.png') for p in ('begun', 'burdened', 'end')] if status == 0 else []
        shown = sorted(os.path.getmtime(f'{frames}/{f}') for f in os.listdir(frames))
        pauses = [max(b - a for a, b in zip(shown, shown[1:]) if begin <= b <= end) for begin, end in zip(looked, looked[1:])]
        print(f'{name}: {len(shown)} frames, longest pause, and when the engine hangs:', *(f'{p:.1f} s' for p in pauses))


# What is run on a kernel without being named.
ON_OLDER = ['boot', 'demo', 'winsys', 'passes', 'processes']
BREAKERS = ['boot', 'winsys', 'passes', 'processes', 'limits', 'hangs', 'killed', 'overlap', 'thresholds', 'scattered',
            'handover', 'power', 'users', 'flips', 'exchange']
ON_VARIANT = {'pm-fault': ['pm_fault'], 'debug': BREAKERS, 'kasan': BREAKERS}

PARTS = {name[5:]: f for name, f in list(globals().items()) if name.startswith('part_')}


def parts_of(kernel):
    version, _, variant = kernel.partition('-')
    if variant in ON_VARIANT:
        return ON_VARIANT[variant]
    return ON_OLDER if version == '6.1' else [name for name in PARTS if name not in ON_VARIANT['pm-fault']]


def main():
    parser = argparse.ArgumentParser(description='Tests under a real kernel.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--kernel', default='6.12')
    parser.add_argument('--pictures', metavar='DIR', help='keep what the desktops showed')
    parser.add_argument('--list', action='store_true', help="the kernel's parts")
    parser.add_argument('parts', nargs='*', metavar='PART', help='of: ' + ', '.join(PARTS))
    args = parser.parse_args()
    if set(args.parts) - set(PARTS):
        parser.error(f'no such part: {" ".join(sorted(set(args.parts) - set(PARTS)))}')
    if args.list:
        print('\n'.join(parts_of(args.kernel)))
        return 0
    with tempfile.TemporaryDirectory(prefix='tegra20-vm-test-') as directory:
        t = Tests(args, directory)
        for name in args.parts or parts_of(args.kernel):
            begin = time.monotonic()
            PARTS[name](t)
            print(f'{name}: {time.monotonic() - begin:.0f} s', flush=True)
    return t.finish()


if __name__ == '__main__':
    sys.exit(main())
