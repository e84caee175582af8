"""The row that a run leaves."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

from odt.compare import COLUMNS, Attempt, row_of
from odt.core.run import resident_memory
from odt.experiments.machine import commit, machine, versions
from odt.experiments.trial import Trial
from odt.model.tree import Tree

DEFINITION = (
    "run", "instance", "data", "part", "minimise", "shape", "quantiles", "solver", "options",
    "initial", "seed", "time_limit", "memory_limit", "threads",
)  # fmt: skip
"""Columns that say what was to be done."""

OUTCOME = (
    *(name for name in COLUMNS if name != "solver" and not name.startswith("gap_to_")),
    "cost", "cost_bound", "test_error", "cpu", "memory", "stats", "trace", "tree",
)  # fmt: skip
"""Columns that say what became of it."""

CIRCUMSTANCES = ("started", "machine", "versions", "commit")
"""Columns that say where, when and with what."""

FIELDS = (*DEFINITION, *OUTCOME, *CIRCUMSTANCES)

Row = dict[str, Any]


def definition(trial: Trial) -> Row:
    """Return the columns `DEFINITION` of a run."""
    question, entrant, budget = trial.question, trial.entrant, trial.budget
    return {
        "run": trial.digest,
        "instance": trial.instance,
        "data": trial.source.label,
        "part": "" if trial.part is None else str(trial.part),
        "minimise": question.objective,
        "shape": question.shape,
        "quantiles": question.quantiles,
        "solver": entrant.label,
        "options": json.dumps(dict(entrant.options)) if entrant.options else "",
        "initial": entrant.initial or "",
        "seed": trial.seed,
        "time_limit": budget.time_limit,
        "memory_limit": budget.memory_limit,
        "threads": budget.n_threads,
    }


def circumstances(started: float, modules: tuple[str, ...] = ()) -> Row:
    """Return the columns `CIRCUMSTANCES` of a run that began at a time since the epoch."""
    return {
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(modules),
        "commit": commit(),
    }


def outcome(attempt: Attempt, test_error: float | None, cpu: float) -> Row:
    """Return the columns `OUTCOME` of an attempt."""
    row = row_of(attempt, None, None) | {"cpu": cpu, "memory": resident_memory()}
    result = attempt.result
    if result is not None:
        row |= {
            "cost": result.cost,
            "cost_bound": result.cost_bound,
            "reason": result.reason,
            "test_error": test_error,
            "stats": json.dumps(dict(result.stats), default=str),
            "trace": json.dumps([(round(t, 6), cost, bound) for t, cost, bound in result.trace]),
            "tree": None if result.tree is None else stored(result.tree),
        }
    row["reason"] = " | ".join(row["reason"].splitlines())
    return {name: row[name] for name in OUTCOME if name in row}


def lost(trial: Trial, status: str, reason: str, seconds: float, memory: float) -> Row:
    """Return the row of a run whose process ended before it could tell."""
    stopped_by = {"over time": "time", "over memory": "memory"}.get(status, "")
    row = definition(trial) | {"status": status, "stopped_by": stopped_by, "reason": reason}
    row |= {"time": seconds, "memory": memory}
    return row | circumstances(time.time() - seconds)


def stored(tree: Tree) -> str:
    """Return a tree as one line of JSON."""
    return json.dumps(json.loads(tree.to_json()), separators=(",", ":"))
