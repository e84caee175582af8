"""The last test of a path for squared errors: floats choose, integers decide.

One pass over the examples gives the squared error of every test in floats, which are off by at
most a known number of units. Only the tests within that of the best are counted exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.data.targets import Targets
from odt.engine.dp.chains import BestTest, Chains, members
from odt.engine.squares import centred_means, slack
from odt.model.problem import Problem

Floats = NDArray[np.float64]


class SquaredDepthOne:
    """Best single test of any set of groups of a compiled regression problem.

    Parameters
    ----------
    problem : Problem
    targets : Targets
        Those of its dataset.
    """

    def __init__(self, problem: Problem, targets: Targets) -> None:
        compiled = problem.compiled
        assert compiled.moments is not None
        self._targets, self._moments, self._rows = targets, compiled.moments, compiled.rows
        self._chains = Chains.of(compiled, problem.dataset.merged.X[compiled.examples])
        self._room, self._limits = slack(problem), problem.limits
        self._error, self._node = problem.costs.prices.errors, problem.costs.prices.nodes
        self._weight = compiled.moments[:, 0].astype(np.float64)
        mean = centred_means(targets, compiled.moments)
        self._part = self._weight * mean
        within = [float(targets.least_errors(m)) for m in compiled.moments.tolist()]
        self._square = self._part * mean + np.array(within)

    def best(self, examples: int, prices: list[int]) -> BestTest | None:
        """Return the cheapest test for a set of groups; None if no test is allowed.

        Parameters
        ----------
        examples : int
            Bit mask of groups.
        prices : list of int
            Cost of asking each feature here, negative where it may not be asked.
        """
        chains, groups = self._chains, members(examples)
        errors = self._approximate(groups)
        least = errors.min(axis=1, initial=np.inf)
        asked = [prices[f] for f in chains.features.tolist()]
        floors = {
            chain: price + self._error * (int(least[chain]) - self._room)
            for chain, price in enumerate(asked)
            if price >= 0 and least[chain] < np.inf
        }
        best: BestTest | None = None
        for chain in sorted(floors, key=floors.__getitem__):
            if best is not None and floors[chain] + 2 * self._node >= best.cost:
                break
            near = np.flatnonzero(errors[chain] <= least[chain] + 2 * self._room)
            for cut in near.tolist():
                cost = asked[chain] + 2 * self._node + self._error * self._exact(groups, chain, cut)
                if best is None or cost < best.cost:
                    best = BestTest(cost, chains.tests[chain][cut])
        return best

    def _approximate(self, groups: NDArray[np.intp]) -> Floats:
        """Return the error of each test of each chain, infinite where it is not allowed."""
        rows = self._rows[groups].astype(np.float64)
        weight, part = self._weight[groups], self._part[groups]
        left_rows, left_weight, left_part = (
            self._chains.passing(groups, values) for values in (rows, weight, part)
        )
        right_rows, right_weight = rows.sum() - left_rows, weight.sum() - left_weight
        limits = self._limits
        allowed = np.minimum(left_rows, right_rows) >= limits.leaf_rows
        allowed &= np.minimum(left_weight, right_weight) >= max(limits.leaf_weight, 1)
        allowed &= self._chains.is_test
        explained = left_part**2 / np.where(allowed, left_weight, 1.0)
        explained += (part.sum() - left_part) ** 2 / np.where(allowed, right_weight, 1.0)
        return np.where(allowed, self._square[groups].sum() - explained, np.inf)

    def _exact(self, groups: NDArray[np.intp], chain: int, cut: int) -> int:
        yes = self._chains.holds(groups, chain, cut)
        left = self._moments[groups[yes]].sum(axis=0)
        right = self._moments[groups[~yes]].sum(axis=0)
        return self._targets.least_errors(left) + self._targets.least_errors(right)
