"""Hands clause programs to OR-Tools CP-SAT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from formulations.backends.outcome import Outcome
from formulations.backends.protocol import Listener
from formulations.program.base import Values
from formulations.program.clauses import ClauseIR
from odt.core.run import Allowance
from odt.core.solver import Status
from odt.errors import ProblemError, Stopped

NO_LIMIT = 2**62
SECONDS_PER_LITERAL = 3e-7
"""How much later than asked CP-SAT may stop, as it presolves a large model."""

STATUS = {
    cp_model.OPTIMAL: Status.OPTIMAL,
    cp_model.FEASIBLE: Status.FEASIBLE,
    cp_model.INFEASIBLE: Status.INFEASIBLE,
    cp_model.UNKNOWN: Status.UNKNOWN,
}


@dataclass(frozen=True)
class CpSatEmitter:
    """CP-SAT with given parameters.

    Parameters
    ----------
    parameters : str
        In CP-SAT's text format, such as ``"symmetry_level: 2"``; they override the defaults.
    core : bool
        Let CP-SAT raise the lower bound core by core.
    """

    parameters: str = ""
    core: bool = False

    def solve(
        self, program: ClauseIR, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program``; see `formulations.backends.protocol.Emitter`."""
        try:
            model = to_cp_model(program, hint, stop=run.should_stop)
        except Stopped:
            return Outcome(Status.UNKNOWN)
        solver = self._solver(program, run)
        constant = program.objective.constant
        solver.best_bound_callback = lambda bound: progress.bound(bound + constant)
        listener = _Incumbents(progress.incumbent)
        answer = run.call(lambda: solver.solve(model, listener), solver.stop_search)
        outcome = _outcome(program, answer, solver)
        is_limited = isfinite(run.remaining())
        if is_limited and outcome.status in (Status.FEASIBLE, Status.UNKNOWN):
            run.stopped_by = run.stopped_by or "time"  # it was told to stop a little early
        return outcome

    def _solver(self, program: ClauseIR, run: Allowance) -> cp_model.CpSolver:
        solver = cp_model.CpSolver()
        chosen = solver.parameters
        chosen.num_workers = run.n_threads
        chosen.random_seed = run.seed % 2**31
        chosen.catch_sigint_signal = False  # Ctrl-C is for the run
        chosen.optimize_with_core = self.core
        chosen.presolve_inclusion_work_limit = 0  # this part of its presolve cuts off optima
        if run.n_threads == 1:
            chosen.linearization_level = 0
        if isfinite(run.remaining()):
            margin = 0.1 + SECONDS_PER_LITERAL * program.n_literals
            chosen.max_time_in_seconds = max(run.remaining() - margin, 0.01)
        if self.parameters and not chosen.merge_text_format(self.parameters):
            raise ProblemError(
                "'parameters' must be CP-SAT parameters in text format, such as "
                f"'symmetry_level: 2'. Got {self.parameters!r} instead."
            )
        return solver


def to_cp_model(
    program: ClauseIR,
    hint: Values | None = None,
    *,
    names: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Any:
    """Return a clause program as a ``CpModel``; its variables keep their numbers.

    Parameters
    ----------
    program : ClauseIR
    hint : ndarray of int64, optional
        Values of all variables to start from.
    names : bool, default False
        Name the variables, for export.
    stop : callable
        Polled; raises `Stopped` when it says True.
    """
    model = cp_model.CpModel()
    proto = model.proto
    for block in program.blocks:
        Stopped.poll(stop)
        for v in range(block.first, block.first + block.size):
            variable = proto.variables.add()
            variable.domain.extend((0, block.upper))
            if names:
                variable.name = block.name_of(v)
    _add_logic(proto, program, stop)
    for terms, lower, upper in program.rows:
        linear = proto.constraints.add().linear
        linear.vars.extend(terms.variables.tolist())
        linear.coeffs.extend(terms.coefficients.tolist())
        linear.domain.extend(
            (
                -NO_LIMIT if lower is None else lower - terms.constant,
                NO_LIMIT if upper is None else upper - terms.constant,
            )
        )
    proto.objective.vars.extend(program.objective.variables.tolist())
    proto.objective.coeffs.extend(program.objective.coefficients.tolist())
    if hint is not None:
        proto.solution_hint.vars.extend(range(program.n_variables))
        proto.solution_hint.values.extend(hint.tolist())
    return model


def _add_logic(proto: Any, program: ClauseIR, stop: Callable[[], bool]) -> None:
    add = proto.constraints.add
    for kind, literals in program.batches:
        Stopped.poll(stop)
        for row in literals.tolist():
            if kind == "clause":
                add().bool_or.literals.extend(row)
            elif kind == "exactly one":
                add().exactly_one.literals.extend(row)
            else:
                add().at_most_one.literals.extend(row)
    for premises, conclusions in program.implications:
        Stopped.poll(stop)
        for premise, row in zip(premises.tolist(), conclusions.tolist(), strict=True):
            constraint = add()
            constraint.enforcement_literal.append(premise)
            constraint.bool_and.literals.extend(row)


class _Incumbents(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
    def __init__(self, take: Callable[[Values], None]) -> None:
        super().__init__()
        self._take = take

    def on_solution_callback(self) -> None:
        self._take(np.array(self.response_proto.solution, dtype=np.int64))


def _outcome(program: ClauseIR, answer: Any, solver: cp_model.CpSolver) -> Outcome:
    response, status = solver.response_proto, STATUS.get(answer)
    if status is None:
        raise ProblemError(f"CP-SAT refuses the model: {response.solution_info}.")
    stats = {
        "variables": program.n_variables,
        "conflicts": response.num_conflicts,
        "branches": response.num_branches,
        "deterministic_time": response.deterministic_time,
    }
    if status in (Status.INFEASIBLE, Status.UNKNOWN):
        return Outcome(status, stats=stats)
    values = np.array(response.solution, dtype=np.int64)
    if status is Status.OPTIMAL:
        return Outcome(status, values, program.cost(values), stats)
    bound = response.best_objective_bound + program.objective.constant
    return Outcome(status, values, bound, stats)


def write(program: ClauseIR, path: Path) -> None:
    """Write a program as CP-SAT's own text format, with names."""
    to_cp_model(program, names=True).export_to_file(str(path))
