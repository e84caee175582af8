"""Support sets: few features that suffice to tell all classes apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odt.errors import DataError, ProblemError
from odt.model.problem import Problem
from odt.model.testset import TestSet
from odt.transform.differences import Differences, bits, differences, minimal_hitting_sets


@dataclass(frozen=True)
class SupportSet:
    """A set of features that tells all examples of different class apart.

    Attributes
    ----------
    features : tuple of int
        Column numbers, ascending.
    cost : float
        Sum of the costs of the features.
    bound : float
        No support set costs less; equal to ``cost`` if this one is proved to be a minimum.
    """

    features: tuple[int, ...]
    cost: float
    bound: float


class SupportSets:
    """The support sets of a problem's data and candidate tests.

    The features of every consistent tree form a support set, so that a consistent tree has at
    least as many branches as the smallest support set has features. Rows that no test tells
    apart are ignored: what is found then supports all pairs that can be told apart.

    Parameters
    ----------
    problem : Problem
    stop : callable, optional
        Polled while pairs of examples are compared; `odt.errors.Stopped` is raised when it says
        True.

    Attributes
    ----------
    problem : Problem

    References
    ----------
    Eiben, Ordyniak, Paesani, Szeider: Learning Small Decision Trees with Large Domain, IJCAI 2023.
    """

    def __init__(self, problem: Problem, stop: Callable[[], bool] = lambda: False) -> None:
        self.problem = problem
        self._stop = stop

    @property
    def delta_max(self) -> int:
        """The maximum difference: most features on which a pair of different class differs."""
        return self._differences.largest

    def contains(self, features: Iterable[int]) -> bool:
        """Return whether some features are a support set."""
        chosen = sum(1 << f for f in set(features))
        return all(s & chosen for s in self._differences.minimal)

    def minimal(self, max_size: int) -> list[tuple[int, ...]]:
        """Return all inclusion-minimal support sets of at most ``max_size`` features.

        Parameters
        ----------
        max_size : int
            The running time grows like ``delta_max ** max_size``.

        Returns
        -------
        list of tuple of int
            By size, then in lexicographic order.
        """
        found = [tuple(bits(m)) for m in minimal_hitting_sets(self._differences.minimal, max_size)]
        return sorted(found, key=lambda features: (len(features), features))

    def smallest(
        self, costs: Sequence[float] | None = None, time_limit: float | None = None
    ) -> SupportSet:
        """Return a support set of least total cost, found as a hitting set by CP-SAT.

        Parameters
        ----------
        costs : sequence of float, optional
            A positive cost for each feature; by default every feature costs 1.
        time_limit : float, optional
            Seconds after which the best set so far is returned, with its bound.

        Raises
        ------
        ProblemError
            If the costs are not one positive number a feature.
        DataError
            If no set was found within the time limit.
        """
        n = self.problem.dataset.n_features
        price = np.ones(n) if costs is None else np.asarray(costs, dtype=np.float64)
        if price.shape != (n,) or not (np.isfinite(price) & (price > 0)).all():
            raise ProblemError(
                f"'costs' must be {n} positive numbers, one a feature. Got {costs!r} instead."
            )
        return _hit_all(self._differences.minimal, price, time_limit)

    @cached_property
    def _differences(self) -> Differences:
        merged = self.problem.dataset.merged
        rows, labels = np.nonzero(merged.weights)
        return differences(_codes(self.problem)[rows], labels.astype(np.int64), self._stop)


def restrict(problem: Problem, features: Iterable[int]) -> Problem:
    """Return the problem with only the tests of some features.

    An optimum of the restricted problem need not be one of the full problem, whatever the
    support set: with numeric features the loss has no bound at all (Theorem 17 of Eiben et al.),
    with binary ones it is at most exponential, and that is reached (Theorems 15 and 16). The
    tree is a tree of the full problem, and a bound of the full problem holds for it.

    Parameters
    ----------
    problem : Problem
    features : iterable of int
        Column numbers.

    Raises
    ------
    ProblemError
        For a column that does not exist.
    """
    chosen = frozenset(features)
    unknown = sorted(chosen - set(range(problem.dataset.n_features)))
    if unknown:
        raise ProblemError(
            f"There are no features {unknown}: the data have {problem.dataset.n_features} columns."
        )
    tests = TestSet(tuple(t for t in problem.candidate_tests if t.feature in chosen))
    return Problem(problem.dataset, problem.objective, problem.shape, tests)


def _codes(problem: Problem) -> NDArray[np.int64]:
    """Return, for each distinct row and feature, a code of its answers to the feature's tests."""
    X, tests = problem.dataset.merged.X, problem.candidate_tests
    answers = tests.outcomes(X)
    feature_of = np.array([t.feature for t in tests], dtype=np.int64)
    codes = np.zeros(X.shape, dtype=np.int64)
    for f in np.unique(feature_of):
        own = np.packbits(answers[:, feature_of == f], axis=1)
        codes[:, f] = np.unique(own, axis=0, return_inverse=True)[1].reshape(-1)
    return codes


def _hit_all(
    sets: tuple[int, ...], price: NDArray[np.float64], time_limit: float | None
) -> SupportSet:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    use = [model.new_bool_var(f"use{f}") for f in range(len(price))]
    for s in sets:
        model.add_bool_or([use[f] for f in bits(s)])
    model.minimize(sum(float(c) * x for c, x in zip(price, use, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = time_limit
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise DataError(f"No support set was found within {time_limit} seconds: allow more time.")
    features = tuple(f for f, x in enumerate(use) if solver.value(x))
    cost = float(price[list(features)].sum())
    bound = cost if status == cp_model.OPTIMAL else float(solver.best_objective_bound)
    return SupportSet(features, cost, bound)
