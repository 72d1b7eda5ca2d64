#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The runners of this directory, without a chip: they report and count all that is wrong, and nothing else.

Functions take the place of the programs that they start, and say what the chip did.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import adversary  # noqa: E402, tests/hwtest/adversary.py
import calibrate  # noqa: E402, tests/hwtest/calibrate.py
import flip  # noqa: E402, tests/hwtest/flip.py
import piglit_slice  # noqa: E402, tests/hwtest/piglit_slice.py
import profile  # noqa: E402, tests/hwtest/profile.py

ROWS = {row['id']: row for row in calibrate.load_rows()}
CHIP = {'A57': '16', 'A21': 'dropped'}


class Calibrate(unittest.TestCase):
    def test_verdict(self):
        one, asked = {'npot-pitch': '16'}, ('t', {'A57': '16'}, CHIP, 'tegra30')
        for found, same, *expected in (({**one, 'behind-eye': 'dropped'}, False, 'exact', ''),
                                       (one, True, 'hidden', 'A21=dropped', asked), (one, False, 'failed', 'found A57=16', asked),
                                       ({'npot-pitch': '64'}, True, 'failed', 'found A57=64'),
                                       (None, True, 'failed', 'no profile: out')):
            with mock.patch.object(calibrate, 'calibrate', return_value=(found, 'out')), \
                 mock.patch.object(calibrate, 'same_results', return_value=same) as compared:
                verdict = calibrate.check('t', set(), [ROWS[ident] for ident in CHIP], CHIP, 'tegra30')
            self.assertEqual([*verdict, *(call.args for call in compared.mock_calls)], expected)

    def test_same_results(self):
        def experiments(command, **_):
            bad = command[command.index('--chip-of') + 1] == other
            with open(command[command.index('--json') + 1], 'w', encoding='utf-8') as file:
                json.dump({'experiments': [{'name': 'x', 'outcome': 'as assumed', 'bytes': 'ff' if bad else '00'}]}, file)
        for other, same in ('', True), ('A57=16', False), ('A57=16,A21=dropped', False):
            with mock.patch.object(subprocess, 'run', experiments):
                self.assertEqual(calibrate.same_results('tool', {'A57': '16'}, CHIP, 'tegra20'), same)

    def test_interrupted(self):
        for script, wrong in ('exit 0', 'status 0'), ('touch "$5"; exit 130', 'status 130'):
            with tempfile.TemporaryDirectory() as directory:
                with open(f'{directory}/tool', 'w', encoding='utf-8', opener=lambda *words: os.open(*words, 0o700)) as file:
                    file.write(f'#!/bin/sh\n{script}\n')
                self.assertEqual(calibrate.goes_on(file.name), f'interrupted: {wrong}')

    def test_strange_weights(self):
        def found(_tool, _tested, chip, *_):
            weights = [(int(weight) + off) / 1024 for weight in f'{chip["A43"]}+0'.split('+')[:2]]
            names = {ROWS[ident]['name']: value for ident, value in chip.items() if ident not in {'A43', hidden}}
            return names, 'large by {} {}, give'.format(*weights)
        for off, hidden, wrong in (32, '', 0), (33, '', 3), (-32, '', 0), (-33, '', 3), (0, 'A57', 1):
            with mock.patch.multiple(calibrate, calibrate=found, rows_with_experiments=lambda _: set()):
                self.assertEqual(len(calibrate.misjudges_strange_weights('tool')), wrong)

    def test_counts(self):
        verdicts = iter([('exact', ''), ('hidden', 'H'), ('failed', 'F')])
        with tempfile.NamedTemporaryFile('r') as results, contextlib.redirect_stdout(io.StringIO()) as out, \
             mock.patch.multiple(calibrate, rows_with_experiments=lambda _: set(), check=lambda *_: next(verdicts),
                                 CHECKS=[lambda _: None, lambda _: 'W']), \
             mock.patch.object(sys, 'argv', ['', '--chips', '3', '--seed', '5', '--results', results.name]):
            self.assertEqual(calibrate.main(), 1)
            self.assertRegex(results.read(), r'[^5]\n   6 hidden .*: H\n   7 failed .*: F\n\n1 found exactly, 1 .*, 1 failed\n$')
        self.assertRegex(out.getvalue(), r'^FAIL: seed    7 failed .*: F\nFAIL: <lambda>: W\n3 passed, 2 failed, 0 skipped\n$')


