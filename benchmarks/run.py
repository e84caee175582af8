"""Doing a benchmark: its runs, taken up again where they stopped, and the judgement of peers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import odt
from benchmarks.benchmark import Benchmark, Selection
from benchmarks.peers.base import Peer
from odt.core.registry import make_solver
from odt.errors import InconsistentSolutionError, MissingDependencyError
from odt.experiments import Grid
from odt.experiments.ledger import read_rows
from odt.experiments.table import false_claims, tabulate, typed_row
from odt.experiments.trial import Entrant

Do = Callable[[Grid, Path], Any]


def rows_of(benchmark: Benchmark, selection: Selection, output: Path, do: Do | None = None) -> Any:
    """Do what a file does not hold and return all rows as a DataFrame.

    Parameters
    ----------
    benchmark : Benchmark
    selection : Selection
    output : Path
        CSV file of `odt.experiment`.
    do : callable, optional
        `odt.experiment` with settings.

    Raises
    ------
    InconsistentSolutionError
        If a solver of ours claims what another's tree refutes.
    """
    do = do or odt.experiment
    output.parent.mkdir(parents=True, exist_ok=True)
    grids = selection.of(benchmark.grids())
    rows = _done(grids, output, do)
    if benchmark.then is not None:
        rows = _done([*grids, *benchmark.then(rows)], output, do)
    return rows


def _done(grids: Sequence[Grid], output: Path, do: Do) -> Any:
    peers: dict[str, bool] = {}
    for grid in grids:
        with suppress(InconsistentSolutionError):  # judged below; all rows are written
            do(grid, output)
        peers |= {trial.digest: _is_peer(trial.entrant) for trial in grid.trials()}
    held = {row["run"]: row for row in read_rows(output)}
    return judged([held[run] for run in peers], [run for run, is_peer in peers.items() if is_peer])


def _is_peer(entrant: Entrant) -> bool:
    try:
        return isinstance(make_solver(entrant.name, entrant.options), Peer)
    except MissingDependencyError:  # of ours: its row says so
        return False


def judged(rows: Sequence[Mapping[str, Any]], peers: Sequence[str]) -> Any:
    """Return rows as a DataFrame, claims of peers that others' trees refute being refused.

    Parameters
    ----------
    rows : sequence of mapping
        As `read_rows` returns them.
    peers : sequence of str
        Runs of other packages.

    Raises
    ------
    InconsistentSolutionError
        If the refuted claim is one of ours.
    """
    by_instance: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in map(typed_row, rows):
        by_instance[row["instance"]].append(row)
    reasons = {
        row["run"]: reason
        for answers in by_instance.values()
        for row, reason in false_claims(answers)
        if row["run"] in peers
    }
    return tabulate(_refused(row, reasons) for row in rows)


def _refused(row: Mapping[str, Any], reasons: Mapping[str, str]) -> Mapping[str, Any]:
    if row["run"] not in reasons:
        return row
    gone = dict.fromkeys(("cost_bound", "bound", "gap"), "")
    return {**row, **gone, "status": "refused", "reason": reasons[row["run"]]}
