#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The documentation is true: examples and commands run; options, flags, limits and formats are those of the programs.

  check_docs.py [--build BUILD] [--update] [PART...]

--update rewrites tests/gl/reported.txt from what the APIs report, and the run on a simulated chip in docs/first-contact.md.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

import yaml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/common'))

from part import Counts  # noqa: E402, tests/common/part.py

TOOLS = ['tegra20-run', 'tegra20-gl', 'tegra20-replay', 'tegra20-compiler', 'tegra20-asm', 'tegra20-disasm', 'tegra20-demo',
         'tegra20-hwtest']
LINES = {
    'VS': r'VS shader: \d+ inst, \d+ dual, \d+ cycles, \d+ temps, \d+ consts, \d+ loops',
    'FS': r'FS shader: \d+ execs, \d+ cycles, \d+ alu packets, \d+ alu slots, \d+ mfu, \d+ tex, \d+ rows, \d+ uniforms, '
          r'\d+ consts',
}
# Behind the name of the tool.
VERSION_TEXT = r' \d+\.\d+\.\d+( \(git-\w+(-dirty)?\))?\nSend reports to: .+\n'
# Documented commands that are not run here, and where they are.
ELSEWHERE = [
    (r'build/tegra20-run (--desktop )?-- es2gears_', 'a window; programs.py windows has one like it'),
    (r'build/tegra20-vm\b', 'the step "vm" of ci/test; it needs a kernel'),
    (r'ci/(vm-kernel|demo|docs|test|setup|piglit|mesa-tree|mesa-series|newest-mesa|package|matrix|sanitize|long)\b',
     'long; ci/test itself runs setup, docs, the demo scene and piglit'),
    (r'meson test\b', 'the step "unit" of ci/test'),
    (r'(meson setup|meson configure|ninja)\b', 'a build; ci/setup runs one'),
    (r'(build/sanitized|tests/sanitize)/', 'an hour; the step "fuzz" of ci/test runs a minute of it'),
    (r'build/tests/fuzz/', 'the step "fuzz" of ci/test'),
    (r'tests/(a4xx|chips|differential|faults|perf|piglit|videocore|vm)/',
     'minutes; a step of ci/test of its own, or a measurement'),
    (r'tests/gl/es2/', 'the step "es2" of ci/test'),
    (r'tests/docs/', 'this program'),
    (r'tests/shader-db/', 'the part "shaderdb" and the unit tests'),
]


class Checker(Counts):
    def __init__(self, build):
        super().__init__()
        self.build = os.path.abspath(build)

    def shell(self, script, cwd, timeout=600):
        path = ':'.join([self.build, os.path.join(self.build, 'tests/demo'), os.environ['PATH']])
        p = subprocess.run(['bash', '-c', script], cwd=cwd, env={**os.environ, 'PATH': path}, timeout=timeout,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors='replace')
        return p.returncode, p.stdout

    def tool(self, *args, env=None, text=None):
        return subprocess.run([os.path.join(self.build, args[0]), *args[1:]], env={**os.environ, **(env or {})},
                              input=text, capture_output=True, text=True, errors='replace', timeout=600, cwd=TOP)


def read(name):
    with open(os.path.join(TOP, name), encoding='utf-8') as file:
        return file.read()


# --- examples of the manual pages -------------------------------------------------------------------------------------

def commands_and_output(text):
    """(command, [expected lines]) of the indented lines of a text; "$ " begins a command."""
    found = []
    for line in re.findall(r'^ {3,}(\S.*)$', text, re.M):
        if line.startswith('$ '):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def examples(text):
    """Those of the section EXAMPLES of a manual page."""
    return commands_and_output(re.search(r'^EXAMPLES\n=+\n(.*?)(?=^[A-Z ]+\n=+$|\Z)', text, re.M | re.S).group(1))


def holds_in_order(output, expected):
    """The first expected line that the output does not have behind the earlier ones, or None; "..." is anything."""
    lines = iter(output.split('\n'))
    for wanted in expected:
        pattern = re.compile('.*'.join(re.escape(part) for part in wanted.split('...')))
        if not any(pattern.search(line) for line in lines):
            return wanted
    return None


