"""Tests that a consistent tree never needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.errors import ProblemError
from odt.features import Feature
from odt.problem import Problem
from odt.testset import TestSet

LEAF_LIMITS = {Feature.MIN_SAMPLES_LEAF, Feature.MIN_WEIGHT_LEAF}


def undominated_tests(problem: Problem) -> TestSet:
    """Return the candidate tests without those that another one of the same feature dominates.

    Of the thresholds of a feature below which only one class occurs, the highest dominates the
    others, and likewise above: in a consistent tree, replacing a lower one by it moves examples
    to a leaf of their own class where they stay, and leaves fewer for the other side. No path
    becomes longer and no path meets a new feature, so the optimum is kept for all objectives,
    with any limits but those on the size of leaves. Tests equal to another one or useless on
    these rows are dropped by every solver anyway (`Problem.compiled`). The solver ``min-size``
    does both and more by itself.

    Parameters
    ----------
    problem : Problem
        With ``Shape(max_error=0)`` on data that have a consistent tree.

    Raises
    ------
    ProblemError
        If errors are allowed, or a leaf must have more than one example: then it is not exact.
    """
    needs = problem.needs
    if Feature.CONSISTENT not in needs or needs & LEAF_LIMITS:
        raise ProblemError(
            "Dominated tests may be dropped only with Shape(max_error=0) and without limits on "
            f"the leaves. Got {problem.shape} instead."
        )
    merged = problem.dataset.merged
    labels = merged.weights.argmax(axis=1)
    groups: dict[int, list[int]] = {}
    tests = problem.candidate_tests.tests
    for t, test in enumerate(tests):
        if test.threshold is not None:
            groups.setdefault(test.feature, []).append(t)
    dropped: set[int] = set()
    for group in groups.values():
        group.sort(key=lambda t: tests[t].threshold or 0.0)
        yes = np.array([tests[t].holds(merged.X) for t in group])
        low = [t for t, left in zip(group, yes, strict=True) if _is_pure(labels[left])]
        high = [t for t, left in zip(group, yes, strict=True) if _is_pure(labels[~left])]
        dropped.update(low[:-1], high[1:])
    kept = tuple(test for t, test in enumerate(tests) if t not in dropped)
    return TestSet(kept, complete=False)


def _is_pure(labels: NDArray[np.int64]) -> bool:
    return len(labels) == 0 or bool((labels == labels[0]).all())
