"""The clause IR: Boolean variables, clauses, cardinalities, a few linear rows, linear costs.

It is what SAT-like solvers want: CP-SAT and MaxSAT emitters read it. Constraints are kept as
arrays of literals, ``v`` or ``~v``, one constraint a row.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from formulations.program.base import Block, Expression, Ints, Values
from formulations.program.digits import DigitProgram

Kind = Literal["clause", "exactly one", "at most one"]


class Batch(NamedTuple):
    """Constraints of one kind, one for each row of ``literals``, shape (m, k)."""

    kind: Kind
    literals: Ints


class Implications(NamedTuple):
    """Row i says: if the literal ``premises[i]`` is true, so are all of ``conclusions[i]``."""

    premises: Ints
    conclusions: Ints


class Row(NamedTuple):
    """``lower <= terms <= upper``; None means no limit."""

    terms: Expression
    lower: int | None
    upper: int | None


class ClauseIR(DigitProgram):
    """A program of clauses over Boolean variables, with integer variables in linear rows only.

    Attributes
    ----------
    blocks : list of Block
        Names and numbers of the variables.
    batches : list of Batch
    implications : list of Implications
    rows : list of Row
    objective : Expression
        To be minimised; each variable occurs once.
    """

    largest_sum: ClassVar[int] = 2**55

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.batches: list[Batch] = []
        self.implications: list[Implications] = []
        self.rows: list[Row] = []
        self.objective = Expression.total(())
        self.n_variables = 0

    def variables(
        self, name: str, *shape: int, upper: int = 1, continuous: bool = False, start: int = 0
    ) -> Ints:
        """Add variables with values in 0..upper; see `Program.variables`."""
        block = Block(name, self.n_variables, shape, upper, start)
        self.blocks.append(block)
        self.n_variables += block.size
        return block.numbers

    def clauses(self, literals: Any) -> None:
        """Demand that each row of ``literals``, shape (m, k), holds a true literal."""
        self._add("clause", literals)

    def exactly_one(self, literals: Any) -> None:
        """Demand that each row of ``literals``, shape (m, k), holds one true literal."""
        self._add("exactly one", literals)

    def at_most_one(self, literals: Any) -> None:
        """Demand that no row of ``literals``, shape (m, k), holds two true literals."""
        self._add("at most one", literals)

    def implies(self, premises: Any, conclusions: Any) -> None:
        """Demand that a true literal of ``premises`` makes a row of ``conclusions`` true.

        Parameters
        ----------
        premises : array of int64, shape (m,)
        conclusions : array of int64, shape (m, k)
        """
        first, then = np.asarray(premises, dtype=np.int64), np.asarray(conclusions, dtype=np.int64)
        if then.size:
            self.implications.append(Implications(first, then))

    def add_row(self, terms: Expression, lower: int | None, upper: int | None) -> None:
        """Add a row as it is; see `DigitProgram`."""
        self.rows.append(Row(terms.gathered(), lower, upper))

    def cost(self, values: Values) -> int:
        """Return the objective at integer ``values``, exactly."""
        return int(self.objective.value(values))

    @property
    def n_literals(self) -> int:
        """Number of literals in all clauses: the size of the program."""
        batches = sum(batch.literals.size for batch in self.batches)
        return batches + sum(each.conclusions.size for each in self.implications)

    def broken(self, values: Values) -> list[str]:
        """Return which constraints ``values`` violate, in words."""
        upper = np.concatenate([np.full(b.size, b.upper) for b in self.blocks])
        found = [
            f"{self.name_of(v)} = {values[v]} is not in 0..{upper[v]}"
            for v in np.flatnonzero((values < 0) | (values > upper)).tolist()
        ]
        for kind, literals in self.batches:
            count = truth(values, literals).sum(axis=1)
            wrong = {"clause": count < 1, "exactly one": count != 1, "at most one": count > 1}
            found += [f"{kind} of {self._text(row)}" for row in literals[wrong[kind]]]
        for premises, conclusions in self.implications:
            failed = truth(values, premises)[:, None] & ~truth(values, conclusions)
            found += [
                f"{self._text(premises[i : i + 1])} implies {self._text(conclusions[i, [j]])}"
                for i, j in np.argwhere(failed)
            ]
        for terms, low, high in self.rows:
            value = terms.value(values)
            if (low is not None and value < low) or (high is not None and value > high):
                found.append(f"{low} <= {value} <= {high} over {self._text(terms.variables)}")
        return found

    def name_of(self, variable: int) -> str:
        """Return the name of a variable, such as ``reach[3,17]``."""
        block = next(b for b in reversed(self.blocks) if b.first <= variable)
        return block.name_of(variable)

    def _add(self, kind: Kind, literals: Any) -> None:
        array = np.atleast_2d(np.asarray(literals, dtype=np.int64))
        if len(array):
            self.batches.append(Batch(kind, array))

    def _text(self, literals: Ints) -> str:
        names = [
            self.name_of(v) if v >= 0 else f"not {self.name_of(~v)}" for v in literals.tolist()
        ]
        return ", ".join(names)


def truth(values: Values, literals: Ints) -> Any:
    """Return which of an array of literals are true at ``values``, in the same shape."""
    return (values[np.maximum(literals, ~literals)] == 1) == (literals >= 0)
