"""Is the first line of a file a header? Names that look like data say no."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from odt.errors import DataError


def check_header(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> None:
    """Refuse a first line that is more likely the first row of the data.

    A number as a name is doubtful, unless all such names count upwards, as positions and years do.
    So are names that all occur as values of their own columns.

    Parameters
    ----------
    names : sequence of str
        The fields of the first line.
    columns : sequence of sequence
        The values below each name.

    Raises
    ------
    DataError
        Says what was found and how to state what was meant.
    """
    numbers = [number for name in names if (number := _number(name)) is not None]
    counting = bool(numbers) and all(a < b for a, b in pairwise(numbers))
    if counting and all(number.is_integer() for number in numbers):
        return
    if (numbers and not counting) or all(map(_reads_like, names, columns)):
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise DataError(
            f"The first line ({shown}) looks like data, not like names of columns. If the file has "
            "no header, say header=False (--no-header); if these are the names, say header=True "
            "(--header)."
        )


def check_names(names: Sequence[str]) -> None:
    """Refuse names that do not tell columns apart.

    Raises
    ------
    DataError
        For repeated and empty names.
    """
    if not all(name.strip() for name in names):
        at = next(at for at, name in enumerate(names) if not name.strip())
        raise DataError(
            f"The {'first column' if at == 0 else f'column {at + 1}'} has no name. If it numbers "
            "the rows, leave it out; if the file has no header, say header=False (--no-header)."
        )
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise DataError(
            f"The first line names columns twice: {', '.join(repeated)}. Rename them; if the file "
            "has no header, say header=False (--no-header)."
        )


def _reads_like(name: str, column: Sequence[Any]) -> bool:
    """Say whether a name could be one more value of its column."""
    if _number(name) is not None:
        return all(_number(value) is not None for value in column)
    return name in {str(value) for value in column}


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
