"""New arrays for kernels: one way to make each kind, since Numba compiles each way anew."""

from __future__ import annotations

import numpy as np

from odt.engine.compilation import inner
from odt.engine.front.kernels.layout import Array, Int


@inner
def vector(size: Int) -> Array:
    """An int64 array without content."""
    return np.empty(size, np.int64)


@inner
def zeros(size: Int) -> Array:
    """An int64 array of zeros."""
    out = vector(size)
    for i in range(size):
        out[i] = 0
    return out


@inner
def floats(size: Int) -> Array:
    """A float64 array of zeros."""
    out = np.empty(size)
    for i in range(size):
        out[i] = 0.0
    return out


@inner
def table(rows: Int, columns: Int) -> Array:
    """An int64 array of two dimensions without content."""
    return np.empty((rows, columns), np.int64)


@inner
def pairs(rows: Int) -> Array:
    """An int64 array of two columns without content."""
    return table(rows, 2)
