"""Trees to and from scikit-learn, and drawings."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree

import odt
from odt import Dataset, Problem, Shape, Test, Tree
from odt.convert.sklearn import from_sklearn, to_sklearn


@pytest.fixture(scope="module")
def iris():
    """The dataset and its optimal tree of depth 2."""
    data = odt.datasets.load_dataset("iris")
    return data, odt.solve(Problem(data, shape=Shape(max_depth=2)), "dp").tree


def test_sklearn_model_predicts_like_the_tree(iris):
    """Labels, shares, leaves and node count agree; scikit-learn's own printers accept it."""
    data, tree = iris
    model, X = to_sklearn(tree), pd.DataFrame(data.X, columns=list(data.feature_names))
    assert (model.predict(X) == tree.predict(data.X)).all()
    assert np.allclose(model.predict_proba(X), tree.predict_proba(data.X))
    assert (model.apply(X) == tree.apply(data.X)).all()
    assert (model.get_depth(), model.tree_.node_count) == (tree.depth, tree.n_nodes)
    assert "petal width" in export_text(model, feature_names=list(data.feature_names))
    assert len(plot_tree(model)) >= tree.n_nodes


def test_sklearn_model_keeps_every_training_prediction_or_is_refused():
    """Random columns near the limits of float32: equal predictions, or an error with the values."""
    rng, refused = np.random.default_rng(5), 0
    for _ in range(200):
        base = rng.choice([0.0, 1.0, -1.0, 2.0**24, 1.7e9, 1.7e12, 1e-40, 3e38])
        step = rng.choice([1.0, 0.3, np.spacing(np.float32(base)), np.spacing(base)])
        X = base + step * rng.integers(0, 5, size=(12, 2)) * rng.choice([1, 0.5, 0.26])
        y = rng.integers(0, 2, 12)
        tree = odt.solve(Problem(Dataset(X, y), shape=Shape(max_depth=3)), "cart").tree
        merged = any(len(np.unique(c)) > len(np.unique(c.astype(np.float32))) for c in X.T)
        try:
            model = to_sklearn(tree)
        except odt.DataError:
            assert merged
            refused += 1
            assert to_sklearn(tree, allow_rounding=True).tree_.node_count == tree.n_nodes
        else:
            rows = pd.DataFrame(X, columns=["x0", "x1"])
            assert (model.predict(rows) == tree.predict(X)).all()
    assert 20 < refused < 150


def test_times_that_float32_cannot_tell_apart_are_named():
    """Seconds since 1970 lie 128 apart in float32: the message names the column and the values."""
    X = pd.DataFrame({"time": [1.7e9, 1.7e9 + 1]})
    tree = odt.solve(Problem(Dataset(X, [0, 1]), shape=Shape(max_depth=1)), "dp").tree
    with pytest.raises(odt.DataError, match="'time': 1700000000 and 1700000001"):
        to_sklearn(tree)
    assert to_sklearn(odt.Tree.from_json(tree.to_json()), allow_rounding=True).predict(X)[0] == 0


def test_tests_that_send_all_rows_one_way_still_do():
    """Given trees may hold such tests: float32(0.1) exceeds 0.1, float32(0.3) exceeds it too."""
    low, high = np.nextafter(float(np.float32(0.1)), 0), 0.3
    data = Dataset([[low], [high]], [0, 1], feature_names=["x"])
    for threshold in (low, np.nextafter(low, 0), high, 0.35, float(np.float32(0.3))):
        tree = Tree.branch(Test(0, threshold=threshold), Tree.leaf(0), Tree.leaf(1)).fitted(data)
        rows = pd.DataFrame({"x": data.X[:, 0]})
        assert (to_sklearn(tree).predict(rows) == tree.predict(rows)).all(), threshold


