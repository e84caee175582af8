"""Exact integer units for weights, costs and coefficients."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_DENOMINATOR = 10**6
WEIGHT_BITS = 40
COST_BITS = 62  # the costs of all features together fit into a machine integer


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


def integer_units(numbers: NDArray[np.float64]) -> IntegerUnits:
    """Write non-negative numbers as integer multiples of their largest common unit.

    Weights such as 1, 2.5 or 1/3 have a small common denominator and are exact. Weights without
    one (say, drawn at random) are rounded to a grid of ``2**-bits`` of their total, so that all
    solvers can work in integers; `odt.Dataset` reports this as ``weights_exact``.

    Parameters
    ----------
    numbers : ndarray of float64
        Non-negative and finite, with a positive sum.
    """
    distinct, inverse, repeats = np.unique(numbers, return_inverse=True, return_counts=True)
    unit = _common_unit(distinct.tolist(), repeats.tolist(), 2**WEIGHT_BITS)
    if unit is not None:
        counts = np.array([int(_simple(v) / unit) for v in distinct.tolist()], dtype=np.int64)
        return IntegerUnits(counts[inverse], unit, True)
    total = sum(Fraction(v) * n for v, n in zip(distinct.tolist(), repeats.tolist(), strict=True))
    unit = total / 2**WEIGHT_BITS
    grid = [max(round(Fraction(v) / unit), int(v > 0)) for v in distinct.tolist()]
    return IntegerUnits(np.array(grid, dtype=np.int64)[inverse], unit, False)


def exact_units(numbers: NDArray[np.float64]) -> IntegerUnits | None:
    """Write non-negative numbers as integer multiples of their largest common unit, exactly.

    A number is the fraction with a small denominator that is this float, or the decimal that it
    is printed as.

    Parameters
    ----------
    numbers : ndarray of float64
        Non-negative and finite, with a positive sum.

    Returns
    -------
    IntegerUnits or None
        None if the multiples add up to more than ``2**COST_BITS``.
    """
    simple = ((v, _simple(v)) for v in numbers.tolist())
    fractions = [f if float(f) == v else Fraction(repr(v)) for v, f in simple]
    numerator = gcd(*(f.numerator for f in fractions)) or 1
    unit = Fraction(numerator, lcm(*(f.denominator for f in fractions)))
    counts = [int(f / unit) for f in fractions]
    if sum(counts) > 2**COST_BITS:
        return None
    return IntegerUnits(np.array(counts, dtype=np.int64), unit, True)


def _common_unit(values: list[float], repeats: list[int], most: int) -> Fraction | None:
    """Return the largest unit of all values; None if one is not simple, or beyond ``most`` units.

    It ends at the first value that rules a unit out, so that the denominators stay small.
    """
    total, numerator, denominator = Fraction(0), 0, 1
    for value, n in zip(values, repeats, strict=True):
        fraction = _simple(value)
        numerator = gcd(numerator, fraction.numerator)
        denominator = lcm(denominator, fraction.denominator)
        total += fraction * n
        if float(fraction) != value or total * denominator > most * max(numerator, 1):
            return None
    return Fraction(max(numerator, 1), denominator)


def _simple(value: float) -> Fraction:
    return Fraction(value).limit_denominator(MAX_DENOMINATOR)
