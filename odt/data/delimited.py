"""Text files of rows and fields, as they are found: separators, encodings, decimal commas."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from odt.data.headers import check_header, check_names
from odt.errors import DataError, DataWarning

MISSING_VALUES = ("", "?", "N/A", "n/a", "NA", "NaN", "nan", "NULL", "null")
"""What stands for a missing value in a text file, blanks before it aside."""

BLANKS = r"\s+"
"""The separator of columns with any number of blanks between them."""

MOST_BYTES = 2**32
"""Bytes of a text file, unpacked, beyond which it is refused."""

_SEPARATORS = ("\t", ";", "|", ",")
_NAMES = {"tab": "\t", "space": BLANKS, " ": BLANKS, "\\t": "\t"}
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SNIFFED_LINES = 30
_SNIFFED_BYTES = 2**18
_LIKE_THOUSANDS = re.compile(r"\s*[+-]?\d{1,3}(?:,\d{3})?\s*")
_WITH_COMMA = re.compile(r"\s*[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?\s*")


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """How a text file says what it says; None is found out.

    Parameters
    ----------
    separator : str, optional
        Between fields: a character, ``"tab"``, or ``"space"`` for any number of blanks. By default
        the tab, semicolon, bar or comma that splits all lines alike, or blanks.
    decimal : {".", ","}, optional
        The mark in numbers. By default commas are taken for it, with a warning, in columns where
        every value is a number with one or none.
    encoding : str, optional
        By default that of a byte order mark, UTF-8, or, with a warning, Latin-1.
    header : bool, optional
        Whether the first line holds the names. By default it must, and a line that looks like data
        is refused; True takes it as it is; False names the columns ``x0``, ``x1``, ...
    na_values : sequence of str
        Texts that stand for a missing value.
    text : sequence of str
        Columns to keep as text even if all of it could be read as numbers.

    Raises
    ------
    DataError
        For another separator, decimal mark or an unknown encoding.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    na_values: Sequence[str] = MISSING_VALUES
    text: Sequence[str] = ()

    def __post_init__(self) -> None:
        mark = _NAMES.get(self.separator or "", self.separator)
        object.__setattr__(self, "separator", mark)
        if mark is not None and mark != BLANKS and (len(mark) != 1 or mark in '"\r\n'):
            raise DataError(
                f"'separator' must be one character, 'tab' or 'space'. Got {mark!r} instead."
            )
        if self.decimal not in (None, ".", ","):
            raise DataError(f"'decimal' must be '.' or ','. Got {self.decimal!r} instead.")
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise DataError(
                    f"'encoding' must be one that Python knows, such as 'utf-8', 'latin-1' or "
                    f"'cp1252'. Got {self.encoding!r} instead."
                ) from None


def read_delimited(source: str | Path | IO[Any], form: TextFormat) -> Any:
    """Return a text file as a DataFrame.

    Parameters
    ----------
    source : path or stream
        Compressed files are told by ``.gz``, ``.bz2`` and ``.xz``.
    form : TextFormat

    Warns
    -----
    DataWarning
        Where Latin-1 or decimal commas are guessed.

    Raises
    ------
    DataError
        For a first line that is no header, repeated names, bytes that are not of the encoding.
    ValueError
        For rows that are longer than the first line.
    """
    reopen = _reopening(source)
    with reopen() as file:
        head = file.read(_SNIFFED_BYTES)
    encoding = form.encoding or _marked(head) or "utf-8"
    try:
        return _read(reopen, head, encoding, form)
    except UnicodeDecodeError as error:
        if form.encoding is not None or encoding != "utf-8":
            raise DataError(
                f"The file is not in {encoding}: {error.reason} at byte {error.start}. Say which "
                "encoding it is in, such as encoding='latin-1'."
            ) from None
    warnings.warn(
        "The file is not in UTF-8 and is read as Latin-1. If its names look wrong, say "
        "encoding='cp1252', or what it is.",
        DataWarning,
        stacklevel=4,
    )
    return _read(reopen, head, "latin-1", form)


def _reopening(source: str | Path | IO[Any]) -> Callable[[], IO[bytes]]:
    """Return what opens the bytes of a source from their start, each time it is called."""
    if isinstance(source, str | Path):
        opened = _OPEN.get(Path(source).suffix, open)
        return lambda: io.BufferedReader(_Bounded(opened(source, "rb")))
    content = getattr(source, "buffer", source).read(MOST_BYTES + 1)  # a pipe is read only once
    data = content.encode() if isinstance(content, str) else content
    if len(data) > MOST_BYTES:
        raise _too_long()
    return lambda: io.BytesIO(data)


