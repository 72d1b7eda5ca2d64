#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Published benchmark figures beside what the simulator's clocks and bytes say.

  published.py [--build BUILD] [--out FILE | --check]

Draws what the benchmark measures (perf-published) a few times and twice as often on the simulated chip; the time that the
engines take for the difference gives the rate, also with TEGRA20_HW=safe. Writes the table to
docs/hardware/published-figures.md, or with --check compares it with that, and the rate of texels of a Xoom with what was
published (15 %). Figures of scenes that nobody has are listed with the clocks that the chip had for each pixel.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(TOP, 'docs/hardware/published-figures.md')
MHZ = 300
XOOM = 'AnandTech, a Xoom with GLBenchmark 2.0 (wccftech.com/ipad-2)'
HEISE = 'heise, a ThinkPad Tablet with GLBenchmark 2.1 (heise.de/-1381018)'
NVIDIA = 'NVIDIA, via Fudzilla (techspy.com/news/667924)'
# scene of perf-published, draws, millions a second (None: not known), what, source
RATES = [
    ('fill', 16, 130, 'texels, one a pixel', XOOM),
    ('triangles', 32, 15.1, 'textured triangles', XOOM),
    ('lit', 8, 8.51, 'triangles lit for each fragment', XOOM),
    ('peak', 32, 71, 'triangles at most', NVIDIA),
    ('rejected', 32, 1200, 'pixels that the depth test rejects', NVIDIA),
    ('blended', 2, None, 'textured triangles that blend', '-'),
    ('average', 8, None, 'pixels, each from four texels by one lookup with a filter', '-'),
    ('resolve', 8, None, 'pixels of four samples, each from four lookups without', '-'),
]
# frames a second, width, height, what, source
SCENES = [
    (11.8, 1280, 800, 'Egypt', XOOM),
    (24.1, 1280, 720, 'Egypt, off-screen', HEISE),
    (42.4, 1280, 720, 'PRO, off-screen', HEISE),
    (77.2, 800, 480, 'Neocore', 'an Optimus 2X (androidandme.com, March 2011)'),
]
TOLERANCE = 0.15  # of the rate of texels


def run(build, scene, draws, profile):
    """(ms on the engines, units of a draw, what bounds them)"""
    command = [os.path.join(build, 'tegra20-run'), '--stats', '--', os.path.join(build, 'tests/perf/perf-published'), scene,
               str(draws)]
    p = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, 'TEGRA20_HW': profile})
    time = re.search(r'about ([\d.]+) ms on the engines.* (\d+) % of it bound by memory', p.stdout + p.stderr)
    if p.returncode or not time:
        sys.exit(f'published.py: {" ".join(command)}: {p.stdout[-300:]}{p.stderr[-300:]}')
    return float(time[1]), int(p.stdout.split('\n')[0]), int(time[2])


def rate_of(build, scene, draws, profile):
    """(millions a second, share that memory bounds in percent)"""
    few, units, _ = run(build, scene, draws, profile)
    many, _, memory = run(build, scene, 2 * draws, profile)
    return units * draws / (many - few) / 1000, memory


def table_of(rates, safe):
    lines = ['# Published benchmark figures', '',
             "What owners and NVIDIA published of Tegra 2, beside what the simulator's model of clocks "
             f'({MHZ} MHz) and bytes (A136)',
             'says of the same work. `tests/perf/published.py` writes this page. Above 1 the chip was faster than the model:',
             'its peak of triangles needs less than the 10 clocks of a vertex (A79), and what it rejects less than 2 bytes of',
             'depth a pixel. The last rows show the cost of blending and of resolves. "Safe" is how many times as long the',
             'engines take with `TEGRA20_HW=safe`, without the vertex programs that the CPU runs then and the waits.', '',
             '| What | Published, millions a second | Model | Published / model | Bound by memory | Safe | Source |',
             '|---|---|---|---|---|---|---|']
    for (scene, _, published, what, source), (rate, memory), (slow, _) in zip(RATES, rates, safe):
        known = f'{published:g} | {rate:.3g} | {published / rate:.2f}' if published else f'- | {rate:.3g} | -'
        lines.append(f'| {what} (`{scene}`) | {known} | {memory} % | {rate / slow:.2f} | {source} |')
    lines += ['', f'Scenes that nobody has here, with the clocks that the chip has for each pixel at {MHZ} MHz:', '',
              '| Scene | Pixels | Frames a second | Clocks a pixel | Source |', '|---|---|---|---|---|']
    lines += [f'| {what} | {w}x{h} | {fps:g} | {MHZ * 1e6 / fps / w / h:.1f} | {source} |' for fps, w, h, what, source in SCENES]
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description='Published benchmark figures beside those of the model.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--out', default=TABLE)
    parser.add_argument('--check', action='store_true')
    args = parser.parse_args()
    rates, safe = ([rate_of(args.build, scene, draws, profile) for scene, draws, *_ in RATES] for profile in ('default', 'safe'))
    text, failed = table_of(rates, safe), 0
    if args.check:
        with open(TABLE, encoding='utf-8') as f:
            if f.read() != text:
                print(f'FAIL: {os.path.relpath(TABLE, TOP)} is not what tests/perf/published.py writes')
                failed += 1
    else:
        with open(args.out, 'w', encoding='utf-8') as f:
            f.write(text)
    if abs(RATES[0][2] / rates[0][0] - 1) > TOLERANCE:
        print(f'FAIL: {rates[0][0]:.0f} million texels a second, a Xoom has {RATES[0][2]}')
        failed += 1
    print(f'{2 - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
