"""Tests that a consistent tree never needs."""

from __future__ import annotations

from odt.errors import ProblemError
from odt.model.dominance import without_dominated
from odt.model.problem import Problem
from odt.model.testset import TestSet


def undominated_tests(problem: Problem) -> TestSet:
    """Return the candidate tests without those that another one of the same feature dominates.

    This is exact for every objective where `Problem.drops_dominated` says so, and there
    `Problem.compiled`, on which solvers with a fixed test set work, does it anyway. See
    `odt.model.dominance`.

    Parameters
    ----------
    problem : Problem
        With ``Shape(max_error=0)`` on data that have a consistent tree.

    Raises
    ------
    ProblemError
        If errors are allowed, or a leaf must have more than one example: then it is not exact.
    """
    if not problem.drops_dominated:
        raise ProblemError(
            "Dominated tests may be dropped only with Shape(max_error=0) and without limits on "
            f"the leaves or on positions. Got {problem.shape} instead."
        )
    return without_dominated(problem.dataset, problem.candidate_tests)
