"""Sets of rows with two-valued columns, as bits.

One word stands for 32 rows. A row of weight 5 stands in the segments of 1 and of 4 of its class,
so weights cost nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import LABEL, WEIGHT, Table
from odt.engine.branch_and_bound.pair_lanes import FIRST_SEGMENT, FIRST_WORD, SHIFT, WIDTH

Array = NDArray[Any]
_WORD = 32


class Pack(NamedTuple):
    """A set of rows as bits; its columns are not constant on it, nor two of them equal.

    Attributes
    ----------
    column : int64 (p,)
        Those of the best single tests first.
    bits : uint32 (words, width)
        1 where a row passes the test of a column; the width is a multiple of `WIDTH`.
    turned : uint32 (p, words)
        The same transposed.
    segment : int64 (segments + 1, 3)
        ``[c, FIRST_SEGMENT]`` of class c, ``[s, FIRST_WORD]`` of segment s, and its `SHIFT`: each
        of its rows weighs ``1 << SHIFT``.
    total : int64 (classes,)
        Class weights.
    """

    column: Array
    bits: Array
    turned: Array
    segment: Array
    total: Array


@dataclass(frozen=True)
class Entries:
    """All rows with two-valued columns, once for each one in the binary form of their weight.

    Attributes
    ----------
    yes : uint8 (entries, columns)
        1 where the test of a column holds.
    segment : int64 (entries,)
        Rising.
    label, shift : int64 (segments,)
        The class of a segment, rising without gaps, and the logarithm of the weight.
    """

    yes: Array
    segment: Array
    label: Array
    shift: Array

    @classmethod
    def of(cls, table: Table) -> Entries:
        """Return the entries of a table whose total weight is below 2**31."""
        rows, keys = [], []
        for label, c in enumerate(np.unique(table.row[:, LABEL])):
            mine = np.flatnonzero(table.row[:, LABEL] == c)
            weight = table.row[mine, WEIGHT]
            for bit in range(int(weight.max()).bit_length()):
                chosen = mine[(weight >> bit) & 1 == 1]
                if len(chosen):
                    rows.append(chosen)
                    keys.append((label, bit))
        yes = np.ascontiguousarray((table.rank == 0).T[np.concatenate(rows)]).view(np.uint8)
        label, shift = np.array(keys, dtype=np.int64).T
        return cls(yes, np.repeat(np.arange(len(rows)), [*map(len, rows)]), label, shift)

    def pack(self, inside: Array) -> Pack:
        """Return the pack of some entries.

        Parameters
        ----------
        inside : int array
            Rising.
        """
        yes, mine = self.yes[inside], self.segment[inside]
        size = np.bincount(mine, minlength=len(self.label))
        column, total = self._useful(yes, size)
        start = np.concatenate([[0], np.cumsum(-(-size // _WORD))])
        place = start[mine] * _WORD + np.arange(len(mine)) - (np.cumsum(size) - size)[mine]
        column, turned = _distinct(yes, column, place, int(start[-1]))
        bits = np.zeros((turned.shape[1], -(-len(column) // WIDTH) * WIDTH), dtype=np.uint32)
        bits[:, : len(column)] = turned.T
        segment = np.zeros((len(self.label) + 1, SHIFT + 1), dtype=np.int64)
        classes = np.arange(len(total) + 1)
        segment[classes, FIRST_SEGMENT] = np.searchsorted(self.label, classes)
        segment[:, FIRST_WORD] = start
        segment[:-1, SHIFT] = self.shift
        return Pack(column, bits, turned, segment, total)

    def _useful(self, yes: Array, size: Array) -> tuple[Array, Array]:
        """Return the columns that separate something, best first, and the class weights."""
        first, filled = np.cumsum(size) - size, np.flatnonzero(size)
        count = np.zeros((len(size), yes.shape[1]), dtype=np.int64)
        if len(filled):
            count[filled] = np.add.reduceat(yes, first[filled], axis=0, dtype=np.int64)
        of_class = np.arange(int(self.label[-1]) + 1)[:, None] == self.label
        weigh = of_class * (np.int64(1) << self.shift)
        total, single, holds = weigh @ size, weigh @ count, count.sum(axis=0)
        correct = single.max(axis=0) + (total[:, None] - single).max(axis=0)
        kept = np.flatnonzero((holds > 0) & (holds < len(yes)))
        return kept[np.argsort(-correct[kept], kind="stable")], total


def _distinct(yes: Array, column: Array, place: Array, words: int) -> tuple[Array, Array]:
    """Return the first of the columns that split alike, and their bits: uint32 (p, words)."""
    spread = np.zeros((len(column), words * _WORD), dtype=np.uint8)
    spread[:, place] = yes.T[column]
    turned = np.packbits(spread, axis=1).view(np.uint32)
    if not len(column):
        return column, turned
    spread[:, place] ^= spread[:, place[:1]]  # a test and its negation are alike
    first: dict[bytes, int] = {}
    for j, key in enumerate(np.packbits(spread, axis=1)):
        first.setdefault(key.tobytes(), j)
    chosen = list(first.values())
    return column[chosen], turned[chosen]
