"""The AND/OR graph of reachable sets of rows as a linear program; integral without side limits.

An OR node is a state v: a set S of rows, the tests left on the path and, where the objective
counts features, those asked above. y[v] = 1 ends there in a leaf; x[v,t] = 1 asks test t, an AND of
the states v_L and v_R below, whose rows answer yes and no.

    min  sum of cost(v) y[v] + sum of cost(v,t) x[v,t]
    (1)  y[v] + sum_t x[v,t] = [v is the root] + sum of x[w,t] over the tests that lead to v
    (2)  every limit: sum of its amounts over all columns <= its value
    (3)  x[v,t] summed over the tests of feature j <= u[j];   sum_j u[j] <= max_features,
         and the charges of the features used <= feature_budget

A leaf costs the errors of the best label on S and one node; a test costs one node, the weight of S
times its cost, and the weight of S once more if its feature is new on the path. So errors, size,
expected tests and mean explanation are costs of single columns.

Without (2) and (3) the program is integral for every cost. Its dual is: maximise V[root] with
V[v] <= cost(v) and V[v] <= cost(v,t) + V[v_L] + V[v_R]. Bellman's optimal values are feasible
there, and an optimal tree is feasible in the primal (at one depth the sets of a tree are disjoint
and not empty, so it visits no state twice), with the same value. With limits it is a mixed-integer
program whose relaxation has the value of the Lagrangian bound.

Depth and worst explanation are maxima, not sums: they are fixed to each value in turn, as many as
may still lead to a better tree.

The size does not depend on the number of rows. Depth 2 is the integral formulation of rolling
lookahead trees (Organ, Kayış, Khaniyev; arXiv 2304.10830). On the state graph of a test
generator (``generator``) it solves that generator's search space, with limits, and is a check of
the dynamic program over it; no bound is claimed then, for there are trees outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from formulations.backends.outcome import Outcome
from formulations.backends.protocol import Progress
from formulations.base import Formulation, Stage
from formulations.graph.lookahead import LARGEST_GRAPH, decide
from formulations.graph.maxima import Series, Subproblem
from formulations.graph.state_graph import Grower, Rules, TooLarge, vector
from formulations.graph.successors import AllSuccessors, GeneratedSuccessors, Successors
from formulations.linear.base import LinearFormulation
from formulations.model import Goal, Limit, Model
from formulations.program.base import Expression, Values
from formulations.program.bitsets import Words
from formulations.program.linear import LinearProgram
from formulations.tree.budgets import Charged, binding_budgets, limit_features
from formulations.tree.positions import HeapTree, Placement, model_depth
from odt.core.run import Run
from odt.core.solver import Solution, Status
from odt.errors import UnsupportedProblemError
from odt.generators.names import make_generator
from odt.mdp import TestGenerator, TreeMDP
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.limits import FeatureBudget
from odt.model.measure import ADDITIVE, MAXIMA, Amounts
from odt.model.problem import Problem
from odt.model.tree import Tree


@dataclass(frozen=True)
class AndOr(LinearFormulation):
    """The AND/OR program: the strongest of the linear formulations.

    Parameters
    ----------
    lookahead : int, default 1
        Decide states with so many tests left by enumeration, where no limit ties the two sides of
        a test to each other. 0 leaves everything to the program.
    max_columns : int, default 4000000
        Give up, with the best known tree, when the graph has more columns.
    generator : str or TestGenerator, optional
        Only the tests that it offers in each state, as in DPDT, whose names it takes; then no
        bound is claimed.
    """

    name: ClassVar[str] = "and-or"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {
            Capability.UNLIMITED_DEPTH,
            Capability.MAX_NODES,
            Capability.MAX_FEATURES,
            Capability.FEATURE_BUDGET,
        }
    )
    reference: ClassVar[str] = "Organ, Kayış, Khaniyev, arXiv 2304.10830 (depth 2)"

    lookahead: int = 1
    max_columns: int = LARGEST_GRAPH
    generator: str | TestGenerator | None = None

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve each subproblem, level by level where the levels do not fit one number."""
        if self.generator is None:
            return super().solve(problem, run)
        inside = replace(self, start="none")  # a greedy tree may lie outside the graph
        found = Formulation.solve(inside, problem, run)
        status = Status.UNKNOWN if found.tree is None else Status.FEASIBLE
        return Solution(status, found.tree, None, {**found.stats, "bound_in_graph": found.bound})

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> AndOrModel:
        """Write the problem as a model, for a goal without depth and worst explanation.

        Raises
        ------
        UnsupportedProblemError
            If the goal prices a maximum; `solve` turns it into a series of goals without.
        """
        if any(p.depth or p.worst for p in (goal.prices, *(limit.prices for limit in goal.limits))):
            raise UnsupportedProblemError(
                "'and-or' solves depth and worst explanation as a series of programs, one for "
                "each value; there is no single program to build. Limit the depth instead."
            )
        return AndOrModel(
            problem, self, Subproblem(problem.limits.useful_depth, None, goal, 0), stop
        )

    def _stages(self, problem: Problem) -> Iterator[Stage]:
        """Refuse what would need stages in larger units: the graph is decided in whole costs."""
        stages = tuple(super()._stages(problem))
        if any(stage.unit is not None for stage in stages):
            largest = max(level.upper for level in problem.costs.levels)
            raise UnsupportedProblemError(
                f"{self.name!r} handles integer costs up to {self.largest_cost:.0e}; this "
                f"objective reaches {largest:.0e}. Use weights and coefficients with a small "
                "common denominator, or 'flow-oct', 'cp-sat' or 'dp', which take any."
            )
        return iter(stages)

    def _minimise(
        self,
        problem: Problem,
        goal: Goal,
        run: Run,
        scale: Callable[[float], int],
        unit: int | None,
    ) -> tuple[Model[LinearProgram], Outcome]:
        """Solve the subproblems of a goal one after the other."""
        series = Series(problem, goal)
        claim = scale if self.generator is None else _no_claim
        for i, subproblem in series.open_subproblems():
            learn = partial(_learn, run, series, i, claim)
            run.report(bound=claim(series.bound))
            try:
                model = AndOrModel(problem, self, subproblem, run.should_stop, learn)
            except TooLarge:
                series.give_up(f"the graph has more than max_columns={self.max_columns} columns")
                break
            hint = None
            if self.warm_start and run.tree is not None and not model.program.is_integral:
                hint = model.start(run.tree)
            progress = Progress(run, model, partial(_bound_of_subproblem, series, i, claim))
            outcome = Outcome(Status.INFEASIBLE)  # of a root without columns
            if model.program.n_variables:
                outcome = self.emitter().solve(model.program, hint, run, progress)
            progress.check()
            series.take(i, model, replace(outcome, stats={**outcome.stats, **model.size}))
            if outcome.values is not None:
                run.report(tree=model.decode(outcome.values))
        return series.model, series.outcome()


