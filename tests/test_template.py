"""The template to copy works as it is, so that nobody starts from something broken."""

import odt
from formulations.model import Goal
from formulations.TEMPLATE import Template
from odt.engine.brute_force import all_trees
from odt.testing import SolverConformance
from odt.testing.random_problems import OBJECTIVES, random_problem


class TestTemplate(SolverConformance):
    """What a formulation made from the template runs first."""

    solver = Template()


def test_encoded_trees_satisfy_the_model_at_their_cost():
    """Any tree within the limits keeps all constraints, and decoding gives it back."""
    encoded = 0
    for seed in range(60):
        problem = random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)], max_rows=7)
        model = Template().build(problem, Goal.of(problem), lambda: False)
        for tree in list(all_trees(problem).values())[::5]:
            if problem.violations(tree):
                continue
            values = model.encode(tree)
            assert model.program.broken(values) == []
            back = model.decode(values)
            assert model.program.cost(values) == problem.cost(back) <= problem.cost(tree)
            encoded += 1
    assert encoded > 50


def test_it_is_found_by_class_not_by_name():
    """It is not in the table, so that no user mistakes it for a solver."""
    assert "template" not in odt.solver_names()
