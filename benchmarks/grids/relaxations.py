"""Values of the linear relaxations: how much a model says before any branching."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.tables import across
from odt.experiments import Grid

SETS = ("monks-1_onehot", "hayes-roth_onehot", "house-votes-84_onehot", "spect_onehot", "iris")
MODELS = ("flow-stump", "flow-oct", "benders-oct", "bin-oct", "oct", "oct-q", "paths", "and-or")


def grids() -> list[Grid]:
    place = "benchmarks.relaxation:Relaxation"
    solvers = [entrant(place, model, model=model) for model in MODELS]
    solvers += [entrant("and-or", "proof")]  # the optimum beside them
    data = {name: name for name in SETS}
    return [Grid(data, solvers, [{"max_depth": [2, 3]}], time_limit=60, check=False)]


def value(row: Mapping[str, Any]) -> str:
    found = json.loads(row["stats"]).get("root") if row["stats"] else None
    return row["status"] if found is None else f"{found:g}"


def table(rows: Any) -> str:
    return across(rows[rows["solver"] != "proof"], value)


BENCHMARK = Benchmark("Relaxations", grids, table, Selection(("monks-1*",), (), (2,), 20))
