"""What a benchmark is: grids of runs, the table made of them, and how to cut it short."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from odt.errors import ProblemError
from odt.experiments import Grid


@dataclass(frozen=True)
class Selection:
    """Part of a benchmark.

    Parameters
    ----------
    data, solvers : tuple of str
        Patterns such as ``"monk*"`` of the labels to keep; all of them by default.
    depths : tuple of int
        Values of ``max_depth`` to keep.
    time_limit : float, optional
        Seconds a run in place of those of the grid.
    """

    data: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()
    depths: tuple[int, ...] = ()
    time_limit: float | None = None

    def of(self, grids: Sequence[Grid]) -> list[Grid]:
        """Return what is left of some grids.

        Raises
        ------
        ProblemError
            If nothing is.
        """
        left = [grid for grid in map(self._of, grids) if grid is not None]
        if not left:
            raise ProblemError(f"{self} leaves nothing of this benchmark.")
        return left

    def _of(self, grid: Grid) -> Grid | None:
        data = {label: item for label, item in _items(grid) if _fits(label, self.data)}
        solvers = [one for one in grid.solvers if _fits(one["label"], self.solvers)]
        problems = [left for left in map(self._problem, grid.problems) if left is not None]
        limit = self.time_limit or grid.time_limit
        if not (data and solvers and problems):
            return None
        data = {label: item() if callable(item) else item for label, item in data.items()}
        return replace(grid, data=data, solvers=solvers, problems=problems, time_limit=limit)

    def _problem(self, problem: Mapping[str, Any]) -> Mapping[str, Any] | None:
        given = problem.get("max_depth")
        if not self.depths or given is None:
            return problem
        depths = given if isinstance(given, list) else [given]
        kept = [depth for depth in depths if depth in self.depths]
        return {**problem, "max_depth": kept} if kept else None


@dataclass(frozen=True)
class Benchmark:
    """Grids of runs and what is printed of them.

    Parameters
    ----------
    title : str
        Heading of its table.
    grids : callable
        Returns the grids; their data are mappings of label to an item or a function that makes
        it, their solvers come from `entrant`.
    table : callable
        Makes Markdown of all rows.
    quick : Selection
        What runs in a minute or so.
    then : callable, optional
        Makes further grids of the rows of the first.
    draw : callable, optional
        Draws all rows into a file; ``docs/images/NAME.png`` in the ledger.
    """

    title: str
    grids: Callable[[], list[Grid]]
    table: Callable[[Any], str]
    quick: Selection
    then: Callable[[Any], list[Grid]] | None = None
    draw: Callable[[Any, Path], None] | None = None


def entrant(name: str, label: str = "", initial: str | None = None, **options: Any) -> Any:
    """Return a solver of a grid; its label names its options."""
    shown = " ".join((name, *(f"{key}={value}" for key, value in options.items())))
    return {"label": label or shown, "name": name, "options": options, "initial": initial}


def peer(place: str, label: str, **options: Any) -> Any:
    """Return a solver of another package, named by module and class in ``benchmarks.peers``."""
    return entrant(f"benchmarks.peers.{place}", label, **options)


def _items(grid: Grid) -> Iterator[tuple[str, Any]]:
    assert isinstance(grid.data, Mapping)
    yield from grid.data.items()


def _fits(label: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(label == pattern or fnmatch(label, pattern) for pattern in patterns)
