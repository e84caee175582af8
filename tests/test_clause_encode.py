"""Trees written as values of the clause model satisfy it at their own cost."""

import pytest

import odt
from formulations.clause.cp_sat import CpSat
from formulations.model import Goal
from odt.engine.brute_force import all_trees
from odt.testing.random_problems import OBJECTIVES, random_problem


def model_of(problem, **options):
    """The clause model of a problem."""
    return CpSat(**options).build(problem, Goal.of(problem), lambda: False)


@pytest.mark.parametrize("options", [{}, {"encoding": "order", "merged_errors": False}], ids=str)
def test_encoded_trees_satisfy_the_model_at_their_cost(options):
    """Any tree within the limits keeps every row; decoding gives it back, up to symmetry."""
    encoded = 0
    for seed in range(120):
        objective, structure = OBJECTIVES[seed % len(OBJECTIVES)], seed % 2 == 1
        problem = random_problem(seed, objective=objective, structure=structure, max_rows=7)
        model = model_of(problem, **options)
        trees = [tree for tree in all_trees(problem).values() if not problem.violations(tree)]
        for tree in trees[::5]:
            values = model.encode(tree)
            assert values is not None
            assert model.program.broken(values) == []
            back = model.decode(values)
            assert model.program.cost(values) == problem.cost(back) <= problem.cost(tree)
            encoded += 1
    assert encoded > 150


def test_broken_values_are_named():
    """A flipped variable is noticed, and the message names it."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    problem = odt.Problem(data, "error", odt.Shape(max_depth=2))
    model = model_of(problem)
    values = model.encode(odt.solve(problem, "dp").tree)
    values[model.variables.split[1]] ^= 1
    assert any("split[1]" in text for text in model.program.broken(values))
