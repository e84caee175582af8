"""The compiled kernels: wide products, exact comparisons, hulls, growth of the memo."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.datasets import load_wine

import odt
from odt.engine.front import columns
from odt.engine.front import search as fronts
from odt.engine.front.kernels.exact import compare_products
from odt.engine.front.kernels.front import merge, minkowski
from odt.engine.front.kernels.layout import digests
from odt.engine.front.kernels.scan import compare_gini


def test_products_are_compared_exactly() -> None:
    """Products around 2**63 and far beyond, where floats cannot tell neighbours apart."""
    numbers = [0, 1, 3, 2**31 - 1, 2**31, 2**32 + 1, 2**53 + 1, 2**61 - 1, 2**62 - 1, 2**63 - 1]
    for a, b, c, d in product(numbers, repeat=4):
        difference = a * b - c * d
        sign = (difference > 0) - (difference < 0)
        assert compare_products(np.int64(a), np.int64(b), np.int64(c), np.int64(d)) == sign


def test_gini_scores_are_compared_as_fractions() -> None:
    """Scores that differ by less than float64 can show, and exact ties of different counts."""
    rng = np.random.default_rng(0)
    ties = 0
    for _ in range(3000):
        total = int(rng.integers(4, 60))
        p, q = (sorted(rng.integers(0, total + 1, size=3).tolist()) for _ in range(2))
        scores = []
        for cuts in (p, q):
            left = [cuts[0], cuts[1] - cuts[0]]
            right = [cuts[2] - cuts[1], total - cuts[2]]
            weight = sum(left)
            if 0 < weight < total:
                scores.append((sum(x * x for x in left), sum(x * x for x in right), weight))
        if len(scores) < 2:
            continue
        (a, b, wa), (c, d, wc) = scores
        exact = (
            Fraction(a, wa) + Fraction(b, total - wa) - Fraction(c, wc) - Fraction(d, total - wc)
        )
        sign = (exact > 0) - (exact < 0)
        assert compare_gini(float(a), float(b), wa, float(c), float(d), wc, total) == sign
        ties += sign == 0
    assert ties > 20


def _front(points: list[tuple[int, int]]) -> np.ndarray:
    rows = [(e, c, 0, t, 0) for t, (e, c) in enumerate(points)]
    return np.array(rows, dtype=np.int64)


def _hull(points: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Lower convex hull by definition: what is best for some alpha, ties to less complexity."""
    alphas = {Fraction(0)}
    for (e, c), (f, d) in product(points, repeat=2):
        if d < c and f > e:
            alphas.add(Fraction(f - e, c - d))
    grid = sorted(alphas)
    middle = [(x + y) / 2 for x, y in pairwise(grid)] + [grid[-1] + 1]
    chosen = {min(points, key=lambda p: (p[0] + a * p[1], p[1])) for a in middle}
    return sorted(chosen | {min(points)})


def test_minkowski_sum_and_merge_give_the_hull_of_all_sums() -> None:
    """Random hulls: the walk along both edges equals the hull of every pairwise sum."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        sets = [{tuple(p) for p in rng.integers(0, 20, size=(6, 2)).tolist()} for _ in range(3)]
        a, b, other = (_hull(points) for points in sets)
        chain = minkowski(_front(a), _front(b), 0, 0, 5, 0)
        sums = {(e + f, c + d + 5) for (e, c), (f, d) in product(a, b)}
        assert [(int(r[0]), int(r[1])) for r in chain] == _hull(sums)
        merged = merge(_front(other), chain, True, 1 << 40)
        assert [(int(r[0]), int(r[1])) for r in merged] == _hull(sums | set(other))


def test_row_words_are_distinct() -> None:
    """Two rows never share a word, and small sets never share a sum."""
    words = digests(1000)
    assert len(np.unique(words)) == 2000
    pairs = words[:, None, :] + words[None, :, :]
    upper = pairs[np.triu_indices(1000, 1)]
    assert len(np.unique(upper, axis=0)) == len(upper)


def test_a_full_memo_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting from room for a few entries the search unwinds, grows, and finds the same front."""
    X, y = load_wine(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=3))
    expected = odt.pareto(problem, generator="cart_leaves(6)", full=True)
    monkeypatch.setattr(fronts, "_FIRST_ENTRIES", 4)
    monkeypatch.setattr(fronts, "_FIRST_VERTICES", 4)
    found = odt.pareto(problem, generator="cart_leaves(6)", full=True)
    assert [p.tree for p in found.points] == [p.tree for p in expected.points]


def test_too_many_classes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More classes than a packed entry can hold are an error, not a wrong tree."""
    problem = odt.Problem(odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 2]))
    monkeypatch.setattr(columns, "CLASS_BITS", 1)
    with pytest.raises(odt.DataError, match="2 classes"):
        columns.Columns.of(problem)
