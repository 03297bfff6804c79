#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of prove's gates. Nothing is proved here: Frama-C's words are recorded or made up."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import cache  # noqa: E402
import gates  # noqa: E402
import mutants  # noqa: E402
import theorems  # noqa: E402
import wp  # noqa: E402

loader = importlib.machinery.SourceFileLoader("prove", str(FOLDER / "prove"))
prove = importlib.util.module_from_spec(importlib.util.spec_from_loader("prove", loader))
loader.exec_module(prove)

# What Frama-C 25 says of a module with two functions, shortened; goals and smoke tests in one.
LOG = """[kernel] Parsing core/ring.c (with preprocessing)
[wp] Running WP plugin...
[rte:annot] annotating function ring_add
[wp] [CFG] Goal ring_first_terminates : Valid (Trivial)
[wp] 4 goals scheduled
[wp] [CVC4 1.8] Goal typed_ring_add_ensures_first : Valid (Qed:42ms) (560ms) (52859) (cached)
[wp] [Z3 4.8.12] Goal typed_ring_add_last_ensures_x : Valid (Qed:2ms) (1.0s) (52859)
[wp] [Qed] Goal typed_ring_add_ensures_list : Valid (14ms)
[wp] [Passed] Smoke-test typed_ring_add_wp_smoke_default_requires
[wp] [Qed] Goal typed_ring_first_ensures_first : Valid
[wp] [Cache] found:4, failed:1
[wp] Proved goals:    5 / 5
  Qed:             2  (2ms-14ms)
"""


def part(total, valid):
    return {"wp:main": {"total": total, "valid": valid}}


def report(add=2, proved=2, smoke=1):
    return {
        "wp:axiomatics": {},
        "wp:functions": {
            "ring_add": {"ring_add_ensures": part(add, proved),
                         "ring_add_wp_smoke_default_requires": part(1, smoke),
                         "wp:section": part(add + 1, proved + smoke)},
            "ring_first": {"ring_first_ensures_first": part(1, 1), "wp:section": part(1, 1)},
        },
    }


TABLE = "directory\tfile\tline\tfunction\tproperty kind\tstatus\tproperty\n"
ROW = "core\tring.h\t81\tring_add\tpostcondition\t{}\tfirst: next[head] = record\n"


def opened():
    """The log and the report's counts with one goal open."""
    failed = "[wp] [Failed] Goal typed_ring_add_ensures_first\n"
    log = re.sub(r"\[wp\] \[CVC4 1\.8\] Goal.*\n", failed, LOG).replace("5 / 5", "4 / 5")
    return log, report(proved=1)


