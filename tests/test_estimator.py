"""The scikit-learn estimator."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import odt
from odt import OptimalTreeClassifier


def stump(**options):
    """Return a quick exact estimator."""
    return OptimalTreeClassifier("dp", **{"max_depth": 1, **options})


@parametrize_with_checks([OptimalTreeClassifier(), stump(max_depth=2)])
def test_scikit_learn_compliance(estimator, check):
    """All of scikit-learn's checks hold, none is expected to fail."""
    check(estimator)


def test_fit_exposes_tree_status_and_bound():
    """Iris at depth 2: 6 of 150 wrong, proved; predictions come back in the labels given."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    model = stump(max_depth=2).fit(X, y)
    assert model.score(X, y) == pytest.approx(144 / 150)
    assert (model.status_, model.bound_, model.objective_) == ("optimal", 0.04, 0.04)
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.tree_ is model.result_.tree


def test_text_and_categorical_columns_are_understood():
    """A DataFrame with text needs no encoder; categories unseen in training still predict."""
    X = pd.DataFrame({"u": [1.0, 2, 3, 4], "color": ["red", "blue", "red", "blue"]})
    model = stump().fit(X, ["yes", "no", "yes", "no"])
    assert model.predict(X).tolist() == ["yes", "no", "yes", "no"]
    with pytest.warns(odt.DataWarning, match="green"):
        assert len(model.predict(pd.DataFrame({"u": [9.0], "color": ["green"]}))) == 1
    coded = stump(categorical_features=[0]).fit([[1], [2], [3]], [0, 1, 0])
    assert coded.result_.problem.dataset.kinds == ("categorical",)
    assert coded.score([[1], [2], [3]], [0, 1, 0]) == 1


def test_columns_may_have_numbers_as_names():
    """A DataFrame made without names has integer ones; predict finds them again."""
    X = pd.DataFrame([[0.0, 5.0], [1.0, 4.0]])
    assert stump().fit(X, ["a", "b"]).score(X, ["a", "b"]) == 1


def test_limits_objective_and_costs_reach_the_problem():
    """Every limit of Shape is a parameter, and so are test costs and the objective."""
    limits = {"max_nodes": 5, "max_leaf_nodes": 3, "min_samples_leaf": 2, "min_weight_leaf": 1.0,
              "max_error": 0.9, "max_features": 1, "max_depth": 2}  # fmt: skip
    model = stump(objective="error, size", test_costs=[2.0, 1.0], **limits)
    model.fit([[0, 0], [0, 1], [1, 0], [1, 1]], list("abba"))
    problem = model.result_.problem
    assert {name: getattr(problem.shape, name) for name in limits} == limits
    assert str(problem.objective) == "error, size"
    assert problem.dataset.test_costs.tolist() == [2, 1]


def test_weights_count():
    """The heavy rows decide what the only leaf says."""
    model = stump(max_depth=0).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"], [5, 1, 1])
    assert model.predict([[1.0]]) == ["a"]
    assert model.predict_proba([[1.0]])[0] == pytest.approx([5 / 7, 2 / 7])


def test_no_tree_is_an_error():
    """Limits that no tree keeps: the message says infeasible."""
    with pytest.raises(odt.ProblemError, match="infeasible"):
        stump(max_depth=0, max_error=0.0).fit([[0.0], [1.0]], ["a", "b"])


def test_works_in_pipelines_grid_search_clone_and_pickle():
    """The estimator behaves like any other in scikit-learn's tools."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)).round(1)
    y = np.where(X[:, 0] > 0, "pos", "neg")
    search = GridSearchCV(
        make_pipeline(StandardScaler(), stump()),
        {"optimaltreeclassifier__max_depth": [0, 1]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"optimaltreeclassifier__max_depth": 1}
    model = clone(stump(objective="error, size")).fit(X, y)
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


def test_solver_may_be_an_object_and_options_go_with_a_name():
    """Both ways to choose a solver; an unknown option is refused."""
    X, y = [[0.0], [1.0]], [0, 1]
    assert OptimalTreeClassifier(odt.solver_class("dp")(), max_depth=1).fit(X, y).score(X, y) == 1
    with pytest.raises(odt.ProblemError, match="no option 'nope'"):
        stump(solver_options={"nope": 1}).fit(X, y)


def test_all_processors_may_be_asked_for():
    """n_jobs=-1 means what it means everywhere in scikit-learn."""
    model = OptimalTreeClassifier("dp", max_depth=1, n_jobs=-1).fit([[0.0], [1.0]], [0, 1])
    assert model.score([[0.0], [1.0]], [0, 1]) == 1.0
