# SPDX-License-Identifier: BSD-3-Clause
"""Runs Frama-C/WP on a module and reads what it says: its exit status says nothing about goals."""
import concurrent.futures
import csv
import hashlib
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
PROVERS = ("CVC4", "Z3", "CVC5")

FLAGS = (
    "-wp",
    "-wp-rte",  # division by zero, overflow and bad accesses become goals
    "-warn-unsigned-overflow",  # wrapping unsigned arithmetic too, though C allows it
    "-warn-unsigned-downcast",  # and values that don't fit their unsigned type
    "-pp-annot",  # the preprocessor runs in annotations: #include "x.acsl", macros
    "-kernel-warn-key", "annot-error=abort",  # never drop a contract that doesn't parse
    "-wp-warn-key", "pedantic-assigns=inactive",  # wants \from clauses, which WP can't prove
)  # fmt: skip
ALL_BUT_SMOKE = ",".join(f"-@{kind}" for kind in (
    "lemma", "requires", "assigns", "ensures", "assert", "check", "invariant", "variant", "breaks",
    "continues", "returns", "complete_behaviors", "disjoint_behaviors", "decreases",
))  # exits stay: a function without any goal gets no smoke test
SMOKE = "-wp-smoke-tests"  # tries to prove false from each contract and at each branch
# What is asked of Frama-C in one run. The survey proves nothing: it says which goals there are. The
# default prover, Alt-Ergo, isn't packaged. Quick smoke tests are for work; what is committed has
# passed the thorough ones: SOUNDNESS.md has what they find.
PARTS = {
    "survey": (SMOKE, "-wp-prover", "none"),
    "goals": ("-wp-prover", ",".join(PROVERS), "-wp-par", "2"),
    "quick": (SMOKE, "-wp-smoke-timeout", "1", "-wp-prover", "CVC4", "-wp-par", "1",
              f"-wp-prop={ALL_BUT_SMOKE}"),
    "thorough": (SMOKE, "-wp-smoke-timeout", "2", "-wp-prover", ",".join(PROVERS), "-wp-par", "1",
                 f"-wp-prop={ALL_BUT_SMOKE}"),
}  # fmt: skip
# Frama-C leaves lemmas out where it is told to skip functions: then they have a run of their own.
PROOFS = {"goals": (), "lemmas": ("-wp-prop=@lemma",)}
SUSPECT = re.compile(
    r"Warning:|Cast with incompatible|[Ss]kipped|Memory model hypotheses|Missing RTE|[Dd]ropped"
)
LEMMAS = "lemmas"  # what belongs to no function
NO_COUNTS = {"goals": 0, "proved": 0, "smoke": 0, "smoke_failed": 0, "seconds": 0}


class Setup(Exception):
    """Something that isn't the proof's fault is missing or wrong."""


def say(message):
    sys.stderr.write(f"{message}\n")  # at once: several speak


def read(log):
    return log.read_text(encoding="utf-8", errors="replace")  # it may end within a character


def environment():
    """Checks the tools; the environment that frama-c needs, and what it says of the provers."""
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
    version = subprocess.run(["frama-c", "-version"], capture_output=True, text=True, env=env)
    return env, version.stdout + seen.stdout


class Progress:
    """Tells on stderr, every ten seconds, how far a run is and how long the rest may take."""

    def __init__(self, title, what, expected):
        self.title, self.what, self.expected = title, what, expected
        self.start = self.last = time.monotonic()

    def tell(self, log):
        if time.monotonic() - self.last < 10:
            return
        self.last = time.monotonic()
        done, spent = read(log).count(f"] {self.what} "), self.last - self.start
        of = f" of {self.expected}" if self.expected else ""
        rest = (self.expected - done) * spent / done if done else 0
        more = f", about {rest:.0f} s to go" if rest > 0 else ""
        say(f"{self.title}: {done}{of} after {spent:.0f} s{more}")


RUNNING = set()