class ReadRun(unittest.TestCase):
    def read(self, status=0, log=LOG, facts=None, table=TABLE, part="goals"):
        return wp.read_run(part, status, log, report() if facts is None else facts, table)

    def test_proved(self):
        record = self.read(table=TABLE + ROW.format("Valid"))
        self.assertEqual(record["problems"], [])
        self.assertEqual([wp.total(record["functions"], of) for of in ("proved", "goals", "smoke")], [4, 4, 1])
        self.assertEqual(record["functions"]["ring_first"],
                         {"goals": 2, "proved": 2, "smoke": 0, "smoke_failed": 0, "seconds": 0})

    def test_seconds_go_to_the_longest_name(self):
        found = wp.prover_seconds(LOG, ("ring_add", "ring_add_last", "ring_first"))
        self.assertEqual(found, {"ring_add": 0.56 + 0.014, "ring_add_last": 1.0, "ring_first": 0.0})

    def test_open_goal(self):
        log, facts = opened()
        record = self.read(log=log, facts=facts, table=TABLE + ROW.format("Unknown"))
        self.assertEqual(record["open"], ["typed_ring_add_ensures_first"])
        self.assertRegex(record["problems"][0], "open goal: .*ensures_first, not proved by the pro")
        self.assertRegex(record["problems"][1], r"core/ring\.h:81: ring_add: unknown postcondition")

    def test_consequences_of_an_open_goal_are_left_out(self):
        log, facts = opened()
        record = self.read(log=log, facts=facts, table=TABLE + ROW.format("Partially proven"))
        self.assertEqual(len(record["problems"]), 1)

    def test_hypotheses_alone(self):
        self.assertEqual(len(self.read(table=TABLE + ROW.format("Partially proven"))["problems"]), 1)

    def test_smoke_tests_alone_rest_on_goals_asked_elsewhere(self):
        table = TABLE + ROW.format("Partially proven")
        self.assertEqual(self.read(part="quick", table=table)["problems"], [])

    def test_survey_proves_nothing(self):
        log = LOG.partition("[wp] Proved")[0]
        record = self.read(part="survey", log=log, facts=report(proved=0, smoke=0))
        self.assertEqual((record["problems"], record["finished"]), ([], True))
        self.assertEqual([wp.total(record["functions"], of) for of in ("goals", "smoke")], [4, 1])

    def test_failed_smoke_test(self):
        log = LOG.replace("[Passed]", "[Failed]").replace("5 / 5", "4 / 5")
        record = self.read(log=log, facts=report(smoke=0), part="quick")
        self.assertEqual(record["smoke_failed"], ["typed_ring_add_wp_smoke_default_requires"])
        self.assertRegex(record["problems"][0], "smoke test .*can't be met")

    def test_warning(self):
        log = LOG.replace("[wp] 4 goals", "[wp] core/ring.c:7: Warning: \n  Missing RTE guards\n[wp]")
        for part in wp.PARTS:
            self.assertRegex(self.read(log=log, part=part)["problems"][0], "Missing RTE guards")

    def test_crash(self):
        log = "[kernel] Parsing core/ring.c\n[kernel] core/ring.h:9: User Error:\n  unbound x\n"
        for part in wp.PARTS:
            record = self.read(1, log, {}, "", part)
            self.assertRegex(record["problems"][0], r"failed \(exit 1\): .*User Error: unbound x")

    def test_killed(self):
        record = self.read(-9, LOG.partition("[wp] Proved")[0], {}, "")
        self.assertEqual(record["problems"], ["frama-c was killed by signal 9"])
        self.assertFalse(record["finished"])

    def test_aborted_but_successful(self):
        for part in wp.PARTS:
            self.assertTrue(self.read(0, "[kernel] Parsing\n", {}, "", part)["problems"])

    def test_counts_disagree(self):
        for wrong in ("4 / 5", "6 / 6"):
            record = self.read(log=LOG.replace("5 / 5", wrong))
            self.assertRegex(record["problems"][0], "adds up to something else")


def record_of(**functions):
    """A run's record: function -> goals and smoke tests, all proved."""
    counts = {name: {"goals": goals, "proved": goals, "smoke": smoke, "smoke_failed": 0, "seconds": 0.5}
              for name, (goals, smoke) in functions.items()}
    return {"finished": True, "functions": counts, "problems": [], "open": [], "smoke_failed": [],
            "seconds": 1.5}


class Combined(unittest.TestCase):
    SURVEY = record_of(ring_add=(30, 4), ring_del=(20, 2))

    def test_all_that_was_surveyed_was_asked(self):
        found = wp.combined(self.SURVEY, [record_of(ring_add=(30, 0), ring_del=(20, 0))],
                            record_of(ring_add=(1, 4), ring_del=(1, 2)))
        self.assertEqual((found["problems"], found["seconds"]), ([], 4.5))
        self.assertEqual(found["functions"]["ring_add"], self.SURVEY["functions"]["ring_add"])

    def test_less_was_asked(self):
        for goals, smoke in ((29, 4), (30, 3)):
            found = wp.combined(self.SURVEY, [record_of(ring_add=(goals, 0), ring_del=(20, 0))],
                                record_of(ring_add=(1, smoke), ring_del=(1, 2)))
            self.assertEqual(found["problems"], ["ring_add has 30 goals and 4 smoke tests, of which "
                                                 f"{goals} and {smoke} were asked"])

    def test_a_function_was_not_asked(self):
        found = wp.combined(self.SURVEY, [record_of(ring_add=(30, 0))], record_of(ring_add=(1, 4)))
        self.assertRegex(found["problems"][0], "ring_del has 20 goals .* of which 0 and 0 were asked")

    def test_lemmas_are_of_a_run_of_their_own(self):
        survey, goals, smoke = record_of(ring_add=(30, 4), lemmas=(3, 0)), record_of(ring_add=(30, 0)), record_of(ring_add=(1, 4))
        for asked, said in ((3, []), (2, ["lemmas has 3 goals and 0 smoke tests, of which 2 and 0 were asked"])):
            found = wp.combined(survey, [goals, record_of(lemmas=(asked, 0), ring_add=(1, 0))], smoke)
            self.assertEqual((found["problems"], found["functions"]["ring_add"]["goals"]), (said, 30))
        self.assertRegex(wp.combined(survey, [goals], smoke)["problems"][0], "lemmas has 3 goals .* of which 0 and 0")


