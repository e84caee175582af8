"""Objectives: text, sums, orders, and their exact integer costs."""

from __future__ import annotations

import pytest

import odt
from odt.testing import random_problem, with_every_objective

LINE = odt.Dataset([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "a"])


@pytest.mark.parametrize(
    ("text", "objective"),
    [
        ("error", odt.Error()),
        ("error + 0.01*expected_tests", odt.Error() + 0.01 * odt.ExpectedTests()),
        ("1e-3 * size+error", odt.Error() + odt.Size() * 0.001),
        ("error, size", odt.lexicographic(odt.Error(), odt.Size())),
        ("error + error", 2 * odt.Error()),
        (
            "depth, worst_explanation_size + 2*explanation_size",
            odt.lexicographic(
                odt.Depth(), 2 * odt.ExplanationSize() + odt.ExplanationSize(worst=True)
            ),
        ),
    ],
)
def test_text_and_code_build_the_same_objective(text: str, objective: odt.Objective) -> None:
    """What can be typed on the command line is what can be written in Python."""
    assert odt.Objective.parse(text).levels == objective.levels
    assert odt.Objective.parse(str(objective)).levels == objective.levels


@pytest.mark.parametrize(
    "text", ["", "errors", "error - size", "0*error", "-1*error", "2*", "a,,b"]
)
def test_unreadable_objectives_are_refused(text: str) -> None:
    """A typo is an error that lists the measures, never a different objective."""
    with pytest.raises(odt.ProblemError):
        odt.Objective.parse(text)


def test_lexicographic_objectives_do_not_add() -> None:
    """A sum with an order in it has no meaning."""
    with pytest.raises(odt.ProblemError, match="lexicographic"):
        odt.lexicographic(odt.Error(), odt.Size()) + odt.Depth()


def test_cost_of_a_sum_by_hand() -> None:
    """Error + 0.01*size on 4 rows: common denominator 100, one error 25 units, one node 1."""
    problem = odt.Problem(LINE, "error + 0.01*size", odt.Shape(max_depth=2))
    assert (problem.costs.prices.errors, problem.costs.prices.nodes) == (25, 1)
    leaf = odt.Tree.leaf(0)
    assert problem.cost(leaf) == 25 + 1
    assert problem.costs.values(26) == 0.26


def test_cost_of_an_order_by_hand() -> None:
    """error, size at depth 2: sizes reach at most 7, so an error unit is worth 8 nodes."""
    problem = odt.Problem(LINE, "error, size", odt.Shape(max_depth=2))
    assert (problem.costs.prices.errors, problem.costs.prices.nodes) == (8, 1)
    assert problem.costs.level_costs(8 * 1 + 5) == (1, 5)
    assert problem.costs.values(8 * 1 + 5) == (0.25, 5.0)


def test_costs_are_the_measures() -> None:
    """For random trees and every objective the integer cost equals the sum of public measures."""
    for seed in range(40):
        for problem in with_every_objective(random_problem(seed, limits=False)):
            tree = odt.solve(problem, "dp").tree
            assert tree is not None
            measures = tree.measures(problem.dataset)
            expected = tuple(
                sum(float(c) * measures[feature.value] for feature, c in terms)
                for terms in problem.objective.levels
            )
            value = problem.costs.values(problem.cost(tree))
            assert (value if isinstance(value, tuple) else (value,)) == pytest.approx(expected)


def test_equal_objectives_are_equal_however_they_were_written() -> None:
    """A named measure, its text and a sum of it compare and hash alike."""
    written = {odt.Error(), odt.Objective.parse("error"), 1 * odt.Error()}
    assert len(written) == 1
    assert odt.Error() != odt.Size()
