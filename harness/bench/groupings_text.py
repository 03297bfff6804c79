# SPDX-License-Identifier: BSD-3-Clause
"""E1's tables, comparisons and conclusion, from its rows."""

from collections import defaultdict
from dataclasses import asdict

from ministat import compare, compare_pairs, pair_line, summarize, table

PAIRS = [(grouping, algorithm) for grouping in ("threshold", "ratio", "exact")
         for algorithm in ("source", "destination", "optimal")]
OLD_OLD, OLD_NEW, NEW_NEW = "threshold+source", "threshold+destination", "ratio+destination"
CORE = ["+".join(pair) for pair in PAIRS]
KERNELS = {"kernel-6.1": OLD_OLD, "kernel-6.12": NEW_NEW}
MAIN = "random:60"  # the pattern that comes near what was published
SAME = 1.0  # percentage points within which a change counts as reproduced

# Moves of both kernel files at chain 4, measured before by a prototype with random numbers of its own; and
# which of its patterns have none.
EARLIER = {"random:30": (53214, 46579), "random:60": (79994, 52740), "random:90": (64066, 20809),
           "sawtooth:64": (65196, 42602), "runs:1:2": (90653, 59458), "every:2": (66909, 65233),
           "gradient:0:100": (60826, 33861)}
DETERMINISTIC = ("runs:1:2", "every:2", "gradient:0:100")


def setup_name(entry):
    return (entry["backend"] if entry["backend"] in KERNELS
            else f"{entry['grouping']}+{entry['algorithm']}")


def percent(part, whole):
    return 100 * (part / whole - 1) if whole else None


# ---- figures -------------------------------------------------------------------------------------


class Figures:
    """A report's totals and rows by what they are of; seed None or 1 where a pattern has seeds."""

    def __init__(self, report):
        self.report = report
        self.total, self.copies = {}, defaultdict(list)
        for entry in report["totals"]:
            key = entry["chain"], entry["pattern"], setup_name(entry)
            self.total[*key, entry["seed"]] = entry
        for row in report["rows"]:
            if row["seed"] in (None, 1):
                self.copies[row["chain"], row["pattern"], setup_name(row)].append(row["copies"])

    def of(self, chain, pattern, setup, seed=1):
        """A total, or None."""
        return (self.total.get((chain, pattern, setup, seed))
                or self.total.get((chain, pattern, setup, None)))

    def change(self, chain, pattern, setup, what="copies", seed=1):
        """In percent of old + old; None if either isn't there."""
        first, second = self.of(chain, pattern, OLD_OLD, seed), self.of(chain, pattern, setup, seed)
        return percent(second[what], first[what]) if first and second else None

    def changes(self, chain, pattern, setup):
        """The same for each seed there is."""
        seeds = sorted(seed for c, p, s, seed in self.total
                       if (c, p, s) == (chain, pattern, setup) and seed is not None)
        return [self.change(chain, pattern, setup, seed=seed) for seed in seeds]


def comparisons(figures):
    """Each pair against old + old on copies a class, as independent samples and class by class."""
    made = []
    for chain in figures.report["chains"]:
        for pattern in figures.report["patterns"]:
            first = figures.copies[chain, pattern, OLD_OLD]
            if not any(first):
                continue
            for setup in CORE:
                if setup == OLD_OLD:
                    continue
                second = figures.copies[chain, pattern, setup]
                change = compare(summarize(first), summarize(second))
                pair = compare_pairs(first, second)
                made.append({"chain": chain, "pattern": pattern, "setup": setup,
                             "classes": len(first), "proven": change.proven} | asdict(change)
                            | {"paired": asdict(pair)})
    return made


# ---- tables --------------------------------------------------------------------------------------

COLUMNS = list(KERNELS) + CORE
HEAD = [" " * 22 + "".join(f"{word:>8}" for word in ("6.1", "6.12")) + "  "
        + "".join(f"{word:^24}" for word in ("threshold", "ratio", "exact")),
        f"{'':22}" + f"{'(kernel files)':>16}  " + 3 * f"{'source':>8}{'destin.':>8}{'optimal':>8}"]


