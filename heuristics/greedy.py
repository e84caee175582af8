"""Greedy trees pruned for any objective, and CART, deterministic and exact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from heuristics.pruning import Pruner
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.front.cart import Grown, grow_cart
from odt.engine.front.columns import Columns
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem

_SEARCH_STEPS = 64


@dataclass(frozen=True)
class Greedy(Solver):
    """Grows one tree within the limits and returns its best pruning for the objective.

    Parameters
    ----------
    prune : bool, default True
        False returns the grown tree, with only those leaves merged whose classes agree.
    """

    prune: bool = field(default=True, kw_only=True)

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

    @abstractmethod
    def grow(self, columns: Columns, run: Run) -> Grown:
        """Grow the tree to prune, within depth, leaves, and least examples and weight of a leaf.

        Parameters
        ----------
        columns : Columns
        run : Run
            Stop growing when it must stop.
        """

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Grow, prune for every cap on depth and explanations that the objective prices."""
        columns = Columns.of(problem)
        grown = self.grow(columns, run)
        columns, grown = self._within_features(columns, grown, run)
        pruner = Pruner(columns, grown)
        prunings = _prunings(problem, pruner, run.should_stop) if self.prune else [pruner.whole()]
        for keep in prunings:
            run.report(tree=pruner.tree(keep))
            if run.should_stop():
                break
        status = Status.UNKNOWN if run.tree is None else Status.FEASIBLE
        return Solution(status, run.tree, None, {"grown_nodes": len(grown.left)})

    def _within_features(self, columns: Columns, grown: Grown, run: Run) -> tuple[Columns, Grown]:
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
        return fewer, self.grow(fewer, run)


@dataclass(frozen=True)
class Cart(Greedy):
    """Grow one greedy tree within the limits and return its best pruning for the objective.

    Our CART compares gains exactly and values in float64, and breaks ties by the lowest feature,
    then the lowest threshold, so that it depends on the data alone.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default "gini"
        Impurity that a split should lower most.
    prune : bool, default True
        False returns the grown tree, with only those leaves merged whose classes agree.
    """

    criterion: str = "gini"

    name: ClassVar[str] = "cart"
    reference: ClassVar[str] = "Breiman, Friedman, Olshen, Stone, CART, 1984"

    def grow(self, columns: Columns, run: Run) -> Grown:
        """Grow by the compiled kernel."""
        return grow_cart(
            columns,
            max_depth=columns.problem.limits.useful_depth,
            max_leaves=most_leaves(columns.problem),
            criterion=self.criterion,
        )


def most_leaves(problem: Problem) -> int | None:
    """Return the limit on leaves; None where neither nodes nor leaves are limited."""
    return problem.limits.useful_branches + 1 if Capability.MAX_NODES in problem.needs else None


def _prunings(problem: Problem, pruner: Pruner, stop: Callable[[], bool]) -> Iterator[list[bool]]:
    """Yield a best pruning for each cap on the measures that are maxima."""
    costs = problem.costs
    depths = range(pruner.depth + 1) if costs.prices.depth else [pruner.depth]
    features: list[int | None] = [None]
    if costs.prices.worst:
        features = [*range(min(pruner.depth, problem.dataset.n_features) + 1)]
    for depth in depths:
        for most in features:
            keep = pruner.best(costs.prices.errors, depth, most)
            limit = problem.limits.errors
            if limit is not None and pruner.errors(keep) > limit:
                keep = _accurate(problem, pruner, depth, most, stop)
            yield keep


def _accurate(
    problem: Problem, pruner: Pruner, depth: int, features: int | None, stop: Callable[[], bool]
) -> list[bool]:
    """Return the pruning at the smallest price of errors that keeps their limit, if any does."""
    limit = problem.limits.errors or 0
    high = problem.costs.upper + 1
    keep = pruner.best(high, depth, features)
    low = problem.costs.prices.errors
    for _ in range(_SEARCH_STEPS):
        if high - low <= 1 or pruner.errors(keep) > limit or stop():
            break
        price = (low + high) // 2
        candidate = pruner.best(price, depth, features)
        if pruner.errors(candidate) <= limit:
            keep, high = candidate, price
        else:
            low = price
    return keep
