"""The state of a search in plain arrays: the instance, the stack of open queries, their limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner
from odt.engine.min_size.bits import Words
from odt.engine.min_size.memo import INFINITE
from odt.engine.min_size.pool import MAX_PAIRS

NO_LIMIT = 62
"""Depth of a query without depth limit."""
FALSE, TRUE, PUSH, PAUSED, FULL, NEED_LP = range(6)
"""Answers to a query, and reasons for a search to stop."""
UNASKED = -1
"""Level of a stack whose bottom query has no frame yet."""
NEW, READY, WON, LOST = range(4)
"""Stages of a frame."""
FRAME = np.dtype(
    [
        (name, np.int64)
        for name in (
            *("stage", "depth", "budget"),  # the query
            *("goal", "chain", "side", "small"),  # budget tried now, division: side with the small
            *("known", "low", "high", "need"),  # numbers of the parts in question
            *("query", "born", "seen"),  # budget asked for, work at birth, version of the pool
        )
    ]
)
CONTROL = np.dtype([(name, np.int64) for name in ("level", "work", "limit", "used", "patience")])
"""Top frame, work done and allowed, records of the memo, work before a linear program."""


class Instance(NamedTuple):
    """A reduced instance as words: cuts, chain starts, class bit planes and class sets.

    ``position[f, row]`` is the first cut of chain ``f``, counted from its start, that contains
    the example.
    """

    cuts: Words
    start: NDArray[np.int64]
    planes: Words
    classes: Words
    position: NDArray[np.int32]


class Stack(NamedTuple):
    """Space of the open queries, one row per level, and scratch space.

    ``words`` holds the sets, ``frame`` the states. The splits of a set are ``split``, those of
    chain ``f`` from ``offset[f]`` on; ``order`` lists the chains, best first, then -1; ``below``
    and ``above`` bound the branches that the two sides of each split need. The arrays from
    ``scratch`` on are free for use within one call.
    """

    words: Words
    frame: NDArray[np.void]
    split: NDArray[np.int32]
    offset: NDArray[np.int32]
    order: NDArray[np.int32]
    below: NDArray[np.int32]
    above: NDArray[np.int32]
    scratch: Words
    at: NDArray[np.int32]
    sums: NDArray[np.int64]
    pairs: NDArray[np.int64]
    totals: NDArray[np.int64]
    apart: NDArray[np.int64]
    chosen: NDArray[np.int64]


def new_stack(levels: int, instance: Instance) -> Stack:
    """Return a stack for queries with at most ``levels`` nested ones below them."""
    n_cuts, width = instance.cuts.shape
    chains, rows = len(instance.start) - 1, levels + 2
    return Stack(
        words=np.zeros((rows, width), dtype=np.uint64),
        frame=np.zeros(rows, dtype=FRAME),
        split=np.zeros((rows, n_cuts), dtype=np.int32),
        offset=np.zeros((rows, chains + 1), dtype=np.int32),
        order=np.zeros((rows, chains + 1), dtype=np.int32),
        below=np.zeros((rows, n_cuts), dtype=np.int32),
        above=np.zeros((rows, n_cuts), dtype=np.int32),
        scratch=np.zeros(width, dtype=np.uint64),
        at=np.zeros(n_cuts + chains, dtype=np.int32),
        sums=np.zeros((2, n_cuts + 2), dtype=np.int64),
        pairs=np.zeros(MAX_PAIRS, dtype=np.int64),
        totals=np.zeros(len(instance.classes), dtype=np.int64),
        apart=np.zeros(max(chains, 8), dtype=np.int64),
        chosen=np.zeros(8, dtype=np.int64),
    )


@inner
def most_branches(depth: int) -> int:
    """Return the number of branches of a complete tree of a depth."""
    return INFINITE if depth >= 20 else (1 << depth) - 1


@entry
def tightest(depth: int, budget: int) -> tuple[int, int]:
    """Return the equivalent query in which no limit is implied by the other one."""
    budget = min(budget, most_branches(depth))
    return (NO_LIMIT if depth >= budget else depth), budget


@inner
def below_depth(frame: np.void) -> int:
    """Return the depth limit of both sides."""
    return int(frame["depth"] - 1 if frame["depth"] < NO_LIMIT else NO_LIMIT)


@inner
def share(frame: np.void) -> tuple[int, int]:
    """Return the budget left for both sides, and the most that one side can use."""
    most = most_branches(below_depth(frame))
    return min(frame["goal"] - 1, 2 * most), most


@inner
def push(stack: Stack, level: int, depth: int, budget: int) -> None:
    """Open a frame for the set written at a level."""
    depth, budget = tightest(depth, budget)
    frame = stack.frame[level]
    frame["stage"] = NEW
    frame["depth"] = depth
    frame["budget"] = budget
