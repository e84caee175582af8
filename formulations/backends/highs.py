"""Linear programs through HiGHS itself: warm start, incumbents and bounds while it runs."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import highspy
import numpy as np

from formulations.backends.outcome import Outcome, cautious, conclude, refuse_lazy_rows
from formulations.backends.protocol import Listener
from formulations.program.base import Values
from formulations.program.linear import ABSOLUTE_GAP, LinearProgram, plain_names
from odt.core.run import Allowance
from odt.core.solver import Status
from odt.engine.quiet_highs import QuietHighs
from odt.errors import OdtError

_scheduler = threading.Lock()
_threads_in_use: list[int] = []


@dataclass(frozen=True)
class Highs:
    """The HiGHS solver (highspy), default of all linear formulations.

    Parameters
    ----------
    lp_method : str, default "choose"
        ``"choose"``, ``"simplex"`` or ``"ipm"``; for programs without integer variables.
    """

    requires: ClassVar[tuple[str, ...]] = ("highspy",)

    lp_method: str = "choose"

    def solve(
        self, program: LinearProgram, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``; see `formulations.backends.protocol.Emitter`."""
        refuse_lazy_rows(program, "HiGHS")
        for presolve in ("choose", "off"):
            solver, watch = QuietHighs(), _Watch(progress)
            _pass_options(solver, run, {"solver": self.lp_method, "presolve": presolve})
            _subscribe(solver, program, watch)
            solve = partial(_pass_and_run, solver, program, hint)
            run.call(solve, watch.stop.set)
            if not _is_doubtful(solver, program, watch):
                return _outcome(solver, program)
            if run.should_stop():
                break
        return Outcome(Status.UNKNOWN, stats={"backend_status": "its answers are doubtful"})


def write(program: LinearProgram, path: Path) -> None:
    """Write a program as a file; the ending of ``path`` chooses between ``.lp`` and ``.mps``.

    Raises
    ------
    OdtError
        If HiGHS cannot write there.
    """
    refuse_lazy_rows(program, "HiGHS")
    solver = QuietHighs()
    _pass_program(solver, program)
    for v, name in enumerate(plain_names(program)):
        solver.passColName(v, name)
    if solver.writeModel(str(path)).name == "kError":
        raise OdtError(f"HiGHS could not write {path}.")


def _pass_and_run(solver: Any, program: LinearProgram, hint: Values | None) -> None:
    _pass_program(solver, program)
    if hint is not None and not program.is_integral:
        start = highspy.HighsSolution()
        start.col_value = np.asarray(hint, dtype=np.float64).tolist()
        solver.setSolution(start)
    solver.run()


def _pass_options(solver: Any, run: Allowance, more: dict[str, Any]) -> None:
    options: dict[str, Any] = {
        **more,
        "threads": run.n_threads,
        "random_seed": run.seed % 2**31,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": ABSOLUTE_GAP,
        "presolve_rule_off": 2**16,  # enumeration, which brings `_Watch`'s fault to light
    }
    if isfinite(run.remaining()):
        options["time_limit"] = max(run.remaining(), 0.01)
    for name, value in options.items():
        solver.setOptionValue(name, value)
    with _scheduler:  # HiGHS keeps one pool of threads for the whole process
        if _threads_in_use and _threads_in_use[0] != run.n_threads:
            solver.resetGlobalScheduler(True)
        _threads_in_use[:] = [run.n_threads]


def _pass_program(solver: Any, program: LinearProgram) -> None:
    matrix, (lower, upper) = program.matrix, program.limits
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = program.n_variables, program.n_rows
    model.col_cost_, model.offset_ = program.prices, float(program.objective.constant)
    model.col_lower_, model.col_upper_ = np.zeros(program.n_variables), program.upper
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.num_col_, model.a_matrix_.num_row_ = program.n_variables, program.n_rows
    model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    model.a_matrix_.index_ = matrix.indices.astype(np.int32)
    model.a_matrix_.value_ = matrix.data
    if not program.is_integral:
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[flag] for flag in program.integer.astype(int).tolist()]
    if solver.passModel(model) == highspy.HighsStatus.kError:
        raise OdtError("HiGHS does not accept the program; please report this as a bug.")


