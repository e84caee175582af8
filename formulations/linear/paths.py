"""Enumerated paths: one variable for each leaf position and sequence of tests that leads there.

After Firat, Crognier, Gabor, Hurkens, Zhang, Column generation based heuristic for learning
classification trees, Computers & Operations Research (2020). Positions are those of a complete tree
of depth D in heap order; a path may end at any of them.

    x[p] = 1      the tree has the leaf p: a position l and the tests on the way, which some rows
                  satisfy; its label is the best one, its amounts follow from its rows
    r[n,t] = 1    branch n asks test t

    (1)  sum of x[p] over the paths that end on the way to bottom leaf m = 1, for every m
    (2)  sum of x[p] over those that pass n with test t and end on the way to m = r[n,t],
         for every n, t and bottom leaf m below n
    (3)  depth >= tests on p, worst >= distinct features on p, for each p with x[p] = 1
    (4)  sum of r[n,t] over the tests of feature j <= u[j];   sum_j u[j] <= max_features,
         and the charges of the features used <= feature_budget

Errors, expected tests and explanation are sums over leaves, so they are costs of single paths;
limits on leaves choose which paths there are. The number of rows of the data does not matter, but
there are up to (2T)^D paths. `formulations.linear.and_or` has no more columns and a stronger
relaxation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from formulations.graph.successors import AllSuccessors, Figures
from formulations.linear.base import LinearFormulation
from formulations.linear.position_tree import checked_depth
from formulations.model import Goal, Model
from formulations.program.base import Expression, Ints, Values
from formulations.program.bitsets import Words
from formulations.program.linear import LinearProgram
from formulations.tree.budgets import Charged, binding_budgets, limit_features
from formulations.tree.positions import Placement, ancestors, by_position
from odt.errors import Stopped, TooLargeError
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem
from odt.model.tree import Tree


@dataclass(frozen=True)
class Paths(LinearFormulation):
    """All paths as columns.

    Parameters
    ----------
    max_columns : int, default 300000
        Refuse problems with more paths.
    """

    name: ClassVar[str] = "paths"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.MAX_NODES, Capability.MAX_FEATURES, Capability.FEATURE_BUDGET}
    )
    reference: ClassVar[str] = "Firat et al., Computers & Operations Research 2020"

    max_columns: int = 300_000

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> PathTree:
        """Write the problem as a model; see the module's docstring."""
        return PathTree(problem, goal, self, stop)


@dataclass(eq=False)
class Bundle:
    """The paths to one position.

    Attributes
    ----------
    tests : ndarray of int64, shape (P, depth of the position)
        The root's test first.
    words : ndarray of uint64
        Rows of each.
    figures : Figures
    """

    tests: Ints
    words: Words
    figures: Figures


def bundles(
    problem: Problem, depth: int, max_columns: int, stop: Callable[[], bool]
) -> dict[int, Bundle]:
    """Return the paths to every position of a complete tree, by position."""
    expansions = AllSuccessors(problem)
    whole = expansions.everything
    root = Bundle(np.zeros((1, 0), dtype=np.int64), whole, expansions.figures(whole))
    found, size = {1: root}, 1
    for n in range(1, 2**depth):
        above = found[n]
        unused = np.zeros((len(above.words), 1), dtype=np.uint64)
        sides: list[list[Bundle]] = [[], []]
        for splits in expansions.splits(above.words, unused, 1):
            Stopped.poll(stop)
            size += 2 * len(splits.owner)
            if size > max_columns:
                raise TooLargeError(
                    f"'paths' would need more than max_columns={max_columns} paths. Limit the "
                    "depth or the tests (odt.TestSet.quantiles), raise max_columns, or use "
                    "'and-or', which shares equal sets of rows."
                )
            tests = np.column_stack([above.tests[splits.owner], splits.test])
            words = expansions.sides(above.words, splits)
            for side, figures in enumerate((splits.left, splits.right)):
                sides[side].append(Bundle(tests, words[side], figures))
        for side, parts in enumerate(sides):
            found[2 * n + side] = _joined(parts, above)
    return found


def _joined(parts: list[Bundle], above: Bundle) -> Bundle:
    if not parts:
        none = np.zeros((0, above.tests.shape[1] + 1), dtype=np.int64)
        return Bundle(none, above.words[:0], above.figures.take(none[:, 0]))
    figures = Figures(*(np.concatenate(a) for a in zip(*(p.figures for p in parts), strict=True)))
    tests = np.concatenate([p.tests for p in parts])
    return Bundle(tests, np.concatenate([p.words for p in parts]), figures)


