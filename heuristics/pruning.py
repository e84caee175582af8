"""The best pruning of a grown tree for an objective."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from odt.engine.front.cart import Grown
from odt.engine.front.columns import Columns
from odt.model.testset import Test
from odt.model.tree import Tree


@dataclass(frozen=True, eq=False)
class Pruner:
    """Finds prunings of a grown tree of least additive cost, as the nodes that stay branches.

    Parameters
    ----------
    columns : Columns
    grown : Grown
    """

    columns: Columns
    grown: Grown

    def best(
        self, error_price: int, max_depth: int | None = None, max_features: int | None = None
    ) -> list[bool]:
        """Return the branches of the pruning of least additive cost, leaves winning ties.

        The cost is that of the problem (its node, test and explanation prices) with the given
        price of an error; a branch is kept only if it costs less than its leaf.

        Parameters
        ----------
        error_price : int
        max_depth : int, optional
            Nodes at this depth become leaves.
        max_features : int, optional
            Most distinct features on a path.
        """
        costs, left = self.columns.problem.costs, self.grown.left
        errors, depth, features = self._errors, self._depth, self._features_below
        cost = [error_price * e + costs.prices.nodes for e in errors]
        keep = [False] * len(left)
        for v in range(len(left) - 1, -1, -1):
            if left[v] < 0 or (max_depth is not None and depth[v] >= max_depth):
                continue
            if max_features is not None and features[v] > max_features:
                continue
            as_branch = self._prices[v] + cost[left[v]] + cost[left[v] + 1]
            if as_branch < cost[v]:
                cost[v], keep[v] = as_branch, True
        return keep

    def whole(self) -> list[bool]:
        """Return the branches of the whole tree."""
        return [left >= 0 for left in self.grown.left.tolist()]

    def errors(self, keep: list[bool]) -> int:
        """Return the misclassified weight units of a pruning."""
        return sum(self._errors[v] for v in self._preorder(keep) if not keep[v])

    def tree(self, keep: list[bool]) -> Tree:
        """Return a pruning as a tree."""
        tests: list[Test | None] = []
        labels, nodes = self.grown.counts.argmax(axis=1).tolist(), self._preorder(keep)
        for v in nodes:
            cut = int(self.grown.column[v]), int(self.grown.cut[v])
            tests.append(self.columns.test(*cut) if keep[v] else None)
        return Tree.preorder(tests, [labels[v] for v in nodes])

    @cached_property
    def depth(self) -> int:
        """Depth of the grown tree."""
        return max(self._depth)

    @cached_property
    def _errors(self) -> list[int]:
        counts = self.grown.counts
        return [int(e) for e in counts.sum(axis=1) - counts.max(axis=1)]

    @cached_property
    def _paths(self) -> tuple[list[int], list[frozenset[int]]]:
        """Depth of each node, and the features on its path with its own."""
        left = self.grown.left
        depth, above = [0] * len(left), [frozenset[int]()] * len(left)
        for v in range(len(left)):
            if left[v] < 0:
                continue
            above[v] |= {self.columns.columns[self.grown.column[v]].feature}
            for child in (left[v], left[v] + 1):
                depth[child], above[child] = depth[v] + 1, above[v]
        return depth, above

    @property
    def _depth(self) -> list[int]:
        return self._paths[0]

    @cached_property
    def _features_below(self) -> list[int]:
        return [len(features) for features in self._paths[1]]

    @cached_property
    def _prices(self) -> list[int]:
        """Cost of each branch itself."""
        problem, left, above = self.columns.problem, self.grown.left, self._paths[1]
        costs, units = problem.costs, problem.dataset.cost_units
        weight = [int(w) for w in self.grown.counts.sum(axis=1)]
        before: list[frozenset[int]] = [frozenset()] * len(left)
        prices = [0] * len(left)
        for v in range(len(left)):
            if left[v] < 0:
                continue
            feature = self.columns.columns[self.grown.column[v]].feature
            new = feature not in before[v]
            prices[v] = costs.prices.nodes + weight[v] * (
                costs.prices.tests * int(units[feature]) + costs.prices.explanation * new
            )
            before[left[v]] = before[left[v] + 1] = above[v]
        return prices

    def _preorder(self, keep: list[bool]) -> list[int]:
        """Return the nodes of a pruning in preorder."""
        nodes: list[int] = []
        waiting = [0]
        while waiting:
            v = waiting.pop()
            nodes.append(v)
            if keep[v]:
                left = int(self.grown.left[v])
                waiting += [left + 1, left]
        return nodes
