"""The memoised staircase search: can a set of examples be classified with few branches?

A query ``(m, h, b)`` asks for a consistent tree of the examples ``m`` of depth at most ``h`` with
at most ``b`` branches. The search is a stack of frames, one per open query, so that it can stop
at any point (limits, a full table, a linear program to solve outside) and go on from there.

For a chain of nested first sides ``A_1 < A_2 < .. < A_N`` of ``m`` and a division of the budget
``b - 1`` into ``i`` and ``b - 1 - i``, only the largest ``q`` with ``A_q`` solvable with ``i``
branches matters: its second side is the smallest, and fewer examples are never harder. So each
chain costs ``b`` expensive checks besides binary searches, however many cuts it has (the
threshold search of Eiben et al., Lemma 7). A frame goes through the chains, for each through its
two sides (which side has the small budget) and the small budgets ``i``; the parts of a side are
numbered ``1 .. N`` by size, so that part ``j`` is ``A_j`` or the complement of ``A_(N+1-j)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner
from odt.engine.min_size.bits import count
from odt.engine.min_size.memo import (
    EMPTY,
    INFINITE,
    LOWER,
    SPLIT,
    TRIED,
    UPPER,
    Memo,
    find,
    occupy,
    remember_failed,
)
from odt.engine.min_size.pool import Pool
from odt.engine.min_size.query import ask, refresh
from odt.engine.min_size.scan import look_ahead, scan
from odt.engine.min_size.state import (
    FALSE,
    FULL,
    LOST,
    NEED_LP,
    NEW,
    PAUSED,
    PUSH,
    READY,
    TRUE,
    UNASKED,
    WON,
    Instance,
    Stack,
    below_depth,
    most_branches,
    push,
    share,
)

FEW_EXAMPLES = 8
"""Smaller sets are not worth a linear program."""


@entry
def search(instance: Instance, memo: Memo, pool: Pool, stack: Stack, control: np.void) -> int:
    """Run the open frames until the bottom one is decided or something outside is needed.

    A stack whose level is UNASKED has only the set, depth and budget of its bottom query, which is
    answered without a frame if it can be.

    Returns
    -------
    int
        TRUE or FALSE (the answer of the bottom frame), PAUSED (the work limit is reached), FULL
        (the table needs room) or NEED_LP (the top frame wants a linear program).
    """
    level = control["level"]
    if level == UNASKED:
        level, words, bottom = 0, stack.words[0], stack.frame[0]
        depth, budget = bottom["depth"], bottom["budget"]
        answer = ask(instance, memo, pool, control, words, stack.scratch, depth, budget)
        if answer != PUSH:
            return answer
        push(stack, level, depth, budget)
        control["level"] = level
    while control["work"] < control["limit"]:
        frame = stack.frame[level]
        if frame["stage"] == NEW or frame["seen"] != pool.version:
            begin(instance, memo, pool, stack, control, level)
        outcome = advance(instance, memo, pool, stack, control, level)
        if outcome in (FULL, NEED_LP):
            return outcome
        if outcome == PUSH:
            level += 1
            push(stack, level, below_depth(frame), frame["query"])
        else:
            level -= 1
            if level < 0:
                return outcome
            learn(memo, stack, level, outcome == TRUE)
        control["level"] = level
    return PAUSED


@inner
def begin(
    instance: Instance, memo: Memo, pool: Pool, stack: Stack, control: np.void, level: int
) -> None:
    """Bound a frame from the pool, list its splits, and choose its first query.

    Done again when the pool has changed: the frame then goes on where it was, unless the new
    bound refutes its goal.
    """
    frame, words = stack.frame[level], stack.words[level]
    record = memo.record[find(memo.keys, words, frame["depth"])]
    control["work"] += instance.cuts.size >> 8
    fresh = frame["stage"] == NEW
    if fresh:
        frame["born"] = control["work"]
    frame["seen"] = pool.version
    refresh(pool, record, words, frame["budget"])
    if record[LOWER] > frame["budget"]:
        frame["stage"] = LOST
        return
    scan(instance, stack, level)
    look_ahead(instance, pool, stack, level)
    if fresh or frame["goal"] < record[LOWER]:
        whole = frame["budget"] >= most_branches(frame["depth"])
        aim(memo, stack, level, frame["budget"] if whole else record[LOWER])


@inner
def aim(memo: Memo, stack: Stack, level: int, goal: int) -> None:
    """Set the goal of a frame, or the next one that the bounds on its splits do not refute."""
    frame = stack.frame[level]
    while goal <= frame["budget"]:
        frame["goal"] = goal
        frame["stage"] = READY
        enter(stack, level, 0, 0)
        if settle(stack, level):
            return
        goal = refute(memo, stack, level)
    frame["stage"] = LOST


@inner
def refute(memo: Memo, stack: Stack, level: int) -> int:
    """Record that the goal of a frame is refuted and return the new lower bound."""
    frame, words = stack.frame[level], stack.words[level]
    record = memo.record[find(memo.keys, words, frame["depth"])]
    refuted = INFINITE if frame["goal"] >= most_branches(frame["depth"]) else frame["goal"] + 1
    record[LOWER] = max(record[LOWER], refuted)
    remember_failed(memo, words, frame["depth"], refuted)
    return int(record[LOWER])


@inner
def enter(stack: Stack, level: int, chain: int, side: int) -> None:
    """Put a frame at the first budget of one side of a chain (its position in the order)."""
    frame = stack.frame[level]
    frame["chain"] = chain
    frame["side"] = side
    rest, most = share(frame)
    frame["small"] = max(rest - most, 0)
    frame["known"] = frame["low"] = 0


@inner
def settle(stack: Stack, level: int) -> bool:
    """Move a frame to the next budget that the bounds allow; False when there is none left."""
    frame = stack.frame[level]
    rest, _ = share(frame)
    while True:
        f = stack.order[level, frame["chain"]]
        first, last = stack.offset[level, f], stack.offset[level, f + 1]
        below, above = stack.below[level, first:last], stack.above[level, first:last][::-1]
        small, large = (below, above) if frame["side"] == 0 else (above, below)
        most_small = rest // 2 if frame["side"] == 0 else (rest + 1) // 2 - 1
        while frame["small"] <= most_small and frame["known"] < last - first:
            high = last_within(small, frame["small"])
            need = last - first + 1 - last_within(large, rest - frame["small"])
            if need <= high and high > frame["known"]:
                frame["low"] = frame["known"]
                frame["high"] = high
                frame["need"] = max(need, frame["known"] + 1)
                return True
            frame["small"] += 1
        if frame["side"] == 0:
            enter(stack, level, frame["chain"], 1)
        elif stack.order[level, frame["chain"] + 1] < 0:
            return False
        else:
            enter(stack, level, frame["chain"] + 1, 0)


@inner
def last_within(bounds: NDArray[np.int32], budget: int) -> int:
    """Return how many of some ascending bounds do not exceed a budget."""
    low, high = 0, bounds.shape[0]
    while low < high:
        middle = (low + high + 1) >> 1
        if bounds[middle - 1] <= budget:
            low = middle
        else:
            high = middle - 1
    return low


@inner
def advance(
    instance: Instance, memo: Memo, pool: Pool, stack: Stack, control: np.void, level: int
) -> int:
    """Work on the top frame until it is decided, or has a query that needs a frame of its own."""
    frame, child = stack.frame[level], stack.words[level + 1]
    depth = below_depth(frame)
    while frame["stage"] == READY:
        if control["work"] - frame["born"] > control["patience"] and wants_program(
            memo, stack, level
        ):
            return NEED_LP
        if 5 * control["used"] > 3 * memo.keys.shape[0]:
            return FULL
        pose(instance, stack, level)
        answer = ask(instance, memo, pool, control, child, stack.scratch, depth, frame["query"])
        if answer == PUSH:
            return PUSH
        learn(memo, stack, level, answer == TRUE)
    if frame["stage"] == WON:
        record = memo.record[find(memo.keys, stack.words[level], frame["depth"])]
        record[UPPER] = frame["goal"]
        record[SPLIT] = current_cut(stack, level, frame["low"])
        return TRUE
    return FALSE


@inner
def pose(instance: Instance, stack: Stack, level: int) -> None:
    """Write the next query of a frame: its set to the level above, its budget to ``QUERY``.

    While the largest solvable part is not known, a part with the small budget; then the rest of
    that part with the large budget.
    """
    frame = stack.frame[level]
    probing = frame["low"] < frame["high"]
    cut = current_cut(stack, level, probe(frame) if probing else frame["low"])
    rest, _ = share(frame)
    frame["query"] = frame["small"] if probing else rest - frame["small"]
    inside = probing == (frame["side"] == 0)
    turn = np.uint64(0) if inside else ~np.uint64(0)
    for w in range(stack.words.shape[1]):
        stack.words[level + 1, w] = stack.words[level, w] & (instance.cuts[cut, w] ^ turn)


@inner
def probe(frame: np.void) -> int:
    """Return the part to test next: the smallest that could help first, then by bisection."""
    if frame["low"] < frame["need"]:
        return int(frame["need"])
    return int((frame["low"] + frame["high"] + 1) >> 1)


@inner
def current_cut(stack: Stack, level: int, part: int) -> int:
    """Return the cut that belongs to a part of the current chain and side."""
    frame = stack.frame[level]
    f = stack.order[level, frame["chain"]]
    if frame["side"] == 0:
        return int(stack.split[level, stack.offset[level, f] + part - 1])
    return int(stack.split[level, stack.offset[level, f + 1] - part])


@inner
def learn(memo: Memo, stack: Stack, level: int, answer: bool) -> None:
    """Use the answer to the query of a frame and move to its next query, or to WON or LOST."""
    frame = stack.frame[level]
    if frame["low"] < frame["high"]:
        part = probe(frame)
        if answer:
            frame["low"] = part
            return
        frame["high"] = part - 1
        if frame["high"] >= frame["need"]:
            return
    elif answer:
        frame["stage"] = WON
        return
    frame["known"] = frame["low"]
    frame["small"] += 1
    if not settle(stack, level):
        aim(memo, stack, level, refute(memo, stack, level))


@inner
def wants_program(memo: Memo, stack: Stack, level: int) -> bool:
    """Whether a long-lived frame has had no linear program yet; marks it as served."""
    frame, words = stack.frame[level], stack.words[level]
    record = memo.record[find(memo.keys, words, frame["depth"])]
    if frame["budget"] < 3 or record[TRIED] != 0 or count(words) < FEW_EXAMPLES:
        return False
    record[TRIED] = 1
    return True


@entry
def restore(memo: Memo, stack: Stack, level: int) -> int:
    """Give a frame a record again if the table has forgotten it; return the number added."""
    words, depth = stack.words[level], stack.frame[level]["depth"]
    slot = find(memo.keys, words, depth)
    if memo.keys[slot, words.shape[0]] != EMPTY:
        return 0
    occupy(memo.keys, memo.record, slot, words, depth)
    return 1
