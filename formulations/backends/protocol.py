"""What a driver of a solver library is, and how it tells what it finds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from formulations.backends.outcome import Outcome
from formulations.model import Model
from formulations.program.base import Values
from formulations.program.digits import DigitProgram
from odt.core.run import Allowance, Run

P_contra = TypeVar("P_contra", bound=DigitProgram, contravariant=True)


class Listener(Protocol):
    """Wants what a library finds while it runs.

    Attributes
    ----------
    failure : exception or None
        What went wrong with a report; the library should stop then.
    """

    failure: BaseException | None

    def incumbent(self, values: Values) -> None:
        """Take the values of a solution."""

    def bound(self, bound: float) -> None:
        """Take a lower bound on the objective of the program."""

    def check(self) -> None:
        """Raise what went wrong in a report."""


class Progress:
    """Takes incumbents and bounds from the callbacks of a library, in whatever thread.

    Libraries do not survive exceptions in their callbacks; the first one is kept and raised by
    `check`.
    """

    def __init__(self, run: Run, model: Model[Any], bound: Callable[[float], int]) -> None:
        self._run, self._model, self._bound = run, model, bound
        self._lock = threading.Lock()
        self.failure: BaseException | None = None

    def incumbent(self, values: Values) -> None:
        """Report the tree that ``values`` stand for."""
        self._guarded(lambda: self._run.report(tree=self._model.decode(values)))

    def bound(self, bound: float) -> None:
        """Report a lower bound on the objective of the program."""
        self._guarded(lambda: self._run.report(bound=self._bound(bound)))

    def check(self) -> None:
        """Raise what went wrong in a callback."""
        if self.failure is not None:
            raise self.failure

    def _guarded(self, report: Callable[[], None]) -> None:
        with self._lock:
            if self.failure is None:
                try:
                    report()
                except Exception as failure:
                    self.failure = failure
                    self._run.interrupt()


class Emitter(Protocol[P_contra]):
    """Hands programs to one solver library."""

    def solve(
        self, program: P_contra, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``.

        Parameters
        ----------
        program : Program
        hint : ndarray or None
            Values of all variables to start from.
        run : Allowance
            Block only in ``run.call``; use ``run.n_threads``, ``run.seed``, ``run.remaining()``.
        progress : Listener
            Wants incumbents and bounds as they come.
        """
