"""Exact comparisons of products that do not fit in 64 bits."""

from __future__ import annotations

import numpy as np

from odt.engine.compilation import inner
from odt.engine.front.kernels.layout import Int

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_SMALL = 2147483647


@inner
def wide_product(a: Int, b: Int) -> tuple[Int, Int]:
    """High and low word of the 128-bit product of two non-negative int64."""
    x, y = np.uint64(a), np.uint64(b)
    xl, xh, yl, yh = x & _LOW, x >> _HALF, y & _LOW, y >> _HALF
    low = xl * yl
    middle = xh * yl + (low >> _HALF)
    other = xl * yh + (middle & _LOW)
    return xh * yh + (middle >> _HALF) + (other >> _HALF), (other << _HALF) | (low & _LOW)


@inner
def compare_products(a: Int, b: Int, c: Int, d: Int) -> Int:
    """Sign of ``a * b - c * d`` for non-negative int64."""
    if a <= _SMALL and b <= _SMALL and c <= _SMALL and d <= _SMALL:
        left, right = a * b, c * d
        return (left > right) - (left < right)
    high, low = wide_product(a, b)
    other_high, other_low = wide_product(c, d)
    if high != other_high:
        return 1 if high > other_high else -1
    return (low > other_low) - (low < other_low)
