"""Tables, trees and progress in the terminal. Answers go to stdout, progress to stderr."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from odt.compare import Attempt
from odt.core.result import Result, Value, relative_gap
from odt.core.run import TracePoint
from odt.core.solver import Status
from odt.data.numerals import amount
from odt.model.problem import Problem
from odt.model.text import to_dict
from odt.pareto import FrontProgress, ParetoFront, ParetoPoint

_STYLES = {"optimal": "green", "feasible": "none", "infeasible": "yellow", "unknown": "yellow"}
_WIDE = 125


# ---- while solvers run --------------------------------------------------------------------


@contextmanager
def progress(problem: Problem, solver: str, quiet: bool) -> Iterator[Callable[[TracePoint], None]]:
    """Show incumbent, bound and gap while a solver runs; yields the ``on_report`` callback."""
    with _running(f"{solver} is running, Ctrl-C to stop it", quiet) as update:

        def on_report(point: TracePoint) -> None:
            costs = problem.costs
            parts = [solver]
            if point.cost is not None:
                parts.append(f"objective {number(costs.values(point.cost))}")
            if point.bound is not None:
                parts.append(f"bound {number(costs.values(point.bound))}")
            if point.cost is not None and point.bound is not None:
                parts.append(f"gap {percent(relative_gap(problem, point.cost, point.bound))}")
            update(", ".join(parts))

        yield on_report


@contextmanager
def exploring(quiet: bool) -> Iterator[Callable[[FrontProgress], None]]:
    """Show how far a search for a front is; yields its callback."""
    with _running("searching, Ctrl-C to stop it", quiet) as update:
        yield lambda progress: update(_how_far(progress))


def _how_far(progress: FrontProgress) -> str:
    found = f"{progress.points:,} points, " if progress.points else ""
    return f"{found}{progress.solved:,} solved, Ctrl-C to stop"


@contextmanager
def waiting(names: Sequence[str], quiet: bool) -> Iterator[Callable[[Attempt], None]]:
    """Show which solvers are still to come; yields a callback for each attempt."""
    left = list(names)
    with _running(f"running {', '.join(left)}", quiet) as update:

        def arrived(attempt: Attempt) -> None:
            left.remove(attempt.solver)
            update(f"running {', '.join(left)}")
            if sys.stderr.isatty() and not quiet:
                value = "" if attempt.result is None else number(attempt.result.objective)
                note(f"{attempt.solver}: {attempt.status} {value}")

        yield arrived


@contextmanager
def _running(text: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a line with the seconds gone by, on a terminal only; yields what changes it."""
    console = Console(stderr=True, quiet=quiet)
    columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(escape(text), total=None)
        yield lambda now: bar.update(task, description=escape(now))


def note(text: str) -> None:
    """Say something beside the answer, on stderr."""
    print(text, file=sys.stderr)


# ---- answers ------------------------------------------------------------------------------


def print_result(data: str, result: Result) -> None:
    """Print a result: what was asked, what is known, the tree and its measures."""
    console = _console()
    _print_question(console, data, result.problem)
    console.print(
        f"{escape(result.method)}: {_status(result.status.value)}, "
        f"objective {number(result.objective)}, bound {number(result.bound)}, "
        f"gap {percent(result.gap)}, {result.runtime['total']:.2f} s, "
        f"stopped by {result.stopped_by}",
        soft_wrap=True,
    )
    if result.tree is None:
        if result.reason:
            console.print(escape(result.reason), soft_wrap=True)
        return
    console.print()
    console.print(escape(result.tree.to_text()), soft_wrap=True)
    console.print()
    data_set = result.problem.dataset
    measures = result.tree.measures(data_set)
    wrong = float(result.tree.amounts(data_set).errors * data_set.weight_unit)
    text = {name: f"{name.replace('_', ' ')} {value:.4g}" for name, value in measures.items()}
    if "error" in text:
        text["error"] += f" ({amount(wrong)} of {amount(data_set.sample_weight.sum())})"
    else:
        text["squared_error"] += f" (root {math.sqrt(measures['squared_error']):.4g})"
    console.print(", ".join(text.values()), soft_wrap=True)


def result_record(result: Result) -> dict[str, Any]:
    """Return a result as JSON-ready values; an unknown gap is null."""
    tree = result.tree
    return {
        "solver": result.solver,
        "method": result.method,
        "status": result.status.value,
        "stopped_by": result.stopped_by,
        "reason": result.reason,
        "objective": result.objective,
        "bound": result.bound,
        "gap": None if math.isinf(result.gap) else result.gap,
        "measures": None if tree is None else tree.measures(result.problem.dataset),
        "runtime": dict(result.runtime),
        "stats": dict(result.stats),
        "tree": None if tree is None else to_dict(tree),
    }


def comparison_records(frame: Any) -> list[dict[str, Any]]:
    """Return the table of `odt.compare` as JSON-ready rows; what is not known is null."""
    return [
        {
            name: None if _unknown(value) or value == math.inf else value
            for name, value in row.items()
        }
        for row in frame.to_dict("records")
    ]


def print_explanations(records: list[dict[str, Any]]) -> None:
    """Print for each row its class or value and the conditions that give it."""
    console = _console()
    for record in records:
        reasons = ", and ".join(record["conditions"]) or "every row gets it"
        if "value" in record:
            outcome = f"{record['value']:.6g} (the mean of the training examples there)"
        else:
            outcome = f"{record['class']} ({record['share']:.0%} of the training examples there)"
        console.print(escape(f"row {record['row']}: {outcome}, because {reasons}"), soft_wrap=True)


