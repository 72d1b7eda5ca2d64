#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What it costs to finish buffers before others see them: tests/vm/finish.py [--build BUILD] [--rounds N] [--results FILE]

Draws scenes of glmark2 on the screen of tegra20-vm, as the driver does it and with TEGRA20_DEBUG=nofinish, in turns: the time
of a frame with the wait for that without, of each scene, in the median of all rounds.  The engines are simulated there, so the
share that they have of a frame is larger than on a chip.  The last line is "N scenes, mean ratio X".
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f'{TOP}/tests/common')
import measured  # noqa: E402, tests/common/measured.py

SCENES = ['build', 'texture', 'shading', 'bump', 'effect2d']
FRAMES = 60


def frame_times(build, debug):
    """{scene: milliseconds of a frame}"""
    command = ['glmark2-es2-drm'] + [word for scene in SCENES for word in ('-b', f'{scene}:nframes={FRAMES}')]
    with tempfile.TemporaryDirectory(prefix='tegra20-finish-') as directory:
        p = subprocess.run([f'{build}/tegra20-vm', '--size', '320x240', '--timeout', '1800', '--', 'env',
                            f'TEGRA20_DEBUG={debug}'] + command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors='replace', check=False)
    times = re.findall(r'\[(\w+)\].*FrameTime: ([\d.]+) ms', p.stdout)
    if len(times) != len(SCENES):
        sys.exit(f'glmark2-es2-drm did not draw all scenes:\n{p.stdout[-2000:]}{p.stderr[-2000:]}')
    return {scene: float(time) for scene, time in times}


def main():
    parser = argparse.ArgumentParser(description='What it costs to finish buffers before others see them.')
    parser.add_argument('--build', default='build')
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--results', metavar='FILE')
    args = parser.parse_args()
    rounds = [(frame_times(os.path.abspath(args.build), 'refuse'), frame_times(os.path.abspath(args.build), 'refuse,nofinish'))
              for _ in range(args.rounds)]
    with measured.kept(args.results):
        print(f'{"scene":12} {"ms":>8} {"without":>8} {"ratio":>6}')
        ratios = []
        for scene in SCENES:
            waits, goes_on = ([times[i][scene] for times in rounds] for i in (0, 1))
            ratios.append(statistics.median(a / b for a, b in zip(waits, goes_on)))
            print(f'{scene:12} {statistics.median(waits):8.1f} {statistics.median(goes_on):8.1f} {ratios[-1]:6.2f}')
        print(f'{len(SCENES)} scenes, mean ratio {statistics.geometric_mean(ratios):.2f}')


if __name__ == '__main__':
    main()
