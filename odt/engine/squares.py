"""Squared errors in the compiled kernels: targets of rows, rules, and how far sums can be off.

The kernels add up floats. What they find is compared in integers with what the core counts
exactly (`odt.data.targets`), so it must be said by how much the two may differ.
"""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.data.targets import Targets
from odt.errors import UnsupportedProblemError
from odt.mdp.generator import Rule
from odt.model.problem import Problem

_ROOT_BITS = 64
_SLACK = 1 << 9


def centred_means(targets: Targets, moments: NDArray[np.object_]) -> NDArray[np.float64]:
    """Return the mean target of each set above that of all, in roots of error units.

    Parameters
    ----------
    targets : Targets
    moments : ndarray of int objects, shape (sets, 3)
        Of sets that are everything together.
    """
    all_weight, all_total, _ = moments.sum(axis=0)
    over, under = targets.rate.numerator, targets.rate.denominator
    root = isqrt((over << 2 * _ROOT_BITS) // under)
    means = [
        (total * all_weight - all_total * weight) * root / ((weight * all_weight) << _ROOT_BITS)
        for weight, total, _ in moments.tolist()
    ]
    return np.array(means, dtype=np.float64)


def errors_within_rows(dataset: Dataset) -> int:
    """Return the units of squared error that no tree avoids: those among equal rows."""
    targets, moments = dataset.targets, dataset.merged.moments
    if targets is None or moments is None:
        return 0
    return sum(map(targets.least_errors, moments.tolist()))


def slack(problem: Problem) -> int:
    """Return by how many units the error of a tree in the kernels may differ from the exact one.

    Each sum of n terms is off by at most n times ``2**-53`` of itself; the two sums of a leaf and
    the square add up to four times that over a tree, of at most ``2**45`` units. Both are rounded
    once a leaf. The rest is generous.
    """
    data = problem.dataset
    if data.targets is None:
        return 0
    return _SLACK + data.n_samples // 16 + 2 * (problem.limits.useful_branches + 1)


def rules_for(dataset: Dataset, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return the rules with the criterion that the data ask for.

    Raises
    ------
    UnsupportedProblemError
        For the best cuts of real targets, which the kernels do not rank.
    """
    if dataset.targets is None:
        return rules
    if any(r.kind == "top" for rule in rules for r in rule.all_rules):
        raise UnsupportedProblemError(
            "The generator 'top' ranks cuts by classes: for real targets take another, such as "
            "'cart_leaves(16)' or 'quantiles(8)'."
        )
    return tuple(_squared(rule) for rule in rules)


def _squared(rule: Rule) -> Rule:
    return rule._replace(criterion="squared", also=tuple(_squared(r) for r in rule.also))
