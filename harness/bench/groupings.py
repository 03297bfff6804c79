# SPDX-License-Identifier: BSD-3-Clause
"""Experiment E1: what fullness grouping and compaction algorithm cost, over patterns of fragmentation.

Every setup gets the same mallocs and frees; only the compaction's work is counted. The same files in, the
same report out, to the last digit.
"""

import itertools
import json
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import groupings_plots
import groupings_text
from progress import in_parallel

NAME = "groupings"
DRIVER = Path("build/release/bench_groupings")
OBJECTS = 4096
HEADER = 8  # bytes of a slot before its object, in all setups

GROUPINGS = ("threshold", "ratio", "exact")
ALGORITHMS = ("source", "destination", "optimal")
OLD_OLD, OLD_NEW, NEW_NEW = (("threshold", "source"), ("threshold", "destination"),
                             ("ratio", "destination"))

# ---- what is run ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setup:
    backend: str
    grouping: str
    algorithm: str
    chain: int
    plugin: str = ""  # the kernel's file, built for that chain
    rule: str = "least-waste"

    @property
    def pair(self):
        return self.grouping, self.algorithm

    @property
    def name(self):
        return self.backend if self.plugin else "+".join(self.pair)

    def command(self, patterns, *more):
        return [DRIVER, "--backend", self.plugin or self.backend, "--grouping", self.grouping,
                "--algorithm", self.algorithm, "--chain", str(self.chain), "--rule", self.rule,
                "--objects", str(OBJECTS), *more, *patterns]


# The kernel's file, its name for that chain, and what it does.
KERNELS = (("kernel-6.1", {4: "kernel-6.1"}, OLD_OLD, "used-percent"),
           ("kernel-6.12", {4: "kernel-6.12-chain4", 8: "kernel-6.12", 10: "kernel-6.12-chain10"},
            NEW_NEW, "least-waste"))


def setups(chains):
    made = [Setup("core", grouping, algorithm, chain) for chain in chains
            for grouping in GROUPINGS for algorithm in ALGORITHMS]
    made += [Setup(backend, *pair, chain, plugin, rule) for backend, plugins, pair, rule in KERNELS
             for chain, plugin in plugins.items() if chain in chains]
    return made


CAPTURES = "corpus/captures"
RANDOM = ("random:30", "random:60", "random:90")
PATTERNS = {
    "random:30": "30 % freed at random", "random:60": "60 % freed at random",
    "random:90": "90 % freed at random",
    "sawtooth:64": "more and more freed over 64 objects, again and again",
    "runs:1:2": "every 3rd kept", "every:2": "every 2nd freed",
    "gradient:0:100": "gradient rising: the first zspage keeps nothing, the last all",
    "gradient:100:0": "gradient falling",
    "bursts:50:16": "correlated lifetimes: runs of 16 neighbours on average live or die together",
    "uneven:30:60": "each zspage keeps a share of its own, 30 to 60 %",
    "runs:22:20": "22 neighbours kept, 20 freed",
    "drift:75": "size drift: a window of 8 classes moves over all, 75 % die meanwhile",
    "survivor": "one survivor a zspage",
    "capture:0:lib-lzo": "system libraries under lzo, as zram left them",
    "capture:60:lib-lzo": "the same, 60 % then freed",
    "capture:0:share-zstd": "/usr/share under zstd, as zram left it",
    "capture:60:share-zstd": "the same, 60 % then freed",
}
SEEDS = range(1, 7)
CHAINS = (4, 8, 10)
QUICK_PATTERNS = ("random:60", "runs:1:2", "every:2")
QUICK_SEEDS = range(1, 2)
QUICK_CHAINS = (4, 10)


def candidates(quick):
    """Patterns among which the published middle step is sought."""
    if quick:
        return ["random:60", "uneven:30:60", "runs:22:20"]
    percents = range(10, 100, 10)
    some = [f"random:{p}" for p in range(5, 100, 5)]
    some += [f"shuffled:{p}" for p in percents]
    some += [f"sawtooth:{2 ** n}" for n in range(1, 13)]
    some += [f"every:{k}" for k in range(2, 9)]
    some += [f"gradient:{a}:{b}" for a in range(0, 101, 25) for b in range(0, 101, 25) if a != b]
    some += [f"uneven:{a}:{b}" for a in range(0, 100, 10) for b in range(a + 10, 101, 10)]
    some += [f"bursts:{p}:{n}" for p in range(30, 71, 10) for n in (2, 4, 8, 16, 32)]
    some += [f"runs:{a}:{b}" for a in range(2, 25, 4) for b in range(2, 25, 4)]
    some += [f"runs:{b}:{a}" for a, b in ((2, 1), (20, 22), (22, 22), (18, 14), (17, 14))]
    some += [f"churn:{p}:{n}" for p in percents for n in (1, 4)]
    some += [f"waves:{p}:{n}" for p in range(20, 81, 20) for n in (1, 2, 4, 8)]
    return list(dict.fromkeys(some))


