"""Error with tests and explanations: programs without enumeration, on the same objectives."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.tables import proofs
from odt.experiments import Grid

SETS = ("monks-1", "monks-3", "hayes-roth", "house-votes-84", "monks-2")
MEASURES = ("expected_tests", "explanation_size", "worst_explanation_size")
OBJECTIVES = [f"error + {price}*{measure}" for measure in MEASURES for price in (0.01, 0.05)]


def grids() -> list[Grid]:
    solvers = [entrant("dp"), entrant("and-or"), entrant("cp-sat"), entrant("cp-sat", core=True)]
    solvers += [entrant("flow-oct"), entrant("flow-oct", lookahead=True)]
    one_hot = {name: f"{name}_onehot" for name in SETS}
    return [
        Grid({"iris": "iris"}, solvers, [{"objective": OBJECTIVES, "max_depth": 2}], time_limit=60),
        Grid(one_hot, solvers, [{"objective": OBJECTIVES, "max_depth": 3}], time_limit=500),
    ]


BENCHMARK = Benchmark(
    "Error with tests and explanations",
    grids,
    proofs,
    Selection(("iris",), ("dp", "and-or", "cp-sat"), (), 10),
)
