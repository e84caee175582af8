"""Figure 1 of the DPDT paper: size of the search space against the accuracy it allows, on iris.

States are distinct (set, depth left) pairs. CART's tests reach the optimum with a hundredth of the
states of all tests.
"""

from __future__ import annotations

import json
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.tables import markdown, records, remarks
from odt.experiments import Grid

GENERATORS = (
    *(f"cart_depth({depth}, last_level='same')" for depth in (1, 2, 3, 4)),
    *(f"cart_leaves({leaves}, last_level='same')" for leaves in (8, 16)),
    "cart_leaves(8)",
    *(f"top({k}, last_level='same')" for k in (3, 10, 20)),
    *(f"quantiles({q}, last_level='same')" for q in (3, 8)),
    "all",
)


def grids() -> list[Grid]:
    solvers = [entrant("dpdt", name, generator=name) for name in GENERATORS]
    return [Grid({"iris": "iris"}, solvers, [{"max_depth": 3}])]


def table(rows: Any) -> str:
    lines = [
        [
            f"`{row['solver']}`",
            json.loads(row["stats"])["stored_states"],
            f"{1 - row['error']:.4f}",
            f"{row['time']:.3f}",
        ]
        for row in records(rows)
        if row["error"] is not None
    ]
    return "\n\n".join(
        [markdown(["generator", "states", "accuracy", "seconds"], lines), remarks(rows)]
    )


BENCHMARK = Benchmark("States against accuracy on iris", grids, table, Selection())
