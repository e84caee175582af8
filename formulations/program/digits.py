"""Sums with large coefficients, written as sums with small ones.

A floating-point solver takes 0.999999 for 1, so it cannot tell apart sums that differ by less than
a millionth of their coefficients; a solver that counts in 64 bits may overflow. Here a row becomes
rows for its digits. With coefficients c = base c' + d, where -base/2 <= d < base/2,

    sum c x <= base u + r  with 0 <= r < base,  if and only if there is an integer carry q with
    base q >= sum d x - r   and   sum c' x + q <= u,

and the second row is treated in the same way until its coefficients are small. With a fractional q
the two rows say the same as the one, so a linear relaxation loses nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from formulations.program.base import Block, Expression, Ints, Program, Values
from odt.errors import UnsupportedProblemError


class Carry(NamedTuple):
    """An integer variable that is ``(terms - spare) / base``, rounded up, less ``shift``."""

    variable: int
    terms: Expression
    base: int
    spare: int
    shift: int

    def least(self, values: Values) -> int:
        """Return its least value, given integer values of the other variables."""
        whole = np.round(values).astype(np.int64)
        return max(_ceil(self.terms.value(whole) - self.spare, self.base) - self.shift, 0)


class DigitProgram(Program):
    """A program whose rows are split until every sum is small enough for its solvers.

    Attributes
    ----------
    largest_sum : int
        How far the sum of one row may move.
    blocks : list of Block
        All variables.
    """

    largest_sum: ClassVar[int]
    blocks: list[Block]
    objective: Expression

    def __init__(self) -> None:
        self._carries: list[Carry] = []

    @abstractmethod
    def add_row(self, terms: Expression, lower: int | None, upper: int | None) -> None:
        """Add a row without a constant, as it is."""

    def row(self, terms: Expression, lower: int | None = None, upper: int | None = None) -> None:
        """Demand ``lower <= terms <= upper``; None means no limit.

        Raises
        ------
        UnsupportedProblemError
            If there are too many variables to split it.
        """
        terms, constant = self._gathered(terms)._replace(constant=0), terms.constant
        divisor = int(np.gcd.reduce(terms.coefficients)) or 1
        terms = terms._replace(coefficients=terms.coefficients // divisor)
        low, high = self._span(terms)
        least = low if lower is None else max(_ceil(lower - constant, divisor), low)
        most = high if upper is None else min((upper - constant) // divisor, high)
        if least > low and most < high and high - low <= self.largest_sum:
            self.add_row(terms, least, most)
            return
        if most < high:
            self._add_split(terms, max(most, low - 1))
        if least > low:
            negative = terms._replace(coefficients=-terms.coefficients)
            self._add_split(negative, max(-least, -high - 1))

    def minimise(self, terms: Expression) -> None:
        """Set the objective."""
        self.objective = self._gathered(terms)

    def coarsen(self, unit: int, known: int) -> None:
        """Minimise by how much the objective, in units and rounded down, exceeds what is known.

        Parameters
        ----------
        unit : int
            A power of two.
        known : int
            In units: no solution is below, and the best is less than `STEP` above.
        """
        terms = self._floor(self.objective, unit)
        above = self.variables("above", upper=STEP - 1)
        self._carries.append(Carry(int(above), terms, 1, known, 0))
        self.row(Expression.total([(1, terms), (-1, Expression.of(above))]), upper=known)
        self.minimise(Expression.of(above))

    def completed(self, values: Values) -> Values | None:
        """Fill in, in place, the variables that splitting has added; None if one does not fit."""
        for carry in self._carries:
            values[carry.variable] = value = carry.least(values)
            if value > self._highest(np.array([carry.variable]))[0]:
                return None
        return values

    # ---- splitting ------------------------------------------------------------------------

    def _highest(self, variables: Ints) -> Ints:
        first = np.array([block.first for block in self.blocks], dtype=np.int64)
        upper = np.array([block.upper for block in self.blocks], dtype=np.int64)
        return np.asarray(upper[np.searchsorted(first, variables, side="right") - 1])

    def _gathered(self, terms: Expression) -> Expression:
        """Return an expression with each variable once, and without those that are always 0."""
        terms = terms.gathered()
        moves = self._highest(terms.variables) > 0
        return Expression(terms.variables[moves], terms.coefficients[moves], terms.constant)

    def _span(self, terms: Expression) -> tuple[int, int]:
        """Return the least and the largest value that a sum can take, its constant left out."""
        if not len(terms.variables):
            return 0, 0
        highest = self._highest(terms.variables)
        fits = float(np.abs(terms.coefficients).sum(dtype=float)) * int(highest.max()) < 2**62
        kind = np.int64 if fits else object
        reach = terms.coefficients.astype(kind) * highest.astype(kind)
        return int(np.minimum(reach, 0).sum()), int(np.maximum(reach, 0).sum())

    def _width(self, terms: Expression) -> int:
        low, high = self._span(terms)
        return high - low

    def _add_split(self, terms: Expression, upper: int) -> None:
        """Demand ``terms <= upper`` of a sum without a constant."""
        while (before := self._width(terms)) > self.largest_sum:
            base = self._base(terms)
            upper, spare = divmod(upper, base)
            terms = self._carried(terms, base, spare)
            terms, upper = terms._replace(constant=0), upper - terms.constant
            if self._width(terms) > before * 3 // 4:
                raise UnsupportedProblemError(
                    f"A row over {len(terms.variables)} variables adds up to {before:.0e} units; "
                    f"solvers tell sums apart up to {self.largest_sum:.0e}. Give weights, costs or "
                    "prices with a small common denominator, fewer tests or less depth, or use "
                    "the solver 'dp'."
                )
        self.add_row(terms, None, upper)

    def _floor(self, terms: Expression, unit: int) -> Expression:
        """Return an expression whose least value is ``terms / unit``, rounded down."""
        while unit > 1:
            base = min(self._base(terms), unit)
            terms, unit = self._carried(terms, base, base - 1), unit // base
        return terms

    def _base(self, terms: Expression) -> int:
        """Return the largest power of two whose digits add up to little enough."""
        base = 1 << (self.largest_sum.bit_length() - 3)
        while base > 2 and 2 * (self._width(_digits(terms, base)[1]) + base) > self.largest_sum:
            base //= 2
        return base

    def _carried(self, terms: Expression, base: int, spare: int) -> Expression:
        """Return ``sum c' x + q``, with a row for the digits; see the module."""
        high, digit = _digits(terms, base)
        above, constant = divmod(terms.constant, base)
        spare -= constant
        least, largest = (_ceil(side - spare, base) for side in self._span(digit))
        high = high._replace(constant=above + least)
        if least == largest:
            return high
        carry = self.variables(f"carry{len(self._carries)}", upper=largest - least)
        self._carries.append(Carry(int(carry), digit, base, spare, least))
        row = Expression.total([(1, digit), (-base, Expression.of(carry))])
        self.add_row(row, None, spare + base * least)
        return Expression.total([(1, high), (1, Expression.of(carry))])


