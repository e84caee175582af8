"""Tree search as a Markov decision process whose states are sets of examples.

Kohler, Akrour and Preux, Interpretable Decision Tree Search as a Markov Decision Process,
arXiv 2309.12701 (2024). A state is a set of examples with the depth that is left; an action is a
test, or to stop with a label; a test leads to the examples that answer yes with probability equal
to their share of the weight, else to the others. A deterministic policy is a tree, and its
expected cost is the objective of that tree (their Proposition 1), so we minimise additive costs
instead of maximising rewards. Equal sets reached by different tests are one state, which makes
the search space a directed acyclic graph.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.mdp.generator import AllTests, TestGenerator
from odt.model.problem import Problem
from odt.model.testset import Test


class State(NamedTuple):
    """A node of the search space.

    Attributes
    ----------
    examples : int
        Set of distinct rows, as a bit mask over ``TreeMDP.weights``.
    depth : int
        Tests that may still be asked on this path, never more than can be useful.
    used : int
        Features asked above, as a bit mask; 0 where the objective does not need them.
    position : str or None
        Where in the tree we are, as long as something is demanded at or below it
        (`odt.model.positions`); None elsewhere.
    """

    examples: int
    depth: int
    used: int = 0
    position: str | None = None


class Split(NamedTuple):
    """A test that is an action of a state, with the sets it leads to."""

    test: Test
    left: int
    right: int


class TreeMDP:
    """The decision process of a problem under a test generator.

    Parameters
    ----------
    problem : Problem
    generator : TestGenerator, optional
        All candidate tests by default.

    Attributes
    ----------
    problem : Problem
    generator : TestGenerator
    weights : ndarray of int64, shape (m, K)
        Weight units of each class on each distinct row.
    rows : ndarray of int64, shape (m,)
        Number of examples on each distinct row.
    """

    def __init__(self, problem: Problem, generator: TestGenerator | None = None) -> None:
        self.problem = problem
        self.generator = generator or AllTests()
        self._left: dict[Test, int] = {}
        if not self.is_restricted:
            compiled = problem.compiled
            self.weights, self.rows = compiled.weights, compiled.rows
            self._moments = compiled.moments
            self._number = {test: t for t, test in enumerate(compiled.tests)}
        else:
            merged = problem.dataset.merged
            self.weights, self.rows = merged.weights, merged.rows
            self._moments = merged.moments

    @property
    def is_restricted(self) -> bool:
        """Whether the generator may leave out candidate tests of the problem."""
        return not isinstance(self.generator, AllTests)

    @property
    def initial(self) -> State:
        """All examples, the full depth, no feature used."""
        position = None if self.problem.limits.positions is None else ""
        return self.state(
            (1 << len(self.weights)) - 1, self.problem.limits.useful_depth, 0, position
        )

    def state(self, examples: int, depth: int, used: int, position: str | None = None) -> State:
        """Return the state with its depth cut to what can be useful.

        A set of m distinct rows is separated by m - 1 tests, so more depth makes no other state.
        """
        return State(examples, min(depth, examples.bit_count() - 1), used, position)

    def may_stop(self, state: State) -> bool:
        """Say whether a leaf is allowed at the position of a state."""
        positions = self.problem.limits.positions
        if positions is None or state.position is None:
            return True
        return positions.allows_leaf(state.position)

    def left_mask(self, test: Test) -> int:
        """Return the set of all rows that answer yes."""
        mask = self._left.get(test)
        if mask is None:
            mask = self._left[test] = self._fresh_mask(test)
        return mask

    def _fresh_mask(self, test: Test) -> int:
        if self.is_restricted:
            return _mask(test.holds(self.problem.dataset.merged.X))
        return int.from_bytes(self.problem.compiled.bits[self._number[test]].tobytes(), "little")

    def splits(self, state: State) -> Iterator[Split]:
        """Yield the tests of a state that leave both sides large enough, without repetition.

        Two tests that split the set in the same way, up to swapping the sides, are one action;
        for each feature if it matters which feature is asked.
        """
        if state.depth < 1:
            return
        seen: set[Hashable] = set()
        examples = state.examples
        per_feature = self.problem.features_matter
        for test in self._offered(state):
            left = examples & self.left_mask(test)
            right = examples ^ left
            if left == 0 or right == 0:
                continue
            side = left if state.position is not None else min(left, right)
            key = (side, test.feature if per_feature else None)
            if key in seen:
                continue
            seen.add(key)
            if self.large_enough(left) and self.large_enough(right):
                yield Split(test, left, right)

    def successors(self, state: State, split: Split) -> tuple[State, State]:
        """Return the states after yes and after no."""
        used = state.used | (1 << split.test.feature) if self._tracks_features else 0
        depth = state.depth - 1
        yes, no = self._position_below(state, "L"), self._position_below(state, "R")
        return self.state(split.left, depth, used, yes), self.state(split.right, depth, used, no)

    def to_networkx(self, max_states: int = 2000) -> Any:
        """Return the process as a NetworkX graph (see `odt.mdp.to_networkx`)."""
        from odt.mdp.graph import to_networkx

        return to_networkx(self, max_states)

    def class_weights(self, examples: int) -> tuple[int, ...]:
        """Return the weight units of each class in a set."""
        return tuple(_weigh(examples, planes) for planes in self._class_planes)

    def weight(self, examples: int) -> int:
        """Return the weight units of a set."""
        return _weigh(examples, self._weight_planes)

    def leaf_errors(self, examples: int) -> int:
        """Return what the best leaf for a set errs: weight misclassified, or squared error."""
        targets = self.problem.dataset.targets
        if targets is None:
            weights = self.class_weights(examples)
            return sum(weights) - max(weights)
        return targets.least_errors(_weigh(examples, planes) for planes in self._moment_planes)

    def base_errors(self, examples: int) -> int:
        """Return what every tree errs in a set, because of equal rows with different answers."""
        return _weigh(examples, self._conflict_planes)

    def _offered(self, state: State) -> Iterable[Test]:
        """The tests of the generator, or those that are forced, without the forbidden ones."""
        positions, position = self.problem.limits.positions, state.position
        if positions is None or position is None:
            return self.generator(self, state)
        if position in positions.forced:
            offered: Iterable[Test] = self.problem.compiled.tests
        else:
            offered = self.generator(self, state)
        return (test for test in offered if positions.allows(position, test))

    def _position_below(self, state: State, answer: str) -> str | None:
        positions = self.problem.limits.positions
        if positions is None or state.position is None:
            return None
        position = state.position + answer
        return position if positions.concerns(position) else None

    @cached_property
    def _tracks_features(self) -> bool:
        return self.problem.costs.uses_explanation

    def large_enough(self, examples: int) -> bool:
        """Say whether a set has the examples and the weight that a leaf needs."""
        rows, weight = self.problem.limits.leaf_rows, self.problem.limits.leaf_weight
        return (rows <= 1 or _weigh(examples, self._row_planes) >= rows) and (
            weight <= 1 or self.weight(examples) >= weight
        )

    @cached_property
    def _class_planes(self) -> tuple[Planes, ...]:
        return tuple(_planes(column) for column in self.weights.T)

    @cached_property
    def _weight_planes(self) -> Planes:
        return _planes(self.weights.sum(axis=1))

    @cached_property
    def _conflict_planes(self) -> Planes:
        targets = self.problem.dataset.targets
        if targets is None or self._moments is None:
            return _planes(self.weights.sum(axis=1) - self.weights.max(axis=1))
        within = [targets.least_errors(moments) for moments in self._moments.tolist()]
        return _planes(np.array(within, dtype=object))

    @cached_property
    def _moment_planes(self) -> tuple[Planes, ...]:
        assert self._moments is not None
        return tuple(_planes(column) for column in self._moments.T)

    @cached_property
    def _row_planes(self) -> Planes:
        return _planes(self.rows)


Planes = tuple[tuple[int, int], ...]
"""An integer for each row, by binary digits: pairs (digit value, mask of rows that have it)."""


def _planes(values: NDArray[np.int64] | NDArray[np.object_]) -> Planes:
    highest = int(values.max(initial=0)).bit_length()
    planes = ((1 << b, _mask(((values >> b) & 1).astype(bool))) for b in range(highest))
    return tuple((worth, mask) for worth, mask in planes if mask)


def _weigh(examples: int, planes: Planes) -> int:
    return sum(worth * (examples & mask).bit_count() for worth, mask in planes)


def _mask(chosen: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")
