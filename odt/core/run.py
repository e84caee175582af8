"""One run of a solver: its budget, its incumbent and bound, and when it must stop."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, inf
from numbers import Integral, Real
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from odt.core.stopwatch import COMPILING
from odt.errors import InconsistentSolutionError, ProblemError, TooLargeError
from odt.model.checks import check_int, check_number
from odt.model.compiled import Compiled
from odt.model.feasibility import malformed, misfits
from odt.model.problem import Problem
from odt.model.tree import Tree

T = TypeVar("T")
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Budget:
    """Resources of a run; they never change what the optimum is.

    Parameters
    ----------
    time_limit : float, optional
        Wall-clock seconds.
    memory_limit : float, optional
        Resident memory of the process in MiB.
    n_threads : int, default 1
        Threads a solver may use.

    Raises
    ------
    ProblemError
        For a value out of its range.
    """

    time_limit: float | None = None
    memory_limit: float | None = None
    n_threads: int = 1

    def __post_init__(self) -> None:
        for name in ("time_limit", "memory_limit"):
            check_number(name, getattr(self, name), zero=False, optional=True)
        check_int("n_threads", self.n_threads, 1)


class TracePoint(NamedTuple):
    """Best tree and bound known after some seconds, as integer costs (None: none yet)."""

    time: float
    cost: int | None
    bound: int | None


class Allowance:
    """The budget of a run while it is being used up: what a solver library's driver needs.

    Parameters
    ----------
    budget : Budget
    seed : int
        Seed of everything random.

    Attributes
    ----------
    budget : Budget
    seed : int
    stopped_by : str or None
        ``"time"``, ``"memory"`` or ``"interrupt"`` once `should_stop` has said so.
    helpers : set of int
        Process numbers of programs that work for this run; their memory counts too.
    """

    def __init__(self, budget: Budget, seed: int) -> None:
        self.budget = budget
        self.seed = seed
        self.stopped_by: str | None = None
        self.helpers: set[int] = set()
        self._start = time.perf_counter()
        self._compiled_before = COMPILING.seconds
        self._kept_back = 0.0
        self._next_memory_check = 0.0

    @property
    def n_threads(self) -> int:
        """Threads the solver may use."""
        return self.budget.n_threads

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, those of `compiling` left out."""
        return time.perf_counter() - self._start - self.compiling

    @property
    def compiling(self) -> float:
        """Seconds in which kernels were compiled since the run began; no limit counts them."""
        return COMPILING.seconds - self._compiled_before

    def remaining(self) -> float:
        """Return the seconds left; infinity without a time limit."""
        limit = self.budget.time_limit
        return inf if limit is None else max(0.0, limit - self._kept_back - self.elapsed)

    def keep_back(self, seconds: float) -> None:
        """Let the run end so much earlier, for what is to be done after the solver.

        Parameters
        ----------
        seconds : float
            At most a fifth of the time limit is kept back; 0 gives back what was.
        """
        self._kept_back = min(seconds, 0.2 * (self.budget.time_limit or 0.0))

    def interrupt(self) -> None:
        """Ask the solver to stop; Ctrl-C calls this."""
        if self.stopped_by is None:
            self.stopped_by = "interrupt"

    def should_stop(self) -> bool:
        """Say whether the time or memory is used up or the user has interrupted."""
        if self.stopped_by is None:
            if self.remaining() <= 0:
                self.stopped_by = "time"
            elif self._memory_is_used_up():
                self.stopped_by = "memory"
        return self.stopped_by is not None

    def call(
        self,
        native: Callable[[], T],
        stop: Callable[[], None],
        tick: Callable[[], None] | None = None,
    ) -> T:
        """Run a blocking call of a native library so that limits and Ctrl-C reach it.

        The call runs in a thread; here we wait, and call ``stop`` once when the run must stop.

        Parameters
        ----------
        native : callable
            Blocks until done or stopped; must release the GIL.
        stop : callable
            Makes ``native`` return soon; called from this thread.
        tick : callable, optional
            Called now and then from this thread while ``native`` runs, to show progress.
        """
        outcome: list[T] = []
        failure: list[BaseException] = []

        def body() -> None:
            try:
                outcome.append(native())
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        asked = False
        while thread.is_alive():
            thread.join(_POLL_SECONDS)
            if tick is not None:
                tick()
            if not asked and self.should_stop():
                stop()
                asked = True
        if failure:
            raise failure[0]
        return outcome[0]

    def reserve(self, n_bytes: int, what: str) -> None:
        """Make sure that a table fits before it is built.

        Without a memory limit half of the machine's memory counts as one.

        Parameters
        ----------
        n_bytes : int
            Estimated size.
        what : str
            What it is, for the message.

        Raises
        ------
        TooLargeError
            If it does not fit.
        """
        used = self._memory()
        limit = self.budget.memory_limit
        room = (machine_memory() / 2 if limit is None else limit) - used
        if n_bytes / 2**20 > room:
            kind = "half of this machine's memory" if limit is None else "the memory limit"
            raise TooLargeError(
                f"{what} would take about {n_bytes / 2**20:,.0f} MiB; {kind} leaves "
                f"{max(room, 0.0):,.0f} MiB. Limit the depth or the tests, such as "
                "tests=odt.TestSet.quantiles(dataset, 50)."
            )

    def _memory(self) -> float:
        return resident_memory() + sum(map(resident_memory, self.helpers))

    def _memory_is_used_up(self) -> bool:
        limit = self.budget.memory_limit
        if limit is None or self.elapsed < self._next_memory_check:
            return False
        self._next_memory_check = self.elapsed + _POLL_SECONDS
        return self._memory() > limit


