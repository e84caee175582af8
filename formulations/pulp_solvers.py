"""Linear programs through PuLP, for the solvers it knows (CBC, HiGHS, SCIP, Gurobi, CPLEX, Xpress).

Written in the dialect that PuLP 3.3 and 4 share; how results are read differs and stands in two
small adapters. PuLP has no callbacks that all solvers share, so incumbents come at the end only.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from formulations.base import Listener, Outcome
from formulations.linear import LinearProgram, conclude, plain_names, refuse_lazy_rows
from formulations.program import Values
from odt.errors import MissingDependencyError, Stopped
from odt.run import Limits
from odt.solver import Status

_GRACE = 0.4
"""Seconds a process has to write its solution after its time is up."""
_EARLY = 0.2, 5.0
"""Part of the time, and seconds at most, that CBC is asked to end early: it reacts late."""
_CBC_BOUND = re.compile(r"(?:Lower bound:|best possible)\s*(-?[0-9.e+]+)")
_CBC_VALUE = re.compile(r"Objective value:\s*(-?[0-9.e+]+)")
_NODES = re.compile(r"(?:Enumerated nodes:|nodes?:)\s*([0-9]+)")


class Reading(NamedTuple):
    """What PuLP says after a solve; ``bound`` is without the constant of the objective."""

    infeasible: bool
    has_solution: bool
    proved: bool
    bound: float | None
    nodes: int | None


@dataclass(frozen=True)
class Pulp:
    """A solver that PuLP can call.

    Parameters
    ----------
    solver : str
        ``"cbc"``, ``"highs"``, ``"scip"``, ``"gurobi"``, ``"cplex"`` or ``"xpress"``.
    """

    requires: ClassVar[tuple[str, ...]] = ("pulp",)

    solver: str

    def solve(
        self, program: LinearProgram, hint: Values | None, run: Limits, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``; see `formulations.base.Emitter`."""
        import pulp

        refuse_lazy_rows(program, "PuLP")
        problem, variables = to_pulp(program, run.should_stop)
        if hint is not None:
            for variable, value in zip(variables, np.asarray(hint).tolist(), strict=True):
                variable.setInitialValue(value)
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            library = _library(pulp, self.solver, run, hint is not None, str(log))
            library.tmpDir = folder  # a process of ours is known by the files it works on
            ends_early = self.solver == "cbc" and isfinite(run.remaining())
            reminder = _remind(folder, run.remaining()) if ends_early else None
            try:
                answer = run.call(lambda: problem.solve(library), _interrupter(problem, folder))
            except pulp.PulpSolverError as error:
                stats = {"backend_status": f"failed: {error}"}
                return Outcome(Status.UNKNOWN, None, None, stats)
            finally:
                if reminder is not None:
                    reminder.cancel()
            text = log.read_text(errors="replace") if log.exists() else ""
        read = _read_4 if hasattr(answer, "has_solution") else _read_3
        outcome = _outcome(program, variables, read(problem, answer, text))
        if ends_early and outcome.status in (Status.FEASIBLE, Status.UNKNOWN):
            run.stopped_by = run.stopped_by or "time"
        return outcome


def to_pulp(program: LinearProgram, stop: Callable[[], bool]) -> tuple[Any, list[Any]]:
    """Return a program as a PuLP problem and its variables; raises `Stopped` when told to."""
    import pulp

    problem = pulp.LpProblem("odt", pulp.LpMinimize)
    kinds = np.where(program.integer, "Integer", "Continuous").tolist()
    variables = [
        problem.add_variable(name, 0, high, cat=kind)
        for name, high, kind in zip(
            plain_names(program), program.upper.tolist(), kinds, strict=True
        )
    ]
    used = program.objective.variables.tolist()
    prices = program.objective.coefficients.tolist()
    cost = pulp.lpDot(prices, [variables[v] for v in used])
    problem.setObjective(cost if used else 0 * variables[0])
    matrix, (lower, upper) = program.matrix, program.limits
    for r in range(program.n_rows):
        if stop():
            raise Stopped
        entries = slice(matrix.indptr[r], matrix.indptr[r + 1])
        columns = [variables[v] for v in matrix.indices[entries].tolist()] or [variables[0]]
        left = pulp.lpDot(matrix.data[entries].tolist() or [0.0], columns)
        low, high = float(lower[r]), float(upper[r])
        if low == high:
            problem.addConstraint(left == low, f"r{r}")
            continue
        if isfinite(low):
            problem.addConstraint(left >= low, f"r{r}_low")
        if isfinite(high):
            problem.addConstraint(left <= high, f"r{r}_high")
    return problem, variables


