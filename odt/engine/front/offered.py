"""What a compiled rule offers in one state of a `TreeMDP`, as tests."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from odt.engine.front.columns import Columns
from odt.engine.front.kernels.generate import offered_tests as compiled_tests
from odt.engine.front.kernels.layout import ROW_MASK
from odt.engine.front.search import packed_rule
from odt.engine.squares import rules_for
from odt.mdp.generator import Rule
from odt.mdp.model import State, TreeMDP
from odt.model.measure import Amounts
from odt.model.problem import Problem
from odt.model.testset import Test

_COLUMNS: WeakKeyDictionary[Problem, Columns] = WeakKeyDictionary()


def columns_of(problem: Problem) -> Columns:
    """Return the columns of a problem, built once."""
    if problem not in _COLUMNS:
        _COLUMNS[problem] = Columns.of(problem)
    return _COLUMNS[problem]


def offered_tests(mdp: TreeMDP, state: State, rule: Rule) -> tuple[Test, ...]:
    """Return the tests a rule offers in a state, without repetition.

    Parameters
    ----------
    mdp : TreeMDP
        With a generator other than `AllTests`, so that its rows are the distinct rows.
    state : State
    rule : Rule
    """
    columns = columns_of(mdp.problem)
    if not columns.columns:
        return ()
    inside = np.array([state.examples >> g & 1 for g in columns.group.tolist()], dtype=bool)
    keys = columns.keys
    part = np.ascontiguousarray(keys[inside[keys & ROW_MASK]].reshape(len(keys), -1))
    (rule,) = rules_for(mdp.problem.dataset, (rule,))
    packed = np.array(packed_rule(rule, len(rule.all_rules)))
    data = columns.data(Amounts(), frozenset(r.criterion for r in rule.all_rules))
    size = part.shape[1]
    side, spare = np.zeros(columns.n_rows, dtype=np.uint8), np.empty(size, dtype=np.int64)
    found = compiled_tests(data, part, size, packed, np.uint8(0), np.empty_like(part), side, spare)
    return tuple(dict.fromkeys(columns.test(f, cut) for f, cut in found.tolist()))
