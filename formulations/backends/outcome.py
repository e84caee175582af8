"""What a solver library found out about a program, and what may be concluded from its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from formulations.program.base import Values
from formulations.program.linear import LinearProgram
from odt.core.run import round_up
from odt.core.solver import Status
from odt.errors import UnsupportedProblemError


@dataclass(frozen=True)
class Outcome:
    """What a solver library found out about a program.

    Attributes
    ----------
    status : Status
    values : ndarray, optional
        Best solution.
    bound : int or float, optional
        The library's own lower bound on the objective of the program, offset included.
    stats : mapping
    """

    status: Status
    values: Values | None = None
    bound: float | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)


def refuse_lazy_rows(program: LinearProgram, library: str) -> None:
    """Raise an error if a program has lazy rows, for emitters that cannot take them."""
    if program.lazy is not None:
        raise UnsupportedProblemError(
            f"{library} takes no rows while it runs. Use the backend 'scip' for this formulation."
        )


def cautious(bound: float) -> float:
    """Return a lower bound of a floating-point solver, lowered by what its rounding may add.

    Costs are integers below `LARGEST_COST`, so that this and `ABSOLUTE_GAP` lose no proof.
    """
    return bound - 1e-4 - 1e-9 * abs(bound)


def conclude(
    program: LinearProgram, values: Values | None, bound: float | None, stats: dict[str, Any]
) -> Outcome:
    """Return the outcome for a solver's best values and raw lower bound; shared by emitters.

    It is optimal if no integer lies between the cautious bound and the cost of the values.
    """
    safe = None if bound is None else cautious(bound)
    if values is None:
        return Outcome(Status.UNKNOWN, None, safe, stats)
    cost = float(program.cost(values))
    if safe is not None and round_up(safe) >= round(cost):
        return Outcome(Status.OPTIMAL, values, round(cost), stats)
    return Outcome(Status.FEASIBLE, values, safe, stats)
