#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of ministat.py: published tables, tables of Debian's ministat, values from a t table."""

import sys
import unittest

sys.dont_write_bytecode = True
from ministat import Summary, compare, compare_pairs, student, summarize, table  # noqa: E402

# The mail of February 2023; its averages are the totals divided by 140.
OLD_OLD = Summary(140, 349, 3513, 2461, 323977 / 140, 806.03271)
OLD_NEW = Summary(140, 289, 2778, 2006, 262944 / 140, 641.02073)
NEW_NEW = Summary(140, 226, 2279, 1644, 213978 / 140, 524.85268)


class Published(unittest.TestCase):
    def check(self, first, second, words):
        change = compare(first, second)
        self.assertTrue(change.proven)
        told = [f"{change.avg:g}", f"{change.margin:g}", f"{change.percent:.2f}",
                f"{change.percent_margin:.2f}", f"{change.s:g}"]
        self.assertEqual(told, words)

    def test_old_new(self):
        self.check(OLD_OLD, OLD_NEW, ["-435.95", "170.595", "-18.84", "7.37", "728.216"])

    def test_new_new(self):
        self.check(OLD_OLD, NEW_NEW, ["-785.707", "159.331", "-33.95", "6.89", "680.132"])


class Student(unittest.TestCase):
    def test_table(self):
        for degrees, t in ((1, 12.706), (2, 4.303), (10, 2.228), (30, 2.042), (100, 1.984),
                           (101, 1.960), (278, 1.960)):
            self.assertEqual(student(degrees), t)


class Samples(unittest.TestCase):
    IGUANA = [50, 200, 150, 400, 750, 400, 150]  # ministat's own example
    CHAMELEON = [150, 400, 720, 500, 930]

    def test_summary(self):
        summary = summarize(self.IGUANA)
        self.assertEqual((summary.n, summary.min, summary.max, summary.median), (7, 50, 750, 200))
        self.assertAlmostEqual(summary.avg, 300)
        self.assertAlmostEqual(summary.stddev, 238.04761, 5)

    def test_not_proven(self):
        change = compare(summarize(self.IGUANA), summarize(self.CHAMELEON))
        self.assertFalse(change.proven)
        self.assertIn("No difference proven at 95.0% confidence",
                      table({"iguana": self.IGUANA, "chameleon": self.CHAMELEON}))

    def test_equal_samples(self):
        self.assertFalse(compare(summarize([5, 5]), summarize([5, 5])).proven)

    def test_pairs(self):
        pair = compare_pairs([10, 20, 30], [9, 18, 30])  # -1, -2, 0: s = 1, t(2) = 4.303
        self.assertEqual((pair.fewer, pair.equal, pair.more), (2, 1, 0))
        self.assertAlmostEqual(pair.difference.avg, -1)
        self.assertAlmostEqual(pair.difference.percent, -5)
        self.assertAlmostEqual(pair.difference.margin, 4.303 / 3 ** 0.5)

    def test_pairs_must_pair(self):
        with self.assertRaises(ValueError):
            compare_pairs([1, 2], [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