def part_man(c):
    """Examples of the manual pages."""
    for tool in TOOLS + ['videocore-dump']:
        with tempfile.TemporaryDirectory() as directory:
            for command, expected in examples(read(f'docs/man/{tool}.rst')):
                status, output = c.shell(f'set -e -o pipefail\n{command}', directory)
                # "! program" succeeds when the program fails; bash -e does not stop there.
                c.check(f'{tool}.rst: {command}: status {status}', status in (0, 141) or 'head' in command, output)
                c.check(f'{tool}.rst: {command}: prints', holds_in_order(output, expected) is None,
                        f'not found: {holds_in_order(output, expected)}\n{output}')


# --- options and flags ------------------------------------------------------------------------------------------------

def options_of(text):
    return set(re.findall(r'(?<![\w-])(--[a-z][a-z0-9-]*)', text))


def part_options(c):
    """--help and manual pages name the same options; README and docs no others."""
    for tool in TOOLS:
        shown = c.tool(tool, '--help')
        c.check(f'{tool} --help', shown.returncode == 0 and not shown.stderr, shown.stderr)
        page = re.search(r'^OPTIONS\n=+\n(.*?)^[A-Z ]+\n=+$', read(f'docs/man/{tool}.rst'), re.M | re.S).group(1)
        lines = '\n'.join(l for l in page.split('\n') if l.startswith('-'))
        help_options = options_of('\n'.join(l for l in shown.stdout.split('\n') if re.match(r' +-', l)))
        c.check(f'{tool}: options of --help and manual page', help_options == options_of(lines),
                help_options ^ options_of(lines))
        version = c.tool(tool, '--version')
        c.check(f'{tool} --version', re.fullmatch(tool + VERSION_TEXT, version.stdout), version)
        wrong = c.tool(tool, '--no-such-option')
        c.check(f'{tool}: unknown option', wrong.returncode == 2 and wrong.stderr, wrong)
        for document in documents():
            for words in re.findall(rf'{tool} ((?:\[?--?[^`\n]*))`', read(document)):
                mine = words.split(' -- ')[0].split(' | ')[0]
                unknown = options_of(mine) - options_of(shown.stdout)
                c.check(f'{document}: options of "{tool} {words}"', not unknown, unknown)


def part_flags(c):
    """TEGRA20_DEBUG flags and TEGRA20_SHIM variables are documented, and nothing else is."""
    run = c.tool('tegra20-run', '--', 'wflinfo', '-p', 'surfaceless_egl', '-a', 'gles2', env={'TEGRA20_DEBUG': 'help'})
    flags = set(re.findall(r'^\| *(\w+)\S* \[0x', run.stdout + run.stderr, re.M))
    text = read('docs/tegra20.rst')
    table = re.search(r'^``TEGRA20_DEBUG``\n(.*?)(?=^\S)', text, re.M | re.S).group(1)
    documented = {f.split('=')[0] for f in re.findall(r'^   ``([\w=]+)`` ', table, re.M)}
    c.check('flags that TEGRA20_DEBUG=help lists', len(flags) > 5, run.stdout + run.stderr)
    c.check('flags of TEGRA20_DEBUG=help and docs/tegra20.rst', flags == documented, flags ^ documented)
    run = c.tool('tegra20-run', '--', 'wflinfo', '-p', 'surfaceless_egl', '-a', 'gles2', env={'TEGRA20_HW': 'help'})
    listed = re.findall(r'^  (A[\d.]+) +(\S+) +(\S+)$', run.stderr, re.M)
    rows = [(row['id'], row['name'], '|'.join([f'{row["values"][0]}*', *row['values'][1:]]))
            for row in yaml.safe_load(read('src/tegra20/hw/hw.yaml'))]
    c.check('rows and values that TEGRA20_HW=help lists', listed == rows, set(listed) ^ set(rows))
    used = set()
    for directory, _, names in (w for d in ('src', 'sim', 'plugin', 'tools') for w in os.walk(os.path.join(TOP, d))):
        for name in names:
            if name.endswith('.c'):
                used |= set(re.findall(r'"(TEGRA20_SHIM_\w+)"', open(os.path.join(directory, name), encoding='utf-8').read()))
    for document in ('docs/drm-shim.md', 'docs/tegra20.rst'):
        documented = set(re.findall(r'(TEGRA20_SHIM_[A-Z]\w*)', read(document)))
        c.check(f'TEGRA20_SHIM variables of the source and {document}', used == documented, used ^ documented)


