"""The sets of features on which examples of different class differ, and how to hit them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.errors import Stopped

Words = NDArray[np.uint64]
_BATCH = 2**16
"""Pairs that are gathered before repetitions are removed."""


class Differences(NamedTuple):
    """What separates the pairs of examples of different class.

    Attributes
    ----------
    largest : int
        The maximum difference ``delta_max``: most features on which such a pair differs.
    minimal : tuple of int
        The inclusion-minimal sets of features on which a pair differs, as bit masks (bit ``f``
        is feature ``f``), small sets first. A set of features separates all pairs iff it meets
        each of these. Pairs without any difference are left out.
    """

    largest: int
    minimal: tuple[int, ...]


def differences(
    values: NDArray[np.int64], labels: NDArray[np.int64], stop: Callable[[], bool] = lambda: False
) -> Differences:
    """Return the differences of all pairs of examples of different class.

    Parameters
    ----------
    values : int array of shape (examples, features)
        Equal codes mean that a feature cannot tell two examples apart.
    labels : int array of shape (examples,)
    stop : callable, optional
        Polled for each example; `Stopped` is raised when it says True.
    """
    n_features = values.shape[1]
    if n_features == 0:
        return Differences(0, ())
    found: Words = np.zeros((0, -(-n_features // 64)), dtype=np.uint64)
    fresh: list[Words] = []
    for row in range(len(values) - 1):
        Stopped.poll(stop)
        later = values[row + 1 :][labels[row + 1 :] != labels[row]]
        fresh.append(_pack(later != values[row]))
        if sum(map(len, fresh)) > max(len(found), _BATCH):
            found, fresh = np.unique(np.concatenate([found, *fresh]), axis=0), []
    found = np.unique(np.concatenate([found, *fresh]), axis=0)
    sizes = np.bitwise_count(found).sum(axis=1, dtype=np.int64)
    order = np.lexsort([*found.T, sizes])  # the last word holds the highest features
    return Differences(int(sizes.max(initial=0)), _minimal(found[order[sizes[order] > 0]], stop))


def minimal_hitting_sets(
    sets: tuple[int, ...], max_size: int, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[int]:
    """Yield every inclusion-minimal set of at most ``max_size`` features that meets all sets.

    Branches on a set not yet met, of the fewest features still allowed; a feature tried before
    is forbidden in the branches after it, so that each set comes once. With differences this
    enumerates the minimal support sets, at most ``delta_max ** max_size`` of them (Ordyniak and
    Szeider, AAAI 2021; Eiben et al., IJCAI 2023).

    Parameters
    ----------
    sets : tuple of int
        Bit masks, none of them 0.
    max_size : int
    should_stop : callable, optional
        Polled at every branch; ends the enumeration.
    """

    def extend(chosen: int, forbidden: int) -> Iterator[int]:
        if should_stop():
            return
        open_sets = [s & ~forbidden for s in sets if not s & chosen]
        if not open_sets:
            if _is_minimal(sets, chosen):
                yield chosen
            return
        fewest = min(open_sets, key=int.bit_count)
        if chosen.bit_count() < max_size:
            for feature in bits(fewest):
                yield from extend(chosen | 1 << feature, forbidden)
                forbidden |= 1 << feature

    return extend(0, 0)


def bits(mask: int) -> list[int]:
    """Return the positions of the ones of a mask, ascending."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _is_minimal(sets: tuple[int, ...], chosen: int) -> bool:
    """Whether each chosen feature is the only one to meet some set."""
    needed = 0
    for s in sets:
        met = s & chosen
        if met & (met - 1) == 0:
            needed |= met
    return needed == chosen


def _minimal(sets: Words, stop: Callable[[], bool]) -> tuple[int, ...]:
    """Return the sets that contain no other one, as masks; ``sets`` ascend by size."""
    kept, n_kept = np.zeros_like(sets), 0
    for own in sets:
        Stopped.poll(stop)
        if not ((kept[:n_kept] & ~own) == 0).all(axis=1).any():
            kept[n_kept] = own
            n_kept += 1
    return tuple(int.from_bytes(own.tobytes(), "little") for own in kept[:n_kept])


def _pack(rows: NDArray[np.bool_]) -> Words:
    """Pack boolean rows into little-endian 64-bit words."""
    width = -(-rows.shape[1] // 64) * 64
    padded = np.zeros((len(rows), width), dtype=bool)
    padded[:, : rows.shape[1]] = rows
    words: Words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return words
