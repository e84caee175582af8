"""How far CART, DPDT and SER-DT are from the proven optimum: errors per set, and the gap.

The last column is the optimum of Quant-BnB in Table 1 of the DPDT paper (arXiv 2309.12701).
"""

from __future__ import annotations

from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.grids.dpdt_table1 import PUBLISHED
from benchmarks.tables import markdown, optimum, records, remarks
from odt.experiments import Grid

HEURISTICS = ("cart", "dpdt", "ser-dt")


def grids() -> list[Grid]:
    data = {name: f"split/{name}_train" for name in PUBLISHED}
    solvers = [entrant("bnb"), *map(entrant, HEURISTICS)]
    return [Grid(data, solvers, [{"max_depth": 3}], time_limit=600)]


def table(rows: Any) -> str:
    by_set: dict[str, dict[str, Any]] = {}
    for row in records(rows):
        by_set.setdefault(row["data"], {})[row["solver"]] = row
    lines = []
    for name, found in by_set.items():
        exact = found.get("bnb")
        if exact is None or exact["cost"] is None:
            continue
        line = [name, optimum(exact), f"{100 * (1 - exact['error']):.2f}"]
        for solver in HEURISTICS:
            cost = found[solver]["cost"] if solver in found else None
            above = "-" if cost is None else f"{100 * (cost / max(exact['cost'], 1) - 1):.1f}"
            line += [str(cost), above]
        lines.append([*line, PUBLISHED[name][0]])
    heads = [f"{solver} {what}" for solver in HEURISTICS for what in ("errors", "% above")]
    head = ["set", "optimum", "accuracy %", *heads, "published optimum %"]
    return "\n\n".join([markdown(head, lines), remarks(rows)])


BENCHMARK = Benchmark(
    "How far heuristics are from the optimum",
    grids,
    table,
    Selection(("bank", "raisin", "wilt"), (), (), 20),
)
