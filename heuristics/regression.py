"""Regression trees by the same decision process: squared error against complexity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from odt.core.run import Budget, Run
from odt.data.dataset import Dataset
from odt.engine.front.columns import Columns
from odt.engine.front.hull import hull_of
from odt.engine.front.search import Front, search_front
from odt.errors import (
    DataError,
    InconsistentSolutionError,
    ProblemError,
    UnsupportedProblemError,
)
from odt.generators.names import make_generator
from odt.mdp.generator import CompiledGenerator, Rule, TestGenerator
from odt.model.measure import MEASURES
from odt.model.problem import Problem
from odt.model.shape import Shape
from odt.model.tree import Tree

_ERROR_BITS = 44
_SURE_BITS = 36
"""Errors are added up rounded to 44 bits; sums over the leaves of a tree are sure to so many."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RegressionPoint:
    """A non-dominated regression tree.

    Attributes
    ----------
    tree : Tree
        Its leaf labels are positions in ``values``.
    values : ndarray of float64
        Prediction of each leaf: the weighted mean of its targets.
    error : float
        Weighted mean of the squared errors.
    complexity : float
        Expected tests or nodes.
    on_hull : bool
        Whether some price of complexity makes this tree a best one.
    """

    tree: Tree
    values: Floats
    error: float
    complexity: float
    on_hull: bool

    def predict(self, X: ArrayLike) -> Floats:
        """Return the predictions for rows ``X``, shape (n, p)."""
        return self.values[self.tree.predict_codes(np.asarray(X, dtype=np.float64))]


@dataclass(frozen=True, eq=False)
class RegressionFront:
    """The non-dominated regression trees, the most accurate first.

    Attributes
    ----------
    points : tuple of RegressionPoint
    stopped_by : str or None
    stats : mapping
    tolerance : float or None
        No tree at all has an ``error + alpha * complexity`` more than this below that of
        ``best(alpha)``; None if nothing is proved, since the generator left tests out or the search
        was cut short.
    """

    points: tuple[RegressionPoint, ...]
    stopped_by: str | None
    stats: Mapping[str, int]
    tolerance: float | None

    def best(self, alpha: float) -> RegressionPoint:
        """Return the point of least ``error + alpha * complexity``, the simpler of equals."""
        return min(self.points, key=lambda p: (p.error + alpha * p.complexity, p.complexity))


def regression_front(
    X: Any,
    y: ArrayLike,
    *,
    max_depth: int,
    complexity: str = "expected_tests",
    generator: str | TestGenerator = "cart_leaves(16)",
    sample_weight: ArrayLike | None = None,
    min_samples_leaf: int = 1,
    full: bool = False,
    budget: Budget | None = None,
) -> RegressionFront:
    """Return the regression trees that no other beats in both squared error and complexity.

    The process is that of classification with the squared error as the cost of a leaf. Errors
    are integers of ``2**-44`` of the error of a single leaf, so values closer than that tie.

    Parameters
    ----------
    X : array-like, table or Dataset of shape (n, p)
        Of a dataset, made with the same weights, the labels are not used.
    y : array-like of shape (n,)
        Targets.
    max_depth : int
    complexity : {"expected_tests", "size"}, default "expected_tests"
    generator : str or generator, default "cart_leaves(16)"
        With CARTs grown by squared error; ``"all"`` is exact.
    sample_weight : array-like of shape (n,), optional
    min_samples_leaf : int, default 1
    full : bool, default False
        Return all non-dominated trees, not only those of the convex hull.
    budget : Budget, optional

    Raises
    ------
    DataError
        If the targets are not finite numbers, one for each row.
    InconsistentSolutionError
        If a tree that was found is not what it says (`verify_point`).
    ProblemError, UnsupportedProblemError
        For an unknown measure, or a generator without rules for regression.
    """
    if complexity not in ("expected_tests", "size"):
        raise ProblemError(
            f"'complexity' must be 'expected_tests' or 'size'. Got {complexity!r} instead."
        )
    if isinstance(X, Dataset):
        data = X
    else:
        data = Dataset(X, np.zeros(len(np.asarray(y)), dtype=np.int64), sample_weight)
    targets = _checked(y, sample_weight)
    problem = Problem(data, shape=Shape(max_depth=max_depth, min_samples_leaf=min_samples_leaf))
    columns, run = Columns.of(problem), Run(problem, budget)
    means, deviation = _row_targets(data, targets)
    prices, scale = MEASURES[complexity].priced(), 2.0**_ERROR_BITS / (deviation or 1.0)
    front = search_front(
        columns,
        _rules(generator, problem.limits.useful_depth),
        prices,
        run,
        convex=not full,
        data=columns.data(prices, frozenset({"squared"}), means, scale),
    )
    points = _points(front, data, targets, means, complexity)
    for point in points:
        verify_point(point, problem, targets)
    single = deviation / float(data.weights.sum())
    proved = generator == "all" and run.stopped_by is None
    return RegressionFront(
        points, run.stopped_by, front.stats, single * 2.0**-_SURE_BITS if proved else None
    )


