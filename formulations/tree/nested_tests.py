"""Candidate tests by attribute: the thresholds of one feature in order, each category alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.program.base import Ints
from odt.model.compiled import Compiled


@dataclass(frozen=True, eq=False)
class NestedTests:
    """Tests that hold for ever more rows: thresholds of a feature, or a single category test.

    Attributes
    ----------
    tests : ndarray of int64, shape (m,)
        Numbers of compiled tests, by ascending threshold.
    feature : int
    cost : int
        Cost units of any of these tests.
    rank : ndarray of int64, shape (G,)
        How many of the tests do not hold for each group; test number q of the chain holds exactly
        where ``rank <= q``.
    """

    tests: Ints
    feature: int
    cost: int
    rank: Ints


def nested_tests(compiled: Compiled) -> list[NestedTests]:
    """Return the chains of a compiled problem; every test is in exactly one."""
    members: dict[tuple[int, int], list[int]] = {}
    for t, test in enumerate(compiled.tests):
        key = (test.feature, -1 if test.threshold is not None else t)
        members.setdefault(key, []).append(t)
    found = []
    for (feature, _), numbers in members.items():
        ordered = sorted(numbers, key=lambda t: compiled.tests[t].threshold or 0.0)
        tests = np.array(ordered, dtype=np.int64)
        rank = (~compiled.outcomes[:, tests]).sum(axis=1).astype(np.int64)
        found.append(NestedTests(tests, feature, int(compiled.test_costs[tests[0]]), rank))
    return found