def print_front(data: str, front: ParetoFront) -> None:
    """Print the points of a front by rising value of the first measure."""
    console, weighed = _console(), len(front.measures) == 2
    console.print(f"[bold]{escape(data)}[/]: {escape(repr(front))}", soft_wrap=True)
    table = Table(box=None, header_style="bold", pad_edge=False)
    columns = [name for name in ("size", "depth") if name not in front.measures]
    titles = (*front.measures, *columns, *["best for alpha"] * weighed, *["proved"] * front.proves)
    for title in titles:
        table.add_column(title.replace("_", " "), justify="right", no_wrap=True)
    for point in front.points:
        whole = {"size": point.tree.n_nodes, "depth": point.tree.depth} | dict(point.values)
        cells = [number(whole[name]) for name in (*front.measures, *columns)]
        cells += [_prices(point)] * weighed + ["yes" if point.certified else "no"] * front.proves
        table.add_row(*cells)
    console.print(table)
    if weighed:
        first, second = front.measures
        console.print(
            f"alpha: the price of {second} in '{first} + alpha*{second}'",
            style="dim", soft_wrap=True,
        )  # fmt: skip


def _prices(point: ParetoPoint) -> str:
    if point.alphas is None:
        return "none"
    low, high = point.alphas
    return f"{float(low):.4g} to {'any' if high is None else f'{float(high):.4g}'}"


def front_record(front: ParetoFront) -> dict[str, Any]:
    """Return a front as JSON-ready values, with its trees."""
    points = [
        {
            **point.values,
            "alphas": None
            if point.alphas is None
            else [None if end is None else float(end) for end in point.alphas],
            "certified": point.certified,
            "tree": to_dict(point.tree),
        }
        for point in front.points
    ]
    return {
        "measures": front.measures,
        "solver": front.solver,
        "full": front.full,
        "exact": front.exact,
        "open": [{"below": r.below, "at_least": r.at_least} for r in front.open],
        "generator": None if front.generator is None else str(front.generator),
        "stopped_by": front.stopped_by,
        "points": points,
    }


def exit_code(result: Result) -> int:
    """Return 0 if the question was answered, by a tree or by "infeasible", and 1 otherwise."""
    return 0 if result.tree is not None or result.status is Status.INFEASIBLE else 1


def print_comparison(data: str, problem: Problem, frame: Any) -> None:
    """Print the table of `odt.compare`, in two parts where one is too wide, and the reasons."""
    console, rows = _console(), frame.to_dict("records")
    measures = {name: column for name, column in _MEASURES.items() if name in frame.columns}
    _print_question(console, data, problem)
    if console.width >= _WIDE:
        console.print(_table(_VALUES | measures, rows))
    else:
        console.print(_table(_VALUES, rows))
        console.print()
        console.print(_table(measures, [row for row in rows if not _unknown(row["size"])]))
    if not all(row["exact"] for row in rows):
        console.print("~ heuristic: it proves nothing by itself", style="dim")
    for row in rows:
        if not _unknown(row["reason"]) and row["reason"]:
            console.print(f"{row['solver']}: {escape(row['reason'])}", soft_wrap=True)


def _table(columns: dict[str, tuple[str, Callable[[Any], str]]], rows: list[Any]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("solver", no_wrap=True)
    for title, _ in columns.values():
        table.add_column(title, justify="left" if title == "status" else "right", no_wrap=True)
    for row in rows:
        mark = " ~" if row["exact"] is False else ""
        cells = (cell(row[name]) for name, (_, cell) in columns.items())
        table.add_row(escape(row["solver"]) + mark, *cells)
    return table


def _print_question(console: Console, data: str, problem: Problem) -> None:
    limits = [
        f"{f.name}={getattr(problem.shape, f.name)}"
        for f in fields(problem.shape)
        if getattr(problem.shape, f.name) != f.default
    ]
    size = problem.dataset
    answers = f"{size.n_classes} classes" if size.targets is None else "real targets"
    console.print(
        f"[bold]{escape(data)}[/] ({size.n_samples} examples, {size.n_features} features, "
        f"{answers}): minimise {problem.objective}"
        f"{', ' if limits else ''}{', '.join(limits)}",
        soft_wrap=True,
    )


# ---- numbers ------------------------------------------------------------------------------


def number(value: Value | None) -> str:
    """Return a value, or the values of the levels, in at most four digits."""
    if isinstance(value, tuple | list):
        return ", ".join(map(number, value))
    return "-" if value is None or _unknown(value) else f"{value:.4g}"


def percent(gap: float | None) -> str:
    """Return a gap as a percentage; ``-`` if it is not known."""
    if gap is None or _unknown(gap) or math.isinf(gap):
        return "-"
    return "0" if gap == 0 else f"{100 * gap:.1f}%"


def _seconds(value: float) -> str:
    return "-" if _unknown(value) else f"{value:.2f} s"


def _status(status: str) -> str:
    return f"[{_STYLES.get(status, 'red')}]{status}[/]"


def _unknown(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _console() -> Console:
    return Console(highlight=False)


_VALUES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "status": ("status", _status),
    "objective": ("objective", number),
    "bound": ("bound", number),
    "gap": ("gap", percent),
    "gap_to_best_bound": ("to best\nbound", percent),
    "gap_to_best_tree": ("to best\ntree", percent),
    "time": ("time", _seconds),
}
_MEASURES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "error": ("error", number),
    "squared_error": ("squared\nerror", number),
    "size": ("size", number),
    "depth": ("depth", number),
    "expected_tests": ("tests", number),
    "explanation_size": ("explana-\ntion", number),
    "worst_explanation_size": ("worst ex-\nplanation", number),
}
