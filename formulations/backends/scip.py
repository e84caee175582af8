"""Linear programs through PySCIPOpt: warm start, incumbents, bounds, branching priorities."""

from __future__ import annotations

from collections.abc import Callable
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
from odt.errors import Stopped


@dataclass(frozen=True)
class Scip:
    """The SCIP solver; the one that takes lazy rows."""

    requires: ClassVar[tuple[str, ...]] = ("pyscipopt",)

    def solve(
        self, program: LinearProgram, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``; see `formulations.backends.protocol.Emitter`."""
        model, variables = to_scip(program, run.should_stop)
        _set_parameters(model, run)
        if program.lazy is not None:
            _take_lazy_rows(model, variables, program)
        if hint is not None:
            solution = model.createSol()
            for variable, value in zip(variables, np.asarray(hint).tolist(), strict=True):
                model.setSolVal(solution, variable, value)
            model.addSol(solution)
        _listen(model, variables, progress)
        run.call(model.optimizeNogil, model.interruptSolve)
        return _outcome(model, variables, program)


def to_scip(program: LinearProgram, stop: Callable[[], bool]) -> tuple[Any, list[Any]]:
    """Return a program as a SCIP model and its variables; raises `Stopped` when told to."""
    import pyscipopt

    model = pyscipopt.Model("odt")
    model.hideOutput()
    kinds = np.where(program.integer, "I", "C").tolist()
    variables = [
        model.addVar(f"x{v}", kind, 0.0, high, price)
        for v, (kind, high, price) in enumerate(
            zip(kinds, program.upper.tolist(), program.prices.tolist(), strict=True)
        )
    ]
    for v in np.flatnonzero(program.priority).tolist():
        model.chgVarBranchPriority(variables[v], int(program.priority[v]))
    model.addObjoffset(float(program.objective.constant))
    matrix, (lower, upper) = program.matrix, program.limits
    for r in range(program.n_rows):
        entries = slice(matrix.indptr[r], matrix.indptr[r + 1])
        chosen = [variables[v] for v in matrix.indices[entries].tolist()]
        Stopped.poll(stop)
        low, high = (float(v) if isfinite(v) else None for v in (lower[r], upper[r]))
        terms = zip(matrix.data[entries].tolist(), chosen, strict=True)
        left = pyscipopt.quicksum(c * x for c, x in terms)
        model.addCons(pyscipopt.scip.ExprCons(left, low, high))  # one without entries too
    return model, variables


def _set_parameters(model: Any, run: Allowance) -> None:
    model.setParam("limits/absgap", ABSOLUTE_GAP)
    model.setParam("limits/gap", 0.0)
    model.setParam("randomization/randomseedshift", run.seed % 2**31)
    model.setParam("parallel/maxnthreads", run.n_threads)
    if isfinite(run.remaining()):
        model.setParam("limits/time", max(run.remaining(), 0.01))


def _take_lazy_rows(model: Any, variables: list[Any], program: LinearProgram) -> None:
    """Add a constraint handler that asks ``program.lazy`` about solutions.

    It comes after the check of integrality and of linear rows (at -1000000), or it would add the
    same rows for ever; and SCIP must not draw conclusions from the rows it has so far. A row that
    is there already but does not bind, as in a node whose relaxation was not solved, is not added
    again: SCIP branches then.
    """
    import pyscipopt

    assert program.lazy is not None
    find = program.lazy
    known: set[tuple[bytes, bytes, int]] = set()

    class LazyRows(pyscipopt.Conshdlr):  # type: ignore[misc]
        def conscheck(self, constraints: Any, solution: Any, *_: Any) -> dict[str, Any]:
            violated = find(self._values(solution))
            kinds = pyscipopt.SCIP_RESULT
            return {"result": kinds.INFEASIBLE if violated else kinds.FEASIBLE}

        def consenfolp(self, *_: Any) -> dict[str, Any]:
            return {"result": self._enforce()}

        def consenfops(self, *_: Any) -> dict[str, Any]:
            return {"result": self._enforce()}

        def conssepalp(self, *_: Any) -> dict[str, Any]:
            kinds = pyscipopt.SCIP_RESULT
            return {"result": kinds.CONSADDED if self._add()[1] else kinds.DIDNOTFIND}

        def conslock(self, constraint: Any, locktype: Any, up: int, down: int) -> None:
            for variable in variables:
                self.model.addVarLocks(variable, up + down, up + down)

        def _values(self, solution: Any) -> Values:
            return np.array([self.model.getSolVal(solution, v) for v in variables])

        def _enforce(self) -> Any:
            kinds = pyscipopt.SCIP_RESULT
            is_violated, is_new = self._add()
            if is_new:
                return kinds.CONSADDED
            return kinds.INFEASIBLE if is_violated else kinds.FEASIBLE

        def _add(self) -> tuple[bool, bool]:
            """Add violated rows; say whether there are any, and any that were not known."""
            rows, n_known = find(self._values(None)), len(known)
            for terms, upper in rows:
                key = (terms.variables.tobytes(), terms.coefficients.tobytes(), upper)
                if key in known:
                    continue
                known.add(key)
                pairs = zip(terms.coefficients.tolist(), terms.variables.tolist(), strict=True)
                left = pyscipopt.quicksum(c * variables[v] for c, v in pairs)
                self.model.addCons(left <= upper, initial=False, removable=True)
            return bool(rows), len(known) > n_known

    model.includeConshdlr(
        LazyRows(), "lazy", "rows added when violated", enfopriority=-3000000,
        chckpriority=-3000000, sepafreq=1 if program.lazy_at_fractions else -1, needscons=False,
    )  # fmt: skip
    model.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)
    model.setParam("misc/allowstrongdualreds", False)
    model.setParam("misc/allowweakdualreds", False)


def _listen(model: Any, variables: list[Any], progress: Listener) -> None:
    import pyscipopt

    class Listener(pyscipopt.Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.catchEvent(pyscipopt.SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexit(self) -> None:
            self.model.dropEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.dropEvent(pyscipopt.SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexec(self, event: Any) -> None:
            if event.getType() == pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND:
                best = self.model.getBestSol()
                progress.incumbent(np.array([self.model.getSolVal(best, v) for v in variables]))
            bound = float(self.model.getDualbound())
            if abs(bound) < 1e19:
                progress.bound(cautious(bound))

    model.includeEventhdlr(Listener(), "odt", "reports incumbents and bounds")


def _outcome(model: Any, variables: list[Any], program: LinearProgram) -> Outcome:
    status = model.getStatus()
    stats = {
        "variables": program.n_variables,
        "rows": program.n_rows,
        "nonzeros": int(program.matrix.nnz),
        "nodes": int(model.getNTotalNodes()),
        "backend_status": status,
    }
    if status in ("infeasible", "inforunbd"):
        return Outcome(Status.INFEASIBLE, stats=stats)
    values = None
    if model.getNSols() > 0:
        best = model.getBestSol()
        values = np.array([model.getSolVal(best, v) for v in variables])
    bound = float(model.getDualbound())
    return conclude(program, values, bound if abs(bound) < 1e19 else None, stats)
