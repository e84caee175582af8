"""Running the compiled search: tables that grow, linear programs, and trees read from the memo."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Allowance, Budget
from odt.engine.min_size import memo as table
from odt.engine.min_size import state
from odt.engine.min_size.bits import Words, one_cut, pack, pure, unpack
from odt.engine.min_size.cut_tree import CutTree
from odt.engine.min_size.dual import dual_vector
from odt.engine.min_size.pool import Vector, join
from odt.engine.min_size.reduction import Reduced
from odt.engine.min_size.search import restore, search
from odt.engine.min_size.state import NO_LIMIT, Stack

MAX_VECTORS = 40
FIRST_PATIENCE = 300
PATIENCE = 15_000
FIRST_CAPACITY, LEAST_CAPACITY = 1 << 16, 1 << 10


class Query:
    """One question that can be worked on in slices: has a set a tree within depth and budget?

    Attributes
    ----------
    answer : bool or None
        None as long as it is open.
    """

    def __init__(self, staircase: Staircase, words: Words, depth: int, budget: int) -> None:
        self._staircase = staircase
        levels = min(*state.tightest(depth, budget)) if depth < NO_LIMIT else budget
        self.stack = state.new_stack(max(levels, 1), staircase.instance)
        code, self._control = staircase.ask(self.stack, words, depth, budget)
        self.answer: bool | None = None if code == state.PAUSED else code == state.TRUE

    @property
    def open_levels(self) -> int:
        """Number of frames in use."""
        return int(self._control["level"]) + 1 if self.answer is None else 0

    def work(self, units: int) -> bool | None:
        """Go on for about ``units`` units of work and return the answer, if there is one."""
        shared, control = self._staircase, self._control
        control["work"] = shared.work
        control["limit"] = shared.work + units
        while self.answer is None:
            control["used"] = shared.used
            control["patience"] = PATIENCE if shared.vectors else FIRST_PATIENCE
            code = search(shared.instance, shared.memo, shared.pool, self.stack, control)
            shared.work, shared.used = int(control["work"]), int(control["used"])
            if code == state.PAUSED:
                break
            if code == state.FULL:
                shared.make_room(self)
            elif code == state.NEED_LP:
                shared.add_vector(self.stack.words[control["level"]])
            else:
                self.answer = code == state.TRUE
        return self.answer


class Staircase:
    """The search on one reduced instance, with everything it has learnt.

    Parameters
    ----------
    reduced : Reduced
    max_records : int
        Size of the memo from which small sets are forgotten.
    run : Allowance, optional
        Linear programs end with it.

    Attributes
    ----------
    vectors : list of Vector
        Weights on pairs, the newest first.
    root_vector : Vector or None
        The weights solved for all examples: a certificate of a lower bound.
    work, used, programs : int
        Units of work done, records in the memo, linear programs solved.
    """

    def __init__(
        self, reduced: Reduced, max_records: int = 1 << 24, run: Allowance | None = None
    ) -> None:
        self.reduced = reduced
        self.run = run or Allowance(Budget(), 0)
        self.max_records = max_records
        self.instance = _instance(reduced)
        self.root = pack(np.ones((1, reduced.n_examples), dtype=bool))[0]
        capacity = min(FIRST_CAPACITY, 1 << max_records.bit_length() >> 1)
        self.memo = table.new_memo(max(capacity, LEAST_CAPACITY), len(self.root))
        self.vectors: list[Vector] = []
        self.root_vector: Vector | None = None
        self.pool = join([], 0)
        self.queries: list[Query] = []
        self.work = self.used = self.programs = 0

    def ask(self, stack: Stack, words: Words, depth: int, budget: int) -> tuple[int, np.void]:
        """Begin a query at the bottom of a stack, without search.

        Returns
        -------
        code : int
            ``TRUE``, ``FALSE``, or ``PAUSED`` if it takes search.
        control : np.void
            With which `search` goes on.
        """
        control = np.zeros(1, dtype=state.CONTROL)[0]
        control["level"] = state.UNASKED
        stack.words[0] = words
        stack.frame[0]["depth"], stack.frame[0]["budget"] = depth, budget
        code = search(self.instance, self.memo, self.pool, stack, control)
        self.used += int(control["used"])
        return int(code), control

    def lower_bound(self, words: Words, depth: int, budget: int) -> int:
        """Return the proved bound on the branches of a set (an open query's first budget)."""
        depth, _ = state.tightest(depth, budget)
        slot = table.find(self.memo.keys, words, depth)
        known = self.memo.keys[slot, len(words)] != table.EMPTY
        return int(self.memo.record[slot, table.LOWER]) if known else 0

    def cut_tree(self, words: Words, depth: int, budget: int) -> CutTree:
        """Return a consistent tree of a set known to have one within depth and budget."""
        if pure(self.instance.planes, words):
            return None
        cut = one_cut(self.instance.planes, self.instance.cuts, self.instance.start, words)
        if cut >= 0:
            return int(cut), None, None
        depth, budget = state.tightest(depth, budget)
        slot = table.find(self.memo.keys, words, depth)
        missing = self.memo.keys[slot, len(words)] == table.EMPTY
        if missing or self.memo.record[slot, table.UPPER] > budget:
            query = Query(self, words, depth, budget)
            while query.work(1 << 30) is None:
                pass
            slot = table.find(self.memo.keys, words, depth)
        cut = int(self.memo.record[slot, table.SPLIT])
        first, second = words & self.instance.cuts[cut], words & ~self.instance.cuts[cut]
        below = depth - 1 if depth < NO_LIMIT else NO_LIMIT
        share = int(self.memo.record[slot, table.UPPER]) - 1
        least = self._least(first, below, share)
        return (
            cut,
            self.cut_tree(first, below, least),
            self.cut_tree(second, below, share - least),
        )

    def _least(self, words: Words, depth: int, most: int) -> int:
        """Return the smallest budget known to suffice for a set."""
        stack = state.new_stack(0, self.instance)
        for budget in range(most):
            if self.ask(stack, words, depth, budget)[0] == state.TRUE:
                return budget
        return most

    def add_vector(self, words: Words) -> None:
        """Solve the linear program of a set and put its weights into the pool."""
        rows = np.flatnonzero(unpack(words, self.reduced.n_examples))
        vector = dual_vector(
            self.reduced.left, self.instance.position, self.reduced.labels, rows, self.run
        )
        self.programs += 1
        if vector is None:
            return
        if self.root_vector is None and len(rows) == self.reduced.n_examples:
            self.root_vector = vector
        self.vectors = [vector, *self.vectors[: MAX_VECTORS - 1]]
        self.pool = join(self.vectors, self.programs)

    def make_room(self, query: Query) -> None:
        """Double the memo, or forget its smaller sets once it is as large as allowed."""
        capacity, least = len(self.memo.keys), 0
        if 2 * capacity <= self.max_records:
            capacity *= 2
        else:
            least = table.middle_size(self.memo.keys) + 1
        bigger = table.new_memo(capacity, len(self.root))
        self.used = table.move(self.memo.keys, self.memo.record, bigger.keys, bigger.record, least)
        self.memo = self.memo._replace(keys=bigger.keys, record=bigger.record)
        for waiting in {query, *self.queries}:
            for level in range(waiting.open_levels):
                self.used += restore(self.memo, waiting.stack, level)


def _instance(reduced: Reduced) -> state.Instance:
    """Write a reduced instance as words."""
    n_planes = max(1, (reduced.n_classes - 1).bit_length())
    planes = [(reduced.labels >> p) & 1 == 1 for p in range(n_planes)]
    classes = [reduced.labels == k for k in range(reduced.n_classes)]
    chains = zip(reduced.chain_start[:-1], reduced.chain_start[1:], strict=True)
    position: NDArray[np.int32] = np.array(
        [(~reduced.left[:, low:high]).sum(axis=1) for low, high in chains], dtype=np.int32
    )
    return state.Instance(
        cuts=np.ascontiguousarray(pack(reduced.left.T)),
        start=reduced.chain_start,
        planes=pack(np.array(planes)),
        classes=pack(np.array(classes)),
        position=position,
    )
