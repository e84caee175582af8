"""The rows of an experiment as a table, and the agreement of all proofs in it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from odt.errors import InconsistentSolutionError
from odt.experiments.record import CIRCUMSTANCES, DEFINITION, FIELDS, OUTCOME

UNANSWERED = ("crashed", "over time", "over memory", "failed", "refused", "not installed")
"""Statuses of runs that say nothing about the problem."""
_EXACT = ("cost", "cost_bound")
_DERIVED = ("gap_to_best_tree", "gap_to_best_bound", "best_cost", "best_bound")
_INTEGERS = (*_EXACT, "best_cost", "best_bound")
_NUMBERS = (
    "gap", "error", "size", "depth", "expected_tests", "explanation_size",
    "worst_explanation_size", "time", "test_error", "cpu", "memory", "time_limit", "memory_limit",
    "quantiles", "seed", "threads",
)  # fmt: skip
_LEVELS = ("objective", "bound")


def tabulate(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows, of a file or fresh ones, as a DataFrame with the best of each instance.

    Raises
    ------
    InconsistentSolutionError
        If a bound exceeds the cost of another solver's tree for the same instance.
    """
    import pandas as pd

    typed = [typed_row(row) for row in rows]
    by_instance: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in typed:
        by_instance[row["instance"]].append(row)
    for answers in by_instance.values():
        check_agreement(answers)
        _compare_with_best(answers)
    columns = [*DEFINITION, *OUTCOME[:-3], *_DERIVED, *OUTCOME[-3:], *CIRCUMSTANCES]
    table = pd.DataFrame(typed, columns=columns)
    for name in _INTEGERS:  # exact, however large
        table[name] = pd.Series([row[name] for row in typed], dtype=object, index=table.index)
    return table


def _compare_with_best(answers: Sequence[dict[str, Any]]) -> None:
    """Add the columns `_DERIVED` to the rows of one instance."""
    trees = [row for row in answers if row["cost"] is not None]
    bounds = [row for row in answers if row["cost_bound"] is not None]
    best_tree = min(trees, key=lambda row: row["cost"], default={"cost": None, "objective": None})
    best_bound = max(
        bounds, key=lambda row: row["cost_bound"], default={"cost_bound": None, "bound": None}
    )
    for row in answers:
        row |= {
            "best_cost": best_tree["cost"],
            "best_bound": best_bound["cost_bound"],
            "gap_to_best_tree": _gap(row["objective"], best_tree["objective"]),
            "gap_to_best_bound": _gap(row["objective"], best_bound["bound"]),
        }


def check_agreement(answers: Iterable[Mapping[str, Any]]) -> None:
    """Compare the claims about one instance with each other.

    Raises
    ------
    InconsistentSolutionError
        If a solver has a bound above the cost of another's tree, or says infeasible where
        another has a tree; names both and the instance.
    """
    for row, reason in false_claims(list(answers)):
        where = ", ".join(str(row[k]) for k in ("data", "part", "minimise", "shape") if row[k])
        raise InconsistentSolutionError(f"On {where}: {row['solver']!r} {reason}")


def false_claims(answers: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield each row of an instance that a tree of another row refutes, and how."""
    found = [row for row in answers if row["cost"] is not None]
    if not found:
        return
    best = min(found, key=lambda row: row["cost"])
    for row in answers:
        if row["status"] == "infeasible":
            claim = "says that no tree keeps the limits"
        elif row["cost_bound"] is not None and row["cost_bound"] > best["cost"]:
            claim = f"claims the lower bound {row['cost_bound']}"
        else:
            continue
        known = f"{best['solver']!r} found a tree of cost {best['cost']} (integer cost units)"
        yield row, f"{claim}, but {known}. The tree is verified, so the bound is wrong."


def typed_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with numbers in place of text."""
    typed = {name: row.get(name) for name in FIELDS}
    for name, value in typed.items():
        if value is None or value == "":
            typed[name] = None if name in (*_EXACT, *_NUMBERS, *_LEVELS, "exact") else ""
        elif name in _EXACT:
            typed[name] = int(value)
        elif name in _NUMBERS:
            typed[name] = float(value)
        elif name == "exact":
            typed[name] = str(value) == "True"
        elif name in _LEVELS:
            typed[name] = _levels(value)
    return typed


def _levels(value: Any) -> float | tuple[float, ...]:
    """Read a number, or the numbers of a lexicographic objective."""
    read = json.loads(value) if isinstance(value, str) else value
    return tuple(map(float, read)) if isinstance(read, list | tuple) else float(read)


def _gap(value: Any, other: Any) -> float | None:
    """Return the distance of two values relative to the first, at the level where they differ."""
    if value is None or other is None:
        return None
    pairs = zip(*(v if isinstance(v, tuple) else (v,) for v in (value, other)), strict=True)
    for high, low in pairs:
        if high != low:
            return float(abs(high - low) / (abs(high) or abs(high - low)))
    return 0.0