class Digest(unittest.TestCase):
    """On a module of its own, with what it includes."""

    FILES = {"core/ring.c": '#include "ring.h"\nint one(void)\n{\n\treturn 1; /* so */\n}\n',
             "core/ring.h": '/* What it is. */\n#include "zs.h"\n/*@\n#include "ring.acsl"\n*/\n',
             "core/zs.h": "enum { A = 1 };\n",
             "proofs/ring.acsl": "predicate p = \\true; // as is\n"}

    def digest(self, goals=("Goal",), tools="25.0", **changes):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(wp, "ROOT", Path(folder)):
            for path, text in self.FILES.items():
                Path(folder, path).parent.mkdir(exist_ok=True)
                Path(folder, path).write_text(changes.get(Path(path).name.replace(".", "_"), text))
            return wp.digest("ring", goals, tools)

    def test_the_same(self):
        self.assertEqual(self.digest(), self.digest())

    def test_comments_and_spaces(self):
        for name, path, old, new in (("ring_c", "core/ring.c", "so", "thus"), ("ring_h", "core/ring.h", "What", "That"),
                                     ("ring_acsl", "proofs/ring.acsl", "as is", "as was"),
                                     ("ring_c", "core/ring.c", "\t", "   ")):
            self.assertEqual(self.digest(**{name: self.FILES[path].replace(old, new)}), self.digest())

    def test_all_else(self):
        for name, path, old, new in (("ring_c", "core/ring.c", "1", "2"), ("zs_h", "core/zs.h", "1", "2"),
                                     ("ring_acsl", "proofs/ring.acsl", "true", "false"),
                                     ("ring_h", "core/ring.h", "/*@", "/*@ requires x;")):
            self.assertNotEqual(self.digest(**{name: self.FILES[path].replace(old, new)}), self.digest())
        self.assertNotEqual(self.digest(("Goals",)), self.digest())
        self.assertNotEqual(self.digest(tools="26.0"), self.digest())


class Floor(unittest.TestCase):
    FLOOR = {"ring_add": {"goals": 30, "smoke": 4}, "ring_del": {"goals": 30, "smoke": 4}}

    def wrong(self, **counts):
        functions = {name: dict(of) for name, of in self.FLOOR.items()} | counts
        return list(gates.below_floor({n: of for n, of in functions.items() if of}, self.FLOOR))

    def test_as_it_was(self):
        self.assertEqual(self.wrong(), [])

    def test_emptied_body_behind_anothers_growth(self):
        found = self.wrong(ring_del={"goals": 12, "smoke": 1}, ring_add={"goals": 60, "smoke": 9})
        self.assertEqual(len(found), 2)
        self.assertRegex(found[0], "ring_del has 12 goals, fewer than the 30")
        self.assertRegex(found[1], "ring_del has 1 smoke tests, fewer than the 4")

    def test_function_gone(self):
        self.assertRegex(self.wrong(ring_del=None)[0], "ring_del is in .* nothing of it is proved")

    def test_function_new(self):
        self.assertRegex(self.wrong(ring_new={"goals": 1, "smoke": 0})[0], "ring_new isn't in")

    def test_growth_is_noticed(self):
        self.assertTrue(gates.above_floor({"f": {"goals": 2, "smoke": 0}},
                                          {"f": {"goals": 1, "smoke": 0}}))

    def test_differences(self):
        found = gates.differences("ring", self.FLOOR, {**self.FLOOR, "ring_del": {"goals": 31, "smoke": 4}})
        self.assertEqual(found, ['- ring "ring_del": {"goals": 30, "smoke": 4}',
                                 '+ ring "ring_del": {"goals": 31, "smoke": 4}'])

    def test_written_as_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "expected.json")
            gates.write_expected({"ring": self.FLOOR}, path)
            self.assertEqual(gates.load_expected(path), {"ring": self.FLOOR})