def end(child):
    """Ends a frama-c and its provers."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()


def stop():
    """Ends all that run."""
    for child in list(RUNNING):
        end(child)


def run(arguments, log, env, progress, tree=ROOT):
    """Runs frama-c on a tree into a log, to its end or until there is nothing more to tell. Returns its exit status."""
    with log.open("w") as out:
        child = subprocess.Popen(
            arguments, stdout=out, stderr=subprocess.STDOUT, cwd=tree, env=env,
            start_new_session=True,
        )  # fmt: skip
    RUNNING.add(child)
    while child.poll() is None:
        time.sleep(0.2)
        if progress.tell(log):
            end(child)
    RUNNING.remove(child)
    return child.returncode


def side_by_side(work, jobs):
    """Calls them all, as many at once as there are jobs, in this order. Returns their results."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            return list(pool.map(lambda call: call(), work))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise


def write_report(name, facts):
    """build/report/NAME: the results for programs."""
    report = ROOT / "build" / "report" / name
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(facts, indent=2) + "\n")


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
        # A precondition is proved call by call ("precondition of"); calls in others' functions aren't seen.
        left = row["property"].endswith("\\false") or row["property kind"] == "precondition"
        if row["status"] not in fine and not left:
            lines.append(
                f"{row['directory']}/{row['file']}:{row['line']}: {row['function']}: "
                f"{row['status'].lower()} {row['property kind']}: {row['property']}"
            )
    return lines


def included(path, seen):
    """Path -> text of a source and of all of the project that it includes, annotations' files too."""
    if path not in seen and path.exists():
        seen[path] = path.read_text()
        for name in re.findall(r'^\s*#\s*include "(.*)"', seen[path], re.MULTILINE):
            included(path.parent / name, seen)
            included(ROOT / "proofs" / name, seen)
    return seen


def digest(module, goals, tools):
    """
    A name for all that the answers depend on: the goals, the sources behind their formulas but for
    ordinary comments, the tools and their options.
    """
    parts = [tools, repr((FLAGS, PARTS)), *goals]
    for path, text in sorted(included(ROOT / "core" / f"{module}.c", {}).items()):
        bare = re.sub(r"/\*(?!@).*?\*/|//(?!@)[^\n]*", "", text, flags=re.DOTALL)
        parts += [path.name, " ".join(bare.split())]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def prover_seconds(messages, functions):
    """What the provers took for each function's goals, cached answers included."""
    seconds = dict.fromkeys(functions, 0.0)
    for goal, said in re.findall(r"\] Goal typed_(\w+) : Valid(.*)", messages):
        times = re.findall(r"\((\d+(?:\.\d+)?)(m?)s\)", said)
        of = [name for name in functions if goal.startswith(name + "_")]
        seconds[max(of, key=len, default=LEMMAS)] += sum(float(n) / (1000 if m else 1) for n, m in times)
    return seconds


def count_functions(messages, report):
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
        if parts:
            found[name] = counts
    # What the control flow alone decides isn't in Frama-C's report.
    for name, verdict in re.findall(r"\[CFG\] Goal (\w+?)_terminates : (\w+)", messages):
        counts = found.setdefault(name, dict(NO_COUNTS))
        counts["goals"] += 1
        counts["proved"] += verdict == "Valid"
    for name, seconds in prover_seconds(messages, {**found, LEMMAS: None}).items():
        if name in found:
            found[name]["seconds"] = round(seconds, 1)
    return found


def suspicions(messages):
    lines = messages.splitlines()
    for number, line in enumerate(lines):
        if SUSPECT.search(line):
            more = 2 if line.rstrip().endswith(":") else 1  # the text is on the next line
            yield " ".join(map(str.strip, lines[number : number + more]))


def total(functions, what):
    return sum(counts[what] for counts in functions.values())


def crash(status, messages):
    """Why a run has no result."""
    if status < 0:
        return f"frama-c was killed by signal {-status}"
    lines = messages.splitlines() or [""]
    at = next((i for i, line in enumerate(lines) if "rror" in line), len(lines) - 1)
    said = " ".join(map(str.strip, lines[max(0, at - 1) : at + 2]))
    return f"frama-c failed (exit {status}): {said}"


