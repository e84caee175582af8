"""Deciding the lowest layers of an AND/OR graph by enumeration, and what is left then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from formulations.graph.state_graph import Bools, Grower, Hyperarcs, Layer, Rules, TooLarge, vector
from formulations.graph.successors import AllSuccessors
from formulations.model import Goal
from formulations.program.base import Ints
from odt.errors import UnsupportedProblemError
from odt.model.measure import Amounts
from odt.model.problem import Problem

LARGEST_GRAPH = 4_000_000
"""Hyperarcs of a graph, unless told otherwise."""


@dataclass(eq=False)
class Decided:
    """A graph whose lowest states are decided, each by its cheapest column.

    Attributes
    ----------
    columns : Hyperarcs
        All columns, by state; those of open states include the totals of decided states below.
    choice : ndarray of int64, shape (number of states,)
        Column of each decided state; -1 for open states, -2 where nothing is allowed.
    is_open : ndarray of bool, shape (C,)
        Hyperarcs that a program must decide about.
    """

    columns: Hyperarcs
    choice: Ints
    is_open: Bools


def decide(columns: Hyperarcs, layers: dict[int, Layer], rules: Rules, depth: int) -> Decided:
    """Decide all states with at most ``depth`` tests left; none where trees are coupled.

    Parameters
    ----------
    columns : Hyperarcs
        Sorted by state.
    layers : dict of int to Layer
    rules : Rules
    depth : int
    """
    n_states = sum(len(layer.words) for layer in layers.values())
    choice = np.full(n_states, -1)
    totals = np.zeros((n_states, 4), dtype=np.int64)
    prices = vector(rules.goal.prices)
    columns = Hyperarcs(*(array.copy() for array in columns.arrays()))
    for d in sorted(layers):
        layer = layers[d]
        low, high = layer.first, layer.first + len(layer.words)
        start, end = np.searchsorted(columns.state, [low, high])
        here = np.arange(start, end)
        _add_decided(columns, here, choice, totals)
        if rules.coupled or d > depth:
            continue
        possible = here[(_choices(columns.child[here], choice) != -2).all(axis=1)]
        cost = columns.totals[possible] @ prices
        order = possible[np.lexsort((cost, columns.state[possible]))]
        states, first = np.unique(columns.state[order], return_index=True)
        choice[low:high] = -2
        choice[states] = order[first]
        totals[states] = columns.totals[order[first]]
    is_open = choice[columns.state] == -1
    is_open &= (_choices(columns.child, choice) != -2).all(axis=1)
    if rules.leaf_wins and not rules.pure:
        is_open &= _may_beat_leaf(columns, layers, choice, prices)
    return Decided(columns, choice, is_open & _reachable(columns, layers, is_open))


def costs_below(problem: Problem, prices: Amounts, stop: Callable[[], bool]) -> tuple[int, Ints]:
    """Return lower bounds on the cost of trees, by what they do at the root.

    Everything below the root is decided by enumeration.

    Parameters
    ----------
    problem : Problem
    prices : Amounts
        Of what adds up over paths: not of depth and worst explanation.
    stop : callable
        Polled; `Stopped` is raised when it says True.

    Raises
    ------
    UnsupportedProblemError
        If there is too much to enumerate.

    Returns
    -------
    int
        Cost of a lone leaf.
    ndarray of int64, shape (T,)
        For each compiled test, no tree within the depth that asks it first costs less.
    """
    tracks = prices.explanation > 0
    rules = Rules(
        Goal(prices), coupled=False, leaf_wins=True, pure=False, tracks=tracks, worst=None,
        per_feature=tracks or prices.tests > 0,
    )  # fmt: skip
    grower = Grower(AllSuccessors(problem), rules, stop, LARGEST_GRAPH)
    try:
        columns = grower.grow(problem.limits.useful_depth)
    except TooLarge:
        raise UnsupportedProblemError(
            f"lookahead=True needs a graph of more than {LARGEST_GRAPH} columns here. Leave it "
            "out, limit max_depth, or give fewer tests (odt.TestSet.quantiles)."
        ) from None
    top = max(grower.layers)
    columns = decide(columns, grower.layers, rules, top - 1).columns
    leaf = int(grower.layers[top].figures.errors[0]) * prices.errors + prices.nodes
    first = (columns.state == 0) & (columns.test >= 0)
    cost, test = columns.totals[first] @ vector(prices), columns.test[first]
    # tests without a column are no better than the best with one, or than the leaf
    least = np.full(problem.compiled.n_tests, min(cost.min(initial=leaf), leaf))
    least[test] = cost
    return leaf, least


def _choices(child: Ints, choice: Ints) -> Ints:
    return np.where(child >= 0, choice[child], -1)


def _add_decided(columns: Hyperarcs, here: Ints, choice: Ints, totals: Ints) -> None:
    """Add to columns what the decided states below them amount to."""
    for side in (0, 1):
        child = columns.child[here, side]
        below = (child >= 0) & (choice[child] >= 0)
        columns.totals[here[below]] += totals[child[below]]


def _may_beat_leaf(
    columns: Hyperarcs, layers: dict[int, Layer], choice: Ints, prices: Ints
) -> Bools:
    """Say which columns may cost less than a leaf at their state."""
    order = sorted(layers.values(), key=lambda layer: layer.first)
    errors = np.concatenate([layer.figures.errors for layer in order])
    base = np.concatenate([layer.figures.base for layer in order])
    at_least = columns.totals @ prices
    for side in (0, 1):
        child = columns.child[:, side]
        is_open = _choices(child, choice) == -1
        is_open &= child >= 0
        at_least += np.where(is_open, base[child] * prices[0] + prices[1], 0)
    as_leaf = errors[columns.state] * prices[0] + prices[1]
    return np.asarray((columns.test < 0) | (at_least < as_leaf))


def _reachable(columns: Hyperarcs, layers: dict[int, Layer], is_open: Bools) -> Bools:
    """Say which columns belong to states that open columns lead to from the root."""
    reached = np.zeros(sum(len(layer.words) for layer in layers.values()), dtype=bool)
    reached[0] = True
    for d in sorted(layers, reverse=True):
        layer = layers[d]
        low, high = layer.first, layer.first + len(layer.words)
        start, end = np.searchsorted(columns.state, [low, high])
        here = np.arange(start, end)[is_open[start:end] & reached[columns.state[start:end]]]
        child = columns.child[here]
        reached[child[child >= 0]] = True
    return np.asarray(reached[columns.state])
