"""What all intermediate models share: variables, clauses, linear rows and a linear objective."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Values = NDArray[Any]
_FITS = 2**62


class Expression(NamedTuple):
    """A linear expression: ``coefficients . values[variables] + constant``.

    Attributes
    ----------
    variables : ndarray of int64, shape (m,)
        A variable may occur more than once.
    coefficients : ndarray of int64, or of Python integers where these do not suffice, shape (m,)
    constant : int
    """

    variables: Ints
    coefficients: Ints
    constant: int = 0

    @classmethod
    def of(cls, variables: Any, coefficients: Any = 1, constant: int = 0) -> Self:
        """Return the expression of arrays of one shape; a single coefficient counts for all."""
        index = np.asarray(variables, dtype=np.int64)
        weight = np.broadcast_to(_integers(coefficients), index.shape)
        return cls(index.reshape(-1), weight.reshape(-1).copy(), constant)

    @classmethod
    def total(cls, parts: Iterable[tuple[int, Expression]]) -> Self:
        """Return the sum of expressions times integers; factors of 0 are left out."""
        used = [(factor, terms) for factor, terms in parts if factor]
        empty = np.zeros(0, dtype=np.int64)
        return cls(
            np.concatenate([empty, *(terms.variables for _, terms in used)]),
            np.concatenate([empty, *(_times(f, terms.coefficients) for f, terms in used)]),
            sum(factor * terms.constant for factor, terms in used),
        )

    def gathered(self) -> Expression:
        """Return the same expression with each variable once and no zero coefficients."""
        variables, where = np.unique(self.variables, return_inverse=True)
        total = float(np.abs(self.coefficients).sum(dtype=float))
        coefficients = np.zeros(len(variables), dtype=np.int64 if total < _FITS else object)
        np.add.at(coefficients, where.reshape(-1), self.coefficients)
        kept = np.asarray(coefficients != 0, dtype=bool)
        return Expression(variables[kept], coefficients[kept], self.constant)

    def value(self, values: Values) -> Any:
        """Return what the expression amounts to at ``values``, exactly if these are integers."""
        if values.dtype.kind == "f":
            weights = self.coefficients.astype(np.float64)
            return float(values[self.variables] @ weights) + self.constant
        pairs = zip(self.coefficients.tolist(), values[self.variables].tolist(), strict=True)
        return sum(c * int(v) for c, v in pairs) + self.constant


def _integers(numbers: Any) -> NDArray[Any]:
    """Return an array of int64, or of Python integers if some number does not fit."""
    try:
        return np.asarray(numbers, dtype=np.int64)
    except OverflowError:
        return np.asarray(numbers, dtype=object)


def _times(factor: int, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the exact products; Python integers where int64 does not suffice."""
    largest = int(np.abs(numbers).max(initial=1))
    return factor * (numbers if abs(factor) * largest < _FITS else numbers.astype(object))


class Block(NamedTuple):
    """Variables that were added together, with values in 0..upper."""

    name: str
    first: int
    shape: tuple[int, ...]
    upper: int
    start: int = 0

    @property
    def size(self) -> int:
        """Number of variables."""
        return prod(self.shape)

    @property
    def numbers(self) -> Ints:
        """The numbers of the variables, in the shape of the block."""
        return np.arange(self.first, self.first + self.size, dtype=np.int64).reshape(self.shape)

    def name_of(self, variable: int) -> str:
        """Return the name of a variable of the block, such as ``reach[3,17]``."""
        if not self.shape:
            return self.name
        row, *rest = (int(i) for i in np.unravel_index(variable - self.first, self.shape))
        return f"{self.name}[{','.join(map(str, [row + self.start, *rest]))}]"


class Program(ABC):
    """A model that a solver library can be given; formulations write it, emitters read it.

    Variables are numbered from 0. A literal is a variable ``v`` or its negation ``~v``, as in
    CP-SAT. Clauses and rows come in batches, as arrays, to keep building fast.
    """

    @abstractmethod
    def variables(
        self, name: str, *shape: int, upper: int = 1, continuous: bool = False, start: int = 0
    ) -> Ints:
        """Add variables with values in 0..upper and return their numbers as an array.

        Parameters
        ----------
        name : str
            A variable is called ``name[i,j]`` in exported models.
        *shape : int
            Shape of the returned array.
        upper : int, default 1
        continuous : bool, default False
            Declares that they take integer values by themselves once the others do; a library
            that only knows integers may ignore it.
        start : int, default 0
            Where the first index begins in names: 1 for blocks that have no position 0.
        """

    @abstractmethod
    def clauses(self, literals: Any) -> None:
        """Demand that each row of an integer array of shape (m, k) holds a true literal."""

    @abstractmethod
    def row(self, terms: Expression, lower: int | None = None, upper: int | None = None) -> None:
        """Demand ``lower <= terms <= upper``; None means no limit."""

    @abstractmethod
    def minimise(self, terms: Expression) -> None:
        """Set the objective."""

    @abstractmethod
    def cost(self, values: Values) -> Any:
        """Return the objective at ``values``; an int if they are integers."""

    @abstractmethod
    def broken(self, values: Values) -> list[str]:
        """Return which constraints ``values`` violate, in words; an empty list if none."""
