"""The pipeline: match, run, verify. A claim that does not hold is refused."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

import odt
from odt.core.run import round_up
from odt.testing import random_problem, with_every_objective

LINE = odt.Dataset([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "a"])
PROBLEM = odt.Problem(LINE, "error", odt.Shape(max_depth=2))
OPTIMUM = odt.solve(PROBLEM, "brute-force")
LEAF_A, LEAF_B = odt.Tree.leaf(0), odt.Tree.leaf(1)


@dataclass(frozen=True)
class Scripted(odt.Solver):
    """Says whatever the test wants."""

    name: ClassVar[str] = "scripted"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset] = odt.solver_class("dp").supports
    act: Callable[[odt.Problem, odt.Run], odt.Solution] = field(
        default=lambda problem, run: odt.Solution(odt.Status.UNKNOWN)
    )

    def solve(self, problem: odt.Problem, run: odt.Run) -> odt.Solution:
        """Run the script."""
        return self.act(problem, run)


def say(*args: object, **kwargs: object) -> Scripted:
    """Return a solver that answers with this solution."""
    return Scripted(lambda problem, run: odt.Solution(*args, **kwargs))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "solver",
    [
        pytest.param(say(odt.Status.OPTIMAL, LEAF_A, 1), id="bound above an existing tree's cost"),
        pytest.param(say(odt.Status.OPTIMAL, LEAF_A, 0), id="bound below its own tree's cost"),
        pytest.param(say(odt.Status.OPTIMAL, LEAF_A), id="optimal without a bound"),
        pytest.param(say(odt.Status.OPTIMAL, LEAF_B, 1), id="labels swapped"),
        pytest.param(say(odt.Status.OPTIMAL), id="optimal without a tree"),
        pytest.param(say(odt.Status.FEASIBLE), id="feasible without a tree"),
        pytest.param(say(odt.Status.FEASIBLE, LEAF_B, 2), id="bound above the majority leaf"),
        pytest.param(say(odt.Status.INFEASIBLE), id="infeasible though a leaf will do"),
        pytest.param(say(odt.Status.UNKNOWN, None, 2), id="a bound made up"),
        pytest.param(say(odt.Status.FEASIBLE, LEAF_A, float("inf")), id="an infinite bound"),
        pytest.param(say(odt.Status.FEASIBLE, odt.Tree.leaf(2), 0), id="a class beyond the last"),
        pytest.param(say(odt.Status.FEASIBLE, odt.Tree.leaf(-1), 0), id="a class before the first"),
        pytest.param(
            say(odt.Status.FEASIBLE, odt.Tree.branch(odt.Test(1, threshold=0), LEAF_A, LEAF_B), 0),
            id="a feature the data do not have",
        ),
    ],
)
def test_false_claims_are_refused(solver: odt.Solver) -> None:
    """Every way in which status, tree and bound can contradict each other or the data.

    The lone leaf 'a' has 1 error of 4 (cost 1), the optimum has 0.
    """
    if solver.act(PROBLEM, odt.Run(PROBLEM)).bound == 1:  # type: ignore[attr-defined]
        with pytest.raises(odt.InconsistentSolutionError):
            odt.solve(PROBLEM, solver, initial=OPTIMUM.tree)
        return
    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(PROBLEM, solver)


def test_trees_outside_the_limits_are_refused() -> None:
    """A tree that is too deep for the problem is an error, not a good result."""
    shallow = odt.Problem(LINE, "error", odt.Shape(max_depth=1))
    with pytest.raises(odt.InconsistentSolutionError, match="2 depth, at most 1"):
        odt.solve(shallow, say(odt.Status.OPTIMAL, OPTIMUM.tree, 0))


def test_reported_bounds_are_checked_too() -> None:
    """A bound reported on the way may not exceed the cost of a known tree either."""

    def act(problem: odt.Problem, run: odt.Run) -> odt.Solution:
        run.report(tree=LEAF_A)
        run.report(bound=1.5)
        return odt.Solution(odt.Status.UNKNOWN)

    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(PROBLEM, Scripted(act))


def test_fractional_bounds_round_up_to_the_next_cost() -> None:
    """0.3 proves 1, since costs are integers; a rounding error above an integer proves nothing."""
    assert round_up(0.3) == 1
    assert round_up(3.0000000001) == 3
    assert round_up(-0.5) == 0
    assert round_up(10**30) == 10**30


def test_best_of_reported_and_returned_wins() -> None:
    """A solver that returns a worse tree than it reported does not lose the better one."""

    def act(problem: odt.Problem, run: odt.Run) -> odt.Solution:
        run.report(tree=OPTIMUM.tree)
        return odt.Solution(odt.Status.FEASIBLE, LEAF_A)

    result = odt.solve(PROBLEM, Scripted(act))
    assert result.objective == 0.0
    assert result.status is odt.Status.FEASIBLE


def test_matching_bound_makes_a_feasible_result_optimal() -> None:
    """Incumbent and bound from different reports still prove optimality."""
    result = odt.solve(PROBLEM, say(odt.Status.UNKNOWN, None, 0), initial=OPTIMUM.tree)
    assert result.status is odt.Status.OPTIMAL
    assert result.stopped_by == "proof"


def test_initial_tree_must_keep_the_limits() -> None:
    """A start that is not allowed is the user's error, said at once."""
    with pytest.raises(odt.ProblemError, match="initial"):
        odt.solve(odt.Problem(LINE, shape=odt.Shape(max_depth=0)), "dp", initial=OPTIMUM.tree)