def square(figures, chain, value):
    """Lines: a pattern each, a setup a column. value(total, pattern, setup): text."""
    lines = list(HEAD)
    for pattern in figures.report["patterns"]:
        words = [value(figures.of(chain, pattern, setup), pattern, setup) for setup in COLUMNS]
        cells = [f"{word:>8}" for word in words]
        lines.append(f"{pattern:22}" + "".join(cells[:2]) + "  " + "".join(cells[2:]))
    return lines


def over_bound(total, _pattern, _setup):
    return f"{total['moves_over_bound']:.3f}" if total and total["bound"] else "-"


def per_page(total, _pattern, _setup):
    return f"{total['moves_per_page']:.2f}" if total and total["pages_freed"] else "-"


def classes(figures, chain):
    entry = next(entry for entry in figures.report["totals"] if entry["chain"] == chain)
    return entry["classes"]


def squares(figures, chain):
    def changed(_total, pattern, setup):
        change = figures.change(chain, pattern, setup)
        return "-" if change is None else f"{change:+.2f}"

    title = f"chain {chain}, {classes(figures, chain)} classes"
    return [["", f"Moves over the lower bound, {title}:", *square(figures, chain, over_bound)],
            ["", f"Copies against threshold+source in percent, {title}:",
             *square(figures, chain, changed)],
            ["", f"Moves for a page freed, {title}:", *square(figures, chain, per_page)]]


def sums(figures, chain):
    lines = ["", f"Sums over the {classes(figures, chain)} classes at chain {chain}:",
             f"{'pattern':22} {'setup':22}{'moves':>9}{'bound':>9}{'copies':>9}{'MB':>9}"
             f"{'zspages':>9}{'left':>7}{'k':>7}"]
    for pattern in figures.report["patterns"]:
        for setup in COLUMNS:
            total = figures.of(chain, pattern, setup)
            if total:
                lines.append(f"{pattern:22} {setup:22}{total['moves']:>9}{total['bound']:>9}"
                             f"{total['copies']:>9}{total['bytes'] / 1e6:>9.2f}"
                             f"{total['zspages']:>9}{total['zspages_left']:>7}{total['k']:>7}")
    return lines


def samples(figures, chain, pattern, setups=(OLD_OLD, OLD_NEW, NEW_NEW)):
    return {setup: figures.copies[chain, pattern, setup] for setup in setups}


def statistics(figures, chain, pattern, setups=(OLD_OLD, OLD_NEW, NEW_NEW)):
    """ministat's table, then each class with itself."""
    named = samples(figures, chain, pattern, setups)
    first = named[OLD_OLD]
    if not any(first):
        return []
    lines = ["", f"Copies a class, {pattern}, chain {chain}:", *table(named), "Class by class:"]
    return lines + [pair_line(f"  {setup} - {OLD_OLD}", compare_pairs(first, copies))
                    for setup, copies in named.items() if setup != OLD_OLD]


def search_lines(report, most):
    lines = ["", f"The published middle step, sought over {len(report['search'])} patterns "
             "(chain 10, changes of all copies in percent, shape of old + old over the classes):",
             f"{'pattern':22}{'old+new':>9}{'new+new':>9}{'copies':>9}{'min/avg':>9}{'max/avg':>9}"
             f"{'med/avg':>9}{'sd/avg':>9}"]
    old, copies, changes = (report["published"][key] for key in ("old_old", "copies", "changes"))
    lines.append(f"{'published':22}{changes[OLD_NEW]:>+9.2f}{changes[NEW_NEW]:>+9.2f}{copies[OLD_OLD]:>9}"
                 + "".join(f"{old[key] / old['avg']:>9.3f}"
                           for key in ("min", "max", "median", "stddev")))
    for one in report["search"][:most]:
        lines.append(f"{one['pattern']:22}{one['middle']:>+9.2f}{one['new']:>+9.2f}"
                     f"{one['copies']:>9}{one['min_over_avg']:>9.3f}{one['max_over_avg']:>9.3f}"
                     f"{one['median_over_avg']:>9.3f}{one['stddev_over_avg']:>9.3f}")
    return lines


