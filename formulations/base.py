"""What a formulation is, and how any formulation solves a problem.

A formulation writes a problem as a model (`build`); an emitter hands the model to a solver
library; the model reads a tree back from the library's values (`decode`) and writes a tree as
values (`encode`), which serves warm starts. Nothing here knows a solver library.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from formulations.program.base import Values
from formulations.program.digits import STEP, DigitProgram
from formulations.tree.initial import first_tree
from odt.core.run import Run, round_up
from odt.core.solver import Solution, Solver, Status
from odt.errors import Stopped, UnsupportedProblemError
from odt.model.measure import Amounts
from odt.model.problem import Problem
from odt.model.tree import Tree

LARGEST_TABLE = 2 * 10**8

P = TypeVar("P", bound=DigitProgram)
P_contra = TypeVar("P_contra", bound=DigitProgram, contravariant=True)


class Cap(NamedTuple):
    """The limit ``prices . amounts <= at_most`` on a tree."""

    prices: Amounts
    at_most: int

    def allows(self, amounts: Amounts) -> bool:
        """Say whether a tree with these amounts keeps the limit."""
        return amounts.cost(self.prices) <= self.at_most


class Goal(NamedTuple):
    """What a model must minimise and respect, in the exact amounts of a tree.

    Attributes
    ----------
    prices : Amounts
        The objective ``prices . amounts``.
    caps : tuple of Cap
        Limits on the whole tree: nodes, errors, earlier levels of a lexicographic objective, and
        the cost of a known tree.
    """

    prices: Amounts
    caps: tuple[Cap, ...] = ()

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the whole objective of a problem as one integer, and its limits."""
        return cls(problem.costs.prices, limits(problem))


class Model(ABC, Generic[P]):
    """A problem written out as a program, with the way back to trees.

    Attributes
    ----------
    program : Program
        Variables, constraints and objective.
    """

    program: P

    @abstractmethod
    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values``, one a variable, stand for; labels included."""

    @abstractmethod
    def encode(self, tree: Tree) -> Values | None:
        """Return values for all variables that stand for ``tree``; None if it cannot be said."""


@dataclass(frozen=True)
class Outcome:
    """What a solver library found out about a program.

    Attributes
    ----------
    status : Status
    values : ndarray, optional
        Best solution.
    bound : int or float, optional
        The library's own lower bound on the objective of the program, offset included.
    stats : mapping
    """

    status: Status
    values: Values | None = None
    bound: float | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)


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
        self, program: P_contra, hint: Values | None, run: Run, progress: Progress
    ) -> Outcome:
        """Minimise ``program`` within ``run``.

        Parameters
        ----------
        program : Program
        hint : ndarray or None
            Values of all variables to start from.
        run : Run
            Block only in ``run.call``; use ``run.n_threads``, ``run.seed``, ``run.remaining()``.
        progress : Progress
            Wants incumbents and bounds as they come.
        """


@dataclass(frozen=True)
class Formulation(Solver, Generic[P]):
    """A solver that writes problems as programs.

    Parameters
    ----------
    start : str, default "greedy"
        What finds a tree to start from when the run brings none: "greedy", "none", or the name
        of a solver, such as "dpdt", which gets at most a quarter of the time. Only its tree is
        used, never a bound.
    warm_start : bool, default True
        Give the best known tree to the library as a complete solution.
    cutoff : bool, default True
        Demand a cost of at most that of the best known tree.
    """

    exact: ClassVar[bool] = True
    largest_cost: ClassVar[int] = 2**50
    """Objectives above this are solved in stages: level by level, in ever smaller units."""

    start: str = "greedy"
    warm_start: bool = True
    cutoff: bool = True

    @abstractmethod
    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> Model[P]:
        """Write the problem as a model.

        Parameters
        ----------
        problem : Problem
            Use ``problem.compiled``; its limits on leaves, depth and features are for the
            formulation, those on nodes and errors are in ``goal``.
        goal : Goal
            What to minimise, and caps to keep.
        stop : callable
            Poll it in long loops and raise `Stopped` when it says True.
        """

    @abstractmethod
    def emitter(self) -> Emitter[P]:
        """Return the way to the solver library."""

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Build, solve and decode; level by level if the levels do not fit one number."""
        _check_size(problem, self.name)
        costs = problem.costs
        run.report(bound=costs.prices.errors * problem.compiled.base_errors + costs.prices.nodes)
        if run.tree is None:
            run.report(tree=first_tree(self.start, run))
        tree: Tree | None = None
        caps, proved = limits(problem), 0
        stats: Mapping[str, Any] = {}
        known = 0
        for stage in self._stages(problem):
            scale = _Scale(proved, stage.radix * (stage.unit or 1), known)
            goal = Goal(stage.prices, caps)
            try:
                model, outcome = self._minimise(problem, goal, run, scale, stage.unit)
            except Stopped:
                return Solution(Status.UNKNOWN, tree, run.bound, stats)
            stats = outcome.stats
            if outcome.values is not None:
                tree = model.decode(outcome.values)
                run.report(tree=tree)
            bound = None if outcome.bound is None else scale(outcome.bound)
            if outcome.status is not Status.OPTIMAL or bound is None:
                return Solution(outcome.status, tree, bound, stats)
            least = (bound - proved) // scale.radix
            known = least * STEP
            if stage.is_last:
                caps, proved, known = (*caps, Cap(stage.prices, least)), bound, 0
        return Solution(Status.OPTIMAL, tree, proved, stats)

    def first_prices(self, problem: Problem) -> Amounts:
        """Return what the first program minimises: the whole objective, or its first level."""
        return next(iter(self._stages(problem))).prices

    def export(self, problem: Problem, path: str) -> str:
        """Write a problem's program to a file; see `formulations.backends.export.export_model`."""
        from formulations.backends.export import export_model

        return str(export_model(self, problem, path))

    def _minimise(
        self,
        problem: Problem,
        goal: Goal,
        run: Run,
        scale: _Scale,
        unit: int | None,
    ) -> tuple[Model[P], Outcome]:
        known = run.tree
        if self.cutoff and known is not None:
            amounts = known.amounts(problem.dataset)
            if all(cap.allows(amounts) for cap in goal.caps):
                cutoff = Cap(goal.prices, amounts.cost(goal.prices))
                goal = Goal(goal.prices, (*goal.caps, cutoff))
        model = self.build(problem, goal, run.should_stop)
        if unit is not None:
            model.program.coarsen(unit, scale.known)
        if run.should_stop():
            raise Stopped
        hint = model.encode(known) if self.warm_start and known is not None else None
        progress = Progress(run, model, scale)
        outcome = self.emitter().solve(model.program, hint, run, progress)
        progress.check()
        return model, outcome

    def _stages(self, problem: Problem) -> Iterator[Stage]:
        """Yield what to minimise one after the other."""
        costs = problem.costs
        if costs.upper <= self.largest_cost:
            yield Stage(Goal.of(problem).prices, 1)
            return
        for level, radix in zip(costs.levels, costs.radices, strict=True):
            if level.upper <= self.largest_cost:
                yield Stage(level.coefficients, radix)
                continue
            unit = 1
            while level.upper // unit >= STEP:
                unit *= STEP
            while unit:
                yield Stage(level.coefficients, radix, unit)
                unit //= STEP


