"""What the linear formulations that assign rows to leaves have in common.

All leaves are at the bottom of a complete tree of depth D; a branch position without a test sends
everything to its right child. Tests are an attribute and a threshold: attributes j are the numeric
features, and the category tests, each by itself; r[u,j] is the rank of group u, the number of
thresholds of j below its value, and test number q of j holds exactly where r[u,j] <= q.

    a[n,j] = 1  branch n tests attribute j       d[n] = sum_j a[n,j],  B[n,f] = sum over f's a
    z[l,u] = 1  group u ends in leaf l           c[l,k] = 1  leaf l predicts class k

    (1)  d[n] <= 1;  d[n] <= d[parent of n]
    (2)  sum_l z[l,u] = 1;  sum_k c[l,k] = 1
    (3)  sum of z[l,u] over the leaves left of n <= d[n]

where a measure or limit needs to know the way, h[n,u] = 1 if u comes to n through a test:

    (4)  h[n,u] >= sum of z[l,u] over the leaves below n + d[parent] - 1
         h[n,u] <= the same sum;  h[n,u] <= d[parent]

How thresholds steer z is what the formulations differ in.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from formulations.linear.flow_measures import FlowMeasures
from formulations.linear.position_tree import checked_depth, difference
from formulations.model import Goal, Model
from formulations.program.base import Expression, Ints, Values
from formulations.program.linear import LinearProgram
from formulations.tree.measures import TreeVariables
from formulations.tree.nested_tests import NestedTests, nested_tests
from formulations.tree.positions import Flow, HeapTree, Placement, by_position, model_features
from odt.model.problem import Problem
from odt.model.tree import Tree


class AssignmentTree(Model[LinearProgram]):
    """Variables a, d, B, z, c with rows (1)-(4).

    The first index of arrays over positions is the position; index 0 is not used.

    Attributes
    ----------
    program : LinearProgram
    n_branches, n_positions : int
    chains : list of NestedTests
        The attributes.
    a : ndarray of int64, shape (2**D, J)
    split : ndarray of int64, shape (2**D,)
        The d above.
    uses : ndarray of int64, shape (2**D, number of features)
        The B above.
    z : ndarray of int64, shape (2**(D+1), G)
        -1 except at leaves.
    c : ndarray of int64, shape (2**(D+1), K)
        Likewise.
    """

    def __init__(self, problem: Problem, *, integer_assignment: bool) -> None:
        self.problem, self.compiled = problem, problem.compiled
        self.program = LinearProgram()
        self.chains = nested_tests(self.compiled)
        self.depth = checked_depth(problem)
        self.n_branches, self.n_positions = 2**self.depth - 1, 2 ** (self.depth + 1) - 1
        self._features = model_features(self.compiled)
        self._owner = np.array([chain.feature for chain in self.chains], dtype=np.int64)
        self._add_variables(integer_assignment)
        self._add_shape()

    @property
    def n_groups(self) -> int:
        """Number of groups of rows."""
        return self.compiled.n_groups

    def leaves_below(self, n: int) -> Ints:
        """Return the leaves at or below a position."""
        level = self.depth + 1 - n.bit_length()
        return np.arange(n << level, (n + 1) << level)

    # ---- rows -----------------------------------------------------------------------------

    def _add_variables(self, integer_assignment: bool) -> None:
        program, n, n_leaves = self.program, self.n_branches, self.n_branches + 1
        levels = [
            program.variables(f"a{level}", 2**level, len(self.chains), priority=self.depth - level)
            for level in range(self.depth)
        ]
        self.a = np.concatenate([np.full((1, len(self.chains)), -1), *levels])
        self.split = by_position(program.variables("d", n, continuous=True))
        self.uses = by_position(program.variables("B", n, len(self._features), continuous=True))
        z = program.variables("z", n_leaves, self.n_groups, continuous=not integer_assignment)
        c = program.variables("c", n_leaves, self.problem.dataset.n_classes)
        self.z = np.concatenate([np.full((n_leaves, z.shape[1]), -1), z])
        self.c = np.concatenate([np.full((n_leaves, c.shape[1]), -1), c])

    def _add_shape(self) -> None:
        """Rows (1)-(3), and those that define d and B."""
        owner = np.searchsorted(self._features, self._owner)
        j, group = np.arange(len(self._features)), np.arange(self.n_groups)
        for n in range(1, self.n_branches + 1):
            row = np.concatenate([owner, j])
            variables = np.concatenate([self.a[n], self.uses[n]])
            signs = np.repeat([1, -1], [len(owner), len(j)])
            self.program.rows(row, variables, signs, 0, 0, n=len(j))
            self.program.row(difference(self.uses[n], self.split[[n]]), 0, 0)
            if n > 1:
                self.program.row(difference(self.split[[n]], self.split[[n // 2]]), upper=0)
            left = self.z[self.leaves_below(2 * n)]
            variables = np.concatenate([left, np.full((1, self.n_groups), self.split[n])])
            signs = np.array([[1]] * len(left) + [[-1]])
            self.program.rows(group, variables, signs, None, 0, n=self.n_groups)
        leaves = self.leaves_below(1)
        self.program.rows(group, self.z[leaves], 1, 1, 1, n=self.n_groups)
        place = np.arange(len(leaves))[:, None]
        self.program.rows(place, self.c[leaves], 1, 1, 1, n=len(leaves))

    def add_goal(self, goal: Goal, errors: Expression) -> None:
        """Write objective and limits.

        Parameters
        ----------
        goal : Goal
        errors : Expression
            Misclassified weight.
        """
        self._reach = np.full((self.n_positions + 1, self.n_groups), -1)
        if _needs_way(self.problem, goal):
            self._reach[1:] = self.program.variables("h", *self._reach[1:].shape, continuous=True)
            self._add_way()
        tree = TreeVariables(self.split, self._reach, self.uses, errors)
        self._measures = FlowMeasures(self.program, self.problem, tree)
        self._measures.apply(goal)

    def _add_way(self) -> None:
        """Rows (4)."""
        group = np.arange(self.n_groups)
        self.program.rows(group, self._reach[1], 1, 1, 1, n=len(group))
        for n in range(2, self.n_positions + 1):
            below = self.z[self.leaves_below(n)]
            way = self._reach[[n]]
            parent = np.full((1, len(group)), self.split[n // 2])
            minus = np.array([[1]] + [[-1]] * (len(below) + 1))
            every = np.concatenate([way, below, parent])
            self.program.rows(group, every, minus, -1, None, n=len(group))
            self.program.rows(group, every[:-1], minus[:-1], None, 0, n=len(group))
            ends = np.concatenate([way, parent])
            self.program.rows(group, ends, [[1], [-1]], None, 0, n=len(group))

    # ---- values ---------------------------------------------------------------------------

    @abstractmethod
    def threshold(self, n: int, chain: NestedTests, values: Values) -> int:
        """Return the number q of the test that branch ``n`` asks of an attribute.

        -1 stands for a test that holds for no row, ``len(chain.tests)`` for one that always holds.
        """

    @abstractmethod
    def set_threshold(self, n: int, q: int, values: Values) -> None:
        """Fill in the values that stand for test number ``q`` at branch ``n``."""

    @abstractmethod
    def assign(self, leaf_of: Ints, label: Ints, values: Values) -> None:
        """Fill in a subclass's other values.

        Parameters
        ----------
        leaf_of : ndarray of int64, shape (G,)
            Bottom leaf of each group.
        label : ndarray of int64, shape (2**(D+1),)
            Class of each bottom leaf.
        values : ndarray
            Changed in place.
        """

    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values`` stand for."""
        return self._tree(1, values)

    def _tree(self, n: int, values: Values) -> Tree:
        if n > self.n_branches:
            return Tree.leaf(int(values[self.c[n]].argmax()))
        if values[self.a[n]].sum() < 0.5:
            return self._tree(2 * n + 1, values)
        chain = self.chains[int(values[self.a[n]].argmax())]
        q = self.threshold(n, chain, values)
        if not 0 <= q < len(chain.tests):
            return self._tree(2 * n + (q < 0), values)
        left, right = self._tree(2 * n, values), self._tree(2 * n + 1, values)
        return Tree.branch(self.compiled.tests[chain.tests[q]], left, right)

    def encode(self, tree: Tree) -> Values | None:
        """Return values that stand for ``tree``."""
        heap = Placement(self.problem).place(tree)
        if heap is None:
            return None
        flow = heap.flow(self.compiled)
        values = np.zeros(self.program.n_variables)
        chain_of, rank_of = self._places()
        for n in np.flatnonzero(heap.test >= 0).tolist():
            test = heap.test[n]
            values[self.a[n, chain_of[test]]] = 1
            self.set_threshold(n, int(rank_of[test]), values)
        values[self.split[1:]] = flow.split[1:]
        values[self.uses[1:]] = flow.uses[1:]
        label, leaf_of = self._bottom(heap, flow)
        leaves, groups = self.leaves_below(1), np.arange(self.n_groups)
        values[self.z[leaf_of, groups]] = 1
        values[self.c[leaves, label[leaves]]] = 1
        if self._reach[1, 0] >= 0:
            values[self._reach[1:]] = flow.reach[1:]
        self.assign(leaf_of, label, values)
        self._measures.assign(values, flow)
        return values

    def _places(self) -> tuple[Ints, Ints]:
        """Return the attribute of each compiled test and its number there."""
        chain_of = np.zeros(self.compiled.n_tests, dtype=np.int64)
        rank_of = np.zeros(self.compiled.n_tests, dtype=np.int64)
        for j, chain in enumerate(self.chains):
            chain_of[chain.tests], rank_of[chain.tests] = j, np.arange(len(chain.tests))
        return chain_of, rank_of

    def _bottom(self, heap: HeapTree, flow: Flow) -> tuple[Ints, Ints]:
        """Return labels of the bottom leaves, and the leaf of each group."""
        label = np.zeros(self.n_positions + 1, dtype=np.int64)
        leaf_of = np.zeros(self.n_groups, dtype=np.int64)
        for n in np.flatnonzero(heap.label >= 0).tolist():
            last = int(self.leaves_below(n)[-1])
            label[last] = heap.label[n]
            leaf_of[flow.reach[n]] = last
        return label, leaf_of


def _needs_way(problem: Problem, goal: Goal) -> bool:
    prices = [goal.prices, *(limit.prices for limit in goal.limits)]
    limited = not problem.limits.allows_leaf(1, 0)
    return limited or any(p.tests or p.explanation for p in prices)
