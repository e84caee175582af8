"""Linear programs through PuLP, for solvers without an emitter of their own: CBC, CPLEX, Xpress.

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
from typing import Any, NamedTuple

import numpy as np

from formulations.backends.outcome import Outcome, conclude, refuse_lazy_rows
from formulations.backends.protocol import Listener
from formulations.program.base import Values
from formulations.program.linear import ABSOLUTE_GAP, LinearProgram, plain_names
from odt.core.run import Allowance
from odt.core.solver import Status
from odt.errors import MissingDependencyError, Stopped

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
        ``"cbc"``, ``"cplex"`` or ``"xpress"``.
    """

    solver: str

    @property
    def requires(self) -> tuple[str, ...]:
        """Modules that must be importable; CBC is a program, which PuLP looks for."""
        return ("pulp",) if self.solver == "cbc" else ("pulp", self.solver)

    def solve(
        self, program: LinearProgram, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``; see `formulations.backends.protocol.Emitter`."""
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
                is_reminded = reminder is not None and not reminder.is_alive()
                if reminder is not None:
                    reminder.cancel()
            text = log.read_text(errors="replace") if log.exists() else ""
        read = _read_4 if hasattr(answer, "has_solution") else _read_3
        outcome = _outcome(program, variables, read(problem, answer, text))
        if is_reminded and outcome.status is not Status.OPTIMAL:
            run.stopped_by = run.stopped_by or "time"
        return believed(outcome, run)


def believed(outcome: Outcome, run: Allowance) -> Outcome:
    """Return an outcome without what CBC says of a search cut short: that it is infeasible."""
    if run.stopped_by is not None and outcome.status is Status.INFEASIBLE:
        return Outcome(Status.UNKNOWN, stats=outcome.stats)
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
        Stopped.poll(stop)
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


def _library(pulp: Any, name: str, run: Allowance, warm: bool, log: str) -> Any:
    """Return PuLP's solver object of that name."""
    limit = max(run.remaining(), 0.1) if isfinite(run.remaining()) else None
    common = {"msg": False, "timeLimit": limit, "gapRel": 0.0, "warmStart": warm}
    gap, threads, seed = ABSOLUTE_GAP, run.n_threads, run.seed % 2**31
    if name == "cplex":
        more = {"mip.tolerances.absmipgap": gap, "randomseed": seed}
        library = pulp.CPLEX_PY(**common, threads=threads, **more)
    elif name == "xpress":
        controls = [("MIPABSSTOP", gap), ("THREADS", threads), ("RANDOMSEED", seed)]
        library = pulp.XPRESS_PY(**common, options=controls)
    else:
        options = [f"randomSeed {seed}", f"randomCbcSeed {seed}"]
        library = _cbc(pulp)(**common, gapAbs=gap, threads=threads, logPath=log, options=options)
    if not library.available():
        raise MissingDependencyError(
            f'PuLP {pulp.__version__} does not find {name!r}: pip install "odt[{name}]", or use '
            "another backend, such as 'highs'."
        )
    return library


def _cbc(pulp: Any) -> Any:
    """Return the class of a CBC on the system, else of the one that PuLP 3 brings along."""
    bundled = getattr(pulp, "PULP_CBC_CMD", pulp.COIN_CMD)
    return pulp.COIN_CMD if pulp.COIN_CMD().available() else bundled


def _interrupter(problem: Any, folder: str) -> Callable[[], None]:
    """Return what ends a running solve: asks the library, or soon after ends its process."""

    def stop() -> None:
        model = getattr(problem, "solverModel", None)
        for method in ("terminate", "interrupt"):
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
        infeasible=problem.status == -1 or _says_infeasible(problem.solverModel),
        has_solution=solution in (1, 2),
        proved=solution == 1,
        bound=_library_bound(problem.solverModel, log),
        nodes=_nodes(log),
    )


def _read_4(problem: Any, answer: Any, log: str) -> Reading:
    """PuLP 4: everything is in the statistics that ``solve`` returns."""
    bound = _library_bound(problem.solverModel, log)
    return Reading(
        infeasible=int(answer.status) == -1 or _says_infeasible(problem.solverModel),
        has_solution=bool(answer.has_solution),
        proved=int(answer.status) == 1,
        bound=answer.best_bound if bound is None else bound,
        nodes=_nodes(log) if answer.nodes is None else answer.nodes,
    )


def _says_infeasible(model: Any) -> bool:
    """Say whether CPLEX calls a program infeasible or unbounded; programs here are bounded."""
    with suppress(Exception):
        return bool(model.solution.get_status() in (4, 119))
    return False


def _library_bound(model: Any, log: str) -> float | None:
    """Return the bound as the solver itself states it."""
    readers: tuple[Callable[[], Any], ...] = (
        lambda: _cplex_bound(model.solution),
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


def _cplex_bound(solution: Any) -> Any:
    """Return CPLEX's bound, which may stay behind where the last nodes are cut off (status 101)."""
    if solution.get_status() in (1, 101):
        return solution.get_objective_value()
    return solution.MIP.get_best_objective()


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
