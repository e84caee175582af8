"""The tables of "Strong optimal classification trees", with proofs where the paper has gaps.

Twelve one-hot UCI sets, five published splits; the published models ran for an hour in Gurobi or
CPLEX. Reference: Aghaei, Gomez, Vayanos, arXiv 2103.15965.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.data import published, strong_oct_half
from benchmarks.tables import markdown, records, remarks, seconds
from odt.experiments import Grid

FILE = "reference/strongtree_golden.csv"
MODELS = ("OCT", "BinOCT", "FlowOCT", "BendersOCT")


def grids() -> list[Grid]:
    rows = sorted(published(FILE), key=lambda row: (int(row["n"]), row["ds"], int(row["sample"])))
    pairs = dict.fromkeys((row["ds"], int(row["sample"])) for row in rows)
    data = {f"{name}/{sample}": partial(strong_oct_half, name, sample) for name, sample in pairs}
    return [Grid(data, [entrant("and-or")], [{"max_depth": [2, 3, 4, 5]}], time_limit=60)]


def table(rows: Any) -> str:
    golden = {(row["ds"], row["sample"], row["D"]): row for row in published(FILE)}
    lines, wrong = [], []
    for shape, own in rows.groupby("shape", sort=False):
        depth = shape.removeprefix("max_depth=")
        known = [golden[(*row["data"].split("/"), depth)] for row in records(own)]
        proofs = [row for row in records(own) if row["status"] == "optimal"]
        wrong += [
            row["data"]
            for row in proofs
            if row["cost"] != int(golden[(*row["data"].split("/"), depth)]["opt"])
        ]
        solved = [sum(float(row[f"{model}_gap"]) == 0 for row in known) for model in MODELS]
        spent = [seconds(row) for row in proofs]
        mean = f"{sum(spent) / max(len(spent), 1):.2f} ({max(spent, default=0):.1f})"
        lines.append([depth, len(known), *solved, len(proofs), mean])
    head = ["depth", "rows", *MODELS, "`and-or`", "its CPU s, mean (most)"]
    differ = f"Proved values that differ from the listed optimum: {', '.join(wrong) or 'none'}."
    return "\n\n".join([markdown(head, lines), differ, remarks(rows)])


BENCHMARK = Benchmark(
    "Strong OCT's tables", grids, table, Selection(("monk*", "soybean*", "hayes*"), (), (2, 3), 10)
)
