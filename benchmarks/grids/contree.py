"""`bnb` beside ConTree, of its authors and of pytrees-rs, on whole numeric sets."""

from __future__ import annotations

from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant, peer
from benchmarks.tables import across, ratios, remarks
from odt.experiments import Grid

SETS = (
    "bank", "raisin", "wilt", "bidding", "segment", "room", "page", "rice", "occupancy", "bean"
)  # fmt: skip


def grids() -> list[Grid]:
    data = {name: f"continuous/{name}" for name in SETS}
    peers = [peer("contree:ConTreePeer", "ConTree"), peer("pytrees:PytreesPeer", "pytrees-rs")]
    solvers = [entrant("bnb"), *peers]
    return [Grid(data, solvers, [{"max_depth": [2, 3, 4]}], time_limit=600, check=False)]


def table(rows: Any) -> str:
    return "\n\n".join([across(rows), ratios(rows, "bnb"), remarks(rows)])


BENCHMARK = Benchmark(
    "Branch and bound on raw data", grids, table, Selection(("bank", "wilt"), (), (2, 3), 30)
)
