"""A tree to start from where the run brings none: a greedy one, or that of another solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formulations.tree.positions import Bools
from odt.core.registry import make_solver
from odt.core.run import Run
from odt.data.impurity import gini, misclassified
from odt.errors import Stopped, TooLargeError
from odt.model.problem import Problem
from odt.model.tree import Tree

CHUNK = 256
DEEPEST = 12


def first_tree(name: str, run: Run) -> Tree | None:
    """Return a tree to start from; None if there is none.

    Parameters
    ----------
    name : str
        ``"greedy"``, ``"none"``, or the name of a solver, which gets a quarter of the time. What
        it says about bounds is not passed on.
    run : Run
    """
    if name == "none":
        return None
    if name == "greedy":
        return greedy_tree(run.problem, run.should_stop)
    heuristic = make_solver(name, {})
    if not run.problem.needs <= heuristic.supports:
        return None
    part = run.part(share=0.25)
    try:
        found = heuristic.solve(run.problem, part).tree
    except (Stopped, TooLargeError):
        found = None
    return part.tree if found is None else found


def greedy_tree(problem: Problem, stop: Callable[[], bool] = lambda: False) -> Tree | None:
    """Return the cheapest feasible tree among greedy ones of every depth; None if there is none.

    Tests are chosen top down among those that leave both sides large enough for a leaf: by the
    Gini impurity, and by the errors where leaves follow.

    Parameters
    ----------
    problem : Problem
    stop : callable
        Polled; the trees are not grown any further once it says True.
    """
    best: tuple[int, Tree] | None = None
    everything = np.ones(problem.compiled.n_groups, dtype=bool)
    for depth in range(min(problem.limits.useful_depth, DEEPEST) + 1):
        tree = _grow(problem, everything, depth, stop).collapsed(problem.dataset.merged.X)
        cost = problem.cost(tree)
        if (best is None or cost < best[0]) and not problem.violations(tree):
            best = cost, tree
        if tree.depth < depth or stop():
            break
    return None if best is None else best[1]


def _grow(problem: Problem, inside: Bools, depth: int, stop: Callable[[], bool]) -> Tree:
    compiled = problem.compiled
    totals = compiled.weights[inside].sum(axis=0)
    leaf = Tree.leaf(int(totals.argmax()))
    if depth == 0 or (totals > 0).sum() < 2 or stop():
        return leaf
    t = _best_test(problem, inside, by_error=depth == 1)
    if t is None:
        return leaf
    holds = compiled.outcomes[:, t]
    left = _grow(problem, inside & holds, depth - 1, stop)
    return Tree.branch(compiled.tests[t], left, _grow(problem, inside & ~holds, depth - 1, stop))


def _best_test(problem: Problem, inside: Bools, *, by_error: bool) -> int | None:
    compiled, best, lowest = problem.compiled, None, np.inf
    criterion = misclassified if by_error else gini
    amounts = np.column_stack([compiled.weights, compiled.rows])[inside].astype(np.float64)
    for first in range(0, compiled.n_tests, CHUNK):
        answers = compiled.outcomes[inside, first : first + CHUNK].astype(np.float64)
        left = answers.T @ amounts
        right = amounts.sum(axis=0) - left
        impurity = criterion(left[:, :-1]) + criterion(right[:, :-1])
        for side in (left, right):
            small = side[:, -1] < problem.limits.leaf_rows
            small |= side[:, :-1].sum(axis=1) < problem.limits.leaf_weight
            impurity[small] = np.inf
        if impurity.min() < lowest:
            best, lowest = first + int(impurity.argmin()), float(impurity.min())
    return best
