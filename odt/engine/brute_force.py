"""The oracle: enumerate what every tree adds up to, without bounds, dominance or memory.

Slow on purpose, and short enough to check by eye. For each set of examples all trees are
enumerated by their amounts; trees with equal amounts and equal features are interchangeable under
every objective and limit, so one of them is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.errors import Stopped
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    STRUCTURE,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA, Amounts, Measure
from odt.model.problem import Problem
from odt.model.tree import Tree

Rows = NDArray[np.intp]
Stop = Callable[[], bool]


class Profile(NamedTuple):
    """Amounts of a subtree on the examples that reach it, and what else is limited about it.

    The first fields are those of `Amounts`; ``by_class`` is the misclassified weight of each class.
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
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.UNLIMITED_DEPTH, Capability.MAX_NODES, Capability.MAX_FEATURES}
        | {Measure.SQUARED_ERROR}
        | STRUCTURE
    )

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Enumerate, filter by the limits, take the cheapest."""
        try:
            allowed = allowed_amounts(problem, run.should_stop)
        except Stopped:
            return Solution(Status.UNKNOWN)
        if not allowed:
            return Solution(Status.INFEASIBLE)
        priced = [(problem.costs.of(amounts), tree) for amounts, tree in allowed]
        cost, tree = min(priced, key=lambda entry: entry[0])
        return Solution(Status.OPTIMAL, tree, cost, {"trees": len(priced)})


def allowed_amounts(problem: Problem, stop: Stop = lambda: False) -> list[tuple[Amounts, Tree]]:
    """Return all amounts of trees within the limits, each with one such tree.

    Parameters
    ----------
    problem : Problem
    stop : callable, optional
        Polled; `Stopped` is raised when it says True.
    """
    return [
        (Amounts(*profile[:6]), tree)
        for profile, tree in all_trees(problem, stop).items()
        if _allowed(problem, profile)
    ]


def all_trees(problem: Problem, stop: Stop = lambda: False) -> dict[Profile, Tree]:
    """Return one tree for every combination of amounts that some tree has.

    Limits on leaves and on depth are applied on the way; those on the whole tree are not.

    Parameters
    ----------
    problem : Problem
    stop : callable, optional
        Polled; `Stopped` is raised when it says True.
    """
    rows = np.arange(problem.dataset.n_samples)
    return _enumerate(problem, stop, rows, problem.limits.useful_depth, frozenset(), "")


def _enumerate(
    problem: Problem,
    stop: Stop,
    rows: Rows,
    depth: int,
    used: frozenset[int],
    position: str,
) -> dict[Profile, Tree]:
    data, positions = problem.dataset, problem.limits.positions
    found = _leaves(problem, rows) if not positions or positions.allows_leaf(position) else {}
    weight = int(data.weights[rows].sum())
    for test in problem.list_tests(stop) if depth > 0 else ():
        Stopped.poll(stop)
        yes = test.holds(data.X[rows])
        if yes.all() or not yes.any() or (positions and not positions.allows(position, test)):
            continue
        below = used | {test.feature}
        left = _enumerate(problem, stop, rows[yes], depth - 1, below, position + "L")
        right = _enumerate(problem, stop, rows[~yes], depth - 1, below, position + "R")
        paid = weight * int(data.cost_units[test.feature])
        new = int(test.feature not in used)
        for p, p_tree in left.items():
            Stopped.poll(stop)
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
    if not problem.limits.allows_leaf(len(rows), total):
        return {}
    if data.targets is not None:
        errors = data.targets.least_errors(data.targets.moments[rows].sum(axis=0))
        return {Profile(errors, 1, 0, 0, 0, 0, frozenset(), ()): Tree.leaf(0)}
    every = problem.limits.class_errors is not None
    labels = range(len(weights)) if every else (weights.index(max(weights)),)
    found = {}
    for label in labels:
        wrong = tuple(0 if k == label else weight for k, weight in enumerate(weights))
        found[Profile(sum(wrong), 1, 0, 0, 0, 0, frozenset(), wrong)] = Tree.leaf(label)
    return found


def _allowed(problem: Problem, profile: Profile) -> bool:
    limits = problem.limits
    pairs = (
        (profile.nodes, limits.nodes),
        (profile.errors, limits.errors),
        *zip(profile.by_class, limits.class_errors or profile.by_class, strict=True),
    )
    return limits.allows_features(profile.features) and all(
        most is None or value <= most for value, most in pairs
    )
