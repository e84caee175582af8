"""Random problems that vary every field at once, within what a solver supports."""

from __future__ import annotations

import numpy as np

from odt.model.capability import Capability, Need
from odt.model.measure import Measure
from odt.model.objective import Objective, lexicographic
from odt.model.problem import Problem
from odt.testing.varied_data import varied_dataset
from odt.testing.varied_limits import varied_shape, varied_tests

COEFFICIENTS = (1.0, 5.0, 0.5, 0.1, 0.01, 1 / 3, 0.0173, 0.123456)
EVERYTHING: frozenset[Need] = frozenset((*Measure, *Capability)) - {Measure.SQUARED_ERROR}
"""All that a problem can need."""
_TRIES = 200


def varied_problem(
    seed: int,
    supports: frozenset[Need] = EVERYTHING,
    *,
    max_rows: int = 7,
    max_columns: int = 3,
    max_depth: int = 3,
) -> Problem:
    """Return a reproducible small problem that needs nothing beyond ``supports``.

    Data, weights, costs, objective, limits and test set are all drawn anew; `random_problem` keeps
    to tame ones for a given objective.

    Parameters
    ----------
    seed : int
    supports : frozenset of Measure and Capability, default EVERYTHING
        Such as ``solver.supports``; at least one measure. With only one or two limits among them
        most problems have these.
    max_rows, max_columns, max_depth : int
        Limits of the size; a problem without ``max_depth`` is as deep as its rows allow.
    """
    rng = np.random.default_rng([20261202, seed])
    for _ in range(_TRIES):
        problem = _drawn(rng, supports, (max_rows, max_columns), max_depth)
        if problem.needs <= supports:
            return problem
    raise AssertionError(f"no problem was drawn for {supports}")


def _drawn(
    rng: np.random.Generator, supports: frozenset[Need], size: tuple[int, int], max_depth: int
) -> Problem:
    objective = _objective(rng, supports)
    costs = Capability.TEST_COSTS in supports and Measure.EXPECTED_TESTS in objective.measures
    categorical = Capability.CATEGORICAL in supports
    data = varied_dataset(
        rng,
        max_rows=size[0],
        max_columns=size[1],
        categorical=categorical,
        costs=costs,
        gaps=Capability.MISSING in supports,
    )
    given = Capability.FIXED_TESTS in supports and rng.random() < 0.4
    tests = varied_tests(rng, data) if given else None
    if Measure.ERROR not in objective.measures and rng.random() < 0.8:
        # without a limit on errors a lone leaf would be best
        supports -= {Capability.MAX_ERROR} if rng.random() < 0.6 else {Capability.CONSISTENT}
    shape = varied_shape(rng, data, tests, supports, max_depth)
    return Problem(data, objective, shape, tests)


def _objective(rng: np.random.Generator, supports: frozenset[Need]) -> Objective:
    """Return up to three levels of up to three measures; error comes first in most."""
    measures = [m for m in Measure if m in supports & EVERYTHING]
    if Measure.ERROR in measures and rng.random() < 0.5:
        measures += [Measure.ERROR] * 4
    n_levels = int(rng.choice([1, 1, 2, 3])) if Capability.LEXICOGRAPHIC in supports else 1
    n_terms = int(rng.choice([1, 1, 2, 3])) if Capability.WEIGHTED_SUM in supports else 1
    levels = []
    for _ in range(n_levels):
        drawn = [measures[int(rng.integers(len(measures)))] for _ in range(n_terms)]
        terms = [
            float(rng.choice(COEFFICIENTS)) * Objective.parse(m.value) for m in dict.fromkeys(drawn)
        ]
        levels.append(sum(terms[1:], terms[0]))
    return lexicographic(*levels)
