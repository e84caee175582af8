"""A tree evaluates, explains, simplifies and stores itself."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import odt
from odt.model.text import to_dot

# A tree over x0 (cost 2) and x1 (cost 1), both 0/1:
#   x0 <= 0.5: class 0        else  x1 <= 0.5: class 0   else class 1
TREE = odt.Tree.branch(
    odt.Test(0, threshold=0.5),
    odt.Tree.leaf(0),
    odt.Tree.branch(odt.Test(1, threshold=0.5), odt.Tree.leaf(0), odt.Tree.leaf(1)),
)
DATA = odt.Dataset(
    [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "no", "yes"], [1, 2, 3, 4], test_costs=[2, 1]
)


def test_totals_by_hand() -> None:
    """Errors: row (0,1), weight 2. Tests: rows 0, 1 pay 2, rows 2, 3 pay 3: 3*2 + 7*3 = 27."""
    totals = TREE.amounts(DATA)
    assert totals == (2, 5, 2, 27, 3 * 1 + 7 * 2, 2)
    assert TREE.measures(DATA) == {
        "error": 0.2,
        "size": 5,
        "depth": 2,
        "expected_tests": 2.7,
        "explanation_size": 1.7,
        "worst_explanation_size": 2,
    }


def test_a_feature_asked_twice_is_paid_twice_and_explained_once() -> None:
    """Two thresholds of one feature on a path: 2 tests, 1 distinct feature."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0])
    inner = odt.Tree.branch(odt.Test(0, threshold=1.5), odt.Tree.leaf(1), odt.Tree.leaf(0))
    tree = odt.Tree.branch(odt.Test(0, threshold=0.5), odt.Tree.leaf(0), inner)
    totals = tree.amounts(data)
    assert (totals.tests, totals.explanation, totals.worst) == (1 + 2 + 2, 3, 1)


def test_shape_of_the_preorder_arrays() -> None:
    """Root 0, its left child 1, its right child 2 with children 3 and 4."""
    assert TREE.left.tolist() == [1, -1, 3, -1, -1]
    assert TREE.right.tolist() == [2, -1, 4, -1, -1]
    assert TREE.label.tolist() == [-1, 0, -1, 0, 1]
    assert (TREE.n_nodes, TREE.n_branches, TREE.n_leaves, TREE.depth) == (5, 2, 3, 2)
    assert TREE.subtree(2) == odt.Tree.branch(
        odt.Test(1, threshold=0.5), odt.Tree.leaf(0), odt.Tree.leaf(1)
    )


def test_tests_in_preorder_are_the_tree() -> None:
    """Random trees are rebuilt from their tests and labels, and a lone leaf too."""
    rng = np.random.default_rng(3)

    def grown(depth: int) -> odt.Tree:
        if depth == 0 or rng.random() < 0.2:
            return odt.Tree.leaf(int(rng.integers(3)))
        test = odt.Test(int(rng.integers(4)), threshold=float(rng.random()))
        return odt.Tree.branch(test, grown(depth - 1), grown(depth - 1))

    for seed in range(100):
        tree = grown(seed % 7)
        again = odt.Tree.preorder(tree.tests, tree.label.tolist())
        assert again == tree
        assert (again.left == tree.left).all()
        assert (again.right == tree.right).all()


def test_equal_to_a_threshold_goes_left_everywhere() -> None:
    """X = t answers yes in predict, apply, decision_path and explain alike."""
    tree = TREE.fitted(DATA)
    at_threshold = np.array([[0.5, 1.0]])
    assert tree.apply(at_threshold).tolist() == [1]
    assert tree.decision_path(at_threshold).tolist() == [[True, True, False, False, False]]
    assert tree.predict(at_threshold).tolist() == ["no"]
    assert tree.explain(at_threshold[0]) == ("x0 <= 0.5", "class no")


def test_probabilities_are_the_weight_shares_of_the_leaf() -> None:
    """The left leaf holds weights 1 (no) and 2 (yes)."""
    assert TREE.fitted(DATA).predict_proba([[0, 0]]).tolist() == [[1 / 3, 2 / 3]]


def test_fitted_never_changes_labels() -> None:
    """A wrong label stays wrong: the core must see what the solver decided."""
    assert TREE.fitted(DATA).label.tolist() == TREE.label.tolist()


