"""Trees of fast heuristics that a claim must survive."""

from __future__ import annotations

from collections.abc import Iterator

from odt.core.registry import make_solver
from odt.core.run import Budget, Run
from odt.errors import MissingDependencyError, UnsupportedProblemError
from odt.model.problem import Problem
from odt.model.tree import Tree

RIVALS = ("cart", "dpdt")
"""Registered solvers, the faster one first."""


def rival_trees(problem: Problem, run: Run, seconds: float) -> Iterator[Tree]:
    """Yield the tree of each rival that supports the problem and is installed.

    Parameters
    ----------
    problem : Problem
    run : Run
        Gives the seed and the limit on memory.
    seconds : float
        Time for all of them; with none left, none is run.
    """
    clock = Run(problem)
    for name in RIVALS:
        left = seconds - clock.elapsed
        if left <= 0:
            return
        try:
            rival = make_solver(name, {})
            if not problem.needs <= rival.supports:
                continue
            budget = Budget(left, run.budget.memory_limit)
            part = Run(problem, budget, seed=run.seed)
            part.report(tree=rival.solve(problem, part).tree)
        except (MissingDependencyError, UnsupportedProblemError):
            continue  # this rival cannot take part
        if part.tree is not None:
            yield part.tree