# ---- the conclusion ------------------------------------------------------------------------------


def span(values, form="{:+.2f}"):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def conclude_new(figures):
    """New + new against old + old."""
    published = figures.report["published"]["changes"][NEW_NEW]
    changes = figures.changes(10, MAIN, NEW_NEW)
    right = all(abs(change - published) <= SAME for change in changes)
    return {"figure": "new + new against old + old, copies, percent", "published": published,
            "measured": changes, "reproduced": right,
            "text": f"new + new against old + old: published {published:+.2f} %, measured "
                    f"{span(changes)} % with {MAIN} at chain 10, seeds 1 to {len(changes)}."}


def conclude_middle(figures):
    """The middle step with a random pattern."""
    published = figures.report["published"]["changes"][OLD_NEW]
    changes = figures.changes(10, MAIN, OLD_NEW)
    right = all(abs(change - published) <= SAME for change in changes)
    verdict = "" if right else ": a random pattern isn't it"
    return {"figure": "old + new against old + old, copies, percent, random pattern",
            "published": published, "measured": changes, "reproduced": right,
            "text": f"old + new against old + old: published {published:+.2f} %, measured "
                    f"{span(changes)} % with {MAIN} at chain 10{verdict}."}


def conclude_search(figures):
    """The middle step with any pattern."""
    search, published = figures.report["search"], figures.report["published"]
    near = [one for one in search if abs(one["middle"] - published["changes"][OLD_NEW]) <= SAME
            and abs(one["new"] - published["changes"][NEW_NEW]) <= SAME]
    best, old = search[0], published["old_old"]
    told = (f"{best['pattern']} gives {best['middle']:+.2f} and {best['new']:+.2f} %; "
            f"{len(near)} of {len(search)} patterns come within a point of both figures")
    families = sorted({one["pattern"].split(":")[0] for one in near})
    why = (f" ({', '.join(families)}): what they share is neighbours that are freed together or unevenly, so "
           "that zspages differ more in fullness than by chance" if near else "")
    return {"figure": "both changes at once, any pattern", "published": published["changes"],
            "measured": {OLD_NEW: best["middle"], NEW_NEW: best["new"]},
            "reproduced": None if near else False,
            "text": f"Both steps at once: {told}{why}. That shows that such a pattern can explain the middle "
                    "step, not that it was the one: over the classes the published counts have "
                    f"stddev/avg {old['stddev'] / old['avg']:.3f} and max/avg "
                    f"{old['max'] / old['avg']:.3f}, these {best['stddev_over_avg']:.3f} and "
                    f"{best['max_over_avg']:.3f}."}


def conclude_totals(figures):
    """The absolute counts."""
    published = figures.report["published"]["copies"]
    measured = {setup: figures.of(10, MAIN, setup)["copies"] for setup in published}
    right = measured == published
    counts = ", ".join(f"{count:,}" for count in published.values())
    ours = ", ".join(f"{count:,}" for count in measured.values())
    return {"figure": "copies in all", "published": published, "measured": measured,
            "reproduced": right,
            "text": f"Copies in all: published {counts}; measured {ours} ({MAIN}, "
                    f"{figures.report['objects']} objects a class). Pattern and number of objects were never "
                    "published, so no absolute count can be reproduced but by luck."}