@pytest.mark.parametrize(
    ("test", "is_candidate"),
    [
        (odt.Test(0, threshold=0.7), True),
        (odt.Test(0, categories=(0, 2)), False),
        (odt.Test(1, categories=(0, 2, 3)), True),
        (odt.Test(1, categories=(0, 1)), False),
        (odt.Test(1, threshold=1.5), False),
        (odt.Test(1, threshold=0.5), True),
    ],
    ids=str,
)
def test_only_candidates_may_be_asked(test: odt.Test, is_candidate: bool) -> None:
    """A test that splits as no candidate does would beat a proved optimum; one that does is fine.

    Column 0 holds numbers, column 1 four categories: the candidates are thresholds of the one and
    single categories of the other.
    """
    data = odt.Dataset([[0, 0], [1, 1], [3, 2], [2, 3]], [0, 0, 1, 1], categorical=[1])
    problem = odt.Problem(data, "error", odt.Shape(max_depth=1))
    start = odt.Tree.branch(test, LEAF_A, LEAF_B)
    if is_candidate:
        assert odt.solve(problem, "dp", initial=start).objective == 0.0
    else:
        with pytest.raises(odt.ProblemError, match="not among the candidates"):
            odt.solve(problem, "dp", initial=start)


def test_interrupt_returns_the_incumbent_and_its_bound() -> None:
    """Ctrl-C during a run gives its bound, and the best tree so far or that of CART."""

    def act(problem: odt.Problem, run: odt.Run) -> odt.Solution:
        run.report(tree=LEAF_A, bound=-1)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        while not run.should_stop():
            time.sleep(0.01)
        return odt.Solution(odt.Status.UNKNOWN)

    result = odt.solve(PROBLEM, Scripted(act))
    assert (result.stopped_by, result.cost, result.cost_bound) == ("interrupt", 0, -1)
    assert [point.cost for point in result.trace] == [1, 0]
    assert result.gap == 1.0


def test_native_calls_are_stopped_by_the_time_limit() -> None:
    """run.call waits for a blocking call and tells it to stop when the time is up."""

    def act(problem: odt.Problem, run: odt.Run) -> odt.Solution:
        asked = threading.Event()
        assert run.call(lambda: asked.wait(20), asked.set)
        return odt.Solution(odt.Status.FEASIBLE, LEAF_A)

    result = odt.solve(PROBLEM, Scripted(act), budget=odt.Budget(time_limit=0.1))
    assert result.stopped_by == "time"


