# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""A slice of ci/piglit-quick.txt on a chip of one's own: what comes out otherwise than without."""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests/piglit'))

import selection  # noqa: E402


class Slice:
    """Every Nth test of those in the list, from the one with the number first on."""

    def __init__(self, build, every, directory, first=0):
        listed = selection.read_tests(os.path.join(TOP, 'ci/piglit-quick.txt'))
        self.build, self.directory = build, directory
        self.profile_of = {name: profile for profile, names in listed.items() for name in names}
        self.tests = list(self.profile_of)[first % every::every]

    def complaints(self, env, tests):
        """({test: what ci/piglit says about it}, number that passed), on the chip and with the profile of env."""
        path = os.path.join(self.directory, 'piglit.txt')
        with open(path, 'w', encoding='utf-8') as f:
            for profile in sorted({self.profile_of[name] for name in tests}):
                f.writelines(line + '\n' for line in [f'[{profile}]'] + [n for n in tests if self.profile_of[n] == profile])
        p = subprocess.run([os.path.join(TOP, 'ci/piglit'), '--list', path, '--no-strict', '--jobs', '1', '--results',
                            os.path.join(self.directory, 'piglit')], capture_output=True, text=True, errors='replace',
                           env={**os.environ, 'BUILD_DIR': self.build, **env})
        lines = [re.match(r'[A-Z]+: (.*?)(: in the list|: passes, | \(expected|$)', line) for line in p.stdout.split('\n')]
        total = re.search(r'(\d+) passed, \d+ failed, \d+ skipped\s*$', p.stdout)
        return {m[1]: m[0] for m in lines if m and m[1] in self.profile_of}, int(total[1]) if total else 0

    def differences(self, env, usual_env):
        """(what env changes, [line, ...]; number that passed).  What is not as listed must be so with usual_env, too, unless it
        passes, or asks for more than the driver offers there."""
        found, passed = self.complaints(env, self.tests)
        found = {name: line for name, line in found.items() if not line.startswith(('FIXED', 'SKIP'))}
        usual = self.complaints(usual_env, list(found))[0] if found else {}
        return sorted(set(found.values()) - set(usual.values())), passed
