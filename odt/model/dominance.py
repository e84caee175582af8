"""Tests that a tree without errors never needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.errors import Stopped
from odt.model.testset import TestSet


def without_dominated(
    dataset: Dataset, tests: TestSet, stop: Callable[[], bool] = lambda: False
) -> TestSet:
    """Return the tests without those that another one of the same chain dominates.

    Of the thresholds of a feature below which only one class occurs, the highest dominates the
    others, and likewise above: in a consistent tree, replacing a lower one by it moves examples
    to a leaf of their own class where they stay, and leaves fewer for the other side. No path
    becomes longer and no path meets a new feature, so the optimum is kept for all objectives,
    with any limits but those on the size of leaves and on positions. Of thresholds that split the
    rows alike, which would dominate each other, the lowest stands for all.

    Parameters
    ----------
    dataset : Dataset
        Without contradictory rows, or no tree is consistent anyway.
    tests : TestSet
    stop : callable, optional
        Polled; `odt.errors.Stopped` is raised when it says True.
    """
    merged = dataset.merged
    labels = merged.weights.argmax(axis=1)
    groups: dict[Hashable, list[int]] = {}
    for t, test in enumerate(tests):
        if test.threshold is not None:
            groups.setdefault(test.chain, []).append(t)
    kept = {t for t, test in enumerate(tests) if test.threshold is None}
    for group in groups.values():
        group.sort(key=lambda t: tests.tests[t].threshold or 0.0)
        first: dict[bytes, int] = {}
        for t in group:
            Stopped.poll(stop)
            first.setdefault(tests.tests[t].holds(merged.X).tobytes(), t)
        sides = [np.frombuffer(split, dtype=bool) for split in first]
        kept |= set(list(first.values())[undominated(sides, labels)])
    return TestSet(tuple(test for t, test in enumerate(tests) if t in kept))


def undominated(
    sides: Sequence[NDArray[np.bool_]] | NDArray[np.bool_], labels: NDArray[np.int64]
) -> slice:
    """Return which tests of a chain no other one dominates.

    Parameters
    ----------
    sides : sequence of bool arrays
        Which examples go to the first side of each test: nested and distinct, small ones first.
    labels : int array
        Class codes of the examples.

    Returns
    -------
    slice
        From the largest pure first side to the smallest first side whose second side is pure.
    """
    n = len(sides)
    low = next((i for i in range(n) if not _is_pure(labels[sides[i]])), n)
    high = next((i for i in range(n) if not _is_pure(labels[~sides[n - 1 - i]])), n)
    return slice(max(low - 1, 0), n - max(high - 1, 0))


def _is_pure(labels: NDArray[np.int64]) -> bool:
    return len(labels) == 0 or bool((labels == labels[0]).all())