class _Bounded(io.RawIOBase):
    """A file that gives at most `MOST_BYTES`: a small archive may unpack to anything."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise _too_long()
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _too_long() -> DataError:
    return DataError(
        f"The text is longer than {MOST_BYTES / 2**30:g} GiB, which is all that is read of a text "
        "file. Make a Parquet file of it, or read it yourself and pass a table."
    )


def _marked(head: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def _read(reopen: Callable[[], IO[bytes]], head: bytes, encoding: str, form: TextFormat) -> Any:
    """Read in one encoding, without taking row numbers for a feature or names for data."""
    import pandas as pd

    separator = form.separator or sniff(head.decode(encoding, errors="ignore"))

    def read(**options: Any) -> Any:
        with reopen() as file:
            return pd.read_csv(
                file, sep=separator, encoding=encoding, keep_default_na=False,
                skipinitialspace=True, **options,
            )  # fmt: skip

    first = read(header=None, nrows=1, dtype=str).iloc[0].tolist()
    if form.header is not False:
        check_names(first)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # mixed columns are told later
        try:
            frame = read(
                header=None if form.header is False else 0,
                names=[f"x{j}" for j in range(len(first))] if form.header is False else first,
                index_col=False,
                na_values=list(form.na_values),
                dtype=dict.fromkeys(form.text, str),
                **_exact_floats(pd.__version__),
            )
        except pd.errors.ParserWarning:
            raise ValueError("some rows have more fields than the first line") from None
    if form.header is None:
        check_header(first, [frame[name].tolist() for name in first])
    return frame if form.decimal == "." else _with_decimal_commas(frame, form)


def sniff(text: str) -> str:
    r"""Return the separator of the first lines of a text: one that gives all as many fields.

    Parameters
    ----------
    text : str
        Its last line may be cut short.

    Returns
    -------
    str
        A character, or a regular expression for blanks. A comma if nothing separates.

    Examples
    --------
    >>> sniff("a;b\n1,5;2\n"), sniff("a b\n1   2\n")
    (';', '\\s+')
    """
    lines = [line for line in text.splitlines(keepends=True) if line.strip()]
    whole = lines if text.endswith("\n") or len(lines) < 2 else lines[:-1]
    whole = whole[:_SNIFFED_LINES]
    for separator in _SEPARATORS:
        if _is_even(len(row) for row in _rows(whole, separator)):
            return separator
    if not any("," in line for line in whole) and _is_even(len(line.split()) for line in whole):
        return BLANKS
    return ","


def _rows(lines: Sequence[str], separator: str) -> Any:
    try:
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=True)
    except csv.Error:
        return


def _is_even(widths: Any) -> bool:
    """Say whether all lines have one number of fields, two at least."""
    found = set(widths)
    return len(found) == 1 and min(found) > 1


def _with_decimal_commas(frame: Any, form: TextFormat) -> Any:
    """Turn text such as ``1,5`` into numbers, in columns that hold nothing else."""
    import pandas as pd

    turned, example = {}, ""
    for name in frame.columns:
        known = frame[name].dropna()
        texts = known.tolist()
        if (
            name in form.text
            or frame[name].dtype.kind in "biufc"
            or not all(isinstance(t, str) for t in texts)
        ):
            continue
        if not any("," in text for text in texts) or not all(map(_WITH_COMMA.fullmatch, texts)):
            continue
        example = next(text for text in texts if "," in text)
        if form.decimal is None and all(map(_LIKE_THOUSANDS.fullmatch, texts)):
            raise DataError(
                f"In column {name!r} the comma of {example!r} may be a decimal mark or separate "
                "thousands. Say decimal=',' for the first; for the second take the commas out, or "
                "say decimal='.' to keep the text."
            )
        numbers = [float(text.replace(",", ".")) for text in texts]
        turned[name] = pd.Series(numbers, index=known.index).reindex(frame.index)
    if turned and form.decimal is None:
        warnings.warn(
            f"Commas are read as decimal marks in {', '.join(map(repr, turned))}, as in "
            f"{example!r}. Say decimal=',' if that is right, decimal='.' to keep the text.",
            DataWarning,
            stacklevel=6,
        )
    return frame.assign(**turned)


def _exact_floats(pandas_version: str) -> dict[str, Any]:
    """Reading floats to the last bit is the default from pandas 3.1 on, where asking warns."""
    major, minor = pandas_version.split(".")[:2]
    return {} if (int(major), int(minor)) >= (3, 1) else {"float_precision": "round_trip"}