class Run(Allowance):
    """What a solver sees of the run it is in; the anytime protocol.

    A solver polls `should_stop` and calls `report` whenever it has a better tree or bound. What
    was reported is never lost: when the run ends early, the best of it is the result.

    Parameters
    ----------
    problem : Problem
    budget : Budget
    seed : int
        Seed of ``rng``.
    initial : Tree, optional
        A tree to start from; it is the first incumbent.
    on_report : callable, optional
        Called with each new `TracePoint`.

    Attributes
    ----------
    initial : Tree or None
    rng : numpy.random.Generator
    seed : int
    n_threads : int
    tree : Tree or None
        Best tree so far.
    cost : int or None
        Its cost.
    bound : int or None
        Best lower bound so far.
    trace : list of TracePoint
    stopped_by : str or None
        ``"time"``, ``"memory"`` or ``"interrupt"`` once `should_stop` has said so.

    Raises
    ------
    ProblemError
        If ``initial`` is no tree or breaks the limits of the problem; for a negative seed.
    """

    def __init__(
        self,
        problem: Problem,
        budget: Budget | None = None,
        *,
        seed: int = 0,
        initial: Tree | None = None,
        on_report: Callable[[TracePoint], None] | None = None,
    ) -> None:
        check_int("seed", seed, 0)
        super().__init__(budget or Budget(), seed)
        self.problem = problem
        self.rng = np.random.default_rng(seed)
        self.initial = initial
        self.tree: Tree | None = None
        self.cost: int | None = None
        self.bound: int | None = None
        self.trace: list[TracePoint] = []
        self._on_report = on_report
        if initial is not None:
            strange = malformed(initial)
            if strange:
                raise ProblemError(f"'initial' must be a Tree: {strange}.")
            broken = problem.violations(initial)
            if broken:
                raise ProblemError(f"The initial tree breaks the limits: {'; '.join(broken)}.")
            self.report(tree=initial)

    def compile(self) -> Compiled:
        """Return ``problem.compiled``, worked out within the limits of this run.

        Solvers with a fixed test set call this first.

        Raises
        ------
        Stopped
            If the run must stop before it is done.
        TooLargeError
            If the table of answers does not fit into the memory.
        """
        problem = self.problem
        if not problem.is_compiled:
            n_rows, n_tests = len(problem.dataset.merged.X), problem.n_candidate_tests
            what = f"The answers of {n_rows:,} rows to {n_tests:,} tests"
            self.reserve(Compiled.table_bytes(n_rows, n_tests), what)
        return problem.compile(self.should_stop)

    def report(self, tree: Tree | None = None, bound: float | None = None) -> None:
        """Take a better tree or a better lower bound into account.

        Parameters
        ----------
        tree : Tree, optional
            Any tree; it becomes the incumbent if it keeps the limits and is cheaper.
        bound : int or float, optional
            Lower bound in the integer units of ``problem.costs``; rounded up.

        Raises
        ------
        InconsistentSolutionError
            If a bound is infinite or no number, if it exceeds the cost of a tree that keeps the
            limits, or for a malformed tree.
        """
        check_bound(bound)
        if tree is not None:
            check_form(tree)
        improved = False
        if bound is not None and bound > -inf:
            rounded = round_up(bound)
            if self.bound is None or rounded > self.bound:
                self.bound, improved = rounded, True
        if tree is not None and not any(misfits(self.problem.dataset, tree)):
            cost = self.problem.cost(tree)
            if self._is_better(cost) and not self.problem.violations(tree):
                self.tree, self.cost, improved = tree, cost, True
        if improved:
            self._note()

    def adopt(self, other: Run) -> None:
        """Take the incumbent of another run of the same problem into account, evaluated there."""
        if other.cost is not None and self._is_better(other.cost):
            self.tree, self.cost = other.tree, other.cost
            self._note()

    def part(self, problem: Problem | None = None, *, share: float = 1.0) -> Run:
        """Return a run within this one: it ends with this one, and its trees count here too.

        Parameters
        ----------
        problem : Problem, optional
            A problem over the same rows; this run's by default. Its bounds do not count here.
        share : float, default 1.0
            Share of the remaining time.
        """
        return _Part(self, problem or self.problem, share)

    def _is_better(self, cost: int) -> bool:
        return self.cost is None or cost < self.cost

    def _note(self) -> None:
        """Check that bound and incumbent agree, and put them into the trace."""
        if self.cost is not None and self.bound is not None and self.bound > self.cost:
            raise InconsistentSolutionError(
                f"the lower bound {self.bound} is claimed, but a tree of cost {self.cost} is known "
                "(integer cost units)"
            )
        point = TracePoint(self.elapsed, self.cost, self.bound)
        self.trace.append(point)
        if self._on_report is not None:
            self._on_report(point)


