"""Answering a query without search: purity, memory, bounds, one or two cuts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import inner
from odt.engine.min_size.bits import Words, count_classes, one_cut, pure, two_cuts
from odt.engine.min_size.memo import LOWER, SPLIT, UPPER, VERSION, Memo, failed_inside, find, occupy
from odt.engine.min_size.pool import Pool, pool_bound
from odt.engine.min_size.state import FALSE, PUSH, TRUE, Instance, tightest


@inner
def ask(
    instance: Instance,
    memo: Memo,
    pool: Pool,
    control: np.void,
    words: Words,
    scratch: Words,
    depth: int,
    budget: int,
) -> int:
    """Answer a query TRUE or FALSE if that takes no search, PUSH if it does.

    A query that needs search has a record afterwards.
    """
    control["work"] += 1
    if pure(instance.planes, words):
        return TRUE
    depth, budget = tightest(depth, budget)
    if budget == 0:
        return FALSE
    if budget == 1:
        found = one_cut(instance.planes, instance.cuts, instance.start, words) >= 0
        return TRUE if found else FALSE
    slot = find(memo.keys, words, depth)
    record = memo.record[slot]
    if memo.keys[slot, words.shape[0]] != np.uint64(depth):
        occupy(memo.keys, memo.record, slot, words, depth)
        control["used"] += 1
        record[LOWER] = count_classes(instance.classes, words) - 1
    if record[LOWER] <= budget < record[UPPER]:
        refresh(pool, record, words, budget)
    if record[LOWER] <= min(2, budget) and budget < record[UPPER]:
        try_few_cuts(instance, record, words, scratch)
    if record[LOWER] <= budget < record[UPPER]:
        compare(memo, record, words, depth, budget)
    if record[LOWER] > budget:
        return FALSE
    return TRUE if record[UPPER] <= budget else PUSH


@inner
def compare(memo: Memo, record: NDArray[np.int32], words: Words, depth: int, budget: int) -> None:
    """Raise the lower bound of a record if its set contains one that failed before.

    A failed set with a lower depth limit than the record's refutes this budget only, with which
    no tree gets deeper.
    """
    place = failed_inside(memo, words, depth, budget)
    if place >= 0:
        whole = memo.failed_limit[place, 0] >= depth
        record[LOWER] = memo.failed_limit[place, 1] if whole else budget + 1


@inner
def refresh(pool: Pool, record: NDArray[np.int32], words: Words, budget: int) -> None:
    """Raise the lower bound of a record by the pool, if that has changed since the last time."""
    if record[VERSION] != pool.version:
        record[VERSION] = pool.version
        record[LOWER] = max(record[LOWER], pool_bound(pool, words, budget))


@inner
def try_few_cuts(
    instance: Instance, record: NDArray[np.int32], words: Words, scratch: Words
) -> None:
    """Find out whether one or two cuts solve a set that is not pure, and record it."""
    planes, cuts, start = instance.planes, instance.cuts, instance.start
    branches = 1
    cut = one_cut(planes, cuts, start, words)
    if cut < 0:
        branches = 2
        cut = two_cuts(planes, cuts, start, words, scratch)
    if cut < 0:
        record[LOWER] = 3
        return
    record[LOWER] = record[UPPER] = branches
    record[SPLIT] = cut
