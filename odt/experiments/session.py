"""An experiment from its grid to its table, on one screen."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

from odt.errors import ProblemError
from odt.experiments.apart import Guards, end_workers, run_apart
from odt.experiments.grid import Grid
from odt.experiments.ledger import Ledger, read_rows, without
from odt.experiments.progress import shown_progress
from odt.experiments.record import Row
from odt.experiments.spread import engine as engine_called
from odt.experiments.table import UNANSWERED, tabulate
from odt.experiments.trial import Trial
from odt.model.checks import check_int


def experiment(
    grid: Grid | Mapping[str, Any] | str | Path,
    output: str | Path | None = None,
    *,
    n_jobs: int = 1,
    engine: str = "local",
    address: str | None = None,
    guards: Guards | None = None,
    retry: bool = False,
    progress: bool | None = None,
    on_row: Callable[[Row], None] | None = None,
) -> Any:
    """Do every run of a grid, each in a process of its own, and tabulate what became of it.

    A run that crashes, or passes its hard limits, is a row with the reason. Each row is on the
    disk before the next run of its worker begins. With the same ``output`` only those runs are
    done that it does not hold, told apart by their whole definition, data included. Ctrl-C loses
    the runs at work and no other.

    Parameters
    ----------
    grid : Grid, mapping of its parameters, or path of a TOML file with them
    output : path, optional
        CSV file; without one the rows are only returned.
    n_jobs : int, default 1
        Runs at a time. Times are comparable only if the machine has as many cores to spare.
    engine : {"local", "joblib", "dask", "ray"}, default "local"
        Where runs are spread to. ``"joblib"`` follows ``joblib.parallel_config``; ``"dask"`` the
        client that the program has made, or starts workers here.
    address : str, optional
        Of a Dask scheduler or a Ray cluster.
    guards : Guards, optional
        Hard limits.
    retry : bool, default False
        Do those runs again that left no answer: crashed, over time or memory, failed, refused,
        not installed.
    progress : bool, optional
        Show on standard error what is done, failed and left, and the time to go; by default if
        it is a terminal.
    on_row : callable, optional
        Called with each new row.

    Returns
    -------
    DataFrame
        A row for each run of the grid in its order: the columns of the file and the gaps to the
        best bound and tree that any solver has for the same instance.

    Raises
    ------
    InconsistentSolutionError
        If one solver's bound exceeds the value of another's tree; names both. All rows are
        written before.
    OdtError
        For a grid that makes no sense, before anything runs.
    """
    check_int("n_jobs", n_jobs, 1)
    trials, chosen = Grid.of(grid).trials(), engine_called(engine, address)
    with ExitStack() as stack:
        ledger = None
        if output is not None:
            ledger = stack.enter_context(_opened(Path(output), trials, retry))
        elif retry:
            raise ProblemError("'retry' needs an 'output' that holds rows.")
        rows: dict[str, Row] = {} if ledger is None else {row["run"]: row for row in ledger.rows}
        left = [trial for trial in trials if trial.digest not in rows]
        do = partial(run_apart, guards=guards or Guards())
        shown = stack.enter_context(shown_progress(len(trials), len(left), progress))
        arriving = closing(_ending_workers(chosen.spread(do, left, n_jobs)))
        for row in stack.enter_context(arriving):
            rows[row["run"]] = row
            if ledger is not None:
                ledger.append(row)
            shown(row)
            if on_row is not None:
                on_row(row)
    return tabulate(rows[trial.digest] for trial in trials)


def _opened(path: Path, trials: Sequence[Trial], retry: bool) -> Ledger:
    if retry and path.exists():
        ours = {trial.digest for trial in trials}
        rows = read_rows(path)
        again = {r["run"] for r in rows if r["status"] in UNANSWERED and r["run"] in ours}
        if again:
            without(path, again)
    return Ledger(path)


def _ending_workers(rows: Iterator[Row]) -> Generator[Row, None, None]:
    """Pass rows on; if that ends early, as on Ctrl-C, end the runs at work."""
    try:
        yield from rows
    except BaseException:
        end_workers()
        raise
