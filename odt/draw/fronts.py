"""Trade-offs between accuracy and complexity as matplotlib drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from odt.draw.axes import axes
from odt.errors import ProblemError
from odt.model.picture.boxes import COLOURS

if TYPE_CHECKING:
    from odt.pareto import ParetoFront


def plot_front(fronts: ParetoFront | Mapping[str, ParetoFront], ax: Any = None) -> Any:
    """Draw accuracy, or squared error, against complexity; points inside the hull are hollow.

    Parameters
    ----------
    fronts : ParetoFront or mapping of label to ParetoFront
        Several are told apart by a legend; they must be of one kind of task, against one measure.
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
        For fronts against different measures or of different tasks, or none.
    """
    named = fronts if isinstance(fronts, Mapping) else {"": fronts}
    measures = {front.complexity for front in named.values()}
    if len(measures) != 1:
        raise ProblemError(
            "plot_front draws fronts against one measure. Got "
            f"{', '.join(sorted(measures)) or 'no front'}."
        )
    tasks = {front.problem.dataset.targets is not None for front in named.values()}
    if len(tasks) != 1:
        raise ProblemError("plot_front draws fronts of classes or of real targets, not both.")
    of_targets = tasks.pop()
    ax = axes(ax)
    for i, (label, front) in enumerate(named.items()):
        _draw(ax, front, label, COLOURS[i % len(COLOURS)])
    ax.set(
        xlabel=measures.pop().replace("_", " "),
        ylabel="mean squared error" if of_targets else "training accuracy",
    )
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    inside = any(not point.on_hull for front in named.values() for point in front.points)
    if isinstance(fronts, Mapping) or inside:
        ax.legend(frameon=False)
    return ax


def _draw(ax: Any, front: ParetoFront, label: str, colour: str) -> None:
    hull, inside = front.hull, [point for point in front.points if not point.on_hull]
    name = label or "best for some price"
    ax.plot(*_places(front, hull), "o-", color=colour, label=name, markersize=5)
    if inside:
        ax.plot(
            *_places(front, inside), "o", color=colour, markerfacecolor="none", markersize=5,
            label=f"{label}, for no price" if label else "for no price",
        )  # fmt: skip


def _places(front: ParetoFront, points: Any) -> tuple[list[float], list[float]]:
    of_targets = front.problem.dataset.targets is not None
    heights = [point.error if of_targets else 1 - point.error for point in points]
    return [point.complexity for point in points], heights
