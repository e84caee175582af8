"""Exact reductions of a consistent-tree instance to chains of cuts over merged examples.

All reductions keep the least size and the least depth of a consistent tree: every tree of the
reduced instance is one of the original, and for every original tree there is a reduced one with
no more branches and no more depth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.engine.min_size.bits import pack
from odt.engine.min_size.co_monotone import co_monotone
from odt.errors import Stopped
from odt.model.dominance import undominated

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Reduced:
    """Merged examples and the chains of cuts that separate them.

    Attributes
    ----------
    left : bool array of shape (examples, cuts)
        Whether an example lies on the first side of a cut. The cuts of one chain are adjacent and
        nested: each side contains the one before.
    chain_start : int array of shape (chains + 1,)
        Chain ``f`` owns the cuts ``chain_start[f]`` to ``chain_start[f + 1] - 1``.
    labels : int array of shape (examples,)
        Class codes ``0 .. K-1`` of the merged examples, all present.
    test : int array of shape (cuts,)
        The original test (column of the outcome matrix) of each cut.
    example : int array of shape (examples,)
        One of the original examples that each merged example stands for.
    flipped : bool array of shape (cuts,)
        True where the first side of the cut is the false side of the original test.
    """

    left: BoolArray
    chain_start: IntArray
    labels: IntArray
    test: IntArray
    example: IntArray
    flipped: BoolArray

    @property
    def n_examples(self) -> int:
        """Number of merged examples."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """Number of classes present."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0


def reduce(
    outcomes: BoolArray,
    labels: IntArray,
    attributes: IntArray,
    stop: Callable[[], bool] = lambda: False,
) -> Reduced:
    """Reduce an instance given by the outcome of every test on every example.

    Parameters
    ----------
    outcomes : bool array of shape (examples, tests)
        Whether a test holds for an example.
    labels : int array of shape (examples,)
        Class codes; examples with equal outcomes must have equal labels.
    attributes : int array of shape (tests,)
        The attribute of each test; nested tests of one attribute form a chain.
    stop : callable, optional
        Polled; `Stopped` is raised when it says True.

    Returns
    -------
    Reduced
    """
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    cuts = _distinct(outcomes, stop)
    side = outcomes[:, cuts]
    chains = []
    for chain in _chains(side, attributes[cuts]):
        Stopped.poll(stop)
        if kept := chain[undominated(side[:, chain].T, labels)]:
            chains.append(kept)
    merged = _merged(side, chains, stop)
    flat = np.array([c for chain in merged for c, _ in chain], dtype=np.int64)
    turned = np.array([t for chain in merged for _, t in chain], dtype=np.bool_)
    left = side[:, flat] ^ turned
    start = np.cumsum([0, *map(len, merged)]).astype(np.int64)
    _, rows = np.unique(pack(left), axis=0, return_index=True)
    rows.sort()
    return Reduced(
        left=np.ascontiguousarray(left[rows]),
        chain_start=start,
        labels=labels[rows],
        test=cuts[flat],
        example=rows.astype(np.int64),
        flipped=turned,
    )


def _distinct(outcomes: BoolArray, stop: Callable[[], bool]) -> IntArray:
    """Return the first of every group of equal or complementary tests, constant ones left out."""
    Stopped.poll(stop)
    _, first = np.unique(pack((outcomes ^ outcomes[0]).T), axis=0, return_index=True)
    Stopped.poll(stop)
    varied = (outcomes[:, first] != outcomes[0, first]).any(axis=0)
    return np.sort(first[varied]).astype(np.int64)


def _chains(side: BoolArray, attributes: IntArray) -> list[list[int]]:
    """Group the columns of ``side`` by attribute into nested chains, small sides first."""
    sizes = side.sum(axis=0)
    chains: list[list[int]] = []
    for attribute in np.unique(attributes):
        columns = np.flatnonzero(attributes == attribute)
        columns = columns[np.argsort(sizes[columns], kind="stable")]
        nested = side[:, columns]
        if (nested[:, :-1] <= nested[:, 1:]).all():
            chains.append(columns.tolist())
        else:
            chains.extend([int(c)] for c in columns)
    return chains


def _merged(
    side: BoolArray, chains: list[list[int]], stop: Callable[[], bool]
) -> list[list[tuple[int, bool]]]:
    """Merge chains whose cuts, those of one side perhaps complemented, are nested together."""
    n = len(side)
    rank = np.array([(~side[:, chain]).sum(axis=1) for chain in chains], dtype=np.int64)
    parts: list[list[tuple[int, bool]]] = [[(c, False) for c in chain] for chain in chains]
    alive = np.ones(len(chains), dtype=bool)
    for f in range(len(chains)):
        Stopped.poll(stop)
        if not alive[f]:
            continue
        for g in range(f + 1, len(chains)):
            if not alive[g]:
                continue
            turned = len(parts[g]) - rank[g]
            for other, flip in ((rank[g], False), (turned, True)):
                if co_monotone(rank[f], other, len(parts[f])):
                    parts[f] = parts[f] + [(c, t ^ flip) for c, t in parts[g]]
                    rank[f] += other
                    alive[g] = False
                    break
    merged = [parts[f] for f in range(len(chains)) if alive[f]]
    size = side.sum(axis=0)
    return [sorted(m, key=lambda c: n - size[c[0]] if c[1] else size[c[0]]) for m in merged]