class Stage(NamedTuple):
    """One program of a series.

    Attributes
    ----------
    prices : Amounts
        What it minimises: ``prices . totals``.
    radix : int
        How often that counts in the whole cost.
    unit : int, optional
        Minimise multiples of it, rounded down, from those on that are known; see
        `DigitProgram.coarsen`.
    """

    prices: Amounts
    radix: int
    unit: int | None = None

    @property
    def is_last(self) -> bool:
        """Whether it settles its level."""
        return self.unit in (None, 1)


@dataclass(frozen=True)
class _Scale:
    """Turns a bound on what a stage minimises into a bound on the whole cost."""

    proved: int
    radix: int
    known: int

    def __call__(self, bound: float) -> int:
        return self.proved + self.radix * (self.known + round_up(bound))


def _check_size(problem: Problem, name: str) -> None:
    """Refuse a table of answers that would take minutes or fill the memory."""
    n_rows, n_tests = len(problem.dataset.merged.X), len(problem.candidate_tests)
    if n_rows * n_tests > LARGEST_TABLE:
        raise UnsupportedProblemError(
            f"{name!r} needs the answers of {n_rows} distinct rows to {n_tests} tests, more than "
            f"the {LARGEST_TABLE:.0e} allowed. Give fewer tests, such as "
            "tests=odt.TestSet.quantiles(dataset, 50), or use another solver such as 'dpdt'."
        )


def limits(problem: Problem) -> tuple[Cap, ...]:
    """Return the limits of the problem's shape that concern the whole tree."""
    most = Amounts(nodes=1), problem.limits.nodes
    most_errors = Amounts(errors=1), problem.limits.errors
    return tuple(Cap(amount, limit) for amount, limit in (most, most_errors) if limit is not None)
