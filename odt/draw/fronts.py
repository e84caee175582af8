"""Trade-offs between measures as matplotlib drawings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from odt.draw.axes import axes
from odt.errors import ProblemError
from odt.model.picture.boxes import COLOURS

if TYPE_CHECKING:
    from odt.pareto import ParetoFront, ParetoPoint


def plot_front(fronts: ParetoFront | Mapping[str, ParetoFront], ax: Any = None) -> Any:
    """Draw the first measure against the second, accuracy for the error.

    With two measures the hull is a line and points inside it are hollow; with three a colour
    stands for each value of the third, or a colour bar for many. What a solver did not prove is a
    cross.

    Parameters
    ----------
    fronts : ParetoFront or mapping of label to ParetoFront
        Several are told apart by a legend; they must be of the same two measures.
    ax : matplotlib Axes, optional
        Those of a new figure by default.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ProblemError
        For fronts of different measures, several of three measures, or none.
    """
    named = fronts if isinstance(fronts, Mapping) else {"": fronts}
    measures = {front.measures for front in named.values()}
    if len(measures) != 1:
        raise ProblemError(
            "plot_front draws fronts of the same measures. Got "
            f"{', '.join(sorted(map(','.join, measures))) or 'no front'}."
        )
    first, second, *third = measures.pop()
    if third and len(named) > 1:
        raise ProblemError(
            f"plot_front draws one front of three measures. Got {len(named)}: use a subplot each."
        )
    ax = axes(ax)
    for i, (label, front) in enumerate(named.items()):
        if third:
            _draw_three(ax, front, third[0])
        else:
            _draw_two(ax, front, label, COLOURS[i % len(COLOURS)])
    _draw_open(ax, [p for f in named.values() for p in f.points if p.result and not p.certified])
    ax.set(xlabel=_title(second), ylabel="training accuracy" if first == "error" else _title(first))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    if isinstance(fronts, Mapping) or len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(frameon=False)
    return ax


def _draw_two(ax: Any, front: ParetoFront, label: str, colour: str) -> None:
    hull, inside = front.hull, [point for point in front.points if not point.on_hull]
    name = label or "best for some price"
    ax.plot(*_places(hull), "o-", color=colour, label=name, markersize=5)
    if inside:
        ax.plot(
            *_places(inside), "o", color=colour, markerfacecolor="none", markersize=5,
            label=f"{label}, for no price" if label else "for no price",
        )  # fmt: skip


def _draw_three(ax: Any, front: ParetoFront, third: str) -> None:
    values = sorted({point.values[third] for point in front.points})
    if len(values) > len(COLOURS):
        colours = [point.values[third] for point in front.points]
        dots = ax.scatter(*_places(front.points), c=colours, s=25)
        ax.figure.colorbar(dots, ax=ax, label=_title(third))
        return
    for value, colour in zip(values, COLOURS, strict=False):
        points = sorted(
            (p for p in front.points if p.values[third] == value), key=lambda p: _places([p])
        )
        label = f"{_title(third)} {value:g}"
        ax.plot(*_places(points), "o-", color=colour, label=label, markersize=5)


def _draw_open(ax: Any, points: list[ParetoPoint]) -> None:
    if points:
        ax.plot(*_places(points), "x", color="black", label="not proved", markersize=8)


def _places(points: Iterable[ParetoPoint]) -> tuple[list[float], list[float]]:
    """Return the places of points: the second measure to the right, the first upwards."""
    rows = [tuple(point.values.items())[:2] for point in points]
    ups = [1 - value if name == "error" else value for (name, value), _ in rows]
    return [value for _, (_, value) in rows], ups


def _title(measure: str) -> str:
    return measure.replace("_", " ")