class ModuleScope(unittest.TestCase):
    """On the real ring, with damage."""

    def setUp(self):
        self.files = gates.sources("ring")
        self.functions = gates.load_expected()["ring"]

    def wrong(self, path, pattern, replacement):
        changed, count = re.subn(pattern, replacement, self.files[path], count=1, flags=re.S | re.M)
        self.assertEqual(count, 1)
        return list(gates.module_scope({**self.files, path: changed}, self.functions))

    def test_as_it_is(self):
        self.assertEqual(list(gates.module_scope(self.files, self.functions)), [])

    def test_contract_removed(self):
        for path, name in (("core/ring.h", "void ring_del"), ("core/ring.h", "static inline uint32_t ring_first"),
                           ("core/ring.c", "static void leave")):
            found = self.wrong(path, rf"/\*@(?:(?!\*/).)*\*/\n{name}", name)
            self.assertEqual(found, [f"{name.split()[-1]} has no contract"])

    def test_contract_without_promise(self):
        found = self.wrong("core/ring.h", r"/\*@(?:(?!\*/).)*\*/\n(void ring_del)",
                           r"/*@ requires ring_ok(ring); */\n\1")
        self.assertEqual(found, ["ring_del has no contract"])

    def test_ghost_parameter(self):
        files, functions = gates.sources("slots"), gates.load_expected()["slots"]
        self.assertEqual(list(gates.module_scope(files, functions)), [])
        bare, count = re.subn(r"/\*@(?:(?!\*/).)*\*/\nvoid slots_free", "void slots_free", files["core/slots.h"],
                              flags=re.S)
        self.assertEqual(count, 1)
        self.assertEqual(list(gates.module_scope({**files, "core/slots.h": bare}, functions)),
                         ["slots_free has no contract"])

    def test_body_removed(self):
        found = self.wrong("core/ring.c", r"^void ring_del.*?^}\n", "")
        self.assertEqual(found, ["ring_del has a contract but no body: nothing proves it"])

    def test_only_a_declaration_left(self):
        found = self.wrong("core/ring.c", r"^(void ring_del\([^)]*\))\n{.*?^}\n", r"\1;\n")
        self.assertEqual(found, ["ring_del has a contract but no body: nothing proves it"])

    def test_unseen_by_frama_c(self):
        del self.functions["ring_del"]
        found = list(gates.module_scope(self.files, self.functions))
        self.assertEqual(found, ["ring_del has a contract, but no goal of it was seen"])

    def test_new_static_function(self):
        found = self.wrong("core/ring.c", r"\Z", "static int extra(int (*of)(void), int x)\n{\n\treturn x;\n}\n")
        self.assertEqual(found, ["extra has no contract"])

    def test_axiom(self):
        found = list(gates.unproved_facts({"proofs/ring.acsl": "predicate x = true;\naxiom lie: \\false;\n"}))
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"ring\.acsl:2: axiom: ")


class Scope(unittest.TestCase):
    """In a tree of its own: one proved module, one that isn't."""

    CONTRACT = "/*@ assigns \\nothing; */\nint load(int *x);\n"

    def tree(self, trusted, other):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for path, text in {"core/ring.c": "", "proofs/ring.acsl": "", "core/sync.h": other,
                           "proofs/SOUNDNESS.md": trusted}.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text)
        return root

    def test_tree(self):
        self.assertEqual(list(gates.scope()), [])

    def test_unproved_contract(self):
        found = list(gates.scope(self.tree("", self.CONTRACT)))
        self.assertRegex(found[0], r"core/sync\.h: load has a contract, but sync isn't a proved")

    def test_trusted_contract(self):
        self.assertEqual(list(gates.scope(self.tree("| `load` | atomics |\n", self.CONTRACT))), [])

    def test_trusted_item(self):
        both = self.CONTRACT + "\n" + self.CONTRACT.replace("load", "publish")
        self.assertEqual(list(gates.scope(self.tree("| `load`, `publish` | atomics |\n", both))), [])

    def test_trusted_too_many(self):
        names = [f"load{i}" for i in range(gates.MOST_TRUSTED + 1)]
        table = "".join(f"| `{name}` | atomics |\n" for name in names)
        other = "\n".join(self.CONTRACT.replace("load", name) for name in names)
        found = list(gates.scope(self.tree(table, other)))
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], "6 items are trusted, 5 at most may be")

    def test_trusted_without_a_reason(self):
        self.assertTrue(list(gates.scope(self.tree("| `load` | |\n", self.CONTRACT))))

    def test_trusted_for_nothing(self):
        found = list(gates.scope(self.tree("| `load` | atomics |\n", "int load(int *x);\n")))
        self.assertRegex(found[0], "load is trusted, but is no contract")

    def test_elsewhere(self):
        root = self.tree("| `load` | atomics |\n", "int load(int *x)\n{\n\treturn *x;\n}\nint more(void)\n{\n}\n")
        (root / "core/ring.h").write_text("static inline int own(void)\n{\n}\n")
        included = {path: path.read_text() for path in root.glob("core/*.[ch]")}
        self.assertEqual(gates.elsewhere("ring", included, root), ["more"])

    def test_module_gone(self):
        found = list(gates.forgotten({"ring": {}, "slots": {}}, self.tree("", "")))
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], "slots is in proofs/expected.json, but")


ANSWER = {"prover": "CVC4:1.8", "verdict": "valid", "time": 0.5, "steps": 7}
ENTRIES = {f"{n:032x}": ANSWER for n in (3, 1, 2)}


