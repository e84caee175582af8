"""Vector code for pairs of columns, `WIDTH` columns at a time.

For one column i and a block of columns j it counts, class by class, the weight of the rows that
pass i and j: each word of a mask, the rows that pass i, is laid over the words of the block, and
the ones are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from odt.engine.branch_and_bound.lanes import Lanes

WIDTH = 16
FIRST_SEGMENT, FIRST_WORD, SHIFT = 0, 1, 2
_BITS, _ACTIVE, _SEGMENT = 0, 1, 2
_OUT = 3
_WHOLE, _ALONE, _HAVE, _PEAK = 3, 4, 5, 6


class _Pairs(Lanes):
    """Counts over arguments that begin with bits, active words and segments."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any, blocks: Any) -> None:
        super().__init__(context, builder, sig, args, WIDTH)
        self.blocks = blocks
        active = context.make_array(sig.args[_ACTIVE])(context, builder, args[_ACTIVE])
        self.words = cgutils.unpack_tuple(builder, active.shape)[1]

    def at(self, row: Any, column: Any, columns: Any) -> Any:
        """Return the place of an element of a table."""
        return self.builder.add(self.builder.mul(row, columns), column)

    def most(self, left: Any, right: Any) -> Any:
        """Return the larger one in each lane."""
        return self.builder.select(self.builder.icmp_signed(">", left, right), left, right)

    def raise_to(self, slot: Any, value: Any) -> None:
        self.builder.store(self.most(self.builder.load(slot), value), slot)

    def after(self, k: Any) -> Any:
        return self.builder.add(k, self.index(1))

    def segment(self, k: Any, what: int) -> Any:
        return self.item(_SEGMENT, self.at(k, self.index(what), self.index(SHIFT + 1)))

    @contextmanager
    def range(self, start: Any, stop: Any) -> Iterator[Any]:
        with cgutils.for_range_slice(self.builder, start, stop, self.index(1)) as (k, _):
            yield k

    def count(self, c: Any, block: Any) -> Any:
        """Return the weight of class c in each column of a block."""
        total = self.variable(0)
        end = self.segment(self.after(c), FIRST_SEGMENT)
        with self.range(self.segment(c, FIRST_SEGMENT), end) as s:
            ones = self.variable(0)
            end = self.segment(self.after(s), FIRST_WORD)
            with self.range(self.segment(s, FIRST_WORD), end) as k:
                word = self.load(_BITS, self.at(self.item(_ACTIVE, k), block, self.blocks))
                mask = self.splat(self.item(_ACTIVE, self.builder.add(self.words, k)))
                self.accumulate(ones, self.ones(self.builder.and_(word, mask)))
            shift = self.splat(self.segment(s, SHIFT))
            self.accumulate(total, self.builder.shl(self.builder.load(ones), shift))
        return self.builder.load(total)

    def ones(self, words: Any) -> Any:
        """Count the ones of each lane."""
        kind, name = ir.FunctionType(self.kind, [self.kind]), f"llvm.ctpop.v{WIDTH}i32"
        count = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(count, [words])

    def highest(self, slot: Any) -> Any:
        """Return the largest lane as an int64."""
        vector, size, index = self.builder.load(slot), WIDTH, ir.IntType(32)
        undefined, kind = ir.Constant(vector.type, ir.Undefined), ir.VectorType(index, WIDTH)
        while size > 1:
            size //= 2
            lanes = ir.Constant(kind, [(k + size) % WIDTH for k in range(WIDTH)])
            other = self.builder.shuffle_vector(vector, undefined, lanes)
            vector = self.most(vector, other)
        lane = self.builder.extract_element(vector, ir.Constant(index, 0))
        return self.builder.sext(lane, ir.IntType(64))

    def leaves(self, side: int, passed: Any, c: Any, block: Any, leaf: list[Any]) -> None:
        """Take one class into account in the largest classes of the four leaves of two tests."""
        row = self.at(c, self.index(side), self.index(2))
        alone = self.load(_ALONE, self.at(row, block, self.blocks))
        inside, outside = (
            self.splat(self.item(_HAVE, self.at(row, self.index(k), self.index(2))))
            for k in range(2)
        )
        second = self.builder.sub(alone, passed)
        failed = self.builder.sub(outside, second)
        values = passed, self.builder.sub(inside, passed), second, failed
        for slot, value in zip(leaf, values, strict=True):
            self.raise_to(slot, value)


@intrinsic  # type: ignore[untyped-decorator]
def count_row(
    typing: Any, bits: Any, active: Any, segment: Any, out: Any, c: Any, at: Any, start: Any,
    blocks: Any,
) -> Any:  # fmt: skip
    """Store the weight of class c in the blocks from `start` on, at vector `at` of `out`."""
    sig = types.void(bits, active, segment, out, c, at, start, blocks)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        c, at, start, blocks = args[_OUT + 1 :]
        pairs = _Pairs(context, builder, sig, args, blocks)
        with pairs.range(start, blocks) as block:
            pairs.put(pairs.count(c, block), _OUT, builder.add(at, block))
        return context.get_dummy_value()

    return sig, codegen


@intrinsic  # type: ignore[untyped-decorator]
def pair_row(
    typing: Any, bits: Any, active: Any, segment: Any, whole: Any, alone: Any, have: Any,
    peak: Any, classes: Any, at: Any, step: Any, start: Any, blocks: Any,
) -> Any:  # fmt: skip
    """Most weight that is right below column i, then another column, on two sides of a test.

    The active words are the rows of the first side that pass i; what `whole` has beyond them is
    the second side. Row i of class c starts at vector ``at + c * step`` of `whole`.

    Returns
    -------
    four int64
        First side: rows that pass i, that fail i; the second side likewise. The same with the two
        columns exchanged is noted in `peak`, (4, columns).
    """
    sig = types.UniTuple(types.int64, 4)(
        bits, active, segment, whole, alone, have, peak, classes, at, step, start, blocks
    )

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        classes, at, step, start, blocks = args[_PEAK + 1 :]
        pairs = _Pairs(context, builder, sig, args, blocks)
        best = [pairs.variable(0) for _ in range(4)]
        with pairs.range(start, blocks) as block:
            leaf = [pairs.variable(0) for _ in range(8)]
            with pairs.range(pairs.index(0), classes) as c:
                both = pairs.count(c, block)
                row = builder.add(at, pairs.at(c, block, step))
                others = builder.sub(pairs.load(_WHOLE, row), both)
                pairs.leaves(0, both, c, block, leaf[:4])
                pairs.leaves(1, others, c, block, leaf[4:])
            for side in range(2):
                yes_yes, yes_no, no_yes, no_no = map(builder.load, leaf[4 * side : 4 * side + 4])
                pairs.raise_to(best[2 * side], builder.add(yes_yes, yes_no))
                pairs.raise_to(best[2 * side + 1], builder.add(no_yes, no_no))
                exchanged = builder.add(yes_yes, no_yes), builder.add(yes_no, no_no)
                for k, value in enumerate(exchanged):
                    where = pairs.at(pairs.index(2 * side + k), block, blocks)
                    pairs.put(pairs.most(pairs.load(_PEAK, where), value), _PEAK, where)
        return context.make_tuple(builder, sig.return_type, [*map(pairs.highest, best)])

    return sig, codegen
