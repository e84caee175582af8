"""What the tables of benchmarks have in common: cells, rows and means."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, log
from typing import Any

PROVED = ("optimal", "infeasible")
Cell = Callable[[Mapping[str, Any]], str]


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [" | ".join(map(str, row)) for row in (head, *rows)]
    return "\n".join(
        [f"| {lines[0]} |", "|---" * len(head) + "|", *(f"| {x} |" for x in lines[1:])]
    )


def seconds(row: Mapping[str, Any]) -> float:
    """Return the CPU seconds of a run; of a peer those of its own call."""
    found = json.loads(row["stats"]).get("peer_cpu") if row["stats"] else None
    return float(row["cpu"] if found is None else found)


def spent(row: Mapping[str, Any]) -> str:
    """Return the CPU seconds of a run that found something, else its status."""
    return row["status"] if row["cost"] is None else short(seconds(row))


def short(value: float) -> str:
    """Return seconds in two digits."""
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def proof(row: Mapping[str, Any]) -> str:
    """Return the seconds of a proof, else bound..best, else the status."""
    if row["status"] in PROVED:
        return short(seconds(row))
    if row["status"] == "feasible" and row["cost_bound"] is not None:
        return f"{row['cost_bound']}..{row['cost']}"
    return str(row["cost"]) if row["status"] == "feasible" else row["status"]


def instance(row: Mapping[str, Any]) -> str:
    """Name a question."""
    return ", ".join(str(row[name]) for name in ("data", "shape", "minimise") if row[name])


def records(rows: Any) -> list[dict[str, Any]]:
    """Return the rows of a DataFrame, None for what is not there."""
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


def across(
    rows: Any, cell: Cell = proof, name: Cell = instance, extra: Mapping[str, Cell] | None = None
) -> str:
    """Return a line for each question and a column for each solver.

    Parameters
    ----------
    rows : DataFrame
    cell : callable
        Text of a run.
    name : callable
        Text of a question.
    extra : mapping of str to callable, optional
        Further columns, made of the first run of a question.
    """
    held = records(rows)
    solvers = list(dict.fromkeys(row["solver"] for row in held))
    lines: dict[str, dict[str, Any]] = {}
    for row in held:
        lines.setdefault(name(row), {})[row["solver"]] = row
    more = {"optimum": optimum} if extra is None else extra
    body = [
        [
            label,
            *(text(next(iter(found.values()))) for text in more.values()),
            *(cell(found[solver]) if solver in found else "" for solver in solvers),
        ]
        for label, found in lines.items()
    ]
    return markdown(["instance", *more, *solvers], body)


def proofs(rows: Any) -> str:
    """Return seconds of proofs, or the gap that was left, with what went wrong."""
    return f"{across(rows)}\n\n{remarks(rows)}"


def optimum(row: Mapping[str, Any]) -> str:
    """Return the best cost that is known, and the best bound where that is lower."""
    if row["best_cost"] is None:
        return "-"
    if row["best_bound"] in (None, row["best_cost"]):
        return str(row["best_cost"])
    return f"{row['best_cost']} (at least {row['best_bound']})"


def ratios(rows: Any, ours: str) -> str:
    """Say how many times faster one solver proved than each other, where both did."""
    proofs = [row for row in records(rows) if row["status"] in PROVED]
    mine = {instance(row): max(seconds(row), 1e-3) for row in proofs if row["solver"] == ours}
    lines = []
    for other in dict.fromkeys(row["solver"] for row in proofs if row["solver"] != ours):
        found = [
            seconds(row) / mine[instance(row)]
            for row in proofs
            if row["solver"] == other and instance(row) in mine
        ]
        if found:
            mean = exp(sum(log(max(x, 1e-3)) for x in found) / len(found))
            lines.append(
                f"Time of {other} over that of `{ours}`: geometric mean {mean:.2g}, least "
                f"{min(found):.2g}, most {max(found):.2g} (proofs of both: {len(found)})."
            )
    return "\n".join(lines)


def remarks(rows: Any) -> str:
    """List refused claims and runs that failed, once a reason."""
    lost = ("refused", "crashed", "failed", "not installed", "over time", "over memory")
    found: dict[tuple[str, ...], list[str]] = {}
    for row in records(rows):
        if row["status"] in lost:
            found.setdefault((row["solver"], row["status"], row["reason"]), []).append(row["data"])
    return "\n".join(
        f"- {solver}, {status} ({len(data)} runs, such as {data[0]}): {reason}"
        for (solver, status, reason), data in found.items()
    )