class Packed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.session = Path(folder.name, "session")
        patch = mock.patch.object(cache, "PACKED", Path(folder.name, "cache"))
        patch.start()
        self.addCleanup(patch.stop)

    def test_round_trip(self):
        cache.pack("ring", "abc", ENTRIES)
        digest, entries, notice = cache.load("ring")
        self.assertEqual((digest, entries, notice), ("abc", ENTRIES, ""))
        cache.fresh(entries, self.session)
        self.assertEqual(cache.collect(self.session), ENTRIES)

    def test_the_same_bytes_again(self):
        cache.pack("ring", "abc", ENTRIES)
        before = (cache.PACKED / "ring.json").read_bytes()
        said = cache.pack("ring", "abc", dict(sorted(ENTRIES.items())))
        self.assertEqual((cache.PACKED / "ring.json").read_bytes(), before)
        self.assertRegex(said, "3 answers, 0 new, 0 gone")

    def test_none(self):
        self.assertEqual(cache.load("ring"), ("", {}, ""))

    def test_damaged(self):
        cache.pack("ring", "abc", ENTRIES)
        path = cache.PACKED / "ring.json"
        whole = path.read_bytes()
        for bytes_ in (whole[:-40], b"", b"\xff\xfe", b"[]", b'{"answers": {}}', b'{"digest": "abc"}',
                       b'{"digest": "abc", "answers": {"../../x": {}}}',
                       whole.replace(b'"valid"', b'"true"')):
            path.write_bytes(bytes_)
            digest, entries, notice = cache.load("ring")
            self.assertEqual((digest, entries), ("", {}))
            self.assertRegex(notice, r"cache/ring\.json is damaged .*left out")

    def test_no_answer_is_a_time_out(self):
        found_nothing = {"prover": "Z3:4.8.12", "verdict": "failed"}
        cache.fresh({**ENTRIES, "4" * 32: found_nothing}, self.session)
        time_out = {"prover": "Z3:4.8.12", "verdict": "timeout", "time": 2.0}
        self.assertEqual(cache.collect(self.session), {**ENTRIES, "4" * 32: time_out})

    def test_as_wp_writes_it(self):
        cache.fresh({}, self.session)
        for n, seconds in enumerate(("0.25", "2.", "17.")):
            (self.session / "wp" / "cache" / f"{n:032}.json").write_text(
                f'{{ "prover": "CVC4:1.8", "verdict": "valid", "time": {seconds}, "steps": 7 }}')
        found = cache.collect(self.session)
        self.assertEqual([found[f"{n:032}"]["time"] for n in range(3)], [0.25, 2.0, 17.0])

    def test_half_written_answer(self):
        cache.fresh(ENTRIES, self.session)
        (self.session / "wp" / "cache" / ("5" * 32 + ".json")).write_text('{"prov')
        self.assertEqual(cache.collect(self.session), ENTRIES)

    def test_failures_are_tried_again(self):
        cache.fresh({**ENTRIES, "4" * 32: {**ANSWER, "verdict": "timeout"}}, self.session)
        cache.forget_failures(self.session)
        self.assertEqual(cache.collect(self.session), ENTRIES)


