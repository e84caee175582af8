"""The tree of CART, for runs that end without a proof: the result is never worse than it."""

from __future__ import annotations

import numpy as np

from odt.core.registry import make_solver
from odt.core.run import Budget, Run
from odt.errors import DataError, MissingDependencyError
from odt.model.problem import Problem

_SECONDS = 0.05
_SECONDS_PER_ENTRY = 2e-8
"""For each row, column and level; a column is a numeric feature or a category."""
_LEVELS = 4, 50
"""Levels that sorting and reading count as, and most levels that count."""
_LEAST_SECONDS = 0.3


def seconds_for_cart(problem: Problem) -> float:
    """Return about how long `offer_cart` takes, from sizes alone."""
    data, (fixed, most) = problem.dataset, _LEVELS
    columns = sum(max(1, len(codes)) for codes in data.schema.categories)
    levels = fixed + min(problem.limits.useful_depth, most)
    return _SECONDS + _SECONDS_PER_ENTRY * data.n_samples * columns * levels


def offer_cart(run: Run) -> None:
    """Make the best pruning of CART that keeps the limits an incumbent of a run, if it is better.

    Parameters
    ----------
    run : Run
        Its time may be over; what is left of it, and at least a moment, is used.
    """
    try:
        cart = make_solver("cart", {})
        if run.problem.needs <= cart.supports:
            left = run.remaining()
            limit = None if np.isinf(left) else max(left, _LEAST_SECONDS)
            own = Run(run.problem, Budget(limit), seed=run.seed)
            cart.solve(run.problem, own)
            run.adopt(own)
    except (DataError, MissingDependencyError):  # too many rows or classes for its kernel
        return
