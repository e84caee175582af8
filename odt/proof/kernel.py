"""The best tree with one test at most, compiled."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from odt.engine.compilation import entry

Array = NDArray[Any]


@entry
def one_test(
    order: Array, is_split: Array, inside: Array, weights: Array, counts: Array,
    coefficients: Array, prices: Array, scratch: Array,
) -> Any:  # fmt: skip
    """Return the least cost of a subset of a state with at most one test.

    Parameters
    ----------
    order : ndarray of int64, shape (G, m)
        The m groups of the state as each chain sorts them.
    is_split : ndarray of bool, shape (G, m - 1)
        Whether a test of the chain separates the groups up to this one from the next.
    inside : ndarray of bool, shape (m,)
        Which groups belong to the subset.
    weights : ndarray, shape (m, K)
        Weight units of each class.
    counts : ndarray of int64, shape (m,)
        Examples.
    coefficients : ndarray, shape (G,)
        Cost of the tests of each chain for one unit of weight; negative where none may be asked.
    prices : ndarray, shape (6,)
        Of an error and of a node, fewest examples and least weight of a leaf, 1 if leaves must be
        pure, and what is more than any cost.
    scratch : ndarray, shape (2, K)
        Of the type of the weights.
    """
    error, node, least_count, least_weight, pure, infinite = prices
    n_classes = weights.shape[1]
    left, total = scratch[0], scratch[1]
    total[:] = 0
    count, weight = 0 * counts[0], 0 * weights[0, 0]
    for i in range(len(inside)):
        if inside[i]:
            count += counts[i]
            for k in range(n_classes):
                total[k] += weights[i, k]
                weight += weights[i, k]
    best = infinite
    if count >= least_count and weight >= least_weight:
        errors = weight - total.max()
        if pure == 0 or errors == 0:
            best = error * errors + node
    for g in range(len(order)):
        own = 3 * node + coefficients[g] * weight
        if coefficients[g] < 0 or own >= best:
            continue
        left[:] = 0
        left_count, left_weight = 0 * counts[0], 0 * weights[0, 0]
        for i in range(len(inside) - 1):
            row = order[g, i]
            if inside[row]:
                left_count += counts[row]
                for k in range(n_classes):
                    left[k] += weights[row, k]
                    left_weight += weights[row, k]
            if not is_split[g, i]:
                continue
            if left_count < least_count or count - left_count < least_count:
                continue
            if left_weight < least_weight or weight - left_weight < least_weight:
                continue
            most_left, most_right = left[0], total[0] - left[0]
            for k in range(1, n_classes):
                most_left = max(most_left, left[k])
                most_right = max(most_right, total[k] - left[k])
            errors = weight - most_left - most_right
            cost = own + error * errors
            if cost < best and (pure == 0 or errors == 0):
                best = cost
    return best
