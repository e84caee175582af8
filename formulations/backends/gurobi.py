"""Linear programs through gurobipy: warm start, incumbents, bounds, priorities, lazy rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from formulations.backends.outcome import Outcome, cautious, conclude
from formulations.backends.protocol import Listener
from formulations.program.base import Values
from formulations.program.linear import ABSOLUTE_GAP, LinearProgram
from odt.core.run import Allowance
from odt.core.solver import Status


@dataclass(frozen=True)
class Gurobi:
    """The Gurobi solver, where gurobipy and a licence are installed."""

    requires: ClassVar[tuple[str, ...]] = ("gurobipy",)

    def solve(
        self, program: LinearProgram, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``; see `formulations.backends.protocol.Emitter`."""
        import gurobipy

        try:
            return self._solve(program, hint, run, progress)
        except gurobipy.GurobiError as error:  # no licence, or one for smaller programs
            return Outcome(Status.UNKNOWN, stats={"backend_status": f"failed: {error}"})

    def _solve(
        self, program: LinearProgram, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        import gurobipy

        with (
            gurobipy.Env(params={"OutputFlag": 0, "LogToConsole": 0}) as environment,
            gurobipy.Model("odt", env=environment) as model,
        ):
            variables = _fill(model, program)
            _set_parameters(model, program, run)
            if hint is not None:
                variables.Start = np.asarray(hint, dtype=float)
            listener = _Listener(program, variables, progress)
            run.call(lambda: model.optimize(listener), model.terminate)
            progress.check()
            return _outcome(model, variables, program)


def _fill(model: Any, program: LinearProgram) -> Any:
    kinds = np.where(program.integer, "I", "C")
    variables = model.addMVar(
        program.n_variables, lb=0.0, ub=program.upper, obj=program.prices, vtype=kinds
    )
    variables.BranchPriority = program.priority
    model.ObjCon = float(program.objective.constant)
    lower, upper = program.limits
    for bound, sense in ((lower, ">"), (upper, "<")):
        rows = np.flatnonzero(np.isfinite(bound))
        if len(rows):
            model.addMConstr(program.matrix[rows], variables, sense, bound[rows])
    return variables


def _set_parameters(model: Any, program: LinearProgram, run: Allowance) -> None:
    parameters = {
        "MIPGap": 0.0,
        "MIPGapAbs": ABSOLUTE_GAP,
        "Threads": run.n_threads,
        "Seed": run.seed % 2_000_000_000,
        "LazyConstraints": int(program.lazy is not None),
    }
    if isfinite(run.remaining()):
        parameters["TimeLimit"] = max(run.remaining(), 0.01)
    for name, value in parameters.items():
        model.setParam(name, value)


class _Listener:
    """Gurobi's callback: adds lazy rows, and reports incumbents and bounds."""

    def __init__(self, program: LinearProgram, variables: Any, progress: Listener) -> None:
        self._program, self._variables, self._progress = program, variables, progress

    def __call__(self, model: Any, where: int) -> None:
        import gurobipy

        kinds = gurobipy.GRB.Callback
        if where == kinds.MIPSOL:
            values = model.cbGetSolution(self._variables)
            if not self._cut(model, values):
                self._progress.incumbent(values)
        elif where == kinds.MIPNODE and self._program.lazy_at_fractions:
            if model.cbGet(kinds.MIPNODE_STATUS) == gurobipy.GRB.OPTIMAL:
                self._cut(model, model.cbGetNodeRel(self._variables))
        elif where == kinds.MIP:
            bound = float(model.cbGet(kinds.MIP_OBJBND))
            if abs(bound) < 1e19:
                self._progress.bound(cautious(bound))
        if self._progress.failure is not None:
            model.terminate()

    def _cut(self, model: Any, values: Values) -> bool:
        """Add the lazy rows that values violate; say whether there were any."""
        found = [] if self._program.lazy is None else self._program.lazy(values)
        for terms, upper in found:
            chosen = self._variables[terms.variables]
            model.cbLazy(terms.coefficients.astype(float) @ chosen <= upper)
        return bool(found)


def _outcome(model: Any, variables: Any, program: LinearProgram) -> Outcome:
    import gurobipy

    status = model.Status
    stats = {
        "variables": program.n_variables,
        "rows": program.n_rows,
        "nonzeros": int(program.matrix.nnz),
        "nodes": int(model.NodeCount),
        "backend_status": status,
    }
    if status in (gurobipy.GRB.INFEASIBLE, gurobipy.GRB.INF_OR_UNBD):
        return Outcome(Status.INFEASIBLE, stats=stats)
    values = np.array(variables.X) if model.SolCount else None
    if program.is_integral:  # an unfinished linear program holds no tree
        done = status == gurobipy.GRB.OPTIMAL
        return conclude(program, values if done else None, model.ObjVal if done else None, stats)
    bound = float(model.ObjBound)
    return conclude(program, values, bound if abs(bound) < 1e19 else None, stats)