def conclude_earlier(figures, pattern):
    """What the prototype measured with the kernel's files at chain 4."""
    before = EARLIER[pattern]
    totals = [figures.of(4, pattern, kernel) for kernel in KERNELS]
    if pattern not in figures.report["patterns"] or None in totals:
        return None
    now = tuple(total["moves"] for total in totals)
    change, was = percent(now[1], now[0]), percent(before[1], before[0])
    exact = pattern in DETERMINISTIC
    right = now == before if exact else abs(change - was) <= SAME
    how = "to the digit" if now == before else f"change {change:+.1f} %, before {was:+.1f} %"
    return {"figure": f"kernel files' moves at chain 4, {pattern}", "published": before,
            "measured": now, "reproduced": right,
            "text": f"{pattern}, both kernel files at chain 4: {now[0]:,} and {now[1]:,} moves, before "
                    f"{before[0]:,} and {before[1]:,}: {how}"
                    + (" (another random stream)." if not exact else ".")}


def conclude_bound(figures):
    """What is over the bound, and by how much."""
    ratios = defaultdict(list)
    for entry in figures.report["totals"]:
        if entry["bound"]:
            name = "optimal" if entry["algorithm"] == "optimal" else setup_name(entry)
            ratios[name].append(entry["moves_over_bound"])
    told = ", ".join(f"{name} {span(ratios[name], '{:.3f}')}" for name in
                     ("optimal", NEW_NEW, OLD_OLD, *KERNELS) if name in ratios)
    return {"figure": "moves over the lower bound", "published": None,
            "measured": {name: [min(values), max(values)] for name, values in ratios.items()},
            "reproduced": set(ratios["optimal"]) == {1.0},
            "text": f"Moves over the lower bound, all patterns and chains: {told}."}


def conclude_checks(figures):
    rows, wrong = figures.report["rows"], figures.report["failures"]
    kernel = sum(row["backend"] in KERNELS for row in rows)
    return {"figure": "what must hold", "published": None, "measured": len(wrong),
            "reproduced": not wrong,
            "text": f"{len(rows):,} rows: each ended with k zspages, optimal at exactly the bound; "
                    f"{kernel:,} of them by the kernel's files, the same as the core's wherever the class has "
                    "the same chain." if not wrong else f"{len(wrong)} of {len(rows)} rows are wrong."}


def conclude(figures):
    items = [conclude_checks(figures), conclude_bound(figures), conclude_new(figures),
             conclude_middle(figures), conclude_search(figures), conclude_totals(figures)]
    return items + [item for item in map(lambda pattern: conclude_earlier(figures, pattern), EARLIER)
                    if item]


# ---- what groupings.py asks for ------------------------------------------------------------------


def analyse(report):
    figures = Figures(report)
    return {"comparisons": comparisons(figures), "conclusion": conclude(figures)}


def conclusion_lines(report):
    marks = {True: "reproduced", False: "not reproduced", None: "reached, but by a search"}
    lines = ["", "Conclusion:"]
    for item in report["conclusion"]:
        mark = "" if item["published"] is None else f" [{marks[item['reproduced']]}]"
        lines.append(f"- {item['text']}{mark}")
    lines += [f"- Left out: {skip['backend']} at chain {skip['chain']}: {skip['reason']}."
              for skip in report["skipped"]]
    return lines + [f"FAILED: {what}" for what in report["failures"]]


def introduction(report):
    return [f"E1. Fullness grouping and compaction: {report['objects']} objects a class, the same operations for "
            "all.", "old + old: threshold+source; old + new: threshold+destination; "
            "new + new: ratio+destination.", ""] + [
                f"{name:22}{what}" for name, what in report["patterns"].items()]


def full(report):
    """All of it, for the file."""
    figures = Figures(report)
    lines = introduction(report)
    for chain in report["chains"]:
        for part in squares(figures, chain):
            lines += part
        lines += sums(figures, chain)
    for chain in report["chains"]:
        for pattern in report["patterns"]:
            lines += statistics(figures, chain, pattern, CORE)
    return lines + search_lines(report, len(report["search"])) + conclusion_lines(report)


def short(report):
    """What is worth a look, for the terminal."""
    figures = Figures(report)
    lines = introduction(report) + squares(figures, 4)[0] + squares(figures, 10)[1]
    lines += statistics(figures, 10, MAIN) + search_lines(report, 10)
    return lines + conclusion_lines(report)
