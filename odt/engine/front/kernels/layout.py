"""The arrays a kernel works on, and how one sorted entry is packed.

A column is a feature with ordered cuts (or one categorical test, coded 0 = holds, 1 = fails). Each
entry of a sorted column packs, from the high bits down, the *code* of its value (24 bits), the
class (15 bits) and the row (24 bits). Sorting the integers sorts by value, a stable partition
keeps them sorted, and a scan needs no indirection to see value and class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Int = Any
"""A number in a kernel: int, bool, int64, uint64 or float64; kernels mix them."""

ROW_BITS = 24
CLASS_BITS = 15
CODE_SHIFT = ROW_BITS + CLASS_BITS
ROW_MASK = (1 << ROW_BITS) - 1
CLASS_MASK = (1 << CLASS_BITS) - 1

GINI, ENTROPY, SQUARED = 0, 1, 2
NO_RULE, ALL, CART_DEPTH, CART_LEAVES, TOP, QUANTILES = -1, 0, 1, 2, 3, 4


class Data(NamedTuple):
    """The root state and everything that stays fixed during a search.

    Attributes
    ----------
    keys : int64 (columns, rows)
        Packed entries, every column sorted.
    weight, rows : int64 (rows,)
        Weight of a row and the number of data rows it stands for.
    target : float64 (rows,)
        Regression target, empty for classification.
    digest : uint64 (rows, 2)
        Random words; their sum over a set of rows identifies the set.
    values : float64 (codes,), offsets : int64 (columns + 1,)
        The value that stands for each code, all columns in a row.
    attribute : int64 (columns,)
        The feature of a column.
    test_price, feature_price : int64 (columns,)
        Complexity per unit of weight for a test, and for the first use of its feature on a path.
    branch_price : int
        Complexity of a branch, whatever its weight.
    xlogx : int64
        Fixed-point table of x * log2(x), empty where entropy is not used.
    classes, total : int
        Number of classes, and weight of all rows.
    unit : bool
        Every weight and every count is one.
    min_count, min_weight : int
        Least number of data rows and least weight on either side of a test.
    scale : float
        Units per squared error, for regression.
    """

    keys: Array
    weight: Array
    rows: Array
    target: Array
    digest: Array
    values: Array
    offsets: Array
    attribute: Array
    test_price: Array
    feature_price: Array
    branch_price: int
    xlogx: Array
    xlogx_scale: float
    classes: int
    total: int
    unit: bool
    min_count: int
    min_weight: int
    scale: float


def digests(n_rows: Int) -> Array:
    """Two well-mixed 64-bit words per row, the same in every run (splitmix64)."""
    z = np.arange(1, 2 * n_rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).reshape(n_rows, 2)
