#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Which parts of a push buffer tegra20-vm-server takes for one job: test_ring.py TEGRA20-VM-SERVER

Plays the kernel (drivers/gpu/host1x/cdma.c): jobs of any length go into its ring of 511 slots, and finished ones give their
slots back late.  When the ring is full in the middle of a job, the kernel starts what is there, and the rest comes with the
next write of DMAPUT.  A rest must never begin a job of its own: it has lost the state and the class of its engine then.  Nor may
a job be a rest, with the state of another one, unless the end of the job before filled the ring.

And when the kernel stops a channel, since its job is late, a job that gets on has come to its end before.
"""

import array
import mmap
import os
import random
import re
import shlex
import socket
import struct
import subprocess
import sys
import time

HELLO, KICK, SET_GET, STOP, TEARDOWN, ENGINES, SYNCPTS = range(7)
VERSION = 4
SHARED, RING, GATHER, SIZE = 0x0000, 0x1000, 0x4000, 0x20000
THRESHOLD, ENABLED, INTERRUPT, ANSWERED, USABLE, GET = 128, 256, 260, 264, 268, 272
SLOTS = 511
# Of a cross build: the emulator.
WRAPPER = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
WAIT = (8 << 16 | 1 << 6 | 1, 0)  # for sync point 0, which has reached it
CLASS, CLASS_2D = (0x60 << 6, 0x20000000), (0x51 << 6, 0x20000000)  # GR3D, GR2D
WORDS = (6 << 28 | 1, GATHER)
NUMBER = 4 << 28 | 0x120 << 16  # to a register of GR3D that holds a number


class Server:
    def __init__(self, program):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen(WRAPPER + [program, '--socket', str(theirs.fileno()), '--log', '--strict', '--stats',
                                                   '--threads', '1'],
                                        pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
        theirs.close()
        fd = os.memfd_create('memory')
        os.ftruncate(fd, SIZE)
        self.memory = mmap.mmap(fd, SIZE)
        self.seq = 0
        self.write(USABLE, 3)
        self.write(GATHER, NUMBER)
        self.write(RING + 8 * SLOTS, 5 << 28)
        self.send(HELLO, VERSION, SHARED, [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [fd]))])
        os.close(fd)
        self.call(SET_GET, 0)

    def read(self, offset):
        return struct.unpack_from('<I', self.memory, offset)[0]

    def write(self, offset, *words):
        struct.pack_into(f'<{len(words)}I', self.memory, offset, *words)

    def send(self, kind, a, b=0, fds=(), channel=0):
        self.seq += 1
        self.socket.sendmsg([struct.pack('<5I', kind, self.seq, channel, a, b)], fds)

    def until(self, offset, value):
        end = time.monotonic() + 60
        while self.read(offset) != value:
            assert time.monotonic() < end and self.process.poll() is None, f'{offset} is {self.read(offset)}, not {value}'

    def call(self, *args, **kwargs):
        self.send(*args, **kwargs)
        self.until(ANSWERED, self.seq)

    def kick(self, put, full):
        self.send(KICK, RING, 8 * put | full)
        self.until(GET, 8 * put)

    def end(self):
        self.socket.close()
        return self.process.communicate()[1]

    def jobs(self):
        """What it has executed: "begins" or "goes on" for each kick; ends it."""
        errors = self.end()
        assert 'strict: 0 diagnostics' in errors, errors[-2000:]
        return re.findall(r'gathers: (begins|goes on)$', errors, re.M)


class Kernel:
    """A channel: host1x_cdma_begin(), _push(), _end() and update_cdma_locked()."""

    def __init__(self, server, late):
        self.server = server
        self.late = late  # how many finished jobs may wait until the ring is full
        self.pos, self.fence, self.put = 0, SLOTS - 1, 0
        self.queue = []  # slots of jobs that have not given them back
        self.full = False  # at the last kick
        self.kicks = []  # True: a job begins, and can be seen to do so

    def space(self):
        return (self.fence - self.pos) % SLOTS

    def pop(self):
        self.fence = (self.fence + self.queue.pop(0)) % SLOTS

    def flush(self):
        if self.put != self.pos:
            self.put = self.pos
            self.kicks.append(self.begins and not self.full)
            self.full = not self.space()
            self.server.kick(self.put, self.full)
            self.begins = False

    def push(self, slot):
        if not self.free:
            self.flush()
            while not self.space():
                self.pop()
            self.free = self.space()
        self.free -= 1
        self.server.write(RING + 8 * self.pos, *slot)
        self.pos = (self.pos + 1) % SLOTS

    def job(self, commands):
        """commands: "g" for a gather, "w" for a wait and the class behind it."""
        slots = [WAIT, CLASS]
        for c in commands:
            slots += [WORDS] if c == 'g' else [WAIT, CLASS]
        self.begins, self.free = True, 0
        for slot in slots:
            self.push(slot)
        self.flush()
        self.queue.append(len(slots))
        while len(self.queue) > self.late:
            self.pop()


def test(program, name, late, jobs, has_rests=True):
    kernel = Kernel(Server(program), late)
    for commands in jobs:
        kernel.job(commands)
    told = kernel.server.jobs()
    right = told == ['begins' if begins else 'goes on' for begins in kernel.kicks]
    good = right and (False in kernel.kicks) == has_rests
    print(f'{"ok" if good else "FAIL"}: {name}: {len(told)} kicks, {kernel.kicks.count(False)} of them rests of a job')
    return good


def test_stop(program):
    """Channel 0 waits for a sync point that channel 1 raises behind much work: both have ended when the stop is answered.  When
    nobody raises it, the stop is answered, too."""
    server = Server(program)
    ring, many, words = 0x5000, 0x8000, 0x3000
    server.write(many, *[NUMBER] * words)
    raises = {}
    for i, id in enumerate((5, 6)):
        server.write(GATHER + 4 + 4 * i, 4 << 28 | id)  # INCR_SYNCPT
        raises[id] = (6 << 28 | 1, GATHER + 4 + 4 * i)
    work = [CLASS] + [(6 << 28 | words, many)] * 300 + [raises[5]]
    waits = [[(WAIT[0], 5 << 24 | value), CLASS, raises[6]] for value in (1, 2)]
    server.write(ring, *sum(work, ()))
    server.write(RING, *sum(waits[0] + waits[1], ()))
    server.call(SET_GET, 0, channel=1)
    server.send(KICK, RING, 8 * len(waits[0]))
    server.send(KICK, ring, 8 * len(work), channel=1)
    server.call(STOP, 1)
    good = [server.read(SHARED + 4 * id) for id in (5, 6)] == [1, 1]
    server.call(STOP, 0)
    server.send(KICK, RING, 8 * len(waits[0] + waits[1]))
    server.call(STOP, 1)
    good &= [server.read(SHARED + 4 * id) for id in (5, 6)] == [1, 1]
    server.write(ring + 8 * len(work), *CLASS, *raises[5])
    server.call(STOP, 2)
    server.send(KICK, ring, 8 * len(work) + 16, channel=1)
    time.sleep(0.1)
    good &= server.read(SHARED + 20) == 1  # nothing begins on a channel that is stopped
    server.call(STOP, 0)
    server.until(SHARED + 20, 2)
    server.until(SHARED + 24, 2)  # what channel 0 waited for has come; then it waits for the CPU
    server.write(RING, *sum([(WAIT[0], 5 << 24 | 3), CLASS, raises[6]], ()))
    server.call(SET_GET, 0)
    server.send(KICK, RING, 24)
    time.sleep(0.1)
    server.write(SHARED + 20, 3)
    server.send(SYNCPTS, 0)
    server.until(SHARED + 24, 3)
    server.jobs()
    print(f'{"ok" if good else "FAIL"}: stop')
    return good


def test_interrupts(program):
    """The kernel hears of a sync point that reaches its threshold, once until it has looked, and of no other."""
    server = Server(program)
    server.write(GATHER + 4, 4 << 28 | 5, 4 << 28 | 6)  # INCR_SYNCPT
    for at in range(5):
        server.write(RING + 24 * at, *CLASS, 6 << 28 | 1, GATHER + 8, 6 << 28 | 1, GATHER + 4)  # 6, then 5
    server.write(SHARED + THRESHOLD + 20, 2, 1)
    server.write(SHARED + 24, 0xfffffffe)
    server.write(SHARED + ENABLED, 1 << 5)
    server.socket.setblocking(False)
    heard = []
    for at in range(5):
        if at == 3:
            server.write(SHARED + INTERRUPT, 0)
            server.write(SHARED + ENABLED, 1 << 6)
        server.kick(3 * at + 3, 0)
        try:
            heard.append(server.socket.recv(9))
        except BlockingIOError:
            heard.append(None)
    server.jobs()
    good = heard == [None, b'i', None, b'i', None]
    print(f'{"ok" if good else "FAIL"}: interrupts: {heard}')
    return good


def test_stands_still(program):
    """A job that its engine cannot begin holds its channel, and no other, until the kernel tears it down; a channel that there is
    not holds nothing."""
    server = Server(program)
    server.write(GATHER + 4, 4 << 28 | 5, 4 << 28 | 6)
    good, others = True, 0
    wrong = (2, CLASS_2D), (1, CLASS), (3, (6 << 28 | 2, SIZE - 4)), (3, (6 << 28 | 1, GATHER + 2))
    for number, (usable, slots) in enumerate(wrong):
        server.write(USABLE, usable)
        server.send(ENGINES, 3)
        server.send(KICK, RING, 8, channel=8)
        server.write(RING, *slots, 6 << 28 | 1, GATHER + 4)
        server.call(SET_GET, 0)
        server.send(KICK, RING, 16)
        server.write(RING + 0x800, *(CLASS_2D if usable == 1 else CLASS), 6 << 28 | 1, GATHER + 8)
        server.call(SET_GET, 0, channel=1)
        server.send(KICK, RING + 0x800, 16, channel=1)
        server.until(SHARED + 24, number + 1)
        server.call(STOP, 3)
        good &= server.read(SHARED + GET) == 0 and server.read(SHARED + 20) == others
        server.call(STOP, 0)
        server.call(TEARDOWN, 0)
        server.write(USABLE, 3)
        server.write(RING, *CLASS, 6 << 28 | 1, GATHER + 4)
        server.call(SET_GET, 0)
        server.kick(2, 0)
        others += 1
        good &= server.read(SHARED + 20) == others
    errors = server.end()
    good &= all(re.search(text, errors) for text in ('2 x .*without clock or power', '2 x .*outside of memory', r'\b8 jobs'))
    print(f'{"ok" if good else "FAIL"}: channels that stand still')
    return good


def test_diagnostics(program):
    """Two words for registers that there are not: counted, with the first one's text, and the status of strict mode."""
    server = Server(program)
    server.write(GATHER, 4 << 28 | 0xffe << 16, 4 << 28 | 0xfff << 16)
    server.write(RING, *CLASS, 6 << 28 | 2, GATHER)
    server.kick(2, 0)
    errors = server.end()
    good = server.process.returncode == 3 and re.search('strict: +2 x .*0xffe.*\n.*strict: 2 diagnostics', errors)
    print(f'{"ok" if good else "FAIL"}: diagnostics')
    return good


