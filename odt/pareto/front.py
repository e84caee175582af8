"""A front of non-dominated trees: what is known about it, and choosing from it by a price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from odt.core.result import Result
from odt.core.solver import Status
from odt.errors import ProblemError
from odt.mdp.generator import TestGenerator
from odt.model.problem import Problem
from odt.model.tree import Tree

Prices = tuple[Fraction, Fraction | None]


@dataclass(frozen=True, eq=False)
class ParetoPoint:
    """A non-dominated tree.

    Attributes
    ----------
    tree : Tree
    values : mapping of str to float
        The measures of the front, each in its unit (see `odt.Objective`).
    on_hull : bool or None
        Whether some price of the second measure makes this tree a best one; None where three
        measures were asked for.
    alphas : (Fraction, Fraction or None) or None
        The prices alpha for which ``first + alpha * second`` is least here; None as upper end
        stands for infinity, None alone for a tree inside the hull.
    result : Result or None
        Of the solve that found the tree, with its bound; None for those of one pass.
    certified : bool
        Whether proofs of the solver establish that no tree beats this one.
    """

    tree: Tree
    values: Mapping[str, float]
    on_hull: bool | None
    alphas: Prices | None
    result: Result | None = None
    certified: bool = False

    @property
    def status(self) -> Status:
        """OPTIMAL for a certified point, otherwise FEASIBLE."""
        return Status.OPTIMAL if self.certified else Status.FEASIBLE


class Region(NamedTuple):
    """Where a front is open: non-dominated trees there may be missing, and nowhere else.

    Attributes
    ----------
    below : mapping of str to float
        Such a tree is below each of these values; a measure that is not named may be anything.
    at_least : mapping of str to float
        What was proved about such a tree.
    """

    below: Mapping[str, float]
    at_least: Mapping[str, float]

    def __str__(self) -> str:
        parts = [f"{name} < {value:.6g}" for name, value in self.below.items()]
        parts += [f"{name} >= {value:.6g}" for name, value in self.at_least.items()]
        return " and ".join(parts) or "anywhere"


class FrontProgress(NamedTuple):
    """How far a search is: seconds since it began, what is solved so far, and points found.

    ``solved`` counts states of the process in one pass, otherwise problems.
    """

    time: float
    solved: int
    points: int


@dataclass(frozen=True, eq=False, repr=False)
class ParetoFront:
    """The non-dominated trees of a problem, by rising value of the first measure.

    Attributes
    ----------
    problem : Problem
    measures : tuple of str
        Names of the two or three measures.
    points : tuple of ParetoPoint
    solver : str
        Name of the solver.
    full : bool
        Whether trees that no price makes best were looked for too.
    exact : bool
        Whether no tree within the limits was left out (with ``full=False``, none that a price
        makes best). If not, either tests were left out (``generator``), or trees may be missing
        in the ``open`` regions.
    generator : TestGenerator or None
        Which tests a state of the one pass offered; None for the other solvers: all tests.
    open : tuple of Region
        Where trees may be missing because a solve ended without a proof. One pass that is
        stopped does not say where.
    stopped_by : str or None
        ``"time"``, ``"memory"``, ``"interrupt"`` or ``"solver"``.
    stats : mapping
        Problems solved, or states, memo hits and more.
    """

    problem: Problem
    measures: tuple[str, ...]
    points: tuple[ParetoPoint, ...]
    solver: str
    full: bool
    exact: bool
    generator: TestGenerator | None
    open: tuple[Region, ...]
    stopped_by: str | None
    stats: Mapping[str, int]

    def __repr__(self) -> str:
        offered = "" if self.exact or self.generator is None else f" that {self.generator} offers"
        scope = f"of {'the' if offered else 'all'} trees{offered}"
        kind = "" if self.full else " on the hull"
        against = " against ".join(self.measures)
        text = f"{len(self.points)} points{kind}, {against}, {scope} by {self.solver}"
        if self.stopped_by:
            text += f", stopped by {self.stopped_by}"
        if self.open:
            shown = "; ".join(map(str, self.open[:3])) + ("; ..." if len(self.open) > 3 else "")
            text += f", open where {shown}"
        return f"ParetoFront({text})"

    @property
    def proves(self) -> bool:
        """Whether the points carry results with bounds: all but those of one pass."""
        return self.generator is None

    @property
    def hull(self) -> tuple[ParetoPoint, ...]:
        """The points that are best for some price of the second measure."""
        return tuple(point for point in self.points if point.on_hull)

    def best(self, alpha: float | Fraction) -> ParetoPoint:
        """Return the point of least ``first + alpha * second``; of equals that of least second.

        Parameters
        ----------
        alpha : float or Fraction
            At least 0.

        Raises
        ------
        ProblemError
            For a negative price, for three measures, or if the front has no point.
        """
        if not self.points:
            raise ProblemError("The front is empty: no tree within the limits was found.")
        if len(self.measures) > 2:
            raise ProblemError(
                f"One price weighs two measures. This front has {', '.join(self.measures)}: pick "
                "from front.points, or use odt.choose."
            )
        if alpha < 0:
            raise ProblemError(f"'alpha' must be at least 0. Got {alpha!r} instead.")
        if alpha == 0:
            return self.points[0]
        at_least = [p for p in self.hull if p.alphas is not None and p.alphas[0] <= alpha]
        return at_least[-1]

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each point."""
        import pandas as pd

        rows = [
            {
                **p.values,
                "branches": p.tree.n_branches,
                "depth": p.tree.depth,
                "on_hull": p.on_hull,
                "alpha_from": _end(p.alphas, 0),
                "alpha_to": _end(p.alphas, 1),
                "certified": p.certified,
            }
            for p in self.points
        ]
        return pd.DataFrame(rows)

    def _repr_html_(self) -> str:
        from odt.draw.html import front_html

        return front_html(self)


def _end(alphas: Prices | None, i: int) -> float | None:
    if alphas is None:
        return None
    value = alphas[i]
    return float("inf") if value is None else float(value)
