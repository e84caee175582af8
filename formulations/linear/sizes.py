"""How many entries linear programs over complete trees will have, from sizes alone.

Upper estimates, close where it matters. G groups, T tests in C chains, K classes, U pairs of a
group and a class in it; a tree of depth D has B branches, P positions and L bottom leaves.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from formulations.linear.position_tree import checked_depth
from odt.model.problem import Problem


@dataclass(frozen=True)
class Sizes:
    """The sizes of a problem that the entries of a program depend on; see the module."""

    depth: int
    groups: int
    tests: int
    chains: int
    longest: int
    classes: int
    pairs: int

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Measure a problem; raises `UnsupportedProblemError` if it is too deep."""
        compiled = problem.compiled
        lengths = Counter(test.chain for test in compiled.tests)
        return cls(
            depth=checked_depth(problem),
            groups=compiled.n_groups,
            tests=compiled.n_tests,
            chains=len(lengths),
            longest=max(lengths.values(), default=1),
            classes=problem.dataset.n_classes,
            pairs=int(np.count_nonzero(compiled.weights)),
        )

    @property
    def branches(self) -> int:
        """B."""
        return (1 << self.depth) - 1

    @property
    def leaves(self) -> int:
        """L."""
        return 1 << self.depth

    @property
    def positions(self) -> int:
        """P."""
        return (2 << self.depth) - 1

    def complete_tree(self, *, dominance: bool, symmetry: bool) -> int:
        """Rows (0)-(6) of `formulations.linear.position_tree`."""
        b, t = self.branches, self.tests
        entries = b * (4 * t + 2 * self.chains) + self.positions * (self.depth + self.classes + 3)
        if dominance:
            entries += 3 * t * sum(d * 2**d for d in range(1, self.depth))
        if symmetry:
            entries += (b // 2) * (t * (t - 1) // 2 + 2 * t)
        return entries

    def flow(self, branches: int, positions: int) -> int:
        """Rows (8)-(12) of `formulations.linear.flow_oct` at so many branches and positions."""
        here = 4 * self.groups + 6 * self.pairs
        return branches * self.groups * (3 * self.chains + 5) + positions * here

    @cached_property
    def stumps(self) -> int:
        """Rows (a)-(d) of `formulations.linear.flow_stump` at all stumps."""
        per_test = 3 * self.classes * self.classes + self.pairs * (self.classes - 1)
        return (self.branches + 1) // 2 * (self.tests * per_test + 4 * self.pairs)

    @cached_property
    def assignment(self) -> int:
        """Rows (1)-(4) of `formulations.linear.assignment_tree`."""
        ways = self.groups * (self.depth * self.leaves + 4 * self.positions)
        return ways + self.branches * 4 * self.chains + self.leaves * self.classes

    @cached_property
    def halvings(self) -> int:
        """Rows (5) and (6) of `formulations.linear.bin_oct`."""
        bits = max(self.longest - 1, 1).bit_length()
        ways = self.groups * self.chains * self.depth * self.leaves // 2
        return ways * (bits + 1) + self.branches * self.tests * 2 * (bits + 2)
