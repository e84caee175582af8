"""Limits of a user's own as rows of linear programs."""

from __future__ import annotations

import numpy as np

from formulations.program.base import Expression, Ints
from formulations.program.linear import LinearProgram
from odt.model.problem import Problem


def limit_class_errors(program: LinearProgram, problem: Problem, hits: Ints, weight: Ints) -> None:
    """Demand that enough weight of each class is hit, as ``max_class_error`` asks.

    Parameters
    ----------
    program : LinearProgram
    problem : Problem
    hits : ndarray of int64, shape (m, P)
        Variables that say whether a pair of a group and a class of it is classified rightly
        somewhere; the sum over the first index counts.
    weight : ndarray of int64, shape (P, K)
        Weight of the pair in its class, 0 in the others.
    """
    if problem.limits.class_errors is None:
        return
    for k, most in enumerate(problem.limits.class_errors):
        pairs = np.flatnonzero(weight[:, k])
        needed = int(weight[:, k].sum()) - most
        if needed > 0:
            program.row(Expression.of(hits[:, pairs], weight[pairs, k]), lower=needed)


def by_class(problem: Problem, u: Ints, k: Ints) -> Ints:
    """Return the ``weight`` of `limit_class_errors` for pairs of groups and classes."""
    weights = problem.compiled.weights
    return np.asarray(weights[u] * (np.arange(weights.shape[1]) == k[:, None]))


def separate(program: LinearProgram, reach: Ints, split: Ints) -> None:
    """Demand that some group goes to each side of every branch.

    Parameters
    ----------
    program : LinearProgram
    reach : ndarray of int64, shape (2**(D+1), G)
    split : ndarray of int64, shape (2**D,)
    """
    for child in range(2, len(reach)):
        sides = np.append(reach[child], split[child // 2])
        signs = np.append(np.ones(reach.shape[1], dtype=np.int64), -1)
        program.row(Expression.of(sides, signs), lower=0)
