"""From a problem to its front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from odt.core.registry import make_solver
from odt.core.run import Budget, Run
from odt.core.solver import Solver
from odt.errors import ProblemError
from odt.model.measure import Measure
from odt.model.problem import Problem
from odt.pareto.front import FrontProgress, ParetoFront
from odt.pareto.measures import named_measures
from odt.pareto.one_pass import one_pass
from odt.pareto.solved import solved_front


def pareto(
    problem: Problem,
    measures: str | Sequence[str | Measure] | None = None,
    *,
    solver: str | Solver | type[Solver] = "dpdt",
    full: bool | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    check: bool | None = None,
    on_report: Callable[[FrontProgress], None] | None = None,
    **options: Any,
) -> ParetoFront:
    """Return the trees that no other beats in all of two or three measures.

    The objective of the problem is not used; its data, tests and limits are.

    ``"dpdt"`` makes one backward pass over the tests that its generator offers, for the error
    against expected tests, size or explanation size (`odt.pareto.one_pass`). It is quick and takes
    no other limits than those on depth, error and leaves.

    An exact solver minimises one measure under limits on the others, again and again
    (`odt.pareto.bounded`), so it takes whatever limits it supports. Error, size and depth can be
    limited; of the measures at most one may be another. A solver that cannot limit them, such as
    ``"bnb"``, gives the trees that some price makes best (`odt.pareto.priced`).

    Parameters
    ----------
    problem : Problem
    measures : str or sequence of str or Measure, optional
        Two or three of error (for targets squared_error), size, depth, expected_tests,
        explanation_size and worst_explanation_size. By default the error and expected_tests.
    solver : str or Solver or subclass of Solver, default "dpdt"
        Besides ``"dpdt"``, exact ones only.
    full : bool, optional
        Whether to find also the trees that no price makes best. By default the exact solvers that
        can do so do, and the one pass does not, since it then takes longer.
    budget : Budget, optional
        Of the whole front. When it is used up, or on Ctrl-C, the front says where it is ``open``;
        one pass closes its open states greedily.
    seed : int, default 0
    check : bool, optional
        As for `odt.solve`.
    on_report : callable, optional
        Called with a `FrontProgress` now and then.
    **options
        Options of the solver. Of ``"dpdt"``: ``generator``, such as ``"cart_leaves(16)"``;
        ``"all"`` is exact, and for small data only.

    Raises
    ------
    ProblemError
        For unknown measures, options or generators, or if a complexity exceeds 62 bits.
    UnsupportedProblemError
        For limits that the solver cannot keep or measures that it cannot combine; names solvers
        that can.

    Examples
    --------
    >>> import odt
    >>> data = odt.Dataset([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    >>> front = odt.pareto(odt.Problem(data), "error,size", solver="dp")
    >>> [tuple(point.values.values()) for point in front.points]
    [(0.0, 5), (0.3333333333333333, 1)]
    """
    chosen = named_measures(measures, problem.dataset)
    run = Run(problem, budget, seed=seed)
    if solver == "dpdt":
        unknown = sorted(set(options) - {"generator"})
        if unknown:
            raise ProblemError(
                f"The one pass of dpdt has no option {', '.join(map(repr, unknown))}, only "
                "'generator'."
            )
        generator = options.get("generator", "auto")
        return one_pass(problem, chosen, generator, bool(full), run, on_report)
    return solved_front(problem, chosen, make_solver(solver, options), full, run, check, on_report)
