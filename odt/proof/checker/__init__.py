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

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from .problem import Problem
from .rows import RefusedError, Rows, need
from .table import Table, Verdict

FORMAT = "odt-proof 1"
__all__ = ["FORMAT", "RefusedError", "Verdict", "check", "check_bytes"]


def check(file: str | Path, dataset: Any = None) -> Verdict:
    """Check a proof.

    Parameters
    ----------
    file : path
        A file that ``odt solve --proof`` or `odt.proof.Proof.save` wrote.
    dataset : odt.Dataset, optional
        The data that the proof must be about: anything with ``X``, ``y``, ``weights``,
        ``cost_units`` and ``kinds``. Without it the rows in the file are taken.

    Returns
    -------
    Verdict

    Raises
    ------
    RefusedError
        Unless everything that the file claims is proved.
    """
    return check_bytes(Path(file).read_bytes(), dataset)


def check_bytes(content: bytes, dataset: Any = None) -> Verdict:
    """Check a proof in memory; see `check`."""
    try:
        head, *lines = gzip.decompress(content).decode("ascii").splitlines()
        need(head == FORMAT, f"this is no proof in the format {FORMAT!r}")
        header = json.loads(lines[0])
        n = header["n_rows"]
        need(isinstance(n, int) and 0 < n < len(lines), "the number of rows is wrong")
        rows = Rows(header, lines[1 : n + 1])
        if dataset is not None:
            rows.compare(dataset)
        return Table(Problem(header, rows), header, lines[n + 1 :]).verdict()
    except RefusedError:
        raise
    except (
        ValueError, LookupError, TypeError, AttributeError, ArithmeticError, OSError, EOFError,
        RecursionError, zlib.error,
    ) as error:  # fmt: skip
        raise RefusedError(f"malformed: {error!r}") from None
