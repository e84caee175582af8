"""Data come in once, are checked once, and nothing is lost."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import odt
from odt.data.units import as_fraction, integer_units


def test_labels_of_any_type_keep_their_values() -> None:
    """Strings, negative numbers and booleans come back from predict as they were."""
    for labels in (["no", "yes"], [-1, 1], [True, False], [2.5, 7.0]):
        data = odt.Dataset([[0.0], [1.0]], labels)
        tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "dp").tree
        assert tree is not None
        assert tree.predict([[0.0], [1.0]]).tolist() == labels


def test_mixed_labels_are_ordered_and_kept() -> None:
    """Labels that cannot be compared with each other still make distinct classes."""
    for labels in (["a", 1, "b"], np.array(["a", 1, "b"], dtype=object)):
        assert set(odt.Dataset([[0.0], [1.0], [2.0]], labels).classes) == {"a", "b", 1}


@pytest.mark.parametrize("unit", ["ns", "us", "D"])
def test_dates_stay_dates_as_labels(unit: str) -> None:
    """A date label is predicted as a date, never as a count of nanoseconds."""
    labels = np.array(["2020-01-01", "2021-01-01"], dtype=f"M8[{unit}]")
    data = odt.Dataset([[0.0], [1.0]], labels)
    tree = odt.Tree.branch(odt.Test(0, threshold=0.5), odt.Tree.leaf(0), odt.Tree.leaf(1))
    assert (tree.fitted(data).predict([[0.0], [1.0]]) == labels).all()


def test_dates_may_be_categories() -> None:
    """Dates listed as categories are recognised again at prediction."""
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01"])})
    for unit in ("ns", "us"):
        data = odt.Dataset(frame.astype(f"M8[{unit}]"), [0, 1, 0], categorical=["day"])
        tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "dp").tree
        assert tree is not None
        assert tree.predict(frame).tolist() == [0, 1, 0]


def test_categorical_columns_are_categories_whatever_they_hold() -> None:
    """Numbers declared categorical in pandas, and text of NumPy's own string type."""
    frame = pd.DataFrame({"zone": pd.Categorical([30, 10, 20])})
    assert odt.Dataset(frame, [0, 1, 0]).schema.categories == ((10, 20, 30),)
    text = np.array([["a"], ["b"], ["a"]], dtype=np.dtypes.StringDType())
    assert odt.Dataset(text, [0, 1, 0]).kinds == ("categorical",)


def test_frame_columns_become_categories_or_numbers() -> None:
    """Text, boolean and categorical columns are categories; two numbers make a binary column."""
    frame = pd.DataFrame(
        {
            "colour": ["red", "blue", "red"],
            "size": pd.Categorical(["S", "M", "S"]),
            "big": [True, False, True],
            "flag": [0, 1, 1],
            "length": [0.5, 1.5, 2.5],
            "class": ["x", "y", "x"],
        }
    )
    data = odt.Dataset.from_frame(frame, "class")
    assert data.kinds == ("categorical", "categorical", "categorical", "binary", "numeric")
    assert data.schema.categories[0] == ("blue", "red")
    assert data.feature_names == ("colour", "size", "big", "flag", "length")


def test_unseen_category_answers_no() -> None:
    """A category that training never saw fails every categorical test instead of crashing."""
    data = odt.Dataset(pd.DataFrame({"c": ["a", "b", "c", "a"]}), [0, 1, 2, 0])
    tree = odt.Tree.branch(odt.Test(0, categories=(0,)), odt.Tree.leaf(0), odt.Tree.leaf(1))
    with pytest.warns(odt.DataWarning, match="'zebra'"):
        assert tree.fitted(data).predict(pd.DataFrame({"c": ["a", "zebra"]})).tolist() == [0, 1]


def test_equal_rows_merge_with_their_class_weights() -> None:
    """Rows (0), (0), (1) with weights 1, 2, 1 give two distinct rows; -0.0 equals 0.0."""
    data = odt.Dataset([[0.0], [-0.0], [1.0]], ["n", "y", "n"], [1.0, 2.0, 1.0])
    assert data.merged.weights.tolist() == [[1, 2], [1, 0]]
    assert data.merged.rows.tolist() == [2, 1]
    assert [c.rows for c in data.conflicts] == [(0, 1)]
    assert data.conflicts[0].labels == ("n", "y")


