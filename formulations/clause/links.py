"""How the variables of the clause model hang together (numbers as in `clause_tree`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formulations.clause.variables import ClauseVariables
from formulations.program.base import Ints
from formulations.program.clauses import ClauseIR
from odt.errors import Stopped
from odt.model.compiled import Compiled


def link_tests(
    program: ClauseIR, compiled: Compiled, v: ClauseVariables, stop: Callable[[], bool]
) -> None:
    """Choose a feature and a test at each branch; a test decides where each group goes (1-3)."""
    split, uses, left = v.split[1:], v.uses[1:], v.left[1:]
    program.exactly_one(np.column_stack([uses, ~split]))
    n = len(v.split) // 2
    program.clauses(np.stack([~v.split[2:], np.repeat(v.split[1:n], 2)], axis=1))
    program.implies(split, np.tile(v.is_class[1 : len(v.split), [0]], 1))
    program.implies(~split, ~left)
    for feature in range(uses.shape[1]):
        tests = np.flatnonzero((v.feature_of == feature) & v.asked)
        if len(tests) > 1:
            program.exactly_one(np.column_stack([v.asks[1:, tests], ~uses[:, feature]]))
    for t in np.flatnonzero(v.asked).tolist():
        Stopped.poll(stop)
        program.implies(v.asks[1:, t], np.where(compiled.outcomes[:, t], left, ~left))
    if v.asked.any():
        _support(program, compiled, v, stop)


def _support(
    program: ClauseIR, compiled: Compiled, v: ClauseVariables, stop: Callable[[], bool]
) -> None:
    """A group goes left, or right, only by a test that says so, or by an ordered feature."""
    split, left = v.split[1:], v.left[1:]
    ordered = np.unique(v.feature_of[~v.asked])
    rank = {j: _ranks(compiled, v, j) for j in ordered.tolist()}
    for u in range(compiled.n_groups):
        Stopped.poll(stop)
        for holds, away in ((True, ~left[:, [u]]), (False, left[:, [u]])):
            tests = v.asked & (compiled.outcomes[u] == holds)
            able = [j for j, r in rank.items() if (r[u] < r.max() if holds else r[u] > 0)]
            columns = [away, v.asks[1:, tests], v.uses[1:, able]]
            program.clauses(np.column_stack(columns if holds else [*columns, ~split]))


def link_orders(
    program: ClauseIR, compiled: Compiled, v: ClauseVariables, stop: Callable[[], bool]
) -> None:
    """Under an ordered feature the groups that go left are a prefix (4)."""
    for feature in np.unique(v.feature_of[~v.asked]).tolist():
        Stopped.poll(stop)
        rank = _ranks(compiled, v, feature)
        order = np.argsort(rank, kind="stable")
        low, high = order[:-1], order[1:]
        tied = rank[low] == rank[high]
        uses, left = ~v.uses[1:, [feature]], v.left[1:]
        prefix = [uses + 0 * low, ~left[:, high], left[:, low]]
        program.clauses(np.stack(prefix, axis=-1).reshape(-1, 3))
        ties = [uses + 0 * low[tied], ~left[:, low[tied]], left[:, high[tied]]]
        program.clauses(np.stack(ties, axis=-1).reshape(-1, 3))
        ends = np.stack([left[:, order[0]], ~left[:, order[-1]]], axis=1)
        program.implies(v.uses[1:, feature], ends)


def link_reach(
    program: ClauseIR, compiled: Compiled, v: ClauseVariables, stop: Callable[[], bool]
) -> None:
    """Groups flow from the root along the branches (5); dead positions have class 0 (6)."""
    program.clauses(v.reach[1][:, None])
    n = len(v.split)
    program.implies(~v.split[1:].repeat(2), v.is_class[2 : 2 * n, [0]])
    for position in range(1, n):
        Stopped.poll(stop)
        here, left = v.reach[position], v.left[position]
        down, split = v.reach[2 * position], np.full(len(here), v.split[position])
        program.clauses(np.stack([~down, here], axis=1))
        program.clauses(np.stack([~down, left], axis=1))
        program.clauses(np.stack([down, ~here, ~left], axis=1))
        down = v.reach[2 * position + 1]
        program.clauses(np.stack([~down, here], axis=1))
        program.clauses(np.stack([~down, ~left], axis=1))
        program.clauses(np.stack([~down, split], axis=1))
        program.clauses(np.stack([down, ~here, ~split, left], axis=1))


def _ranks(compiled: Compiled, v: ClauseVariables, feature: int) -> Ints:
    """How many tests of an ordered feature each group fails: its place in the order."""
    return np.asarray((~compiled.outcomes[:, v.feature_of == feature]).sum(axis=1))
