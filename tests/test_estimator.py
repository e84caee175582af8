"""The scikit-learn estimator."""

import pickle
import warnings

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


ESTIMATORS = [
    OptimalTreeClassifier(),
    stump(max_depth=2),
    stump(max_depth=2, missing="learned"),
    odt.DPDTClassifier(),
    odt.SERDTClassifier(missing="category"),
    odt.CARTClassifier(),
    odt.OptimalTreeRegressor(),
    odt.DPDTRegressor(missing="learned"),
]


@parametrize_with_checks(ESTIMATORS)
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


def test_a_search_that_is_cut_short_warns():
    """No proof in a millisecond: the tree is used, and the warning names the cause."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.exceptions import ConvergenceWarning

    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="ended by time"):
        model = OptimalTreeClassifier("dp", max_depth=5, time_limit=0.001).fit(X, y)
    assert model.status_ == "feasible"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert odt.CARTClassifier().fit(X, y).status_ == "feasible"  # it never proves anything
        assert stump().fit(X[:20], y[:20]).status_ == "optimal"


def test_all_processors_may_be_asked_for():
    """n_jobs=-1 means what it means everywhere in scikit-learn."""
    model = OptimalTreeClassifier("dp", max_depth=1, n_jobs=-1).fit([[0.0], [1.0]], [0, 1])
    assert model.score([[0.0], [1.0]], [0, 1]) == 1.0


def test_what_people_call_on_a_tree():
    """Depth, leaves, leaf numbers, paths, importances and log shares are those of the tree."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = stump(max_depth=2).fit(X, y)
    assert (model.get_depth(), model.get_n_leaves()) == (2, model.tree_.n_leaves)
    leaves, paths = model.apply(X), model.decision_path(X)
    assert paths.shape == (150, model.tree_.n_nodes)
    assert all(paths[i, leaf] == 1 for i, leaf in enumerate(leaves))
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert set(np.flatnonzero(importances)) == set(model.tree_.features)
    assert np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_importances_are_those_of_scikit_learn():
    """The same stump has the same importances; a lone leaf has none."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    weight = rng.integers(0, 3, 60)
    mine = odt.CARTClassifier(max_depth=3, solver_options={"prune": False})
    mine.fit(X, y, sample_weight=weight)
    other = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, weight)
    if mine.tree_.n_nodes == other.tree_.node_count:
        assert np.allclose(mine.feature_importances_, other.feature_importances_)
    one = odt.OptimalTreeRegressor(max_depth=1).fit(X, X[:, 1], sample_weight=weight)
    two = DecisionTreeRegressor(max_depth=1).fit(X, X[:, 1], weight)
    assert np.allclose(one.feature_importances_, two.feature_importances_)
    assert not stump().fit(X, np.zeros(60)).feature_importances_.any()


def test_class_weights_and_costs_are_weights_of_examples():
    """Rows a a a b on equal features: b wins once its weight exceeds 3."""
    X, y = [[0.0]] * 4, ["a", "a", "a", "b"]
    assert stump().fit(X, y).predict([[0.0]]) == ["a"]
    assert stump(class_weight={"b": 4}).fit(X, y).predict([[0.0]]) == ["b"]
    assert stump(cost_matrix=[[0, 1], [4, 0]]).fit(X, y).predict([[0.0]]) == ["b"]
    balanced = stump(class_weight="balanced").fit(X, y)
    assert balanced.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]
    halved = stump(class_weight={"b": 4}).fit(X, y, sample_weight=[2, 2, 2, 1])
    assert halved.predict([[0.0]]) == ["a"]


def test_weights_that_mean_nothing_are_refused():
    """Unknown classes, words, and costs that depend on the predicted class."""
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    with pytest.raises(odt.ProblemError, match="'d', which is no class"):
        stump(class_weight={"d": 1}).fit(X, y)
    with pytest.raises(odt.ProblemError, match="'balanced'"):
        stump(class_weight="equal").fit(X, y)
    with pytest.raises(odt.ProblemError, match="row 1"):
        stump(cost_matrix=[[0, 1, 1], [1, 0, 2], [1, 1, 0]]).fit(X, y)
    with pytest.raises(odt.ProblemError, match=r"shape \(3, 3\)"):
        stump(cost_matrix=[[0, 1], [1, 0]]).fit(X, y)
    with pytest.raises(odt.DataError, match="MultiOutputRegressor"):
        odt.OptimalTreeRegressor().fit(X, [[0, 1], [1, 2], [3, 4]])


def test_tables_with_gaps_and_categories():
    """pandas, polars and Arrow, mixed columns with gaps: one tree, and boolean labels."""
    import polars as pl
    import pyarrow as pa

    columns = {"u": [1.0, None, 3.0, 4.0], "c": ["r", "g", None, "r"]}
    y, trees = [True, False, True, False], []
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        model = stump(max_depth=2, missing="learned").fit(table, y)
        assert model.predict(table).tolist() == y
        trees.append(model.tree_)
    assert trees[0] == trees[1] == trees[2]


def test_gaps_that_only_prediction_has():
    """A fold may lack the one gap of a column: it then fails the tests, with a warning."""
    X = pd.DataFrame({"u": [1.0, 2.0], "c": ["a", "b"]})
    gone = pd.DataFrame({"u": [1.0, np.nan], "c": ["a", None]})
    model = stump(missing="learned").fit(X, ["low", "high"])
    with pytest.warns(odt.DataWarning, match="its tests answer no"):
        assert model.predict(gone).tolist() == ["low", "high"]
    with pytest.raises(odt.DataError, match="training data had none"):
        stump().fit(X, ["low", "high"]).predict(gone)


def test_trade_off_path_is_the_front():
    """The classifier's path ends in a lone leaf; the regressor's too, and nothing is fitted."""
    from sklearn.datasets import load_diabetes, load_iris

    model = stump(max_depth=2)
    front = model.trade_off_path(*load_iris(return_X_y=True))
    assert front.points[-1].tree.n_nodes == 1
    assert not hasattr(model, "tree_")
    X, y = load_diabetes(return_X_y=True)
    regressor = odt.OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert regressor.objective_ == pytest.approx(np.mean((regressor.predict(X) - y) ** 2))
    assert regressor.trade_off_path(X, y).points[-1].tree.n_nodes == 1


def test_a_pipeline_and_a_grid_search_over_mixed_columns_with_gaps():
    """Half of a real table is made of text and gaps; the grid includes the policy."""
    from sklearn.datasets import load_wine
    from sklearn.pipeline import Pipeline

    X, y = load_wine(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    X = X.mask(rng.random(X.shape) < 0.1)
    X["strength"] = np.where(X["alcohol"] > 13, "strong", "light")
    grid = GridSearchCV(
        Pipeline([("tree", odt.DPDTClassifier(max_depth=2))]),
        {"tree__missing": ["learned", "category"], "tree__max_depth": [1, 3]},
        cv=3,
    ).fit(X, y)
    assert grid.best_params_["tree__max_depth"] == 3
    assert grid.best_score_ > 0.8
