"""Kernel that tells whether two chains of cuts form one chain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry


@entry
def co_monotone(rank: NDArray[np.int64], other: NDArray[np.int64], top: int) -> bool:
    """Return whether no two examples are ordered one way by ``rank`` and another by ``other``.

    Parameters
    ----------
    rank, other : int array of shape (examples,)
        The number of cuts of each chain that an example lies beyond.
    top : int
        Number of cuts of the first chain; its ranks are ``0 .. top``.
    """
    low = np.full(top + 1, len(rank) * len(rank) + top, dtype=np.int64)
    high = np.full(top + 1, -1, dtype=np.int64)
    for row in range(len(rank)):
        low[rank[row]] = min(low[rank[row]], other[row])
        high[rank[row]] = max(high[rank[row]], other[row])
    seen = np.int64(-1)
    for value in range(top + 1):
        if high[value] < 0:
            continue
        if low[value] < seen:
            return False
        seen = max(seen, high[value])
    return True