def test_collapse_drops_branches_that_do_nothing() -> None:
    """A test that no row fails, and a branch with two equal leaves, vanish."""
    useless = odt.Tree.branch(odt.Test(0, threshold=9.0), TREE, odt.Tree.leaf(1))
    assert useless.collapsed(DATA.X) == TREE
    twins = odt.Tree.branch(odt.Test(1, threshold=0.5), odt.Tree.leaf(1), odt.Tree.leaf(1))
    assert odt.Tree.branch(odt.Test(0, threshold=0.5), odt.Tree.leaf(0), twins).collapsed(
        DATA.X
    ) == odt.Tree.branch(odt.Test(0, threshold=0.5), odt.Tree.leaf(0), odt.Tree.leaf(1))


def test_json_round_trip_loses_nothing() -> None:
    """Tests, labels, counts, names and categories come back equal, thresholds to the last bit."""
    frame = pd.DataFrame({"c": ["u", "v", "w", "u"], "x": [0.1, 0.2, 0.30000000000000004, 1e-300]})
    data = odt.Dataset(frame, [1, 2, 3, 1])
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=2)), "dp").tree
    assert tree is not None
    copy = odt.Tree.from_json(tree.to_json())
    assert copy == tree
    assert copy.schema == tree.schema
    assert np.array_equal(copy.counts, tree.counts)
    assert copy.predict(frame).tolist() == [1, 2, 3, 1]


def test_foreign_json_is_refused() -> None:
    """Another format is an error that says what was expected."""
    with pytest.raises(odt.DataError, match="odt-tree"):
        odt.Tree.from_json(json.dumps({"format": "other"}))


def test_text_and_dot_use_the_original_names() -> None:
    """What a user reads has column names and labels, not indices and codes."""
    named = odt.Dataset(DATA.X, ["no", "yes", "no", "yes"], feature_names=["rain", "wind"])
    tree = TREE.fitted(named)
    assert tree.to_text().splitlines()[0] == "if rain <= 0.5: class no (1 of 2)"
    assert '0 [label="rain <= 0.5"]' in to_dot(tree)