STEP = 2**16
"""By how much the unit of an objective shrinks from one stage to the next."""


def weight_digits(weights: Ints, most: int, n_leaves: int) -> Iterator[tuple[int, Ints]]:
    """Yield weights digit by digit, as a factor and an array of small numbers.

    Parameters
    ----------
    weights : ndarray of int64
        Not negative.
    most : int
        How far the sum of a row may move.
    n_leaves : int
        How often all weights may occur in one row.

    Raises
    ------
    UnsupportedProblemError
        If there are too many weights.
    """
    if int(weights.sum()) <= most // 4:
        yield 1, weights
        return
    base, room = 1 << (most.bit_length() - 3), most // (4 * n_leaves)
    while base > 2 and int((weights % base).sum()) > room // 16:  # prices multiply them
        base //= 2
    if int((weights % base).sum()) > room:
        raise UnsupportedProblemError(
            f"{weights.size} weights that add up to {int(weights.sum()):.0e} are too many for "
            "big-M rows. Use 'flow-oct', or the solver 'dp'."
        )
    factor = 1
    while weights.any():
        if (digit := weights % base).any():
            yield factor, digit
        weights, factor = weights // base, factor * base


def _digits(terms: Expression, base: int) -> tuple[Expression, Expression]:
    """Return c' and d of a sum; see the module."""
    digit = (terms.coefficients + base // 2) % base - base // 2
    parts = ((terms.coefficients - digit) // base, digit)
    high, low = (Expression(terms.variables, part).gathered() for part in parts)
    return high, low


def _ceil(number: int, by: int) -> int:
    return -(-number // by)