class Flip(unittest.TestCase):
    def test_check(self):
        def run(_build, _switch, path):
            with open(path, 'w', encoding='utf-8') as file:
                json.dump({'any of': [{'id': ident, 'chip': value} for ident, value in found]}, file)
            return subprocess.CompletedProcess([], status, text, '')
        right, text = [('A57', '16')], 'A57: assumed 64'
        for status, found, wrong in ((1, right, None), (0, right, 'status 0'), (1, [('A57', '64')], 'concluded'),
                                     (1, [], 'concluded')):
            with mock.patch.object(flip, 'run', run):
                self.assertIn(wrong or 'None', str(flip.check('build', 'A57', '16')))

    def test_switches(self):
        with mock.patch.multiple(flip, check=lambda *words: ' '.join(words), unlisted_rows=lambda _: []), \
             mock.patch.object(sys, 'argv', ['', '--build', 'b', 'A43=700-60']), contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(flip.main(), 1)
        self.assertEqual(out.getvalue(), 'FAIL: A43=700-60: b A43 700-60\n1 passed, 1 failed, 0 skipped\n')


class Profile(unittest.TestCase):
    def verdict(self, found, share, lines=(), pictures=(), chip=('A57', '16'), **options):
        bench = profile.Bench.__new__(profile.Bench)
        bench.__dict__.update({'piglit': 9, 'safe': False, 'pairs': None, 'weston': True, 'usual': {'old'}, **options})
        bench.grid = types.SimpleNamespace(count=40, failures=mock.Mock(return_value=found))
        bench.draw_demo, bench.compare_demo = mock.Mock(), lambda _, percent: (share >= percent, str(share))
        bench.try_piglit, bench.try_weston = mock.Mock(return_value=(lines, 8, 10)), mock.Mock(return_value=list(pictures))
        bench.calibrated = lambda _: 'found'
        verdict, columns, wrong = bench.check(3, [(ROWS[chip[0]], chip[1])])
        return verdict, columns[1:], wrong, bench.grid.failures.call_args.args

    def test_check(self):
        self.assertEqual(self.verdict({'old'}, 99.6), ('passed', ['39 of 40', '8 of 10'], '', ('A57=16', 'found', False)))
        for arguments, wrong in ((({'new'}, 99.6), 'new'), ((set(), 99.4), 'demo: 99.4 %'), ((set(), 100, ['p']), 'piglit: p'),
                                 ((set(), 100, (), ['w']), 'w'), ((None, 100), 'the run of the grid ended early')):
            self.assertEqual(self.verdict(*arguments)[::2], ('failed', wrong))
        self.assertEqual(self.verdict(set(), 100, ['p'], ['w'], piglit=0, weston=False)[:2], ('passed', ['40 of 40', '0 of 0']))
        # A value that changes pixels: of 40 cases two may be others, and 3 % of the demo.
        for found, share, lines, expected in (('ab', 97, (), 'passed'), ('abc', 97, (), 'failed'), ('', 97, ['p'], 'failed'),
                                              ('', 96.9, (), 'failed')):
            self.assertEqual(self.verdict(set(found), share, lines, chip=('A43', 'low'))[0], expected)

    def test_profile_of_a_chip(self):
        for options, *expected in (({'safe': True}, 'A57=16', 'safe', False), ({'pairs': 'all'}, 'A57=16', 'A57=16', False),
                                   ({'chip': ('A98', 'wait')}, 'A98=wait', 'A98=wait', True)):
            self.assertEqual([*self.verdict(set(), 100, **options)[3]], expected)

    def test_environment(self):
        usual = {'TEGRA20_HW': 'default,p', 'MESA_SHADER_CACHE_DISABLE': '1'}
        for switch, adversary_runs, more in ((None, False, {}), ('s', False, {'TEGRA20_SHIM_SWITCH': 's'}),
                                             (None, True, {'TEGRA20_SHIM_ADVERSARY': '1'})):
            self.assertEqual(profile.Bench.environment(None, switch, 'p', adversary_runs), {**usual, **more})
        self.assertEqual(profile.chip_options('a,b', True), ['--switch', 'a', '--switch', 'b', '--adversary'])

    def test_pairs(self):
        pairs = {name: list(profile.pairs_of(name)) for name in profile.UNITS}
        self.assertEqual(sum(pairs.values(), []), list(profile.pairs_of('all')))
        for name, numbers in profile.UNITS.items():
            self.assertTrue(all(int(row['id'][1:]) in numbers for pair in pairs[name] for row, _ in pair) and pairs[name])
        paired = {row['id'] for row, _ in sum(sum(pairs.values(), []), ())}
        self.assertEqual({row['id'] for row in calibrate.visible_rows() if row['id'] < 'A95' and len(row['id']) < 4} - paired,
                         {'A75'})

    def test_safe_rows(self):
        for arguments, left_out in ([], set()), (['--safe'], {row['id'] for row in ROWS.values() if 'safe' not in row and
                                                              row['fit'] in ('emits', 'slower')}):
            with mock.patch.object(profile, 'try_all', return_value=None) as tried, \
                 mock.patch.object(sys, 'argv', ['', *arguments]), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(profile.main(), 1)
            self.assertEqual(set(ROWS) - {row['id'] for _, values in tried.call_args.args[1] for row, _ in values}, left_out)

    def test_table(self):
        good = ['100.0 %', '5 of 5', '3 of 3']
        results = [('passed', good), ('failed', good), ('passed', ['99.98 %', *good[1:]]),
                   ('passed', ['99.99 %', '4 of 5', '3 of 3']), ('passed', ['99.99 %', *good[1:]]),
                   ('passed', [*good[:2], '2 of 3'])]
        values = [[(row, row['values'][1])] for row in list(ROWS.values())[:len(results) + 1]]
        names = [profile.profile_of(value) for value in values]
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(profile.measured, 'state', return_value='now'):
            table = profile.Table(f'{directory}/table', 'command', names)
            for value, (verdict, columns) in reversed(list(zip(values, results))):
                table.add(value, verdict, columns)
            again = profile.Table(f'{directory}/table', 'command', names)
            self.assertEqual([again.has(name) for name in names], [True] * len(results) + [False])
            self.assertEqual(again.lines, table.lines)
            again.write_summary(f'{directory}/summary')
            for file, wanted in ('table', names[:6]), ('summary', [names[i] for i in (1, 2, 3, 5)]):
                with open(f'{directory}/{file}', encoding='utf-8') as lines:
                    text = lines.read()
                self.assertEqual([line.split('`')[1] for line in text.split('\n') if line.startswith('| A')], wanted)
                self.assertRegex(text, r'^command: 5 passed, 1 failed, 1 not tried; .* of now\.\n')


