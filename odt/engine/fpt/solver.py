"""The solver ``fpt``: the algorithm of Eiben et al., corrected and complete.

Fixed-parameter tractable in solution size plus maximum difference, whatever the domains: every
consistent tree contains a minimal support set; for each one the best tree that uses exactly its
features is found by trying all patterns, and a better tree must add a feature of a small
branching set. Corrections to the printed text are told in ``docs/min-size.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.fpt.examples import Examples
from odt.engine.fpt.patterns import UNKNOWN, Pattern, letters_of, patterns
from odt.engine.fpt.thresholds import Thresholds
from odt.model.capability import Capability, Need
from odt.model.measure import Amounts, Measure
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.transform.differences import bits, differences, minimal_hitting_sets


@dataclass(frozen=True)
class Fpt(Solver):
    """The paper's algorithm; an oracle for trees of about five branches or depth three."""

    name: ClassVar[str] = "fpt"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = frozenset(
        {
            Measure.SIZE,
            Measure.DEPTH,
            Capability.CONSISTENT,
            Capability.CATEGORICAL,
            Capability.MISSING,
            Capability.FIXED_TESTS,
            Capability.UNLIMITED_DEPTH,
            Capability.MAX_NODES,
        }
    )
    reference: ClassVar[str] = (
        "Eiben, Ordyniak, Paesani, Szeider, Learning Small Decision Trees with Large Domain, "
        "IJCAI 2023"
    )

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Ask for one more branch (or level) until there is a tree."""
        weights = problem.dataset.merged.weights.sum(axis=0)
        majority = Tree.leaf(int(weights.argmax()))
        if Capability.CONSISTENT not in problem.needs or np.count_nonzero(weights) == 1:
            return Solution(Status.OPTIMAL, majority, problem.cost(majority))
        if run.compile().base_errors:
            return Solution(Status.INFEASIBLE)
        by_depth = Measure.DEPTH in problem.needs
        branches, depth = problem.limits.useful_branches, problem.limits.useful_depth
        search = _Search(Examples.of(problem, run.should_stop), run, branches, depth)
        for limit in range(1, (depth if by_depth else branches) + 1):
            run.report(bound=_cost(problem, limit))
            pattern = search.tree_within(limit, by_depth)
            if run.should_stop():
                return Solution(Status.UNKNOWN, bound=_cost(problem, limit))
            if pattern is not None:
                tree = search.thresholds.tree(search.examples.rows, pattern)
                stats = {"patterns": search.n_patterns, "support_sets": search.n_support_sets}
                return Solution(Status.OPTIMAL, tree, _cost(problem, limit), stats)
        return Solution(Status.INFEASIBLE)


def _cost(problem: Problem, limit: int) -> int:
    """Return the cost of a tree of ``limit`` branches, or levels if depth is the objective."""
    return problem.costs.of(Amounts(nodes=2 * limit + 1, depth=limit))


class _Search:
    """One instance with its limits, and what was counted."""

    def __init__(self, examples: Examples, run: Run, max_branches: int, max_depth: int) -> None:
        self.examples = examples
        self.thresholds = Thresholds(examples, run.should_stop)
        self.n_patterns = self.n_support_sets = 0
        self._run = run
        self._max_branches = max_branches
        self._max_depth = max_depth
        shape = (len(examples.values), len(examples.labels))
        values = np.array(examples.values, dtype=np.int64).reshape(shape).T
        labels = np.array(examples.labels)
        self._differences = differences(values, labels, run.should_stop).minimal

    def tree_within(self, limit: int, by_depth: bool) -> Pattern:
        """Return a valid pattern within a limit on size or depth (minDT, Algorithm 1)."""
        size = min(2**limit - 1, self._max_branches) if by_depth else limit
        height = limit if by_depth else self._max_depth
        visited: set[frozenset[int]] = set()
        sets = minimal_hitting_sets(self._differences, size, self._run.should_stop)
        for support in sorted(sets, key=int.bit_count):
            self.n_support_sets += 1
            pattern = self._grow(frozenset(bits(support)), size, height, visited)
            if pattern is not None:
                return pattern
        return None

    def _grow(
        self, support: frozenset[int], size: int, height: int, visited: set[frozenset[int]]
    ) -> Pattern:
        """Return a valid pattern that uses a superset of a support set (minDTS, Algorithm 2).

        A search without success must not end here: another feature may be needed.
        """
        if support in visited or self._run.should_stop():
            return None
        visited.add(support)
        rows = self.examples.rows
        for pattern in self._using(support, size, height):
            if self.thresholds.valid(rows, pattern):
                return pattern
        more: set[int] = set()
        for pattern in self._using(support | {UNKNOWN}, size, height):
            if not self.thresholds.valid(rows, pattern):
                more |= self.thresholds.branching(pattern)
        for feature in sorted(more - support) if len(support) < size else ():
            found = self._grow(support | {feature}, size, height, visited)
            if found is not None:
                return found
        return None

    def _using(self, letters: frozenset[int], size: int, height: int) -> Iterator[Pattern]:
        """Yield the patterns within the limits that use exactly some letters, small ones first."""
        for n_nodes in range(len(letters), size + 1):
            for pattern in patterns(n_nodes, height, tuple(sorted(letters))):
                if self._run.should_stop():
                    return
                if letters_of(pattern) == letters:
                    self.n_patterns += 1
                    yield pattern
