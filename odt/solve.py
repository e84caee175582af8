"""From a problem to a verified result, on one screen."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from odt.core.fallback import offer_cart, seconds_for_cart
from odt.core.registry import make_solver, solvers_supporting
from odt.core.result import Result
from odt.core.run import Budget, Run, TracePoint
from odt.core.solver import Solution, Solver, Status
from odt.core.verify import verify
from odt.errors import Stopped, TooLargeError, UnsupportedProblemError
from odt.model.problem import Problem
from odt.model.tree import Tree

_FRAMES_PER_TEST = 10
"""Calls on the stack for each test of a path, with room to spare."""


def solve(
    problem: Problem,
    solver: str | Solver | type[Solver] = "auto",
    *,
    budget: Budget | None = None,
    initial: Tree | None = None,
    on_report: Callable[[TracePoint], None] | None = None,
    seed: int = 0,
    check: bool | None = None,
    **options: Any,
) -> Result:
    """Solve a problem and verify what the solver claims.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver or subclass of Solver, default "auto"
        A registered name (``odt.solver_names()``) or your own. ``"auto"`` starts with the tree of
        ``dpdt`` and goes on with the exact engine that fits the problem.
    budget : Budget, optional
        Time, memory, threads. When one is used up, or on Ctrl-C, the best tree so far is returned
        with its bound. It is never worse than that of ``cart``, where ``cart`` supports the
        problem; a little of the time is kept back for that.
    initial : Tree, optional
        A tree to start from; the result is never worse.
    on_report : callable, optional
        Called with a `TracePoint` for each better tree or bound.
    seed : int, default 0
        Seed of everything random.
    check : bool, optional
        Whether to attack the solver's claim thoroughly with other trees; by default only if it
        is not one of odt's own. True may take the time limit once more. What verification can
        and cannot see is in docs/verification.md.
    **options
        Options of the solver (``odt solvers NAME`` lists them).

    Returns
    -------
    Result

    Raises
    ------
    UnknownSolverError, MissingDependencyError
    UnsupportedProblemError
        If the problem needs something that the solver cannot do; names the solvers that can.
    InconsistentSolutionError
        If the solver's claim does not agree with its tree.
    """
    chosen = make_solver(solver, options)
    match(problem, chosen)
    run = Run(problem, budget, seed=seed, initial=initial, on_report=on_report)
    run.keep_back(seconds_for_cart(problem))
    _allow_recursion(problem.limits.useful_depth)
    started = run.elapsed
    with interruptible(run):
        solution = _run(chosen, problem, run)
        run.keep_back(0.0)
        if _ended_early(solution, run, chosen):
            with suppress(KeyboardInterrupt):
                offer_cart(run)
        solved = run.elapsed
        tree, cost, bound = verify(problem, chosen, solution, run, check)
    total = run.elapsed
    stages = {"solve": solved - started, "verify": total - solved, "compile": run.compiling}
    return Result(
        solver=chosen.name,
        problem=problem,
        status=_status(solution, tree, cost, bound),
        stopped_by=_reason(solution, cost, bound, run),
        tree=tree,
        cost=cost,
        cost_bound=bound,
        runtime={**stages, "total": total},
        trace=tuple(run.trace),
        stats=dict(solution.stats),
    )


def match(problem: Problem, solver: Solver) -> None:
    """Refuse a problem that needs more than the solver supports.

    Raises
    ------
    UnsupportedProblemError
        Names what is missing and the solvers that support it all.
    """
    missing = problem.needs - solver.supports
    if missing:
        able = solvers_supporting(problem.needs)
        raise UnsupportedProblemError(
            f"The solver {solver.name!r} does not support "
            f"{', '.join(sorted(f.value for f in missing))}. "
            f"Solvers that do: {', '.join(able) or 'none'}."
        )


def _allow_recursion(depth: int) -> None:
    """Let searches and trees of this depth recurse; Python's calls do not use the C stack.

    The limit is never lowered, because another thread may be deep in a search.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + _FRAMES_PER_TEST * depth))


def _run(solver: Solver, problem: Problem, run: Run) -> Solution:
    try:
        return solver.solve(problem, run)
    except KeyboardInterrupt:
        run.stopped_by = "interrupt"
    except MemoryError:
        run.stopped_by = "memory"
    except TooLargeError as error:
        run.stopped_by = run.stopped_by or "memory"
        return Solution(Status.UNKNOWN, stats={"too_large": str(error)})
    except Stopped:
        pass
    return Solution(Status.UNKNOWN)


def _ended_early(solution: object, run: Run, solver: Solver) -> bool:
    if not isinstance(solution, Solution):
        return False  # the referee says what is wrong with it
    if solution.status is Status.UNKNOWN and solver.exact:
        return True
    proved = solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return run.stopped_by is not None and not proved


def _status(solution: Solution, tree: Tree | None, cost: int | None, bound: int | None) -> Status:
    if solution.status is Status.INFEASIBLE:
        return Status.INFEASIBLE
    if tree is None:
        return Status.UNKNOWN
    return Status.OPTIMAL if cost == bound else Status.FEASIBLE


def _reason(solution: Solution, cost: int | None, bound: int | None, run: Run) -> str:
    if solution.status is Status.INFEASIBLE or (cost is not None and cost == bound):
        return "proof"
    return run.stopped_by or "solver"


@contextmanager
def interruptible(run: Run) -> Iterator[None]:
    """Let the first Ctrl-C end the run gently; a second one raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.getsignal(signal.SIGINT)

    def handler(number: int, frame: FrameType | None) -> None:
        run.interrupt()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
