"""How late solvers are when their time is up, on problems that they cannot prove.

    ODT_DATA=... python benchmarks/time_limits.py --limit 5

One line a set and solver: the seconds on the clock around `odt.solve`, the result and the number of
points in its trace. Solvers that refuse a problem say why.
"""

from __future__ import annotations

import argparse
import time

import odt
from formulations.backends.abandon import wait_for_stragglers

SETS = "balance-scale_onehot:5,page:3,breast_cancer:3"
SOLVERS = (
    "and-or,cp-sat,maxsat,flow-oct,flow-oct[scip],flow-oct[cbc],flow-stump,benders-oct,bin-oct,"
    "oct,oct-q,paths,dp"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=SETS, help="names for odt.datasets, each with a depth")
    parser.add_argument("--solvers", default=SOLVERS)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds")
    options = parser.parse_args()
    print("| set | depth | solver | seconds | cost | bound | status | trace |")
    print("|---" * 8 + "|")
    for spec in options.sets.split(","):
        name, _, depth = spec.partition(":")
        for solver in options.solvers.split(","):
            found = line(name, int(depth), solver, options.limit)
            print(f"| {name} | {depth} | {solver} | {found} |", flush=True)


def line(name: str, depth: int, solver: str, limit: float) -> str:
    """Solve with a fresh problem, so that compiling it counts too."""
    problem = odt.Problem(odt.datasets.load_dataset(name), "error", odt.Shape(max_depth=depth))
    started = time.perf_counter()
    try:
        result = odt.solve(problem, solver, budget=odt.Budget(time_limit=limit))
    except odt.OdtError as error:
        return f"| | | {type(error).__name__} | "
    seconds = time.perf_counter() - started
    wait_for_stragglers()
    found = f"{result.cost} | {result.cost_bound} | {result.status.value} | {len(result.trace)}"
    return f"{seconds:.2f} | {found}"


if __name__ == "__main__":
    main()
