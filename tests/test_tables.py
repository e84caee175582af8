"""Tables of pandas, polars and Arrow are one dataset, and sparse matrices are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import odt
from odt import Dataset, OptimalTreeClassifier
from odt.data.tables import Table

FRAME = pd.DataFrame(
    {
        "age": [23, 45, 31, 60, 52],
        "income": [1.5, 0.1 + 0.2, 3.0, 2.5, -1.0],
        "colour": ["red", "blue", "red", "green", "blue"],
        "member": [True, False, True, True, False],
        "plan": pd.Categorical([3, 1, 3, 2, 1]),
        "label": ["yes", "no", "yes", "no", "no"],
        "weight": [1.0, 2.0, 1.0, 0.5, 1.0],
    }
)


def _arrow(frame: pd.DataFrame) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)


def _batch(frame: pd.DataFrame) -> Any:
    return _arrow(frame).combine_chunks().to_batches()[0]


def _polars(frame: pd.DataFrame) -> Any:
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({name: frame[name].tolist() for name in frame.columns})
    coded = [name for name in frame.columns if hasattr(frame[name].dtype, "categories")]
    return table.with_columns(
        polars.Series(name, [_text(v) for v in frame[name]], dtype=polars.Categorical)
        for name in coded
    )


def _text(value: Any) -> str | None:
    return None if pd.isna(value) else str(value)


OTHERS = pytest.mark.parametrize("convert", [_arrow, _batch, _polars])


@OTHERS
def test_other_tables_give_the_dataset_of_pandas(convert: Callable[[pd.DataFrame], Any]) -> None:
    """Numbers, text, booleans and categories: same matrix, names, kinds, classes and weights."""
    expected = Dataset.from_frame(FRAME.drop(columns="weight"), "label")
    table = convert(FRAME)
    data = Dataset.from_frame(convert(FRAME.drop(columns="weight")), "label")
    assert (data.X == expected.X).all()
    assert data.feature_names == expected.feature_names
    assert data.kinds == expected.kinds
    assert data.classes == expected.classes
    apart = Dataset(convert(FRAME[["age"]]), table["label"], sample_weight=table["weight"])
    assert apart.weights.tolist() == [2, 4, 2, 1, 2]


@OTHERS
def test_nulls_in_other_tables_are_named(convert: Callable[[pd.DataFrame], Any]) -> None:
    """A null in any kind of column is a missing value, also where NumPy would fill it in."""
    frame = FRAME.drop(columns="weight").astype({"age": "Int64", "member": object})
    frame["kind"] = pd.Categorical(["a", "b", "a", "b", "a"])
    names = [name for name in frame.columns if name != "label"]
    for name in names:
        holed = frame.copy()
        holed.loc[3, name] = None
        if convert is _polars:
            holed = holed.astype({"age": object}).replace({pd.NA: None})
        with pytest.raises(odt.DataError, match=f"1 columns \\('{name}': 1 NaN\\)"):
            Dataset(convert(holed[names]), FRAME["label"])


@OTHERS
def test_trees_read_any_table_by_name(convert: Callable[[pd.DataFrame], Any]) -> None:
    """Fitted on one library's table, a tree predicts on another's, columns in any order."""
    X = FRAME[["age", "colour", "member"]]
    model = OptimalTreeClassifier("dp", max_depth=2).fit(convert(X), convert(FRAME)["label"])
    assert model.predict(convert(X)).tolist() == FRAME["label"].tolist()
    assert model.tree_.predict(convert(X[["member", "age", "colour"]])).tolist() == [
        *FRAME["label"]
    ]
    assert model.tree_.predict(X).tolist() == FRAME["label"].tolist()
    assert model.tree_.explain(convert(X[:1]))[-1] == "class yes"
    if convert is not _batch:  # scikit-learn does not know these
        assert model.feature_names_in_.tolist() == list(X.columns)


def test_tables_that_are_not_in_memory_are_refused() -> None:
    """A LazyFrame has columns but no rows yet."""
    lazy = _polars(FRAME).lazy()
    with pytest.raises(odt.DataError, match=r"LazyFrame is not in memory. Collect"):
        Dataset(lazy, FRAME["label"])


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.coo_array])
def test_sparse_matrices_are_refused_with_the_way_out(kind: Any) -> None:
    """The message says what came and what to call, for X, labels, weights and at prediction."""
    X = np.eye(3)
    with pytest.raises(odt.DataError, match=r"X is a sparse \w+, .* Use X.toarray\(\)"):
        Dataset(kind(X), [0, 1, 1])
    with pytest.raises(odt.DataError, match=r"y is a sparse"):
        Dataset(X, kind(X))
    with pytest.raises(odt.DataError, match=r"sample_weight is a sparse"):
        Dataset(X, [0, 1, 1], sample_weight=kind(X))
    tree = odt.Tree.leaf(0).fitted(Dataset(X, [0, 1, 1]))
    with pytest.raises(odt.DataError, match=r"X is a sparse"):
        tree.predict(kind(X))


def test_things_that_are_no_arrays_are_named() -> None:
    """A generator or an iterator has no shape to complain about."""
    with pytest.raises(odt.DataError, match=r"X must have shape \(n, p\). Got a generator"):
        Dataset((row for row in [[1], [2]]), [0, 1])


def test_repeated_columns_are_refused_at_training_and_prediction() -> None:
    """Two columns of one name: neither may be picked silently."""
    twice = pd.DataFrame([[1.0, 5.0, "a"], [2.0, 4.0, "b"]], columns=["x", "x", "class"])
    with pytest.raises(odt.DataError, match="Repeated: x"):
        Dataset.from_frame(twice, "class")
    tree = odt.Tree.leaf(0).fitted(Dataset(twice.iloc[:, 1:2], [0, 1]))
    with pytest.raises(odt.DataError, match="Repeated: x"):
        tree.predict(twice)


def test_a_table_without_a_column_keeps_the_categories_of_the_others() -> None:
    """Positions after the one that was taken out move up by one."""
    table = Table.of(FRAME)
    assert {table.names[j] for j in table.categorical} == {"plan"}
    rest = table.without("age")
    assert {rest.names[j] for j in rest.categorical} == {"plan"}
    assert table.without("plan").categorical == frozenset()
