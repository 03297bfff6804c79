# SPDX-License-Identifier: BSD-3-Clause
"""E1's pictures, as SVG that is the same each time."""

from collections import defaultdict

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "zsanity", "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "legend.frameon": False, "figure.facecolor": "white"})
from matplotlib import pyplot  # noqa: E402

# Okabe and Ito's colours, which colour-blind readers can tell apart; the marks differ too.
SETUPS = {"threshold+source": ("old + old", "#D55E00", "o"),
          "threshold+destination": ("old grouping, new algorithm", "#E69F00", "s"),
          "ratio+destination": ("new + new", "#0072B2", "^"),
          "exact+optimal": ("optimal: the lower bound", "#000000", "_")}
FAMILIES = ("random", "shuffled", "sawtooth", "uneven", "bursts", "runs", "gradient", "every",
            "churn", "waves")
FAMILY_STYLE = dict(zip(FAMILIES, zip(
    ("#D55E00", "#D55E00", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#999999",
     "#000000", "#000000"), "oxs^Dv<>P+")))
MAIN, CHAIN = "random:60", 10


def save(figure, path):
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def pair_name(row):
    return f"{row['grouping']}+{row['algorithm']}"


def draw_copies(report, path):
    """Copies over slot size, one mark a class."""
    points = defaultdict(list)
    for row in report["rows"]:
        if (row["backend"], row["chain"], row["pattern"]) == ("core", CHAIN, MAIN) and \
                row["seed"] == 1:
            points[pair_name(row)].append((row["class"], row["copies"]))
    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    for setup, (label, colour, mark) in SETUPS.items():
        total = sum(copies for _, copies in points[setup])
        axes.plot(*zip(*points[setup]), linestyle="", marker=mark, markersize=4, color=colour,
                  label=f"{label} ({total:,} in all)")
    axes.set(xlabel="size class (bytes of a slot)", ylabel="copies to compact the class", ylim=0,
             xlim=0)
    axes.set_title(f"Each class: {report['objects']} objects, 60 % freed at random, compacted; "
                   f"chain {CHAIN}, {len(points['exact+optimal'])} classes", loc="left", fontsize=10)
    axes.legend(loc="upper left")
    save(figure, path)


def draw_bound(report, path):
    """Moves over the lower bound, a line a pattern."""
    ratios = {(entry["pattern"], pair_name(entry)): entry["moves_over_bound"]
              for entry in report["totals"]
              if (entry["backend"], entry["chain"]) == ("core", 4) and entry["seed"] in (None, 1)}
    patterns = list(reversed(report["patterns"]))
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.3 * len(patterns)), layout="constrained")
    for setup, (label, colour, mark) in SETUPS.items():
        mark = "|" if mark == "_" else mark
        axes.plot([ratios[pattern, setup] for pattern in patterns], range(len(patterns)),
                  linestyle="", marker=mark, markersize=11 if mark == "|" else 6, color=colour,
                  label=label, markeredgewidth=2 if mark == "|" else 0)
    axes.set_xscale("log")
    ticks = (1, 1.2, 1.5, 2, 3, 4)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(patterns)), patterns)
    axes.set_xlabel("moves / the fewest that free as many pages (chain 4)")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    save(figure, path)


def draw_search(report, path):
    """Where each candidate lies; the published figures are a star."""
    families = defaultdict(list)
    for one in report["search"]:
        families[one["pattern"].split(":")[0]].append((one["middle"], one["new"]))
    figure, axes = pyplot.subplots(figsize=(8, 6), layout="constrained")
    for family in FAMILIES:
        if families[family]:
            colour, mark = FAMILY_STYLE[family]
            axes.plot(*zip(*families[family]), linestyle="", marker=mark, color=colour,
                      markersize=5, label=family, alpha=0.8)
    changes = report["published"]["changes"]
    axes.plot(changes["threshold+destination"], changes["ratio+destination"], linestyle="",
              marker="*", markersize=18, markerfacecolor="none", markeredgecolor="#000000",
              markeredgewidth=1.5, label="published")
    axes.set(xlabel="old grouping, new algorithm: copies against old + old (%)",
             ylabel="new + new: copies against old + old (%)", xlim=(-60, 15), ylim=(-80, 5))
    axes.set_title("Which pattern gives both published steps? One mark a pattern; "
                   f"chain {CHAIN}", loc="left", fontsize=10)
    axes.legend(loc="lower right", ncols=2, frameon=True, framealpha=1)
    save(figure, path)


def draw_zspages(axes, inuse, capacity, title):
    """One cell a zspage, in order of its making: how full it is, white if it's gone."""
    columns = 32
    cells = [[float("nan")] * columns for _ in range(-(-len(inuse) // columns))]
    for i, count in enumerate(inuse):
        if count:
            cells[i // columns][i % columns] = 100 * count / capacity
    image = axes.pcolormesh(cells, cmap="viridis_r", vmin=0, vmax=100, edgecolors="white",
                            linewidth=0.5)
    axes.set(xticks=(), yticks=())
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set(visible=True, color="#bbbbbb")
    axes.set_title(title, fontsize=9)
    return image


def draw_fullness(pictures, path):
    """A row a pattern: before, and what each pair leaves."""
    patterns = list(dict.fromkeys(pattern for pattern, _ in pictures))
    pairs = list(dict.fromkeys(pair for _, pair in pictures))
    figure, grid = pyplot.subplots(len(patterns), 1 + len(pairs), figsize=(12, 0.6 + 1.15 * len(patterns)),
                                   layout="constrained")
    for line, pattern in zip(grid, patterns):
        first = pictures[pattern, pairs[0]]
        image = draw_zspages(line[0], first["before"], first["capacity"],
                             f"{pattern}: {first['zspages']} zspages")
        for axes, pair in zip(line[1:], pairs):
            row = pictures[pattern, pair]
            draw_zspages(axes, row["after"], row["capacity"],
                         f"{'+'.join(pair)}: {row['moves']} moves")
    size, capacity = first["class"], first["capacity"]
    figure.suptitle(f"Zspages of the class of {size} bytes ({capacity} objects each) before "
                    "compaction (left) and after; a cell is a zspage, white: gone", fontsize=10)
    figure.colorbar(image, ax=grid, label="objects in use, % of the zspage", shrink=0.6)
    save(figure, path)


def draw(report, pictures, folder):
    folder.mkdir(parents=True, exist_ok=True)
    draw_copies(report, folder / "copies.svg")
    draw_bound(report, folder / "bound.svg")
    draw_search(report, folder / "search.svg")
    draw_fullness(pictures, folder / "fullness.svg")
