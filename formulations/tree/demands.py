"""Rows that demand or forbid tests at positions of a complete tree."""

from __future__ import annotations

import numpy as np

from formulations.program.base import Ints, Program
from formulations.tree.positions import position_number
from odt.model.compiled import Compiled
from odt.model.positions import Positions


def demands(program: Program, compiled: Compiled, asks: Ints, positions: Positions) -> None:
    """What is forced at a position is there; what is forbidden is not.

    Parameters
    ----------
    program : Program
    compiled : Compiled
    asks : ndarray of int64, shape (2**D, T)
        Variables that say which test a branch asks.
    positions : Positions
    """
    for name in dict.fromkeys((*positions.forced, *positions.forbidden)):
        n = position_number(name)
        here = asks[n] if n < len(asks) else np.zeros(0, dtype=np.int64)
        tests = compiled.tests[: len(here)]
        allowed = np.array([positions.allows(name, test) for test in tests], dtype=bool)
        if name in positions.forced:
            program.clauses(here[allowed][None, :])  # empty: never true
        if name in positions.forbidden and not allowed.all():
            program.clauses(~here[~allowed][:, None])
