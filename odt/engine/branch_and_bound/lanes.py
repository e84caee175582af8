"""Sums and extreme prefix sums of a masked column, many lanes at a time.

A sorted column is stored in *lane order*: cut into `LANES` runs of equal length, the first
elements of all runs first, then all second elements, and so on. One vector instruction then moves
all runs on by one element, although a prefix sum by itself is sequential. The loops are written as
LLVM vectors because the compiler does not find them by itself; LLVM turns them into whatever
vector instructions the machine has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from odt.engine.compilation import inner

Array = NDArray[Any]
Int = Any
LANES = 32
_INDEX = ir.IntType(64)


class Lanes:
    """Writes vector code over contiguous arrays; the first one tells the type of the lanes."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any, lanes: int = LANES) -> None:
        self.builder, self.lanes = builder, lanes
        arrays = [i for i, kind in enumerate(sig.args) if isinstance(kind, types.Array)]
        self.width = sig.args[arrays[0]].dtype.bitwidth
        self.kind = ir.VectorType(ir.IntType(self.width), lanes)
        self.data, self.pointer = {}, {}
        for i in arrays:
            data = context.make_array(sig.args[i])(context, builder, args[i]).data
            self.data[i] = data
            self.pointer[i] = builder.bitcast(data, self.kind.as_pointer())

    def constant(self, value: int) -> ir.Constant:
        """Return a vector of one value."""
        return ir.Constant(self.kind, [value] * self.lanes)

    def index(self, value: int) -> ir.Constant:
        """Return an index, an int64."""
        return ir.Constant(_INDEX, value)

    def item(self, array: int, at: Any) -> Any:
        """Load one element."""
        return self.builder.load(self.builder.gep(self.data[array], [at]))

    def splat(self, value: Any) -> Any:
        """Copy an int64 that fits to all lanes."""
        if self.width < 64:
            value = self.builder.trunc(value, ir.IntType(self.width))
        undefined, index = ir.Constant(self.kind, ir.Undefined), ir.IntType(32)
        first = self.builder.insert_element(undefined, value, ir.Constant(index, 0))
        zeros = ir.Constant(ir.VectorType(index, self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, undefined, zeros)

    def variable(self, start: int) -> Any:
        """Return a vector variable, set to one value here."""
        slot = cgutils.alloca_once(self.builder, self.kind)
        self.builder.store(self.constant(start), slot)
        return slot

    def load(self, array: int, at: Any) -> Any:
        """Load the vector number `at` of an array."""
        address = self.builder.gep(self.pointer[array], [at])
        return self.builder.load(address, align=self.width // 8)

    def put(self, value: Any, array: int, at: Any) -> None:
        """Store a vector as number `at` of an array."""
        address = self.builder.gep(self.pointer[array], [at])
        self.builder.store(value, address, align=self.width // 8)

    def loop(self, size: Any) -> Any:
        """Loop over the vectors of an array."""
        return cgutils.for_range(self.builder, self.builder.sdiv(size, self.index(self.lanes)))

    def accumulate(self, slot: Any, step: Any) -> Any:
        """Add to a variable; return the sum."""
        total = self.builder.add(self.builder.load(slot), step)
        self.builder.store(total, slot)
        return total


@intrinsic  # type: ignore[untyped-decorator]
def _prefix_lanes(
    typing: Any, q: Any, x: Any, last: Any, size: Any, flip: Any, limit: Any, out: Any
) -> Any:
    """Per lane: sum, least and greatest prefix sum of x where ``q ^ flip <= limit``."""
    sig = types.void(q, x, last, size, flip, limit, out)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = Lanes(context, builder, sig, args)
        most, zero = (1 << min(lanes.width - 1, 62)) - 1, lanes.constant(0)
        flip, limit = lanes.splat(args[4]), lanes.splat(args[5])
        total, low, high = (lanes.variable(start) for start in (0, most, -most))
        with lanes.loop(args[3]) as loop:
            key = builder.xor(lanes.load(0, loop.index), flip)
            inside = builder.icmp_signed("<=", key, limit)
            sums = lanes.accumulate(total, builder.select(inside, lanes.load(1, loop.index), zero))
            may_cut = builder.icmp_signed("!=", lanes.load(2, loop.index), zero)
            for slot, sign in ((low, "<"), (high, ">")):
                best = builder.load(slot)
                better = builder.and_(may_cut, builder.icmp_signed(sign, sums, best))
                builder.store(builder.select(better, sums, best), slot)
        for i, slot in enumerate((total, low, high)):
            lanes.put(builder.load(slot), 6, lanes.index(i))
        return context.get_dummy_value()

    return sig, codegen


@intrinsic  # type: ignore[untyped-decorator]
def _class_lanes(
    typing: Any, q: Any, label: Any, weight: Any, size: Any, limit: Any, wanted: Any, out: Any
) -> Any:
    """Per lane: sum of the weights of one class where ``q <= limit``."""
    sig = types.void(q, label, weight, size, limit, wanted, out)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = Lanes(context, builder, sig, args)
        limit, wanted, total = lanes.splat(args[4]), lanes.splat(args[5]), lanes.variable(0)
        with lanes.loop(args[3]) as loop:
            inside = builder.icmp_signed("<=", lanes.load(0, loop.index), limit)
            same = builder.icmp_signed("==", lanes.load(1, loop.index), wanted)
            chosen = builder.and_(inside, same)
            lanes.accumulate(
                total, builder.select(chosen, lanes.load(2, loop.index), lanes.constant(0))
            )
        lanes.put(builder.load(total), 6, lanes.index(0))
        return context.get_dummy_value()

    return sig, codegen


@inner
def extreme_prefixes(
    q: Array, x: Array, last: Array, flip: Int, limit: Int, out: Array
) -> tuple[Int, Int]:
    """Least and greatest prefix sum of ``x`` over the elements with ``q ^ flip <= limit``.

    Parameters
    ----------
    q, x, last : integer arrays of one length, a multiple of `LANES`, in lane order
        Rank in the tested column; step; 1 where a cut may follow. The empty prefix counts.
    flip, limit : int64
        0 and t select ``q <= t``; -1 and -t - 2 select ``q > t``.
    out : array of 3 * LANES integers of the same type
    """
    _prefix_lanes(q, x, last, np.int64(len(q)), np.int64(flip), np.int64(limit), out)
    total, low, high = np.int64(0), np.int64(0), np.int64(0)
    for lane in range(LANES):
        # A lane without a cut holds the extreme integers, which cannot win: no sum is as large.
        low = min(low, total + out[LANES + lane])
        high = max(high, total + out[2 * LANES + lane])
        total += out[lane]
    return low, high


@inner
def class_weight(q: Array, label: Array, weight: Array, limit: Int, wanted: Int, out: Array) -> Int:
    """Weight of one class over the elements with ``q <= limit`` (arrays in lane order)."""
    _class_lanes(q, label, weight, np.int64(len(q)), np.int64(limit), np.int64(wanted), out)
    total = np.int64(0)
    for lane in range(LANES):
        total += out[lane]
    return total
