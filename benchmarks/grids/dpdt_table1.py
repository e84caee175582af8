"""DPDT at depth 3: accuracy beside Table 1 of the paper, CPU seconds beside the public package.

Train parts of the Quant-BnB splits, error alone, one thread. Published figures: Kohler, Akrour,
Preux, arXiv 2309.12701, Table 1. The public package (dpdt, commit 18726de) enters as a peer where
it is installed; ``reference/dpdt.csv`` has what it took on a machine of this kind.
"""

from __future__ import annotations

import json
from math import exp, log
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant, peer
from benchmarks.data import published
from benchmarks.tables import markdown, records, remarks, seconds, short
from odt.experiments import Grid

PUBLISHED = {  # optimum, DPDT-5, its seconds, DPDT-4, its seconds, greedy
    "bank": (98.3, 98.0, 0.16, 98.0, 0.14, 95.3),
    "bean": (87.1, 85.6, 16.2, 85.0, 5.8, 80.5),
    "bidding": (99.3, 99.3, 0.55, 99.3, 0.38, 98.2),
    "occupancy": (99.4, 99.4, 1.5, 99.3, 0.79, 99.1),
    "page": (97.1, 97.0, 2.9, 97.0, 1.3, 96.3),
    "raisin": (89.4, 88.5, 0.50, 88.3, 0.30, 86.9),
    "rice": (93.8, 93.7, 2.0, 93.6, 0.81, 93.0),
    "room": (99.2, 99.2, 2.7, 99.2, 1.9, 97.7),
    "segment": (88.7, 88.2, 0.77, 88.2, 0.40, 81.6),
    "wilt": (99.6, 99.5, 0.58, 99.5, 0.35, 99.1),
}
RICHER = "cart_leaves(32, 'entropy') + quantiles(12), cart_leaves(16)"
LEAVES = (16, 32)
SOLVERS = (
    entrant("cart", "greedy", criterion="entropy"),
    entrant("dpdt", "DPDT-4", generator="DPDT-4"),
    entrant("dpdt", "DPDT-5", generator="DPDT-5"),
    entrant("dpdt", "richer", generator=RICHER),
    *(entrant("dpdt", f"{n} leaves", generator=f"cart_leaves({n})") for n in LEAVES),
)
PACKAGE = [peer("dpdt:DPDTPeer", f"package, {n} leaves", leaves=[n, n, n]) for n in LEAVES]


def grids() -> list[Grid]:
    train = {
        name: {"name": f"split/{name}_train", "test": f"split/{name}_test"} for name in PUBLISHED
    }
    return [Grid(train, [*SOLVERS, *PACKAGE], [{"max_depth": 3}], time_limit=600)]


def table(rows: Any) -> str:
    held = {(row["data"], row["solver"]): row for row in records(rows) if row["error"] is not None}
    names = list(dict.fromkeys(name for name, _ in held))
    parts = [accuracies(names, held), f"richer: `{RICHER}`", speeds(names, held), remarks(rows)]
    return "\n\n".join(parts)


def accuracies(names: list[str], held: dict[tuple[str, str], Any]) -> str:
    """Return accuracies and seconds beside the published ones."""

    def ours(name: str, solver: str, figure: str = "accuracy") -> str:
        row = held.get((name, solver))
        if row is None:
            return "-"
        return short(seconds(row)) if figure == "s" else f"{100 * (1 - row['error']):.2f}"

    lines = []
    for name in names:
        optimum, five, five_s, four, four_s, greedy = PUBLISHED[name]
        line = [name, optimum, greedy, ours(name, "greedy")]
        line += [f"{four} ({four_s} s)", ours(name, "DPDT-4"), ours(name, "DPDT-4", "s")]
        line += [f"{five} ({five_s} s)", ours(name, "DPDT-5"), ours(name, "DPDT-5", "s")]
        lines.append([*line, ours(name, "richer"), ours(name, "richer", "s")])
    head = ["set", "optimum", "greedy there", "here", "DPDT-4 there", "here", "s", "DPDT-5 there"]
    return markdown([*head, "here", "s", "richer", "s"], lines)


def speeds(names: list[str], held: dict[tuple[str, str], Any]) -> str:
    """Return seconds and accuracies beside those of the public package."""
    known = {
        (row["dataset"], int(row["cart_nodes_list"].strip("[]").split(",")[0])): row
        for row in published("reference/dpdt.csv")
        if row["depth"] == "3"
    }
    lines, times = [], []
    for name in names:
        for leaves in LEAVES:
            row, there = held.get((name, f"{leaves} leaves")), known[name, leaves]
            if row is None:
                continue
            theirs, own = float(there["fit_cpu_s"]), max(seconds(row), 0.01)
            times.append(theirs / own)
            here = f"{100 * (1 - row['error']):.3f}"
            states = json.loads(row["stats"])["stored_states"]
            there_accuracy = f"{float(there['train_acc']):.3f}"
            lines.append(
                [name, leaves, there_accuracy, here, theirs, short(own), f"{times[-1]:.0f}", states]
            )
    head = ["set", "leaves", "package %", "ours %", "package s", "ours s", "times", "states"]
    if not times:
        return markdown(head, lines)
    mean = exp(sum(map(log, times)) / len(times))
    return f"{markdown(head, lines)}\n\nGeometric mean {mean:.0f} times, least {min(times):.0f}."


BENCHMARK = Benchmark(
    "Depth 3 against the paper and the public package",
    grids,
    table,
    Selection(("bank", "raisin"), (), (), 20),
)
