"""Formulations against each other: one problem, many models and solvers."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.tables import proofs
from odt.experiments import Grid

SETS = ("monks-1_onehot", "hayes-roth_onehot", "house-votes-84_onehot", "spect_onehot", "iris")
SOLVERS = (
    "and-or", "cp-sat", "maxsat", "flow-stump", "flow-stump[scip]", "flow-oct", "flow-oct[scip]",
    "flow-oct[cbc]", "benders-oct", "bin-oct", "bin-oct[scip]", "oct", "oct-q", "paths",
)  # fmt: skip


def grids() -> list[Grid]:
    data = {name: name for name in SETS}
    problems = [{"max_depth": [2, 3]}]
    return [Grid(data, [entrant(name) for name in SOLVERS], problems, time_limit=20)]


BENCHMARK = Benchmark(
    "One problem, many models", grids, proofs, Selection(("monks-1*", "hayes*"), (), (2,), 10)
)
