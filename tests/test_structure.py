"""A user's own constraints: tests at positions, errors of a class, prices of features."""

from __future__ import annotations

import pytest

import odt
from odt.model.shape import Charge

# x0 alone separates the classes; x1 needs two tests: 0 a, 1 b, 2 b, 3 a.
DATA = odt.Dataset([[0, 0], [1, 1], [1, 2], [0, 3]], ["a", "b", "b", "a"])


def solve(**limits: object) -> odt.Result:
    """Minimise error, then size, by dp and check that enumeration agrees."""
    problem = odt.Problem(DATA, "error, size", odt.Shape(**limits))  # type: ignore[arg-type]
    result = odt.solve(problem, "dp")
    assert result.cost == odt.solve(problem, "brute-force").cost
    return result


def test_without_demands_one_test_will_do() -> None:
    """The reference: no error, three nodes."""
    assert solve().objective == (0.0, 3.0)


def test_a_forced_feature_at_the_root_costs_nodes() -> None:
    """Asking x1 first needs a second test below: x1 <= 0.5, then x0 on the right."""
    result = solve(forced={"": 1})
    assert result.objective == (0.0, 5.0)
    assert result.tree is not None
    assert result.tree.tests[0] is not None
    assert result.tree.tests[0].feature == 1


def test_a_forced_test_makes_its_path_exist() -> None:
    """A test forced at the left child forces a branch at the root and another below it."""
    result = solve(forced={"L": odt.Test(1, threshold=1.5)})
    assert result.tree is not None
    assert result.tree.tests[1] == odt.Test(1, threshold=1.5)
    assert result.objective == (0.0, 5.0)  # x0 at the root; the forced test splits the a's


def test_a_forced_test_that_separates_nothing_is_infeasible() -> None:
    """Every branch must separate examples, a forced one too: after x0 no x0 is left to ask."""
    result = solve(forced={"": 0, "L": 0})
    assert result.status is odt.Status.INFEASIBLE


def test_forbidden_tests_are_avoided_at_their_position_only() -> None:
    """x0 may not be asked at the root but may be below it."""
    result = solve(forbidden={"": [0]})
    assert result.objective == (0.0, 5.0)
    assert result.tree is not None
    assert 0 in result.tree.features


def test_errors_of_a_class_can_be_ruled_out_by_a_minority_label() -> None:
    """With no test, no 'b' may be missed: the leaf says b although a is as frequent."""
    result = solve(max_depth=0, max_class_error={"b": 0.0})
    assert result.tree is not None
    assert result.tree.predict([[0, 0]]).tolist() == ["b"]
    assert solve(max_depth=0, max_class_error={"a": 0.4, "b": 0.4}).tree is None


def test_features_of_a_group_are_paid_once() -> None:
    """x0 costs 5 and x1 2: within a budget of 4 only x1 is left, three tests' worth of nodes."""
    charges = (Charge(frozenset({0}), 5.0), Charge(frozenset({1}), 2.0))
    result = solve(feature_budget=4.0, feature_charges=charges)
    assert result.tree is not None
    assert result.tree.features == {1}
    assert result.objective == (0.0, 5.0)
    both = (Charge(frozenset({0, 1}), 4.0),)
    assert solve(feature_budget=4.0, feature_charges=both).objective == (0.0, 3.0)
    assert solve(feature_budget=0.0).objective == (0.5, 1.0)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"forced": {"X": 0}}, "string of L and R"),
        ({"forced": {"": 7}}, "feature number 7"),
        ({"forced": {"": odt.Test(1, threshold=9.0)}}, r"closest one is Test\(1, threshold=2.5\)"),
        ({"forbidden": {"L": [odt.Test(0, threshold=9.0)]}}, "no candidate"),
        ({"max_class_error": {"c": 0.1}}, "no class"),
        ({"max_class_error": {"a": 2}}, "fraction"),
        ({"feature_budget": -1}, "feature_budget"),
    ],
)
def test_meaningless_demands_are_refused(limits: dict[str, object], message: str) -> None:
    """A demand that no tree could notice is an error, not ignored."""
    with pytest.raises(odt.ProblemError, match=message):
        odt.Problem(DATA, "error", odt.Shape(**limits))  # type: ignore[arg-type]


