# SPDX-License-Identifier: BSD-3-Clause
"""Runs Frama-C/WP on a module and reads what it says: its exit status says nothing about goals."""
import collections
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "proofs"
PROVERS = ("CVC4", "Z3", "CVC5")  # the one that proves most first: a replay asks in turn

FLAGS = (
    "-wp",
    "-wp-rte",  # division by zero, overflow and bad accesses become goals
    "-warn-unsigned-overflow",  # wrapping unsigned arithmetic too, though C allows it
    "-warn-unsigned-downcast",  # and values that don't fit their unsigned type
    "-wp-smoke-tests",  # tries to prove false from each contract and at each branch
    "-wp-prover", ",".join(PROVERS),  # the default, Alt-Ergo, isn't packaged
    "-wp-print",  # each goal's formula, and what each prover said of it, for the log
    "-pp-annot",  # the preprocessor runs in annotations: #include "x.acsl", macros
    "-kernel-warn-key", "annot-error=abort",  # never drop a contract that doesn't parse
)  # fmt: skip
SUSPECT = re.compile(
    r"Warning:|Cast with incompatible|[Ss]kipped|Memory model hypotheses|Missing RTE|[Dd]ropped"
)
LEMMAS = "lemmas"  # what belongs to no function
NO_COUNTS = {"goals": 0, "proved": 0, "smoke": 0, "smoke_failed": 0, "seconds": 0}
VERDICT = re.compile(r"\] (?:Goal|Smoke-test) ")


class Setup(Exception):
    """Something that isn't the proof's fault is missing or wrong."""


def say(message):
    print(message, file=sys.stderr, flush=True)


def read(log):
    return log.read_text(encoding="utf-8", errors="replace")  # it may end within a character


def environment():
    """Checks the tools; the environment that frama-c needs."""
    for tool in ("frama-c", "why3", "z3", "cvc4", "cvc5"):
        if not shutil.which(tool):
            raise Setup(f"{tool} is missing; run make setup")
    script = ROOT / "proofs" / "why3config"
    made = subprocess.run([script, BUILD], capture_output=True, text=True)
    if made.returncode:
        raise Setup(made.stderr.strip() or "proofs/why3config failed")
    # CPATH: -cpp-extra-args doesn't reach the preprocessing of annotations. PWD: frama-c looks for
    # files there, not in its working directory.
    paths = {"WHY3CONFIG": made.stdout.strip(), "CPATH": str(ROOT / "proofs"), "PWD": str(ROOT)}
    env = {**os.environ, **paths}
    seen = subprocess.run(["frama-c", "-wp-detect"], capture_output=True, text=True, env=env)
    for prover in PROVERS:
        if not re.search(rf"Prover +{prover} ", seen.stdout):
            raise Setup(f"Frama-C doesn't find the prover {prover}; run make setup")
    return env


class Progress:
    """Tells on stderr, every ten seconds, how far a run is and how long the rest may take."""

    def __init__(self, title, expected):
        self.title, self.expected = title, expected
        self.start = self.last = time.monotonic()

    def tell(self, log):
        if time.monotonic() - self.last < 10:
            return
        self.last = time.monotonic()
        done, spent = len(VERDICT.findall(read(log))), self.last - self.start
        of = f" of {self.expected}" if self.expected else ""
        rest = (self.expected - done) * spent / done if done else 0
        more = f", about {rest:.0f} s to go" if rest > 0 else ""
        say(f"{self.title}: {done}{of} goals after {spent:.0f} s{more}")


RUNNING = set()


def stop():
    """Ends every frama-c that runs, and its provers."""
    for child in list(RUNNING):
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)
            child.wait()


def run(arguments, log, env, progress):
    """Runs frama-c into a log. Returns its exit status."""
    with log.open("w") as out:
        child = subprocess.Popen(
            arguments, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, env=env,
            start_new_session=True,
        )  # fmt: skip
    RUNNING.add(child)
    while child.poll() is None:
        time.sleep(0.2)
        progress.tell(log)
    RUNNING.remove(child)
    return child.returncode


def properties(text):
    """Rows of Frama-C's report: file, line, function, property kind, status, property."""
    table = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [row for row in table if row["property"]]  # not the rest of a property of two lines


