"""Results and fronts as HTML for notebooks; no script, no network, no library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from odt.model.picture.svg import tree_html

if TYPE_CHECKING:
    from odt.core.result import Result
    from odt.pareto import ParetoFront

_MOST_POINTS = 60


def result_html(result: Result) -> str:
    """Return what is known about a result, and its tree."""
    gap = "unknown" if result.gap == float("inf") else f"{result.gap:.2%}"
    rows = [
        ("solver", result.method),
        ("status", f"{result.status.value} (stopped by {result.stopped_by})"),
        (f"objective: {result.problem.objective}", shown(result.objective)),
        ("bound", shown(result.bound)),
        ("gap", gap),
        ("seconds", f"{result.runtime['total']:.2f}"),
    ]
    rows += [("reason", result.reason)] if result.reason else []
    return html_table((), rows) + ("" if result.tree is None else tree_html(result.tree))


def front_html(front: ParetoFront) -> str:
    """Return the points of a front as a table, the first ones of a long front."""
    titles = (
        *(name.replace("_", " ") for name in front.measures),
        "leaves",
        "depth",
        "on the hull",
    )
    rows = [
        (*(shown(p.values[name]) for name in front.measures), str(p.tree.n_leaves),
         str(p.tree.depth), {True: "yes", False: "no", None: "–"}[p.on_hull])
        for p in front.points[:_MOST_POINTS]
    ]  # fmt: skip
    left = len(front.points) - len(rows)
    more = f"<p>and {left} more: <code>to_frame()</code> has them all</p>" if left else ""
    return f"<p>{escape(repr(front))}</p>" + html_table(titles, rows) + more


def html_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts, which are escaped."""
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f"<table>{f'<thead><tr>{head}</tr></thead>' if titles else ''}<tbody>{body}</tbody></table>"
    )


def shown(value: Any) -> str:
    """Return a number, or those of the levels, in four digits; a dash if it is not known."""
    if isinstance(value, tuple | list):
        return ", ".join(map(shown, value))
    return "–" if value is None or value != value else f"{value:.4g}"
