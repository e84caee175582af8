"""A comparison of solvers as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from html import escape
from math import isinf
from typing import TYPE_CHECKING, Any

from odt.draw.html import html_table, shown
from odt.model.picture.boxes import COLOURS
from odt.model.picture.svg import tree_html
from odt.model.problem import Problem

if TYPE_CHECKING:
    from odt.compare import Attempt

_STYLE = """
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; max-width: 78rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: 0.87rem; }
th, td { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd;
         white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
.wide { overflow-x: auto; }
.note { color: #666; font-size: 0.87rem; }
pre { background: #f6f6f6; padding: 0.7rem; overflow-x: auto; }
summary { cursor: pointer; color: #555; }
"""
_COLUMNS = {
    "objective": "objective", "bound": "bound", "gap": "gap", "gap_to_best_bound": "to best bound",
    "gap_to_best_tree": "to best tree", "error": "error",
    "squared_error": "squared error", "size": "size", "depth": "depth", "expected_tests": "tests",
    "explanation_size": "explanation", "time": "seconds",
}  # fmt: skip
_GAPS = ("gap", "gap_to_best_bound", "gap_to_best_tree")
_LEFT, _ROW, _WIDTH = 150.0, 26.0, 760.0


def comparison_html(name: str, problem: Problem, attempts: Iterable[Attempt], table: Any) -> str:
    """Return a page with the question, the table of `odt.compare`, its gaps and all trees.

    Parameters
    ----------
    name : str
        Of the data.
    problem : Problem
    attempts : iterable of Attempt
        What `odt.compare` passes to ``on_attempt``.
    table : DataFrame
        What it returns.
    """
    rows = table.to_dict("records")
    columns = [name for name in _COLUMNS if name in table.columns]
    titles = [_COLUMNS[name] for name in columns]
    parts = [
        f"<h1>{escape(name)}</h1>",
        f"<p>{escape(_question(problem))}</p>",
        '<div class="wide">',
        html_table(("solver", "status", *titles), (_cells(row, columns) for row in rows)),
        "</div>",
        '<p class="note">~ heuristic: it proves nothing by itself. Gaps are shares of the '
        "solver's own objective; the last two are to the best bound and the best tree of all.</p>",
        *_gap_chart(rows),
        *(f"<p>{escape(r['solver'])}: {escape(r['reason'])}</p>" for r in rows if r["reason"]),
        *(part for attempt in attempts for part in _tree(attempt)),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>odt: {escape(name)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _question(problem: Problem) -> str:
    data, shape = problem.dataset, problem.shape
    limits = [
        f"{f.name} = {getattr(shape, f.name)}"
        for f in fields(shape)
        if getattr(shape, f.name) != f.default
    ]
    answers = f"{data.n_classes} classes" if data.targets is None else "real targets"
    return (
        f"{data.n_samples} examples, {data.n_features} features, {answers}. "
        f"Minimise {problem.objective}{'; ' if limits else ''}{', '.join(limits)}."
    )


def _cells(row: dict[str, Any], columns: list[str]) -> list[str]:
    values = [_share(row[c]) if c in _GAPS else shown(row[c]) for c in columns]
    return [f"{row['solver']}{' ~' if row['exact'] is False else ''}", row["status"], *values]


def _share(gap: Any) -> str:
    return shown(gap) if not _known(gap) or isinf(gap) else "0" if gap == 0 else f"{gap:.1%}"


def _known(value: Any) -> bool:
    return value is not None and value == value


def _gap_chart(rows: list[dict[str, Any]]) -> list[str]:
    """Draw for each solver its tree as a dot and the way to its own bound as a bar."""
    drawn = [(row, _first(row["objective"])) for row in rows if _known(row["objective"])]
    ends = [_first(row["bound"]) for row, _ in drawn if _known(row["bound"])]
    if not drawn or not ends:
        return []
    low, high = min(0.0, *ends), max(value for _, value in drawn) or 1.0

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - 90)

    height = _ROW * len(drawn) + 24
    best = x(max(ends))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" '
        f'width="{_WIDTH:g}" height="{height:g}" font-size="13" role="img">',
        f'<line x1="{best:.1f}" x2="{best:.1f}" y1="0" y2="{height - 18:g}" stroke="#555" '
        'stroke-dasharray="2 3"/>',
        f'<text x="{best:.1f}" y="{height - 4:g}" text-anchor="middle" fill="#555">best bound '
        f"{shown(max(ends))}</text>",
    ]
    for i, (row, value) in enumerate(drawn):
        y, colour = _ROW * (i + 0.5), COLOURS[i % len(COLOURS)]
        lines.append(
            f'<text x="{_LEFT - 14:g}" y="{y + 4:.1f}" text-anchor="end">{escape(row["solver"])}'
            "</text>"
        )
        if _known(row["bound"]):
            start = x(_first(row["bound"]))
            lines.append(
                f'<rect x="{start:.1f}" y="{y - 4:.1f}" width="{max(x(value) - start, 0):.1f}" '
                f'height="8" fill="{colour}" opacity="0.4"/>'
            )
        lines.append(f'<circle cx="{x(value):.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
        lines.append(f'<text x="{x(value) + 10:.1f}" y="{y + 4:.1f}">{shown(value)}</text>')
    return ["<h2>Trees and bounds</h2>", '<div class="wide">', *lines, "</svg></div>"]


def _first(value: Any) -> float:
    return float(value[0] if isinstance(value, tuple) else value)


def _tree(attempt: Attempt) -> list[str]:
    result = attempt.result
    if result is None or result.tree is None:
        return []
    bound = "" if result.bound is None else f", bound {shown(result.bound)}"
    return [
        f"<h2>{escape(attempt.solver)}: {escape(attempt.status)}, objective "
        f"{shown(result.objective)}{bound}</h2>",
        tree_html(result.tree),
        f"<details><summary>as text</summary><pre>{escape(result.tree.to_text())}</pre></details>",
    ]
