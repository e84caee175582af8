"""Least size and least depth on the published instances of the Witty benchmark.

490 instances of two classes. Witty (Staus et al., AAAI 2025; published times on its own machine,
Gurobi, limit of an hour) beside ``min-size``, whose proofs are compared with Witty's.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.data import published, witty_instance
from benchmarks.tables import markdown, records, remarks, seconds
from odt.experiments import Grid

FILE = "minsize/published.csv"
TIMES = (0.1, 1, 10, 60, 300, 600, 3600)


def grids() -> list[Grid]:
    problems = [{"objective": ["size", "depth"], "max_error": 0.0}]
    rows = published(FILE)
    names = sorted((float(row["witty_seconds"]), row["instance"]) for row in rows)
    data = {name: partial(witty_instance, name) for _, name in names}  # Witty's easiest first
    return [Grid(data, [entrant("min-size")], problems, time_limit=60)]


def table(rows: Any) -> str:
    held = records(rows)
    witty = {row["instance"]: row for row in published(FILE)}
    lines, remarked = [], []
    for objective in dict.fromkeys(row["minimise"] for row in held):
        own = [row for row in held if row["minimise"] == objective]
        proofs = [row for row in own if row["status"] == "optimal"]
        if objective == "size":
            theirs = [witty[row["data"]] for row in own]
            times = [float(w["witty_seconds"]) for w in theirs if w["solved"] == "1"]
            lines.append(counts("Witty, size", len(own), times))
            remarked = comparison(own, proofs, witty)
        lines.append(counts(f"`min-size`, {objective}", len(own), [seconds(r) for r in proofs]))
    head = ["solved within s", "of", *TIMES]
    return "\n\n".join([markdown(head, lines), "\n".join(remarked), remarks(rows)])


def counts(label: str, total: int, times: list[float]) -> list[Any]:
    return [label, total, *(sum(time <= limit for time in times) for limit in TIMES)]


def comparison(own: list[Any], proofs: list[Any], witty: dict[str, dict[str, str]]) -> list[str]:
    """Say where proofs differ from Witty's, what was missed, and the times of easy instances."""
    known = [row for row in proofs if witty[row["data"]]["opt_inner"]]
    wrong = [  # a tree of b branches has 2 b + 1 nodes
        row for row in known if (row["size"] - 1) / 2 != int(witty[row["data"]]["opt_inner"])
    ]
    missed = [
        row["data"]
        for row in own
        if row["status"] != "optimal" and witty[row["data"]]["solved"] == "1"
    ]
    easy = [
        seconds(row)
        for row in proofs
        if witty[row["data"]]["solved"] == "1" and float(witty[row["data"]]["witty_seconds"]) <= 10
    ]
    said = [
        f"- Optima that Witty proved too: {len(known)}; different: "
        f"{', '.join(row['data'] for row in wrong) or '0'}.",
        f"- Solved by Witty in an hour but not here: {', '.join(missed) or 'none'}.",
    ]
    if easy:
        said.append(
            f"- The {len(easy)} that take Witty at most 10 s: median {np.median(easy):.3f} s, "
            f"largest {max(easy):.2f} s, together {sum(easy):.1f} s."
        )
    return said


BENCHMARK = Benchmark(
    "The published instances of Witty", grids, table, Selection(("*_0.2_0",), (), (), 3)
)
