"""Several solvers on one problem, as a table of values, bounds and gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from odt.core.registry import make_solver
from odt.core.result import Result, relative_gap
from odt.core.run import Budget
from odt.core.solver import Solver, Status
from odt.errors import (
    InconsistentSolutionError,
    MissingDependencyError,
    ProblemError,
    UnsupportedProblemError,
    was_interrupted,
)
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.solve import solve

Choice = str | Solver | type[Solver]

COLUMNS = (
    "solver", "exact", "status", "objective", "bound", "gap", "gap_to_best_bound",
    "gap_to_best_tree", "error", "size", "depth", "expected_tests", "explanation_size",
    "worst_explanation_size", "time", "stopped_by", "reason",
)  # fmt: skip
"""Columns of the table that `compare` returns."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """What became of one solver in a comparison.

    Attributes
    ----------
    solver : str
        Its label in the table.
    exact : bool or None
        Whether it can prove optimality; None if it is not installed.
    status : str
        That of the result; without one ``"unsupported"``, ``"not installed"``, ``"refused"`` (its
        claim did not agree with its tree), ``"failed"`` or ``"not run"``.
    result : Result or None
    reason : str
        Why there is no result; empty if there is one.
    """

    solver: str
    exact: bool | None
    status: str
    result: Result | None = None
    reason: str = ""


def compare(
    problem: Problem,
    solvers: Iterable[Choice] | Mapping[str, Choice],
    *,
    budget: Budget | None = None,
    warm_start: bool = False,
    seed: int = 0,
    check: bool | None = None,
    n_jobs: int | None = None,
    on_attempt: Callable[[Attempt], None] | None = None,
) -> Any:
    """Solve a problem with several solvers and tabulate how far each is from the best.

    Heuristics run first, then exact solvers. A solver that fails or cannot state the problem has
    a row with the reason. Ctrl-C ends the running solver with its incumbent and skips the rest.

    Parameters
    ----------
    problem : Problem
    solvers : iterable of str or Solver, or mapping of label to these
        A mapping tells apart several settings of one solver.
    budget : Budget, optional
        For each solver.
    warm_start : bool, default False
        Hand the best tree of the heuristics to the exact solvers.
    seed : int, default 0
    check : bool, optional
        As for `solve`.
    n_jobs : int, optional
        How many solvers run at a time, through joblib: inside ``joblib.parallel_config`` they
        spread over a Dask or Ray cluster. Times are comparable only with one at a time.
    on_attempt : callable, optional
        Called with each `Attempt` as it arrives.

    Returns
    -------
    DataFrame
        One row a solver, in the order given. ``bound`` and ``gap`` rest on the solver's own
        bound; ``gap_to_best_bound`` and ``gap_to_best_tree`` on the best of all solvers. Gaps are
        relative to the solver's own objective. ``time`` is in wall-clock seconds.

    Raises
    ------
    InconsistentSolutionError
        If one solver's bound exceeds the value of another's tree; names both.
    UnknownSolverError, ProblemError
        For an unknown name or option, before anything runs.
    """
    entrants = _entrants(solvers)
    attempts: dict[str, Attempt] = {}
    for attempt in _attempts(problem, entrants, budget, warm_start, (seed, check), n_jobs):
        attempts[attempt.solver] = attempt
        if on_attempt is not None:
            on_attempt(attempt)
    check_agreement(attempts.values())
    return tabulate(attempts[label] for label in entrants)


def check_agreement(attempts: Iterable[Attempt]) -> None:
    """Compare the claims of the solvers with each other.

    Raises
    ------
    InconsistentSolutionError
        If a solver has a bound above the cost of another's tree, or says infeasible where
        another has a tree.
    """
    results = [(o.solver, o.result) for o in attempts if o.result is not None]
    found = [(name, r.cost) for name, r in results if r.cost is not None]
    if not found:
        return
    winner, cost = min(found, key=lambda pair: pair[1])
    for name, result in results:
        if result.status is Status.INFEASIBLE:
            claim = "says that no tree keeps the limits"
        elif result.cost_bound is not None and result.cost_bound > cost:
            claim = f"claims the lower bound {result.cost_bound}"
        else:
            continue
        raise InconsistentSolutionError(
            f"{name!r} {claim}, but {winner!r} found a tree of cost {cost} (integer cost units). "
            "The tree is verified, so the bound is wrong."
        )


def tabulate(attempts: Iterable[Attempt]) -> Any:
    """Return attempts of one problem as a DataFrame with the columns `COLUMNS`.

    For regression ``squared_error`` stands in the place of ``error``.
    """
    import pandas as pd

    attempts = list(attempts)
    results = [o.result for o in attempts if o.result is not None]
    best_cost = min((r.cost for r in results if r.cost is not None), default=None)
    best_bound = max((r.cost_bound for r in results if r.cost_bound is not None), default=None)
    rows = [row_of(attempt, best_cost, best_bound) for attempt in attempts]
    of_targets = any(r.problem.dataset.targets is not None for r in results)
    error = "squared_error" if of_targets else "error"
    return pd.DataFrame(rows, columns=[error if name == "error" else name for name in COLUMNS])


def row_of(attempt: Attempt, best_cost: int | None, best_bound: int | None) -> dict[str, Any]:
    """Return the row of an attempt, with gaps to the best cost and bound that are known."""
    row = {name: getattr(attempt, name) for name in ("solver", "exact", "status", "reason")}
    result = attempt.result
    if result is None:
        return row
    row |= {
        "objective": result.objective,
        "bound": result.bound,
        "time": result.runtime["total"],
        "stopped_by": result.stopped_by,
    }
    if result.tree is None or result.cost is None:
        return row
    row |= {
        "gap": _gap(result, result.cost_bound),
        "gap_to_best_bound": _gap(result, best_bound),
        "gap_to_best_tree": _gap(result, best_cost),
    }
    return row | result.tree.measures(result.problem.dataset)


def _gap(result: Result, bound: int | None) -> float | None:
    if result.cost is None or bound is None:
        return None
    return relative_gap(result.problem, result.cost, bound)


def _entrants(solvers: Iterable[Choice] | Mapping[str, Choice]) -> dict[str, Solver | Attempt]:
    """Label the solvers; those that are not installed are attempts already."""
    if isinstance(solvers, str | Solver | type):
        raise ProblemError(f"compare() takes a list of solvers. Got {solvers!r} instead.")
    named = solvers.items() if isinstance(solvers, Mapping) else ((None, s) for s in solvers)
    entrants: dict[str, Solver | Attempt] = {}
    for given, choice in named:
        label = given or (choice if isinstance(choice, str) else "")
        try:
            solver = make_solver(choice, {})
            label = label or _label(solver)
            entrant: Solver | Attempt = solver
        except MissingDependencyError as error:
            label = label or choice.name  # type: ignore[union-attr]  # a str has a label
            entrant = Attempt(label, None, "not installed", reason=str(error))
        if label in entrants:
            raise ProblemError(
                f"Two solvers are called {label!r}: give a mapping of distinct labels to solvers."
            )
        entrants[label] = entrant
    if not entrants:
        raise ProblemError("compare() needs at least one solver.")
    return entrants


def _label(solver: Solver) -> str:
    """Name a solver object with the options that differ from their defaults."""
    changed = [
        f"{f.name}={getattr(solver, f.name)}"
        for f in fields(solver)  # type: ignore[arg-type]  # solvers are dataclasses
        if f.init and getattr(solver, f.name) != f.default
    ]
    return f"{solver.name}({', '.join(changed)})" if changed else solver.name


def _attempts(
    problem: Problem,
    entrants: Mapping[str, Solver | Attempt],
    budget: Budget | None,
    warm_start: bool,
    settings: tuple[int, bool | None],
    n_jobs: int | None,
) -> Iterator[Attempt]:
    """Yield one attempt for each entrant: heuristics, then exact solvers, then those not run."""
    waiting = {label: e for label, e in entrants.items() if isinstance(e, Solver)}
    done = [e for e in entrants.values() if isinstance(e, Attempt)]
    yield from done
    try:
        for exact in (False, True):
            initial = _best_tree(done) if warm_start and exact else None
            calls = [
                (label, solver, budget, initial, *settings)
                for label, solver in waiting.items()
                if solver.exact is exact
            ]
            for attempt in _parallel(problem, calls, n_jobs):
                done.append(attempt)
                waiting.pop(attempt.solver)
                yield attempt
                if attempt.result is not None and attempt.result.stopped_by == "interrupt":
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        for label, solver in waiting.items():
            yield Attempt(label, solver.exact, "not run", reason="interrupted before its turn")


def _parallel(
    problem: Problem, calls: list[tuple[Any, ...]], n_jobs: int | None
) -> Iterator[Attempt]:
    """Yield attempts as they arrive; where the joblib backend cannot do so, all at the end."""
    from joblib import Parallel, delayed

    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:
        parallel = Parallel(n_jobs=n_jobs)
    for attempt in parallel(delayed(attempt_at)(problem, *call) for call in calls):
        if attempt.result is not None:  # a result from another process brought its own problem
            attempt = replace(attempt, result=replace(attempt.result, problem=problem))
        yield attempt


def attempt_at(
    problem: Problem,
    label: str,
    solver: Solver,
    budget: Budget | None,
    initial: Tree | None,
    seed: int,
    check: bool | None,
) -> Attempt:
    """Let one solver try a problem; what goes wrong is the status."""
    try:
        result = solve(problem, solver, budget=budget, initial=initial, seed=seed, check=check)
    except UnsupportedProblemError as error:
        return Attempt(label, solver.exact, "unsupported", reason=str(error))
    except InconsistentSolutionError as error:
        return Attempt(label, solver.exact, "refused", reason=str(error))
    except MissingDependencyError as error:
        return Attempt(label, solver.exact, "not installed", reason=str(error))
    except Exception as error:
        if was_interrupted(error):
            raise KeyboardInterrupt from error
        # a row says so: one broken solver must not hide the others
        return Attempt(label, solver.exact, "failed", reason=f"{type(error).__name__}: {error}")
    return Attempt(label, solver.exact, result.status.value, result)


def _best_tree(attempts: Iterable[Attempt]) -> Tree | None:
    results = [o.result for o in attempts if o.result is not None and o.result.cost is not None]
    best = min(results, key=lambda r: r.cost or 0, default=None)
    return None if best is None else best.tree