def _no_claim(bound: float) -> int:
    """Return the bound that holds for any tree: costs are not negative."""
    return 0


def _learn(run: Run, series: Series, i: int, claim: Callable[[float], int], bound: int) -> None:
    series.learn(i, bound)
    run.report(bound=claim(series.bound))


def _bound_of_subproblem(
    series: Series, i: int, claim: Callable[[float], int], bound: float
) -> int:
    return claim(series.bound_with(i, bound))


class AndOrModel(Model[LinearProgram]):
    """Rows (1)-(3) over the open states of a decided graph.

    Attributes
    ----------
    program : LinearProgram
        The variables ``x`` are the open columns.
    size : dict of str to int
        States and columns of the graph, and those left to the program.
    """

    def __init__(
        self,
        problem: Problem,
        options: AndOr,
        subproblem: Subproblem,
        stop: Callable[[], bool],
        learn: Callable[[int], object] = int,
    ) -> None:
        self.problem = problem
        self._successors = _successors(problem, options.generator)
        rules, limits = _rules(problem, subproblem)
        grower = Grower(self._successors, rules, stop, options.max_columns, learn)
        columns = grower.grow(subproblem.depth)
        below_root = max(grower.layers) - 1
        graph = decide(columns, grower.layers, rules, min(options.lookahead, below_root))
        self._layers, self._choice = grower.layers, graph.choice
        self._columns, self._open = graph.columns, np.flatnonzero(graph.is_open)
        self.program = LinearProgram()
        self.x = self.program.variables("x", len(self._open), continuous=not rules.coupled)
        self._add_flow()
        totals = self._columns.totals[self._open]
        for limit in limits:
            self.program.row(
                Expression.of(self.x, totals @ vector(limit.prices)), upper=limit.at_most
            )
        self._limit_features()
        self.program.minimise(Expression.of(self.x, totals @ vector(subproblem.goal.prices)))
        self.size = {
            "states": grower.n_states,
            "columns": len(columns.state),
            "open_states": len(np.unique(self._columns.state[self._open])),
            "lookahead": 0 if rules.coupled else options.lookahead,
        }

    # ---- rows -----------------------------------------------------------------------------

    def _add_flow(self) -> None:
        """Rows (1)."""
        state, child = self._columns.state[self._open], self._columns.child[self._open]
        column, side = np.nonzero((child >= 0) & (self._choice[child] < 0))
        into = child[column, side]
        states = np.unique(np.concatenate([[0], state, into]))
        row = np.searchsorted(states, np.concatenate([state, into]))
        variables = np.concatenate([self.x, self.x[column]])
        signs = np.repeat([1, -1], [len(state), len(into)])
        is_root = (states == 0).astype(float)
        self.program.rows(row, variables, signs, is_root, is_root, n=len(states))

    def _limit_features(self) -> None:
        """Rows (3); only if a limit can bind."""
        self.u = np.zeros(0, dtype=np.int64)
        self._charged: list[Charged] = []
        if not _budgets(self.problem):
            return
        features = np.array([test.feature for test in self._successors.tests], dtype=np.int64)
        asks = np.flatnonzero(self._columns.test[self._open] >= 0)
        state = self._columns.state[self._open][asks]
        feature = features[self._columns.test[self._open][asks]]
        self.u = self.program.variables("u", int(self.problem.dataset.n_features), priority=1)
        pairs, row = np.unique(np.stack([state, feature]), axis=1, return_inverse=True)
        n = pairs.shape[1]
        entries = np.concatenate([row.reshape(-1), np.arange(n)])
        variables = np.concatenate([self.x[asks], self.u[pairs[1]]])
        signs = np.repeat([1, -1], [len(asks), n])
        self.program.rows(entries, variables, signs, None, 0, n=n)
        self._charged = limit_features(self.program, self.problem, dict(enumerate(self.u.tolist())))

    # ---- values ---------------------------------------------------------------------------

    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values`` stand for."""
        value_of = np.zeros(len(self._columns.state))
        value_of[self._open] = values[self.x]
        return self._tree(0, value_of)

    def _tree(self, state: int, value_of: Values) -> Tree:
        columns, chosen = self._columns, int(self._choice[state])
        if chosen < 0:
            first, last = np.searchsorted(columns.state, [state, state + 1])
            chosen = first + int(value_of[first:last].argmax())
        sides = [
            self._tree(int(child), value_of) if child >= 0 else Tree.leaf(int(label))
            for child, label in zip(columns.child[chosen], columns.label[chosen], strict=True)
        ]
        test = int(columns.test[chosen])
        return sides[0] if test < 0 else Tree.branch(self._successors.tests[test], *sides)

    def encode(self, tree: Tree) -> Values | None:
        """Return values that stand for ``tree``, or for one at least as good."""
        if not isinstance(self._successors, AllSuccessors) or model_depth(self.problem) > 16:
            return None
        heap = Placement(self.problem).place(tree)
        values = np.zeros(self.program.n_variables)
        if heap is None or not self._enter(0, self._successors.everything[0], heap, 1, values):
            return None
        if self.u.size:
            values[self.u[self.problem.compiled.features[heap.test[heap.test >= 0]]]] = 1
        for charged in self._charged:
            values[charged.variable] = values[self.u[list(charged.features)]].max()
        return values

    def _enter(
        self, state: int, words: Words, heap: HeapTree, position: int, values: Values
    ) -> bool:
        """Follow ``heap`` from a state on; where its test was left out, end in a leaf."""
        if self._choice[state] >= 0:
            return True
        first, last = np.searchsorted(self._columns.state[self._open], [state, state + 1])
        wanted = int(heap.test[position]) if position < len(heap.test) else -1
        left = words & self._successors.mask(wanted) if wanted >= 0 else words
        leaf = None
        for x in range(first, last):
            column = self._open[x]
            test = int(self._columns.test[column])
            if test < 0:
                leaf = x
                continue
            side = words & self._successors.mask(test)
            swapped = bool((side == (words ^ left)).all())
            if wanted >= 0 and (swapped or (side == left).all()):
                values[self.x[x]] = 1
                yes, no = (int(c) for c in self._columns.child[column])
                below = 2 * position + swapped, 2 * position + 1 - swapped
                return (yes < 0 or self._enter(yes, side, heap, below[0], values)) and (
                    no < 0 or self._enter(no, words ^ side, heap, below[1], values)
                )
        if leaf is not None:
            values[self.x[leaf]] = 1
        return leaf is not None


def _successors(problem: Problem, generator: str | TestGenerator | None) -> Successors:
    if generator is None:
        return AllSuccessors(problem)
    return GeneratedSuccessors(TreeMDP(problem, make_generator(generator)))


def _budgets(problem: Problem) -> list[FeatureBudget]:
    return binding_budgets(problem, frozenset(range(problem.dataset.n_features)))


def _rules(problem: Problem, subproblem: Subproblem) -> tuple[Rules, list[Limit]]:
    """Return what may be left out of the graph, and the limits that need rows."""
    pure = problem.limits.errors == 0
    limits = [
        limit
        for limit in subproblem.goal.limits
        if not (pure and limit.prices == Amounts(errors=1))
    ]
    prices = [subproblem.goal.prices, *(limit.prices for limit in limits)]
    tracks = subproblem.worst is not None or any(p.explanation for p in prices)
    costs_differ = len(set(problem.dataset.cost_units.tolist())) > 1
    limits_features = bool(_budgets(problem))
    rules = Rules(
        goal=subproblem.goal,
        coupled=bool(limits) or limits_features,
        leaf_wins=not any(limit.prices.errors for limit in limits),
        pure=pure,
        per_feature=tracks or limits_features or (costs_differ and any(p.tests for p in prices)),
        tracks=tracks,
        worst=subproblem.worst,
    )
    return rules, limits
