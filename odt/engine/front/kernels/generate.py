"""The tests offered in a state: every cut, the cuts of a CART, the best cuts, quantiles.

A rule is five integers: kind, amount, cap, criterion, ties (see `odt.mdp.generator`). All functions
return int64 (tests, 2): column and cut. The first test is always CART's own
choice, so that a stopped search is greedy.
"""

from __future__ import annotations

import numpy as np

from odt.engine.compilation import entry, inner
from odt.engine.front.kernels.arrays import floats, pairs, table, vector, zeros
from odt.engine.front.kernels.cart import COLUMN, CUT, UNLIMITED, capacity, grow
from odt.engine.front.kernels.layout import (
    ALL,
    CART_DEPTH,
    CART_LEAVES,
    CLASS_MASK,
    CODE_SHIFT,
    ENTROPY,
    NO_RULE,
    ROW_BITS,
    ROW_MASK,
    TOP,
    Array,
    Data,
    Int,
)
from odt.engine.front.kernels.scan import middle, xlogx
from odt.engine.lending import lend


@inner
def every_cut(keys: Array, size: Int) -> Array:
    """All cuts that separate two entries."""
    total = 0
    for f in range(len(keys)):
        for i in range(1, size):
            total += keys[f, i] >> CODE_SHIFT != keys[f, i - 1] >> CODE_SHIFT
    tests = pairs(total)
    m = 0
    for f in range(len(keys)):
        for i in range(1, size):
            code = keys[f, i - 1] >> CODE_SHIFT
            if keys[f, i] >> CODE_SHIFT != code:
                tests[m, 0], tests[m, 1] = f, code
                m += 1
    return tests


@inner
def cart_cuts(
    data: Data, keys: Array, size: Int, depth: Int, leaves: Int, criterion: Int, ties: Int,
    copy: Array, side: Array, spare: Array,
) -> Array:  # fmt: skip
    """The tests of a CART in the order of its splits, each followed by those that tie with it."""
    for f in range(len(keys)):
        for i in range(size):
            copy[f, i] = keys[f, i]
    nodes_tied = capacity(size, depth, leaves) if ties else np.int64(0)
    tied = table(nodes_tied, len(keys))
    nodes, order = grow(data, copy, size, depth, leaves, criterion, side, spare, tied)
    tests = pairs(len(order) * (len(keys) if ties else 1))
    m = 0
    for node in order:
        tests[m, 0], tests[m, 1] = nodes[node, COLUMN], nodes[node, CUT]
        m += 1
        for f in range(len(keys) if ties else 0):
            if tied[node, f] >= 0:
                tests[m, 0], tests[m, 1] = f, tied[node, f]
                m += 1
    return tests[:m]


@inner
def quantile_cuts(keys: Array, size: Int, amount: Int) -> Array:
    """Per column, the inner quantiles of the distinct values."""
    tests = pairs(len(keys) * amount)
    codes = vector(size)
    m = 0
    for f in range(len(keys)):
        distinct = 0
        for i in range(size):
            code = keys[f, i] >> CODE_SHIFT
            if i == 0 or code != codes[distinct - 1]:
                codes[distinct] = code
                distinct += 1
        last = -1
        for q in range(1, amount + 1):
            at = q * distinct // (amount + 1) - 1
            if at > last and at + 1 < distinct:
                tests[m, 0], tests[m, 1] = f, codes[at]
                m += 1
                last = at
    return tests[:m]


@inner
def purity(data: Data, counts: Array, criterion: Int) -> float:
    """Minus the impurity times the weight, up to a constant."""
    total = inside = 0
    square = 0.0
    for k in range(len(counts)):
        total += counts[k]
        if criterion == ENTROPY:
            inside += xlogx(data, counts[k])
        else:
            square += np.float64(counts[k]) * counts[k]
    return np.float64(inside - xlogx(data, total)) if criterion == ENTROPY else square / total


@inner
def _class_counts(data: Data, entries: Array, start: Int, stop: Int) -> Array:
    counts = zeros(data.classes)
    for i in range(start, stop):
        w = data.weight[entries[i] & ROW_MASK]
        counts[(entries[i] >> ROW_BITS) & CLASS_MASK] += w
    return counts


