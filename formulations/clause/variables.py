"""The variables of the clause model, and their meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from formulations.program.base import Ints, Values
from formulations.program.clauses import ClauseIR, truth
from formulations.tree.positions import Bools, Flow, HeapTree, by_position, model_features
from odt.model.compiled import Compiled

NONE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class ClauseVariables:
    """Blocks of variables by position; position 0 is not used. Literals where stated.

    Attributes
    ----------
    split : ndarray of int64, shape (2**D,)
    uses : ndarray of int64, shape (2**D, J)
        The branch tests the feature (`model_features`).
    asks : ndarray of int64, shape (2**D, T)
        The branch asks the test; unusable for tests of ordered features.
    left : ndarray of int64, shape (2**D, G)
        The test of the branch holds for the group.
    reach : ndarray of int64, shape (2**(D+1), G)
        The group visits the position.
    is_class : ndarray of int64, shape (2**(D+1), K)
        Literals: the label of the position is the class.
    feature_of : ndarray of int64, shape (T,)
        Column of ``uses`` of each test.
    asked : ndarray of bool, shape (T,)
        Which tests have ``asks``.
    """

    split: Ints
    uses: Ints
    asks: Ints
    left: Ints
    reach: Ints
    is_class: Ints
    feature_of: Ints
    asked: Bools

    @classmethod
    def add(cls, program: ClauseIR, compiled: Compiled, depth: int, limit: int) -> Self:
        """Add the variables of a tree of the given depth to a program.

        Parameters
        ----------
        program : ClauseIR
        compiled : Compiled
        depth : int
        limit : int
            Features with more tests than this are ordered, if all are thresholds of one chain.
        """
        features = model_features(compiled)
        feature_of = np.searchsorted(features, compiled.features)
        count = np.bincount(feature_of, minlength=len(features))
        unordered = [test.threshold is None or test.missing_left for test in compiled.tests]
        n, n_groups = 2**depth - 1, compiled.n_groups
        asked = (count[feature_of] <= limit) | np.isin(
            feature_of, feature_of[np.array(unordered, dtype=bool)]
        )
        several = np.flatnonzero(asked & (count[feature_of] > 1))
        split = program.variables("split", n, start=1)
        uses = program.variables("uses", n, len(features), start=1)
        asks = np.full((n, compiled.n_tests), NONE)
        alone = asked & (count[feature_of] == 1)
        asks[:, alone] = uses[:, feature_of[alone]]
        asks[:, several] = program.variables("asks", n, len(several), start=1)
        left = program.variables("left", n, n_groups, start=1)
        reach = program.variables("reach", 2 * n + 1, n_groups, start=1)
        labels = _label_literals(program, 2 * n + 1, compiled.weights.shape[1])
        return cls(
            split=by_position(split),
            uses=by_position(uses),
            asks=by_position(asks),
            left=by_position(left),
            reach=by_position(reach),
            is_class=by_position(labels),
            feature_of=feature_of,
            asked=asked,
        )

    def heap(self, values: Values, compiled: Compiled) -> HeapTree:
        """Return the tree that ``values`` stand for."""
        size = len(self.split)
        heap = HeapTree(np.full(size, -1), np.full(2 * size, -1))
        heap.label[1:] = truth(values, self.is_class[1:]).argmax(axis=1)
        holds = compiled.outcomes.sum(axis=0)
        for n in range(1, size):
            if values[self.split[n]]:
                feature = int(values[self.uses[n]].argmax())
                tests = np.flatnonzero(self.feature_of == feature)
                if self.asked[tests[0]]:
                    heap.test[n] = tests[values[self.asks[n, tests]].argmax()]
                else:
                    n_left = int(values[self.left[n]].sum())
                    heap.test[n] = tests[np.abs(holds[tests] - n_left).argmin()]
        return heap

    def assign(self, values: Values, heap: HeapTree, flow: Flow) -> None:
        """Fill in the values of these variables for a tree."""
        values[self.split[1:]] = flow.split[1:]
        values[self.uses[1:]] = flow.uses[1:]
        values[self.left[1:]] = flow.left[1:]
        values[self.reach[1:]] = flow.reach[1:]
        for n in np.flatnonzero(heap.test[1:] >= 0) + 1:
            if self.asked[heap.test[n]]:
                values[self.asks[n, heap.test[n]]] = 1
        label = np.maximum(heap.label, 0)[1:]
        chosen = self.is_class[np.arange(1, len(label) + 1), label]
        values[np.maximum(chosen, ~chosen)] = chosen >= 0


def _label_literals(program: ClauseIR, n: int, n_classes: int) -> Ints:
    if n_classes == 2:
        second = program.variables("label", n, start=1)
        return np.stack([~second, second], axis=1)
    labels = program.variables("label", n, n_classes, start=1)
    program.exactly_one(labels)
    return labels