def test_leaf_labels_survive_ties():
    """A leaf of one a and one b that says b: argmax alone would say a."""
    data = Dataset([[0.0], [0.0]], ["a", "b"])
    model = to_sklearn(Tree.leaf(1).fitted(data))
    assert model.predict(pd.DataFrame({"x0": [0.0]})) == ["b"]


def test_round_trip_through_sklearn(iris):
    """There and back again: same structure, same predictions."""
    data, tree = iris
    back = from_sklearn(to_sklearn(tree), data)
    assert (back.left == tree.left).all()
    assert (back.predict(data.X) == tree.predict(data.X)).all()


@pytest.mark.parametrize("max_leaf_nodes", [None, 6])
def test_sklearn_trees_are_imported_exactly(max_leaf_nodes):
    """CART rounds to float32; the imported tree agrees on float64 rows around its thresholds."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    model = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, random_state=0).fit(X, y)
    tree = from_sklearn(model, Dataset(X, y))
    near = np.repeat(np.unique(model.tree_.threshold), 3).reshape(-1, 3)
    rows = np.concatenate([X, *(near * (1 + e) for e in (0, 1e-8, -1e-8, 6e-8, -6e-8, 1e-7))])
    assert (tree.predict(rows) == model.predict(rows)).all()
    assert tree.n_nodes == model.tree_.node_count


def test_what_does_not_fit_is_refused(iris):
    """Categorical tests, bare trees, other features and other classes have clear errors."""
    data, tree = iris
    colours = Dataset(np.array([["r"], ["g"]], dtype=object), [0, 1])
    by_colour = Tree.branch(Test(0, categories=(0,)), Tree.leaf(0), Tree.leaf(1))
    with pytest.raises(odt.DataError, match="one-hot"):
        to_sklearn(by_colour.fitted(colours))
    with pytest.raises(odt.DataError, match=r"tree.fitted\(dataset\)"):
        to_sklearn(by_colour)
    with pytest.raises(odt.DataError, match="4 numeric features; the dataset has 1"):
        from_sklearn(to_sklearn(tree), colours)
    with pytest.raises(odt.DataError, match="lacks the model's classes setosa"):
        from_sklearn(to_sklearn(tree), Dataset(data.X, data.y))


def test_drawing_shows_every_node(iris):
    """One text a node and two a branch for yes and no, in the right rows."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    from odt.draw.trees import plot_tree as draw

    _, tree = iris
    ax = draw(tree, Figure().subplots())
    assert len(ax.texts) == tree.n_nodes + 2 * tree.n_branches
    assert any("setosa\n50 of 50" in text.get_text() for text in ax.texts)
    assert draw(Tree.leaf(0), Figure().subplots()).texts[0].get_text() == "0"


def test_drawing_by_feature_shows_explanations() -> None:
    """Each branch and its two ways have the colour of the feature; other words are refused."""
    import matplotlib

    matplotlib.use("Agg")
    from odt.draw.trees import plot_tree as draw

    data = odt.datasets.load_dataset("iris")
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=3)), "cart").tree
    assert tree is not None
    ax = draw(tree, matplotlib.figure.Figure().add_subplot(), colour="feature")
    assert len({line.get_color() for line in ax.lines}) == len(tree.features)
    with pytest.raises(odt.ProblemError, match="colour"):
        draw(tree, ax, colour="depth")


def test_gaps_go_the_same_way_in_both_directions():
    """Learned gaps to scikit-learn and back, and a CART of scikit-learn's trained on gaps."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        X = rng.integers(0, 6, (40, 2)).astype(float)
        X[rng.random(X.shape) < 0.3] = np.nan
        y = rng.integers(0, 2, 40)
        data = Dataset(X, y, missing="learned")
        tree = odt.solve(Problem(data, shape=Shape(max_depth=3)), "cart").tree
        rows = pd.DataFrame(X, columns=["x0", "x1"])
        assert (to_sklearn(tree).predict(rows) == tree.predict(X)).all()
        model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
        assert (from_sklearn(model, data).predict(X) == model.predict(X)).all()