class _Watch:
    """What the callbacks of a solve know: whether it must stop, and whether it is misled.

    HiGHS 1.13 to 1.16 may drop an equality in presolve (its issue 3216). Solutions of the rest
    then break rows of the program, which HiGHS logs; it ignores them as trees, but has already cut
    off everything dearer. From the first such line on nothing it says is a bound.
    """

    def __init__(self, progress: Listener) -> None:
        self.progress = progress
        self.stop = threading.Event()
        self.misled = threading.Event()

    def interrupt(self, event: Any) -> None:
        if self.stop.is_set() or self.misled.is_set() or self.progress.failure is not None:
            event.interrupt()

    def log(self, event: Any) -> None:
        if "untransformed violations" in event.message:
            self.misled.set()

    def incumbent(self, event: Any) -> None:
        if not self.stop.is_set():
            self.progress.incumbent(np.array(event.data_out.mip_solution))

    def bound(self, event: Any) -> None:
        value = float(event.data_out.mip_dual_bound)
        if isfinite(value) and not self.stop.is_set() and not self.misled.is_set():
            self.progress.bound(cautious(value))


def _subscribe(solver: Any, program: LinearProgram, watch: _Watch) -> None:
    solver.setOptionValue("log_to_console", False)
    solver.setOptionValue("output_flag", True)  # or there are no lines to watch
    solver.cbLogging += watch.log
    solver.cbSimplexInterrupt += watch.interrupt
    solver.cbIpmInterrupt += watch.interrupt
    solver.cbMipInterrupt += watch.interrupt
    if not program.is_integral:
        solver.cbMipImprovingSolution += watch.incumbent
        solver.cbMipLogging += watch.bound


def _is_doubtful(solver: Any, program: LinearProgram, watch: _Watch) -> bool:
    """Say whether a result must be asked for again, without presolve."""
    if watch.stop.is_set():
        return watch.misled.is_set()
    kinds = highspy.HighsModelStatus
    presolved = solver.getOptionValue("presolve")[1] != "off"
    says_infeasible = solver.getModelStatus() in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible)
    is_suspect = presolved and says_infeasible
    return is_suspect or watch.misled.is_set() or _contradicts_itself(solver, program)


def _contradicts_itself(solver: Any, program: LinearProgram) -> bool:
    """Say whether the solution does not have the stated value, as happens in HiGHS 1.16.

    A start solution can have another objective in the presolved program than in the original one;
    the search then ends at once, at a wrong value.
    """
    feasible = highspy.SolutionStatus.kSolutionStatusFeasible
    info = solver.getInfo()
    if program.is_integral or info.primal_solution_status != feasible:
        return False
    cost = float(program.cost(np.array(solver.getSolution().col_value)))
    return bool(abs(info.objective_function_value - cost) > 1e-6 * max(1.0, abs(cost)))


def _outcome(solver: Any, program: LinearProgram) -> Outcome:
    status, info = solver.getModelStatus(), solver.getInfo()
    stats = {
        "variables": program.n_variables,
        "rows": program.n_rows,
        "nonzeros": int(program.matrix.nnz),
        "nodes": max(int(info.mip_node_count), 0),
        "simplex_iterations": max(int(info.simplex_iteration_count), 0),
        "backend_status": solver.modelStatusToString(status),
    }
    kinds = highspy.HighsModelStatus
    if status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):
        return Outcome(Status.INFEASIBLE, stats=stats)
    values, bound = None, None
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        values = np.array(solver.getSolution().col_value)
    if program.is_integral and status == kinds.kOptimal:
        bound = info.objective_function_value
    elif not program.is_integral and isfinite(info.mip_dual_bound):
        bound = info.mip_dual_bound
    if program.is_integral and status != kinds.kOptimal:
        values = None  # an unfinished linear program holds no tree
    return conclude(program, values, bound, stats)
