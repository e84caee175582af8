"""Impurities of sets of examples, from their class weights in the last axis.

Each is multiplied with the weight of its set, so that those of the two sides of a test are added.
Kernels over integers have their own, exact ones (`odt.engine.front.kernels.scan`), and so has the
reproduction of a published order of floating point operations (`heuristics.ser_dt_reference`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def misclassified(weights: Floats) -> Floats:
    """Return the weight outside the heaviest class."""
    return np.asarray(weights.sum(axis=-1) - weights.max(axis=-1))


def gini(weights: Floats) -> Floats:
    """Return weight times Gini impurity; 0 without weight."""
    total = weights.sum(axis=-1)
    return np.asarray(total - (weights**2).sum(axis=-1) / np.where(total > 0, total, 1))


def entropy(weights: NDArray[Any]) -> Floats:
    """Return weight times entropy in bits; weights may be integers."""
    total = weights.sum(axis=-1, keepdims=True)
    share = weights / np.where(total > 0, total, 1)
    return np.asarray(-(weights * np.log2(np.where(share > 0, share, 1))).sum(axis=-1))


def pairs(weights: Floats) -> Floats:
    """Return twice the number of pairs of different class, counted by weight."""
    return np.asarray(weights.sum(axis=-1) ** 2 - (weights**2).sum(axis=-1))
