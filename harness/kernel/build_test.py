#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of harness/kernel/build, on copies of the file that make test has unpacked.

usage: harness/kernel/build_test.py
"""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
UNPACKED = TOP / "build/kernel/linux-6.12"
ZSANITY = TOP / "build/release/zsanity"
INSIDE = "static void init_zspage(struct size_class *class, struct zspage *zspage)\n{\n"


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        self.tree = Path(folder.name) / "tree"

    def copy(self, old="", new=""):
        """A tree, with a change in its zsmalloc.c."""
        shutil.copytree(UNPACKED, self.tree)
        file = self.tree / "mm/zsmalloc.c"
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new, 1))

    def build(self, *options):
        done = subprocess.run([HERE / "build", f"LINUX={self.tree}", "SANITIZE=0", *options],
                              env={**os.environ, "ZSANITY_KERNEL": str(self.out)},
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def refused(self, *words, options=()):
        """It says all these words in one line, and builds nothing."""
        status, output, error = self.build(*options)
        self.assertEqual((status, output, error.count("\n")), (2, "", 1), error)
        for word in words:
            self.assertIn(word, error)
        self.assertEqual(list(self.out.glob("*.so")), [])

    def test_no_file(self):
        self.tree.mkdir()
        self.refused("no mm/zsmalloc.c in it")

    def test_no_tree(self):
        self.refused(f"LINUX={self.tree}: no mm/zsmalloc.c in it")

    def test_function_that_the_shim_lacks(self):
        self.copy(INSIDE, INSIDE + "\tfolio_frob(class);\n")
        self.refused("needs what the shim lacks", "folio_frob", "harness/kernel/shim/page.h")

    def test_names_and_types_that_the_shim_lacks(self):
        self.copy(INSIDE, INSIDE + "\tratelimit_t it = RATELIMIT_FROB;\n")
        self.refused("ratelimit_t", "RATELIMIT_FROB", "harness/kernel/shim/base.h")

    def test_function_that_is_declared_only(self):
        self.copy(INSIDE, "void down_the_lock(void);\n" + INSIDE + "\tdown_the_lock();\n")
        self.refused("down_the_lock", "harness/kernel/shim/locks_*.h")

    def test_the_same_when_sanitized(self):
        self.copy(INSIDE, "void down_the_lock(void);\n" + INSIDE + "\tdown_the_lock();\n")
        self.refused("down_the_lock", "harness/kernel/shim/locks_*.h", options=["SANITIZE=1"])

    def test_header_that_is_not_there(self):
        self.copy("#include <linux/wait.h>\n", '#include "zpdesc.h"\n')
        self.refused("zpdesc.h")

    def test_error_of_its_own(self):
        self.copy(INSIDE, INSIDE + "\tint 5;\n")
        self.refused("doesn't compile", "zsmalloc.c:")

    def test_static_function_that_is_gone(self):
        self.copy("static unsigned long __zs_compact(struct zs_pool *pool,\n",
                  "static unsigned long compact_class(struct zs_pool *pool,\n")
        self.refused("__zs_compact")

    def test_options(self):
        self.refused("PAGE wants 4 or 16 or 64, not '5'", options=["PAGE=5"])
        self.refused("unknown option 'FOO=1'", options=["FOO=1"])

    def test_package_that_is_missing(self):
        loader = importlib.machinery.SourceFileLoader("build", str(HERE / "build"))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("build", loader))
        sys.dont_write_bytecode = True
        loader.exec_module(module)
        module.TARBALL = "/nowhere/linux-source-%s.tar.xz"
        with self.assertRaisesRegex(module.Wrong, "6.12.tar.xz is missing: run make setup"):
            module.unpack("6.12")

    def test_change_of_one_line(self):
        self.copy("return ratio / 10 + 1;", "return (ratio - 1) / 10 + 1;")
        status, output, error = self.build()
        self.assertEqual((status, error), (0, ""))
        self.assertIn("1 of them new", output)
        self.assertIn("0 of them new", self.build()[1])
        (self.tree / "mm/zsmalloc.c").write_bytes((UNPACKED / "mm/zsmalloc.c").read_bytes())
        self.assertIn("1 of them new", self.build()[1])
        self.assertIn(b"kernel-tree", (self.out / "kernel-tree.so").read_bytes())

    def test_other_variants(self):
        self.copy()
        status, _, error = self.build("PAGE=16", "COMPACTION=0", "LOCKS=none", "CHAIN=5")
        self.assertEqual((status, error), (0, ""))
        self.assertTrue((self.out / "kernel-tree-16k-chain5-nocompaction-nolocks.so").exists())


    def test_crash_is_a_finding(self):
        """One that asserts, and one that ends the process: told with the operation, in either case."""
        self.copy(INSIDE, INSIDE + "\tBUG_ON(class->size == 2048);\n"
                  "\tif (class->size == 3072)\n\t\t__builtin_trap();\n")
        self.assertEqual(self.build()[0], 0)
        for size, how in ((2000, "BUG_ON(class->size == 2048) at mm/zsmalloc.c:"),
                          (3000, "Illegal instruction")):
            trace = self.out / "crash.trace"
            trace.write_text("zsanity-trace 1\npool preset kernel-6.12 pages 64 tag 1\n"
                             f"malloc 0 64\nmalloc 1 {size}\nfree 0\n")
            done = subprocess.run([ZSANITY, "replay", "--backend", "kernel-tree", trace],
                                  env={**os.environ, "ZSANITY_KERNEL": str(self.out)},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"oracle backend.crash: kernel-tree: {how}", done.stderr)
            self.assertIn(f"(operation 2: malloc 1 {size})", done.stderr)
            self.assertIn(f"again with: zsanity replay --backend kernel-tree '{trace}'",
                          done.stderr)


class Loading(unittest.TestCase):
    """What zsanity says of a shared object that is none, or another's."""

    def refused(self, code, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plugin.so"
            subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-o", path, "-"], input=code,
                           text=True, check=True)
            done = subprocess.run([ZSANITY, "stat", "--table", "--backend", path],
                                  capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        for word in words:
            self.assertIn(word, done.stderr)

    def test_no_plugin(self):
        self.refused("int a;\n", "no plug-in")

    def test_another_version(self):
        self.refused("unsigned int zsanity_plugin[20] = { 77 };\n", "version 77", "make kernel")


if __name__ == "__main__":
    unittest.main()