# --- commands in the documentation ------------------------------------------------------------------------------------

def documents():
    names = ['README.md', 'CONTRIBUTING.md']
    names += ['docs/' + n for n in sorted(os.listdir(os.path.join(TOP, 'docs'))) if re.search(r'\.(md|rst)$', n)]
    return names


def commands_of(text):
    """Commands in indented or fenced blocks and in inline code."""
    first = r'(?:[A-Z][A-Z0-9_]*=\S+ )*(?:build[\w-]*/|tests/[\w/-]+\.py|ci/\w|meson |ninja )'
    blocks = re.findall(rf'^(?: +)?({first}[^\n`|]*)$', text, re.M)
    inline = re.findall(rf'`({first}[^`\n]* [^`\n]*)`', text)
    return [re.sub(r'\s+# .*', '', c).strip() for c in blocks + inline]


def part_markup(c):
    """The .rst files are well-formed."""
    for document in documents() + [f'docs/man/{tool}.rst' for tool in TOOLS + ['videocore-dump']]:
        if document.endswith('.rst'):
            p = subprocess.run(['rst2html', '--strict', document, os.devnull], cwd=TOP, capture_output=True, text=True)
            c.check(document, p.returncode == 0, p.stderr)


def part_commands(c):
    """Commands of README.md, CONTRIBUTING.md and docs/."""
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(c.build, os.path.join(directory, 'build'))
        for name in ('tests', 'docs', 'ci'):
            os.symlink(os.path.join(TOP, name), os.path.join(directory, name))
        for document in documents():
            for command in commands_of(read(document)):
                if any(re.match(pattern, re.sub(r'^(\w+=\S+ )+', '', command)) for pattern, _ in ELSEWHERE):
                    continue
                program = re.sub(r'^(\w+=\S+ )+', '', command).split()[0]
                if not os.access(os.path.join(directory, program), os.X_OK):
                    # Prose that begins a line with a path, or a program that does not exist.
                    c.check(f'{document}: {program} exists', os.path.exists(os.path.join(directory, program)), command)
                elif not re.search(r'(?<![\w-])[A-Z]+(?![\w.])|\.\.\.|\[', command.split(' ', 1)[-1]):
                    status, output = c.shell(command, directory)
                    c.check(f'{document}: {command}', status == 0, output)


# --- formats ----------------------------------------------------------------------------------------------------------