class Theorems(unittest.TestCase):
    """Rows about the real ring."""

    RECORD = {"module": "ring", "finished": True,
              "functions": {"ring_add": {"goals": 2, "proved": 2}, "lemmas": {"goals": 1, "proved": 1}}}

    def wrong(self, row, record=RECORD):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        return list(theorems.row_wrong(cells, {"ring": record}, wp.ROOT))

    def test_table(self):
        self.assertEqual(list(theorems.check([])), [])

    def test_right(self):
        self.assertEqual(self.wrong("| t | `core/ring.h ring_add first rest` | `ring_add` |"), [])
        self.assertEqual(self.wrong("| t | `proofs/fullness.acsl lemma monotone`, `core/ring.c enter list` | `enter` |",
                                    {**self.RECORD, "functions": {"enter": {"goals": 1, "proved": 1}}}), [])

    def test_missing(self):
        for clause, function, said in (
                ("core/ring.h ring_add frist", "ring_add", "ring_add has no ensures frist"),
                ("core/ring.h ring_ad first", "ring_ad", "core/ring.h has no contract of ring_ad"),
                ("core/pool.h pool_of first", "pool_of", "core/pool.h is of no proved module"),
                ("proofs/fullness.acsl lemma mono", "", "proofs/fullness.acsl has no lemma mono")):
            functions = f"`{function}`" if function else "none"
            self.assertRegex(self.wrong(f"| t | `{clause}` | {functions} |")[0], said)

    def test_open(self):
        for name in ("ring_add", "lemmas"):
            functions = {**self.RECORD["functions"], name: {"goals": 2, "proved": 1}}
            found = self.wrong("| t | `core/ring.h ring_add first` | `ring_add` |", {**self.RECORD, "functions": functions})
            self.assertEqual(found, [f"{name} of ring has 1 open goals"])

    def test_not_finished(self):
        found = self.wrong("| t | `core/ring.h ring_add first` | `ring_add` |", {**self.RECORD, "finished": False})
        self.assertRegex(found[0], "didn't end by itself")

    def test_malformed(self):
        for row in ("| t | `core/ring.h ring_add first` |", "| t | | `ring_add` |", "| t | ring_add first | `ring_add` |",
                    "| t | `ring_add first` | `ring_add` |", "| t | `core/ring.h ring_add` | `ring_add` |"):
            self.assertRegex(self.wrong(row)[0], "^a (row|clause) is ")

    def test_functions_are_those_of_the_clauses(self):
        self.assertRegex(self.wrong("| t | `core/ring.h ring_add first` | `ring_del` |")[0], "doesn't name ring_add")
        self.assertRegex(self.wrong("| t | `core/ring.h ring_add first` | `ring_add`, `x` |")[0], "no clause of x")

    def test_place(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "proofs").mkdir()
            Path(folder, theorems.TABLE).write_text("# T\n\n| a | b | c |\n|---|---|---|\n| t | x | y |\n")
            self.assertRegex(list(theorems.check([], Path(folder)))[0], r"^proofs/theorems\.md:5: a clause is ")
            Path(folder, theorems.TABLE).write_text("# T\n")
            self.assertEqual(list(theorems.check([], Path(folder))), ["proofs/theorems.md has no theorem"])


MUTANTS = "# Why.\n@ one\n-1\n+2\n\n@ two\n-return 1;\n@ three\nequivalent: so\n-\treturn\n+\treturn 0 +\n@ four\n-1;\n+3;\n"


