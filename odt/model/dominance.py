"""Tests that a tree without errors never needs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.errors import Stopped
from odt.model.testset import TestSet


def without_dominated(
    dataset: Dataset, tests: TestSet, stop: Callable[[], bool] = lambda: False
) -> TestSet:
    """Return the tests without those that another one of the same feature dominates.

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
    groups: dict[int, list[int]] = {}
    for t, test in enumerate(tests):
        if test.threshold is not None:
            groups.setdefault(test.feature, []).append(t)
    kept = {t for t, test in enumerate(tests) if test.threshold is None}
    for group in groups.values():
        group.sort(key=lambda t: tests.tests[t].threshold or 0.0)
        first: dict[bytes, int] = {}
        for t in group:
            Stopped.poll(stop)
            first.setdefault(tests.tests[t].holds(merged.X).tobytes(), t)
        yes = {t: np.frombuffer(split, dtype=bool) for split, t in first.items()}
        low = [t for t, left in yes.items() if _is_pure(labels[left])]
        high = [t for t, left in yes.items() if _is_pure(labels[~left])]
        kept |= set(yes) - set(low[:-1]) - set(high[1:])
    return TestSet(tuple(test for t, test in enumerate(tests) if t in kept))


def _is_pure(labels: NDArray[np.int64]) -> bool:
    return len(labels) == 0 or bool((labels == labels[0]).all())
