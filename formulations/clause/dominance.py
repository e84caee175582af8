"""Rows of a complete-tree clause model that cut off trees but never all best ones.

S3 no test twice on a path; S4 no threshold that an earlier answer decides; S5 no two sibling
leaves of one class; S6 every branch separates something; S7 of two levels that commute, the one
with the lower test first. An optimal tree that breaks S3 to S6 has a branch that can be removed;
one that breaks S7 can be rearranged without changing any measure. Where something is demanded at
a position, branches cannot be moved: S5 and S7 do not hold there, and S6 must.
"""

from __future__ import annotations

import numpy as np

from formulations.clause.variables import ClauseVariables
from formulations.program.clauses import ClauseIR
from formulations.tree.positions import ancestors
from odt.model.compiled import Compiled


def dominance(program: ClauseIR, compiled: Compiled, v: ClauseVariables) -> None:
    """S3 and S4: an answer on the path decides no test below it."""
    for feature in np.unique(v.feature_of[v.asked]).tolist():
        tests = np.flatnonzero(v.feature_of == feature)
        tests = tests[np.argsort(compiled.outcomes[:, tests].sum(axis=0), kind="stable")]
        numeric = compiled.tests[tests[0]].threshold is not None
        for n in range(2, len(v.split)):
            for above in ancestors(n):
                on_left = (n >> (n.bit_length() - above.bit_length() - 1)) % 2 == 0
                here, there = v.asks[n, tests], v.asks[above, tests]
                if not numeric:
                    program.at_most_one(np.stack([here, there], axis=1))
                    continue
                for r in range(len(tests)):
                    lower, upper = (there, here) if on_left else (here, there)
                    program.at_most_one(np.concatenate([lower[: r + 1], upper[r:]]))


def distinct_leaves(program: ClauseIR, compiled: Compiled, v: ClauseVariables) -> None:
    """S5: the leaves below a branch differ."""
    n_internal = len(v.split)
    for n in range(1, n_internal):
        inner = v.split[[c for c in (2 * n, 2 * n + 1) if c < n_internal]]
        for k in range(v.is_class.shape[1]):
            labels = ~v.is_class[[2 * n, 2 * n + 1], k]
            program.clauses(np.concatenate([~v.split[[n]], inner, labels]))


def useful_splits(program: ClauseIR, compiled: Compiled, v: ClauseVariables) -> None:
    """S6: some group goes each way."""
    for child in range(2, len(v.reach)):
        program.clauses(np.append(v.reach[child], ~v.split[child // 2]))


def commuting(program: ClauseIR, compiled: Compiled, v: ClauseVariables) -> None:
    """S7: two children ask the same test only if the parent's has a lower number."""
    ordered = np.unique(v.feature_of[~v.asked])
    asked = np.flatnonzero(v.asked)
    for n in range(1, len(v.split) // 2):
        for i, t in enumerate(asked.tolist()):
            earlier = v.asks[n, asked[: i + 1]]
            both = ~v.asks[[2 * n, 2 * n + 1], t]
            program.clauses(np.concatenate([both, earlier, v.uses[n, ordered]]))
