#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `make bench ONLY=groupings`: the report of two quick runs, and that each check can fail.

Run from the top folder, after the release build.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import groupings  # noqa: E402

RUN = Path(__file__).parent / "run"
CONTRACT = {"backend": str, "grouping": str, "algorithm": str, "chain": int, "pattern": str,
            "class": int, "moves": int, "bound": int, "copies": int, "bytes": int,
            "zspages_left": int, "k": int}
FILES = ["groupings.json", "groupings.txt", *(f"groupings/{name}.svg" for name in (
    "bound", "copies", "fullness", "search"))]


def bench(*arguments, **environment):
    return subprocess.run([RUN, *arguments], capture_output=True, text=True, check=False,
                          env=os.environ | environment)


class Wrong(unittest.TestCase):
    def check(self, line, *arguments, **environment):
        done = bench(*arguments, **environment)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (2, line + "\n", ""))

    def test_only(self):
        self.check("bench: ONLY must be groupings, not 'grouping'", ZSANITY_ONLY="grouping")

    def test_quick(self):
        self.check("bench: QUICK must be 0 or 1, not 'yes'", "--quick", "yes")

    def test_right(self):
        self.assertEqual(bench("--check-options", ZSANITY_ONLY="groupings").returncode, 0)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.folders = [Path(cls.folder.name) / name for name in ("first", "second")]
        with ThreadPoolExecutor(2) as pool:
            cls.runs = list(pool.map(lambda folder: bench("--quick", "1", "--report", folder),
                                     cls.folders))
        cls.report = json.loads((cls.folders[0] / "groupings.json").read_text())

    def test_status(self):
        for run in self.runs:
            self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Conclusion:", self.runs[0].stdout)

    def test_same_to_the_last_digit(self):
        self.assertEqual(self.runs[0].stdout, self.runs[1].stdout)
        for name in FILES:
            first, second = ((folder / name).read_bytes() for folder in self.folders)
            self.assertEqual(first, second, name)

    def test_contract(self):
        for row in self.report["rows"]:
            for key, kind in CONTRACT.items():
                self.assertIs(type(row[key]), kind, key)

    def test_square(self):
        rows = self.report["rows"]
        core = {(row["grouping"], row["algorithm"]) for row in rows if row["backend"] == "core"}
        self.assertEqual(len(core), 9)
        for chain, classes in ((4, 68), (10, 140)):
            one = [row for row in rows if row["chain"] == chain and row["backend"] == "core"
                   and row["pattern"] == "every:2" and row["algorithm"] == "optimal"]
            self.assertEqual(len(one), 3 * classes)

    def test_known_moves(self):
        """Figures of the kernel's 6.12 file, which the core must have too."""
        for pattern, moves in (("runs:1:2", 59458), ("every:2", 65233)):
            total = sum(row["moves"] for row in self.report["rows"] if row["chain"] == 4
                        and row["pattern"] == pattern and row["backend"] == "core"
                        and (row["grouping"], row["algorithm"]) == groupings.NEW_NEW)
            self.assertEqual(total, moves)

    def test_totals(self):
        for name in groupings.SUMMED:
            self.assertEqual(sum(entry[name] for entry in self.report["totals"]),
                             sum(row[name] for row in self.report["rows"]))

    def broken(self, change, **wanted):
        """What is said when the first row with moves and those values is changed."""
        rows = [dict(row) for row in self.report["rows"]]
        row = next(row for row in rows if row["moves"] and wanted.items() <= row.items())
        for key, add in change.items():
            row[key] += add
        return "\n".join(groupings.failures(rows))

    def test_each_check_can_fail(self):
        self.assertEqual(groupings.failures(self.report["rows"]), [])
        self.assertIn("zspages left, k is", self.broken({"zspages_left": 1}))
        self.assertIn("below the bound", self.broken({"bound": 100000}))
        self.assertIn("optimal took", self.broken({"moves": 1}, algorithm="optimal"))
        self.assertIn("pages freed, which", self.broken({"pages_freed": 1}))
        self.assertIn("bytes moved, which", self.broken({"bytes": 1}))
        self.assertIn("copies for", self.broken({"copies": -100000}))
        self.assertIn("objects, others have", self.broken({"objects": 1}))

    def test_kernel_must_equal_core(self):
        row = next(row for row in self.report["rows"]
                   if (row["grouping"], row["algorithm"]) == groupings.NEW_NEW and row["moves"])
        twin = row | {"backend": "kernel-6.12"}
        self.assertEqual(groupings.failures([row, twin]), [])
        self.assertIn("the core's", groupings.failures([row, twin | {"copies": row["copies"] + 1}])[0])

    def test_failure_is_told(self):
        report = self.report | {"failures": ["something"]}
        self.assertIn("FAILED: something", groupings.groupings_text.short(report))


if __name__ == "__main__":
    unittest.main()
