"""What a formulation builds: a goal in exact amounts, and a program with the way back to trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, Self, TypeVar

from formulations.program.base import Values
from formulations.program.digits import DigitProgram
from odt.model.measure import Amounts
from odt.model.problem import Problem
from odt.model.tree import Tree

P = TypeVar("P", bound=DigitProgram)


class Limit(NamedTuple):
    """The limit ``prices . amounts <= at_most`` on a tree."""

    prices: Amounts
    at_most: int

    def allows(self, amounts: Amounts) -> bool:
        """Say whether a tree with these amounts keeps the limit."""
        return amounts.cost(self.prices) <= self.at_most


class Goal(NamedTuple):
    """What a model must minimise and respect, in the exact amounts of a tree.

    Attributes
    ----------
    prices : Amounts
        The objective ``prices . amounts``.
    limits : tuple of Limit
        Limits on the whole tree: nodes, errors, earlier levels of a lexicographic objective, and
        the cost of a known tree.
    """

    prices: Amounts
    limits: tuple[Limit, ...] = ()

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the whole objective of a problem as one integer, and its limits."""
        return cls(problem.costs.prices, limits_of(problem))


class Model(ABC, Generic[P]):
    """A problem written out as a program, with the way back to trees.

    Attributes
    ----------
    program : Program
        Variables, constraints and objective.
    """

    program: P

    @abstractmethod
    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values``, one a variable, stand for; labels included."""

    @abstractmethod
    def encode(self, tree: Tree) -> Values | None:
        """Return values that stand for ``tree``; None if it cannot be said.

        Those of variables that the program has added to split rows may stay 0.
        """

    def start(self, tree: Tree) -> Values | None:
        """Return values of all variables that stand for ``tree``; None if it cannot be said."""
        values = self.encode(tree)
        return None if values is None else self.program.completed(values)


def limits_of(problem: Problem) -> tuple[Limit, ...]:
    """Return the limits of a problem that concern the whole tree: its nodes and errors."""
    most = Amounts(nodes=1), problem.limits.nodes
    most_errors = Amounts(errors=1), problem.limits.errors
    return tuple(Limit(amount, limit) for amount, limit in (most, most_errors) if limit is not None)
