"""CSV files that a benchmark fills row by row and takes up again after a stop."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows that a file holds already; none if it does not exist."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def append(path: Path, fields: Sequence[str], record: Mapping[str, Any]) -> None:
    """Add a row at once, so that nothing is lost if the run is ended."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fields)
        if is_new:
            writer.writeheader()
        writer.writerow(record)
