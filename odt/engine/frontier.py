"""Dynamic programming with non-dominated vectors, for limits that couple both sides of a test.

Where the number of nodes or the error of the whole tree is limited, the best tree of a set
depends on how much of the limit the rest of the tree uses. So each state keeps all of its trees
that no other tree beats in cost, branches and errors at once.
"""

from __future__ import annotations

from typing import NamedTuple

from odt.engine.recursion import StatePrices
from odt.features import Feature
from odt.mdp import State, TreeMDP
from odt.run import Run
from odt.testset import Test
from odt.tree import Tree


class Point(NamedTuple):
    """A tree of a state by what counts: cost, and the limited resources it uses.

    Attributes
    ----------
    cost : int
    branches, errors : int
        0 where not limited, so that they do not tell trees apart.
    test : Test or None
        Root test, None for a leaf.
    left, right : Point or None
        Points of the two sides.
    """

    cost: int
    branches: int
    errors: int
    test: Test | None = None
    left: Point | None = None
    right: Point | None = None

    def fits(self, other: Point) -> bool:
        """Say whether this point is at least as good as another in every respect."""
        return (
            self.cost <= other.cost
            and self.branches <= other.branches
            and self.errors <= other.errors
        )


class Frontier(StatePrices):
    """Non-dominated trees of every state; same use as `recursion.Search`."""

    def __init__(self, mdp: TreeMDP, run: Run, features: int | None, worst: int | None) -> None:
        super().__init__(mdp, run, features, worst)
        problem = mdp.problem
        self.memo: dict[State, tuple[Point, ...]] = {}
        self._count_branches = Feature.MAX_NODES in problem.needs
        self._max_branches = problem.max_branches
        self._max_errors = problem.max_errors

    @property
    def n_states(self) -> int:
        """States visited so far."""
        return len(self.memo)

    def best(self, depth: int, limit: int) -> tuple[int, Tree] | None:
        """Return cost and tree of least cost below ``limit`` within a depth; None if none."""
        initial = self.mdp.initial
        state = self.mdp.state(initial.examples, min(depth, initial.depth), 0)
        points = self.points(state)
        if not points or points[0].cost >= limit:
            return None
        return points[0].cost, self._tree(points[0], state.examples)

    def points(self, state: State) -> tuple[Point, ...]:
        """Return the non-dominated trees of a state, the cheapest first."""
        known = self.memo.get(state)
        if known is not None:
            return known
        self.poll()
        points = []
        leaf = self.leaf_cost(state.examples)
        if leaf is not None:
            points.append(Point(leaf, 0, self._counted_errors(state.examples)))
        prices = self.prices(state, self.mdp.weight(state.examples))
        for split in self.mdp.splits(state):
            price = prices[split.test.feature]
            if price < 0:
                continue
            left, right = self.mdp.successors(state, split)
            for a in self.points(left):
                points += [self._join(price, split.test, a, b) for b in self.points(right)]
        self.memo[state] = non_dominated([p for p in points if self._within_limits(p)])
        return self.memo[state]

    def _join(self, price: int, test: Test, left: Point, right: Point) -> Point:
        branches = left.branches + right.branches + int(self._count_branches)
        cost = price + left.cost + right.cost
        return Point(cost, branches, left.errors + right.errors, test, left, right)

    def _counted_errors(self, examples: int) -> int:
        return 0 if self._max_errors is None else self.leaf_errors(examples)

    def _within_limits(self, point: Point) -> bool:
        return point.branches <= self._max_branches and (
            self._max_errors is None or point.errors <= self._max_errors
        )

    def _tree(self, point: Point, examples: int) -> Tree:
        if point.test is None:
            return Tree.leaf(self.label(examples))
        assert point.left is not None
        assert point.right is not None
        left = examples & self.mdp.left_mask(point.test)
        return Tree.branch(
            point.test,
            self._tree(point.left, left),
            self._tree(point.right, examples ^ left),
        )


def non_dominated(points: list[Point]) -> tuple[Point, ...]:
    """Return the points that no other point beats or equals, the cheapest first."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, p.branches, p.errors)):
        if not any(other.fits(point) for other in kept):
            kept.append(point)
    return tuple(kept)
