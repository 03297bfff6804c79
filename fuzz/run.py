#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzes the core with libFuzzer and AFL++ side by side; what `make fuzz` runs once all is built.

The corpus goes through both builds first. Then two lanes share the two cores for the time given:
one runs libFuzzer, the other AFL++, on one target after the other, on fuzz_ops the longest (with one
engine: fuzz_ops in one lane, the others in the other). The first finding ends the run; it is minimised,
classified and told with the command that replays it. All is written under build/fuzz/, made anew
each time, build/findings/ and build/report/fuzz.json (columns: harness/README.md); the corpus is
only read.

Exit status: 0 nothing found, 1 a finding or an unstable target, 2 used wrongly or something is
missing.
"""

import argparse
import fcntl
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
from engines import AflPlusPlus, LibFuzzer, Stopped, WORK, Watch, Wrong  # noqa: E402
from engines import adopt_orphans, blank, end_orphans, inputs, run  # noqa: E402
from findings import settle  # noqa: E402

REPORT = Path("build/report/fuzz.json")
ENGINES = {"all": (LibFuzzer, AflPlusPlus), "libfuzzer": (LibFuzzer,), "afl": (AflPlusPlus,)}
SHARE = {"fuzz_ops": 10, "fuzz_api": 2, "fuzz_trace": 1, "fuzz_geometry": 1, "fuzz_kernel": 2}  # of a lane's time
SEEDS = {"fuzz_kernel": "fuzz_ops"}  # whose seeds a target takes that has none of its own
KERNELS = ("kernel-6.1", "kernel-6.1-16k", "kernel-6.12", "kernel-6.12-16k")  # what fuzz_kernel loads
LEAST = 3  # seconds that each target gets before the rest is shared
SHORTEST = 5  # seconds a run must last: AFL++ needs a few to start

# ---- before --------------------------------------------------------------------------------------


def parse(arguments):
    """Options; make gives their defaults by ZSANITY_ variables."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get
    parser.add_argument("--seconds", default=default("ZSANITY_SECONDS") or "60",
                        help=f"how long, at least {SHORTEST} (make fuzz SECONDS=60)")
    parser.add_argument("--engine", default=default("ZSANITY_ENGINE") or "all",
                        help="all, libfuzzer or afl (make fuzz ENGINE=all)")
    parser.add_argument("--corpus", default=default("ZSANITY_CORPUS") or "corpus",
                        help="a folder with a folder of seeds for each target, or 'empty' "
                        "(make fuzz CORPUS=corpus)")
    parser.add_argument("--seed", type=int, default=int(time.time()),
                        help="both engines'; without it the time")
    parser.add_argument("--check-options", action="store_true", help="do no more than that")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[0-9]{1,8}", options.seconds) or int(options.seconds) < SHORTEST:
        raise Wrong(f"SECONDS must be a number, {SHORTEST} or more, not '{options.seconds}'")
    if options.engine not in ENGINES:
        raise Wrong(f"ENGINE must be all, libfuzzer or afl, not '{options.engine}'")
    if options.corpus not in ("empty", "corpus") and not Path(options.corpus).is_dir():
        raise Wrong(f"CORPUS '{options.corpus}' is no folder; 'empty' starts from nothing")
    options.seconds = int(options.seconds)
    return options


def make_work_folder():
    """Anew, unless another run has it. Returns the lock, to be kept."""
    WORK.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / "lock", "w", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Wrong("another run is under way in build/fuzz") from None
    for path in WORK.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    return lock


def see_built(engines):
    for engine in engines:
        for target in SHARE:
            if not engine.binary(target).exists():
                raise Wrong(f"{engine.binary(target)} is missing; make fuzz builds it")
        for name in KERNELS:
            path = Path(f"build/kernel/{engine.folder_name}/{name}.so")
            if not path.exists():
                raise Wrong(f"{path} is missing; make fuzz builds it")
    if AflPlusPlus in engines and not shutil.which("afl-fuzz"):
        raise Wrong("afl-fuzz is missing; make setup installs it")


def find_corpus(options):
    """Target -> folders with its seeds, one or none."""
    top = Path(options.corpus)
    folders = {target: top / target if (top / target).is_dir() else top / SEEDS.get(target, target)
               for target in SHARE}
    return {target: [folder] if options.corpus != "empty" and folder.is_dir() else []
            for target, folder in folders.items()}


def replay_corpus(engines, corpus, watch):
    """The blank and every input through every build. Returns the first that fails in each."""
    suspects = []
    for target, folders in corpus.items():
        paths = [blank(target), *(path for folder in folders for path in inputs(folder))]
        for engine in engines:
            status, output = run([engine.binary(target), *paths], watch, 600)
            if status != 0:
                last = max(paths, key=lambda path: output.rfind(str(path)))
                suspects.append((target, engine, last))
    return suspects


# ---- the run -------------------------------------------------------------------------------------


def shared(seconds, targets):
    """Target -> its part of a lane's seconds."""
    least = min(LEAST, seconds / len(targets))
    left = (seconds - least * len(targets)) / sum(SHARE[target] for target in targets)
    return {target: least + left * SHARE[target] for target in targets}


def make_lanes(options, corpus):
    """What runs side by side: two lists of jobs."""
    engines = ENGINES[options.engine]
    first, *others = SHARE
    lanes = [(engine, list(SHARE)) for engine in engines]
    if len(engines) == 1:
        lanes = [(engines[0], [first]), (engines[0], others)]
    return [[engine(target, seconds, corpus[target], options.seed)
             for target, seconds in shared(options.seconds, targets).items()]
            for engine, targets in lanes]


