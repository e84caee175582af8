"""The document of all figures: sections between marks, each made anew by its benchmark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from odt.errors import DataError

LEDGER = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
_MARK = "<!-- {} {} -->"


def with_section(document: str, name: str, body: str) -> str:
    """Return a document with another text between the marks of a benchmark.

    Raises
    ------
    DataError
        If the document does not have these marks once.
    """
    begin, end = _MARK.format("begin", name), _MARK.format("end", name)
    if document.count(begin) != 1 or document.count(end) != 1:
        raise DataError(f"The ledger must have {begin!r} and {end!r} once each.")
    head, _, rest = document.partition(begin)
    return f"{head}{begin}\n{body.strip()}\n{end}{rest.partition(end)[2]}"


def empty(names: tuple[str, ...], titles: tuple[str, ...]) -> str:
    """Return a document with empty sections."""
    sections = (
        f"## {title}\n\n{_MARK.format('begin', name)}\n{_MARK.format('end', name)}\n"
        for name, title in zip(names, titles, strict=True)
    )
    return "\n".join(["# Benchmarks\n", *sections])


def sections(document: str) -> list[str]:
    """Return the names of the sections of a document."""
    return re.findall(r"<!-- begin (\w+) -->", document)


def provenance(command: str, rows: Any) -> str:
    """Say how, where, when and with what code some runs were done."""
    commits = ", ".join(sorted({text or "unknown" for text in rows["commit"]}))
    days = sorted({text[:10] for text in rows["started"]})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    where = "; ".join(sorted(set(rows["machine"])))
    runs = f"{len(rows)} run{'s' if len(rows) > 1 else ''}"
    return f"`{command}`: {runs}, {when}, commit {commits}, {where}."
