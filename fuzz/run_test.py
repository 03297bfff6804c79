#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of run.py that need no engine."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import engines  # noqa: E402
import findings  # noqa: E402
import run  # noqa: E402

# Fails, as an oracle would, on inputs that hold an X and end in an E.
FAKE = """#!/bin/sh
case $(cat "$1") in *X*E) echo 'oracle fake.id: (operation 1)' >&2; exit 134;; esac
"""


class Options(unittest.TestCase):
    def refused(self, variable, value, words):
        environment = {**os.environ, "ZSANITY_" + variable: value}
        done = subprocess.run([FOLDER / "run.py"], env=environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"\Afuzz: .*{words}.*\n\Z")

    def test_seconds(self):
        for value in ("0", "-1", "abc", "4", "5.5", "1e3", "999999999", " 9"):
            self.refused("SECONDS", value, "SECONDS")

    def test_engine(self):
        self.refused("ENGINE", "honggfuzz", "ENGINE must be all, libfuzzer or afl")

    def test_corpus(self):
        self.refused("CORPUS", "not/there", "is no folder")

    def test_defaults(self):
        for name in ("SECONDS", "ENGINE", "CORPUS"):
            os.environ.pop("ZSANITY_" + name, None)
        options = run.parse([])
        self.assertEqual((options.seconds, options.engine, options.corpus), (60, "all", "corpus"))

    def test_empty_corpus(self):
        corpus = run.find_corpus(types.SimpleNamespace(corpus="empty"))
        self.assertEqual(corpus, {target: [] for target in run.SHARE})


class Targets(unittest.TestCase):
    def test_all_are_run(self):
        """A target that nobody named in the tables would be built and never run."""
        there = {path.stem for path in FOLDER.glob("fuzz_*.c")}
        self.assertEqual((set(run.SHARE), set(engines.RECORDS)), (there, there))

    def test_all_have_seeds(self):
        corpus = run.find_corpus(types.SimpleNamespace(corpus=FOLDER.parent / "corpus"))
        for target, folders in corpus.items():
            self.assertTrue([path for folder in folders for path in run.inputs(folder)], target)

    def test_shares(self):
        for seconds in (5, 60, 3600):
            for targets in (list(run.SHARE), list(run.SHARE)[1:], ["fuzz_ops"]):
                shares = run.shared(seconds, targets)
                self.assertAlmostEqual(sum(shares.values()), seconds)
                self.assertGreaterEqual(min(shares.values()), min(run.LEAST, seconds / len(targets)))
        self.assertGreater(run.shared(60, list(run.SHARE))["fuzz_ops"], 30)

    def test_lanes(self):
        """Two with either number of engines, every target with every engine."""
        corpus = {target: [] for target in run.SHARE}
        for engine, chosen in run.ENGINES.items():
            lanes = run.make_lanes(types.SimpleNamespace(engine=engine, seconds=60, seed=1), corpus)
            self.assertEqual(len(lanes), 2)
            self.assertEqual({(type(job), job.target) for lane in lanes for job in lane},
                             {(kind, target) for kind in chosen for target in run.SHARE})

    def test_dictionary(self):
        os.chdir(FOLDER.parent)
        self.assertEqual(engines.dictionary("fuzz_trace", "-dict="), ["-dict=fuzz/fuzz_trace.dict"])
        self.assertEqual(engines.dictionary("fuzz_ops", "-dict="), [])


class Classify(unittest.TestCase):
    def test_kinds(self):
        for output, kind in (
                ("x\noracle handle.stale: words (operation 3: free 1)\n", "handle.stale"),
                ("==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6\n",
                 "asan:heap-buffer-overflow"),
                ("==1==ERROR: LeakSanitizer: detected memory leaks\n", "asan:leak"),
                ("a.c:200:40: runtime error: applying non-zero offset 58048 to null pointer\n",
                 "ubsan:applying-non-zero-offset-to-null-pointer"),
                ("==1== ERROR: libFuzzer: timeout after 10 seconds\n", "timeout"),
                ("==1== ERROR: libFuzzer: out-of-memory (used: 9Mb)\n", "oom"),
                ("nothing telling\n", "crash:status-1")):
            self.assertEqual(findings.classify(1, output), kind)

    def test_limits(self):
        self.assertIsNone(findings.classify(0, "oracle x: said in passing"))
        self.assertEqual(findings.classify(None, ""), "timeout")


class Minimise(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        fake = self.folder / "fake"
        fake.write_text(FAKE)
        fake.chmod(0o755)
        self.engine = types.SimpleNamespace(name="fake", binary=lambda target: fake)
        self.watch = types.SimpleNamespace(look=lambda: None)
        for module in (engines, findings):
            previous = module.WORK
            module.WORK = self.folder
            self.addCleanup(setattr, module, "WORK", previous)
        previous = findings.FINDINGS
        findings.FINDINGS = self.folder / "findings"
        self.addCleanup(setattr, findings, "FINDINGS", previous)

    def settle(self, *texts):
        suspects = []
        for number, text in enumerate(texts):
            path = self.folder / f"input-{number}"
            path.write_text(text)
            suspects.append(("fuzz_api", self.engine, path))
        with contextlib.redirect_stdout(io.StringIO()) as output:
            return findings.settle(suspects, self.watch), output.getvalue()

    def test_records_are_cut(self):
        text = "header.." + "record.." * 9 + "an X ..." + "record.." * 5 + "to an .E"
        found, output = self.settle(text)
        self.assertEqual(found[0].data, b"header..an X ...to an .E")
        self.assertEqual(found[0].path.read_bytes(), found[0].data)
        self.assertIn("FINDING  fake.id", output)
        self.assertIn(f"replay   {self.folder}/fake {found[0].path}", output)

    def test_same_id_once(self):
        self.assertEqual(len(self.settle("........X......E", "........XX.....E")[0]), 1)

    def test_not_reproduced(self):
        found, output = self.settle("........harmless")
        self.assertEqual((found[0].id, found[0].row()["reproduced"]), (None, False))
        self.assertIn("not reproduced", output)


class Steps:
    """A job that takes so many steps and then has found so much."""

    target = "fuzz_ops"

    def __init__(self, steps, found):
        self.left, self.found, self.process = steps, found, None

    def begin(self):
        self.process = types.SimpleNamespace(pid=0)

    def step(self):
        self.left -= 1
        return self.left > 0

    def suspects(self):
        return self.found if self.left <= 0 else []

    def stop(self):
        pass

    def last(self):
        return [0, 0, 0, 0]


class Lanes(unittest.TestCase):
    def test_first_finding_ends_all(self):
        """Also that of a job which has ended by itself, with another lane far from done."""
        short, long = Steps(2, ["input"]), Steps(1000000, [])
        watch = types.SimpleNamespace(look=lambda: None)
        found = run.fuzz([short, long], [[short], [long]], 60, watch)
        self.assertEqual(found, [("fuzz_ops", Steps, "input")])
        self.assertGreater(long.left, 999000)


if __name__ == "__main__":
    unittest.main()
