"""The linear program that all linear formulations write and all linear emitters read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from formulations.program.base import Block, Expression, Ints, Values
from formulations.program.digits import DigitProgram
from odt.errors import TooLargeError, UnsupportedProblemError

Floats = NDArray[np.float64]
_TOLERANCE = 1e-5
ABSOLUTE_GAP = 0.9
"""Costs are integers: a gap below 1, with room for what `cautious` takes off, is a proof."""
LARGEST_COST = 2**26
"""Larger costs are minimised in stages; see `formulations.program.digits`."""
LARGEST_PROGRAM = 20_000_000
"""Entries in all rows together; more would fill the memory before any solver starts."""


class LazyRow(NamedTuple):
    """The row ``terms <= upper``, left out of the program until a solution violates it."""

    terms: Expression
    upper: int


class LinearProgram(DigitProgram):
    """Minimise a linear objective over bounded variables under linear rows, all in integers.

    Attributes
    ----------
    n_variables, n_rows : int
    objective : Expression
        What is minimised, its constant included.
    blocks : list of Block
        Names and shapes, in the order of the variable numbers.
    lazy : callable or None
        Returns the lazy rows that given values violate; solutions must violate none.
    lazy_at_fractions : bool
        Whether to ask it at fractional values too.
    """

    largest_sum: ClassVar[int] = 2**18

    def __init__(self) -> None:
        super().__init__()
        self.n_variables = 0
        self.n_rows = 0
        self._n_entries = 0
        self.objective = Expression.of([])
        self.blocks: list[Block] = []
        self.lazy: Callable[[Values], list[LazyRow]] | None = None
        self.lazy_at_fractions = False
        self._upper: list[Floats] = []
        self._integer: list[NDArray[np.bool_]] = []
        self._priority: list[Ints] = []
        self._entries: list[tuple[Ints, Ints, Ints]] = []
        self._limits: list[tuple[Floats, Floats]] = []

    # ---- writing --------------------------------------------------------------------------

    def variables(
        self,
        name: str,
        *shape: int,
        upper: int = 1,
        continuous: bool = False,
        start: int = 0,
        priority: int = 0,
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
            Whether they may take fractional values.
        start : int, default 0
            Where the first index begins in names.
        priority : int, default 0
            Solvers that listen branch on larger priorities first.
        """
        block = Block(name, self.n_variables, shape, upper, start)
        n = block.size
        self.blocks.append(block)
        self._upper.append(np.full(n, float(upper)))
        self._integer.append(np.full(n, not continuous))
        self._priority.append(np.full(n, priority))
        self.n_variables += n
        return block.numbers

    def rows(
        self,
        row: Any,
        variables: Any,
        coefficients: Any,
        lower: Any = None,
        upper: Any = None,
        *,
        n: int,
        implied: bool = False,
    ) -> None:
        """Add ``n`` rows ``lower <= sum coefficients * variables <= upper`` at once.

        Parameters
        ----------
        row, variables, coefficients : array-like of int, broadcast together
            Entries of the matrix; rows are numbered from 0 within this call. Entries of one row
            and variable add up.
        lower, upper : array-like or scalar, optional
            None means no limit.
        n : int
            Number of rows.
        implied : bool, default False
            Declares that the other rows demand this already, so that it need not be exact.

        Raises
        ------
        UnsupportedProblemError
            If the program gets too large, or a coefficient so large that solvers would not keep
            the row exactly.
        """
        entries = np.broadcast_arrays(*(np.asarray(a) for a in (row, variables, coefficients)))
        self._n_entries += entries[0].size
        check_entries(self._n_entries)
        flat = [np.array(a, dtype=np.int64).reshape(-1) for a in entries]
        largest = int(np.abs(flat[2]).max(initial=0))
        if largest > self.largest_sum and not implied:
            raise UnsupportedProblemError(
                f"The linear program would have a coefficient of {largest:.0e}; floating-point "
                f"solvers keep rows exactly up to {self.largest_sum:.0e}. Give weights or costs "
                "with a small common denominator, or use 'flow-oct' or the solver 'dp'."
            )
        self._entries.append((flat[0] + self.n_rows, flat[1], flat[2]))
        low = np.full(n, -np.inf) if lower is None else lower
        high = np.full(n, np.inf) if upper is None else upper
        self._limits.append((np.full(n, low, dtype=float), np.full(n, high, dtype=float)))
        self.n_rows += n

    def add_row(self, terms: Expression, lower: int | None, upper: int | None) -> None:
        """Add a row as it is; see `DigitProgram`."""
        self.rows(0, terms.variables, terms.coefficients, lower, upper, n=1)

    def clauses(self, literals: Any) -> None:
        """Demand that each row of an integer array of shape (m, k) holds a true literal."""
        array = np.atleast_2d(np.asarray(literals, dtype=np.int64))
        negated = array < 0
        row = np.arange(len(array))[:, None]
        signs = np.where(negated, -1, 1)
        needed = 1 - negated.sum(axis=1)
        self.rows(row, np.where(negated, ~array, array), signs, needed, n=len(array))

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the finished matrix instead of its parts."""
        finished = {"matrix": self.matrix, "limits": self.limits}
        return {**self.__dict__, **finished, "_entries": [], "_limits": []}

    # ---- reading --------------------------------------------------------------------------

    @cached_property
    def upper(self) -> Floats:
        """Upper limits of the variables; the lower limits are 0."""
        return np.concatenate([np.zeros(0), *self._upper])

    @cached_property
    def integer(self) -> NDArray[np.bool_]:
        """Which variables must take integer values."""
        return np.concatenate([np.zeros(0, dtype=bool), *self._integer])

    @cached_property
    def priority(self) -> Ints:
        """Branching priorities of the variables."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._priority])

    @cached_property
    def matrix(self) -> csr_matrix:
        """Coefficients of the rows, a sparse matrix of shape (n_rows, n_variables)."""
        empty = np.zeros(0, dtype=np.int64)
        row, column, value = (
            np.concatenate([empty, *(entry[i] for entry in self._entries)]) for i in range(3)
        )
        shape = (self.n_rows, self.n_variables)
        matrix = csr_matrix((value.astype(np.float64), (row, column)), shape=shape)
        matrix.eliminate_zeros()
        return matrix

    @cached_property
    def limits(self) -> tuple[Floats, Floats]:
        """Lower and upper limits of the rows, infinite where there is none."""
        lower = np.concatenate([np.zeros(0), *(low for low, _ in self._limits)])
        return lower, np.concatenate([np.zeros(0), *(high for _, high in self._limits)])

    @cached_property
    def prices(self) -> Floats:
        """Coefficients of the objective, shape (n_variables,), without its constant."""
        dense = np.zeros(self.n_variables)
        dense[self.objective.variables] = self.objective.coefficients
        return dense

    @property
    def is_integral(self) -> bool:
        """Whether no variable is declared integer, so that a linear relaxation solves it."""
        return not self.integer.any()

    def names(self) -> list[str]:
        """Return the names of all variables, such as ``b[3,17]``."""
        return [b.name_of(v) for b in self.blocks for v in range(b.first, b.first + b.size)]

    def cost(self, values: Values) -> Any:
        """Return the objective at ``values``; an int if they are integers."""
        return self.objective.value(values)

    def broken(self, values: Values) -> list[str]:
        """Return which constraints ``values`` violate, in words; an empty list if none."""
        x = np.asarray(values, dtype=np.float64)
        found = [
            f"variable {v} is {x[v]:g}, not in 0..{self.upper[v]:g}"
            for v in np.flatnonzero((x < -_TOLERANCE) | (x > self.upper + _TOLERANCE)).tolist()
        ]
        fractional = self.integer & (abs(x - np.round(x)) > _TOLERANCE)
        found += [f"variable {v} is {x[v]:g}" for v in np.flatnonzero(fractional).tolist()]
        activity, (lower, upper) = self.matrix @ x, self.limits
        wrong = (activity < lower - _TOLERANCE) | (activity > upper + _TOLERANCE)
        found += [] if self.lazy is None else [f"lazy row {row}" for row in self.lazy(x)]
        return found + [
            f"row {r} is {activity[r]:g}, not in {lower[r]:g}..{upper[r]:g}"
            for r in np.flatnonzero(wrong).tolist()
        ]


def check_entries(n_entries: int) -> None:
    """Raise an error if a program with so many entries is larger than any that is written.

    Raises
    ------
    TooLargeError
        Beyond `LARGEST_PROGRAM`.
    """
    if n_entries > LARGEST_PROGRAM:
        raise TooLargeError(
            f"The linear program would have more than {LARGEST_PROGRAM:.0e} entries. Limit "
            "the depth or the tests (odt.TestSet.quantiles), or use 'and-or' or 'cp-sat'."
        )


def plain_names(program: LinearProgram) -> list[str]:
    """Return names of the variables that every file format takes, such as ``b_3_17``."""
    return [name.replace("[", "_").replace(",", "_").replace("]", "") for name in program.names()]