def part_shaderdb(c):
    """Lines of shader-db from the compiler, the driver and its debug messages."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in (('a.vert', 'attribute vec4 p; void main() { gl_Position = p; }'),
                           ('a.frag', 'uniform vec4 c; void main() { gl_FragColor = c; }')):
            path = os.path.join(directory, name)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text + '\n')
            stage = 'VS' if name == 'a.vert' else 'FS'
            result = c.tool('tegra20-compiler', '--stats', *[path] * 21)  # so many show how far it is, on a terminal
            c.check(f'tegra20-compiler --stats {name}', '/21' not in result.stderr and re.fullmatch(
                rf'{path} - {LINES[stage]}\n{path} - {stage} bound: 1 of 1 \w+', '\n'.join(result.stdout.split('\n')[:2])),
                    result.stdout + result.stderr)
        # The compare program on what the compiler prints.
        runs = subprocess.run([sys.executable, os.path.join(TOP, 'tests/shader-db/shader-db.py'), 'run', '--build', c.build,
                               directory], capture_output=True, text=True)
        c.check('shader-db.py run', runs.stdout == '2 compiled\n', runs.stdout + runs.stderr)
    result = c.tool('tegra20-run', '--', os.path.join(c.build, 'tests/gl/report'), 'messages',
                    env={'TEGRA20_DEBUG': 'shaderdb', 'MESA_SHADER_CACHE_DISABLE': '1'})
    messages = re.findall(r'^linked: (.*)$', result.stdout, re.M)
    printed = [l for l in result.stderr.split('\n') if ' shader: ' in l]
    c.check('messages when a program is linked: one per shader', len(messages) == 2, result.stdout + result.stderr)
    for stage, pattern in LINES.items():
        for source, lines in (('messages', messages), ('TEGRA20_DEBUG=shaderdb', printed)):
            mine = [l for l in lines if l.startswith(stage)]
            c.check(f'{source}: {stage}', mine and all(re.fullmatch(pattern, l) for l in mine), result.stdout + result.stderr)


def part_errors(c):
    """Errors name file and line; tools behave in pipes."""
    with tempfile.TemporaryDirectory() as directory:
        def write(name, text):
            with open(os.path.join(directory, name), 'w', encoding='utf-8') as file:
                file.write(text)
        write('a.frag', 'uniform vec4 c;\nvoid main() { gl_FragColor = c; }\n')
        write('b.frag', 'void main()\n{\n   gl_FragColor = colour;\n}\n')
        write('b.asm', 'EXEC;\nEXEC_END FOOv;\n')
        write('b.rec', 'nothing')
        for command, status, message in [
                ('tegra20-compiler b.frag', 1, r'b\.frag: does not compile:\n +0:3\(\d+\): error: .colour. undeclared'),
                ('tegra20-compiler a.frag none.frag', 1, r'none\.frag: No such file'),
                ('tegra20-compiler', 2, r'no files given'),
                ('tegra20-compiler --disasm a.frag 2>/dev/null | tegra20-asm | tegra20-disasm -s fragment', 0, r'store surface1'),
                ('tegra20-run --record /dev/null -- true', 126, r'--record wants a file, /dev/null is none'),
                ('tegra20-demo --frames 1 --size 16x16 --out /dev/full || ls -l /dev/full', 0, r'\ncrw'),
                ('TEGRA20_DEBUG=msgs,foo tegra20-run -- wflinfo -p surfaceless_egl -a gles2', 0, r'there is no flag "foo"'),
                *((f'TEGRA20_{variable} tegra20-run -- wflinfo -p surfaceless_egl -a gles2', 0, r'TEGRA20_.*ignored')
                  for variable in ('JOB_CLOCKS=x', 'SHIM_HANG=x', 'SHIM_STRICT=prove', 'SHIM_THREADS=65', 'SHIM_MEMORY=-5',
                                   'SHIM_SWITCH=A57', 'SHIM_FAIL=FOO:1:EIO', 'SHIM_FAIL=*:x:EIO')),
                ('(echo "precision highp float;"; cat a.frag) >c.frag; tegra20-compiler --link c.frag c.frag', 1, r'one shader'),
                ('tegra20-vm --timeout -1 -- true', 2, r'more than 0 seconds are wanted'),
                ('tegra20-vm --threads -1 -- true', 2, r'a whole number is wanted'),
                ('tegra20-vm --threads 65 -- true', 2, r'at most 64 threads'),
                ('tegra20-vm --kernel 9.9 -- true', 2, r'there is no kernel 9\.9'),
                ('tegra20-vm --switch A57=99 -- true', 2, r'unknown assumption or value "A57=99"'),
                ('tegra20-vm --switch U10=always -- true', 2, r'unknown assumption or value "U10=always"'),
                ('tegra20-vm --frames /nonexistent/d -- true', 2, r'there is no such folder'),
                ('tegra20-compiler a.frag > /dev/full', 1, r'cannot write the output'),
                ('echo "EXEC_END NOPv;" | tegra20-asm --no-check > /dev/full', 1, r'cannot write the output'),
                ('echo 401f9c6c 0040000d 8106c003 6001ff81 | tegra20-disasm > /dev/full', 1, r'cannot write the output'),
                ('tegra20-asm b.asm', 1, r'b\.asm:2: no operation is called "FOOv"'),
                ('tegra20-asm none.asm', 1, r'none\.asm: No such file'),
                ('echo 12 zz | tegra20-disasm', 1, r'-:1: "zz'),
                ('tegra20-replay b.rec', 2, r'b\.rec is not a recording'),
                ('tegra20-replay none.rec', 2, r'none\.rec'),
                ('tegra20-replay --switch A00=x b.rec', 2, r'unknown switch or value "A00=x"'),
                ('tegra20-asm .', 1, r'\.: Is a directory'),
                ('tegra20-disasm .', 1, r'\.: Is a directory'),
                ('tegra20-compiler -j x a.frag', 2, r'--jobs wants a number'),
                ('tegra20-compiler - < a.frag', 0, r'^- - FS shader: 1 execs'),
                ('echo "void main() { gl_Position = vec4(1); }" | tegra20-compiler -', 0, r'^- - VS shader: 1 inst'),
                ('tegra20-compiler - < /dev/null', 1, r'-: does not compile'),
                ('tegra20-replay - < b.rec', 2, r'- is not a recording'),
                ('tegra20-run --memory x -- true', 2, r'--memory wants a number up to \d+, not "x"'),
                ('tegra20-run --threads 65 -- true; tegra20-replay --threads 65 b.rec', 2, r'(.*up to 64.*\s*){2}'),
                ('tegra20-run --one-chip=b.asm -- true; cat b.asm', 0, r'wants a socket or a new name(.*\n)*EXEC;'),
                ('TEGRA20_SHIM_ONE_CHIP=/nonexistent/x tegra20-run --one-chip -- true', 126, r'cannot listen at /nonexistent/x'),
                ('f="wflinfo -p surfaceless_egl -a gles2"; tegra20-run --stats -- sh -c "$f; $f"', 0, r': 2 processes, '),
                ('tegra20-run --fail "*:1:EFOO" -- true; tegra20-run --fail "*:%7:EIO,X:1" -- true', 2, r'EFOO"(.*\n)*.*"X:1"'),
                ('tegra20-run --record r.rec -- tegra20-demo --frames 1 --out /dev/null; tegra20-replay --dump --jobs 9 r.rec', 2,
                 r'there is no job 9'),
                ('tegra20-run --fail "*:%7:EINTR,GEM_MMAP:2+:ENOMEM" -- true', 0, r''),
                ('tegra20-run --record none/x.rec -- true', 126, r'cannot write none/x\.rec: No such file'),
                ('tegra20-demo --frames -1', 2, r'--frames wants a number'),
                ('tegra20-demo --frames 1 --out none/x.png', 1, r'none/x\.png: No such file'),
                ('tegra20-gl nonexistent-program', 127, r'nonexistent-program: not found'),
                ('tegra20-run', 2, r'no command given'),
                ('tegra20-run -- nonexistent-program', 127, r'cannot run nonexistent-program'),
                ('tegra20-run --switch A00=x -- true', 2, r'unknown assumption or value "A00=x"'),
                ('tegra20-hwtest --only A00', 2, r'no experiment is called "A00"'),
                ('tegra20-hwtest --timeout 0', 2, r'--timeout wants seconds'),
                ('tegra20-run --chip geforce -- true', 2, r'unknown chip "geforce"'),
                ('tegra20-run -- sh -c "exit 7"', 7, r''),
                ('tegra20-run -- sh -c "kill -9 \\$\\$"', 137, r''),
                ('tegra20-run --strict -- sh -c "tegra20-hwtest --only A13; exit 5"', 5, r'strict: 1 diagnostics'),
                ('tegra20-run --strict -- tegra20-hwtest --only A13', 3, r'strict: 1 diagnostics'),
                ('tegra20-run --strict=proven -- tegra20-hwtest --only A13', 0, r'note \[333\](.*\n)*.*strict: 0 diagnostics'),
                ('tegra20-run --strict=proven -- tegra20-hwtest --only A08', 3, r'strict: +\d+ x \[301\]'),
                ('tegra20-run --strict=proven -- tegra20-hwtest --only A83', 0, r'A83 +first-packet +as assumed'),
                ('yes a.frag | head -n 2000 | xargs tegra20-compiler | head -n 1; exit ${PIPESTATUS[2]}', 0, r'FS shader'),
                ('cat b.asm | tegra20-asm - | tegra20-disasm; exit ${PIPESTATUS[1]}', 1, r'-:2: no operation')]:
            got, output = c.shell(command, directory)
            c.check(f'{command}: status {got}, not {status}', got == status, output)
            c.check(f'{command}: message', re.search(message, output), output)


# --- limits -----------------------------------------------------------------------------------------------------------

def reported(c, api):
    result = c.tool('tegra20-run', '--strict', '--', os.path.join(c.build, 'tests/gl/report'), api)
    version = c.tool('tegra20-run', '--version').stdout.split('\n')[0].replace('tegra20-run ', '')
    c.check(f'{api}: the renderer names version {version}', f'(tegra20), {version}\n' in result.stdout, result.stdout[:300])
    text = re.sub(r' Mesa \S+$', '', result.stdout, flags=re.M).replace(f'), {version}\n', ')\n')
    return text if result.returncode == 0 else ''


REPORTED = 'tests/gl/reported.txt'


def reported_lines(texts):
    """Lines of REPORTED: versions and limits, each with the APIs that report it, and APIs with the extensions that they have."""
    lines, extensions = [], {}
    every = {line for text in texts.values() for line in text.splitlines()}
    for line in sorted(every, key=lambda line: (line[:3] == 'GL_', line)):
        apis = ' '.join(api for api in texts if line in texts[api].splitlines())
        if re.fullmatch(r'GL_\w+', line):
            extensions.setdefault(apis, []).append(line)
        else:
            lines.append(f'{line} | {apis}')
    for apis, names in sorted(extensions.items()):
        lines += textwrap.wrap(f'{apis}: {" ".join(names)}', 130, subsequent_indent='   ', break_on_hyphens=False)
    return lines


def part_limits(c, update=False):
    """What the APIs report is what the committed list and docs/tegra20.rst say."""
    values = {}
    texts = {api: reported(c, api) for api in ('gles1', 'gles2', 'gl')}
    lines = reported_lines(texts)
    if update and all(texts.values()):
        with open(os.path.join(TOP, REPORTED), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
    committed = read(REPORTED).splitlines()
    c.check(f'the APIs report {REPORTED}', all(texts.values()) and lines == committed,
            ' '.join(sorted(set(' '.join(lines).split()) ^ set(' '.join(committed).split()))))
    for api, now in texts.items():
        values[api] = dict(re.findall(r'^(GL_[A-Z]\w*) (\d.*)$', now, re.M))
        language = re.search(r'^version: (.*)$', now, re.M)
        c.check(f'docs/tegra20.rst names version {api}', language and f'``{language.group(1)}``' in read('docs/tegra20.rst'),
                language and language.group(1))
    rows = re.findall(r'^``(GL_\w+)`` +(\S.*?|) {2,}(\S.*?|) {2,}(\S.*)$', read('docs/tegra20.rst'), re.M)
    c.check('limits in docs/tegra20.rst', len(rows) > 15, rows)
    for name, *columns in rows:
        for api, column in zip(('gles1', 'gles2', 'gl'), columns):
            wanted = values[api].get(name, '-').replace(' ', ', ')
            c.check(f'docs/tegra20.rst: {name} of {api}', column == wanted, f'{column} is documented, {wanted} reported')


# --- the run on a simulated chip --------------------------------------------------------------------------------------

TRANSCRIPT = 'docs/first-contact.md'


def is_shown(printed, shown):
    """Whether the page shows the line: its "..." stands for a version or an address."""
    return re.fullmatch('.+'.join(re.escape(part) for part in shown.split('...')), printed)


def part_transcript(c, update=False):
    """Each line of the last indented block of docs/first-contact.md is what its commands print."""
    text = read(TRANSCRIPT)
    start = text.index('    $ ', text.index('## A run on a simulated chip'))
    block = re.match(r'(?: {4}.*\n|\n(?= {4}))*', text[start:])[0]
    steps = [part.partition('\n') for part in re.split(r'^ {4}\$ ', block.replace('\\\n', '\0'), flags=re.M)[1:]]
    with tempfile.TemporaryDirectory(prefix='tegra20-transcript-') as directory:
        home, now = f'export HOME={directory} LC_ALL=C\n', ''
        for command, _, shown in [(part.replace('\0', '\\\n') for part in step) for step in steps]:
            lines = [f'    {line.rstrip()}'.rstrip() for line in c.shell(home + command, directory)[1].rstrip('\n').split('\n')]
            wanted = shown.rstrip('\n').split('\n')
            differing = [line for line, pattern in itertools.zip_longest(lines, wanted, fillvalue='')
                         if not is_shown(line, pattern)]
            c.check(f'{TRANSCRIPT}: {command}', update or not differing, '\n'.join(differing))
            now += f'    $ {command}\n'
            for line in lines:
                now += next((pattern for pattern in wanted if is_shown(line, pattern)), line) + '\n'
        picture = c.shell(home + 'TEGRA20_HW=default tegra20-run -- tegra20-demo --out usual.png && '
                          f'{c.build}/tests/demo/tegra20-compare usual.png demo.png --tolerance 3 --percent 99', directory)
        c.check(f'{TRANSCRIPT}: the picture with the profile is that of the default chip', picture[0] == 0, picture[1])
    if update:
        with open(os.path.join(TOP, TRANSCRIPT), 'w', encoding='utf-8') as file:
            file.write(text[:start] + now + text[start + len(block):])


OLD = 100  # changes of the driver and the simulator


def part_results(c):
    """Lists the results that are older than a hundred changes of src/ and sim/; none is a failure."""
    def git(*args):
        return subprocess.run(['git', *args], cwd=TOP, capture_output=True, text=True).stdout.strip()

    names = git('ls-files', 'docs/results').split()
    commits = {name: git('log', '-1', '--format=%H', '--', name) for name in names}
    for table in 'long', 'findings', 'systems':
        with open(os.path.join(TOP, f'docs/results/{table}.txt'), encoding='utf-8') as file:
            commits.update(re.findall(r'^(\w.*?) *\| \S+ (\w+)', file.read(), re.M))
    ages = {name: int(git('rev-list', '--count', commit + '..', '--', 'src', 'sim') or 0) for name, commit in commits.items()}
    for name in sorted((n for n in ages if ages[n] > OLD), key=ages.get, reverse=True):
        print(f'old: {name}: {ages[name]} changes of src and sim are newer')
    # a clone without history has no ages
    c.check('results are in the repository', names or not git('rev-parse', 'HEAD'), names)


PARTS = [part_results, part_man, part_options, part_flags, part_markup, part_commands, part_shaderdb, part_errors, part_limits,
         part_transcript]


def main():
    names = [p.__name__[5:] for p in PARTS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.environ.get('BUILD_DIR', os.path.join(TOP, 'build')))
    parser.add_argument('--update', action='store_true', help='rewrite tests/gl/reported.txt and the transcript')
    parser.add_argument('parts', nargs='*', metavar='PART', help=', '.join(names))
    args = parser.parse_args()
    if set(args.parts) - set(names):
        parser.error(f'parts are: {", ".join(names)}')
    c = Checker(args.build)
    if not shutil.which('wflinfo'):
        c.check('wflinfo is installed (ci/setup)', False)
    for part in PARTS:
        if args.parts and part.__name__[5:] not in args.parts:
            continue
        before = c.passed, c.failed
        if part in (part_limits, part_transcript):
            part(c, args.update)
        else:
            part(c)
        print(f'{part.__doc__} {c.passed - before[0]} passed, {c.failed - before[1]} failed')
    return c.finish()


if __name__ == '__main__':
    sys.exit(main())
