"""Families of data with known smallest and lowest consistent trees, and an oracle for small ones.

`parity_with_hint`, `indexed_parity` and `alternating_with_hint` show how much a minimal support
set can lose (Theorems 16 and 17 of Eiben, Ordyniak, Paesani and Szeider, IJCAI 2023, in branches
and in edges; the paper counts nodes, and nodes on the longest path).
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.model.problem import Problem


def parity(k: int) -> Dataset:
    """Return all ``2**k`` bit vectors with their parity: ``2**k - 1`` branches, depth ``k``."""
    X = _bits(k)
    return Dataset(X, X.sum(axis=1).astype(int) % 2)


def parity_with_hint(k: int) -> Dataset:
    """Return ``L_k``: parity, and a feature that equals the label but for one vector.

    The only minimal support set are the k bits: ``2**k - 1`` branches, depth ``k``. With the
    hint ``k + 1`` branches suffice for k >= 3, at depth ``k + 1``; the least depth stays ``k``.

    Parameters
    ----------
    k : int
        Number of bits, >= 1.
    """
    X = _bits(k)
    y = X.sum(axis=1).astype(int) % 2
    hint = y.copy()
    hint[-1 if k % 2 == 0 else 0] = 1  # an example of class 0: all ones, or all zeros
    return Dataset(np.column_stack([X, hint]), y)


def indexed_parity(k: int) -> Dataset:
    """Return ``Ld_k``: parity where the bit that equals it is known by its index.

    For each ``j < k`` all bit vectors whose parity is their bit ``j``, with the binary digits of
    ``j``. Asking the digits and then the bit takes depth ``log2(k) + 1`` and ``2 * k - 1``
    branches (2 at k = 2); the minimal support set of the k bits takes depth ``k``.

    Parameters
    ----------
    k : int
        A power of 2, >= 2.
    """
    digits = k.bit_length() - 1
    X = _bits(k)
    y = X.sum(axis=1).astype(int) % 2
    parts = [
        np.column_stack([X[y == X[:, j]], np.tile(_bits(digits)[j], (2 ** (k - 1), 1))])
        for j in range(k)
    ]
    return Dataset(np.concatenate(parts), np.concatenate([y[y == X[:, j]] for j in range(k)]))


def alternating_with_hint(n: int) -> Dataset:
    """Return ``Ln_n``: a line of alternating labels, and a feature wrong only at its start.

    Both features together take 2 branches for every n >= 2; the only minimal support set, the
    line itself, takes ``n`` branches and depth ``ceil(log2(n + 1))``.
    """
    line = np.arange(n + 1)
    hint = line % 2
    hint[0] = 1
    return Dataset(np.column_stack([line, hint]), line % 2)


def grid(side: int, n_classes: int) -> Dataset:
    """Return the points of a square grid with cyclic labels.

    Two classes make a checkerboard; with ``side**2`` classes every point has its own. Either way
    a tree must isolate every point: ``side**2 - 1`` branches.
    """
    points = np.array(list(product(range(side), repeat=2)), dtype=np.float64)
    index = points.sum(axis=1) if n_classes == 2 else np.arange(side**2)
    return Dataset(points, index.astype(int) % n_classes)


def multiplexer() -> Dataset:
    """Return the 6-multiplexer: two bits choose one of four; 7 branches, depth 3."""
    X = _bits(6)
    chosen = 2 + (2 * X[:, 0] + X[:, 1]).astype(int)
    return Dataset(X, X[np.arange(64), chosen].astype(int))


def fronts(problem: Problem) -> frozenset[tuple[int, int]]:
    """Return the non-dominated (branches, depth) of all consistent trees, by plain recursion.

    An oracle independent of all solvers, for up to about 14 distinct rows; the problem's limits
    and objective are ignored. Empty if no tree is consistent.
    """
    compiled = problem.compiled
    if compiled.base_errors:
        return frozenset()
    labels = compiled.weights.argmax(axis=1).tolist()
    sides = [sum(1 << int(g) for g in np.flatnonzero(column)) for column in compiled.outcomes.T]

    @cache
    def below(group: int) -> frozenset[tuple[int, int]]:
        if len({c for g, c in enumerate(labels) if group >> g & 1}) <= 1:
            return frozenset({(0, 0)})
        found = {
            (1 + p[0] + q[0], 1 + max(p[1], q[1]))
            for side in sides
            if group & side and group & ~side
            for p in below(group & side)
            for q in below(group & ~side)
        }
        return frozenset(
            a for a in found if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in found)
        )

    return below((1 << len(labels)) - 1)


def _bits(k: int) -> NDArray[np.float64]:
    return np.array(list(product((0, 1), repeat=k)), dtype=np.float64).reshape(2**k, k)
