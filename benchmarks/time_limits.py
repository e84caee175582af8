"""How late solvers are when their time is up, how much memory they take, and what they have then.

    ODT_DATA=... python benchmarks/time_limits.py --limit 5

One line a table and solver, each in a fresh process: the seconds on the clock around `odt.solve`,
how much later than that the process ended, the peak of its memory together with that of the
processes it started, the result, and the cost of CART's tree. Machine code is compiled and loaded
beforehand, by a small problem. Lines that break the rule end with "late" or "worse than cart": a
result within the limit, a tenth of it and half a second, and a tree at least as good as CART's.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

import odt
from odt.core.run import resident_memory

TABLES = "mixed:4,normal:4,digits:4,breast-cancer:3,page:3,dry_bean:4"
SOLVERS = (
    "dp,fpt,min-size,brute-force,dpdt,cart,and-or,cp-sat,maxsat,flow-oct,flow-oct[scip],"
    "flow-oct[cbc],flow-stump,benders-oct,bin-oct,oct,oct-q,paths"
)
CONSISTENT = ("fpt", "min-size")
"""Solvers of the objective size without errors."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", default=TABLES, help="mixed, normal, or names for odt.datasets")
    parser.add_argument("--solvers", default=SOLVERS)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds")
    parser.add_argument("--memory", type=float, help="memory limit in MiB")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options)), flush=True)
        return
    print("| table | depth | solver | seconds | exit | MiB | cost | cart | bound | result | |")
    print("|---" * 11 + "|")
    for spec in options.tables.split(","):
        for solver in options.solvers.split(","):
            print(f"| {' | '.join(line(spec, solver, options))} |", flush=True)


def line(spec: str, solver: str, options: argparse.Namespace) -> list[str]:
    """Solve in a fresh process and say how it went."""
    name, _, depth = spec.partition(":")
    limit = ["--limit", str(options.limit)]
    limit += ["--memory", str(options.memory)] if options.memory else []
    command = [sys.executable, __file__, "--one", "--tables", spec, "--solvers", solver, *limit]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = process.stdout.readline()
    read = time.perf_counter()
    process.wait()
    late = time.perf_counter() - read
    if not text:
        return [name, depth, solver, *[""] * 6, f"ended with code {process.returncode}", ""]
    found = json.loads(text)
    remarks = []
    if found["seconds"] > 1.1 * options.limit + 0.5 or late > 2:
        remarks.append("late")
    if found["cart"] is not None and (found["cost"] is None or found["cost"] > found["cart"]):
        remarks.append("worse than cart")
    numbers = f"{found['seconds']:.2f}", f"{late:.2f}", f"{found['mib']:.0f}"
    values = (str(found[key]) for key in ("cost", "cart", "bound", "result"))
    return [name, depth, solver, *numbers, *values, ", ".join(remarks)]


def one(options: argparse.Namespace) -> dict[str, object]:
    """Solve one problem with one solver, and CART after it."""
    name, _, depth = options.tables.partition(":")
    solver = options.solvers
    warm = odt.Dataset(np.arange(8.0)[:, None], [0, 1, 1, 0, 0, 1, 0, 0])
    for each in (solver, "cart"):
        odt.solve(problem(warm, solver, 2), each, budget=odt.Budget(time_limit=20))
    task = problem(table(name), solver, int(depth))
    task.dataset.merged  # noqa: B018 - belongs to the data
    with Peak() as peak:
        started = time.perf_counter()
        budget = odt.Budget(time_limit=options.limit, memory_limit=options.memory)
        result = odt.solve(task, solver, budget=budget)
        seconds = time.perf_counter() - started
    cart = odt.solve(task, "cart")
    return {
        "seconds": seconds,
        "mib": peak.mib,
        "cost": result.cost,
        "cart": cart.cost,
        "bound": result.cost_bound,
        "result": f"{result.status.value}, {result.stopped_by}",
    }


def problem(dataset: odt.Dataset, solver: str, depth: int) -> odt.Problem:
    """Return a problem for a solver: errors within a depth, or size without errors."""
    if solver in CONSISTENT:
        return odt.Problem(dataset, "size", odt.Shape(max_error=0))
    return odt.Problem(dataset, "error", odt.Shape(max_depth=depth))


class Peak:
    """The largest memory of this process, and of those it started, while it is watched."""

    def __enter__(self) -> Peak:
        self.mib = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            here = sum(resident_memory(child) for child in children())
            self.mib = max(self.mib, resident_memory() + here)
        self.mib = max(self.mib, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10)


def children() -> list[int]:
    """Return the processes that this one started, where the system lists them."""
    found = Path("/proc/self/task").glob("*/children")
    return [int(word) for path in found for word in path.read_text().split()]


def table(name: str) -> odt.Dataset:
    """Return a data set by name, or one that is made here."""
    rng = np.random.default_rng(0)
    if name == "mixed":
        return mixed(rng)
    if name == "normal":
        X = rng.normal(size=(20_000, 30))
        return odt.Dataset(X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0)
    return odt.datasets.load_dataset(name)


def mixed(rng: np.random.Generator) -> odt.Dataset:
    """Return a table of the shape of the census data "adult": 32,561 rows, 6 numbers, 7 texts."""
    n = 32_561
    age, sampling, education = (
        rng.integers(low, high, n) for low, high in ((17, 91), (12_000, 1_500_000), (1, 17))
    )
    gain, loss = (
        np.where(rng.random(n) < share, rng.choice(rng.integers(100, high, n_values), n), 0)
        for share, high, n_values in ((0.08, 99_999, 118), (0.05, 4_400, 91))
    )
    hours = rng.integers(1, 100, n)
    texts = [rng.integers(0, n_values, n) for n_values in (9, 7, 15, 6, 5, 2, 42)]
    score = 0.4 * (education - 9) + 0.03 * (age - 38) + 4 * (gain > 5000) + 1.8 * (texts[1] == 2)
    y = score + 0.01 * (hours - 40) - 1.9 + rng.logistic(size=n) > 0
    X = np.column_stack([age, sampling, education, gain, loss, hours, *texts])
    return odt.Dataset(X, y, categorical=range(6, 13))


if __name__ == "__main__":
    main()
