"""What is in a file, read within fixed limits: nobody vouches for it."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from .rows import RefusedError, need

FORMAT = "odt-proof 1"
LONGEST_TEXT, LONGEST_LINE, MOST_LINES = 1 << 28, 1 << 24, 1 << 22
"""Bytes after decompression, of all and of one line, and the number of lines."""
_PART = 1 << 24


class Lines:
    """The lines of a text, cut out when they are asked for."""

    def __init__(self, text: bytes) -> None:
        self.text = text if text.endswith(b"\n") else text + b"\n"
        need(self.text.count(b"\n") <= MOST_LINES, f"more than {MOST_LINES} lines")
        self.ends = np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8) == ord("\n"))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, i: int) -> str:
        start = 0 if i == 0 else int(self.ends[i - 1]) + 1
        end = int(self.ends[i])
        need(end - start <= LONGEST_LINE, f"a line of {end - start} bytes is too long")
        return self.text[start:end].decode("ascii")


def read(content: bytes) -> tuple[dict[str, Any], list[str], Lines, int]:
    """Return the header, the lines of the rows, all lines, and where the table begins.

    Raises
    ------
    RefusedError
        For another format, what is truncated or does not end with its gzip member, and more text
        than `LONGEST_TEXT`.
    """
    lines = Lines(_decompressed(content))
    need(len(lines) > 2, "the file ends before its rows")
    header = json.loads(lines[1], parse_constant=_constant)
    need(isinstance(header, dict), "the second line is no JSON object")
    n = header["n_rows"]
    need(type(n) is int and 0 < n <= len(lines) - 2, "the number of rows is wrong")
    return header, [lines[2 + i] for i in range(n)], lines, 2 + n


def _decompressed(content: bytes) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    start = stream.decompress(content, len(FORMAT) + 1)
    need(
        start.decode("ascii", "replace").strip() == FORMAT,
        f"this is no proof in the format {FORMAT!r}",
    )
    parts, length = [start], len(start)
    while not stream.eof:
        part = stream.decompress(stream.unconsumed_tail, _PART)
        need(part or stream.eof, "the file is truncated")
        length += len(part)
        need(length <= LONGEST_TEXT, f"more than {LONGEST_TEXT} bytes of text")
        parts.append(part)
    need(not stream.unused_data, "something follows the proof")
    return b"".join(parts)


def _constant(name: str) -> float:
    if name != "-Infinity":
        raise RefusedError(f"{name} is no number")
    return -np.inf
