"""Limits on the features of a tree, and what they cost together, as rows of any program.

Each group of features of a `FeatureBudget` is paid once if the tree asks any of its features:

    paid[g] >= used[f]  for every feature f of group g;     sum_g price[g] paid[g] <= at_most
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from formulations.program.base import Expression, Program
from odt.model.limits import FeatureBudget
from odt.model.problem import Problem


class Charged(NamedTuple):
    """A variable that is 1 if the tree asks any of some features."""

    variable: int
    features: tuple[int, ...]


def binding_budgets(problem: Problem, features: frozenset[int]) -> list[FeatureBudget]:
    """Return the budgets that not all trees over these features keep."""
    return [budget for budget in problem.limits.budgets if not budget.allows(features)]


def limit_features(program: Program, problem: Problem, used: Mapping[int, int]) -> list[Charged]:
    """Demand that a tree asks no more features, and no dearer ones together, than allowed.

    Parameters
    ----------
    program : Program
    problem : Problem
    used : mapping of int to int
        For each feature that a tree can ask, the variable that says that it does.

    Returns
    -------
    list of Charged
        The variables added.
    """
    added: list[Charged] = []
    for number, budget in enumerate(binding_budgets(problem, frozenset(used))):
        groups = [tuple(sorted(group & used.keys())) for group in budget.groups]
        shared = [group for group in groups if len(group) > 1]
        paid = program.variables(f"paid{number}", len(shared), continuous=True)
        charged = [Charged(v, group) for v, group in zip(paid.tolist(), shared, strict=True)]
        for variable, group in charged:
            asked = np.array([~used[feature] for feature in group], dtype=np.int64)
            program.clauses(np.column_stack([asked, np.full_like(asked, variable)]))
        added += charged
        waiting = iter(paid.tolist())
        payers = [next(waiting) if len(group) > 1 else used[group[0]] for group in groups if group]
        prices = [price for price, group in zip(budget.prices, groups, strict=True) if group]
        program.row(Expression.of(payers, prices).gathered(), upper=budget.at_most)
    return added
