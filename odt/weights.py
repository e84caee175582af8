"""Exact integer units for weights, costs and coefficients."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_DENOMINATOR = 10**6
WEIGHT_BITS = 40
COST_BITS = 20  # weight * cost of a path stays below 2**63


class IntegerUnits(NamedTuple):
    """Numbers written as integer multiples of one unit.

    Attributes
    ----------
    counts : ndarray of int64
        The multiples.
    unit : Fraction
        What one multiple is worth.
    exact : bool
        Whether ``counts * unit`` are the numbers themselves; otherwise each number is off by at
        most half a unit (a positive one is at least one unit).
    """

    counts: NDArray[np.int64]
    unit: Fraction
    exact: bool


def as_fraction(number: float | Fraction) -> Fraction:
    """Return the simplest fraction that *is* this float, so that 0.01 gives 1/100.

    Parameters
    ----------
    number : float or Fraction
        A finite number.
    """
    if isinstance(number, Fraction):
        return number
    simple = Fraction(number).limit_denominator(10**9)
    return simple if float(simple) == number else Fraction(repr(float(number)))


def integer_units(numbers: NDArray[np.float64], bits: int = WEIGHT_BITS) -> IntegerUnits:
    """Write non-negative numbers as integer multiples of their largest common unit.

    Weights such as 1, 2.5 or 1/3 have a small common denominator and are exact. Weights without
    one (say, drawn at random) are rounded to a grid of ``2**-bits`` of their total, so that all
    solvers can work in integers; `odt.Dataset` reports this as ``weights_exact``.

    Parameters
    ----------
    numbers : ndarray of float64
        Non-negative and finite, with a positive sum.
    bits : int
        The multiples add up to at most about ``2**bits``.
    """
    distinct, inverse = np.unique(numbers, return_inverse=True)
    fractions = [Fraction(v).limit_denominator(MAX_DENOMINATOR) for v in distinct.tolist()]
    denominator = lcm(*(f.denominator for f in fractions))
    multiples = [int(f * denominator) for f in fractions]
    exact = all(float(f) == v for f, v in zip(fractions, distinct.tolist(), strict=True))
    total = sum(m * int(c) for m, c in zip(multiples, np.bincount(inverse), strict=True))
    if exact and total <= 2**bits:
        divisor = int(np.gcd.reduce(np.array(multiples, dtype=np.int64))) or 1
        counts = np.array([m // divisor for m in multiples], dtype=np.int64)
        return IntegerUnits(counts[inverse], Fraction(divisor, denominator), True)
    unit = Fraction(float(numbers.sum())) / 2**bits
    grid = np.rint(distinct / float(unit)).astype(np.int64)
    grid = np.where(distinct > 0, np.maximum(grid, 1), 0)
    return IntegerUnits(grid[inverse], unit, False)
