"""What solvers knew when, and how far they came, as matplotlib drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from odt.draw.axes import axes
from odt.errors import ProblemError
from odt.model.picture.boxes import COLOURS, DARK

if TYPE_CHECKING:
    from odt.core.result import Result


def plot_trace(results: Result | Mapping[str, Result], ax: Any = None) -> Any:
    """Draw the incumbent (solid) and the bound (dashed) of runs over time.

    Parameters
    ----------
    results : Result or mapping of label to Result
        Of one problem. Of a lexicographic objective the first level is drawn.
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
        If there is no result, or they are not of one objective.
    """
    named = results if isinstance(results, Mapping) else {results.solver: results}
    objectives = {str(result.problem.objective) for result in named.values()}
    if len(objectives) != 1:
        found = "; ".join(sorted(objectives)) or "none"
        raise ProblemError(f"plot_trace draws runs of one objective. Got {found}.")
    ax = axes(ax)
    for i, (label, result) in enumerate(named.items()):
        for attribute, style in (("cost", "-"), ("bound", "--")):
            times, values = _steps(result, attribute)
            what = "incumbent" if attribute == "cost" else "bound"
            if times:
                ax.step(
                    times, values, style, where="post", color=COLOURS[i % len(COLOURS)],
                    label=f"{label}: {what}", linewidth=1.6,
                )  # fmt: skip
                ax.plot(times[:1], values[:1], ".", color=COLOURS[i % len(COLOURS)])
    first = str(objectives.pop()).partition(",")[0]
    ax.set(xlabel="seconds", ylabel=first, xlim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    ax.legend(frameon=False)
    return ax


def _steps(result: Result, attribute: str) -> tuple[list[float], list[float]]:
    """Times and values of the first level, the last one drawn on to the end of the run."""
    costs = result.problem.costs
    steps = [
        (point.time, getattr(point, attribute))
        for point in result.trace
        if getattr(point, attribute) is not None
    ]
    if steps:
        steps.append((max(result.runtime["total"], steps[-1][0]), steps[-1][1]))
    values = [costs.values(cost) for _, cost in steps]
    return [t for t, _ in steps], [v[0] if isinstance(v, tuple) else v for v in values]


def plot_gaps(table: Any, ax: Any = None) -> Any:
    """Draw the table of `odt.compare`: for each solver its tree, its own bound, and the gap.

    Parameters
    ----------
    table : DataFrame
        Returned by `odt.compare`. Of a lexicographic objective the first level is drawn.
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
        If no solver has a value.
    """
    rows = [row for row in table.to_dict("records") if _known(row["objective"])]
    if not rows:
        raise ProblemError("No solver in the table has a tree: there is no gap to draw.")
    ax = axes(ax, height=1.2 + 0.35 * len(rows))
    best = max((_first(row["bound"]) for row in rows if _known(row["bound"])), default=None)
    for i, row in enumerate(rows):
        value, colour = _first(row["objective"]), COLOURS[i % len(COLOURS)]
        if _known(row["bound"]):
            bound = _first(row["bound"])
            ax.plot([bound, value], [i, i], color=colour, linewidth=5, alpha=0.4,
                    solid_capstyle="butt", zorder=1)  # fmt: skip
            ax.plot([bound], [i], "|", color=colour, markersize=16, markeredgewidth=2, zorder=2)
        ax.plot([value], [i], "o", color=colour, markersize=8, zorder=3)
        ax.annotate(
            _gap_text(row), (value, i), (9, 0), textcoords="offset points", va="center",
            fontsize=9, color=DARK,
        )  # fmt: skip
    if best is not None:
        ax.axvline(best, color=DARK, linewidth=1, linestyle=":", zorder=0)
        ax.annotate(
            "best bound", (best, 1), (0, 3), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", fontsize=9, color=DARK,
        )  # fmt: skip
    names = [f"{row['solver']}{'' if row['exact'] else ' ~'}" for row in rows]
    ax.set_yticks(range(len(rows)), names)
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlabel="objective")
    ax.margins(x=0.2)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _gap_text(row: dict[str, Any]) -> str:
    gap = row["gap_to_best_bound"]
    if not _known(gap):
        return "no bound known"
    return "optimal" if gap == 0 else f"gap {gap:.1%}"


def _first(value: Any) -> float:
    return float(value[0] if isinstance(value, tuple) else value)


def _known(value: Any) -> bool:
    return value is not None and value == value
