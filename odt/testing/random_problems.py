"""Small random problems full of the cases that solvers get wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.model.objective import Objective
from odt.model.problem import Problem
from odt.model.shape import Charge, Shape
from odt.model.testset import TestSet

OBJECTIVES = (
    "error",
    "size",
    "depth",
    "expected_tests",
    "explanation_size",
    "worst_explanation_size",
    "error + 0.03*size",
    "error + 0.07*depth",
    "error + 0.05*expected_tests",
    "error + 0.1*explanation_size",
    "error + 0.1*worst_explanation_size",
    "error + 0.02*size + 0.01*expected_tests + 0.05*depth",
    "error, size",
    "error, expected_tests",
    "error, depth, size",
    "error, explanation_size",
    "error, worst_explanation_size, expected_tests",
    "size, error",
    "expected_tests + 5*error, worst_explanation_size",
)
"""Every measure alone, in weighted sums and in lexicographic orders."""


def random_dataset(rng: np.random.Generator, *, max_rows: int = 9) -> Dataset:
    """Return a dataset of 1 to ``max_rows`` examples and 1 to 3 features.

    Values repeat (ties), rows repeat with equal and with different labels, columns may be
    constant or categorical, there may be one class or one row, weights may be missing, integer,
    fractional or zero, values may lie a rounding error apart or far from each other.

    Parameters
    ----------
    rng : numpy.random.Generator
    max_rows : int
        Largest number of examples.
    """
    n, p = int(rng.integers(1, max_rows + 1)), int(rng.integers(1, 4))
    X = np.column_stack([_column(rng, n) for _ in range(p)])
    if n > 3 and rng.random() < 0.4:  # duplicate rows; their labels may contradict
        X[rng.integers(n)] = X[rng.integers(n)]
    y = rng.integers(0, rng.integers(1, 5), size=n)
    labels = np.array(["a", "b", "c", "d"])[y] if rng.random() < 0.5 else y - 1
    categorical = [j for j in range(p) if _is_small_integer(X[:, j]) and rng.random() < 0.3]
    costs = rng.choice([0.5, 1.0, 2.0, 3.0], size=p) if rng.random() < 0.3 else None
    weight = _weights(rng, n)
    return Dataset(X, labels, weight, categorical=categorical, test_costs=costs)


def random_problem(
    seed: int,
    *,
    objective: str | Objective = "error",
    limits: bool = True,
    structure: bool = False,
    max_rows: int = 9,
) -> Problem:
    """Return a reproducible small problem.

    Parameters
    ----------
    seed : int
    objective : str or Objective, default "error"
    limits : bool, default True
        Sometimes limit leaves, nodes, error or features as well as the depth.
    structure : bool, default False
        With ``limits``, also force and forbid tests, limit errors by class and price features.
    max_rows : int, default 9
        Largest number of examples.
    """
    rng = np.random.default_rng([20260, seed])
    dataset = random_dataset(rng, max_rows=max_rows)
    shape = _shape(rng, dataset, structure) if limits else Shape(max_depth=int(rng.integers(0, 4)))
    return Problem(dataset, objective if isinstance(objective, Objective)
                   else Objective.parse(objective), shape)  # fmt: skip


def with_every_objective(problem: Problem) -> Iterator[Problem]:
    """Yield the problem under each of `OBJECTIVES`."""
    for text in OBJECTIVES:
        yield Problem(problem.dataset, Objective.parse(text), problem.shape, problem.tests)


def _column(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    kind = rng.integers(6)
    if kind == 0:
        return np.full(n, 2.5)
    if kind == 1:
        return rng.integers(0, 2, size=n).astype(np.float64)
    if kind == 2:  # neighbouring floats: midpoints round onto a value
        return np.asarray(np.nextafter(1.0, 2.0) ** rng.integers(0, 3, size=n))
    if kind == 3:
        return rng.choice([-1e9, 0.0, 1e-9, 7.0], size=n)
    return rng.integers(0, 4, size=n).astype(np.float64)


def _is_small_integer(column: NDArray[np.float64]) -> bool:
    return bool((column == np.round(column)).all() and (abs(column) < 10).all())


def _weights(rng: np.random.Generator, n: int) -> NDArray[np.float64] | None:
    kind = rng.integers(5)
    if kind < 2:
        return None
    weight = rng.integers(1, 5, size=n).astype(np.float64)
    if kind == 3:
        weight /= 3.0
    if kind == 4:
        weight[1:][rng.random(n - 1) < 0.3] = 0.0
    return weight


def _shape(rng: np.random.Generator, dataset: Dataset, structure: bool) -> Shape:
    limits: dict[str, Any] = {"max_depth": int(rng.integers(0, 4))}
    kind = rng.integers(12 if structure else 9)
    if kind == 0:
        limits["min_samples_leaf"] = int(rng.integers(2, 4))
    elif kind == 1:
        limits["max_nodes"] = int(rng.integers(1, 8))
    elif kind == 2:
        limits["max_leaf_nodes"] = int(rng.integers(1, 5))
    elif kind == 3:
        limits["max_error"] = float(rng.choice([0.0, 0.0, 0.2, 0.34]))
    elif kind == 4:
        limits["max_features"] = int(rng.integers(0, 3))
    elif kind == 5:
        limits["min_weight_leaf"] = float(rng.choice([0.5, 1.5, 2.0]))
    elif kind == 6:
        limits["max_depth"] = None
    elif kind == 10:
        limits |= _demands(rng, dataset)
    elif kind == 11:
        shares = rng.choice([0.0, 0.3, 0.6, 1.0], size=dataset.n_classes)
        limits["max_class_error"] = dict(zip(dataset.classes, shares.tolist(), strict=True))
    elif kind == 9:
        columns = range(dataset.n_features)
        charges = (Charge(frozenset(columns[:2]), 2.0), Charge(frozenset(columns[1:3]), 0.5))
        limits["feature_charges"] = charges if rng.random() < 0.7 else None
        limits["feature_budget"] = float(rng.choice([0.0, 0.5, 2.0]))
    return Shape(**limits)


def _demands(rng: np.random.Generator, dataset: Dataset) -> dict[str, Any]:
    """Force or forbid a test or a feature at one or two positions near the root."""
    tests = TestSet.all(dataset).tests
    chosen: dict[str, dict[str, Any]] = {"forced": {}, "forbidden": {}}
    for _ in range(int(rng.integers(1, 3))):
        position = str(rng.choice(["", "", "L", "R", "LR"]))
        item: Any = int(rng.integers(dataset.n_features))
        if tests and rng.random() < 0.5:
            item = tests[int(rng.integers(len(tests)))]
        if rng.random() < 0.5:
            chosen["forced"][position] = item
        else:
            chosen["forbidden"][position] = [item]
    return chosen