class Mutants(unittest.TestCase):
    """On a tree of its own with one function; frama-c, compiler and test are made up."""

    LOST = "[wp] [Failed] Goal typed_f_ensures\n  Z3 4.8.12: {}\n  CVC4 1.8: Timeout (20s)\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in {"core/one.c": "/*@ ensures a; */\nint f(void)\n{\n\treturn 1;\n}\n", "core/one_test.c": "",
                           "proofs/one.acsl": "", "proofs/mutants/one/f": MUTANTS}.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        for patch in (mock.patch.multiple(wp, ROOT=self.root, BUILD=self.root / "build", say=lambda _: None,
                                          environment=lambda: ({}, "25.0")),
                      mock.patch.object(mutants, "fails_test", lambda *_: False),
                      mock.patch.object(mutants, "prove", self.answer)):
            patch.start()
            self.addCleanup(patch.stop)
        self.asked, self.survive = [], ()

    def answer(self, mutant, tree, *_):
        self.asked.append(mutant.name)
        self.assertNotEqual((tree / "core/one.c").read_text(), (self.root / "core/one.c").read_text())
        proved = "Proved goals:    3 / 3\n"
        return (0, proved) if mutant.name in self.survive else (-15, self.LOST.format("Timeout (20s)"))

    def run_all(self, only=""):
        options = mock.Mock(modules=["one"], only=only, timeout=20, jobs=1)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = mutants.main(options)
        return status, out.getvalue(), json.loads((self.root / "build/report/mutants.json").read_text())

    def wrong(self, text):
        (self.root / "proofs/mutants/one/f").write_text(text)
        with self.assertRaises(mutants.Wrong) as error:
            mutants.load(["one"], "", self.root)
        return str(error.exception)

    def test_killed_and_equivalent(self):
        self.survive = ("three",)
        status, text, report = self.run_all()
        self.assertEqual((status, report["ok"]), (0, True))
        self.assertRegex(text, r"(?m)^one +f +three +equivalent +[\d.]+$")
        self.assertRegex(text, "4 mutants: 0 refuted, 0 unknown, 3 time-out, 0 survived, 1 equivalent\n\\Z")

    def test_survivor(self):
        self.survive = ("two",)
        status, text, report = self.run_all()
        self.assertEqual((status, report["ok"]), (1, False))
        self.assertRegex(text, r"FAILED proofs/mutants/one/f:6: f two survived: strengthen")

    def test_marked_but_a_test_sees_it(self):
        with mock.patch.object(mutants, "fails_test", lambda module, tree, place: place.endswith("three")):
            status, text, _ = self.run_all()
        self.assertEqual(status, 1)
        self.assertRegex(text, "f three is marked as equivalent, but the unit test fails")

    def test_goes_on_where_it_was(self):
        def killed(mutant, tree, *rest):
            if mutant.name == "three":
                raise KeyboardInterrupt
            return self.answer(mutant, tree, *rest)

        with mock.patch.object(mutants, "prove", killed), self.assertRaises(KeyboardInterrupt):
            self.run_all()
        self.assertNotIn("three", self.asked)  # those behind it may have been at work
        self.run_all()
        self.assertEqual(sorted(self.asked), ["four", "one", "three", "two"])
        source = self.root / "core/one.c"
        source.write_text(source.read_text() + "\n/* changed */\n")
        self.run_all()
        self.assertEqual(len(self.asked), 8)

    def test_outcomes(self):
        mutant = mutants.Mutant("one", "f", "m", "place:1")
        for said, refuted, expected in (("Unknown (1s)", False, "unknown"), ("Failed Unknown error", False, "time-out"),
                                        ("Timeout (20s)", False, "time-out"), ("Unknown (1s)", True, "refuted")):
            self.assertEqual(mutants.outcome(mutant, -15, self.LOST.format(said), refuted)[0], expected)
        self.assertEqual(mutants.outcome(mutant, 0, "Proved goals:    3 / 3\n", True)[0], "survived")
        for status, log in ((0, "Proved goals:    0 / 0\n"), (1, "User Error: x\n"), (-9, "[wp] 3 goals\n")):
            with self.assertRaises(mutants.Wrong):
                mutants.outcome(mutant, status, log, True)

    def test_formats(self):
        self.assertRegex(self.wrong("-1\n"), r"one/f:1: a mutant begins with")
        self.assertRegex(self.wrong("@ a\n"), "one/f:1: a has no old text")
        self.assertRegex(self.wrong("@ a\n+1\n-2\n"), "one/f:3: neither")
        self.assertRegex(self.wrong("@ a\nequivalent:\n-1\n"), "one/f:2: neither")
        self.assertRegex(self.wrong("@ a\n-1\n@ a\n-1\n"), "a is there twice")
        self.assertRegex(self.wrong("@ a\n-2\n"), "its old text is 0 times in the body of f")
        self.assertRegex(self.wrong("@ a\n-1\n+1/* x */\n"), "a changes no code")
        self.assertRegex(self.wrong(MUTANTS.partition("@ four")[0]), "f has 2 mutants that aren't equivalent: write 3")

    def test_unknown_function(self):
        (self.root / "proofs/mutants/one/g").write_text("")
        self.assertRegex(self.wrong(MUTANTS), "one has no proved function g")
        with self.assertRaises(mutants.Wrong):
            mutants.load(["one"], "h", self.root)

    def test_committed_ones_apply(self):
        for path in FOLDER.glob("mutants/*/*"):
            for mutant in mutants.parse(*path.parts[-2:], path.read_text(), path):
                mutants.apply(mutant, FOLDER.parent)