def _library(pulp: Any, name: str, run: Limits, warm: bool, log: str) -> Any:
    """Return PuLP's solver object of that name."""
    limit = max(run.remaining(), 0.1) if isfinite(run.remaining()) else None
    common = {"msg": False, "timeLimit": limit, "gapRel": 0.0}
    seed = run.seed % 2**31
    if name == "cbc":
        kind = pulp.COIN_CMD if pulp.COIN_CMD().available() else pulp.PULP_CBC_CMD
        options = [f"randomSeed {seed}", f"randomCbcSeed {seed}"]
        more = {"gapAbs": 0.99, "threads": run.n_threads, "logPath": log, "options": options}
        library = kind(**common, **more, warmStart=warm)
    elif name == "highs":
        # without presolve: see the fault that `formulations.highs` watches for
        more = {"gapAbs": 0.99, "threads": run.n_threads, "random_seed": seed, "presolve": "off"}
        library = pulp.HiGHS(**common, **more)
    elif name == "scip":
        library = pulp.SCIP_PY(**common, gapAbs=0.99, warmStart=warm)
    else:
        kind = {"gurobi": "GUROBI", "cplex": "CPLEX_PY", "xpress": "XPRESS_PY"}[name]
        library = getattr(pulp, kind)(**common, warmStart=warm)
    if not library.available():
        raise MissingDependencyError(
            f"PuLP does not find {name!r}. Install it (for CBC: pip install pulp[cbc]; for a "
            "commercial solver: its Python package and licence), or use backend='highs'."
        )
    return library


def _interrupter(problem: Any, folder: str) -> Callable[[], None]:
    """Return what ends a running solve: asks the library, or soon after ends its process."""

    def stop() -> None:
        model = getattr(problem, "solverModel", None)
        for method in ("interruptSolve", "cancelSolve", "terminate"):
            if hasattr(model, method):
                getattr(model, method)()
        _tell(folder, signal.SIGINT)
        _later(_GRACE, folder, signal.SIGTERM)

    return stop


def _remind(folder: str, left: float) -> threading.Timer:
    """Ask CBC in good time to end its search: it then writes its best solution and bound."""
    share, most = _EARLY
    return _later(left - min(share * left, most), folder, signal.SIGINT)


def _later(seconds: float, folder: str, number: int) -> threading.Timer:
    timer = threading.Timer(seconds, _tell, [folder, number])
    timer.daemon = True
    timer.start()
    return timer


def _tell(folder: str, number: int) -> None:
    """Send a signal to the processes that work on files in a folder."""
    for process in _processes(folder):
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _processes(folder: str) -> set[int]:
    """Return the child processes that work on files in a folder, where the system lists them."""
    found: set[int] = set()
    for path in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(OSError):
            found |= {int(word) for word in path.read_text().split()}
    named = set()
    for process in found:
        with suppress(OSError):
            if folder.encode() in Path(f"/proc/{process}/cmdline").read_bytes():
                named.add(process)
    return named


def _read_3(problem: Any, answer: Any, log: str) -> Reading:
    """PuLP 3: ``status`` is 1 for a solution that the time limit cut short; look further."""
    solution = problem.sol_status
    return Reading(
        infeasible=solution == -1,
        has_solution=solution in (1, 2),
        proved=solution == 1,
        bound=_library_bound(problem.solverModel, log),
        nodes=_nodes(log),
    )


def _read_4(problem: Any, answer: Any, log: str) -> Reading:
    """PuLP 4: everything is in the statistics that ``solve`` returns."""
    bound = _library_bound(problem.solverModel, log)
    return Reading(
        infeasible="Infeasible" in str(getattr(answer, "status_str", answer.status)),
        has_solution=bool(answer.has_solution),
        proved=int(answer.status) == 1,
        bound=answer.best_bound if bound is None else bound,
        nodes=answer.nodes,
    )


def _library_bound(model: Any, log: str) -> float | None:
    """Return the bound as the solver itself states it."""
    readers: tuple[Callable[[], Any], ...] = (
        lambda: model.getInfo().mip_dual_bound,
        lambda: model.getDualbound(),
        lambda: model.ObjBound,
        lambda: model.solution.MIP.get_best_objective(),
        lambda: model.attributes.bestbound,
    )
    for read in readers:
        with suppress(Exception):
            bound = float(read())
            return bound if isfinite(bound) and abs(bound) < 1e19 else None
    stated = _CBC_BOUND.findall(log)
    if "Optimal solution found" in log:
        stated = _CBC_VALUE.findall(log) or stated
    return float(stated[-1]) if stated and abs(float(stated[-1])) < 1e19 else None


def _nodes(log: str) -> int | None:
    found = _NODES.findall(log)
    return int(found[-1]) if found else None


def _outcome(program: LinearProgram, variables: list[Any], reading: Reading) -> Outcome:
    stats = {
        "variables": program.n_variables,
        "rows": program.n_rows,
        "nonzeros": int(program.matrix.nnz),
        "nodes": reading.nodes,
        "backend_status": f"solution {reading.has_solution}, proof {reading.proved}",
    }
    if reading.infeasible:
        return Outcome(Status.INFEASIBLE, stats=stats)
    values, constant = None, program.objective.constant
    if reading.has_solution:
        values = np.array([float(v.value() or 0.0) for v in variables])
    bound = None if reading.bound is None else reading.bound + constant
    if program.is_integral:  # libraries state no bound then: the optimum is the bound
        bound = float(program.cost(values)) if reading.proved and values is not None else None
    return conclude(program, values, bound, stats)
