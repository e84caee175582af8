"""Optima of UCI sets that formulations must prove, as stated with the methods."""

import os

import pytest

import odt

PERFECT = [
    ("iris", 4, "size", 15),
    ("iris", 4, "explanation_size", 187),
    ("iris", 4, "expected_tests", 369),
    ("wine", 3, "size", 15),
]
"""Consistent trees: set, depth, objective, optimal cost (7 branches are 15 nodes)."""

SETS = [
    ("iris", 2),
    ("monks-1_train", 3),
    ("hayes-roth", 3),
    ("house-votes-84", 3),
    ("monks-1_onehot", 3),
    ("monks-3_onehot", 3),
    ("hayes-roth_onehot", 3),
]


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["cp-sat", "maxsat"])
@pytest.mark.parametrize(("name", "depth", "objective", "cost"), PERFECT)
def test_consistent_trees(name, depth, objective, cost, solver):
    """Least nodes, tests and explanations of trees without errors."""
    shape = odt.Shape(max_depth=depth, max_error=0)
    problem = odt.Problem(odt.datasets.load_dataset(name), objective, shape)
    result = odt.solve(problem, solver)
    assert (result.status, result.cost) == (odt.Status.OPTIMAL, cost)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.05])
@pytest.mark.parametrize(
    "measure", ["expected_tests", "explanation_size", "worst_explanation_size"]
)
@pytest.mark.parametrize(("name", "depth"), SETS)
def test_error_with_a_complexity_measure(name, depth, measure, alpha):
    """cp-sat, and-or and dp prove the same optimum of error plus a share of the measure."""
    if name != "iris" and "ODT_DATA" not in os.environ:
        pytest.skip("ODT_DATA is not set")
    data = odt.datasets.load_dataset(name, **({} if name == "iris" else {"missing": "drop"}))
    problem = odt.Problem(data, f"error + {alpha}*{measure}", odt.Shape(max_depth=depth))
    is_hard = name.startswith("hayes-roth")
    result = odt.solve(problem, "cp-sat", core=is_hard, budget=odt.Budget(time_limit=900))
    assert result.status is odt.Status.OPTIMAL
    optimum = odt.solve(problem, "dp").cost
    assert (result.cost, odt.solve(problem, "and-or").cost) == (optimum, optimum)


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure", ["expected_tests", "explanation_size", "worst_explanation_size"]
)
def test_flow_proves_error_with_a_complexity_measure(measure):
    """So does the flow formulation, over all 119 thresholds of iris."""
    data = odt.datasets.load_dataset("iris")
    problem = odt.Problem(data, f"error + 0.05*{measure}", odt.Shape(max_depth=2))
    result = odt.solve(problem, "flow-oct", budget=odt.Budget(time_limit=900))
    assert result.status is odt.Status.OPTIMAL
    assert result.cost == odt.solve(problem, "dp").cost
