"""Limits on the features of a tree, and what they cost together, as rows of any program.

Each group of features of a `FeatureBudget` is paid once if the tree asks any of its features:

    paid[g] >= used[f]  for every feature f of group g;     sum_g price[g] paid[g] <= at_most
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from formulations.program.base import Program, Terms
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
    added = []
    for budget in binding_budgets(problem, frozenset(used)):
        paid = []
        for group in budget.groups:
            members = tuple(sorted(group & used.keys()))
            if len(members) > 1:
                variable = int(program.variables("paid", continuous=True))
                asked = np.array([~used[feature] for feature in members], dtype=np.int64)
                program.clauses(np.column_stack([asked, np.full_like(asked, variable)]))
                added.append(Charged(variable, members))
            else:
                variable = used[members[0]] if members else -1
            paid.append(variable)
        payable = [g for g, variable in enumerate(paid) if variable >= 0]
        prices = [budget.prices[g] for g in payable]
        amount = Terms.of([paid[g] for g in payable], prices).gathered()
        program.row(amount, upper=budget.at_most)
    return added