def unproved(part, open_goals, smoke_failed, messages, functions, table):
    """What Frama-C's last words, its report and the table of properties say isn't proved."""
    problems = [f"open goal: {name}, not proved by the provers either" for name in open_goals]
    if part in PROOFS:
        problems += open_places(open_goals, properties(table))
    problems += [f"smoke test {name}: a contract that can't be met, or code that can't be reached"
                 for name in smoke_failed]
    counts = re.search(r"Proved goals: +(\d+) / (\d+)", messages)
    sums = [total(functions, what) for what in ("proved", "goals", "smoke", "smoke_failed")]
    if (int(counts[1]), int(counts[2])) != (sums[0] + sums[2] - sums[3], sums[1] + sums[2]):
        problems.append(f"frama-c says {counts[0]}; its report adds up to something else")
    elif counts[1] != counts[2] and not problems:
        problems.append(f"frama-c says {counts[0]} and doesn't say which is open")
    return problems


def read_run(part, status, messages, report, table):
    """What one run says, as a record; without problems when all that it asked is proved."""
    functions = count_functions(messages, report)
    open_goals = re.findall(r"\[Failed\] Goal (\w+)", messages)
    smoke_failed = sorted(set(re.findall(r"\[Failed\] Smoke-test (\w+)", messages)))
    problems = list(suspicions(messages))
    proves = part != "survey"
    finished = not status and bool(report) and (not proves or "Proved goals:" in messages)
    if not finished:
        problems.append(crash(status, messages))
    elif proves:
        problems += unproved(part, open_goals, smoke_failed, messages, functions, table)
    return {
        "finished": finished, "functions": functions, "problems": problems,
        "not_tried": sorted(re.findall(r"^\[wp\] (.+) : not tried$", messages, re.MULTILINE)),
        "open": open_goals, "smoke_failed": smoke_failed,
    }  # fmt: skip


def ask(module, part, options, env, progress):
    """One run of frama-c on a module. Returns its record."""
    log, report, table = (BUILD / f"{module}.{part}.{kind}" for kind in ("log", "json", "csv"))
    start = time.monotonic()
    report.unlink(missing_ok=True)
    table.unlink(missing_ok=True)
    arguments = [
        "frama-c", *FLAGS, *PARTS["goals" if part in PROOFS else part], *PROOFS.get(part, ()), *options,
        "-wp-report-json", str(report), f"core/{module}.c", "-then", "-report-csv", str(table),
    ]  # fmt: skip
    status = run(arguments, log, env, progress)
    messages = read(log)
    facts = json.loads(read(report)) if report.exists() else {}
    record = read_run(part, status, messages, facts, read(table) if table.exists() else "")
    return {**record, "seconds": round(time.monotonic() - start, 1)}


def combined(survey, proofs, smoke):
    """One record of a module's goals and lemmas, smoke tests and survey; they must have seen the same."""
    runs, functions = (*proofs, smoke, survey), {}
    problems = [problem for of in runs for problem in of["problems"]]
    for name, seen in survey["functions"].items():
        proof = proofs[-1 if name == LEMMAS else 0]["functions"].get(name, NO_COUNTS)
        test = smoke["functions"].get(name, NO_COUNTS)
        functions[name] = {**proof, "smoke": test["smoke"], "smoke_failed": test["smoke_failed"]}
        if (proof["goals"], test["smoke"]) != (seen["goals"], seen["smoke"]) and not problems:
            problems.append(f"{name} has {seen['goals']} goals and {seen['smoke']} smoke tests, of which "
                            f"{proof['goals']} and {test['smoke']} were asked")
    return {
        "finished": all(of["finished"] for of in runs), "functions": functions,
        "problems": list(dict.fromkeys(problems)), "open": [goal for of in proofs for goal in of["open"]],
        "smoke_failed": smoke["smoke_failed"], "seconds": round(sum(of["seconds"] for of in runs), 1),
    }  # fmt: skip