def test_a_tree_that_breaks_a_demand_is_refused() -> None:
    """The core checks positions, classes and budgets of whatever a solver returns."""
    unlimited = odt.solve(odt.Problem(DATA, "error"), "dp").tree
    assert unlimited is not None
    for limits in ({"forced": {"": 1}}, {"forbidden": {"": [0]}}, {"feature_budget": 0.5}):
        problem = odt.Problem(DATA, "error", odt.Shape(**limits))  # type: ignore[arg-type]
        assert problem.violations(unlimited)
    leaf = odt.Tree.leaf(0)
    assert odt.Problem(DATA, "error", odt.Shape(max_class_error={"b": 0.5})).violations(leaf)


FORBIDDING = ["brute-force", "dp", "cp-sat", "maxsat", "flow-oct"]


@pytest.mark.parametrize("solver", FORBIDDING)
@pytest.mark.parametrize("threshold", [0.5, 0.6])
def test_a_test_is_forbidden_by_how_it_splits(solver: str, threshold: float) -> None:
    """Another threshold in the same gap is the same test: a leaf errs on one of two rows."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"])
    shape = odt.Shape(max_depth=1, forbidden={"": [odt.Test(0, threshold=0.5)]})
    problem = odt.Problem(data, "error", shape)
    other = odt.Tree.branch(odt.Test(0, threshold=threshold), odt.Tree.leaf(0), odt.Tree.leaf(1))
    assert "not allowed there" in problem.violations(other)[0]
    assert odt.solve(problem, solver).objective == 0.5


@pytest.mark.parametrize("solver", FORBIDDING)
def test_equal_tests_of_a_given_set_are_forbidden_and_forced_together(solver: str) -> None:
    """The set holds the split twice; forbidding one of them leaves none, forcing takes either."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"])
    tests = odt.TestSet((odt.Test(0, threshold=0.3), odt.Test(0, threshold=0.6)))
    for demand in (*tests, odt.Test(0, threshold=0.9)):
        shape = odt.Shape(max_depth=1, forbidden={"": [demand]})
        assert odt.solve(odt.Problem(data, "error", shape, tests), solver).objective == 0.5
        shape = odt.Shape(max_depth=1, forced={"": demand})
        assert odt.solve(odt.Problem(data, "error", shape, tests), solver).objective == 0.0


@pytest.mark.parametrize("solver", FORBIDDING)
def test_a_forbidden_category_is_forbidden_with_its_sides_swapped(solver: str) -> None:
    """Of two categories either names the split; what is forced keeps its sides."""
    data = odt.Dataset([["u"], ["v"]], ["a", "b"])
    swapped = odt.Tree.branch(odt.Test(0, categories=(1,)), odt.Tree.leaf(1), odt.Tree.leaf(0))
    for code in (0, 1):
        shape = odt.Shape(max_depth=1, forbidden={"": [odt.Test(0, categories=(code,))]})
        problem = odt.Problem(data, "error", shape)
        assert problem.violations(swapped)
        assert odt.solve(problem, solver).objective == 0.5
    shape = odt.Shape(max_depth=1, forced={"": odt.Test(0, categories=(0,))})
    assert odt.Problem(data, "error", shape).violations(swapped)
    assert odt.solve(odt.Problem(data, "error", shape), solver).objective == 0.0
    with pytest.raises(odt.ProblemError, match="no candidate"):
        odt.Problem(data, "error", odt.Shape(forced={"": odt.Test(0, categories=(1,))}))


def test_swapped_sides_do_not_evade_a_demand_below() -> None:
    """With x0 in {v} at the root instead of x0 in {u}, "L" would be the other side."""
    X = [["u", 0], ["v", 0], ["v", 1]]
    data = odt.Dataset(X, ["a", "b", "c"], categorical=[0])
    problem = odt.Problem(
        data, "error", odt.Shape(max_depth=2, forbidden={"R": [1], "": [1]})
    )  # rows v are on the right, where x1 may not be asked: one error of three
    below = odt.Tree.branch(odt.Test(1, threshold=0.5), odt.Tree.leaf(1), odt.Tree.leaf(2))
    evasive = odt.Tree.branch(odt.Test(0, categories=(1,)), below, odt.Tree.leaf(0))
    assert "not among the candidates" in problem.violations(evasive)[0]
    for solver in FORBIDDING:
        assert odt.solve(problem, solver).objective == pytest.approx(1 / 3)
