"""Hands clause programs to the MaxSAT solver RC2 of PySAT.

RC2 (Ignatiev, Morgado, Marques-Silva, JSAT 2019) raises a lower bound core by core. On the way
every satisfying assignment of its SAT solver is a tree, so there is an incumbent too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

from formulations.backends.outcome import Outcome
from formulations.backends.protocol import Listener
from formulations.backends.wcnf import Wcnf, to_wcnf
from formulations.program.base import Values
from formulations.program.clauses import ClauseIR
from odt.core.run import Allowance
from odt.core.solver import Status
from odt.errors import Stopped

PORTION = 50_000


@dataclass(frozen=True)
class Rc2Emitter:
    """RC2 with stratification, core exhaustion and core minimisation.

    Parameters
    ----------
    sat_solver : str
        Name of the SAT solver in PySAT; it must be interruptible.
    exhaust, minimise, adapt : bool
        RC2's core exhaustion, core minimisation and detection of at-most-one constraints.
    """

    sat_solver: str = "g3"
    exhaust: bool = True
    minimise: bool = True
    adapt: bool = True

    def solve(
        self, program: ClauseIR, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program``; see `formulations.backends.protocol.Emitter`."""
        try:
            wcnf = to_wcnf(program, run.should_stop)
        except Stopped:
            return Outcome(Status.UNKNOWN)
        search = _Search(self, program, wcnf, hint, progress)
        run.call(search.run, search.stop)
        return search.outcome()


class _Search(RC2Stratified):  # type: ignore[misc]
    """RC2 that reports models and bounds, and stops when asked or when they meet."""

    def __init__(
        self,
        options: Rc2Emitter,
        program: ClauseIR,
        wcnf: Wcnf,
        hint: Values | None,
        progress: Listener,
    ) -> None:
        self._options, self._program, self._wcnf = options, program, wcnf
        self._progress, self._hint = progress, hint
        self.best, self.best_cost = hint, None if hint is None else program.cost(hint)
        self.lower = 0
        self.status: Status | None = None
        self.n_calls = 0
        self._stopping = False
        self.oracle: Any = None
        self.processor = None

    def run(self) -> None:
        """Search until the optimum is proved or `stop` is called."""
        formula, options = WCNF(), self._options
        for literal, weight in self._wcnf.soft.items():
            formula.append([-literal], weight=weight)
        if not formula.soft:  # RC2 wants something to maximise
            formula.append([self._wcnf.fresh()], weight=1)
        formula.nv = self._wcnf.n_variables
        super().__init__(
            formula,
            solver=options.sat_solver,
            adapt=options.adapt,
            exhaust=options.exhaust,
            minz=options.minimise,
        )
        try:
            self._load()
            found = self.compute(expect_interrupt=True)
            self.status = Status.INFEASIBLE if found is None else Status.OPTIMAL
        except _Finished:
            pass
        self.delete()

    def _load(self) -> None:
        """Give the hard clauses to the SAT solver in portions, so that it can be stopped."""
        hard = self._wcnf.hard
        for first in range(0, len(hard), PORTION):
            self.oracle.append_formula(hard[first : first + PORTION])
            if self._stopping:
                raise _Finished
        if self._hint is not None:
            self.oracle.set_phases(self._wcnf.literals(self._hint))

    def stop(self) -> None:
        """Make `run` return soon; called from another thread."""
        self._stopping = True
        if self.oracle is not None:
            self.oracle.interrupt()

    def outcome(self) -> Outcome:
        """Return what was found; the search may still be on its way out."""
        stats = {"variables": self._wcnf.n_variables, "sat_calls": self.n_calls}
        if self.status is Status.INFEASIBLE:
            return Outcome(Status.INFEASIBLE, stats=stats)
        bound, best = self.lower + self._wcnf.constant, self.best
        if best is None:
            return Outcome(Status.UNKNOWN, bound=bound, stats=stats)
        status = Status.OPTIMAL if bound == self._program.cost(best) else Status.FEASIBLE
        return Outcome(status, best, bound, stats)

    def _call_oracle(self, assumptions: Any = (), expect_interrupt: bool = False) -> Any:
        """Let every call be interrupted, whatever RC2 makes it for, and look at its model."""
        self._note_bound()
        self.n_calls += 1
        answer = super()._call_oracle(assumptions=assumptions, expect_interrupt=True)
        if self._stopping:
            raise _Finished
        if answer:
            self._note_model()
        return answer

    def _note_bound(self) -> None:
        if self._stopping:  # nobody waits for a bound any more
            raise _Finished
        if self.cost > self.lower:
            self.lower = self.cost
            self._progress.bound(self.lower + self._wcnf.constant)
        if self.best_cost == self.lower + self._wcnf.constant:
            raise _Finished

    def _note_model(self) -> None:
        values = self._wcnf.values(self._program, self.oracle.get_model())
        cost = self._program.cost(values)
        if self.best_cost is None or cost < self.best_cost:
            self.best, self.best_cost = values, cost
            self._progress.incumbent(values)


class _Finished(Exception):  # noqa: N818 - a signal, not an error
    """There is nothing more to do."""
