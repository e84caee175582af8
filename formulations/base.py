"""What a formulation is, and how any formulation solves a problem.

A formulation writes a problem as a model (`build`); an emitter hands the model to a solver
library; the model reads a tree back from the library's values (`decode`) and writes a tree as
values (`encode`), which serves warm starts. Nothing here knows a solver library.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from formulations.backends.outcome import Outcome
from formulations.backends.protocol import Emitter, Progress
from formulations.model import Goal, Limit, Model, P, limits_of
from formulations.program.digits import STEP
from formulations.tree.initial import first_tree
from odt.core.run import Run, round_up
from odt.core.solver import Solution, Solver, Status
from odt.errors import Stopped, TooLargeError
from odt.model.measure import Amounts
from odt.model.problem import Problem
from odt.model.tree import Tree

LARGEST_TABLE = 2 * 10**8


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
            What to minimise, and limits to keep.
        stop : callable
            Poll it in long loops and raise `Stopped` when it says True.
        """

    def n_bytes(self, problem: Problem) -> int:
        """Return about how much memory the program takes, here and in the library.

        Asked before anything is built; 0, the default, if nothing is known.

        Raises
        ------
        UnsupportedProblemError
            If the program would be larger than this formulation ever writes.
        """
        return 0

    @abstractmethod
    def emitter(self) -> Emitter[P]:
        """Return the way to the solver library."""

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Build, solve and decode; level by level if the levels do not fit one number."""
        _check_size(problem, self.name)
        costs = problem.costs
        run.report(bound=costs.prices.errors * run.compile().base_errors + costs.prices.nodes)
        run.reserve(self.n_bytes(problem), f"The program of {self.name!r}")
        if run.tree is None:
            run.report(tree=first_tree(self.start, run))
        tree: Tree | None = None
        limits, proved = limits_of(problem), 0
        stats: Mapping[str, Any] = {}
        known = 0
        for stage in self._stages(problem):
            scale = _Scale(proved, stage.radix * (stage.unit or 1), known)
            goal = Goal(stage.prices, limits)
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
                limits, proved, known = (*limits, Limit(stage.prices, least)), bound, 0
        return Solution(Status.OPTIMAL, tree, proved, stats)

    def first_prices(self, problem: Problem) -> Amounts:
        """Return what the first program minimises: the whole objective, or its first level."""
        return next(iter(self._stages(problem))).prices

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
            if all(limit.allows(amounts) for limit in goal.limits):
                cutoff = Limit(goal.prices, amounts.cost(goal.prices))
                goal = Goal(goal.prices, (*goal.limits, cutoff))
        model = self.build(problem, goal, run.should_stop)
        if unit is not None:
            model.program.coarsen(unit, scale.known)
        Stopped.poll(run.should_stop)
        hint = model.start(known) if self.warm_start and known is not None else None
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
    n_rows, n_tests = len(problem.dataset.merged.X), problem.n_candidate_tests
    if n_rows * n_tests > LARGEST_TABLE:
        raise TooLargeError(
            f"{name!r} needs the answers of {n_rows} distinct rows to {n_tests} tests, more than "
            f"the {LARGEST_TABLE:.0e} allowed. Give fewer tests, such as "
            "tests=odt.TestSet.quantiles(dataset, 50), or use another solver such as 'dpdt'."
        )
