"""Fronts of the training parts of a cross-validation, scored on the test parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, check_cv

from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.checks import is_int
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.pareto.door import pareto
from odt.pareto.front import ParetoFront

Fold = tuple[NDArray[np.int64], NDArray[np.int64]]
Limits = Sequence[Mapping[str, float]]


class FittedTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree as scorers of scikit-learn want it; its input is encoded rows of a dataset.

    Parameters
    ----------
    tree : Tree
        Fitted.
    classes : ndarray of shape (K,)
        Labels.
    """

    def __init__(self, tree: Tree, classes: NDArray[Any]) -> None:
        self.tree = tree
        self.classes_ = classes

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        return np.asarray(self.classes_[self.tree.predict_codes(X)])

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class shares in each row's leaf, shape (n, K)."""
        return self.tree.class_shares[self.tree.apply(X)]


def rows_of_folds(data: Dataset, cv: Any, seed: int) -> list[Fold]:
    """Return the rows of the training and the test part of each fold.

    Raises
    ------
    ProblemError
        If the data do not allow such folds, or there are less than two.
    """
    try:
        shuffled = (
            StratifiedKFold(int(cv), shuffle=True, random_state=seed) if is_int(cv, 2) else cv
        )
        folds = list(check_cv(shuffled, data.y, classifier=True).split(data.X, data.y))
    except (ValueError, TypeError) as error:
        raise ProblemError(f"'cv' does not fit the data: {error}") from None
    if len(folds) < 2:
        raise ProblemError(f"'cv' must give at least 2 folds. Got {len(folds)}.")
    return [(np.asarray(train), np.asarray(test)) for train, test in folds]


def scores_of_folds(
    problem: Problem,
    folds: Sequence[Fold],
    limits: Limits,
    scoring: str | Callable[..., float],
    settings: Mapping[str, Any],
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return the score of each limit in each fold, shape (n_limits, n_folds).

    Parameters
    ----------
    problem : Problem
    folds : sequence of Fold
    limits : sequence of mapping
        Largest values of the measures of complexity.
    scoring : str or callable
    settings : mapping
        Arguments of `odt.pareto`.
    n_jobs : int or None
    """
    try:
        scorer = get_scorer(scoring)
    except ValueError as error:
        raise ProblemError(f"'scoring' is not known: {error}") from None
    calls = (delayed(_scores)(problem, fold, limits, scorer, settings) for fold in folds)
    return np.array(Parallel(n_jobs=n_jobs)(calls)).T


def _scores(
    problem: Problem, fold: Fold, limits: Limits, scorer: Any, settings: Mapping[str, Any]
) -> list[float]:
    train, test = (problem.dataset.take(rows) for rows in fold)
    part = Problem(train, problem.objective, problem.shape, problem.tests)
    front = pareto(part, **settings)
    if front.stopped_by == "interrupt":
        raise KeyboardInterrupt
    classes = test.schema.class_array
    weights = test.sample_weight
    more = {} if (weights == weights[0]).all() else {"sample_weight": weights}
    scores: dict[Tree | None, float] = {None: float("nan")}
    for limit in limits:
        tree = _most_accurate(front, limit)
        if tree is not None and tree not in scores:
            model = FittedTree(tree, classes)
            scores[tree] = float(scorer(model, test.X, classes[test.y], **more))
    return [scores[_most_accurate(front, limit)] for limit in limits]


def _most_accurate(front: ParetoFront, limit: Mapping[str, float]) -> Tree | None:
    """Return the tree of least error within limits; of equals the first of the front."""
    within = [
        point
        for point in front.points
        if all(point.values[name] <= most for name, most in limit.items())
    ]
    return min(within, key=lambda p: p.values["error"]).tree if within else None
