"""How late solvers are when their time is up, how much memory they take, and what they have then.

Late is a result after the limit, a tenth of it and half a second; a tree must be at least as good
as CART's. The memory is that of the run's processes together.
"""

from __future__ import annotations

from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.data import mixed, normal
from benchmarks.tables import markdown, records, remarks
from odt.experiments import Grid

LIMIT = 5.0
SOLVERS = (
    "dp", "brute-force", "dpdt", "cart", "and-or", "cp-sat", "maxsat", "flow-oct",
    "flow-oct[scip]", "flow-oct[cbc]", "flow-stump", "benders-oct", "bin-oct", "oct", "oct-q",
    "paths",
)  # fmt: skip
CONSISTENT = ("fpt", "min-size")
"""Solvers of the objective size without errors."""
SHALLOW = {name: name for name in ("breast-cancer", "page", "dry_bean")}


def grids() -> list[Grid]:
    deep = {"mixed": mixed, "normal": normal, "digits": "digits"}
    solvers, consistent = map(entrant, SOLVERS), map(entrant, CONSISTENT)
    solvers, consistent = list(solvers), list(consistent)
    return [
        Grid(deep, solvers, [{"max_depth": 4}], time_limit=LIMIT),
        Grid(SHALLOW, solvers, [{"max_depth": 3}], time_limit=LIMIT),
        Grid(
            {**deep, **SHALLOW},
            consistent,
            [{"objective": "size", "max_error": 0.0}],
            time_limit=LIMIT,
        ),
    ]


def table(rows: Any) -> str:
    held = records(rows)
    cart = {row["instance"]: row["cost"] for row in held if row["solver"] == "cart"}
    lines = []
    for row in held:
        greedy, cost = cart.get(row["instance"]), row["cost"]
        remarked = []
        if row["time"] is not None and row["time"] > 1.1 * row["time_limit"] + 0.5:
            remarked.append("late")
        if greedy is not None and row["status"] == "feasible" and cost > greedy:
            remarked.append("worse than cart")
        time = "-" if row["time"] is None else f"{row['time']:.2f}"
        memory = "-" if row["memory"] is None else f"{row['memory']:.0f}"
        figures = [time, memory, cost, greedy, row["cost_bound"], row["status"], row["stopped_by"]]
        lines.append([row["data"], row["shape"], row["solver"], *figures, ", ".join(remarked)])
    head = ["data", "shape", "solver", "seconds", "MiB", "cost", "cart", "bound", "status"]
    return "\n\n".join([markdown([*head, "stopped by", "remark"], lines), remarks(rows)])


BENCHMARK = Benchmark(
    "Time limits", grids, table, Selection(("breast-cancer",), ("dp", "cart", "cp-sat"), (), 2)
)