def spec(pattern):
    """As the driver wants it: captures are files."""
    kind, *rest = pattern.split(":")
    return f"capture:{rest[0]}:{CAPTURES}/{rest[1]}.trace" if kind == "capture" else pattern


# ---- running it ----------------------------------------------------------------------------------


class Refused(Exception):
    """The driver can't do that; its line says why."""


def drive(setup, patterns, *more):
    """Rows of the driver, numbers as numbers; pattern and seed are two columns."""
    names = {spec(pattern): pattern for pattern in patterns}
    done = subprocess.run(setup.command(names, *more), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(done.stderr.strip().removeprefix("bench_groupings: ")
                      or f"{DRIVER} ended with status {done.returncode}")
    head, *lines = (line.split("\t") for line in done.stdout.splitlines())
    rows = []
    for line in lines:
        values = dict(zip(head, line))
        pattern, _, seed = names[values.pop("pattern")].partition("@")
        row = {"backend": setup.backend, "grouping": setup.grouping, "algorithm": setup.algorithm,
               "chain": setup.chain, "pattern": pattern, "seed": int(seed) if seed else None}
        rows.append(row | {key: int(value) if value.isdigit() else value
                           for key, value in values.items()})
    return rows


def run_square(chains, patterns, seeds):
    """Rows of all setups, in their order, and those left out with the reason."""
    seeded = [f"{pattern}@{seed}" for pattern in patterns if pattern in RANDOM for seed in seeds]
    seeded += [pattern for pattern in patterns if pattern not in RANDOM]

    def one(setup):
        try:
            return drive(setup, seeded), None
        except Refused as why:
            if not setup.plugin:
                raise
            return [], {"backend": setup.backend, "chain": setup.chain, "reason": str(why)}

    results = in_parallel(one, setups(chains), "bench: groupings, the square")
    return ([row for rows, _ in results for row in rows],
            [skip for _, skip in results if skip is not None])


SEARCH_CHAIN = 10  # that of 140 classes
PUBLISHED = {"copies": {"threshold+source": 323977, "threshold+destination": 262944,
                        "ratio+destination": 213978},
             "classes": 140,
             "changes": {"threshold+destination": -18.84, "ratio+destination": -33.95},
             "old_old": {"min": 349, "max": 3513, "median": 2461, "avg": 2314.12,
                         "stddev": 806.03}}


def run_search(patterns):
    """Candidates, the nearest to both published changes first."""
    pairs = [Setup("core", *pair, SEARCH_CHAIN) for pair in (OLD_OLD, OLD_NEW, NEW_NEW)]
    parts = [patterns[i:i + 8] for i in range(0, len(patterns), 8)]
    jobs = list(itertools.product(pairs, parts))
    copies = defaultdict(list)  # (pattern, setup's name) -> copies a class
    results = in_parallel(lambda job: drive(*job), jobs, "bench: groupings, the search")
    for (setup, _), rows in zip(jobs, results):
        for row in rows:
            copies[row["pattern"], setup.name].append(row["copies"])
    found = [candidate(pattern, *(copies[pattern, setup.name] for setup in pairs))
             for pattern in patterns]
    return sorted((one for one in found if one), key=lambda one: (one["distance"], one["pattern"]))


def candidate(pattern, old_old, old_new, new_new):
    if not sum(old_old):
        return None
    middle, new = (100 * (sum(copies) / sum(old_old) - 1) for copies in (old_new, new_new))
    wanted = PUBLISHED["changes"]
    distance = (abs(middle - wanted["threshold+destination"])
                + abs(new - wanted["ratio+destination"]))
    summary = groupings_text.summarize(old_old)
    return {"pattern": pattern, "copies": sum(old_old), "middle": middle, "new": new,
            "distance": distance, "min_over_avg": summary.min / summary.avg,
            "max_over_avg": summary.max / summary.avg,
            "median_over_avg": summary.median / summary.avg,
            "stddev_over_avg": summary.stddev / summary.avg}


# ---- what must hold ------------------------------------------------------------------------------


def told(row):
    seed = "" if row["seed"] is None else f"@{row['seed']}"
    return (f"{row['backend']} {row['grouping']}+{row['algorithm']}, chain {row['chain']}, "
            f"{row['pattern']}{seed}, class {row['class']}")


def broken(row):
    """What is wrong with one row alone."""
    if row["zspages_left"] != row["k"]:
        yield f"{row['zspages_left']} zspages left, k is {row['k']}"
    if row["moves"] < row["bound"]:
        yield f"{row['moves']} moves are below the bound of {row['bound']}"
    if row["algorithm"] == "optimal" and row["moves"] != row["bound"]:
        yield f"optimal took {row['moves']} moves, the bound is {row['bound']}"
    if row["pages_freed"] != (row["zspages"] - row["zspages_left"]) * row["pages"]:
        yield f"{row['pages_freed']} pages freed, which isn't what the zspages held"
    if row["bytes"] != row["moves"] * (row["class"] - HEADER):
        yield f"{row['bytes']} bytes moved, which isn't that of {row['moves']} objects"
    if row["copies"] < row["moves"]:
        yield f"{row['copies']} copies for {row['moves']} moves"


def work(row):
    return tuple(row[key] for key in ("zspages", "bound", "moves", "copies", "pages_freed"))


def failures(rows):
    """Sentences; none when all is right."""
    wrong = [f"{told(row)}: {what}" for row in rows for what in broken(row)]
    core, objects = {}, {}
    for row in rows:
        place = row["chain"], row["pattern"], row["seed"], row["class"]
        if objects.setdefault(place, row["objects"]) != row["objects"]:
            wrong.append(f"{told(row)}: {row['objects']} objects, others have {objects[place]}")
        if row["backend"] == "core":
            core[row["grouping"], row["algorithm"], *place] = row
    for row in rows:
        if row["backend"] == "core":
            continue
        twin = core[row["grouping"], row["algorithm"], row["chain"], row["pattern"], row["seed"],
                    row["class"]]
        if twin["capacity"] == row["capacity"] and work(twin) != work(row):
            wrong.append(f"{told(row)}: zspages, bound, moves, copies, pages freed are {work(row)}, "
                         f"the core's {work(twin)}")
    return wrong


# ---- sums ----------------------------------------------------------------------------------------

SUMMED = ("objects", "zspages", "k", "zspages_left", "bound", "moves", "copies", "bytes",
          "pages_freed")


def totals(rows):
    """One entry a backend, pair, chain, pattern and seed: sums over the classes."""
    sums = {}
    for row in rows:
        key = tuple(row[name] for name in ("backend", "grouping", "algorithm", "chain", "pattern",
                                           "seed"))
        total = sums.setdefault(key, {"classes": 0} | dict.fromkeys(SUMMED, 0))
        total["classes"] += 1
        for name in SUMMED:
            total[name] += row[name]
    return [dict(zip(("backend", "grouping", "algorithm", "chain", "pattern", "seed"), key)) | total
            | {"moves_over_bound": total["moves"] / total["bound"] if total["bound"] else None,
               "moves_per_page": total["moves"] / total["pages_freed"] if total["pages_freed"]
               else None}
            for key, total in sums.items()]


# ---- the whole -----------------------------------------------------------------------------------

PICTURED = ("random:60", "runs:22:20", "gradient:0:100", "survivor")
PICTURED_CLASS = 256  # bytes; 16 objects a zspage, so 256 zspages
PICTURED_PAIRS = (OLD_OLD, NEW_NEW, ("exact", "optimal"))


def picture_rows():
    """(pattern, pair) -> a row with the in-use counts of all zspages before and after."""
    made = {}
    for pair in PICTURED_PAIRS:
        setup = Setup("core", *pair, 4)
        for row in drive(setup, PICTURED, "--pictures", "--class", str(PICTURED_CLASS)):
            row["before"], row["after"] = ([int(n) for n in str(row[key]).split(",")]
                                           for key in ("before", "after"))
            made[row["pattern"], pair] = row
    return made


def write_json(report, path):
    """Rows one a line, the rest indented."""
    rows = ",\n  ".join(json.dumps(row) for row in report["rows"])
    rest = json.dumps(report | {"rows": []}, indent=1)
    path.write_text(rest.replace('"rows": []', '"rows": [\n  ' + rows + "\n ]", 1) + "\n",
                    encoding="utf-8")


def measure(quick):
    """The report."""
    chains = QUICK_CHAINS if quick else CHAINS
    patterns = {name: PATTERNS[name] for name in (QUICK_PATTERNS if quick else PATTERNS)}
    rows, skipped = run_square(chains, patterns, QUICK_SEEDS if quick else SEEDS)
    search = run_search(candidates(quick))
    report = {"experiment": NAME, "objects": OBJECTS, "quick": quick, "chains": chains,
              "patterns": patterns, "published": PUBLISHED, "skipped": skipped,
              "failures": failures(rows), "totals": totals(rows), "search": search, "rows": rows}
    return report | groupings_text.analyse(report)


def main(quick, folder):
    """Runs it, and writes what came out to files in the folder. Returns the exit status."""
    report = measure(quick)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(report, folder / f"{NAME}.json")
    (folder / f"{NAME}.txt").write_text("\n".join(groupings_text.full(report)) + "\n",
                                        encoding="utf-8")
    groupings_plots.draw(report, picture_rows(), folder / NAME)
    print("\n".join(groupings_text.short(report)))
    return 1 if report["failures"] else 0