def verify_point(point: RegressionPoint, problem: Problem, targets: Floats) -> None:
    """Check a tree, its predictions and its error against the raw rows.

    Parameters
    ----------
    point : RegressionPoint
    problem : Problem
        The rows, limits and tests; its labels are not used.
    targets : ndarray of float64, shape (n,)
        Of the rows of positive weight.

    Raises
    ------
    InconsistentSolutionError
        If the tree breaks a limit, a leaf does not predict the mean of its rows, or the error is
        another one.
    """
    data, tree = problem.dataset, point.tree
    one_class = replace(tree, label=np.minimum(tree.label, 0))
    broken = problem.violations(one_class)
    leaf = tree.apply(data.X)
    weight = np.bincount(leaf, weights=data.weights, minlength=tree.n_nodes)
    total = np.bincount(leaf, weights=data.weights * targets, minlength=tree.n_nodes)
    means = total[leaf] / weight[leaf]
    said = point.values[tree.label[leaf]]
    error = float(np.average((targets - said) ** 2, weights=data.weights))
    size = float(np.abs(targets).max(initial=1.0))
    if not np.allclose(said, means, rtol=1e-9, atol=1e-9 * size):
        broken.append("a leaf does not predict the mean of its rows")
    if not np.isclose(error, point.error, rtol=1e-9, atol=1e-12 * size**2):
        broken.append(f"the error is {error}, not {point.error}")
    if broken:
        raise InconsistentSolutionError(f"A regression tree is refused: {'; '.join(broken)}.")


def _checked(y: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    """Return the targets of the rows of positive weight."""
    targets = np.asarray(y, dtype=np.float64)
    if targets.ndim != 1 or not np.isfinite(targets).all():
        raise DataError(f"y must be finite numbers of shape (n,). Got shape {targets.shape}.")
    return targets if sample_weight is None else targets[np.asarray(sample_weight) > 0]


def _rules(generator: str | TestGenerator, depth: int) -> tuple[Rule, ...]:
    chosen = make_generator(generator)
    rules = chosen.rules(depth) if isinstance(chosen, CompiledGenerator) else ()
    if len(rules) < depth or any(r.kind == "top" for rule in rules for r in rule.all_rules):
        raise UnsupportedProblemError(f"The generator {generator!r} has no rules for regression.")
    return tuple(_squared(rule) for rule in rules)


def _squared(rule: Rule) -> Rule:
    return rule._replace(criterion="squared", also=tuple(_squared(r) for r in rule.also))


def _row_targets(data: Dataset, targets: Floats) -> tuple[Floats, float]:
    """Mean target of each distinct row, centred, and the squared error of a single leaf."""
    centred = targets - np.average(targets, weights=data.weights)
    row_of, n_rows = data.merged.row_of, len(data.merged.X)
    sums = np.bincount(row_of, weights=data.weights * centred, minlength=n_rows)
    weight = np.bincount(row_of, weights=data.weights, minlength=n_rows)
    return sums / weight, float(data.weights @ centred**2)


def _points(
    front: Front, data: Dataset, targets: Floats, means: Floats, complexity: str
) -> tuple[RegressionPoint, ...]:
    """Build the trees; errors and complexities are computed from them and the raw rows."""
    on_hull, points = set(hull_of(front.vertices)), []
    columns, centre = front.columns, float(np.average(targets, weights=data.weights))
    for i in range(len(front.vertices)):
        values: list[float] = []

        def label(rows: NDArray[np.intp], values: list[float] = values) -> int:
            values.append(centre + float(np.average(means[rows], weights=columns.weight[rows])))
            return len(values) - 1

        tree = front.tree(i, label)
        errors = (targets - np.array(values)[tree.predict_codes(data.X)]) ** 2
        measure = tree.measures(data)[complexity]
        error = float(np.average(errors, weights=data.weights))
        points.append(RegressionPoint(tree, np.array(values), error, measure, i in on_hull))
    return tuple(points)
