"""Depth-first branch and bound over the states of a tree MDP, for additive costs."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

from odt.core.run import Run
from odt.engine.dp.depth_one import DepthOne
from odt.engine.dp.depth_one_squares import SquaredDepthOne
from odt.engine.dp.similarity import SimilarTests
from odt.errors import Stopped
from odt.mdp import State, TreeMDP
from odt.mdp.model import Split
from odt.model.testset import Test, packed_bytes
from odt.model.tree import Tree

_POLL_EVERY = 256
_LARGE_LIST = 10**8
"""Rows times tests from which a list of splits is compared with the memory first."""


class Record(NamedTuple):
    """What is known about a state.

    Attributes
    ----------
    bound : int
        No tree costs less.
    exact : bool
        Whether ``bound`` is the cost of an optimal tree.
    test : Test or None
        Root test of that tree, None for a leaf (or if not exact).
    """

    bound: int
    exact: bool
    test: Test | None = None


class Action(NamedTuple):
    """A split with what it costs itself and what its sides would cost as leaves."""

    price: int
    as_leaves: int
    split: Split


class StatePrices:
    """Costs of the actions of a state; shared by the engines over a `TreeMDP`.

    Parameters
    ----------
    mdp : TreeMDP
    run : Run
    features : int or None
        Bit mask of the features that may be asked; None for all.
    worst : int or None
        Most distinct features on a path; None for no limit.
    """

    def __init__(self, mdp: TreeMDP, run: Run, features: int | None, worst: int | None) -> None:
        self.mdp, self.run, self.features, self.worst = mdp, run, features, worst
        self.costs = mdp.problem.costs
        self.must_be_pure = mdp.problem.limits.errors == 0
        self._cost_units = mdp.problem.dataset.cost_units.tolist()
        self._cheapest = min(self._cost_units, default=0)
        self._features = (1 << len(self._cost_units)) - 1

    def poll(self) -> None:
        """Raise `Stopped` if the run must stop; also called in the loops over splits."""
        Stopped.poll(self.run.should_stop)

    def leaf_cost(self, state: State) -> int | None:
        """Return the cost of a leaf; None if a leaf is not allowed here."""
        errors = self.mdp.leaf_errors(state.examples)
        if (errors and self.must_be_pure) or not self.mdp.may_stop(state):
            return None
        return self.costs.prices.errors * errors + self.costs.prices.nodes

    def lower_bound(self, state: State) -> int:
        """Return a cost that every tree of this state reaches.

        A leaf has its own cost. A branch has two more nodes, or, where leaves must be pure, at
        least one leaf for each class; every example pays for one test; contradictory rows err.
        """
        examples, leaf = state.examples, self.leaf_cost(state)
        n_leaves = 2
        if self.must_be_pure and leaf is None:
            n_leaves = max(2, sum(weight > 0 for weight in self.mdp.class_weights(examples)))
        branch = (
            self.costs.prices.errors * self.mdp.base_errors(examples)
            + self.costs.prices.nodes * (2 * n_leaves - 1)
            + self.costs.prices.tests * self.mdp.weight(examples) * self._cheapest
        )
        return branch if leaf is None else min(leaf, branch)

    def label(self, examples: int) -> int:
        """Return the class of largest weight, the first of equals."""
        weights = self.mdp.class_weights(examples)
        return weights.index(max(weights))

    def prices(self, state: State, weight: int) -> list[int]:
        """Return what asking each feature costs in a state; -1 where it may not be asked."""
        allowed = self._features if self.features is None else self.features
        if self.worst is not None and state.used.bit_count() >= self.worst:
            allowed &= state.used
        known, new = (
            self.costs.prices.nodes,
            self.costs.prices.nodes + self.costs.prices.explanation * weight,
        )
        by_test = self.costs.prices.tests * weight
        return [
            (known if state.used >> f & 1 else new) + by_test * unit if allowed >> f & 1 else -1
            for f, unit in enumerate(self._cost_units)
        ]


class Search(StatePrices):
    """Optimal trees for additive costs, with memory across calls of `best`."""

    def __init__(self, mdp: TreeMDP, run: Run, features: int | None, worst: int | None) -> None:
        super().__init__(mdp, run, features, worst)
        self.memo: dict[State, Record] = {}
        self._root = mdp.initial
        self._learn: Callable[[int], object] = int
        self._tests_are_similar = SimilarTests.hold(mdp)
        self._last = None if mdp.is_restricted else DepthOne.build(mdp.problem)

    @property
    def n_states(self) -> int:
        """States visited so far."""
        return len(self.memo)

    def best(
        self, depth: int, limit: int, learn: Callable[[int], object] = int
    ) -> tuple[int, Tree] | None:
        """Return cost and tree of least cost below ``limit`` within a depth; None if none.

        Parameters
        ----------
        depth : int
        limit : int
        learn : callable, optional
            Called now and then with a bound that no tree of the depth is below.
        """
        initial = self.mdp.initial
        self._root = initial._replace(depth=min(depth, initial.depth))
        self._learn = learn
        record = self.solve(self._root, limit)
        found = record.exact and record.bound < limit
        return (record.bound, self.tree(self._root)) if found else None

    def solve(self, state: State, limit: int) -> Record:
        """Return the exact record of a state, or a bound of at least ``limit``."""
        record = self.memo.get(state)
        if record is not None and (record.exact or record.bound >= limit):
            return record
        leaf = self.leaf_cost(state)
        if state.depth == 0:
            return Record(limit, False) if leaf is None else Record(leaf, True)
        self.poll()
        bound = self.lower_bound(state)
        if bound >= limit or bound == leaf:
            return self._store(state, Record(bound, bound == leaf))
        best = Record(limit, False) if leaf is None else Record(min(leaf, limit), leaf < limit)
        if best.bound > bound:
            if state.depth == 1 and state.position is None and self._last is not None:
                best = self._ask_last(self._last, state, leaf)
            else:
                best = self._ask(state, best)
        return self._store(state, best)

    def tree(self, state: State) -> Tree:
        """Return the optimal tree of a state whose record is exact."""
        test = self.memo[state].test if state.depth else None
        if test is None:
            return Tree.leaf(self.label(state.examples))
        left_set = state.examples & self.mdp.left_mask(test)
        split = Split(test, left_set, state.examples ^ left_set)
        left, right = self.mdp.successors(state, split)
        return Tree.branch(test, self.tree(left), self.tree(right))

    def _store(self, state: State, record: Record) -> Record:
        self.memo[state] = record
        return record

    def _ask_last(self, last: DepthOne | SquaredDepthOne, state: State, leaf: int | None) -> Record:
        """Return the exact record of a state with one test left."""
        prices = self.prices(state, self.mdp.weight(state.examples))
        found = last.best(state.examples, prices)
        if found is None or (leaf is not None and leaf <= found.cost):
            return Record(self.costs.upper + 1 if leaf is None else leaf, leaf is not None)
        return Record(found.cost, True, found.test)

    def _ask(self, state: State, best: Record) -> Record:
        """Return the best of the given record and all tests, those of least bound first."""
        similar, price = self._similar_tests(state), self.costs.prices
        known = price.errors * self.mdp.base_errors(state.examples) + 2 * price.nodes
        actions = self._actions(state, best.bound)
        open_tests = [(action.price + known, n) for n, action in enumerate(actions)]
        heapify(open_tests)
        while open_tests and open_tests[0][0] < best.bound:
            bound, n = open_tests[0]
            split = actions[n].split
            room = best.bound - actions[n].price
            if similar is not None and actions[n].price + similar.bound(split) > bound:
                heapreplace(open_tests, (actions[n].price + similar.bound(split), n))
                continue
            heappop(open_tests)
            both_sides, exact = self._both_sides(state, split, room)
            if similar is not None:
                similar.learn(split, both_sides)
            if exact and both_sides < room:
                best = Record(actions[n].price + both_sides, True, split.test)
                if state == self._root:
                    self._report(split)
            if state == self._root and open_tests:
                self._learn(min(best.bound, open_tests[0][0]))
        return best

    def _both_sides(self, state: State, split: Split, room: int) -> tuple[int, bool]:
        """Return what the sides of a test cost together and whether exactly.

        The search ends early, with a lower bound of at least ``room``, once that is reached.
        """
        left, right = self.mdp.successors(state, split)
        right_bound = self._known_bound(right)
        first = self.solve(left, room - right_bound)
        if first.bound + right_bound >= room:
            return first.bound + right_bound, False
        second = self.solve(right, room - first.bound)
        return first.bound + second.bound, first.exact and second.exact

    def _similar_tests(self, state: State) -> SimilarTests | None:
        """Return similarity bounds for the tests of a state; None where they are not valid."""
        if not self._tests_are_similar or state.position is not None:
            return None
        longest = self.costs.prices.tests * max(self._cost_units) + self.costs.prices.explanation
        return SimilarTests(self.mdp, self.costs.prices.errors + longest * (state.depth - 1))

    def _report(self, split: Split) -> None:
        left, right = self.mdp.successors(self._root, split)
        self.run.report(tree=Tree.branch(split.test, self.tree(left), self.tree(right)))

    def _actions(self, state: State, limit: int) -> list[Action]:
        """Return the tests that may cost less than ``limit``, the most promising first."""
        prices = self.prices(state, self.mdp.weight(state.examples))
        floor = (
            self.costs.prices.errors * self.mdp.base_errors(state.examples)
            + 2 * self.costs.prices.nodes
        )
        leaves_follow = state.depth == 1 and state.position is None
        self._reserve(state)
        actions = []
        for n, split in enumerate(self.mdp.splits(state)):
            if n % _POLL_EVERY == 0:
                self.poll()
            price = prices[split.test.feature]
            if 0 <= price < limit - floor:
                errors = self.mdp.leaf_errors(split.left) + self.mdp.leaf_errors(split.right)
                as_leaves = self.costs.prices.errors * errors + 2 * self.costs.prices.nodes
                if not (leaves_follow and errors and self.must_be_pure):
                    actions.append(Action(price, as_leaves, split))
        actions.sort(key=lambda action: action.price + action.as_leaves)
        return actions[:1] if leaves_follow else actions

    def _reserve(self, state: State) -> None:
        """Make sure that the splits of a large set fit: what is left and right, and their keys."""
        n_tests, n_rows = self.mdp.problem.n_candidate_tests, state.examples.bit_count()
        if n_tests * n_rows > _LARGE_LIST:
            what = f"The splits of {n_rows:,} rows by {n_tests:,} tests"
            self.run.reserve(3 * n_tests * packed_bytes(n_rows), what)

    def _known_bound(self, state: State) -> int:
        record = self.memo.get(state)
        return self.lower_bound(state) if record is None else record.bound
