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

from odt.engine.branch_and_bound.compiler import compiled

LANES = 32
_INDEX = ir.IntType(64)


def _vector(width: int) -> ir.VectorType:
    return ir.VectorType(ir.IntType(width), LANES)


def _constant(kind: ir.VectorType, value: int) -> ir.Constant:
    return ir.Constant(kind, [value] * LANES)


def _splat(builder: Any, value: Any, kind: ir.VectorType) -> Any:
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, _constant(_vector(32), 0))


def _narrow(builder: Any, value: Any, kind: ir.VectorType) -> Any:
    width = kind.element.width
    return value if width == value.type.width else builder.trunc(value, ir.IntType(width))


class _Arrays:
    """Vector access to the one-dimensional arrays among the arguments of an intrinsic."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any) -> None:
        self.builder, self.width, self.pointer = builder, {}, {}
        for i, kind in enumerate(sig.args):
            if isinstance(kind, types.Array):
                self.width[i] = kind.dtype.bitwidth
                data = context.make_array(kind)(context, builder, args[i]).data
                self.pointer[i] = builder.bitcast(data, _vector(self.width[i]).as_pointer())

    def load(self, array: int, at: Any) -> Any:
        address = self.builder.gep(self.pointer[array], [at])
        return self.builder.load(address, align=self.width[array] // 8)

    def store(self, value: Any, array: int, at: int) -> None:
        address = self.builder.gep(self.pointer[array], [ir.Constant(_INDEX, at)])
        self.builder.store(value, address, align=self.width[array] // 8)


@intrinsic  # type: ignore[untyped-decorator]
def _prefix_lanes(
    typing: Any, q: Any, x: Any, last: Any, size: Any, flip: Any, limit: Any, out: Any
) -> Any:
    """Per lane: sum, least and greatest prefix sum of x where ``q ^ flip <= limit``."""
    sig = types.void(q, x, last, size, flip, limit, out)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = _Arrays(context, builder, sig, args)
        kind, key = _vector(arrays.width[1]), _vector(arrays.width[0])
        most = (1 << (arrays.width[1] - 1)) - 1
        zero, none = _constant(kind, 0), _constant(_vector(arrays.width[2]), 0)
        flip, limit = (_splat(builder, _narrow(builder, args[i], key), key) for i in (4, 5))
        total, low, high = (cgutils.alloca_once(builder, kind) for _ in range(3))
        for slot, start in ((total, 0), (low, most), (high, -most)):
            builder.store(_constant(kind, start), slot)
        with cgutils.for_range(builder, builder.sdiv(args[3], ir.Constant(_INDEX, LANES))) as loop:
            key_bits = builder.xor(arrays.load(0, loop.index), flip)
            inside = builder.icmp_signed("<=", key_bits, limit)
            step = builder.select(inside, arrays.load(1, loop.index), zero)
            sums = builder.add(builder.load(total), step)
            builder.store(sums, total)
            may_cut = builder.icmp_signed("!=", arrays.load(2, loop.index), none)
            for slot, sign in ((low, "<"), (high, ">")):
                best = builder.load(slot)
                better = builder.and_(may_cut, builder.icmp_signed(sign, sums, best))
                builder.store(builder.select(better, sums, best), slot)
        for i, slot in enumerate((total, low, high)):
            arrays.store(builder.load(slot), 6, i)
        return context.get_dummy_value()

    return sig, codegen


@intrinsic  # type: ignore[untyped-decorator]
def _class_lanes(
    typing: Any, q: Any, label: Any, weight: Any, size: Any, limit: Any, wanted: Any, out: Any
) -> Any:
    """Per lane: sum of the weights of one class where ``q <= limit``."""
    sig = types.void(q, label, weight, size, limit, wanted, out)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = _Arrays(context, builder, sig, args)
        kind = _vector(arrays.width[2])
        limit, wanted = (
            _splat(builder, _narrow(builder, args[i], key), key)
            for i, key in ((4, _vector(arrays.width[0])), (5, _vector(arrays.width[1])))
        )
        total = cgutils.alloca_once(builder, kind)
        builder.store(_constant(kind, 0), total)
        with cgutils.for_range(builder, builder.sdiv(args[3], ir.Constant(_INDEX, LANES))) as loop:
            inside = builder.icmp_signed("<=", arrays.load(0, loop.index), limit)
            same = builder.icmp_signed("==", arrays.load(1, loop.index), wanted)
            step = builder.select(
                builder.and_(inside, same), arrays.load(2, loop.index), _constant(kind, 0)
            )
            builder.store(builder.add(builder.load(total), step), total)
        arrays.store(builder.load(total), 6, 0)
        return context.get_dummy_value()

    return sig, codegen


@compiled
def extreme_prefixes(q, x, last, flip, limit, out):  # type: ignore[no-untyped-def]
    """Least and greatest prefix sum of ``x`` over the elements with ``q ^ flip <= limit``.

    Parameters
    ----------
    q, x, last : integer arrays of one length, a multiple of `LANES`, in lane order
        Rank in the tested column; step; 1 where a cut may follow. The last element may be cut.
    flip, limit : int64
        0 and t select ``q <= t``; -1 and -t - 2 select ``q > t``.
    out : array of 3 * LANES integers of the type of x
    """
    _prefix_lanes(q, x, last, np.int64(len(q)), np.int64(flip), np.int64(limit), out)
    total, low, high = np.int64(0), np.int64(0), np.int64(0)
    for lane in range(LANES):
        low = min(low, total + out[LANES + lane])
        high = max(high, total + out[2 * LANES + lane])
        total += out[lane]
    return low, high


@compiled
def class_weight(q, label, weight, limit, wanted, out):  # type: ignore[no-untyped-def]
    """Weight of one class over the elements with ``q <= limit`` (arrays in lane order)."""
    _class_lanes(q, label, weight, np.int64(len(q)), np.int64(limit), np.int64(wanted), out)
    total = np.int64(0)
    for lane in range(LANES):
        total += out[lane]
    return total
