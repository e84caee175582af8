"""What the linear formulations with one variable per position and test have in common.

Positions are those of a complete tree of depth D in heap order: branches n = 1 .. 2^D - 1, all
positions up to 2^(D+1) - 1, children 2n (the test holds) and 2n + 1; u is a group of equal rows.

    b[n,t] = 1  position n asks test t          d[n] = sum_t b[n,t],  B[n,j] = sum over tests of j
    s[n,t] = 1  ... or a lower threshold; the sums in rows (4) and (10) are written with s, and
                rows (0) link it to b: see `formulations.linear.branch_tests`
    p[n]   = 1  the path ends at n in a leaf
    c[n,k] = 1  ... that predicts class k
    z[n,u] = 1  group u visits position n

    (1)  d[n] + p[n] + sum over ancestors a of p[a] = 1        (no d[n] at the bottom)
    (2)  sum_k c[n,k] = p[n]
    (3)  d[n] <= d[parent of n]

and, switched by ``dominance``, rows that cut off trees of which another is at least as good:

    (4)  sum of b[n,t] over thresholds t >= r of a feature + sum of b[a,t] over t <= r  <= 1
         where n is left of its ancestor a (mirrored on the right): n would separate nothing
    (5)  c[2n,k] + c[2n+1,k] <= 1: leaves that agree need no test above them

and by ``symmetry``:

    (6)  b[2n,r] + b[2n+1,r] + sum of b[n,t] over t > r  <= 2: two levels that commute are ordered.
         Swapping them permutes four subtrees; no measure changes.

Where something is demanded at a position, branches cannot be moved: (5) and (6) are left out, and
every branch must separate something.

The measures and limits are rows over d, B and z; see `formulations.tree.measures`. With
``lookahead``

    (L)  cost >= sum_t V[t] b[1,t] + V p[1]

where V[t] is the least cost of a tree of depth D that asks t first, and V that of a leaf; depth and
worst explanation, which are no sums over paths, are left out on both sides. The values come from
enumeration (`formulations.graph.lookahead`), and a result that uses them says so in its stats: the
proof is then not the program's alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from formulations.graph.lookahead import costs_below
from formulations.linear.base import LinearFormulation
from formulations.linear.branch_tests import BranchTests
from formulations.linear.flow_measures import FlowMeasures
from formulations.model import Goal, Model
from formulations.program.base import Expression, Ints, Values
from formulations.program.linear import LinearProgram
from formulations.tree.demands import demands
from formulations.tree.measures import TreeVariables
from formulations.tree.nested_tests import nested_tests
from formulations.tree.positions import (
    Flow,
    HeapTree,
    Placement,
    ancestors,
    by_position,
    model_depth,
    model_features,
)
from odt.core.run import Run
from odt.core.solver import Solution
from odt.errors import Stopped, UnsupportedProblemError
from odt.model.problem import Problem
from odt.model.tree import Tree

if TYPE_CHECKING:
    from formulations.linear.sizes import Sizes

LARGEST_DEPTH = 10


@dataclass(frozen=True)
class CompleteTreeFormulation(LinearFormulation):
    """A linear formulation over a complete tree.

    Parameters
    ----------
    dominance : bool, default True
        Add rows (4) and (5).
    symmetry : bool, default True
        Add rows (6).
    lookahead : bool, default False
        Add row (L).
    """

    dominance: bool = True
    symmetry: bool = True
    lookahead: bool = False

    def tree_entries(self, size: Sizes) -> int:
        """Return about how many entries rows (0)-(6) have."""
        return size.complete_tree(dominance=self.dominance, symmetry=self.symmetry)

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve, and say so if enumeration had a part in the bound."""
        found = super().solve(problem, run)
        if not self.lookahead:
            return found
        return replace(found, stats={**found.stats, "lookahead": "least cost below each root test"})


