"""Check a proof about decision trees: numpy and the standard library, nothing else.

This folder is a program of its own: copied anywhere, ``python -m checker PROOF [ROWS.csv]`` runs
it. It shares no code with the solvers or with what writes proofs, and none of their reductions.
docs/proofs.md has the format and the theorem.

A proof holds rows, an objective, limits, a tree and a table. A line of the table is a set of rows
with some tests left, and a number that no tree of this set costs less than. A line is right if its
number exceeds neither the cost of a leaf, nor, for any test whatever, the price of the test plus
what the two sides cost at least: by a later line, by counting where one test is left, by what every
tree costs, or because a set costs no less than its subsets and little more (`State`).
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from .file import FORMAT, read
from .problem import Problem
from .rows import RefusedError, Rows, need
from .table import Table, Verdict

__all__ = ["FORMAT", "RefusedError", "Verdict", "check", "check_bytes"]
_LARGEST_FILE = 1 << 28


def check(file: str | Path, data: Any = None) -> Verdict:
    """Check a proof.

    Parameters
    ----------
    file : path
        A file that ``odt solve --proof`` or `odt.proof.Proof.save` wrote.
    data : odt.Dataset or path of a CSV file, optional
        What the proof must be about. Without it the rows in the file are taken.

    Returns
    -------
    Verdict

    Raises
    ------
    RefusedError
        Unless everything that the file claims is proved.
    OSError
        If a file cannot be read.
    """
    with open(file, "rb") as stream:
        content = stream.read(_LARGEST_FILE + 1)
    return check_bytes(content, data)


def check_bytes(content: bytes, data: Any = None) -> Verdict:
    """Check a proof in memory; see `check`."""
    path = data if isinstance(data, str | Path) else None
    table = None if path is None else Path(path).read_text()
    try:
        need(len(content) <= _LARGEST_FILE, f"the file has more than {_LARGEST_FILE} bytes")
        header, texts, lines, first = read(content)
        rows = Rows(header, texts)
        if table is not None:
            rows.compare_text(table)
        elif data is not None:
            rows.compare(data)
        return Table(Problem(header, rows), header, lines, first).verdict()
    except RefusedError:
        raise
    except (
        ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
        MemoryError, zlib.error,
    ) as error:  # fmt: skip
        raise RefusedError(f"malformed: {error!r:.200}") from None