class MutantsCompile(unittest.TestCase):
    def test_it_must_compile(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(wp, "ROOT", Path(folder)):
            Path(folder, "core").mkdir()
            test = Path(folder, "core", "one_test.c")
            test.write_text("int f(void);\nint main(void)\n{\n\treturn f();\n}\n")
            for body, expected in (("return 0;", False), ("return 1;", True), ("return 1 / (f == 0);", True)):
                Path(folder, "core", "one.c").write_text(f"int f(void)\n{{\n\t{body}\n}}\n")
                self.assertEqual(mutants.fails_test("one", Path(folder), "p:1: m"), expected)
            Path(folder, "core", "one.c").write_text("int f(void)\n{\n\treturn x;\n}\n")
            with self.assertRaisesRegex(mutants.Wrong, "p:1: m: doesn't compile: .*error"):
                mutants.fails_test("one", Path(folder), "p:1: m")


class Main(unittest.TestCase):
    """The whole driver on recorded runs."""

    def run_on(self, digest, runs, *arguments):
        """Exit status, text and report of prove ring, with what each run of frama-c says."""
        asked = []

        def answer(module, part, *_):
            asked.append(part)
            return {"not_tried": [], **runs[part](module, part)}

        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.multiple(wp, environment=lambda: ({}, ""), ask=answer, say=lambda _: None,
                                    digest=lambda *_: digest, ROOT=Path(folder), BUILD=Path(folder)), \
                mock.patch.multiple(cache, PACKED=Path(folder), load=lambda _: ("proved", ENTRIES, "")), \
                contextlib.redirect_stdout(out):
            status = prove.main(["ring", *arguments])
            written = json.loads(Path(folder, "build/report/proofs.json").read_text())
            packed = Path(folder, "ring.json")
            self.packed = json.loads(packed.read_text()) if packed.exists() else None
        self.assertEqual(sorted(asked), sorted(runs))
        return status, out.getvalue(), written

    @staticmethod
    def proved(module, part):
        """All of the floor that this part is about."""
        goals, smoke = part in ("survey", "goals"), part != "goals"
        return record_of(**{name: (of["goals"] * goals, of["smoke"] * smoke)
                            for name, of in gates.load_expected()[module].items()})

    @classmethod
    def broken(cls, module, part):
        problem = "open goal: typed_ring_del_ensures_next_prev, not proved by the provers either"
        return {**cls.proved(module, part), "open": ["x"], "problems": [problem]}

    def test_replayed(self):
        status, text, written = self.run_on("proved", {"survey": self.proved})
        self.assertEqual((status, written["ok"], written["modules"][0]["how"]), (0, True, "replayed"))
        self.assertNotRegex(text, "NOTICE|FAILED")
        ring = gates.load_expected()["ring"]
        goals, smoke = (sum(of[what] for of in ring.values()) for what in ("goals", "smoke"))
        self.assertRegex(text, rf"(?m)^ring +{len(ring) - 1} +{goals} +0 +{smoke} +0 +1\.5  replayed$")

    def test_stale_cache(self):
        runs = {"survey": self.proved, "goals": self.proved, "quick": self.proved}
        status, text, written = self.run_on("changed", runs)
        self.assertEqual((status, written["ok"], written["modules"][0]["how"]), (0, True, "reproved"))
        self.assertRegex(text, r"NOTICE ring: reproved: the committed cache is stale; run "
                               r"proofs/prove --write-cache ring")
        self.assertNotIn("FAILED", text)

    def test_broken_proof(self):
        runs = {"survey": self.proved, "goals": self.broken, "quick": self.proved}
        status, text, written = self.run_on("changed", runs)
        self.assertEqual((status, written["ok"]), (1, False))
        self.assertIn("FAILED ring: open goal: typed_ring_del_ensures_next_prev, not proved by the", text)
        self.assertNotIn("stale", text)

    def test_no_cache(self):
        runs = {"survey": self.proved, "goals": self.proved, "quick": self.proved}
        status, text, _ = self.run_on("proved", runs, "--no-cache")
        self.assertEqual(status, 0)
        self.assertRegex(text, r"(?m)^ring .*proved$")

    def test_what_is_committed_passed_thorough_smoke_tests(self):
        runs = {"survey": self.proved, "goals": self.proved, "thorough": self.proved}
        self.assertEqual(self.run_on("changed", runs, "--write-cache")[0], 0)
        self.assertEqual(self.packed, {"digest": "changed", "answers": ENTRIES})
        self.run_on("changed", {**runs, "goals": self.broken}, "--write-cache")
        self.assertIsNone(self.packed)

    def test_emptied_body(self):
        def emptied(module, part):
            record = self.proved(module, part)
            record["functions"]["ring_del"].update(goals=9, smoke=1)
            return record

        status, text, _ = self.run_on("proved", {"survey": emptied})
        self.assertEqual(status, 1)
        self.assertRegex(text, "FAILED ring: ring_del has 9 goals, fewer than")

    def test_crash_is_all_that_is_said(self):
        def crashed(_, part):
            return {**wp.read_run(part, -9, "", {}, ""), "seconds": 1.5}

        status, text, _ = self.run_on("changed", {"survey": crashed})
        self.assertEqual(status, 1)
        self.assertEqual(text.count("FAILED ring: "), 2)  # it, and where the details are

    def test_functions(self):
        runs = {"survey": self.proved, "goals": self.proved, "thorough": self.proved}
        _, text, _ = self.run_on("changed", runs, "--functions", "--thorough")
        self.assertRegex(text, r"(?m)^  ring_del +\d+ +0 +\d+ +0 +0\.5$")

    def test_wrong_usage(self):
        for arguments in (["rings"], ["--timeout", "0"], ["--no-cache", "--write-cache"], ["--only", "ring_add"]):
            with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as end:
                prove.main(arguments)
            self.assertEqual(end.exception.code, 2)
            self.assertRegex(error.getvalue(), r"prove: error: .*\n\Z")


if __name__ == "__main__":
    unittest.main()
