"""BinOCT: thresholds in binary, few variables, with routing rows summed over the data.

Verwer, Zhang, Learning optimal classification trees using a binary linear program formulation,
AAAI 2019. Over the variables and rows of `formulations.linear.assignment_tree`:

    s[n,i]       bit i of the number q of the threshold at branch n
    e[l,k] >= 0  misclassified weight of class k in leaf l

    (5)  groups with r[u,j] = 0 are not right, and those above all thresholds not left, of a
         branch that tests j:   a[n,j] + sum of z[l,u] over the leaves of that side <= 1, summed
    (6)  halve the thresholds lo..hi of j at mid; with P the number of bits that differ from the
         prefix that leads here, this bit included, and M the number of groups in the sum:
         bit 0 (q <= mid):  M a[n,j] + sum over mid < r[u,j] <= hi of z[left of n, u] <= M + M P
         bit 1 (q > mid):   M a[n,j] + sum over lo < r[u,j] <= mid + 1 of z[right, u] <= M + M P
    (7)  e[l,k] >= sum of W[u,k] z[l,u] - W_k c[l,k];   errors = sum of e[l,k]
         for each digit of the weights by itself, where they are large
         (`formulations.program.digits`)

(7) counts, in leaf l, the weight of every class that is not predicted. The published model drops
thresholds between rows of one class, which loses optima (`odt.TestSet.all`), and published results
of a later code contain trees that are worse than claimed; here the thresholds are those of the
problem, and the tree is evaluated again from the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from formulations.graph.state_graph import Bools
from formulations.linear.assignment_tree import AssignmentTree
from formulations.linear.base import LinearFormulation
from formulations.linear.sizes import Sizes
from formulations.model import Goal
from formulations.program.base import Expression, Ints, Values
from formulations.program.digits import weight_digits
from formulations.tree.nested_tests import NestedTests
from formulations.tree.positions import by_position
from odt.errors import Stopped
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem


@dataclass(frozen=True)
class BinOct(LinearFormulation):
    """BinOCT over all thresholds."""

    name: ClassVar[str] = "bin-oct"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {
            Capability.MAX_NODES,
            Capability.MAX_FEATURES,
            Capability.FEATURE_BUDGET,
            Capability.CLASS_ERROR,
        }
    )
    reference: ClassVar[str] = "Verwer, Zhang, AAAI 2019"

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has."""
        size = Sizes.of(problem)
        return size.assignment + size.halvings + size.leaves * (size.pairs + 2 * size.classes)

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> BinOctTree:
        """Write the problem as a model; see the module's docstring."""
        return BinOctTree(problem, goal, stop)


class Half(NamedTuple):
    """One half of an interval of thresholds: what rows (6) are written for.

    Attributes
    ----------
    bits : tuple of int
        The first bits of the thresholds in this half.
    low, high : int
        The groups concerned have ``low < rank <= high``.
    """

    bits: tuple[int, ...]
    low: int
    high: int


def halves(low: int, high: int, prefix: tuple[int, ...] = ()) -> Iterator[Half]:
    """Yield the halves of the thresholds ``low .. high``, and of the halves themselves."""
    if low >= high:
        return
    mid = (low + high) // 2
    yield Half((*prefix, 0), mid, high)
    yield Half((*prefix, 1), low, mid + 1)
    yield from halves(low, mid, (*prefix, 0))
    yield from halves(mid + 1, high, (*prefix, 1))


