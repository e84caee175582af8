"""How far an experiment is, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from odt.experiments.record import Row
from odt.experiments.table import UNANSWERED


@contextmanager
def shown_progress(total: int, left: int, wanted: bool | None) -> Iterator[Callable[[Row], None]]:
    """Show what is done, failed and left, and the time to go; yields a callback for each row.

    Parameters
    ----------
    total, left : int
        Runs of the experiment, and those still to do.
    wanted : bool, optional
        By default only on a terminal.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda row: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeToGoColumn

    columns = (
        TextColumn("{task.completed:.0f} done, {task.fields[failed]} failed, "),
        TextColumn("{task.fields[left]} left"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("to go"),
        TimeToGoColumn(),
        TextColumn("{task.fields[last]}", style="dim"),
    )
    failed = 0
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(
            "", total=total, completed=total - left, failed=0, left=left, last=""
        )  # fmt: skip

        def arrived(row: Row) -> None:
            nonlocal failed, left
            failed += row["status"] in UNANSWERED
            left -= 1
            last = f"{row['data']} {row['solver']}: {row['status']}"
            bar.update(task, advance=1, failed=failed, left=left, last=last)

        yield arrived
