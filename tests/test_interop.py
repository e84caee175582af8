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
