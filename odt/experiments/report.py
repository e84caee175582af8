"""Tables and pictures of an experiment."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from odt.draw.axes import axes, bare_figure
from odt.experiments import statistics
from odt.experiments.ledger import read_rows
from odt.experiments.table import tabulate

_LARGEST_RATIO = 1000.0


def report(results: Any, *, clock: str = "time") -> Report:
    """Analyse the runs of an experiment.

    Parameters
    ----------
    results : path or DataFrame
        The file that `odt.experiment` writes, or the table that it returns.
    clock : {"time", "cpu"}, default "time"
        Which seconds count: on the wall, or of the processor.

    Returns
    -------
    Report

    Raises
    ------
    InconsistentSolutionError
        If one solver's bound exceeds the cost of another's tree: then no table is worth reading.
    DataError, ProblemError
        If there is no such file, or nothing in it.
    """
    if isinstance(results, str | Path):
        table = tabulate(read_rows(Path(results)))
    else:
        table = tabulate(results.astype(object).where(results.notna(), None).to_dict("records"))
    return Report(statistics.prepared(table, clock))


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Tables and pictures of the runs of an experiment.

    Attributes
    ----------
    runs : DataFrame
        See `odt.experiments.statistics.prepared`.
    """

    runs: Any

    def __repr__(self) -> str:
        solvers, questions = self.runs["solver"].nunique(), self.runs["question"].nunique()
        return f"Report({len(self.runs)} runs of {solvers} solvers on {questions} questions)"

    def summary(self, *, shift: float = 10.0, within: Sequence[float] = (1, 10, 60)) -> Any:
        """Return a row for each solver; see `odt.experiments.statistics.summary`."""
        return statistics.summary(self.runs, shift=shift, within=within)

    def instances(self, column: str = "seconds") -> Any:
        """Return a column of the runs as a table of questions by solvers, means over seeds."""
        keys = ["data", "part", "minimise", "shape"]
        return self.runs.pivot_table(
            index=keys, columns="solver", values=column, aggfunc="mean", sort=False
        )

    def to_markdown(self, table: Any = None) -> str:
        """Return a table, the summary by default, in Markdown."""
        head, rows = _cells(self.summary() if table is None else table)
        escaped = [[cell.replace("|", "\\|") for cell in row] for row in (head, *rows)]
        lines = [f"| {' | '.join(row)} |" for row in escaped]
        return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]) + "\n"

    def to_latex(self, table: Any = None) -> str:
        """Return a table, the summary by default, in LaTeX with the rules of booktabs."""
        head, rows = _cells(self.summary() if table is None else table)
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in (head, *rows)]
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
                "",
            ]
        )

    def plot_profile(self, ax: Any = None) -> Any:
        """Draw the performance profile of Dolan and Moré; returns matplotlib Axes."""
        ax = axes(ax)
        _steps(ax, statistics.performance_profile(self.runs), 1.0, _LARGEST_RATIO)
        ax.set(xlabel="time over that of the fastest solver", ylabel="share of questions proved")
        return ax

    def plot_solved(self, ax: Any = None) -> Any:
        """Draw the share of questions proved over time; returns matplotlib Axes."""
        ax = axes(ax)
        _steps(ax, statistics.solved_over_time(self.runs), 1e-3, self.runs["seconds"].max())
        ax.set(xlabel="seconds", ylabel="share of questions proved")
        return ax

    def plot_gap(self, ax: Any = None) -> Any:
        """Draw the mean gap over time; returns matplotlib Axes."""
        ax = axes(ax)
        for solver, (times, gaps) in statistics.gap_over_time(self.runs).items():
            ax.plot(times, gaps, label=solver)
        ax.set(xscale="log", xlabel="seconds", ylabel="mean gap", ylim=(-0.03, 1.03))
        ax.legend()
        return ax

    def plot_scatter(self, first: str, second: str, ax: Any = None) -> Any:
        """Draw the times of two solvers against each other; returns matplotlib Axes."""
        ax = axes(ax)
        times = statistics.paired(self.runs, first, second)
        ends = [times.min().min(), times.max().max()] if len(times) else [1e-3, 1.0]
        ax.plot(ends, ends, color="grey", linewidth=0.8)
        ax.scatter(times[first], times[second], s=12)
        ax.set(xscale="log", yscale="log", xlabel=f"{first}, seconds", ylabel=f"{second}, seconds")
        return ax

    def to_html(self) -> str:
        """Return one page with all tables and pictures in it."""
        exact = [name for name, own in self.runs.groupby("solver", sort=False) if any(own.proved)]
        pairs = list(combinations(exact, 2))[:6]
        pictures: list[tuple[str, Callable[[Any], Any]]] = [
            ("Performance profile", self.plot_profile),
            ("Proved over time", self.plot_solved),
            ("Gap over time", self.plot_gap),
            *((f"{a} and {b}", lambda ax, a=a, b=b: self.plot_scatter(a, b, ax)) for a, b in pairs),
        ]
        silent = self.runs[self.runs["cost"].isna() & ~self.runs["proved"]]
        lost = silent[["data", "part", "minimise", "shape", "solver", "seed", "status", "reason"]]
        title = html.escape(repr(self)[7:-1])
        parts = [
            f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>",
            f"<h1>{title}</h1>",
            _html_table(self.summary()),
            *(_figure(*picture) for picture in pictures),
            "<h2>Seconds</h2>",
            _html_table(self.instances()),
            "<h2>Objective</h2>" + _html_table(self._objectives()),
        ]
        if len(lost):
            parts += ["<h2>Runs without an answer</h2>", _html_table(lost.set_index("data"))]
        return "\n".join(parts) + "\n"

    def _objectives(self) -> Any:
        keys = ["data", "part", "minimise", "shape", "solver"]
        values = self.runs.groupby(keys, sort=False)["objective"].first().map(_text)
        return values.unstack("solver")


_STYLE = (
    "body{font-family:sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}"
    "td,th{padding:.2em .6em;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}figure{display:inline-block;margin:1em}"
)


def _steps(ax: Any, curves: dict[str, tuple[Any, Any]], start: float, end: float) -> None:
    for solver, (values, shares) in curves.items():
        last = shares[-1] if len(shares) else 0.0
        ax.step([start, *values, end], [0.0, *shares, last], where="post", label=solver)
    ax.set(xscale="log", xlim=(start, end), ylim=(-0.03, 1.03))
    ax.legend()


def _figure(title: str, draw: Callable[[Any], Any]) -> str:
    drawn = bare_figure(6.4, 4.8)
    ax = drawn.subplots()
    draw(ax)
    picture = io.BytesIO()
    drawn.savefig(picture, format="svg")
    data = base64.b64encode(picture.getvalue()).decode()
    source = f"data:image/svg+xml;base64,{data}"
    return f"<figure><figcaption>{html.escape(title)}</figcaption><img src='{source}'></figure>"


def _cells(table: Any) -> tuple[list[str], list[list[str]]]:
    flat = table.reset_index()
    head = [str(name) for name in flat.columns]
    return head, [[_text(value) for value in row] for row in flat.itertuples(index=False)]


def _html_table(table: Any) -> str:
    head, rows = _cells(table)
    lines = [
        "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in [("th", head), *(("td", row) for row in rows)]
    ]
    return f"<table>{''.join(lines)}</table>"


def _text(value: Any) -> str:
    """Return a value in at most four digits; ``-`` for none."""
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return "-" if value != value else f"{value:.4g}"
    return "-" if value is None else str(value)


def _latex(text: str) -> str:
    for sign in "&%#_{}$":
        text = text.replace(sign, f"\\{sign}")
    return text