def test_zero_weight_rows_do_not_exist() -> None:
    """A row of weight zero offers no threshold and no conflict, and is counted as ignored."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0], [1.0, 0.0, 1.0])
    assert data.n_ignored == 1
    assert [t.threshold for t in odt.TestSet.all(data)] == [1.0]


def test_integer_units_are_exact_for_small_fractions() -> None:
    """0.1, 0.2, 1/3 have the common unit 1/30: 3, 6, 10."""
    units = integer_units(np.array([0.1, 0.2, 1 / 3]))
    assert units.counts.tolist() == [3, 6, 10]
    assert units.unit == Fraction(1, 30)
    assert units.exact


def test_random_weights_are_rounded_to_a_grid_and_say_so() -> None:
    """Weights without a common denominator are within half a unit of the truth, never zero."""
    weight = np.append(np.random.default_rng(0).random(50), 1e-30)
    data = odt.Dataset(np.arange(51.0)[:, None], np.arange(51) % 2, weight)
    assert not data.weights_exact
    assert (data.weights > 0).all()
    assert abs(data.weights * float(data.weight_unit) - weight).max() <= float(data.weight_unit)


@pytest.mark.parametrize(("number", "fraction"), [(0.01, (1, 100)), (1 / 3, (1, 3)), (2.0, (2, 1))])
def test_coefficients_mean_what_was_typed(number: float, fraction: tuple[int, int]) -> None:
    """0.01 is one hundredth, not the nearest binary fraction."""
    assert as_fraction(number) == Fraction(*fraction)


def test_thresholds_separate_neighbouring_floats() -> None:
    """Between two adjacent floats the midpoint would round onto the upper one."""
    low = 1.0
    for high in (np.nextafter(1.0, 2.0), 1e308):
        data = odt.Dataset([[low], [high]], [0, 1])
        (test,) = odt.TestSet.all(data)
        assert test.holds(data.X).tolist() == [True, False]
    data = odt.Dataset([[-1.7e308], [1.7e308]], [0, 1])
    assert odt.TestSet.all(data).tests[0].holds(data.X).tolist() == [True, False]


def test_test_sets_by_kind_of_feature() -> None:
    """Numbers give a threshold per gap, two categories one test, three categories three."""
    frame = pd.DataFrame({"n": [1.0, 2.0, 4.0], "two": list("aba"), "three": list("abc")})
    tests = odt.TestSet.all(odt.Dataset(frame, [0, 1, 0])).tests
    assert [t.threshold for t in tests if t.feature == 0] == [1.5, 3.0]
    assert [t.categories for t in tests if t.feature == 1] == [(0,)]
    assert [t.categories for t in tests if t.feature == 2] == [(0,), (1,), (2,)]


def test_quantiles_are_a_subset_of_all_thresholds() -> None:
    """A quantile test set is restricted, and says so by 'complete'."""
    data = odt.Dataset(np.arange(100.0)[:, None], np.arange(100) % 2)
    quantiles = odt.TestSet.quantiles(data, 4)
    assert len(quantiles) == 4
    assert set(quantiles) <= set(odt.TestSet.all(data))
    assert not quantiles.complete


def test_tests_of_trees_are_those_they_ask() -> None:
    """Leaves have no test, and a test that two trees ask is there once."""
    low, high = odt.Test(0, threshold=0.5), odt.Test(0, threshold=1.5)
    a, b = odt.Tree.leaf(0), odt.Tree.leaf(1)
    trees = (odt.Tree.branch(low, a, odt.Tree.branch(high, b, a)), odt.Tree.branch(high, a, b), a)
    tests = odt.TestSet.of_trees(trees)
    assert len(tests) == 2
    assert set(tests) == {low, high}
    data = odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0])
    problem = odt.Problem(data, "error", odt.Shape(max_depth=2), tests)
    assert odt.solve(problem, "dp").objective == 0


@pytest.mark.parametrize("scale", [5e-324, 1e308])
def test_weights_at_the_ends_of_the_floats_keep_their_proportions(scale: float) -> None:
    """Neither underflow nor an infinite sum disturbs the integer weights and costs."""
    data = odt.Dataset([[0, 0], [1, 1], [2, 0]], [0, 1, 1], [scale] * 3, test_costs=[scale] * 2)
    assert len(set(data.weights.tolist())) == len(set(data.cost_units.tolist())) == 1


def test_test_costs_are_exact() -> None:
    """Costs far apart or with all digits of a float are not rounded: the cheaper test is asked."""
    X = [[0, 0, 5], [1, 1, 5]]
    data = odt.Dataset(X, [0, 1], test_costs=[0.0011, 0.001, 5000])
    assert data.cost_units.tolist() == [11, 10, 50_000_000]
    result = odt.solve(odt.Problem(data, "expected_tests", odt.Shape(max_error=0)), "dp")
    assert result.objective == 0.001
    thirds = odt.Dataset(X, [0, 1], test_costs=[1 / 3, 2 / 3, 0])
    assert (thirds.cost_units.tolist(), thirds.cost_unit) == ([1, 2, 0], Fraction(1, 3))
    drawn = np.random.default_rng(0).random(3)
    digits = odt.Dataset(X, [0, 1], test_costs=drawn)
    assert [float(c * digits.cost_unit) for c in digits.cost_units.tolist()] == drawn.tolist()


def test_test_costs_that_cannot_be_exact_are_refused() -> None:
    """1e-12 and 1e12 are 1 and 1e24 units, more than a machine integer holds."""
    with pytest.raises(odt.DataError, match="fewer digits"):
        odt.Dataset([[0, 0], [1, 1]], [0, 1], test_costs=[1e-12, 1e12])


def test_large_weights_with_a_large_common_unit_are_exact() -> None:
    """What counts is the number of units, not the size of the weights."""
    data = odt.Dataset([[0], [1]], [0, 1], [2.0**50, 3 * 2.0**50])
    assert data.weights.tolist() == [1, 3]
    assert data.weights_exact


def test_many_random_weights_take_no_time() -> None:
    """A common denominator of 20 000 random weights would have a million digits."""
    weights = np.random.default_rng(0).random(20_000)
    started = time.process_time()
    assert not odt.Dataset(np.zeros((20_000, 1)), np.zeros(20_000), weights).weights_exact
    assert time.process_time() - started < 3
