"""Real-valued targets in exact integers, so that squared errors have no rounding of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.encode import finite_numbers
from odt.data.tables import dense_array
from odt.errors import DataError

ERROR_BITS = 44
"""Bits of the squared error of a single leaf, counted in `Targets.unit`; one more or less."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What a regression tree is to predict, as multiples of one step above the least target.

    A float counts as the decimal that it is printed as. So weights and targets are integers, and
    so are the three sums from which the mean and the squared error of any set of examples follow.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        The targets as given.
    moments : ndarray of int objects, shape (n, 3)
        Weight units of each example, times its target in steps, times its square.
    least, step : Fraction
        A target is ``least + step * multiple``.
    """

    values: NDArray[np.float64]
    moments: NDArray[np.object_]
    least: Fraction
    step: Fraction

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.int64]) -> Targets:
        """Return the targets of weighted examples.

        Parameters
        ----------
        values : ndarray of float64, shape (n,)
            Finite.
        weights : ndarray of int64, shape (n,)
            Positive weight units.
        """
        distinct, inverse = np.unique(values, return_inverse=True)
        decimals = [Fraction(repr(value)) for value in distinct.tolist()]
        denominator = lcm(*(d.denominator for d in decimals))
        above = [int((d - decimals[0]) * denominator) for d in decimals]
        divisor = gcd(*above) or 1
        steps = np.array([a // divisor for a in above], dtype=object)[inverse.reshape(-1)]
        weight = weights.astype(object)
        moments = np.stack([weight, weight * steps, weight * steps * steps], axis=1)
        return cls(values, moments, decimals[0], Fraction(divisor, denominator))

    @cached_property
    def unit(self) -> Fraction:
        """Squared error, times weight units, that counts as one: a power of two.

        A single leaf has about ``2**44`` of them, and each leaf of a tree is rounded down to whole
        ones, so a squared error is too small by less than one unit a leaf, and a bound holds.
        """
        weight, total, squares = self.moments.sum(axis=0)
        error = Fraction(weight * squares - total * total, weight) * self.step**2
        if not error:
            return Fraction(1)
        digits = error.numerator.bit_length() - error.denominator.bit_length()
        return Fraction(2) ** (digits - ERROR_BITS)

    @cached_property
    def rate(self) -> Fraction:
        """Units in the square of a step."""
        return self.step**2 / self.unit

    def least_errors(self, moments: Iterable[Any]) -> int:
        """Return the units of squared error around the mean of a set with these moments."""
        weight, total, squares = moments
        spread = (weight * squares - total * total) * self.rate.numerator
        return int(spread // (weight * self.rate.denominator))

    def errors(self, moments: Iterable[Any], value: float) -> int:
        """Return the units of squared error around a value.

        The float nearest to the mean of the set stands for the mean itself.
        """
        weight, total, squares = moments
        if value == self.mean((weight, total, squares)):
            return self.least_errors((weight, total, squares))
        steps = (Fraction(repr(float(value))) - self.least) / self.step
        return int((squares - 2 * steps * total + steps**2 * weight) * self.rate // 1)

    def mean(self, moments: Iterable[Any]) -> float:
        """Return the float nearest to the weighted mean of a set with these moments."""
        weight, total, _ = moments
        return float(self.least + self.step * Fraction(total, weight))


def real_targets(y: Any) -> NDArray[np.float64]:
    """Return the targets of a regression as an array of shape (n,).

    Raises
    ------
    DataError
        For several targets, and for values that are no finite numbers.
    """
    check_one_target(dense_array(y, "y").shape)
    return finite_numbers(y, "y").reshape(-1)


def check_one_target(shape: tuple[int, ...]) -> None:
    """Refuse several targets, by the shape of ``y``.

    Raises
    ------
    DataError
        Says how to go on.
    """
    if len(shape) > 1 and (len(shape) > 2 or shape[1] != 1):
        raise DataError(
            f"One target is expected. Got y of shape {shape}: fit one tree for each column, for "
            "example with sklearn.multioutput.MultiOutputRegressor."
        )
