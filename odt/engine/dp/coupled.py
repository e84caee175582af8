"""Dynamic programming with non-dominated vectors, for limits that couple both sides of a test.

Where the nodes or the errors of the whole tree are limited, the best tree of a set depends on how
much of the limit the rest of the tree uses. So each state keeps all of its trees that no other
tree beats in cost and in every limited resource at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from odt.core.run import Run
from odt.engine.dp.search import StatePrices
from odt.mdp import State, TreeMDP
from odt.model.capability import Capability
from odt.model.testset import Test
from odt.model.tree import Tree


class Point(NamedTuple):
    """A tree of a state by what counts.

    Attributes
    ----------
    cost : int
    used : tuple of int
        What it uses of each limited resource: branches, errors, errors of each class.
    label : int
        Class of a leaf, -1 for a branch.
    test : Test or None
    left, right : Point or None
        Points of the two sides of a branch.
    """

    cost: int
    used: tuple[int, ...]
    label: int = -1
    test: Test | None = None
    left: Point | None = None
    right: Point | None = None

    def fits(self, other: Point) -> bool:
        """Say whether this point is at least as good as another in every respect."""
        return self.cost <= other.cost and _within(self.used, other.used)

    @property
    def tree(self) -> Tree:
        """The tree this point stands for."""
        if self.test is None:
            return Tree.leaf(self.label)
        assert self.left is not None
        assert self.right is not None
        return Tree.branch(self.test, self.left.tree, self.right.tree)


class Frontier(StatePrices):
    """Non-dominated trees of every state; same use as `recursion.Search`."""

    def __init__(self, mdp: TreeMDP, run: Run, features: int | None, worst: int | None) -> None:
        super().__init__(mdp, run, features, worst)
        problem = mdp.problem
        self.memo: dict[State, tuple[Point, ...]] = {}
        self._counts_branches = Capability.MAX_NODES in problem.needs
        self._counts_errors = problem.limits.errors is not None
        self._counts_classes = problem.limits.class_errors is not None
        self._limits = (
            *((problem.limits.useful_branches,) if self._counts_branches else ()),
            *((problem.limits.errors,) if problem.limits.errors is not None else ()),
            *(problem.limits.class_errors or ()),
        )

    @property
    def n_states(self) -> int:
        """States visited so far."""
        return len(self.memo)

    def best(
        self, depth: int, limit: int, learn: Callable[[int], object] = int
    ) -> tuple[int, Tree] | None:
        """Return cost and tree of least cost below ``limit`` within a depth; None if none.

        Nothing is learned before the end.
        """
        initial = self.mdp.initial
        points = self.points(initial._replace(depth=min(depth, initial.depth)))
        if not points or points[0].cost >= limit:
            return None
        return points[0].cost, points[0].tree

    def points(self, state: State) -> tuple[Point, ...]:
        """Return the non-dominated trees of a state, the cheapest first."""
        known = self.memo.get(state)
        if known is not None:
            return known
        self.poll()
        points = self._leaves(state)
        prices = self.prices(state, self.mdp.weight(state.examples))
        for split in self.mdp.splits(state):
            price = prices[split.test.feature]
            if price < 0:
                continue
            self.poll()
            left, right = self.mdp.successors(state, split)
            for a in self.points(left):
                points += [self._join(price, split.test, a, b) for b in self.points(right)]
        self.memo[state] = non_dominated([p for p in points if _within(p.used, self._limits)])
        return self.memo[state]

    def _leaves(self, state: State) -> list[Point]:
        """Leaves with the best label, or with any where errors of a class are limited."""
        if self.leaf_cost(state) is None:
            return []
        weights = self.mdp.class_weights(state.examples)
        if not self._counts_classes:
            best = weights.index(max(weights))
            return [self._leaf(weights, best, self.mdp.leaf_errors(state.examples))]
        return [self._leaf(weights, k, sum(weights) - w) for k, w in enumerate(weights)]

    def _leaf(self, weights: tuple[int, ...], label: int, errors: int) -> Point:
        used = (
            *((0,) if self._counts_branches else ()),
            *((errors,) if self._counts_errors else ()),
            *(
                (0 if k == label else weight for k, weight in enumerate(weights))
                if self._counts_classes
                else ()
            ),
        )
        return Point(self.costs.prices.errors * errors + self.costs.prices.nodes, used, label)

    def _join(self, price: int, test: Test, left: Point, right: Point) -> Point:
        used = tuple(a + b for a, b in zip(left.used, right.used, strict=True))
        if self._counts_branches:
            used = (used[0] + 1, *used[1:])
        return Point(price + left.cost + right.cost, used, -1, test, left, right)


def non_dominated(points: list[Point]) -> tuple[Point, ...]:
    """Return the points that no other point beats or equals, the cheapest first."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, p.used)):
        if not any(other.fits(point) for other in kept):
            kept.append(point)
    return tuple(kept)


def _within(used: tuple[int, ...], limits: tuple[int, ...]) -> bool:
    return all(u <= limit for u, limit in zip(used, limits, strict=True))