class Progress:
    """A line that is rewritten on a terminal; one every ten seconds elsewhere."""

    def __init__(self, seconds):
        self.deadline = time.monotonic() + seconds
        self.last = time.monotonic()
        self.terminal = sys.stdout.isatty()

    def show(self, jobs):
        now = time.monotonic()
        if now - self.last < (1 if self.terminal else 10):
            return
        self.last = now
        parts = [f"{max(0, self.deadline - now):4.0f} s left"]
        for job in jobs:
            edges = f" {job.last()[3]} edges" if job.last()[3] else ""
            parts.append(f"{job.target} {job.name} {job.rate(1):.0f}/s{edges}")
        line = " | ".join(parts + ["0 findings"])
        print(f"\r{line}\x1b[K" if self.terminal else line, end="" if self.terminal else "\n",
              flush=True)

    def clear(self):
        if self.terminal:
            print("\r\x1b[K", end="", flush=True)


def step_lanes(lanes, running):
    """Lets each lane's job go on, or the next one begin. False when all are done."""
    for number, lane in enumerate(lanes):
        if running[number] is None and lane:
            running[number] = lane.pop(0)
            running[number].begin()
        if running[number] is not None and not running[number].step():
            running[number] = None
    return any(lanes) or any(running)


def fuzz(jobs, lanes, seconds, watch):
    """Runs the lanes until all are done or one has found something. Returns what it found."""
    progress = Progress(seconds)
    running = [None] * len(lanes)
    try:
        while step_lanes(lanes, running):
            if any(job.suspects() for job in jobs if job.process):
                break
            progress.show([job for job in running if job])
            watch.look()
            time.sleep(0.2)
    finally:
        progress.clear()
        try:
            for job in jobs:
                job.stop()
        finally:
            end_orphans(jobs)
    return [(job.target, type(job), path) for job in jobs if job.process
            for path in job.suspects()]


# ---- after ---------------------------------------------------------------------------------------

COLUMNS = ("target", "engine", "seconds", "executions", "exec/s", "operations/s", "edges",
           "stability", "new inputs", "findings")


def cells(row):
    stability = "-" if row["stability"] is None else f"{row['stability']:.2f} %"
    return (row["target"], row["engine"], f"{row['seconds']:.0f}", f"{row['executions']}",
            f"{row['executions_per_second']:.0f}", f"{row['operations_per_second']:.0f}",
            f"{row['edges']}/{row['edges_total'] or '?'}", stability, f"{row['new_inputs']}",
            f"{row['findings']}")


def show_table(rows):
    lines = [COLUMNS, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print()
    for line in lines:
        print("  ".join(f"{cell:<{width}}" if number < 2 else f"{cell:>{width}}"
                        for number, (cell, width) in enumerate(zip(line, widths))))


def make_rows(jobs, findings):
    found = [(finding.target, finding.engine) for finding in findings]
    return [job.row(found.count((job.target, type(job)))) for job in jobs if job.process]


def write_report(options, corpus, rows, findings, status):
    counts = {target: sum(len(inputs(folder)) for folder in folders)
              for target, folders in corpus.items()}
    whole = {"seconds": options.seconds, "engine": options.engine, "corpus": options.corpus,
             "seed": options.seed, "corpus_inputs": counts, "status": status, "rows": rows,
             "findings": [finding.row() for finding in findings]}
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    written = REPORT.with_suffix(".new")
    written.write_text(json.dumps(whole, indent=1) + "\n")
    written.replace(REPORT)


def conclude(options, corpus, jobs, findings):
    """Shows the table, writes the report, returns the exit status."""
    unstable = [job for job in jobs if job.stability is not None and job.stability < 100]
    status = 1 if findings or unstable else 0
    rows = make_rows(jobs, findings)
    if rows:
        show_table(rows)
    for job in unstable:
        print(f"\nUNSTABLE  {job.target}: an input doesn't always take the same way "
              f"({job.stability} %), so some state survives an execution")
    write_report(options, corpus, rows, findings, status)
    return status


def work(options):
    engines = ENGINES[options.engine]
    see_built(engines)
    lock = make_work_folder()
    adopt_orphans()
    watch = Watch()
    watch.look()
    corpus = find_corpus(options)
    counts = ", ".join(f"{sum(len(inputs(folder)) for folder in folders)} seeds for {target}"
                       for target, folders in corpus.items())
    print(f"fuzz: {options.seconds} s, engine {options.engine}, seed {options.seed}, "
          f"corpus {options.corpus}: {counts}", flush=True)
    lanes = make_lanes(options, corpus)
    jobs = [job for lane in lanes for job in lane]
    suspects = replay_corpus(engines, corpus, watch)
    if not suspects:
        suspects = fuzz(jobs, lanes, options.seconds, watch)
    status = conclude(options, corpus, jobs, settle(suspects, watch))
    lock.close()
    return status


def main():
    try:
        os.chdir(Path(__file__).resolve().parent.parent)
        options = parse(sys.argv[1:])
        return 0 if options.check_options else work(options)
    except Wrong as wrong:
        print(f"fuzz: {wrong}", file=sys.stderr)
    except Stopped as stopped:
        print(f"fuzz: stopped ({stopped})", file=sys.stderr)
    except OSError as error:
        print(f"fuzz: {error.strerror}: {error.filename or WORK}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