def test_native_failures_are_not_swallowed() -> None:
    """An exception in the native thread reaches the caller."""

    def act(problem: odt.Problem, run: odt.Run) -> odt.Solution:
        return run.call(lambda: 1 // 0, lambda: None)  # type: ignore[return-value]

    with pytest.raises(ZeroDivisionError):
        odt.solve(PROBLEM, Scripted(act))


def test_memory_limit_stops_the_run() -> None:
    """A process that is already above its limit stops at the first poll, with a result."""
    result = odt.solve(PROBLEM, Scripted(_wait), budget=odt.Budget(memory_limit=1))
    assert result.stopped_by == "memory"


def _wait(problem: odt.Problem, run: odt.Run) -> odt.Solution:
    while not run.should_stop():
        time.sleep(0.01)
    return odt.Solution(odt.Status.UNKNOWN)


def test_memory_error_returns_the_incumbent() -> None:
    """Running out of memory ends the run with the best tree so far, or that of CART."""

    def act(problem: odt.Problem, run: odt.Run) -> odt.Solution:
        run.report(tree=LEAF_A)
        raise MemoryError

    result = odt.solve(PROBLEM, Scripted(act))
    assert (result.stopped_by, result.cost) == ("memory", 0)
    assert [point.cost for point in result.trace] == [1, 0]


def test_trace_and_callback_see_every_improvement() -> None:
    """on_report gets the same points that the result keeps, costs falling, bounds rising."""
    seen: list[object] = []
    problem = odt.Problem(LINE, "error + 0.01*size", odt.Shape(max_depth=3))
    result = odt.solve(problem, "dp", on_report=seen.append)
    assert tuple(seen) == result.trace
    costs = [point.cost for point in result.trace if point.cost is not None]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.cost


def test_certificate_finds_a_tampered_result() -> None:
    """The certificate recomputes from raw data: a changed tree or cost is found."""
    result = odt.solve(PROBLEM, "dp")
    assert result.certificate().optimal
    object.__setattr__(result, "tree", LEAF_A)
    with pytest.raises(odt.InconsistentSolutionError):
        result.certificate()


def test_gap_of_an_order_is_that_of_the_first_open_level() -> None:
    """Error proven, size 5 against a bound of 3: gap 2/5."""
    problem = odt.Problem(LINE, "error, size", odt.Shape(max_depth=2))
    solver = Scripted(lambda p, run: odt.Solution(odt.Status.FEASIBLE, OPTIMUM.tree, 3))
    assert odt.solve(problem, solver).gap == pytest.approx(2 / 5)


@pytest.mark.parametrize("seed", range(12))
def test_a_suboptimal_tree_declared_optimal_is_found_out(seed: int) -> None:
    """A bound made up to equal the tree's own cost is refuted by a better tree next to it.

    The tree asks the worst test at the root of an optimal tree for exclusive or plus noise.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(60, 3)).astype(float)
    data = odt.Dataset(X, (X[:, 0] > 2) ^ (X[:, 1] > 3))
    problem = odt.Problem(data, "error", odt.Shape(max_depth=2))
    best = odt.solve(problem, "dp").tree
    assert best is not None
    worse = (
        best.with_subtree(1, odt.Tree.leaf(0))
        if seed % 2
        else best.with_subtree(
            0,
            odt.Tree.branch(
                odt.Test(2, threshold=0.5), best.subtree(1), best.subtree(int(best.right[0]))
            ),
        )
    )
    assert problem.cost(worse) > problem.cost(best)
    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(problem, say(odt.Status.OPTIMAL, worse, problem.cost(worse)))


def test_no_true_proof_is_refused() -> None:
    """The attack on claims never hits a right one: all optima of random problems stand."""
    for seed in range(60):
        for problem in with_every_objective(random_problem(seed, structure=True)):
            odt.solve(problem, "brute-force")


@pytest.mark.parametrize("solver", ["dp", "cp-sat", "min-size"])
def test_contradictory_rows_are_named_where_no_errors_are_allowed(solver: str) -> None:
    """Whatever solver says infeasible, the result lists the rows to blame and the ways out."""
    data = odt.Dataset([[0.0], [0.0], [1.0]], ["n", "y", "n"])
    result = odt.solve(odt.Problem(data, "size", odt.Shape(max_error=0.0)), solver)
    assert result.status is odt.Status.INFEASIBLE
    assert "rows 0, 1 are equal but have the labels 'n', 'y'" in result.reason
    assert "max_error=0.333333" in str(result)


def test_representations_are_short():
    """A result or tree in a notebook or a debugger takes one line, not its arrays."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"])
    result = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "dp")
    assert repr(result.tree) == "Tree(3 nodes, depth 1, 1 features)"
    assert repr(result) == f"Result(dp: optimal, objective 0, bound 0, tree={result.tree!r})"