def test_terminal(library):
    """What Weston asks a virtual terminal succeeds, and nothing else."""
    script = ('import fcntl\nfcntl.ioctl(0, 0x4b45, 0), fcntl.ioctl(0, 0x5601, 0)\n'
              'try:\n    fcntl.ioctl(0, 0x5413, bytes(8))\nexcept OSError as error:\n    print(error.errno)')
    p = subprocess.run([sys.executable, '-c', script], env={**os.environ, 'LD_PRELOAD': os.path.abspath(library)},
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print('ok: terminal' if p.stdout == '25\n' else f'FAIL: terminal: {p.stdout}')
    return p.stdout == '25\n'


def main():
    generator = random.Random(1)
    good = all([check(sys.argv[1]) for check in (test_stop, test_interrupts, test_stands_still, test_diagnostics)])
    good &= test_terminal(sys.argv[2])
    # Jobs of one length end where some of the round before did.
    good &= test(sys.argv[1], 'one length', 2, ['ggg'] * 500, has_rests=False)
    good &= test(sys.argv[1], 'long ones', 200, ['ggg'] * 204 + ['gw' * 100] * 20)
    # Each cut is at another slot: before a gather, before a wait, between a wait and the class.
    good &= test(sys.argv[1], 'every slot', 200, ['gw' * 80 + 'g' * (n % 7) for n in range(150)])
    for late in 2, 5, 100:
        jobs = [''.join(generator.choice('ggw') for _ in range(generator.choice((2, 9, 60, 160)))) + 'g' for _ in range(300)]
        good &= test(sys.argv[1], f'any jobs, {late} late', late, jobs)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
