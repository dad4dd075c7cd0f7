#!/usr/bin/python3
"""gate_bites.py: its faults fit the sources, and what it makes of tests that fail, pass or do not run. Builds nothing.

It is a part of `./dev check`. In `./dev test` it would fail with each fault, as the old text is then gone, and hide that
no other test does.
"""

import contextlib
import dataclasses
import difflib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
import gate_bites  # noqa: E402
from gate_bites import Fault  # noqa: E402

# Stands for a build and the tests behind it: `broken` does not compile, and the tests want `right`.
TESTS = """\
if grep -q broken code.txt; then echo 'ninja: build stopped: subcommand failed.'; exit 2; fi
if grep -q right code.txt; then echo '2 passed, 0 failed; suites that only ./dev test --all has: 3'; exit; fi
echo '-- failed: unit_code'
echo '0 passed, 1 failed: units; suites that only ./dev test --all has: 3'
exit 1
"""
CAUGHT = Fault("caught", "inverted condition", "code.txt", "right", "wrong", "unit_code: the only one")
MISSED = Fault("missed", "dropped check", "code.txt", "unseen", "unread", "none")
BROKEN = Fault("broken", "off by one", "code.txt", "right", "broken", "none")


class Data(unittest.TestCase):
    def test_faults_fit_the_sources(self):
        self.assertEqual(list(gate_bites.problems(gate_bites.ROOT, gate_bites.FAULTS)), [])

    def test_each_changes_one_line(self):
        for fault in gate_bites.FAULTS:
            text = (gate_bites.ROOT / fault.path).read_text("utf-8")
            changed = text.replace(fault.old, fault.new)
            lines = [line for line in difflib.ndiff(text.splitlines(), changed.splitlines()) if line[0] in "+-"]
            self.assertLessEqual(sum(line[0] == "-" for line in lines), 1, fault.name)
            self.assertLessEqual(sum(line[0] == "+" for line in lines), 1, fault.name)

    def test_kinds_and_layers(self):
        usual = [fault for fault in gate_bites.FAULTS if not fault.is_spare]
        self.assertEqual(sorted(fault.kind for fault in usual),
                         ["changed error text", "dropped check", "inverted condition", "lock not taken",
                          "missing sync", "off by one"])
        self.assertEqual({fault.path.split("/")[0] for fault in usual}, {"protocol", "engine", "streams", "server"})
        names = [fault.name for fault in gate_bites.FAULTS]
        self.assertEqual(len(names), len(set(names)))

    def test_choice(self):
        def names(only, with_spare):
            return [fault.name for fault in gate_bites.chosen_faults(only, with_spare)]
        self.assertEqual(names("unled", False), ["unled"])
        self.assertEqual(len(names(None, False)), 6)
        self.assertEqual(len(names(None, True)), len(gate_bites.FAULTS))


class Judging(unittest.TestCase):
    def test_verdicts(self):
        for status, output, expected in (
                (0, "1 passed, 0 failed\n", ("green", "")),
                (1, "0 passed, 1 failed: units\n", ("red", "units")),
                (1, "3 passed, 2 failed: units stream; tests skipped inside: cli 1\n", ("red", "units stream")),
                (1, "-- failed: unit_a\n-- failed: unit_b\n-- failed: unit_a\n0 passed, 1 failed: units\n",
                 ("red", "units (unit_a, unit_b)")),
                # The last line counts: what a part printed before it does not.
                (1, "5 passed, 0 failed\n4 passed, 1 failed: data\n", ("red", "data")),
                (1, "1 failed, 3 passed in 2.00s\nninja: no\n\n",
                 ("error", "status 1 without a test that failed: ninja: no")),
                (2, "5 passed, 0 failed\n", ("error", "status 2 without a test that failed: 5 passed, 0 failed")),
                (-9, "", ("error", "status -9 without a test that failed: no output"))):
            self.assertEqual(gate_bites.judge(status, output), expected, output)

    def test_table(self):
        lines = list(gate_bites.table([gate_bites.Result("unchanged", "", 61.4, "green", ""),
                                       gate_bites.Result("a", "long/path.cpp", 7, "red", "units", "unit_a")]))
        self.assertEqual(lines, ["fault      file           seconds  result  failed  expected",
                                 "unchanged                 61       green",
                                 "a          long/path.cpp  7        red     units   unit_a"])