class BinOctTree(AssignmentTree):
    """Rows (5)-(7)."""

    def __init__(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> None:
        super().__init__(problem, integer_assignment=False)
        longest = max((len(chain.tests) for chain in self.chains), default=1)
        self._n_bits = (longest - 1).bit_length()
        self.s = by_position(self.program.variables("s", self.n_branches, self._n_bits))
        for n in range(1, self.n_branches + 1):
            for j, chain in enumerate(self.chains):
                Stopped.poll(stop)
                self._add_routes(n, j, chain)
        self._add_errors()
        wrong = [(factor, Expression.of(e)) for factor, _, e in self._digits]
        for k, most in enumerate(problem.limits.class_errors or ()):
            of_class = [(factor, Expression.of(e[:, k])) for factor, _, e in self._digits]
            self.program.row(Expression.total(of_class), upper=most)
        self.add_goal(goal, Expression.total(wrong))

    def _add_routes(self, n: int, j: int, chain: NestedTests) -> None:
        """Rows (5) and (6) of one branch and attribute."""
        self._forbid(n, j, 2 * n, chain.rank == len(chain.tests), ())
        self._forbid(n, j, 2 * n + 1, chain.rank == 0, ())
        for half in halves(0, len(chain.tests) - 1):
            concerned = (half.low < chain.rank) & (chain.rank <= half.high)
            self._forbid(n, j, 2 * n + half.bits[-1], concerned, half.bits)

    def _forbid(self, n: int, j: int, child: int, groups: Bools, bits: tuple[int, ...]) -> None:
        """Keep groups from one side of ``n`` if it tests ``j`` with a threshold of these bits."""
        m = int(groups.sum())
        if m == 0:
            return
        inside = self.z[self.leaves_below(child)][:, groups]
        parts = [(1, Expression.of(inside)), (m, Expression.of([self.a[n, j]]))]
        for bit, variable in zip(bits, self.s[n].tolist(), strict=False):
            differs = Expression.of([variable], -1 if bit else 1, bit)  # 1 - s or s
            parts.append((-m, differs))
        self.program.row(Expression.total(parts), upper=m)

    def _add_errors(self) -> None:
        """Rows (7), for each digit of the weights by itself."""
        n_leaves, weights = self.n_branches + 1, self.compiled.weights
        self._digits: list[tuple[int, Ints, Ints]] = []
        for factor, digit in weight_digits(weights, self.program.largest_sum, n_leaves):
            upper = int(digit.sum(axis=0).max())
            name, shape = f"e{factor}" if factor > 1 else "e", (n_leaves, weights.shape[1])
            e = self.program.variables(name, *shape, upper=upper, continuous=True)
            self._digits.append((factor, digit, e))
            for leaf, errors in zip(self.leaves_below(1).tolist(), e, strict=True):
                self._count_errors(leaf, errors, digit)

    def _count_errors(self, leaf: int, errors: Ints, weights: Ints) -> None:
        u, k = np.nonzero(weights)
        total, classes = weights.sum(axis=0), np.arange(len(errors))
        row = np.concatenate([classes, classes, k])
        variables = np.concatenate([errors, self.c[leaf], self.z[leaf, u]])
        values = np.concatenate([classes * 0 + 1, total, -weights[u, k]])
        self.program.rows(row, variables, values, 0, None, n=len(classes))

    # ---- values ---------------------------------------------------------------------------

    def threshold(self, n: int, chain: NestedTests, values: Values) -> int:
        """Walk down the halves by the bits."""
        low, high, bits = 0, len(chain.tests) - 1, iter(self.s[n].tolist())
        while low < high:
            mid = (low + high) // 2
            low, high = (low, mid) if values[next(bits)] < 0.5 else (mid + 1, high)
        return low

    def set_threshold(self, n: int, q: int, values: Values) -> None:
        """Note each bit on the way to ``q``."""
        chain = self.chains[int(values[self.a[n]].argmax())]
        low, high = 0, len(chain.tests) - 1
        for bit in self.s[n].tolist():
            if low >= high:
                break
            mid = (low + high) // 2
            values[bit] = q > mid
            low, high = (low, mid) if q <= mid else (mid + 1, high)

    def assign(self, leaf_of: Ints, label: Ints, values: Values) -> None:
        """Count the errors of each leaf."""
        for _, weights, e in self._digits:
            for leaf, errors in zip(self.leaves_below(1).tolist(), e, strict=True):
                values[errors] = weights[leaf_of == leaf].sum(axis=0)
                values[errors[label[leaf]]] = 0
