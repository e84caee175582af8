"""Tree patterns: shapes with features, but without thresholds and labels."""

from __future__ import annotations

from collections.abc import Iterator

Pattern = tuple[int, "Pattern", "Pattern"] | None
"""A leaf (None), or a feature with the patterns of its two sides."""

UNKNOWN = -1
"""The feature of a node that stands for some feature still to be chosen (a star)."""


def patterns(size: int, height: int, letters: tuple[int, ...]) -> Iterator[Pattern]:
    """Yield all patterns of ``size`` inner nodes and at most ``height``, labelled by letters."""
    if size == 0:
        yield None
    elif size < 2 ** min(height, 60):
        for below in range(size):
            for left in patterns(below, height - 1, letters):
                for right in patterns(size - 1 - below, height - 1, letters):
                    for letter in letters:
                        yield letter, left, right


def letters_of(pattern: Pattern) -> frozenset[int]:
    """Return the features of a pattern, `UNKNOWN` included."""
    if pattern is None:
        return frozenset()
    return letters_of(pattern[1]) | letters_of(pattern[2]) | {pattern[0]}


def height_of(pattern: Pattern) -> int:
    """Return the most inner nodes on a path."""
    return 0 if pattern is None else 1 + max(height_of(pattern[1]), height_of(pattern[2]))
