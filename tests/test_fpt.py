"""The fixed-parameter algorithm: against enumeration, and its parts against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

import odt
from odt.engine.fpt.examples import Examples
from odt.engine.fpt.patterns import UNKNOWN, height_of, letters_of, patterns
from odt.engine.fpt.solver import Fpt
from odt.engine.fpt.thresholds import Thresholds
from odt.testing import consistent

CONSISTENT = odt.Shape(max_error=0.0)


def random_data(seed):
    """Return up to 9 distinct rows with up to 4 features and classes: ties, reals, gaps."""
    rng = np.random.default_rng([7, seed])
    n, p, n_classes = rng.integers(4, 10), rng.integers(1, 5), rng.integers(2, 5)
    kind = rng.integers(3)
    if kind == 0:
        X = rng.integers(0, 4, size=(n, p)).astype(float)
    elif kind == 1:
        X = np.round(rng.normal(size=(n, p)), 1)
    else:
        X = rng.choice([-1e9, 0.0, 0.1, 0.1 + 2**-50, 7.0, 8.0], size=(n, p))
    X = np.unique(X, axis=0)
    return odt.Dataset(X, rng.integers(0, n_classes, size=len(X)))


def test_equals_enumeration_and_min_size():
    """300 random problems: fpt = min-size = the enumerated front, for size (<= 4) and depth (2)."""
    checked = {"size": 0, "depth": 0}
    for seed in range(300):
        data = random_data(seed)
        front = consistent.fronts(odt.Problem(data, "size", CONSISTENT))
        best = {"size": min(s for s, _ in front), "depth": min(d for _, d in front)}
        for objective, most in (("size", 4), ("depth", 2)):
            if best[objective] > most:
                continue
            problem = odt.Problem(data, objective, CONSISTENT)
            for solver in (Fpt(), odt.solver_class("min-size")()):
                solution = solver.solve(problem, odt.Run(problem))
                assert solution.status is odt.Status.OPTIMAL
                tree = solution.tree
                assert problem.cost(tree) == solution.bound, (seed, solver.name)
                value = tree.n_branches if objective == "size" else tree.depth
                assert value == best[objective], (seed, objective, solver.name)
            checked[objective] += 1
    assert checked["size"] > 250
    assert checked["depth"] > 200


@pytest.mark.parametrize(
    ("data", "branches", "depth"),
    [
        (consistent.parity_with_hint(3), 4, 3),
        (consistent.indexed_parity(2), 2, 2),
        (consistent.alternating_with_hint(8), 2, 2),
        (consistent.alternating_with_hint(20), 2, 2),
        (consistent.parity(2), 3, 2),
    ],
)
def test_known_families(data, branches, depth):
    """Trees that need a feature outside every minimal support set are found."""
    for objective, optimum in (("size", branches), ("depth", depth)):
        result = odt.solve(odt.Problem(data, objective, CONSISTENT), "fpt")
        assert result.status is odt.Status.OPTIMAL
        assert (result.tree.n_branches if objective == "size" else result.tree.depth) == optimum


@pytest.mark.slow
def test_larger_families():
    """L_4 by size and Ld_4 and the multiplexer by depth: minutes of patterns, right answers."""
    for data, objective, optimum in (
        (consistent.parity_with_hint(4), "size", 11.0),
        (consistent.indexed_parity(4), "depth", 3.0),
        (consistent.multiplexer(), "depth", 3.0),
    ):
        assert odt.solve(odt.Problem(data, objective, CONSISTENT), "fpt").objective == optimum


def test_patterns_are_all_shapes_with_all_labels():
    """Catalan(k) shapes times 2^k labellings, each once, cut off at the height."""
    for size, catalan in enumerate([1, 1, 2, 5, 14]):
        found = list(patterns(size, size, (0, 1)))
        assert len(found) == len(set(found)) == catalan * 2**size
    assert all(height_of(p) <= 2 for p in patterns(3, 2, (0,)))
    assert len(list(patterns(3, 2, (0,)))) == 1
    assert letters_of((0, (UNKNOWN, None, None), None)) == {0, UNKNOWN}


def completions(thresholds, rows, pattern):
    """Say by trying every threshold at every node whether a pattern is valid."""
    examples = thresholds.examples
    if examples.is_pure(rows):
        return True
    if pattern is None:
        return False
    feature, left, right = pattern
    if feature == UNKNOWN:
        return completions(thresholds, rows, left) or completions(thresholds, rows, right)
    return any(
        completions(thresholds, examples.up_to(feature, value, rows), left)
        and completions(thresholds, examples.above(feature, value, rows), right)
        for value in (-1, *examples.domain(feature, rows))
    )


def test_threshold_search_pools_and_branching_sets():
    """Validity by bisection = by trying all thresholds; pools are small and show invalidity."""
    seen = {True: 0, False: 0}
    for seed in range(60):
        problem = odt.Problem(random_data(seed), "size", CONSISTENT)
        examples = Examples.of(problem)
        thresholds = Thresholds(examples)
        letters = (UNKNOWN, *range(min(2, len(examples.values))))
        for size in range(1, 4):
            for pattern in patterns(size, size, letters):
                is_valid = thresholds.valid(examples.rows, pattern)
                assert is_valid == completions(thresholds, examples.rows, pattern)
                seen[is_valid] += 1
                if is_valid or examples.is_pure(examples.rows):
                    continue
                pool = thresholds.pool(examples.rows, pattern)
                assert len(pool) <= 2 ** (height_of(pattern) + 1)
                assert not thresholds.valid(pool, pattern)
                assert not thresholds.branching(pattern) & letters_of(pattern)
    assert min(seen.values()) > 1000


def test_stops_in_time_with_a_valid_bound():
    """A problem far beyond it ends at the limit; what it has refuted is the bound."""
    rng = np.random.default_rng(0)
    data = odt.Dataset(rng.normal(size=(40, 6)), rng.integers(0, 2, size=40))
    result = odt.solve(
        odt.Problem(data, "size", CONSISTENT), "fpt", budget=odt.Budget(time_limit=1.0)
    )
    assert result.stopped_by == "time"
    assert 3 <= result.bound <= odt.solve(result.problem, "min-size").objective <= result.objective
