"""The solver ``min-size``: smallest and lowest consistent trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.min_size.cut_tree import draw
from odt.engine.min_size.deepening import Deepening, InfeasibleError
from odt.engine.min_size.pool import SCALE
from odt.engine.min_size.reduction import reduce
from odt.engine.min_size.staircase import Staircase
from odt.engine.min_size.state import NO_LIMIT
from odt.errors import Stopped
from odt.model.capability import Capability, Need
from odt.model.measure import Amounts, Measure
from odt.model.problem import Problem
from odt.model.tree import Tree

RECORD_BYTES = 28
CELL_BYTES = 8
"""Memory for each pair of an example and a cut while the instance is reduced."""


@dataclass(frozen=True)
class MinSize(Solver):
    """Least size, least depth, or one after the other, of trees without errors.

    A memoised search over sets of examples with the monotone threshold search of Eiben et al.
    in every step, and lower bounds from linear programs over pairs of examples.

    Parameters
    ----------
    memo_bytes : int, default 2**30
        Memory for proved bounds; beyond it those of small sets are forgotten.
    """

    memo_bytes: int = 1 << 30

    name: ClassVar[str] = "min-size"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = frozenset(
        {
            Measure.SIZE,
            Measure.DEPTH,
            Capability.LEXICOGRAPHIC,
            Capability.CONSISTENT,
            Capability.CATEGORICAL,
            Capability.FIXED_TESTS,
            Capability.UNLIMITED_DEPTH,
            Capability.MAX_NODES,
        }
    )
    requires: ClassVar[tuple[str, ...]] = ("numba", "highspy", "scipy")
    reference: ClassVar[str] = (
        "Eiben, Ordyniak, Paesani, Szeider, Learning Small Decision Trees with Large Domain, "
        "IJCAI 2023 (threshold search); the search over sets and the bounds are odt's own"
    )

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve to optimality, or return the best tree and bound when the run must stop."""
        if Capability.CONSISTENT not in problem.needs:
            return _lone_leaf(problem)
        compiled = run.compile()
        if compiled.base_errors:
            return Solution(Status.INFEASIBLE)
        codes, labels = np.unique(compiled.weights.argmax(axis=1), return_inverse=True)
        if len(codes) == 1:
            return _lone_leaf(problem)
        cells = compiled.n_groups * compiled.n_tests
        run.reserve(CELL_BYTES * cells, "The sides of all cuts")
        labels = labels.astype(np.int64)
        reduced = reduce(compiled.outcomes, labels, compiled.features, run.should_stop)
        staircase = Staircase(reduced, self._records(reduced.n_examples, run), run)

        def drawn(deepening: Deepening) -> Tree | None:
            return deepening.best and draw(deepening.best, reduced, compiled.tests, codes)

        def report(deepening: Deepening) -> None:
            run.report(tree=drawn(deepening), bound=_bound(problem, deepening))

        depth = NO_LIMIT if problem.shape.max_depth is None else problem.limits.useful_depth
        deepening = Deepening(staircase, run, problem.limits.useful_branches, depth, report)
        status = _climb(problem, deepening)
        if status is Status.INFEASIBLE:
            return Solution(status, stats=_stats(staircase))
        return Solution(status, drawn(deepening), _bound(problem, deepening), _stats(staircase))

    def _records(self, n_examples: int, run: Run) -> int:
        """Return how many records the memo may hold; while it grows there are one and a half."""
        room, limit = self.memo_bytes, run.budget.memory_limit
        if limit is not None:
            room = min(room, int(limit * 2**20) // 3)
        return room // (RECORD_BYTES + 8 * -(-n_examples // 64))


def _climb(problem: Problem, deepening: Deepening) -> Status:
    """Minimise the measures of the objective in their order."""
    order = [terms[0][0] for terms in problem.objective.levels]
    by_depth = order[0] is Measure.DEPTH
    try:
        deepening.start(by_depth)
        if by_depth:
            depth = deepening.minimise_depth(deepening.max_branches)
            if Measure.SIZE in order:
                deepening.minimise_branches(depth)
        else:
            size = deepening.minimise_branches(deepening.max_depth)
            if Measure.DEPTH in order:
                deepening.minimise_depth(size)
    except InfeasibleError:
        return Status.INFEASIBLE
    except Stopped:
        return Status.FEASIBLE if deepening.best else Status.UNKNOWN
    return Status.OPTIMAL


def _bound(problem: Problem, deepening: Deepening) -> int:
    """Return the cost of a tree with the least branches and the least depth still possible."""
    amounts = Amounts(nodes=2 * deepening.least_branches + 1, depth=deepening.least_depth)
    return problem.costs.of(amounts)


def _lone_leaf(problem: Problem) -> Solution:
    """Return the tree without tests, best when errors are free or there is one class."""
    tree = Tree.leaf(int(problem.dataset.merged.weights.sum(axis=0).argmax()))
    return Solution(Status.OPTIMAL, tree, problem.costs.of(Amounts(nodes=1)))


def _stats(staircase: Staircase) -> dict[str, Any]:
    stats: dict[str, Any] = {
        "examples": staircase.reduced.n_examples,
        "cuts": len(staircase.reduced.test),
        "chains": len(staircase.reduced.chain_start) - 1,
        "work": staircase.work,
        "records": staircase.used,
        "programs": staircase.programs,
    }
    if staircase.root_vector is not None:
        example, vector = staircase.reduced.example, staircase.root_vector
        stats["dual"] = {
            "groups": np.column_stack([example[vector.one], example[vector.two]]).tolist(),
            "weights": vector.weight.tolist(),
            "unit": SCALE,
        }
    return stats
