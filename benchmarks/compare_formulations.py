"""Formulations against each other: one problem, many models and solvers.

    ODT_DATA=... python benchmarks/compare_formulations.py --limit 60 --output race.csv
    ODT_DATA=... python benchmarks/compare_formulations.py --roots --depths 2 --output roots.csv
    ... --solvers "flow-oct;flow-oct dominance=False;flow-oct symmetry=False"

Solvers are separated by semicolons and may carry options, so that ablations are runs like others.
Every run has at most ``--limit`` seconds of CPU time, by default on one thread, so that other work
on the machine does not count, and six times that on the clock (CBC, a process of its own, has only
this one). CPU seconds of child processes are included in the figures. The CSV grows by one line a
run; a run with the same ``--output`` skips what it holds. ``--roots`` computes the values of the
linear relaxations instead. ``--summary`` only prints the table of a CSV, and every pair of proofs
that contradict each other.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from ast import literal_eval
from collections import defaultdict
from pathlib import Path
from typing import Any

from resumable import append, rows_of

import odt
from formulations.model import Goal, limits_of
from odt.core.registry import make_solver

SETS = "monks-1_onehot,hayes-roth_onehot,house-votes-84_onehot,spect_onehot,iris"
SOLVERS = (
    "and-or;cp-sat;maxsat;flow-stump;flow-stump[scip];flow-oct;flow-oct[scip];flow-oct[cbc];"
    "benders-oct;bin-oct;bin-oct[scip];oct;oct-q;paths"
)
KEY = ("set", "depth", "objective", "solver")
FIELDS = (
    *KEY, "examples", "tests", "status", "cost", "bound", "cpu", "wall",
    "variables", "rows", "nodes", "root",
)  # fmt: skip


def main() -> None:
    options = arguments()
    path = Path(options.output)
    done = {tuple(row[k] for k in KEY) for row in rows_of(path)}
    if not options.summary:
        for record in runs(options, done):
            append(path, FIELDS, record)
            print(
                " ".join(f"{k}={v}" for k, v in record.items() if v not in ("", None)), flush=True
            )
    summarise(rows_of(path), "root" if options.roots else "cpu")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=SETS, help="names for odt.datasets, by commas")
    parser.add_argument("--depths", default="2,3")
    parser.add_argument("--objectives", default="error", help="separated by semicolons")
    parser.add_argument("--solvers", default=SOLVERS, help="separated by semicolons")
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds for each run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", default="race.csv")
    parser.add_argument("--roots", action="store_true", help="relaxations only")
    parser.add_argument("--summary", action="store_true", help="print what the output holds")
    return parser.parse_args()


def runs(options: argparse.Namespace, done: set[tuple[str, ...]]) -> Any:
    for name in options.sets.split(","):
        data = odt.datasets.load_dataset(name)
        for depth in map(int, options.depths.split(",")):
            for objective in options.objectives.split(";"):
                problem = odt.Problem(data, objective, odt.Shape(max_depth=depth))
                for solver in options.solvers.split(";"):
                    key = (name, str(depth), objective, solver)
                    if key not in done:
                        found = root(problem, solver) if options.roots else run(
                            problem, solver, options.limit, options.threads
                        )  # fmt: skip
                        size = {"examples": data.n_samples, "tests": problem.compiled.n_tests}
                        yield {**dict(zip(KEY, key, strict=True)), **size, **found}


def parse(solver: str) -> Any:
    """Return the solver of a text such as ``flow-oct[scip] symmetry=False``."""
    name, *settings = solver.split()
    pairs = (setting.split("=", 1) for setting in settings)
    return make_solver(name, {k: literal_eval(v) for k, v in pairs})


def run(problem: odt.Problem, solver: str, limit: float, threads: int) -> dict[str, Any]:
    """Solve once; what went wrong is the status."""
    cpu, wall = cpu_seconds(), time.perf_counter()
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        budget = odt.Budget(time_limit=6 * limit, n_threads=threads)
        result = odt.solve(problem, parse(solver), budget=budget)
    except odt.OdtError as error:
        return {"status": type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    record = {
        "status": result.status.value,
        "cost": result.cost,
        "bound": result.cost_bound,
        "cpu": round(cpu_seconds() - cpu, 2),
        "wall": round(time.perf_counter() - wall, 2),
        **{k: result.stats.get(k) for k in ("variables", "rows", "nodes")},
    }
    return record


def root(problem: odt.Problem, solver: str) -> dict[str, Any]:
    """Return the value of the linear relaxation."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    try:
        kind = parse(solver)
        goal = Goal(kind.first_prices(problem), limits_of(problem))
        program = kind.build(problem, goal, lambda: False).program
    except odt.OdtError as error:
        return {"status": type(error).__name__}
    if not hasattr(program, "matrix"):
        return {"status": "not linear"}
    constraints = LinearConstraint(program.matrix, *program.limits)
    cpu = cpu_seconds()
    found = milp(program.prices, constraints=constraints, bounds=Bounds(0, program.upper))
    return {
        "status": "relaxed",
        "root": None
        if found.fun is None
        else abs(round(found.fun + program.objective.constant, 2)),
        "cpu": round(cpu_seconds() - cpu, 2),
        "variables": program.n_variables,
        "rows": program.n_rows,
    }


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its finished children."""
    return sum(os.times()[:4])


def summarise(rows: list[dict[str, str]], figure: str) -> None:
    """Print one line an instance and one column a solver: CPU seconds of proofs, or gaps."""
    table: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    proofs: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        key = (row["set"], row["depth"], row["objective"])
        table[key][row["solver"]] = cell(row, figure)
        if row["status"] == "optimal":
            proofs[key][row["cost"]].append(row["solver"])
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    print("| instance | optimum | " + " | ".join(solvers) + " |")
    print("|---" * (len(solvers) + 2) + "|")
    for key, cells in table.items():
        optimum = "/".join(proofs[key]) or "?"
        values = " | ".join(cells.get(solver, "") for solver in solvers)
        print(f"| {key[0]} D={key[1]} {key[2]} | {optimum} | {values} |")
    for key, found in proofs.items():
        if len(found) > 1:
            print("CONTRADICTION", *key, dict(found))


def cell(row: dict[str, str], figure: str) -> str:
    if figure == "root" or row["status"] == "optimal":
        return row[figure] or row["status"]
    if row["status"] == "feasible":
        return f"{row['bound']}..{row['cost']}"
    return row["status"]


if __name__ == "__main__":
    main()
