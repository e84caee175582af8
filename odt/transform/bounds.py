"""Lower bounds on the branches of a consistent tree that take no search."""

from __future__ import annotations

from math import ceil

import numpy as np

from odt.model.problem import Problem
from odt.transform.support_sets import SupportSets


def support_set_bound(problem: Problem, time_limit: float | None = None) -> int:
    """Return the size of a smallest support set: no consistent tree has fewer branches.

    Strong on binary data, weak on numeric ones, where one feature may be tested many times.

    Parameters
    ----------
    problem : Problem
    time_limit : float, optional
        Seconds; the bound proved by then is returned.
    """
    return ceil(SupportSets(problem).smallest(time_limit=time_limit).bound - 1e-6)


def pair_cover_bound(problem: Problem) -> int:
    """Return how many tests it takes at least to separate all pairs of different class.

    Each branch separates, of the pairs of examples that differ in class and can be told apart,
    at most as many as its test does on all the data. So the number of branches is at least the
    least ``b`` such that the ``b`` largest of these counts reach the number of pairs.
    """
    compiled = problem.compiled
    classes = (compiled.weights > 0).astype(np.int64)
    inside = compiled.outcomes.T.astype(np.int64) @ classes
    outside = classes.sum(axis=0) - inside
    unlike = 1 - np.eye(classes.shape[1], dtype=np.int64)
    separated = np.sort(np.einsum("tk,kl,tl->t", inside, unlike, outside))[::-1]
    total = classes.sum(axis=0)
    within = np.einsum("gk,kl,gl->", classes, unlike, classes)
    pairs = (total @ unlike @ total - within) // 2
    return int(np.searchsorted(np.cumsum(separated), pairs)) + 1 if pairs else 0
