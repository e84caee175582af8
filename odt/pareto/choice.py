"""Choosing from a front by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Budget
from odt.core.solver import Solver
from odt.errors import ProblemError
from odt.model.checks import check_int
from odt.model.measure import MEASURES, Measure
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.pareto.door import pareto
from odt.pareto.front import ParetoFront, ParetoPoint
from odt.pareto.measures import named_measures

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class FrontChoice:
    """A point of a front, and the scores that chose it.

    Attributes
    ----------
    front : ParetoFront
        Of all data.
    index : int
        Of the chosen point in ``front.points``.
    scores : ndarray of shape (n_points, n_folds)
        Score on the test part of each fold; NaN where no tree of a fold is as simple as a point.
    one_standard_error : bool
        Whether the simplest point within one standard error of the best was chosen.
    """

    front: ParetoFront
    index: int
    scores: NDArray[np.float64]
    one_standard_error: bool

    @property
    def point(self) -> ParetoPoint:
        """The chosen point; its tree is fitted to all data."""
        return self.front.points[self.index]

    @property
    def tree(self) -> Tree:
        """The chosen tree."""
        return self.point.tree

    @property
    def mean_scores(self) -> NDArray[np.float64]:
        """Mean over the folds, shape (n_points,)."""
        return np.asarray(self.scores.mean(axis=1))

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Standard error of the mean over the folds, shape (n_points,)."""
        return np.asarray(self.scores.std(axis=1, ddof=1) / np.sqrt(self.scores.shape[1]))

    def to_frame(self) -> Any:
        """Return that of the front with the mean scores, their errors and which one is chosen."""
        frame = self.front.to_frame()
        frame["mean_score"], frame["standard_error"] = self.mean_scores, self.standard_errors
        frame["chosen"] = np.arange(len(frame)) == self.index
        return frame

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {value:.4g}" for name, value in self.point.values.items())
        score = f"{self.mean_scores[self.index]:.4f} +- {self.standard_errors[self.index]:.4f}"
        return f"FrontChoice({values}; score {score} on {self.scores.shape[1]} folds)"


def choose(
    problem: Problem,
    measures: str | Sequence[str | Measure] = "error,expected_tests",
    *,
    cv: int | Any | Iterable[tuple[Any, Any]] = 5,
    scoring: str | Callable[..., float] = "accuracy",
    one_standard_error: bool = False,
    random_state: int | None = None,
    n_jobs: int | None = None,
    solver: str | Solver | type[Solver] = "dpdt",
    full: bool | None = None,
    budget: Budget | None = None,
    **options: Any,
) -> FrontChoice:
    """Choose a tree from the front of a problem by cross-validation.

    A point of the front of all data stands for limits: to be as simple as it is. In each fold the
    front of the training part is found; for each point its most accurate tree within these limits
    is scored on the test part. The point of best mean score wins, of equals the simplest. A mean
    such as the expected tests differs a little from part to part, so its limit lies halfway to the
    next larger value on the front; that of the largest is dropped.

    Parameters
    ----------
    problem : Problem
    measures : str or sequence of str or Measure
        As for `odt.pareto`; the error is one of them.
    cv : int, cross-validation generator or iterable, default 5
        A number of stratified folds, which are shuffled, a splitter of scikit-learn, or pairs of
        row numbers (training, test).
    scoring : str or callable, default "accuracy"
        A scorer of scikit-learn, larger is better: a name, or ``scorer(estimator, X, y)``. Weights
        of examples that differ are passed on as ``sample_weight``.
    one_standard_error : bool, default False
        Take the simplest point whose mean score is within one standard error of the best (Breiman,
        Friedman, Olshen, Stone 1984). Simplest is least in the measures other than the error, the
        first of them first.
    random_state : int, optional
        Seed of the shuffling and of the solver, 0 by default.
    n_jobs : int, optional
        Folds at a time, through joblib: inside ``joblib.parallel_config`` on Dask or Ray too.
    solver, full, **options
        As for `odt.pareto`.
    budget : Budget, optional
        Of each front: that of all data, and one for each fold.

    Returns
    -------
    FrontChoice

    Raises
    ------
    ProblemError
        If the error is not among the measures, if the front is empty, or if no point has a tree
        in every fold; for folds that the data do not allow.
    """
    from odt.pareto.folds import rows_of_folds, scores_of_folds  # they load scikit-learn

    chosen = named_measures(measures, problem.dataset)
    if Measure.ERROR not in chosen:
        raise ProblemError(
            "A front of classes is cross-validated by its accuracy, targets not at all. Got "
            f"{', '.join(m.value for m in chosen)} without error."
        )
    seed = 0 if random_state is None else random_state
    check_int("random_state", seed, 0)
    folds = rows_of_folds(problem.dataset, cv, seed)
    settings: dict[str, Any] = {
        "measures": chosen, "solver": solver, "full": full, "budget": budget, "seed": seed,
        **options,
    }  # fmt: skip
    front = pareto(problem, **settings)
    if front.stopped_by == "interrupt":
        raise KeyboardInterrupt
    if not front.points:
        raise ProblemError("The front is empty: no tree within the limits was found.")
    scores = scores_of_folds(problem, folds, _limits(front), scoring, settings, n_jobs)
    return FrontChoice(front, _index(front, scores, one_standard_error), scores, one_standard_error)


def _limits(front: ParetoFront) -> list[dict[str, float]]:
    """Return for each point the largest values that count as no more complex."""
    limits: list[dict[str, float]] = [{} for _ in front.points]
    for name in _complexities(front):
        values = sorted({point.values[name] for point in front.points})
        most = dict(zip(values, values, strict=True))
        if MEASURES[name].is_mean:
            larger = [*values[1:], np.inf]
            most = {a: (a + b) / 2 for a, b in zip(values, larger, strict=True)}
        for limit, point in zip(limits, front.points, strict=True):
            limit[name] = most[point.values[name]] + _ROUNDING
    return limits


def _index(front: ParetoFront, scores: NDArray[np.float64], one_standard_error: bool) -> int:
    means = scores.mean(axis=1)
    scored = [i for i, mean in enumerate(means) if not np.isnan(mean)]
    if not scored:
        raise ProblemError(
            "No point of the front has a tree in every fold that is as simple: the training parts "
            "are too small for the limits. Relax the limits or take more folds."
        )
    best = max(scored, key=lambda i: means[i])
    slack = _ROUNDING
    if one_standard_error:
        slack += float(scores[best].std(ddof=1) / np.sqrt(scores.shape[1]))
    good = [i for i in scored if means[i] >= means[best] - slack]
    names = _complexities(front)
    return min(good, key=lambda i: [front.points[i].values[name] for name in names])


def _complexities(front: ParetoFront) -> list[str]:
    return [name for name in front.measures if name != Measure.ERROR.value]
