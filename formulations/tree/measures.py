"""The six measures, and the limits on a tree, as linear expressions of a complete-tree model.

Any model over the positions of a complete binary tree (see `formulations.tree.positions`) that has
the three blocks of `TreeVariables` gets everything else from here. With w_u the weight of group u,
1. nodes        1 + 2 sum_n split[n]
2. depth        sum_l level[l],            level[l] >= split[n] for n at depth l
3. tests        sum_u w_u sum_n tested[u, n],           tested[u, n] >= reach[u, n] + split[n] - 1;
                with costs c_1 < c_2 < ... of tests: this times c_1, plus (c_i - c_{i-1}) w_u for
                a visit to a branch whose test costs c_i or more
4. new[n]       >= uses[n, j] - sum_{a above n} uses[a, j] for all j: n asks for a new feature.
                If every feature has one test: new = split, for a path that asks a test again
                separates nothing there, and the tree without it is no worse in any measure
5. explanation  sum_u w_u sum_n explained[u, n],     explained[u, n] >= reach[u, n] + new[n] - 1
6. worst        >= sum_{n on the path} new[n] for every path
At the root, which every group visits, a term of 3 and 5 is one variable times sum_u w_u.
All of them are only ever minimised or limited from above, so one-sided definitions suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.model import Goal
from formulations.program.base import Expression, Ints, Program, Values
from formulations.tree.budgets import binding_budgets, limit_features
from formulations.tree.positions import Flow, ancestors, depths, model_features
from odt.model.measure import Amounts
from odt.model.problem import Problem


@dataclass(frozen=True, eq=False)
class TreeVariables:
    """The blocks of variables that a complete-tree model must have; position 0 is not used.

    Attributes
    ----------
    split : ndarray of int64, shape (2**D,)
        1 if the position is a branch.
    reach : ndarray of int64, shape (2**(D+1), G)
        1 if the group visits the position.
    uses : ndarray of int64, shape (2**D, J)
        1 if the branch tests the feature, in the order of `model_features`.
    errors : Expression
        Misclassified weight.
    """

    split: Ints
    reach: Ints
    uses: Ints
    errors: Expression


class TreeMeasures:
    """Adds to a program what measures and limits need, and nothing for those that do not occur.

    Parameters
    ----------
    program : Program
    problem : Problem
    tree : TreeVariables
    """

    def __init__(self, program: Program, problem: Problem, tree: TreeVariables) -> None:
        self._program, self._problem, self._tree = program, problem, tree
        self._weight = problem.compiled.weights.sum(axis=1)
        self._positions = range(1, len(tree.split))
        self._known: list[tuple[Ints, Callable[[Flow], Any]]] = []

    def apply(self, goal: Goal) -> None:
        """Set the objective, and add the limits and the limits of the shape."""
        self._program.minimise(self.priced(goal.prices))
        for limit in goal.limits:
            terms = self.priced(limit.prices)
            self._program.row(terms._replace(constant=0), upper=limit.at_most - terms.constant)
        self._limit_leaves()
        self._limit_features()

    def assign(self, values: Values, flow: Flow) -> None:
        """Fill in the values of the variables added here for the tree of ``flow``."""
        for variables, meaning in self._known:
            values[variables] = meaning(flow)

    def priced(self, prices: Amounts) -> Expression:
        """Return ``prices . amounts`` of the tree as an expression."""
        return Expression.total(
            (price, getattr(self, f"_{amount}"))
            for amount, price in prices._asdict().items()
            if price
        )

    def _define(
        self, name: str, meaning: Callable[[Flow], Any], *shape: int, upper: int = 1
    ) -> Ints:
        variables = self._program.variables(name, *shape, upper=upper, continuous=True)
        self._known.append((variables, meaning))
        return variables

    # ---- measures -------------------------------------------------------------------------

    @property
    def _errors(self) -> Expression:
        return self._tree.errors

    @cached_property
    def _nodes(self) -> Expression:
        return Expression.of(self._tree.split[1:], 2, 1)

    @cached_property
    def _depth(self) -> Expression:
        split, depth = self._tree.split[1:], depths(len(self._tree.split))[1:]
        n_levels = int(depth.max(initial=-1)) + 1
        level = self._define(
            "level",
            lambda flow: [flow.split[1:][depth == k].any() for k in range(n_levels)],
            n_levels,
        )
        self._program.clauses(np.stack([~split, level[depth]], axis=1))
        return Expression.of(level)

    @cached_property
    def _tests(self) -> Expression:
        costs, compiled = np.unique(self._problem.compiled.test_costs), self._problem.compiled
        cheapest = int(costs[0] if len(costs) else 0)
        parts = [(cheapest, self._visits_to_branches)]
        features = model_features(compiled)
        price_of = self._problem.dataset.cost_units[features]
        for low, high in zip(costs[:-1].tolist(), costs[1:].tolist(), strict=True):
            dear = self._pays(f"dear_{high}", f"paid_{high}", np.flatnonzero(price_of >= high))
            parts.append((high - low, dear))
        return Expression.total(parts)

    @cached_property
    def _visits_to_branches(self) -> Expression:
        return self._visits("tested", self._tree.split[1:], lambda flow: flow.split[1:])

    def _pays(self, name: str, visit_name: str, features: Ints) -> Expression:
        """Weight of the visits to branches that test one of ``features``."""
        n = len(self._tree.split) - 1
        here = self._define(name, lambda flow: flow.uses[1:][:, features].any(axis=1), n)
        used = self._tree.uses[1:][:, features]
        pairs = np.stack([~used, np.broadcast_to(here[:, None], used.shape)], axis=-1)
        self._program.clauses(pairs.reshape(-1, 2))
        return self._visits(visit_name, here, lambda flow: flow.uses[1:][:, features].any(axis=1))

    def _visits(self, name: str, marked: Ints, meaning: Callable[[Flow], Any]) -> Expression:
        """Weight of the visits to the branches whose variable in ``marked`` is 1."""
        if not len(marked):
            return Expression.of([])
        reach = self._tree.reach[2 : len(self._tree.split)]
        visit = self._define(
            name,
            lambda flow: flow.reach[2 : len(reach) + 2] & meaning(flow)[1:, None],
            *reach.shape,
        )
        marks = np.broadcast_to(marked[1:, None], reach.shape)
        self._count_visits(visit, reach, marks)
        below = Expression.of(visit, np.broadcast_to(self._weight, visit.shape))
        return Expression.total([(1, below), (1, Expression.of(marked[:1], self._weight.sum()))])

    def _count_visits(self, visit: Ints, reach: Ints, marks: Ints) -> None:
        """Visits of branches whose mark is 1 count; all arrays of shape (branches, G)."""
        self._program.clauses(np.stack([~reach, ~marks, visit], axis=-1).reshape(-1, 3))

    @cached_property
    def _several(self) -> Ints:
        """Hyperarcs of ``uses`` of the features with more than one test."""
        compiled = self._problem.compiled
        n_tests = np.bincount(compiled.features)
        return np.flatnonzero(n_tests[model_features(compiled)] > 1)

    @cached_property
    def _new(self) -> Ints:
        if not len(self._several):
            return self._tree.split[1:]
        new = self._define("new", lambda flow: _new_feature(flow)[1:], len(self._positions))
        self._mark_new(new)
        return new

    def _mark_new(self, new: Ints) -> None:
        """A feature is new where no position above asks it."""
        uses = self._tree.uses
        for n in self._positions:
            fresh = np.full(uses.shape[1], new[n - 1])
            self._program.clauses(np.stack([~uses[n], fresh, *uses[ancestors(n)]], axis=1))

    @cached_property
    def _explanation(self) -> Expression:
        if not len(self._several):
            return self._visits_to_branches
        return self._visits("explained", self._new, lambda flow: _new_feature(flow)[1:])

    @cached_property
    def _worst(self) -> Expression:
        longest = depths(len(self._tree.reach))[-1]
        worst = self._define(
            "worst", lambda flow: _path_sums(flow).max(initial=0), upper=int(longest)
        )
        for leaf in range(len(self._tree.split), len(self._tree.reach)):
            path = self._new[np.array(ancestors(leaf), dtype=np.int64) - 1]
            self._program.row(
                Expression.total([(1, Expression.of(path)), (-1, Expression.of(worst))]), upper=0
            )
        return Expression.of(worst)

    # ---- limits of the shape --------------------------------------------------------------

    def _limit_leaves(self) -> None:
        """Every child of a branch keeps the least number of rows and the least weight."""
        limits, compiled = self._problem.limits, self._problem.compiled
        for amount, least in (
            (compiled.rows, limits.leaf_rows),
            (self._weight, limits.leaf_weight),
        ):
            if amount.sum() < least:
                self._program.row(Expression.total(()), lower=1)
                return  # not even a single leaf
            if amount.min() >= least:
                continue  # any group alone is enough
            for child in range(2, len(self._tree.reach)):
                inside = Expression.of(self._tree.reach[child], np.minimum(amount, least))
                demand = Expression.of(self._tree.split[[child // 2]], -least)
                self._program.row(Expression.total([(1, inside), (1, demand)]), lower=0)

    def _limit_features(self) -> None:
        """The tree asks no more distinct features, and none dearer together, than allowed."""
        features, uses = model_features(self._problem.compiled), self._tree.uses[1:]
        if not binding_budgets(self._problem, frozenset(features.tolist())):
            return
        used = self._define("used", lambda flow: flow.uses[1:].any(axis=0), len(features))
        pairs = np.stack([~uses, np.broadcast_to(used, uses.shape)], axis=-1)
        self._program.clauses(pairs.reshape(-1, 2))
        variable = dict(zip(features.tolist(), used.tolist(), strict=True))
        for charged in limit_features(self._program, self._problem, variable):
            members = np.isin(features, charged.features)
            self._known.append((np.array(charged.variable), _uses_any(members)))


def _uses_any(members: NDArray[np.bool_]) -> Callable[[Flow], Any]:
    return lambda flow: flow.uses[1:][:, members].any()


def _new_feature(flow: Flow) -> Any:
    """Whether each position tests a feature that no position above it tests."""
    new = flow.split.copy()
    for n in np.flatnonzero(flow.split).tolist():
        new[n] = not (flow.uses[n] & flow.uses[ancestors(n)].any(axis=0)).any()
    return new


def _path_sums(flow: Flow) -> Any:
    """Number of new features on the path to each position below the branches."""
    new = _new_feature(flow)
    return np.array(
        [sum(new[a] for a in ancestors(leaf)) for leaf in range(len(new), 2 * len(new))]
    )
