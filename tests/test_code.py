"""Trees as SQL, Python and rules predict as the tree does, on the same floats."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import pytest

import odt
from odt import Dataset, Problem, Shape, Tree
from odt.convert.code import to_python, to_rules, to_sql


def random_tree(seed: int) -> tuple[Tree, pd.DataFrame]:
    """Return a tree with gaps, awkward names, labels and floats, and rows near its thresholds."""
    rng = np.random.default_rng(seed)
    scale = float(rng.choice([1.0, 1e-9, 1.7e9, 1e300]))
    numbers = rng.integers(0, 9, 30) / 3 * scale
    frame = pd.DataFrame({
        'size "cm"': np.where(rng.random(30) < 0.2, np.nan, numbers),
        "it's": rng.choice(["a'b", "?", "ü", "d"], 30),
        "full": rng.normal(size=30),
    })  # fmt: skip
    frame.loc[rng.random(30) < 0.2, "it's"] = None
    y = rng.choice(["yes'", 'n"o', "maybe"], 30)
    data = Dataset(frame, y, missing=str(rng.choice(["learned", "category"])))
    tree = odt.solve(Problem(data, shape=Shape(max_depth=4)), "cart").tree
    cuts = [t.threshold for t in tree.tests if t is not None and t.feature == 2]
    near = [v for t in cuts for v in (t, np.nextafter(t, 9), np.nextafter(t, -9))]
    rows = frame.sample(len(near) + 30, replace=True, random_state=seed).reset_index(drop=True)
    rows.loc[: len(near) - 1, "full"] = near
    return tree, rows


def test_sql_predicts_as_the_tree() -> None:
    """SQLite evaluates the expression on rows on both sides of each threshold, gaps included."""
    for seed in range(60):
        tree, rows = random_tree(seed)
        with sqlite3.connect(":memory:") as base:
            rows.to_sql("t", base, index=False)
            found = [row[0] for row in base.execute(f"SELECT {to_sql(tree)} FROM t ORDER BY rowid")]
        assert found == tree.predict(rows).tolist(), seed


def test_python_predicts_as_the_tree() -> None:
    """The code runs by itself; a gap where training had none is an error."""
    for seed in range(60):
        tree, rows = random_tree(seed)
        space: dict = {}
        exec(to_python(tree), space)
        found = [space["predict"](row) for row in rows.to_dict("records")]
        assert found == tree.predict(rows).tolist(), seed
    data = Dataset([[1.0], [2.0]], ["a", "b"], feature_names=["full"])
    exec(to_python(odt.solve(Problem(data), "dp").tree), space)
    with pytest.raises(ValueError, match="'full' is missing"):
        space["predict"]({"full": None})


def test_rules_are_one_for_each_leaf() -> None:
    """Rows 1:a, 2:b: two rules; a lone leaf has no condition."""
    tree = odt.solve(Problem(Dataset([[1.0], [2.0]], ["a", "b"])), "dp").tree
    assert to_rules(tree) == ("if x0 <= 1.5 then a", "if x0 > 1.5 then b")
    assert to_rules(Tree.leaf(0).fitted(Dataset([[1.0]], ["a"]))) == ("a",)


def test_what_has_no_code_is_refused() -> None:
    """Bare trees, dates as labels, and trees too deep for Python."""
    with pytest.raises(odt.DataError, match="no names"):
        to_sql(Tree.leaf(0))
    dates = Dataset([[1.0]], np.array(["2020-01-01"], dtype="datetime64[D]"))
    for write in (to_sql, to_python):
        with pytest.raises(odt.DataError, match="no literal"):
            write(Tree.leaf(0).fitted(dates))
    data = Dataset([[float(i)] for i in range(100)], np.arange(100) % 2)
    tree = Tree.leaf(0)
    for i in range(95):
        tree = Tree.branch(odt.Test(0, threshold=i + 0.5), Tree.leaf(0), tree)
    with pytest.raises(odt.DataError, match="depth 95"):
        to_python(tree.fitted(data))