class CompleteTree(Model[LinearProgram]):
    """Variables b, s, p, c, d, B with rows (0)-(6); subclasses say how groups of rows move.

    The first index of every array is the position; index 0 is not used.

    Attributes
    ----------
    program : LinearProgram
    n_branches, n_positions : int
        Largest numbers of a branch and of a position.
    tests : BranchTests
    b : ndarray of int64, shape (2**D, T)
        ``tests.b``.
    p : ndarray of int64, shape (2**(D+1),)
    c : ndarray of int64, shape (2**(D+1), K)
    split : ndarray of int64, shape (2**D,)
        The d above.
    uses : ndarray of int64, shape (2**D, J)
        The B above.
    """

    def __init__(
        self, problem: Problem, options: CompleteTreeFormulation, stop: Callable[[], bool]
    ) -> None:
        self.problem, self.compiled = problem, problem.compiled
        self.program = LinearProgram()
        self.depth = checked_depth(problem)
        self._stop = stop
        self.n_branches, self.n_positions = 2**self.depth - 1, 2 ** (self.depth + 1) - 1
        self._features = model_features(self.compiled)
        self.chains = nested_tests(self.compiled)
        self.tests = BranchTests(self.program, self.chains, self.depth)
        self.b = self.tests.b
        self._add_variables()
        self._add_shape()
        if options.dominance:
            self._add_dominance()
        if options.symmetry and self.is_movable:
            self._add_symmetry()
        if problem.limits.positions is not None:
            demands(self.program, self.compiled, self.b, problem.limits.positions)
        self._is_ordered = options.symmetry and self.is_movable
        self._looks_ahead = options.lookahead

    @property
    def is_movable(self) -> bool:
        """Whether branches may be moved and removed: nothing is demanded at a position."""
        return self.problem.limits.positions is None

    def poll(self) -> None:
        """Raise `Stopped` if the run must stop."""
        Stopped.poll(self._stop)

    # ---- rows -----------------------------------------------------------------------------

    def _add_variables(self) -> None:
        n_classes = self.problem.dataset.n_classes
        self.p = by_position(self.program.variables("p", self.n_positions, continuous=True))
        self.c = by_position(self.program.variables("c", self.n_positions, n_classes))
        split = self.program.variables("d", self.n_branches, continuous=True)
        self.split = by_position(split)
        shape = (self.n_branches, len(self._features))
        self.uses = by_position(self.program.variables("B", *shape, continuous=True))

    def _add_shape(self) -> None:
        """Rows (1)-(3), and those that define d and B."""
        owner = np.searchsorted(self._features, self.compiled.features)
        j = np.arange(len(self._features))
        for n in range(1, self.n_branches + 1):
            self.poll()
            row = np.concatenate([owner, j])
            variables = np.concatenate([self.b[n], self.uses[n]])
            signs = np.repeat([1, -1], [len(owner), len(j)])
            self.program.rows(row, variables, signs, 0, 0, n=len(j))
            self.program.row(difference(self.uses[n], self.split[[n]]), 0, 0)
            if n > 1:
                self.program.row(difference(self.split[[n]], self.split[[n // 2]]), upper=0)
        for n in range(1, self.n_positions + 1):
            stops = [self.p[a] for a in (n, *ancestors(n))]
            here = [self.split[n]] if n <= self.n_branches else []
            self.program.row(Expression.of(stops + here), 1, 1)
            self.program.row(difference(self.c[n], self.p[[n]]), 0, 0)

    def _add_dominance(self) -> None:
        """Rows (4) and (5)."""
        for chain in self.chains:
            for n in range(2, self.n_branches + 1):
                self.poll()
                for a in ancestors(n):
                    is_left = branch_towards(a, n) % 2 == 0
                    high, low = (n, a) if is_left else (a, n)
                    self.tests.exclude(self.program, chain.tests, high, low)
        k = np.arange(self.c.shape[1])
        for n in range(1, self.n_branches + 1) if self.is_movable else ():
            self.program.rows(k, self.c[2 * n : 2 * n + 2], 1, None, 1, n=len(k))

    def _add_symmetry(self) -> None:
        """Rows (6)."""
        n_tests = self.compiled.n_tests
        r, t = np.triu_indices(n_tests, 1)
        row = np.concatenate([r, np.arange(n_tests), np.arange(n_tests)])
        for n in range(1, self.n_branches // 2 + 1):
            variables = np.concatenate([self.b[n, t], *self.b[2 * n : 2 * n + 2]])
            self.program.rows(row, variables, 1, None, 2, n=n_tests)

    def add_goal(self, goal: Goal, reach: Ints, errors: Expression) -> None:
        """Write objective and limits.

        Parameters
        ----------
        goal : Goal
        reach : ndarray of int64, shape (2**(D+1), G)
            The z above.
        errors : Expression
            Misclassified weight.
        """
        tree = TreeVariables(self.split, reach, self.uses, errors)
        self._measures = FlowMeasures(self.program, self.problem, tree)
        self._measures.apply(goal)
        if self._looks_ahead:
            self._bound_cost(goal)

    def _bound_cost(self, goal: Goal) -> None:
        """Row (L)."""
        prices = goal.prices._replace(depth=0, worst=0)
        leaf, least = costs_below(self.problem, prices, self._stop)
        root = [*self.b[1], self.p[1]] if self.n_branches else [self.p[1]]
        bound = Expression.of(root, [*least, leaf][-len(root) :])
        cost = Expression.total([(1, self._measures.priced(prices)), (-1, bound)])
        self.program.rows(0, cost.variables, cost.coefficients, -cost.constant, n=1, implied=True)

    # ---- values ---------------------------------------------------------------------------

    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values`` stand for."""
        heap = HeapTree(np.full(self.n_branches + 1, -1), np.full(self.n_positions + 1, -1))
        for n in range(1, self.n_branches + 1):
            if values[self.b[n]].sum() > 0.5:
                heap.test[n] = values[self.b[n]].argmax()
        heap.label[1:] = values[self.c[1:]].argmax(axis=1)
        return heap.tree(self.compiled)

    def encode(self, tree: Tree) -> Values | None:
        """Return values that stand for ``tree``, or for a better tree if rows exclude it."""
        placement = Placement(self.problem)
        heap = placement.place(tree)
        while heap is not None and self._is_ordered and heap.swap_levels():
            heap = placement.place(heap.tree(self.compiled))
        if heap is None:
            return None
        flow = heap.flow(self.compiled)
        values = np.zeros(self.program.n_variables)
        leaves = np.flatnonzero(heap.label >= 0)
        self.tests.assign(heap, values)
        values[self.p[leaves]] = 1
        values[self.c[leaves, heap.label[leaves]]] = 1
        values[self.split[1:]] = flow.split[1:]
        values[self.uses[1:]] = flow.uses[1:]
        self.move(heap, flow, values)
        self._measures.assign(values, flow)
        return values

    @abstractmethod
    def move(self, heap: HeapTree, flow: Flow, values: Values) -> None:
        """Fill in, in place, the values of a subclass's own variables."""


def checked_depth(problem: Problem) -> int:
    """Return the depth of the complete tree, unless it has too many positions.

    Raises
    ------
    UnsupportedProblemError
        Beyond `LARGEST_DEPTH`.
    """
    depth = model_depth(problem)
    if depth > LARGEST_DEPTH:
        raise UnsupportedProblemError(
            f"A complete tree of depth {depth} has {2 ** (depth + 1) - 1} positions; formulations "
            f"over all positions go to depth {LARGEST_DEPTH}. Limit max_depth, or use 'and-or' "
            "or 'dp'."
        )
    return depth


def difference(plus: Ints, minus: Ints) -> Expression:
    """Return the sum of some variables less the sum of others."""
    return Expression.of(np.concatenate([plus, minus]), np.repeat([1, -1], [len(plus), len(minus)]))


def branch_towards(above: int, below: int) -> int:
    """Return the child of the position ``above`` on the way to ``below``."""
    return below >> (below.bit_length() - above.bit_length() - 1)