class _Part(Run):
    def __init__(self, whole: Run, problem: Problem, share: float) -> None:
        left = whole.remaining()
        time_limit = None if left == inf else max(share * left, 1e-3)
        budget = replace(whole.budget, time_limit=time_limit)
        super().__init__(problem, budget, seed=whole.seed)
        self._whole = whole

    def should_stop(self) -> bool:
        return self._whole.should_stop() or super().should_stop()

    def report(self, tree: Tree | None = None, bound: float | None = None) -> None:
        super().report(tree, bound)
        self._whole.report(tree=tree)


def check_bound(bound: object) -> None:
    """Refuse what is no lower bound: None, an integer or a float that is not plus infinity.

    Raises
    ------
    InconsistentSolutionError
    """
    if bound is None:
        return
    if isinstance(bound, bool) or not isinstance(bound, Real) or bound != bound:
        raise InconsistentSolutionError(f"its lower bound {bound!r} is no number")
    if bound == inf:
        raise InconsistentSolutionError("an infinite lower bound is claimed")


def check_form(tree: object) -> None:
    """Refuse a tree that cannot be walked.

    Raises
    ------
    InconsistentSolutionError
    """
    strange = malformed(tree)
    if strange:
        raise InconsistentSolutionError(f"its tree is malformed: {strange}")


def round_up(bound: float) -> int:
    """Return the smallest integer cost that a lower bound leaves possible.

    A float bound is first lowered by a millionth, or by ``1e-12`` of itself if that is more, so
    that rounding errors of a solver never turn a valid bound into an invalid one.
    """
    if isinstance(bound, Integral):
        return int(bound)
    return ceil(bound - max(1e-6, 1e-12 * abs(bound)))


def machine_memory() -> float:
    """Return the memory of this machine in MiB."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20


def resident_memory(process: int | None = None) -> float:
    """Return the resident memory of a process in MiB.

    Parameters
    ----------
    process : int, optional
        This one by default. Of others the memory is known under Linux only; 0 elsewhere, and
        once they have ended. Of this one the peak is returned where only that is known.
    """
    statm = Path(f"/proc/{process or 'self'}/statm")
    try:
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20
    except OSError:
        if process is not None:
            return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
