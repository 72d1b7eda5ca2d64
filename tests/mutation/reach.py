# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Which tests run a line of C: what gcov says of a build with b_coverage.

reach.json of a scratch copy is {"tests": [name, ...], "files": {path: [SHA-1 of its text, {line: tests}]}}, the tests as bits of
a number.  What it cannot say is None: of a file that was not compiled or has changed since, of a line outside of functions.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess


class Reach:
    def __init__(self, path):
        self.path, self.tests, self.files = path, [], {}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                self.tests, self.files = json.load(file).values()

    def of(self, path, text, first, last):
        """Names of the tests that run one of these lines; None: nobody knows."""
        digest, lines = self.files.get(path, ('', {}))
        # of a process that is killed the counters are lost
        if digest != hashlib.sha1(text.encode()).hexdigest() or 2 * sum(mask > 0 for mask in lines.values()) < len(lines):
            return None
        rows = text.split('\n')
        while first > 1 and str(first) not in lines and re.match(r'\s+\S', rows[first - 1]):
            first -= 1  # inside of a statement: where it begins
        masks = [lines[str(line)] for line in range(first, last + 1) if str(line) in lines]
        if not masks:
            return None
        return {name for at, name in enumerate(self.tests) if any(mask >> at & 1 for mask in masks)}

    def measure(self, tree, trials):
        """Runs all trials in a copy that was built with coverage."""
        self.tests, self.files = [], {}
        place = os.path.join(tree.build, 'reach')
        for at, trial in enumerate(trials):
            shutil.rmtree(place, ignore_errors=True)
            tree.attempt(trial._replace(environment={**trial.environment, 'GCOV_PREFIX': place}))
            self.add(tree, place, 1 << at)
            self.tests.append(trial.name)
            print(f'{at + 1} of {len(trials)}: {trial.name}', flush=True)
            files = {}
            for path, lines in self.files.items():
                with open(os.path.join(tree.path, path), 'rb') as file:
                    files[path] = [hashlib.sha1(file.read()).hexdigest(), lines]
            with open(self.path, 'w', encoding='utf-8') as file:
                json.dump({'tests': self.tests, 'files': files}, file)

    def add(self, tree, place, bit):
        """The counters that a test left in a directory."""
        counters = [os.path.join(at, name) for at, _, names in os.walk(place) for name in names if name.endswith('.gcda')]
        for name in counters:
            notes = name[len(place):-4] + 'gcno'
            os.symlink(notes, os.path.join(place, notes[1:]))
        output = subprocess.run(['gcov', '--json-format', '--stdout', *counters], cwd=tree.build, capture_output=True, text=True)
        for found in map(json.loads, output.stdout.splitlines()):
            for entry in found['files']:
                path = os.path.relpath(os.path.join(tree.build, entry['file']), tree.path)
                if not re.match(r'(src|sim|tools|plugin)/', path):
                    continue
                lines = self.files.setdefault(path, {})
                for line in entry['lines']:
                    number = str(line['line_number'])
                    lines[number] = lines.get(number, 0) | (bit if line['count'] else 0)
