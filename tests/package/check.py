#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""tegra20-gl --check on made-up machines: every mistake is named, all of them at once.

Usage: check.py TEGRA20-GL
"""

import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

CONFIG = ('CONFIG_ARCH_TEGRA_2x_SOC=y', 'CONFIG_DRM_TEGRA=m', 'CONFIG_DRM_TEGRA_STAGING=y')

HERE = os.path.dirname(os.path.abspath(__file__))
# What a job on an engine has told: tests/gl/no_device.py, unit "faults" and the parts check and pm_fault of tests/vm.
BY_A_JOB = ('cannot power up GR3D', 'does not answer')

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2

# Name, what is different from a good machine, the status, what must be said.
CASES = (
    ('good', {}, 0, ('as which this driver is installed', 'chip: Tegra20', 'kernel: 6.12.107 has', "interface: mainline's",
                     'MiB of contiguous memory for 1024x600', 'device: /dev/dri/renderD128 can be opened',
                     'engines: gr3d and gr2d are there')),
    ('PC', {'compatible': 'pc'}, 1, ('no Tegra20',)),
    ('Tegra 3', {'compatible': 'asus,grouper\0nvidia,tegra30', 'config': ('CONFIG_ARCH_TEGRA_3x_SOC=y', *CONFIG[1:])}, 0,
     ('chip: Tegra30',)),
    ('Tegra 4', {'compatible': 'nvidia,roth\0nvidia,tegra114'}, 1, ('chip: Tegra114', 'without CONFIG_ARCH_TEGRA_114_SOC')),
    ('Tegra K1', {'compatible': 'nvidia,jetson-tk1\0nvidia,tegra124'}, 1, ('no Tegra20',)),
    ("Debian's kernel", {'config': CONFIG[1:]}, 1, ('was built without CONFIG_ARCH_TEGRA_2x_SOC,',)),
    ('no staging', {'config': CONFIG[:2]}, 1, ('was built without CONFIG_DRM_TEGRA_STAGING,',)),
    ('nothing', {'config': ('CONFIG_X=y',)}, 1, ('CONFIG_ARCH_TEGRA_2x_SOC CONFIG_DRM_TEGRA CONFIG_DRM_TEGRA_STAGING',)),
    ('unknown configuration', {'config': ()}, 0, ('cannot be read',)),
    ('postmarketOS', {'config': (*CONFIG[:2], 'CONFIG_GRATE_HOST1X=y'), 'release': '6.12.5-grate'}, 0,
     ("interface: that of the grate project's kernel", 'has the configuration')),
    ('no power 6.6', {'release': '6.6.0'}, 1, ('cannot power the engines up',)),
    ('no power 6.12', {'release': '6.12.96-armmp'}, 1, ('use 6.1, or 6.12.97 or later',)),
    ('no power 6.11', {'release': '6.11.2'}, 1, ('cannot power the engines up',)),
    ('6.12.97', {'release': '6.12.97'}, 0, ("interface: mainline's",)),
    ('6.16', {'release': '6.16.0-rc1+'}, 0, ("interface: mainline's",)),
    ('6.4', {'release': '6.4.16'}, 0, ("interface: mainline's",)),
    ('6.1', {'release': '6.1.176'}, 0, ("interface: mainline's",)),
    ('5.16', {'release': '5.16.0'}, 0, ("interface: mainline's",)),
    ('5.15', {'release': '5.15.19'}, 1, ('interface: Linux before 5.16 has none',)),
    ('5.10', {'release': '5.10.0-30-armmp'}, 1, ('interface: Linux before 5.16 has none',)),
    ('16 MiB', {'cma': 16384}, 1, ('16 MiB of contiguous memory are too few for 1366x768', 'cma=128M'), '1366x768'),
    ('16 MiB, small screen', {'cma': 16384}, 0, ('16 MiB of contiguous memory for 1024x600',)),
    ('no CMA', {'cma': 0}, 1, ('no contiguous memory',)),
    ('no gr3d', {'engines': ('gr2d',)}, 1, ('the kernel has no gr3d',)),
    ('no device', {'node': False}, 1, ('there is no /dev/dri/renderD*: is the tegra-drm module loaded?',)),
    ('no permission', {'forbidden': True}, 1, ('you may not open /dev/dri/renderD128: join its group (adduser ',)),
    ('no Mesa', {'mesa': None}, 1, ('Mesa: no libEGL of Mesa 24.2 or later was found',)),
    ('another Mesa', {'mesa': 'libgallium-99.9.so'}, 1,
     ('Mesa: it loads libgallium-99.9.so, this driver is libgallium-', 'install the driver that was built for it')),
    ('several mistakes', {'config': CONFIG[:2], 'cma': 8192, 'engines': (), 'node': False, 'release': '6.9.1'}, 1,
     ('DRM_TEGRA_STAGING', 'too few', 'no gr3d', 'no gr2d', 'there is no /dev/dri', 'cannot power')),
)


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def make_machine(root, machine, mode, driver):
    mesa = machine.get('mesa', driver)
    if mesa:
        write(root, 'usr/lib/libEGL_mesa.so.0', f'\0{mesa}\0')
    release = machine.get('release', '6.12.107')
    write(root, 'proc/device-tree/compatible', machine.get('compatible', 'asus,tf101\0nvidia,tegra20') + '\0')
    config = machine.get('config', CONFIG)
    if config:
        write(root, f'boot/config-{release}', '\n'.join(config) + '\n')
    write(root, 'proc/meminfo', f'MemTotal: 1000000 kB\nCmaTotal: {machine.get("cma", 65536):>10} kB\n')
    write(root, 'sys/class/drm/card0-LVDS-1/modes', mode + '\n')
    if machine.get('node', True):
        write(root, 'dev/dri/renderD128', '')
    if machine.get('forbidden'):
        os.chmod(f'{root}/dev/dri/renderD128', 0)
    for engine in machine.get('engines', ('gr2d', 'gr3d')):
        write(root, f'sys/bus/platform/drivers/tegra-{engine}/54180000.{engine}/uevent', '')
    return release


def without_override():
    """What root may because it is root."""
    if os.getuid() == 0:
        for capability in CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH:
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def document():
    with open(f'{HERE}/../../docs/install.md', encoding='utf-8') as file:
        return file.read()


def rows():
    """What the table in docs/install.md says that --check says, in parts, and its topics: what is before the first colon."""
    table = document().partition('### What --check says')[2].partition('\n#')[0]
    lines, topic = [], ''
    for row in re.findall(r'^\| (`.*?`) \|', table, re.M):
        for line in re.findall('`(.*?)`', row):
            topic = line.partition(':')[0] if ':' in line else topic
            lines.append((line, topic, [part.strip() for part in line.split('...') if part.strip()]))
    return lines


def untold(said):
    """Lines of the table that no machine gave."""
    return [line for line, _, parts in rows()
            if not any(word in line for word in BY_A_JOB) and not all(part in said for part in parts)]


# What --check says of what is as it should be.
GOOD = re.compile(r'Mesa: .* as which this driver is installed|chip: Tegra\d+|kernel: .* has the configuration|'
                  r"interface: (mainline's|that of the grate)|memory: \d+ MiB of contiguous memory for|"
                  r'device: .* can be opened|engines: gr3d and gr2d are there')


def unexplained(said):
    """Complaints that the table does not have."""
    return [line for line in said.splitlines() if not GOOD.match(line) and
            not any(line.startswith(topic) and all(part in line for part in parts) for _, topic, parts in rows())]


def screens():
    """(mode, MiB of a desktop with one window, MiB that are recommended) of each row of the table."""
    found = re.findall(r'^\| (\d+x\d+) \|[^|]*\| (\d+) MiB \| (\d+)M', document(), re.M)
    return [(mode, int(needed), int(cma)) for mode, needed, cma in found]


def screen_cases():
    """The memory that the table demands for a screen is what --check demands, and what the table recommends is enough."""
    for mode, needed, cma in screens():
        yield (f'{mode}, 8 MiB', {'cma': 8192}, 1, (f'too few for {mode} ({needed} MiB for a desktop with one window)',), mode)
        yield (f'{mode}, less', {'cma': 1024 * needed - 1024}, 1, ('too few',), mode)
        yield (f'{mode}, as recommended', {'cma': 1024 * cma}, 0, (f'{cma} MiB of contiguous memory for {mode}',), mode)


def place(tool, directory):
    """The tool beside a driver that came without a Mesa of its own, and the driver's name."""
    here = os.path.dirname(os.path.realpath(tool))
    driver = glob.glob(f'{here}/../../lib/libgallium-*.so')[0]
    os.makedirs(f'{directory}/tools/gl')
    os.mkdir(f'{directory}/lib')
    os.symlink(driver, f'{directory}/lib/{os.path.basename(driver)}')
    for name in 'tegra20-gl', 'probe-tegra20':
        shutil.copy(f'{here}/{name}', f'{directory}/tools/gl')
    return f'{directory}/tools/gl/tegra20-gl', os.path.basename(driver)


def main():
    failed = len(screens()) < 4
    said = ''
    build = tempfile.TemporaryDirectory()
    tool, driver = place(sys.argv[1], build.name)
    for name, machine, status, words, *mode in (*CASES, *screen_cases()):
        with tempfile.TemporaryDirectory() as root:
            release = make_machine(root, machine, mode[0] if mode else '1024x600', driver)
            p = subprocess.run([tool, '--check'], capture_output=True, text=True, preexec_fn=without_override,
                               env={**os.environ, 'TEGRA20_GL_ROOT': root, 'TEGRA20_GL_RELEASE': release})
            said += p.stdout
            missing = [word for word in words if word not in p.stdout]
            good = not missing and not p.stderr and p.returncode == status
            print(f'{"ok" if good else "FAIL"}: {name}')
            if not good:
                failed += 1
                print(f'status {p.returncode}, expected {status}; missing: {missing}\n{p.stdout}{p.stderr}')
    for what, lines in ('has what nothing says', untold(said)), ('does not have', sorted(set(unexplained(said)))):
        failed += len(lines)
        print(f'FAIL: docs/install.md {what}: {lines}' if lines else f'ok: docs/install.md {what}: nothing')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
