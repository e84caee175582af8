"""The toy tasks of Kohler, Akrour and Preux (arXiv 2304.05839): small, but no stump solves them."""

from __future__ import annotations

import numpy as np

from odt.data.dataset import Dataset
from odt.model.checks import check_int

_CENTRES = (1 / 8, 3 / 8, 5 / 8, 7 / 8)


def toy_task(seed: int) -> Dataset:
    """Return 16 points on a grid, labelled by a random balanced tree of depth 2.

    The root asks one of two features at 1/2, each child one feature at the middle of its box,
    and the leaves of a child have different labels. Tasks that a tree of depth 1 solves are drawn
    again. At ``p = 1`` and every ``max_depth >= 2`` the best return for ``zeta = 0.5`` and
    ``gamma = 0.99`` is that of the labelling tree,
    ``(zeta * (1 + gamma) + gamma**2) / (1 - gamma**3) = 66.4994``.

    Parameters
    ----------
    seed : int
        At least 0. Distinct seeds may give the same task.
    """
    check_int("seed", seed, 0)
    rng = np.random.default_rng([16, seed])
    first, second = (axis.ravel() for axis in np.meshgrid(_CENTRES, _CENTRES, indexing="ij"))
    X = np.column_stack([first, second])
    while True:
        root, flips = int(rng.integers(2)), rng.integers(2, size=2)
        below = rng.integers(2, size=2)
        if not (below == 1 - root).all() or flips[0] != flips[1]:
            break
    side = (X[:, root] > 1 / 2).astype(np.int64)
    feature = below[side]
    middle = np.where(feature == root, 1 / 4 + side / 2, 1 / 2)
    label = (X[np.arange(16), feature] > middle) ^ flips[side].astype(bool)
    return Dataset(X, label.astype(np.int64), feature_names=("first", "second"))


TOY_TASKS = (0, 1, 2, 3, 5)
"""Seeds of the five tasks of the benchmark; all distinct."""