class PathTree(Model[LinearProgram]):
    """Rows (1)-(4)."""

    def __init__(
        self, problem: Problem, goal: Goal, options: Paths, stop: Callable[[], bool]
    ) -> None:
        self.problem, self.compiled = problem, problem.compiled
        self.depth = checked_depth(problem)
        self.n_branches = 2**self.depth - 1
        self.bundles = bundles(problem, self.depth, options.max_columns, stop)
        self.program = LinearProgram()
        self.x = {n: self._leaf_variables(n) for n in self.bundles}
        self.r = by_position(
            self.program.variables("r", self.n_branches, self.compiled.n_tests, priority=1)
        )
        self._add_cover(stop)
        self._add_goal(goal)
        self._limit_features()

    def _leaf_variables(self, n: int) -> Ints:
        upper = int(n > 1 or not self._root_is_too_small())
        return self.program.variables(f"x{n}", len(self.bundles[n].words), upper=upper)

    def _root_is_too_small(self) -> bool:
        data = self.problem.dataset
        return not self.problem.limits.allows_leaf(data.n_samples, data.total_weight)

    # ---- rows -----------------------------------------------------------------------------

    def _add_cover(self, stop: Callable[[], bool]) -> None:
        """Rows (1) and (2)."""
        n_tests = self.compiled.n_tests
        for bottom in range(self.n_branches + 1, 2 * self.n_branches + 2):
            Stopped.poll(stop)
            way = [bottom, *ancestors(bottom)]
            self.program.row(Expression.of(np.concatenate([self.x[n] for n in way])), 1, 1)
            for level, n in enumerate(reversed(way[1:])):
                below = [m for m in way if m > n]
                row = np.concatenate([self.bundles[m].tests[:, level] for m in below])
                variables = np.concatenate([self.x[m] for m in below])
                values = np.repeat([1, -1], [len(row), n_tests])
                rows = np.concatenate([row, np.arange(n_tests)])
                every = np.concatenate([variables, self.r[n]])
                self.program.rows(rows, every, values, 0, 0, n=n_tests)

    def _add_goal(self, goal: Goal) -> None:
        """Rows (3), the limits and the objective."""
        every = np.concatenate(list(self.x.values()))
        length, distinct = self._lengths()
        weight = np.concatenate([b.figures.weight for b in self.bundles.values()])
        errors = np.concatenate([b.figures.errors for b in self.bundles.values()])
        costs = [self.compiled.test_costs[b.tests].sum(axis=1) for b in self.bundles.values()]
        prices = [goal.prices, *(limit.prices for limit in goal.limits)]
        self._depth = self._largest("depth", length, any(p.depth for p in prices))
        self._worst = self._largest("worst", distinct, any(p.worst for p in prices))
        amounts = (
            Expression.of(every, errors),
            Expression.of(every, 2, -1),
            Expression.of(self._depth),
            Expression.of(every, weight * np.concatenate(costs)),
            Expression.of(every, weight * distinct),
            Expression.of(self._worst),
        )
        self.program.minimise(Expression.total(zip(goal.prices, amounts, strict=True)))
        for limit in goal.limits:
            amount = Expression.total(zip(limit.prices, amounts, strict=True)).gathered()
            self.program.row(amount, upper=limit.at_most)

    def _lengths(self) -> tuple[Ints, Ints]:
        """Return the number of tests, and of distinct features, of every path."""
        length, distinct = [], []
        for bundle in self.bundles.values():
            asked = np.sort(self.compiled.features[bundle.tests], axis=1)
            length.append(np.full(len(asked), asked.shape[1]))
            new = (asked[:, 1:] != asked[:, :-1]).sum(axis=1)
            distinct.append(new + (asked.shape[1] > 0))
        return np.concatenate(length), np.concatenate(distinct)

    def _largest(self, name: str, amount: Ints, is_wanted: bool) -> Ints:
        """Rows (3): one for all paths to a position, of which the tree has at most one."""
        if not is_wanted:
            return np.zeros(0, dtype=np.int64)
        most = self.program.variables(name, 1, upper=self.depth, continuous=True)
        start = 0
        for variables in self.x.values():
            part = amount[start : start + len(variables)]
            start += len(variables)
            row = Expression.of(np.append(variables, most), np.append(part, -1))
            self.program.row(row, upper=0)
        return most

    def _limit_features(self) -> None:
        """Rows (4)."""
        features, p = self.compiled.features, self.problem.dataset.n_features
        self.u = np.zeros(0, dtype=np.int64)
        self._charged: list[Charged] = []
        if not binding_budgets(self.problem, frozenset(range(p))):
            return
        self.u = self.program.variables("u", p, continuous=True)
        for n in range(1, self.n_branches + 1):
            row = np.concatenate([features, np.arange(p)])
            values = np.repeat([1, -1], [len(features), p])
            variables = np.concatenate([self.r[n], self.u])
            self.program.rows(row, variables, values, None, 0, n=p)
        self._charged = limit_features(self.program, self.problem, dict(enumerate(self.u.tolist())))

    # ---- values ---------------------------------------------------------------------------

    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values`` stand for."""
        return self._tree(1, values)

    def _tree(self, n: int, values: Values) -> Tree:
        chosen = values[self.x[n]]
        if chosen.size and chosen.max() > 0.5:
            return Tree.leaf(int(self.bundles[n].figures.label[chosen.argmax()]))
        if n > self.n_branches:
            return Tree.leaf(0)
        test = self.compiled.tests[int(values[self.r[n]].argmax())]
        return Tree.branch(test, self._tree(2 * n, values), self._tree(2 * n + 1, values))

    def encode(self, tree: Tree) -> Values | None:
        """Return values that stand for ``tree`` with the best labels."""
        heap = Placement(self.problem).place(tree)
        if heap is None:
            return None
        values = np.zeros(self.program.n_variables)
        distinct: list[int] = [0]
        for n in np.flatnonzero(heap.label >= 0).tolist():
            way = [heap.test[a] for a in reversed(ancestors(n))]
            fits = (self.bundles[n].tests == np.array(way, dtype=np.int64)).all(axis=1)
            values[self.x[n][fits]] = 1
            distinct.append(len({int(self.compiled.features[t]) for t in way}))
            values[self._depth] = np.maximum(values[self._depth], len(way))
        values[self._worst] = max(distinct)
        branches: NDArray[np.int64] = np.flatnonzero(heap.test >= 0)
        values[self.r[branches, heap.test[branches]]] = 1
        if self.u.size:
            values[self.u[self.compiled.features[heap.test[branches]]]] = 1
        for charged in self._charged:
            values[charged.variable] = values[self.u[list(charged.features)]].max()
        return values
