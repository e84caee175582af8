"""Small random data of every kind that is allowed, the awkward kinds above all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset

Floats = NDArray[np.float64]
Drawn = Callable[[np.random.Generator, int], NDArray[np.floating[Any]]]

WEIGHTS: dict[str, Drawn] = {
    "whole": lambda rng, n: rng.integers(1, 5, n).astype(float),
    "thirds": lambda rng, n: rng.integers(1, 5, n) / 3.0,
    "some zero": lambda rng, n: np.append(1.0, rng.integers(0, 2, n - 1)),
    "irrational": lambda rng, n: 1.0 - rng.random(n),
    "huge": lambda rng, n: rng.integers(10**8, 6 * 10**9, n).astype(float),
    "tiny": lambda rng, n: rng.integers(1, 10**6, n) * 1e-12,
    "far apart": lambda rng, n: rng.choice([1.0, 3.0, 1e9], n),
    "almost equal": lambda rng, n: 1.0 + rng.integers(0, 3, n) * 2.0**-30,
}
"""Kinds of example weights; with "huge" and "irrational" sums reach 2**40 units."""

COSTS: dict[str, Drawn] = {
    "few": lambda rng, p: rng.choice([0.5, 1.0, 2.0, 3.0], p),
    "far apart": lambda rng, p: rng.choice([0.0011, 0.001, 5000.0], p),
    "digits": lambda rng, p: rng.integers(1, 10**6, p) / 10**6,
    "irrational": lambda rng, p: 1.0 - rng.random(p),
    "thirds": lambda rng, p: rng.integers(1, 7, p) / 3.0,
    "some zero": lambda rng, p: np.append(rng.choice([0.25, 1.0]), rng.integers(0, 2, p - 1)),
}
"""Kinds of test costs; those with all digits of a float have units of 1e-17."""


def varied_dataset(
    rng: np.random.Generator,
    *,
    max_rows: int = 7,
    max_columns: int = 3,
    categorical: bool = True,
    costs: bool = True,
    gaps: bool = False,
) -> Dataset:
    """Return 1 to ``max_rows`` examples of 1 to ``max_columns`` features and 1 to 4 classes.

    Values and rows repeat, equal rows may contradict each other, columns may be constant, and
    weights are of all `WEIGHTS`.

    Parameters
    ----------
    rng : numpy.random.Generator
    max_rows, max_columns : int
    categorical : bool, default True
        Whether columns may be categorical.
    costs : bool, default True
        Whether features may have costs, of all `COSTS`.
    gaps : bool, default False
        Whether values may be missing, in about a third of the datasets.
    """
    n = int(max(rng.integers(1, max_rows + 1, 2)))  # one row is rare
    p = int(rng.integers(1, max_columns + 1))
    X = np.column_stack([_column(rng, n) for _ in range(p)])
    y = rng.integers(0, rng.choice([1, 2, 2, 2, 3, 4]), n)
    for _ in range(int(rng.integers(0, 3)) if n > 3 else 0):
        one, other = rng.integers(0, n, 2)
        X[one] = X[other]
        if rng.random() < 0.5:  # otherwise equal rows may contradict each other
            y[one] = y[other]
    labels: Any = np.array(["a", "b", "c", "d"])[y] if rng.random() < 0.5 else y - 1
    is_whole = [bool((column == column.round()).all() and abs(column).max() < 10) for column in X.T]
    holes = _holes(X) if gaps else np.zeros(X.shape, dtype=bool)
    return Dataset(
        np.where(holes, np.nan, X),
        labels,
        _weights(rng, n),
        categorical=[j for j in range(p) if categorical and is_whole[j] and rng.random() < 0.3],
        test_costs=_drawn(rng, COSTS, p) if costs and rng.random() < 0.6 else None,
        missing="category" if holes.sum() % 4 == 0 else "learned",
    )


def _holes(X: Floats) -> NDArray[np.bool_]:
    """Return where values are to be missing; a function of the data, no draw of the caller's."""
    rng = np.random.default_rng(crc32(X.tobytes()))
    return np.asarray(rng.random(X.shape) < rng.choice([0.0, 0.0, 0.3]))


def _weights(rng: np.random.Generator, n: int) -> Floats | None:
    kind = rng.random()
    if kind < 0.25:
        return None
    if kind < 0.6:  # the hardest for solvers that add in floats or machine integers
        return _drawn(rng, {name: WEIGHTS[name] for name in ("irrational", "huge")}, n)
    return _drawn(rng, WEIGHTS, n)


def _drawn(rng: np.random.Generator, kinds: dict[str, Drawn], n: int) -> Floats:
    return np.asarray(kinds[str(rng.choice(list(kinds)))](rng, n), dtype=np.float64)


def _column(rng: np.random.Generator, n: int) -> Floats:
    kind = rng.integers(10)
    if kind == 0:
        return np.full(n, 2.5)
    if kind == 1:  # neighbouring floats: midpoints round onto a value
        return np.asarray(np.nextafter(1.0, 2.0) ** rng.integers(0, 3, n))
    if kind == 2:
        return rng.choice([-1e9, 0.0, 1e-9, 7.0, 1e300], n)
    if kind == 3:
        return np.asarray(rng.normal(size=n).round(2))
    return rng.integers(0, rng.integers(2, 6), n).astype(np.float64)
