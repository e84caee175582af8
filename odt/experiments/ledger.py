"""The file of an experiment: a line for each run, complete on the disk before the next begins."""

from __future__ import annotations

import csv
import fcntl
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from odt.errors import DataError
from odt.experiments.record import FIELDS


class Ledger:
    """A CSV file that grows by whole lines and is taken up again after any end.

    Parameters
    ----------
    path : Path
        Created if it does not exist. A last line without an end, left by a write that was cut
        off, is removed. No other process may write to it meanwhile.

    Raises
    ------
    DataError
        If another process writes to it, or it holds something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(path, "a+b")  # noqa: SIM115 - closed by __exit__
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise DataError(f"{path} is being written by another experiment.") from None
        try:
            self.rows = self._taken_up()
        except DataError:
            self._file.close()
            raise

    def _taken_up(self) -> list[dict[str, str]]:
        self._file.seek(0)
        held = self._file.read()
        whole = held[: held.rfind(b"\n") + 1]
        rows = parse(whole, self.path) if whole else []
        if len(whole) < len(held):
            self._file.truncate(len(whole))
        if not whole:
            self._write(FIELDS)
        return rows

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a row and wait until the disk has it."""
        self._write([_cell(row.get(name)) for name in FIELDS])

    def _write(self, cells: Iterable[Any]) -> None:
        line = _line(cells)
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the whole rows of a file that may still be growing.

    Raises
    ------
    DataError
        If it does not exist or is no file of an experiment.
    """
    try:
        held = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}.") from None
    return parse(held[: held.rfind(b"\n") + 1], path)


def parse(content: bytes, path: Path) -> list[dict[str, str]]:
    """Read lines of which each is a row.

    Raises
    ------
    DataError
        For another header, or a line that is not a row.
    """
    header, *lines = content.decode(errors="replace").split("\n")[:-1] or [""]
    if next(csv.reader([header]), []) != list(FIELDS):
        raise DataError(
            f"{path} is no file of an experiment of this version of odt: its first line does not "
            "name the columns that it should. Name another file."
        )
    rows = []
    for number, line in enumerate(lines, 2):
        cells = next(csv.reader([line]), [])
        if len(cells) != len(FIELDS):
            raise DataError(
                f"Line {number} of {path} has {len(cells)} fields, not {len(FIELDS)}: remove the "
                "line, and its run will be done again."
            )
        rows.append(dict(zip(FIELDS, cells, strict=True)))
    return rows


def without(path: Path, runs: set[str]) -> None:
    """Remove the rows of some runs from a file, in one step."""
    kept = [row for row in read_rows(path) if row["run"] not in runs]
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.writelines(_line(cells) for cells in (FIELDS, *(row.values() for row in kept)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _line(cells: Iterable[Any]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    """Return a value as text on one line."""
    if value is None:
        return ""
    text = str(list(value)) if isinstance(value, tuple) else str(value)
    return " | ".join(text.split("\n")).replace("\r", "").replace("\0", "")
