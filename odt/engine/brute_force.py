"""The oracle: enumerate what every tree adds up to, without bounds, dominance or memory.

Slow on purpose, and short enough to check by eye. For each set of examples all trees are
enumerated by their totals; trees with equal totals and equal features are interchangeable under
every objective and limit, so one of them is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.errors import Stopped
from odt.features import ALL, Feature
from odt.problem import Problem
from odt.run import Run
from odt.solver import Solution, Solver, Status
from odt.tree import Totals, Tree

Rows = NDArray[np.intp]
Stop = Callable[[], bool]


class Profile(NamedTuple):
    """Totals of a subtree on the examples that reach it, what else is limited about it.

    ``by_class`` is the misclassified weight of each class.
    """

    errors: int
    nodes: int
    depth: int
    tests: int
    explanation: int
    worst: int
    features: frozenset[int]
    by_class: tuple[int, ...]


@dataclass(frozen=True)
class BruteForce(Solver):
    """Enumerates all trees; for a handful of rows and tests."""

    name: ClassVar[str] = "brute-force"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Feature]] = ALL

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Enumerate, filter by the limits, take the cheapest."""
        try:
            allowed = allowed_totals(problem, run.should_stop)
        except Stopped:
            return Solution(Status.UNKNOWN)
        if not allowed:
            return Solution(Status.INFEASIBLE)
        priced = [(problem.costs.of(totals), tree) for totals, tree in allowed]
        cost, tree = min(priced, key=lambda entry: entry[0])
        return Solution(Status.OPTIMAL, tree, cost, {"trees": len(priced)})


def allowed_totals(problem: Problem, stop: Stop = lambda: False) -> list[tuple[Totals, Tree]]:
    """Return all totals of trees within the limits, each with one such tree.

    Parameters
    ----------
    problem : Problem
    stop : callable, optional
        Polled; `Stopped` is raised when it says True.
    """
    weight = problem.dataset.total_weight
    return [
        (Totals(weight, *profile[:6]), tree)
        for profile, tree in all_trees(problem, stop).items()
        if _allowed(problem, profile)
    ]


def all_trees(problem: Problem, stop: Stop = lambda: False) -> dict[Profile, Tree]:
    """Return one tree for every combination of totals that some tree has.

    Limits on leaves and on depth are applied on the way; those on the whole tree are not.

    Parameters
    ----------
    problem : Problem
    stop : callable, optional
        Polled; `Stopped` is raised when it says True.
    """
    rows = np.arange(problem.dataset.n_samples)
    return _enumerate(problem, stop, rows, problem.max_depth, frozenset(), "")


def _enumerate(
    problem: Problem,
    stop: Stop,
    rows: Rows,
    depth: int,
    used: frozenset[int],
    position: str,
) -> dict[Profile, Tree]:
    data, positions = problem.dataset, problem.positions
    found = _leaves(problem, rows) if not positions or positions.allows_leaf(position) else {}
    weight = int(data.weights[rows].sum())
    for test in problem.list_tests(stop) if depth > 0 else ():
        if stop():
            raise Stopped
        yes = test.holds(data.X[rows])
        if yes.all() or not yes.any() or (positions and not positions.allows(position, test)):
            continue
        below = used | {test.feature}
        left = _enumerate(problem, stop, rows[yes], depth - 1, below, position + "L")
        right = _enumerate(problem, stop, rows[~yes], depth - 1, below, position + "R")
        paid = weight * int(data.cost_units[test.feature])
        new = int(test.feature not in used)
        for p, p_tree in left.items():
            if stop():
                raise Stopped
            for q, q_tree in right.items():
                profile = Profile(
                    errors=p.errors + q.errors,
                    nodes=1 + p.nodes + q.nodes,
                    depth=1 + max(p.depth, q.depth),
                    tests=paid + p.tests + q.tests,
                    explanation=new * weight + p.explanation + q.explanation,
                    worst=new + max(p.worst, q.worst),
                    features=p.features | q.features | {test.feature},
                    by_class=tuple(a + b for a, b in zip(p.by_class, q.by_class, strict=True)),
                )
                if profile not in found:
                    found[profile] = Tree.branch(test, p_tree, q_tree)
    return found


def _leaves(problem: Problem, rows: Rows) -> dict[Profile, Tree]:
    """Leaves with the largest class; with every class where errors of a class are limited."""
    data = problem.dataset
    weights = np.bincount(data.y[rows], data.weights[rows], data.n_classes).astype(int).tolist()
    total = sum(weights)
    if len(rows) < problem.shape.min_samples_leaf or total < problem.min_leaf_weight:
        return {}
    every = problem.max_class_errors is not None
    labels = range(len(weights)) if every else (weights.index(max(weights)),)
    found = {}
    for label in labels:
        wrong = tuple(0 if k == label else weight for k, weight in enumerate(weights))
        found[Profile(sum(wrong), 1, 0, 0, 0, 0, frozenset(), wrong)] = Tree.leaf(label)
    return found


def _allowed(problem: Problem, profile: Profile) -> bool:
    shape, leaves = problem.shape, (profile.nodes + 1) // 2
    limits = (
        (profile.nodes, shape.max_nodes),
        (leaves, shape.max_leaf_nodes),
        (profile.errors, problem.max_errors),
        *zip(profile.by_class, problem.max_class_errors or profile.by_class, strict=True),
    )
    return problem.allows_features(profile.features) and all(
        limit is None or value <= limit for value, limit in limits
    )
