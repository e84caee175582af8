"""The tree of CART, for runs that end without a proof: the result is never worse than it."""

from __future__ import annotations

import numpy as np

from odt.core.registry import make_solver
from odt.core.run import Budget, Run
from odt.errors import DataError, MissingDependencyError
from odt.model.problem import Problem
from odt.model.tree import Tree

_SECONDS = 0.05
_SECONDS_PER_ENTRY = 2e-8
"""For each row, column and level; a column is a numeric feature or a category."""
_LEVELS = 4, 16
"""Levels that sorting and reading count as, and most levels that count."""
_LEAST_SECONDS = 0.3


def seconds_for_cart(problem: Problem) -> float:
    """Return about how long `cart_tree` takes, from sizes alone."""
    data, (fixed, most) = problem.dataset, _LEVELS
    columns = sum(max(1, len(codes)) for codes in data.schema.categories)
    levels = fixed + min(problem.limits.useful_depth, most)
    return _SECONDS + _SECONDS_PER_ENTRY * data.n_samples * columns * levels


def cart_tree(problem: Problem, run: Run) -> Tree | None:
    """Return the best pruning of CART within the limits of a problem; None if there is none.

    Parameters
    ----------
    problem : Problem
    run : Run
        Its time may be over; what is left of it, and at least a moment, is used.
    """
    try:
        cart = make_solver("cart", {})
        if not problem.needs <= cart.supports:
            return None
        left = run.remaining()
        limit = None if np.isinf(left) else max(left, _LEAST_SECONDS)
        own = Run(problem, Budget(limit), seed=run.seed)
        return cart.solve(problem, own).tree
    except (DataError, MissingDependencyError):  # too many rows or classes for its kernel
        return None
