"""`template`: a small, complete formulation to copy. Replace this by your paper's model.

It is a working model of complete trees, without symmetry breaking. In the order of a paper, with
positions n, groups u of equal examples, features j, tests t and classes k:

1. split[n] = sum_j uses[n, j];  uses[n, j] = sum_{t on j} asks[n, t];  no split below a leaf
2. asks[n, t] and reach[n, u]  ->  reach[2n, u] if t holds for u, else reach[2n + 1, u]
3. reach[1, u];  a group reaches a child only with its parent, and one child at most
4. one label[n, k] for each position
5. reach[n, u] and not split[n] and not label[n, k]  ->  wrong[u, k], for the classes k in u
   errors = sum_{u, k} w_{u, k} wrong[u, k]

All measures and limits come from `formulations.tree.measures`, which needs split, reach and uses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from formulations.author import (
    ADDITIVE,
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    MAXIMA,
    TESTS,
    Capability,
    ClauseIR,
    Expression,
    Formulation,
    Goal,
    HeapTree,
    Model,
    Need,
    Placement,
    Problem,
    Stopped,
    Tree,
    TreeMeasures,
    TreeVariables,
    Values,
    by_position,
    model_depth,
    model_features,
)

if TYPE_CHECKING:
    from formulations.backends.cp_sat import CpSatEmitter


@dataclass(frozen=True)
class Template(Formulation[ClauseIR]):
    """What a user sees: the name, what it supports, and the options (the fields)."""

    name: ClassVar[str] = "template"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.MAX_NODES, Capability.MAX_FEATURES, Capability.FEATURE_BUDGET}
    )
    requires: ClassVar[tuple[str, ...]] = ("ortools",)
    reference: ClassVar[str] = "the paper"

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> TemplateModel:
        """Write the model."""
        return TemplateModel(problem, goal, stop)

    def emitter(self) -> CpSatEmitter:
        """Return the way to the solver library."""
        from formulations.backends.cp_sat import CpSatEmitter

        return CpSatEmitter()


class TemplateModel(Model[ClauseIR]):
    """Variables, constraints and objective, and the way from and to trees."""

    def __init__(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> None:
        self._problem, compiled = problem, problem.compiled
        self._features = model_features(compiled)
        self._present = np.nonzero(compiled.weights)  # groups and classes with examples
        branches, n_groups = 2 ** model_depth(problem) - 1, compiled.n_groups
        positions, n_classes = 2 * branches + 1, compiled.weights.shape[1]
        self.program = program = ClauseIR()
        self._split = by_position(program.variables("split", branches, start=1))
        self._uses = by_position(program.variables("uses", branches, len(self._features), start=1))
        self._asks = by_position(program.variables("asks", branches, compiled.n_tests, start=1))
        self._reach = by_position(program.variables("reach", positions, n_groups, start=1))
        self._label = by_position(program.variables("label", positions, n_classes, start=1))
        self._wrong = program.variables("wrong", len(self._present[0]))
        self._choose_tests()
        self._route(stop)
        self._count_errors()
        errors = Expression.of(self._wrong, compiled.weights[self._present])
        tree = TreeVariables(self._split, self._reach, self._uses, errors)
        self._measures = TreeMeasures(program, problem, tree)
        self._measures.apply(goal)

    def _choose_tests(self) -> None:
        """Constraints 1 and 4."""
        program, split, uses = self.program, self._split, self._uses
        program.exactly_one(np.column_stack([uses[1:], ~split[1:]]))
        for column, feature in enumerate(self._features.tolist()):
            tests = self._problem.compiled.features == feature
            program.exactly_one(np.column_stack([self._asks[1:, tests], ~uses[1:, column]]))
        for n in range(2, len(split)):
            program.clauses([~split[n], split[n // 2]])
        program.exactly_one(self._label[1:])

    def _route(self, stop: Callable[[], bool]) -> None:
        """Constraints 2 and 3."""
        program, holds = self.program, self._problem.compiled.outcomes
        program.clauses(self._reach[1][:, None])
        for n in range(1, len(self._split)):
            Stopped.poll(stop)
            here, left, right = self._reach[[n, 2 * n, 2 * n + 1]]
            for t in range(holds.shape[1]):
                child = np.where(holds[:, t], left, right)
                asked = np.full_like(child, ~self._asks[n, t])
                program.clauses(np.stack([asked, ~here, child], axis=1))
            program.clauses(np.stack([~left, here], axis=1))
            program.clauses(np.stack([~right, here], axis=1))
            program.clauses(np.stack([~left, ~right], axis=1))
            split = np.full_like(here, self._split[n])
            program.clauses(np.stack([split, ~left], axis=1))
            program.clauses(np.stack([split, ~right], axis=1))

    def _count_errors(self) -> None:
        """Constraint 5."""
        groups, classes = self._present
        for n in range(1, len(self._reach)):
            columns = [~self._reach[n, groups], self._label[n, classes], self._wrong]
            if n < len(self._split):
                columns.append(np.full_like(self._wrong, self._split[n]))
            self.program.clauses(np.stack(columns, axis=1))

    def decode(self, values: Values) -> Tree:
        """Read the test and the label of each position."""
        compiled = self._problem.compiled
        heap = HeapTree(np.full(len(self._split), -1), np.full(len(self._reach), -1))
        for n in range(1, len(self._split)):
            if values[self._split[n]]:
                heap.test[n] = values[self._asks[n]].argmax()
        heap.label[1:] = values[self._label[1:]].argmax(axis=1)
        return heap.tree(compiled)

    def encode(self, tree: Tree) -> Values | None:
        """Write a tree as values of all variables."""
        compiled = self._problem.compiled
        heap = Placement(self._problem).place(tree)
        if heap is None:
            return None
        flow = heap.flow(compiled)
        values = np.zeros(self.program.n_variables, dtype=np.int64)
        values[self._split[1:]] = flow.split[1:]
        values[self._uses[1:]] = flow.uses[1:]
        values[self._reach[1:]] = flow.reach[1:]
        branches = np.flatnonzero(flow.split)
        values[self._asks[branches, heap.test[branches]]] = 1
        label = np.maximum(heap.label, 0)
        values[self._label[np.arange(1, len(label)), label[1:]]] = 1
        groups, classes = self._present
        leaf_of = (flow.reach & (heap.label >= 0)[:, None]).argmax(axis=0)
        values[self._wrong] = heap.label[leaf_of[groups]] != classes
        self._measures.assign(values, flow)
        return values
