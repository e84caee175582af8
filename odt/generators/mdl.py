"""Fayyad and Irani's entropy cuts accepted by the minimum description length principle.

U. Fayyad and K. Irani, Multi-interval discretization of continuous-valued attributes for
classification learning, IJCAI 1993.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.data.impurity import entropy
from odt.mdp.model import State, TreeMDP
from odt.model.testset import Test, TestSet, category_sets, threshold_chains

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class MdlCuts:
    """The accepted cuts of every feature, found anew in each state."""

    def __call__(self, mdp: TreeMDP, state: State) -> Sequence[Test]:
        """Return the accepted cuts in ``state``; categorical tests are all offered."""
        data, merged = mdp.problem.dataset, mdp.problem.dataset.merged
        inside = np.array([state.examples >> g & 1 for g in range(len(merged.X))], dtype=bool)
        return _tests(data, merged.X[inside], merged.weights[inside])


def mdl_tests(dataset: Dataset) -> TestSet:
    """Return the cuts accepted on the whole data, a fixed test set for any solver.

    Parameters
    ----------
    dataset : Dataset
    """
    return TestSet(tuple(_tests(dataset, dataset.merged.X, dataset.merged.weights)))


def _tests(data: Dataset, X: NDArray[np.float64], weights: Counts) -> list[Test]:
    tests: list[Test] = []
    for f in range(data.n_features):
        if data.kinds[f] == "categorical":
            tests += [Test(f, categories=codes) for codes in category_sets(data, f)]
            continue
        values, codes = np.unique(X[:, f], return_inverse=True)
        counts = np.zeros((len(values), weights.shape[1]), dtype=np.int64)
        np.add.at(counts, codes, weights)
        for gaps_pass, thresholds in threshold_chains(values, data.learns_gaps(f)):
            if gaps_pass:  # the gap, the last value, counts as the first one
                counts[0] += counts[-1]
                counts = counts[:-1]
            tests += [
                Test(f, threshold=float(thresholds[cut]), missing_left=gaps_pass)
                for cut in accepted_cuts(counts)
            ]
    return tests


def accepted_cuts(counts: Counts) -> list[int]:
    """Return the accepted cuts of one feature, the best first.

    Parameters
    ----------
    counts : ndarray of int64, shape (values, K)
        Class weights at each distinct value, in ascending order.

    Returns
    -------
    list of int
        Cut ``i`` separates value ``i`` from value ``i + 1``.
    """
    cuts, parts = [], [(0, len(counts))]
    while parts:
        start, stop = parts.pop()
        cut = _accepted_cut(counts[start:stop])
        if cut is not None:
            cuts.append(start + cut)
            parts += [(start + cut + 1, stop), (start, start + cut + 1)]
    return cuts


def _accepted_cut(counts: Counts) -> int | None:
    if len(counts) < 2:
        return None
    left = counts.cumsum(axis=0)[:-1]
    whole = counts.sum(axis=0)
    right = whole - left
    best, n = int((entropy(left) + entropy(right)).argmin()), whole.sum()
    parts = np.stack([whole, left[best], right[best]])
    weighted = entropy(parts)
    gain = weighted[0] - weighted[1] - weighted[2]  # times n
    k = (parts > 0).sum(axis=1)
    of_classes = k * weighted / parts.sum(axis=1)
    delta = np.log2(3.0 ** k[0] - 2) - (of_classes[0] - of_classes[1] - of_classes[2])
    return best if gain > np.log2(n - 1) + delta else None
