"""Limits of a user's own as rows of linear programs."""

from __future__ import annotations

from math import floor, lcm
from typing import NamedTuple

import numpy as np

from formulations.program.base import Ints, Terms
from formulations.program.linear import LinearProgram
from odt.data.units import as_fraction
from odt.model.problem import Problem


class Charged(NamedTuple):
    """A variable that is 1 if any of some others is."""

    variable: int
    others: Ints


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
    if problem.max_class_errors is None:
        return
    for k, most in enumerate(problem.max_class_errors):
        pairs = np.flatnonzero(weight[:, k])
        needed = int(weight[:, k].sum()) - most
        if needed > 0:
            program.row(Terms.of(hits[:, pairs], weight[pairs, k]), lower=needed)


def by_class(problem: Problem, u: Ints, k: Ints) -> Ints:
    """Return the ``weight`` of `limit_class_errors` for pairs of groups and classes."""
    weights = problem.compiled.weights
    return np.asarray(weights[u] * (np.arange(weights.shape[1]) == k[:, None]))


def limit_features(program: LinearProgram, problem: Problem, used: Ints) -> list[Charged]:
    """Demand that a tree asks no more features, and no dearer ones together, than allowed.

    Parameters
    ----------
    program : LinearProgram
    problem : Problem
    used : ndarray of int64, shape (p,)
        Variables that say which features the tree asks.

    Returns
    -------
    list of Charged
        The variables added.
    """
    shape = problem.shape
    if shape.max_features is not None:
        program.row(Terms.of(used), upper=shape.max_features)
    if shape.feature_budget is None:
        return []
    if shape.feature_charges is None:
        program.row(Terms.of(used), upper=floor(shape.feature_budget))
        return []
    paid = program.variables("paid", len(shape.feature_charges), continuous=True)
    prices = [as_fraction(float(charge.price)) for charge in shape.feature_charges]
    unit = lcm(*(price.denominator for price in prices))
    budget = floor(as_fraction(float(shape.feature_budget)) * unit)
    program.row(Terms.of(paid, [int(price * unit) for price in prices]), upper=budget)
    added = []
    for variable, charge in zip(paid.tolist(), shape.feature_charges, strict=True):
        features = np.array(sorted(charge.features), dtype=np.int64)
        features = features[features < len(used)]
        for feature in features.tolist():
            program.row(Terms.of([used[feature], variable], [1, -1]), upper=0)
        added.append(Charged(variable, used[features]))
    return added


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
        program.row(Terms.of(sides, signs), lower=0)
