"""CART, deterministic and exact, pruned for any objective."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from heuristics.pruning import Pruner
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.front.cart import Grown, grow_cart
from odt.engine.front.columns import Columns
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem
from odt.model.tree import Tree

_SEARCH_STEPS = 64


@dataclass(frozen=True)
class Cart(Solver):
    """Grow one greedy tree within the limits and return its best pruning for the objective.

    Our CART compares gains exactly and values in float64, and breaks ties by the lowest feature,
    then the lowest threshold, so that it depends on the data alone.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default "gini"
        Impurity that a split should lower most.
    """

    criterion: str = "gini"

    name: ClassVar[str] = "cart"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.UNLIMITED_DEPTH, Capability.MAX_NODES, Capability.MAX_FEATURES}
    )
    reference: ClassVar[str] = "Breiman, Friedman, Olshen, Stone, CART, 1984"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Grow, prune for every cap on depth and explanations that the objective prices."""
        columns = Columns.of(problem)
        grown = self._grown(columns)
        columns, grown = self._within_features(columns, grown)
        for tree in _prunings(problem, Pruner(columns, grown)):
            run.report(tree=tree)
            if run.should_stop():
                break
        status = Status.UNKNOWN if run.tree is None else Status.FEASIBLE
        return Solution(status, run.tree, None, {"grown_nodes": len(grown.left)})

    def _grown(self, columns: Columns) -> Grown:
        problem = columns.problem
        limited = Capability.MAX_NODES in problem.needs
        return grow_cart(
            columns,
            max_depth=problem.limits.useful_depth,
            max_leaves=problem.limits.useful_branches + 1 if limited else None,
            criterion=self.criterion,
        )

    def _within_features(self, columns: Columns, grown: Grown) -> tuple[Columns, Grown]:
        """Grow again on the most used features if the tree uses more than are allowed."""
        limit = columns.problem.shape.max_features
        use: dict[int, int] = {}
        for column, weight in zip(grown.column, grown.counts.sum(axis=1), strict=True):
            if column >= 0:
                feature = columns.columns[column].feature
                use[feature] = use.get(feature, 0) + int(weight)
        if limit is None or len(use) <= limit:
            return columns, grown
        chosen = sorted(use, key=lambda f: (-use[f], f))[:limit]
        fewer = replace(columns, columns=tuple(c for c in columns.columns if c.feature in chosen))
        return fewer, self._grown(fewer)


def _prunings(problem: Problem, pruner: Pruner) -> Iterator[Tree]:
    """Yield a best pruning for each cap on the measures that are maxima."""
    costs, shape = problem.costs, problem.shape
    depths = (
        range(problem.limits.useful_depth + 1)
        if costs.prices.depth
        else [problem.limits.useful_depth]
    )
    features: list[int | None] = [None]
    if costs.prices.worst:
        features = [*range(min(problem.limits.useful_depth, problem.dataset.n_features) + 1)]
    for depth in depths:
        for most in features:
            tree = pruner.best(costs.prices.errors, depth, most)
            if shape.max_error is not None and _errors(problem, tree) > (
                problem.limits.errors or 0
            ):
                tree = _accurate(problem, pruner, depth, most)
            yield tree


def _accurate(problem: Problem, pruner: Pruner, depth: int, features: int | None) -> Tree:
    """Return the pruning at the smallest price of errors that keeps their limit, if any does."""
    limit = problem.limits.errors or 0
    high = problem.costs.upper + 1
    tree = pruner.best(high, depth, features)
    low = problem.costs.prices.errors
    for _ in range(_SEARCH_STEPS):
        if high - low <= 1 or _errors(problem, tree) > limit:
            break
        price = (low + high) // 2
        candidate = pruner.best(price, depth, features)
        if _errors(problem, candidate) <= limit:
            tree, high = candidate, price
        else:
            low = price
    return tree


def _errors(problem: Problem, tree: Tree) -> int:
    return tree.amounts(problem.dataset).errors
