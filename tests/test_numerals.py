"""Numbers that are printed to be read back."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import odt
from odt import Dataset, Problem, Shape, Test, Tree
from odt.cli import main
from odt.data.numerals import amount, shortest
from odt.model.conflicts import conflict_message
from odt.model.text import to_dot

TIMES = [1700000000123.25, 1700000000123.5, 1700000000124.0, 1700000000124.5]


def _stump(threshold: float) -> Tree:
    data = Dataset([[TIMES[0]], [TIMES[3]]], ["early", "late"], feature_names=["time"])
    return Tree.branch(Test(0, threshold=threshold), Tree.leaf(0), Tree.leaf(1)).fitted(data)


def _random_floats(n: int) -> list[float]:
    bits = np.random.default_rng(0).integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    return [0.0, 2.0, 1e16, 0.1 + 0.2, 5e-324, *bits[np.isfinite(bits)].tolist()]


def test_shortest_decimal_reads_back() -> None:
    """Any float of any size is found again from its text."""
    assert all(float(shortest(x)) == x for x in _random_floats(2000))
    assert [shortest(x) for x in (2.0, 0.8, -3.0)] == ["2", "0.8", "-3"]


def test_amounts_are_whole_where_they_can_be() -> None:
    """Leaf counts beyond a million were printed as 1.23457e+06."""
    assert [amount(x) for x in (1234567.0, 2.5, 1 / 3)] == ["1234567", "2.5", "0.333333"]


def test_thresholds_on_timestamps_read_back_everywhere() -> None:
    """Milliseconds since 1970 need 14 digits; text, rules, explanations and DOT print them all."""
    threshold = (TIMES[1] + TIMES[2]) / 2
    tree = _stump(threshold)
    texts = [tree.to_text(), to_dot(tree), *tree.explain([TIMES[0]]), *tree.explain([TIMES[3]])]
    found = [float(x) for t in texts for x in re.findall(r"time (?:<=|>) ([0-9.]+)", t)]
    assert found == [threshold] * 5
    assert Tree.from_json(tree.to_json()).tests[0] == tree.tests[0]


def test_explanations_agree_with_the_row_they_explain() -> None:
    """With 12 digits a row at 1700000000123.5 was told 'time <= 1700000000120'."""
    tree = _stump((TIMES[1] + TIMES[2]) / 2)
    for time in TIMES:
        operator, number = tree.explain([time])[0].split()[1:]
        assert (time <= float(number)) == (operator == "<=")


def test_printed_objectives_are_the_same_objective() -> None:
    """Coefficients with more than six digits were rounded in messages and exported programs."""
    rng = np.random.default_rng(1)
    for coefficient in [0.012345678, 1234567.5, *rng.random(200).tolist()]:
        objective = odt.Objective.parse(f"error + {coefficient!r}*size")
        assert odt.Objective.parse(str(objective)) == objective


def test_proposed_error_limit_is_feasible() -> None:
    """1 of 1,234,567 units: the limit that the message proposes allows a tree."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        weight = rng.integers(1, 10**6, 3).tolist()
        data = Dataset([[0], [0], [1]], ["a", "b", "a"], sample_weight=weight)
        message = conflict_message(Problem(data, shape=Shape(max_error=0, max_depth=1)))
        assert message is not None
        limit = float(re.search(r"max_error=(\S+?)\)", message)[1])  # type: ignore[index]
        repaired = Problem(data, shape=Shape(max_error=limit, max_depth=1))
        assert odt.solve(repaired, "dp").tree is not None


def test_compare_as_json_keeps_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    """A third had 15 digits in the table and 16 in the result; unknown values are null."""
    command = ["compare", "iris", "--solvers", "dp,cart", "--max-depth", "1", "--json"]
    assert main(command) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["objective"] for row in rows] == [1 / 3, 1 / 3]
    assert sorted(map(str, (row["bound"] for row in rows))) == [str(1 / 3), "None"]
