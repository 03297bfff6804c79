# SPDX-License-Identifier: BSD-3-Clause
"""ministat's tables: what was measured, summarised and compared by Student's t at 95 %.

As ministat does, t is taken to three decimals, and that of infinitely many degrees of freedom beyond 100.
"""

import math
import statistics
from dataclasses import dataclass

from scipy import stats

CONFIDENCE = 0.95
MOST_DEGREES = 100


@dataclass(frozen=True)
class Summary:
    n: int
    min: float
    max: float
    median: float
    avg: float
    stddev: float  # of a sample: n - 1


@dataclass(frozen=True)
class Difference:
    """avg is that of the second less that of the first; percent are of the first's."""
    avg: float
    margin: float
    percent: float
    percent_margin: float
    s: float  # of both samples pooled; paired: of the differences

    @property
    def proven(self):
        return abs(self.avg) > self.margin


@dataclass(frozen=True)
class Paired:
    difference: Difference
    fewer: int  # pairs of which the second is less
    equal: int
    more: int


def summarize(values):
    """Of two values or more."""
    return Summary(len(values), min(values), max(values), statistics.median(values),
                   statistics.fmean(values), statistics.stdev(values))


def student(degrees):
    """The t that a difference must exceed, two-sided."""
    quantile = (1 + CONFIDENCE) / 2
    exact = stats.t.ppf(quantile, degrees) if degrees <= MOST_DEGREES else stats.norm.ppf(quantile)
    return round(float(exact), 3)


def difference(avg, margin, reference, s):
    """reference: the first's average, not 0."""
    return Difference(avg, margin, 100 * avg / reference, 100 * margin / abs(reference), s)


def compare(first, second):
    """Two summaries of independent samples, variances pooled."""
    degrees = first.n + second.n - 2
    pooled = math.sqrt(((first.n - 1) * first.stddev ** 2 + (second.n - 1) * second.stddev ** 2)
                       / degrees)
    margin = student(degrees) * pooled * math.sqrt(1 / first.n + 1 / second.n)
    return difference(second.avg - first.avg, margin, first.avg, pooled)


def compare_pairs(first, second):
    """Two lists of values, the i-th of each measured on the same thing."""
    changes = [b - a for a, b in zip(first, second, strict=True)]
    s = statistics.stdev(changes)
    margin = student(len(changes) - 1) * s / math.sqrt(len(changes))
    return Paired(difference(statistics.fmean(changes), margin, statistics.fmean(first), s),
                  sum(change < 0 for change in changes), sum(change == 0 for change in changes),
                  sum(change > 0 for change in changes))


# ---- text ----------------------------------------------------------------------------------------

MARKS = "x+*%#@O"


def summary_line(mark, summary):
    values = (summary.min, summary.max, summary.median, summary.avg, summary.stddev)
    return f"{mark} {summary.n:>3} " + " ".join(f"{value:>13.8g}" for value in values)


def difference_lines(change):
    if not change.proven:
        return ["No difference proven at 95.0% confidence"]
    return ["Difference at 95.0% confidence",
            f"\t{change.avg:g} +/- {change.margin:g}",
            f"\t{change.percent:g}% +/- {change.percent_margin:g}%",
            f"\t(Student's t, pooled s = {change.s:g})"]


def table(samples):
    """Lines that compare the samples (name -> values) with the first of them."""
    summaries = [summarize(values) for values in samples.values()]
    lines = [f"{mark} {name}" for mark, name in zip(MARKS, samples)]
    lines.append("    N           Min           Max        Median           Avg        Stddev")
    for mark, summary in zip(MARKS, summaries):
        lines.append(summary_line(mark, summary))
        if summary is not summaries[0]:
            lines += difference_lines(compare(summaries[0], summary))
    return lines


def pair_line(name, pair):
    change = pair.difference
    return (f"{name}: {change.avg:+.2f} +/- {change.margin:.2f} ({change.percent:+.2f}% +/- "
            f"{change.percent_margin:.2f}%), s = {change.s:.2f}; fewer in {pair.fewer}, "
            f"equal in {pair.equal}, more in {pair.more} classes")