def lemma_place(name):
    for path in sorted(ROOT.glob("proofs/*.acsl")) + sorted(ROOT.glob("core/*.[ch]")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(rf"\blemma {name}\b", line):
                return f"{path.relative_to(ROOT)}:{number}"
    return "proofs/"


def open_places(goals, rows):
    """file:line of each thing that isn't proved: lemmas by name, the rest from the report."""
    lemmas = re.findall(r"^\w+?_lemma_(\w+)$", "\n".join(goals), re.MULTILINE)
    lines = [f"{lemma_place(name)}: open lemma {name}" for name in lemmas]
    # What is only proved under open hypotheses is of interest if nothing says which those are.
    fine = {"Valid", "Considered valid"} | ({"Partially proven"} if goals else set())
    for row in rows:
        smoke = row["property"].endswith("\\false")
        if row["status"] not in fine and not smoke:
            lines.append(
                f"{row['directory']}/{row['file']}:{row['line']}: {row['function']}: "
                f"{row['status'].lower()} {row['property kind']}: {row['property']}"
            )
    return lines


def split_log(log):
    """The messages, and the formulas behind them: by function, the blocks of its goals."""
    messages, _, rest = log.partition("-----\n  Global\n")
    if not rest:
        messages, _, rest = log.partition("-----\n  Function ")
        rest = "  Function " + rest
    blocks, function = collections.defaultdict(list), LEMMAS
    for block in re.split(r"^-{60}$", rest, flags=re.MULTILINE):
        head = re.match(r"\s*(?:Function (\w+)|Axiomatic )", block)
        if head:
            function = head[1] or LEMMAS
        elif re.match(r"\s*(?:Goal|Lemma) ", block):
            blocks[function].append(block)
    return messages, blocks


def prover_seconds(blocks):
    """What the provers took for the goals, cached answers included."""
    times = re.findall(r"^Prover (?!Qed).*?\((\d+(?:\.\d+)?)(m?)s\)", "\n".join(blocks), re.MULTILINE)
    return round(sum(float(value) / (1000 if milli else 1) for value, milli in times), 1)


def unanswered(blocks):
    """Smoke tests on which no prover's word is known: without one they pass by default."""
    return sum("Wp_smoke" in block and "(cached)" not in block for block in blocks)


def count_functions(messages, blocks, report):
    """Function -> its goals, proved goals, smoke tests, failed smoke tests and provers' time."""
    found = {}
    lemmas = {name: goal for theory in report.get("wp:axiomatics", {}).values()
              for name, goal in theory.items()}
    for name, parts in {**report.get("wp:functions", {}), LEMMAS: lemmas}.items():
        counts = dict(NO_COUNTS)
        for part, by in parts.items():
            if part.startswith("wp:"):
                continue
            smoke = "_wp_smoke_" in part
            total, valid = by["wp:main"]["total"], by["wp:main"].get("valid", 0)
            counts["smoke" if smoke else "goals"] += total
            counts["smoke_failed" if smoke else "proved"] += total - valid if smoke else valid
        counts["seconds"] = prover_seconds(blocks[name])
        if parts:
            found[name] = counts
    # What the control flow alone decides isn't in Frama-C's report.
    for name, verdict in re.findall(r"\[CFG\] Goal (\w+?)_terminates : (\w+)", messages):
        counts = found.setdefault(name, dict(NO_COUNTS))
        counts["goals"] += 1
        counts["proved"] += verdict == "Valid"
    return found


def suspicions(messages):
    lines = messages.splitlines()
    for number, line in enumerate(lines):
        if SUSPECT.search(line):
            more = 2 if line.rstrip().endswith(":") else 1  # the text is on the next line
            yield " ".join(map(str.strip, lines[number : number + more]))


def total(functions, what):
    return sum(counts[what] for counts in functions.values())


def read_run(status, log, report, table):
    """What a run says, as a record; without problems when all is proved."""
    messages, blocks = split_log(log)
    functions = count_functions(messages, blocks, report)
    open_goals = re.findall(r"\[Failed\] Goal (\w+)", messages)
    problems = [f"open goal: {name}, not proved by the provers either" for name in open_goals]
    problems += open_places(open_goals, properties(table))
    failed = sorted(set(re.findall(r"\[Failed\] Smoke-test (\w+)", messages)))
    problems += [f"smoke test {name}: a contract that can't be met, or code that can't be reached"
                 for name in failed]
    problems += suspicions(messages)
    counts = re.search(r"Proved goals: +(\d+) / (\d+)", messages)
    sums = [total(functions, what) for what in ("proved", "goals", "smoke", "smoke_failed")]
    finished = not status and counts is not None
    if status < 0:
        problems.append(f"frama-c was killed by signal {-status}")
    elif not finished:
        lines = messages.splitlines() or [""]
        at = next((i for i, line in enumerate(lines) if "rror" in line), len(lines) - 1)
        said = " ".join(map(str.strip, lines[max(0, at - 1) : at + 2]))
        problems.append(f"frama-c failed (exit {status}): {said}")
    elif (int(counts[1]), int(counts[2])) != (sums[0] + sums[2] - sums[3], sums[1] + sums[2]):
        problems.append(f"frama-c says {counts[0]}; its report adds up to something else")
    elif counts[1] != counts[2] and not problems:
        problems.append(f"frama-c says {counts[0]} and doesn't say which is open")
    return {
        "finished": finished, "functions": functions, "proved": sums[0], "goals": sums[1], "open": open_goals,
        "smoke": sums[2], "smoke_failed": failed, "problems": list(dict.fromkeys(problems)),
        "unanswered": len(open_goals) + sum(unanswered(of) for of in blocks.values()),
    }  # fmt: skip


def prove(module, cache, jobs, timeout, env, progress):
    """One run of frama-c on a module; cache is the options that say where answers are."""
    log, report, table = (BUILD / f"{module}.{kind}" for kind in ("log", "json", "csv"))
    start = time.monotonic()
    report.unlink(missing_ok=True)
    table.unlink(missing_ok=True)
    arguments = [
        "frama-c", *FLAGS, "-wp-timeout", str(timeout), "-wp-par", str(jobs), *cache,
        "-wp-report-json", str(report), f"core/{module}.c",
        "-then", "-report-csv", str(table),
    ]  # fmt: skip
    status = run(arguments, log, env, progress)
    facts = json.loads(read(report)) if report.exists() else {}
    record = read_run(status, read(log), facts, read(table) if table.exists() else "")
    return {**record, "seconds": round(time.monotonic() - start, 1)}