@inner
def top_cuts(data: Data, keys: Array, size: Int, amount: Int, cap: Int, criterion: Int) -> Array:
    """The `amount` cuts of largest gain, at most `cap` of one column."""
    best = floats(amount + 1)
    tests = pairs(amount + 1)
    kept = 0
    for f in range(len(keys)):
        right = _class_counts(data, keys[f], 0, size)
        left = zeros(len(right))
        taken = 0
        for i in range(size - 1):
            entry = keys[f, i]
            w, k = data.weight[entry & ROW_MASK], (entry >> ROW_BITS) & CLASS_MASK
            left[k] += w
            right[k] -= w
            low, high = entry >> CODE_SHIFT, keys[f, i + 1] >> CODE_SHIFT
            if low == high:
                continue
            score = purity(data, left, criterion) + purity(data, right, criterion)
            worst = kept - 1
            if taken == cap:
                while tests[worst, 0] != f:
                    worst -= 1
            if (taken == cap or kept == amount) and score <= best[worst]:
                continue
            if taken == cap or kept == amount:
                taken -= tests[worst, 0] == f
                for j in range(worst, kept - 1):
                    best[j] = best[j + 1]
                    tests[j, 0], tests[j, 1] = tests[j + 1, 0], tests[j + 1, 1]
                kept -= 1
            at = kept
            while at > 0 and score > best[at - 1]:
                best[at] = best[at - 1]
                tests[at, 0], tests[at, 1] = tests[at - 1, 0], tests[at - 1, 1]
                at -= 1
            best[at], tests[at, 0], tests[at, 1] = score, f, middle(data, f, low, high)
            kept += 1
            taken += 1
    return tests[:kept]


@inner
def rule_cuts(
    data: Data, keys: Array, size: Int, rule: Array, stopped: Int,
    copy: Array, side: Array, spare: Array,
) -> Array:  # fmt: skip
    """The tests of a state by one rule, CART's own choice first (alone, once stopped)."""
    kind, amount, cap, criterion, ties = rule[0], rule[1], rule[2], rule[3], rule[4]
    if stopped:
        kind, amount, ties = np.int64(CART_DEPTH), np.int64(1), np.int64(0)
    is_cart = kind in (CART_DEPTH, CART_LEAVES)
    depth = amount if kind == CART_DEPTH else np.int64(UNLIMITED)
    leaves = np.int64(UNLIMITED if kind == CART_DEPTH else 2)
    if kind == CART_LEAVES:
        leaves = amount
    greedy = cart_cuts(
        data, keys, size, depth, leaves, criterion, ties if is_cart else 0, copy, side, spare
    )
    if is_cart:
        return greedy
    if kind == ALL:
        others = every_cut(keys, size)
    elif kind == TOP:
        others = top_cuts(data, keys, size, amount, cap, criterion)
    else:
        others = quantile_cuts(keys, size, amount)
    return chain(greedy, others)


@inner
def chain(a: Array, b: Array) -> Array:
    """The tests of two lists."""
    tests = pairs(len(a) + len(b))
    for m in range(len(tests)):
        for k in range(2):
            tests[m, k] = a[m, k] if m < len(a) else b[m - len(a), k]
    return tests


@inner
def offered(
    data: Data, keys: Array, size: Int, rules: Array, stopped: Int,
    copy: Array, side: Array, spare: Array,
) -> Array:  # fmt: skip
    """The tests of a state by the rules of its level; the same test may be there twice."""
    tests = pairs(0)
    for r in range(1 if stopped else len(rules)):
        if rules[r, 0] != NO_RULE:
            found = rule_cuts(data, keys, size, rules[r], stopped, copy, side, spare)
            tests = chain(tests, found)
    return tests


@entry
def offered_tests(
    data: Data, keys: Array, size: Int, rules: Array, stopped: Int,
    copy: Array, side: Array, spare: Array,
) -> Array:  # fmt: skip
    """`offered` for Python."""
    return offered(lend(data), keys, size, rules, stopped, copy, side, spare)
