#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Make C and documentation from the table of chip behaviours, hw.yaml.

  gen_hw.py --header IN.yaml OUT.h     enumerations of rows and values
  gen_hw.py --table  IN.yaml OUT.c     the table (tegra20_hw.h)
  gen_hw.py --switches IN.yaml OUT.h   the simulator's switches (sim/tegra20/switches.c)
  gen_hw.py --doc    IN.yaml OUT.md    docs/hardware-profile.md
  gen_hw.py --check-doc IN.yaml DOC.md does DOC.md say what --doc would write?
"""

import re
import sys

import yaml

FITS = {
    'same': 'nothing: what the driver emits is right both ways',
    'bounds': 'nothing: pixels change within what OpenGL allows',
    'emits': 'emits something else',
    'slower': 'takes a slower way',
}

DOC_HEAD = '''\
# The hardware profile

Generated from `src/tegra20/hw/hw.yaml` by `gen_hw.py --doc`: do not edit.

What no manual settles about the chip has a row here. The driver reads the rows when a screen is created, in this order; what
is read later wins:

1. `/etc/tegra20/hardware-profile`
2. `$XDG_CONFIG_HOME/tegra20/hardware-profile` (`~/.config/tegra20/hardware-profile`)
3. the environment variable `TEGRA20_HW`: `TEGRA20_HW=npot-pitch=16,A26=radius`. Rows go by name or by id. The word
   `default` forgets the files, `safe` does so and takes the values that are marked; `help` prints this table.

A file has a line `tegra20-hw 1`, a line `chip 0x20` (Tegra30: `0x30`, Tegra114: `0x35`), a line `kernel RELEASE`, lines
`NAME=VALUE`, and a last line `end N`, where N is the number of lines before it. A file that is damaged, or that another chip
wrote, is ignored with a message. The release says under which kernel the chip was measured; no row is about the kernel, so a
profile stays valid after an update.
Programs that run with the rights of another user (setuid) read neither the environment nor the user's file. Compiled programs
in the disk cache are kept apart by the profile.

The preset `safe` is for a chip that nobody has measured: a job for each draw, and the slower way wherever it is right whatever
the chip does. Rows without a mark have no such way, or are right both ways: a chip that differs in one of the former needs
`tegra20-hwtest --calibrate`. What the preset costs is in the last column; most of it is the job for every draw, a draw for
each primitive that blends, and vertex programs on the CPU; `hardware/published-figures.md` has the time of the engines.

The values of a row are those of the simulator's switch with its id: `tegra20-run --switch A57=16` simulates a chip that
`TEGRA20_HW=npot-pitch=16` fits.

'''


def load(path):
    with open(path, encoding='utf-8') as f:
        return yaml.safe_load(f)


def identifier(text):
    return re.sub(r'\W', '_', str(text)).upper()


def c_string(text):
    return '"' + str(text).replace('\\', '\\\\').replace('"', '\\"') + '"'


def check(rows):
    """Ids and names are unique and cannot be taken for each other."""
    seen = set()
    for row in rows:
        for word in (row['id'], row['name']):
            if word in seen or not re.fullmatch(r'A\d+(\.\d)?|[a-z][a-z0-9-]*', word):
                sys.exit(f'gen_hw.py: bad or repeated name "{word}"')
            seen.add(word)
        if row['fit'] not in FITS or len(set(row['values'])) != len(row['values']) or len(row['values']) < 2:
            sys.exit(f'gen_hw.py: {row["id"]}: bad fit or values')
        if row.get('safe', row['values'][0]) not in row['values']:
            sys.exit(f'gen_hw.py: {row["id"]}: bad safe value')


def emit_header(rows, out):
    out.write('/* Generated from hw.yaml by gen_hw.py: do not edit. */\n\n')
    out.write('#ifndef TEGRA20_HW_ROWS_H\n#define TEGRA20_HW_ROWS_H\n\n')
    out.write('enum tegra20_hw_row_id {\n')
    for row in rows:
        out.write(f'   TEGRA20_HW_{identifier(row["name"])}, /* {row["id"]}: {row["topic"]} */\n')
    out.write('   TEGRA20_HW_NUM_ROWS\n};\n\n')
    for row in rows:
        out.write('enum {\n')
        for number, value in enumerate(row['values']):
            out.write(f'   TEGRA20_HW_{identifier(row["name"])}_{identifier(value)} = {number},\n')
        out.write('};\n')
    out.write('\n#endif\n')


def emit_table(rows, out):
    out.write('/* Generated from hw.yaml by gen_hw.py: do not edit. */\n\n#include "tegra20/tegra20_hw.h"\n\n')
    out.write('const struct tegra20_hw_row tegra20_hw_rows[] = {\n')
    for row in rows:
        values = ', '.join(c_string(v) for v in row['values'])
        out.write(f'   {{ {c_string(row["id"])}, {c_string(row["name"])},\n     {c_string(row["topic"])},\n'
                  f'     {len(row["values"])}, (const char *const[]){{ {values} }},\n'
                  f'     {c_string(FITS[row["fit"]])},\n     {c_string(row["cost"])},\n'
                  f'     {str(row.get("sim", True) is True).lower()}, '
                  f'{row["values"].index(row.get("safe", row["values"][0]))} }},\n')
    out.write('};\n')


def emit_switches(rows, out):
    out.write('/* Generated from hw.yaml by gen_hw.py: do not edit. */\n\n')
    for row in rows:
        if row.get('sim', True):
            values = ', '.join(c_string(v) for v in row['values'])
            out.write(f'{{ {c_string(row["id"])},\n  {c_string(row["topic"])},\n  {len(row["values"])},\n'
                      f'  (const char *const[]){{ {values} }}, {str(row.get("sim") == "timing").lower()} }},\n')


def emit_doc(rows, out):
    out.write(DOC_HEAD)
    out.write('| Id | Name | What | Values, the default first | What the driver does about another value | Cost |\n')
    out.write('|---|---|---|---|---|---|\n')
    for row in rows:
        values = ', '.join(f'`{v}`' + (' (safe)' if v == row.get('safe') else '') for v in row['values'])
        out.write(f'| {row["id"]} | `{row["name"]}` | {row["topic"]} | {values} | {FITS[row["fit"]]} | {row["cost"]} |\n')


def main():
    mode, source, target = sys.argv[1:]
    rows = load(source)
    check(rows)
    if mode == '--check-doc':
        import io
        wanted = io.StringIO()
        emit_doc(rows, wanted)
        if open(target, encoding='utf-8').read() != wanted.getvalue():
            sys.exit(f'{target} is older than {source}: src/tegra20/hw/gen_hw.py --doc {source} {target}')
        return
    with open(target, 'w', encoding='utf-8') as out:
        {'--header': emit_header, '--table': emit_table, '--switches': emit_switches, '--doc': emit_doc}[mode](rows, out)


if __name__ == '__main__':
    main()