class Repository(unittest.TestCase):
    """Runs in a small repository, with a script for the tests."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        (cls.root / "code.txt").write_text("right\nunseen\ntwice twice\n")
        (cls.root / "tests.sh").write_text(TESTS)
        (cls.root / ".gitignore").write_text("/build/\n")
        for arguments in (["init", "--quiet"], ["add", "."],
                          ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "code"]):
            gate_bites.git(cls.root, *arguments)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def bitten(self, faults, *arguments):
        """(exit status, lines) of a whole run with these faults."""
        output = io.StringIO()
        with mock.patch.object(gate_bites, "FAULTS", tuple(faults)), contextlib.redirect_stdout(output):
            status = gate_bites.main(["--command", "bash tests.sh", *arguments], self.root)
        changed = subprocess.run(["git", "-C", self.root / "build/bites/clone", "status", "--porcelain"],
                                 capture_output=True, text=True, check=True).stdout
        self.assertEqual(changed, "", "a fault was left in the clone")
        return status, output.getvalue().splitlines()

    def assert_row(self, lines, beginning, *cells):
        """One row begins so, and has these cells. A busy machine takes longer, so seconds are N."""
        rows = [["N" if cell.isdigit() else cell for cell in re.split(" {2,}", line)]
                for line in lines if line.startswith(beginning + " ")]
        self.assertEqual(rows, [[beginning, *cells]], lines)

    def test_all_are_caught(self):
        status, lines = self.bitten([CAUGHT])
        self.assertEqual(status, 0, lines)
        self.assert_row(lines, "unchanged", "N", "green")
        self.assert_row(lines, "caught", "code.txt", "N", "red", "units (unit_code)", "unit_code: the only one")
        self.assertEqual(lines[-1], "gate bites: 1 of 1 faults caught")
        log = (self.root / "build/bites/caught.log").read_text()
        self.assertIn("0 passed, 1 failed: units", log)

    def test_a_fault_that_is_missed_or_does_not_compile(self):
        status, lines = self.bitten([MISSED, BROKEN, CAUGHT], "--skip-unchanged")
        self.assertEqual(status, 1, lines)
        self.assertNotIn("unchanged", "".join(lines))
        self.assert_row(lines, "missed", "code.txt", "N", "green", "none")
        self.assert_row(lines, "broken", "code.txt", "N", "error",
                        "status 2 without a test that failed: ninja: build stopped: subcommand failed.", "none")
        self.assert_row(lines, "caught", "code.txt", "N", "red", "units (unit_code)", "unit_code: the only one")
        self.assertEqual(lines[-1], "gate bites: 1 of 3 faults caught")

    def test_nothing_follows_tests_that_fail_without_a_fault(self):
        status, lines = self.bitten([CAUGHT], "--command", "echo '0 passed, 1 failed: units'; false")
        self.assertEqual(status, 1, lines)
        self.assert_row(lines, "unchanged", "N", "red", "units")
        self.assertEqual(lines[-1], "gate bites: 0 of 1 faults caught")

    def test_a_run_without_an_end(self):
        started = time.monotonic()
        status, lines = self.bitten([CAUGHT], "--skip-unchanged", "--command", "sleep 60", "--minutes", "0.001")
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual(status, 1, lines)
        self.assertIn("no end within 0 s", "".join(lines))

    def test_what_a_stopped_run_left_is_taken_away(self):
        clone = gate_bites.fresh_clone(self.root)
        (clone / "code.txt").write_text("wrong\n")
        self.assertEqual(self.bitten([CAUGHT])[0], 0)

    def test_faults_that_do_not_fit_are_named_before_anything_runs(self):
        faults = [CAUGHT, dataclasses.replace(CAUGHT, name="gone", old="absent"),
                  dataclasses.replace(CAUGHT, name="often", old="twice"),
                  dataclasses.replace(CAUGHT, name="nowhere", path="other.txt"),
                  dataclasses.replace(CAUGHT, name="same", new="right")]
        found = ["gone: code.txt has the old text 0 times, not once: absent",
                 "often: code.txt has the old text 2 times, not once: twice",
                 "nowhere: no file other.txt",
                 "same: the new text is the old one"]
        self.assertEqual(list(gate_bites.problems(self.root, faults)), found)
        self.assertEqual(self.bitten(faults, "--only", "caught", "--command", "false"), (1, found))
        self.assertEqual(self.bitten(faults, "--check"), (1, [*found, "gate bites: 5 faults, some do not fit"]))
        self.assertEqual(self.bitten([CAUGHT], "--check"), (0, ["gate bites: 1 faults, all fit"]))


if __name__ == "__main__":
    unittest.main()