class Adversary(unittest.TestCase):
    def run_silently(self, what, *arguments):
        counts = adversary.part.Counts()
        with contextlib.redirect_stdout(io.StringIO()):
            what(counts, 'build', *arguments)
        return counts.passed, counts.failed

    def test_grid(self):
        deaf, grid = {str(bit): {'x'} for bit in adversary.DEAF.values()}, mock.Mock(env={}, count=9)
        def failures(*_):
            names = found.get(grid.env.get('TEGRA20_SHIM_DEAF'), set())
            return None if names is None else {'usual'} | names
        grid.failures = failures
        for found, expected in (deaf, (7, 0)), ({**deaf, '4': set()}, (6, 1)), ({**deaf, '0': {'new'}}, (5, 2)), (
                {**deaf, '8': None}, (6, 1)), ({None: None}, (0, 1)):
            grid.env.clear()
            with mock.patch.object(adversary, 'Grid', return_value=grid):
                self.assertEqual(self.run_silently(adversary.grid_runs, 1, 0, [1, 2], ''), expected)

    def test_programs(self):
        def on_chip(_build, seed, command, _options, **_variables):
            if '--out' in command:
                with open(command[-1], 'w', encoding='utf-8') as file:
                    file.write(pictures[seed])
            return seed not in failing, 'said'
        with mock.patch.object(adversary, 'on_chip', on_chip), tempfile.TemporaryDirectory() as directory:
            for pictures, failing, demo, others in (('aaa', (), (2, 0), 2), ('aab', (), (1, 1), 2), ('aaa', (2,), (1, 1), 1),
                                                    ('aaa', (0, 1, 2), (0, 2), 0)):
                self.assertEqual(self.run_silently(adversary.demo, [1, 2], directory), demo)
                self.assertEqual(self.run_silently(adversary.two_processes, [1, 2]), (others, 2 - others))
                self.assertEqual(self.run_silently(adversary.state_of_draws, [1, 2]), (2 * others, 4 - 2 * others))

    def test_piglit(self):
        tests, usual = piglit_slice.Slice.__new__(piglit_slice.Slice), {'b': 'FAIL: b'}
        tests.tests = list('abcde')
        tests.complaints = lambda env, _: (usual if env['TEGRA20_SHIM_ADVERSARY'] == '0' else {**usual, **new}, passed)
        for new, passed, expected in (({}, 5, (1, 0)), ({}, 4, (0, 1)), ({'a': 'FAIL: a'}, 5, (0, 1)),
                                      ({'a': 'FIXED: a', 'c': 'SKIP: c'}, 5, (1, 0))):
            with mock.patch.object(piglit_slice, 'Slice', return_value=tests), \
                 mock.patch.object(adversary.shutil, 'which', return_value='piglit'):
                self.assertEqual(self.run_silently(adversary.piglit, 1, 0, [1], ''), expected)

    def test_parts(self):
        with mock.patch.multiple(adversary, grid_runs=mock.DEFAULT, piglit=mock.DEFAULT, demo=mock.DEFAULT,
                                 two_processes=mock.DEFAULT, state_of_draws=mock.DEFAULT) as runs, \
             mock.patch.object(sys, 'argv', ['', '--every', '5', '--piglit', '7', '--seeds', '2', '--part', '3/4']), \
             contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(adversary.main(), 0)
        self.assertEqual(runs['grid_runs'].call_args.args[2:5], (20, 10, [1, 2]))
        self.assertEqual(runs['piglit'].call_args.args[2:5], (28, 14, [1, 2]))


if __name__ == '__main__':
    unittest.main()
