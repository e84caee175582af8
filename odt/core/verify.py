"""What a solver says, checked against the data; a claim that does not hold is refused."""

from __future__ import annotations

from odt.core.audit import witnesses
from odt.core.run import Run, round_up
from odt.core.solver import Solution, Solver, Status
from odt.errors import InconsistentSolutionError
from odt.model.feasibility import misfits
from odt.model.problem import Problem
from odt.model.tree import Tree


def verify(
    problem: Problem, solver: Solver, solution: Solution, run: Run
) -> tuple[Tree | None, int | None, int | None]:
    """Check a solution against the data and return tree, cost and bound.

    The tree is evaluated from the raw rows. Branches that separate nothing, or whose leaves
    agree, are removed first; that never raises the cost. The bound is compared with the costs of
    all known trees and of those next to the best one (`odt.core.audit`).

    Raises
    ------
    InconsistentSolutionError
        If the tree breaks a limit, the bound exceeds the cost of a known tree, OPTIMAL is claimed
        without a bound equal to the cost, or INFEASIBLE although a tree is known.
    """
    try:
        if solution.tree is not None:
            run.report(tree=_allowed_tree(problem, solution))
        elif solution.status in (Status.OPTIMAL, Status.FEASIBLE):
            raise InconsistentSolutionError(f"it says {solution.status.value} without a tree")
        if solution.status is Status.INFEASIBLE:
            _attack_infeasibility(problem, run)
            return None, None, None
        run.report(bound=solution.bound)
        _attack_bound(problem, run)
    except InconsistentSolutionError as error:
        raise InconsistentSolutionError(
            f"The claim of {solver.name!r} is refused: {error}."
        ) from None
    if run.tree is None:
        return None, None, run.bound
    best = _normal(problem, run.tree).fitted(problem.dataset)
    return best, problem.cost(best), run.bound


def _normal(problem: Problem, tree: Tree) -> Tree:
    """Collapse the tree, unless that would move branches to where something is demanded."""
    return tree if problem.limits.positions is not None else tree.collapsed(problem.dataset.X)


def _allowed_tree(problem: Problem, solution: Solution) -> Tree:
    assert solution.tree is not None
    broken = list(misfits(problem.dataset, solution.tree))
    tree = solution.tree if broken else _normal(problem, solution.tree)
    broken = broken or problem.violations(tree)
    if broken:
        raise InconsistentSolutionError(f"its tree breaks the limits ({'; '.join(broken)})")
    if solution.status is Status.OPTIMAL:
        cost = problem.cost(tree)
        bound = None if solution.bound is None else round_up(solution.bound)
        if bound != cost:
            raise InconsistentSolutionError(
                f"it says optimal with the bound {bound}, but its tree costs {cost}"
            )
    return tree


def _attack_infeasibility(problem: Problem, run: Run) -> None:
    tree = run.tree or next(witnesses(problem, None), None)
    if tree is not None:
        raise InconsistentSolutionError(
            f"it says infeasible, but a tree of cost {problem.cost(tree)} exists"
        )


def _attack_bound(problem: Problem, run: Run) -> None:
    if run.bound is None:
        return
    near = witnesses(problem, run.tree, below=run.bound)
    cheapest = min((problem.cost(tree) for tree in near), default=None)
    if cheapest is not None and run.bound > cheapest:
        raise InconsistentSolutionError(
            f"the bound {run.bound} exceeds the cost {cheapest} of a tree next to its own"
        )
