"""The solver ``bnb``: exact trees on raw numeric data."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.branch_and_bound.binary_search import BinarySearch, suits_pairs
from odt.engine.branch_and_bound.frame import COUNT, Table, frame_bytes, make_table
from odt.engine.branch_and_bound.rebuild import rebuild
from odt.engine.branch_and_bound.search import RootSearch
from odt.engine.dp.solver import solve_mdp
from odt.engine.front.columns import Columns
from odt.errors import ProblemError
from odt.model.capability import Capability, Need
from odt.model.measure import Measure
from odt.model.problem import Problem

LARGEST_COST = 1 << 58
KERNELS = {RootSearch: "thresholds", BinarySearch: "pairs"}
LARGEST_DEPTH = 20
LARGEST_FRAME = 1 << 31
_TREE_SECONDS, _BOUND_SECONDS = 0.1, 0.005
_NO_PLAN = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class BranchAndBound(Solver):
    """Best trees of a small depth over all thresholds of raw numeric data.

    Best-first bisection of thresholds: for nested sets of rows the cost of the best subtree is
    monotone, which bounds every interval between two evaluated thresholds. Objectives are sums
    over leaves and examples, and orders of them. Costs that exceed 58 bits go to ``dp``, and so
    do tables that would take too much memory.
    """

    name: ClassVar[str] = "bnb"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = frozenset(
        {
            Measure.ERROR,
            Measure.SIZE,
            Measure.EXPECTED_TESTS,
            Measure.EXPLANATION_SIZE,
            Capability.WEIGHTED_SUM,
            Capability.LEXICOGRAPHIC,
            Capability.TEST_COSTS,
            Capability.CATEGORICAL,
            Capability.MISSING,
            Capability.FIXED_TESTS,
            Capability.MIN_SAMPLES_LEAF,
            Capability.MIN_WEIGHT_LEAF,
        }
    )
    requires: ClassVar[tuple[str, ...]] = ("numba",)
    reference: ClassVar[str] = (
        "bounds between thresholds: Brita, van der Linden, Demirovic, Optimal Classification "
        "Trees for Continuous Feature Data, AAAI 2025; the kernels and the search are odt's own"
    )

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve to optimality, or return the best tree and bound when the run must stop.

        Raises
        ------
        ProblemError
            For a depth of more than 20.
        """
        if problem.limits.useful_depth > LARGEST_DEPTH:
            raise ProblemError(
                f"The solver 'bnb' takes a max_depth of at most {LARGEST_DEPTH}. Got "
                f"{problem.shape.max_depth}. Solvers without this limit: dp, dpdt."
            )
        columns = Columns.of(problem)
        if not fits(problem, columns):
            return solve_mdp(problem, run, None)
        table = make_table(problem, columns)
        total = np.bincount(columns.label, weights=columns.weight).astype(np.int64)
        if table.row[:, COUNT].sum() < table.min_count or total.sum() < table.min_weight:
            return Solution(Status.INFEASIBLE)
        leaf = table.error_price * int(total.sum() - total.max()) + table.node_price
        depth = problem.limits.useful_depth if len(columns.columns) else 0
        first = rebuild(columns, table, _NO_PLAN, depth if depth < 2 else 0)
        run.report(tree=first, bound=table.node_price)
        if depth < 2:
            return Solution(Status.OPTIMAL, run.tree, run.cost)
        return _search(run, columns, table, depth, leaf)


def fits(problem: Problem, columns: Columns) -> bool:
    """Say whether costs and tables are small enough; if not, ``dp`` solves the problem."""
    return problem.costs.upper < LARGEST_COST and frame_bytes(problem, columns) <= LARGEST_FRAME


def _search(run: Run, columns: Columns, table: Table, depth: int, leaf: int) -> Solution:
    assert run.cost is not None
    reporter = _Reporter(run, columns, table)
    kind = BinarySearch if suits_pairs(table) else RootSearch
    search = kind(table, run, run.cost, reporter)
    done = search.depth_two()
    if done and depth > 2:
        reporter(search)
        done = search.deeper(depth, leaf)
    reporter.send(search, bound=search.depth == depth)
    stats: dict[str, Any] = {
        "kernel": KERNELS[kind],
        "evaluated": search.intervals,
        "columns": len(columns.columns),
    }
    if done:
        return Solution(Status.OPTIMAL, run.tree, search.cost, stats)
    return Solution(Status.FEASIBLE, run.tree, run.bound, stats)


class _Reporter:
    """Passes trees and bounds of a search on to the run, not too often."""

    def __init__(self, run: Run, columns: Columns, table: Table) -> None:
        self.run, self.columns, self.table = run, columns, table
        self._last_tree, self._last_bound = time.perf_counter(), 0.0
        self._sent: Any = None

    def __call__(self, search: RootSearch | BinarySearch) -> None:
        now, deep = time.perf_counter(), search.depth > 2
        if deep and now - self._last_bound >= _BOUND_SECONDS:
            self._last_bound = now
            self.run.report(bound=search.bound)
        if now - self._last_tree >= _TREE_SECONDS:
            self._last_tree = now
            self.send(search, bound=deep)

    def send(self, search: RootSearch | BinarySearch, *, bound: bool) -> None:
        """Report what is new."""
        tree = None
        if search.plan is not None and search.plan is not self._sent:
            depth = (len(search.plan) + 1).bit_length()
            tree = rebuild(self.columns, self.table, search.plan, depth)
            self._sent = search.plan
        self.run.report(tree=tree, bound=search.bound if bound else None)
