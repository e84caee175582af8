"""The flow formulation here and in odtlearn, whose solver is CBC."""

from __future__ import annotations

from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant, peer
from benchmarks.tables import across, ratios, remarks
from odt.experiments import Grid

SETS = ("soybean-small", "monks-1", "monks-2", "monks-3", "hayes-roth", "house-votes-84")


def grids() -> list[Grid]:
    data = {name: f"categorical/{name}_onehot" for name in SETS}
    solvers = [entrant("flow-oct"), entrant("flow-oct[scip]")]
    solvers += [peer("odtlearn:OdtlearnPeer", "odtlearn", method="FlowOCT")]
    return [Grid(data, solvers, [{"max_depth": 2}], time_limit=90, check=False)]


def table(rows: Any) -> str:
    return "\n\n".join([across(rows), ratios(rows, "flow-oct"), remarks(rows)])


BENCHMARK = Benchmark(
    "Flow formulation against odtlearn", grids, table, Selection(("soybean*",), (), (), 20)
)
