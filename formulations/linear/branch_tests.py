"""Which test each branch of a complete-tree program asks, with sums over thresholds.

    b[n,t] = 1   branch n asks test t
    s[n,t] = 1   branch n asks t or a lower threshold of its feature
    (0)  s[n,t] = b[n,t] + s[n,t'],  t' the next lower threshold

A test without other thresholds of its feature has s = b. For others s is integer and b follows: a
solver that branches on s halves the thresholds, where b[n,t] = 0 would change next to nothing. And
a sum of b over many thresholds is a difference of two s, which keeps rows short.
"""

from __future__ import annotations

import numpy as np

from formulations.program.base import Ints, Values
from formulations.program.linear import LinearProgram
from formulations.tree.nested_tests import NestedTests
from formulations.tree.positions import HeapTree


class BranchTests:
    """Variables b and s of all branches, with rows (0); index 0 of arrays is not used.

    Parameters
    ----------
    program : LinearProgram
    chains : list of NestedTests
        Every test is in one.
    depth : int
        Of the complete tree; upper levels have higher branching priorities.

    Attributes
    ----------
    b, s : ndarray of int64, shape (2**D, T)
    total : ndarray of int64, shape (2**D, T)
        The s of the last test in the chain of each test: the branch asks a test of the chain.
    """

    def __init__(self, program: LinearProgram, chains: list[NestedTests], depth: int) -> None:
        self._chains = chains
        several = [chain.tests for chain in chains if len(chain.tests) > 1]
        single = [chain.tests for chain in chains if len(chain.tests) == 1]
        n_tests = sum(len(chain.tests) for chain in chains)
        self.b = np.full((2**depth, n_tests), -1)
        self.s = self.b.copy()
        for level in range(depth):
            here = np.arange(2**level, 2 ** (level + 1))[:, None]
            for name, tests in (("b", single), ("s", several)):
                if tests:
                    where = np.concatenate(tests)
                    self.s[here, where] = program.variables(
                        f"{name}{level}", len(here), len(where), priority=depth - level
                    )
        for chain in single:
            self.b[:, chain] = self.s[:, chain]
        self.total = self.s.copy()
        for chain in several:
            self.b[1:, chain] = program.variables(
                f"b_{chain[0]}", 2**depth - 1, len(chain), continuous=True
            )
            self.total[:, chain] = self.s[:, chain[-1:]]
            self._link(program, chain)

    def _link(self, program: LinearProgram, tests: Ints) -> None:
        """Rows (0) of one chain."""
        first, later = tests[0], tests[1:]
        ends = np.stack([self.s[1:, first], self.b[1:, first]], axis=-1)
        row = np.arange(len(ends))[:, None]
        program.rows(row, ends, [1, -1], 0, 0, n=len(ends))
        steps = np.stack([self.s[1:, later], self.b[1:, later], self.s[1:, tests[:-1]]], axis=-1)
        steps = steps.reshape(-1, 3)
        row = np.arange(len(steps))[:, None]
        program.rows(row, steps, [1, -1, -1], 0, 0, n=len(steps))

    def exclude(self, program: LinearProgram, tests: Ints, high: int, low: int) -> None:
        """Let thresholds from any one on at branch ``high`` exclude those up to it at ``low``."""
        s, r = self.s, np.arange(len(tests))
        row = np.concatenate([r, r, r[1:]])
        variables = np.concatenate([self.total[high, tests], s[low, tests], s[high, tests[:-1]]])
        signs = np.repeat([1, 1, -1], [len(r), len(r), len(r) - 1])
        program.rows(row, variables, signs, None, 1, n=len(r))

    def assign(self, heap: HeapTree, values: Values) -> None:
        """Fill in the values for a tree."""
        upward = {
            test: chain.tests[q:] for chain in self._chains for q, test in enumerate(chain.tests)
        }
        for n in np.flatnonzero(heap.test >= 0).tolist():
            values[self.b[n, heap.test[n]]] = 1
            values[self.s[n, upward[heap.test[n]]]] = 1