def test_prediction_matches_columns_by_name() -> None:
    """A frame with other column order gives the same answers; a missing one is an error."""
    tree = TREE.fitted(odt.Dataset(pd.DataFrame(DATA.X, columns=["a", "b"]), [0, 1, 0, 1]))
    swapped = pd.DataFrame({"b": [1.0], "a": [1.0]})
    assert tree.predict(swapped).tolist() == [1]
    with pytest.raises(odt.DataError, match="lacks the features b"):
        tree.predict(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(odt.DataError, match=r"shape \(n, 2\)"):
        tree.predict([[1.0]])


def test_tree_without_names_says_what_to_do() -> None:
    """Predict needs labels: the error names the way out."""
    with pytest.raises(odt.DataError, match="fitted"):
        TREE.predict([[0, 0]])


def test_with_subtree_replaces_one_node() -> None:
    """Each node can be replaced; the rest of the tree stays as it was."""
    leaf = odt.Tree.leaf(1)
    assert TREE.with_subtree(0, leaf) == leaf
    assert TREE.with_subtree(1, leaf).label.tolist() == [-1, 1, -1, 0, 1]
    assert TREE.with_subtree(2, leaf).label.tolist() == [-1, 0, 1]
    assert TREE.with_subtree(3, TREE).n_nodes == 9
    assert TREE.with_subtree(4, leaf) == TREE


def test_tests_do_not_depend_on_how_their_numbers_are_written() -> None:
    """NumPy numbers and unsorted collections give the same test, which can be stored."""
    test = odt.Test(np.int64(1), threshold=np.float32(0.5))
    assert test == odt.Test(1, threshold=0.5)
    assert odt.Test(0, categories=[2, 1, 2]) == odt.Test(0, categories=(1, 2))
    tree = odt.Tree.branch(test, odt.Tree.leaf(0), odt.Tree.leaf(np.int64(1)))
    assert odt.Tree.from_json(tree.to_json()) == tree


def test_totals_do_not_overflow() -> None:
    """Random weights make 2**40 weight units, and costs of 10 digits some 3e9 cost units.

    A chain of 9 tests of that feature then adds up to more than 2**63 if most examples reach its
    end; the total is an exact integer all the same.
    """
    weights = np.full(20, np.pi) + np.arange(20) / 7e6
    X = np.stack([np.arange(20.0), np.arange(20.0)], axis=1)
    data = odt.Dataset(X, np.arange(20) % 2, weights, test_costs=[3.141592653, 1.0])
    tree = odt.Tree.leaf(0)
    for t in range(9):
        tree = odt.Tree.branch(odt.Test(0, threshold=-t - 1.0), odt.Tree.leaf(1), tree)
    assert tree.amounts(data).tests > 2**63
    assert tree.measures(data)["expected_tests"] == pytest.approx(9 * 3.141592653)


def test_a_leaf_without_examples_predicts_its_label_for_sure() -> None:
    """Probabilities are numbers even where other data than the tree's own reach no leaf."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"])
    tree = odt.Tree.branch(odt.Test(0, threshold=5.0), odt.Tree.leaf(0), odt.Tree.leaf(1))
    assert tree.fitted(data).predict_proba([[0.0], [9.0]]).tolist() == [[0.5, 0.5], [0.0, 1.0]]


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"format": "odt-tree", "version": 1}'])
def test_text_that_is_no_tree_is_a_data_error(text: str) -> None:
    """Reading anything else than a stored tree says so."""
    with pytest.raises(odt.DataError, match="no tree"):
        odt.Tree.from_json(text)


def test_numbers_of_numpy_among_objects_are_stored_as_plain_ones() -> None:
    """Labels and categories of an object column may be NumPy scalars; JSON holds them all."""
    frame = pd.DataFrame({"c": pd.Series([np.int64(1), np.int64(2)], dtype=object)})
    labels = pd.Series([np.bool_(True), np.bool_(False)], dtype=object)
    data = odt.Dataset(frame, labels, categorical=["c"])
    tree = odt.Tree.branch(odt.Test(0, categories=(0,)), odt.Tree.leaf(1), odt.Tree.leaf(0))
    read = odt.Tree.from_json(tree.fitted(data).to_json())
    assert read.predict(frame).tolist() == [True, False]


def test_labels_that_would_not_read_back_are_not_stored() -> None:
    """A date in JSON would come back as text, so that is refused."""
    data = odt.Dataset([[0.0], [1.0]], pd.to_datetime(["2020-01-01", "2021-01-01"]))
    with pytest.raises(odt.DataError, match="JSON cannot hold"):
        odt.Tree.leaf(0).fitted(data).to_json()


def test_explain_merges_the_tests_of_a_feature() -> None:
    """Two thresholds become one interval, two categories one set, in the order of first use."""
    rows = pd.DataFrame({"size": [0.0, 1.0, 2.0, 3.0], "kind": ["r", "s", "t", "r"]})
    data = odt.Dataset(rows, ["a", "b", "a", "b"])
    leaf = odt.Tree.leaf
    kinds = odt.Tree.branch(
        odt.Test(1, categories=(0,)),
        leaf(0),
        odt.Tree.branch(odt.Test(1, categories=(1,)), leaf(1), leaf(0)),
    )
    above = odt.Tree.branch(odt.Test(0, 2.5), kinds, leaf(1))
    tree = odt.Tree.branch(odt.Test(0, 0.1 + 0.2), leaf(0), above).fitted(data)
    because = {
        (0.0, "r"): ("size <= 0.30000000000000004", "class a"),
        (2.0, "s"): ("0.30000000000000004 < size <= 2.5", "kind == s", "class b"),
        (2.0, "t"): ("0.30000000000000004 < size <= 2.5", "kind not in {r, s}", "class a"),
        (2.0, "r"): ("0.30000000000000004 < size <= 2.5", "kind == r", "class a"),
        (3.0, "t"): ("size > 2.5", "class b"),
    }
    for row, conditions in because.items():
        assert tree.explain(np.array(row, dtype=object)) == conditions


def test_an_explanation_has_as_many_conditions_as_the_measure_counts() -> None:
    """Their mean over the rows is the explanation size of the tree."""
    data = odt.datasets.load_dataset("iris")
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=5)), "cart").tree
    assert tree is not None
    counted = [len(tree.explain(row)) - 1 for row in data.X]
    assert np.mean(counted) == pytest.approx(tree.measures(data)["explanation_size"])
