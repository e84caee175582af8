"""What a user gets back: the tree, its value, and how good it is for certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from odt.core.run import TracePoint
from odt.core.solver import Status
from odt.draw.html import result_html
from odt.errors import InconsistentSolutionError
from odt.model.conflicts import conflict_message
from odt.model.problem import Problem
from odt.model.tree import Tree

if TYPE_CHECKING:
    from odt.proof import Proof

Value = float | tuple[float, ...]


@dataclass(frozen=True)
class Certificate:
    """A result recomputed from the tree and the raw data alone.

    Attributes
    ----------
    measures : dict of str to float
        All six measures of the tree.
    objective : float or tuple of float
        Value of the objective; one number a level.
    bound : float or tuple of float or None
        Lower bound, as proved by the solver.
    cost, cost_bound : int or None
        The same two as exact integers.
    optimal : bool
        Whether they are equal.
    """

    measures: Mapping[str, float]
    objective: Value
    bound: Value | None
    cost: int
    cost_bound: int | None
    optimal: bool


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Outcome of `odt.solve`, verified.

    Attributes
    ----------
    solver : str
        Name of the solver.
    problem : Problem
    status : Status
    stopped_by : str
        ``"proof"``, ``"time"``, ``"memory"``, ``"interrupt"`` or ``"solver"`` (it ended by
        itself without a proof).
    tree : Tree or None
        With class counts and names; None if no tree was found.
    cost, cost_bound : int or None
        Cost of the tree and lower bound in the exact integers of ``problem.costs``.
    runtime : dict of str to float
        Wall-clock seconds: ``"solve"``, ``"verify"``, and their ``"total"`` with what lies
        between; beside it ``"compile"``, spent on kernels that were not on disk yet.
    trace : tuple of TracePoint
        Incumbents and bounds over time.
    stats : mapping
        What the solver says about its search.
    """

    solver: str
    problem: Problem
    status: Status
    stopped_by: str
    tree: Tree | None
    cost: int | None
    cost_bound: int | None
    runtime: Mapping[str, float]
    trace: tuple[TracePoint, ...]
    stats: Mapping[str, Any]

    @property
    def objective(self) -> Value | None:
        """Value of the tree; one number a level for a lexicographic objective."""
        return None if self.cost is None else self.problem.costs.values(self.cost)

    @property
    def bound(self) -> Value | None:
        """Lower bound on the objective; None if the solver proved none."""
        return None if self.cost_bound is None else self.problem.costs.values(self.cost_bound)

    @property
    def gap(self) -> float:
        """Relative distance of objective and bound; infinity without a tree or a bound.

        ``|objective - bound| / max(|objective|, step)``, at the first level where they differ.
        """
        if self.cost is None or self.cost_bound is None:
            return float("inf")
        return relative_gap(self.problem, self.cost, self.cost_bound)

    @property
    def reason(self) -> str:
        """Why there is no tree without errors, or no proof, and ways out; empty otherwise."""
        if self.status is Status.INFEASIBLE and self.problem.limits.errors == 0:
            return conflict_message(self.problem) or ""
        is_open = self.status in (Status.FEASIBLE, Status.UNKNOWN)
        return str(self.stats.get("too_large", "")) if is_open else ""

    @property
    def method(self) -> str:
        """The solver's name, and the engine that it chose, if it chose one, and why."""
        if "engine" not in self.stats:
            return self.solver
        return f"{self.solver} took {self.stats['engine']} ({self.stats['why']})"

    def certificate(self) -> Certificate:
        """Recompute everything from the tree and the raw data.

        Raises
        ------
        InconsistentSolutionError
            If there is no tree, or if the recomputed values contradict this result.
        """
        if self.tree is None:
            raise InconsistentSolutionError(f"There is no tree to certify: {self.status.value}.")
        cost, broken = self.problem.cost(self.tree), self.problem.violations(self.tree)
        if broken or cost != self.cost or (self.cost_bound is not None and self.cost_bound > cost):
            raise InconsistentSolutionError(
                f"The result does not hold: cost {cost} recomputed, {self.cost} stated, bound "
                f"{self.cost_bound}; {'; '.join(broken) or 'limits kept'}."
            )
        return Certificate(
            measures=self.tree.measures(self.problem.dataset),
            objective=self.problem.costs.values(cost),
            bound=self.bound,
            cost=cost,
            cost_bound=self.cost_bound,
            optimal=self.cost_bound == cost,
        )

    def __repr__(self) -> str:
        values = f"objective {_text(self.objective)}, bound {_text(self.bound)}"
        return f"Result({self.solver}: {self.status.value}, {values}, tree={self.tree!r})"

    def _repr_html_(self) -> str:
        return result_html(self)

    def proof(self, *, time_limit: float | None = None) -> Proof:
        """Return a proof of the bound, or of the tree's cost, that anyone can check.

        Parameters
        ----------
        time_limit : float, optional
            Seconds for the search that finds it; see `odt.certify` for what it raises.
        """
        from odt.proof import certify

        return certify(self, time_limit=time_limit)

    def __str__(self) -> str:
        head = f"{self.method}: {self.status.value} (stopped by {self.stopped_by})"
        if self.tree is None:
            return f"{head}. {self.reason}" if self.reason else head
        return (
            f"{head}, objective {_text(self.objective)}, bound {_text(self.bound)}, gap "
            f"{self.gap:.2%}, {self.runtime['total']:.2f} s\n{self.tree}"
            + (f"\n{self.reason}" if self.reason else "")
        )


def relative_gap(problem: Problem, cost: int, bound: int) -> float:
    """Return the gap of two integer costs at the first level where they differ."""
    costs = problem.costs
    for high, low in zip(costs.level_costs(cost), costs.level_costs(bound), strict=True):
        if high != low:
            return abs(high - low) / max(abs(high), 1)
    return 0.0


def _text(value: Value | None) -> str:
    if value is None:
        return "none"
    return ", ".join(f"{v:.6g}" for v in (value if isinstance(value, tuple) else (value,)))
