"""What a solver says, checked against the data; a claim that does not hold is refused."""

from __future__ import annotations

from collections.abc import Mapping

from odt.core.audit import refutation
from odt.core.registry import HOMES
from odt.core.run import Run, check_bound, check_form, round_up
from odt.core.solver import Solution, Solver, Status
from odt.errors import InconsistentSolutionError
from odt.model.feasibility import misfits
from odt.model.problem import Problem
from odt.model.tree import Tree

QUICK_SECONDS = 1.0
THOROUGH_SECONDS = 10.0
"""Most seconds that rivals get for a quick and, unless the run took longer, a thorough attack."""


def verify(
    problem: Problem, solver: Solver, solution: Solution, run: Run, check: bool | None = None
) -> tuple[Tree | None, int | None, int | None]:
    """Check a solution against the data and return tree, cost and bound.

    The tree is evaluated from the raw rows. Branches that separate nothing, or whose leaves
    agree, are removed first; that never raises the cost. The claim is then attacked with other
    trees (`odt.core.audit`).

    Parameters
    ----------
    problem : Problem
    solver : Solver
    solution : Solution
    run : Run
    check : bool, optional
        Whether to attack thoroughly; by default if the solver is not one of odt's own. With True
        this may take the time limit once more, otherwise only what is left of it.

    Raises
    ------
    InconsistentSolutionError
        If the solution is malformed, the tree breaks a limit, the bound exceeds the cost of a
        known tree, OPTIMAL is claimed without a bound equal to the cost, or INFEASIBLE although
        a tree is known.
    """
    thorough = not _is_ours(solver) if check is None else check
    seconds = _seconds(run, thorough, again=check is True)
    try:
        _check_form(solution)
        if solution.tree is not None:
            run.report(tree=_allowed_tree(problem, solution))
        elif solution.status in (Status.OPTIMAL, Status.FEASIBLE):
            raise InconsistentSolutionError(f"it says {solution.status.value} without a tree")
        if solution.status is Status.INFEASIBLE:
            _attack_infeasibility(problem, run, seconds, thorough)
            return None, None, None
        run.report(bound=solution.bound)
        _attack_bound(problem, run, seconds, thorough)
    except InconsistentSolutionError as error:
        raise InconsistentSolutionError(
            f"The claim of {solver.name!r} is refused: {error}."
        ) from None
    if run.tree is None:
        return None, None, run.bound
    best = problem.normal(run.tree).fitted(problem.dataset)
    return best, problem.cost(best), run.bound


def _allowed_tree(problem: Problem, solution: Solution) -> Tree:
    assert solution.tree is not None
    broken = list(misfits(problem.dataset, solution.tree))
    tree = solution.tree if broken else problem.normal(solution.tree)
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


def _attack_infeasibility(problem: Problem, run: Run, seconds: float, thorough: bool) -> None:
    tree = refutation(problem, run, None, seconds, thorough)
    if tree is not None:
        raise InconsistentSolutionError(
            f"it says infeasible, but a tree of cost {problem.cost(tree)} exists"
        )


def _attack_bound(problem: Problem, run: Run, seconds: float, thorough: bool) -> None:
    if run.bound is None or run.bound <= problem.costs.prices.nodes:
        return  # no tree has less than one node
    tree = refutation(problem, run, run.bound, seconds, thorough)
    if tree is not None:
        raise InconsistentSolutionError(
            f"the bound {run.bound} exceeds the cost {problem.cost(tree)} of another tree"
        )


def _is_ours(solver: Solver) -> bool:
    return type(solver).__module__.split(".")[0] in {home.split(".")[0] for home in HOMES}


def _seconds(run: Run, thorough: bool, *, again: bool) -> float:
    """Return how long an attack may take besides the neighbours of the tree."""
    wanted = max(THOROUGH_SECONDS, run.elapsed) if thorough else QUICK_SECONDS
    if again:
        return run.budget.time_limit or wanted
    return min(wanted, run.remaining())


def _check_form(solution: object) -> None:
    """Refuse what is no solution before anything is read from it."""
    if not isinstance(solution, Solution):
        raise InconsistentSolutionError(f"it returned {solution!r}, which is no Solution")
    if not isinstance(solution.status, Status):
        raise InconsistentSolutionError(f"its status is {solution.status!r}, which is no Status")
    if not isinstance(solution.stats, Mapping):
        raise InconsistentSolutionError(f"its stats are {solution.stats!r}, which is no mapping")
    check_bound(solution.bound)
    if solution.tree is not None:
        check_form(solution.tree)
