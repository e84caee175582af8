"""The attack on bounds: which neighbours of a tree it looks at."""

from formulations.tree.initial import greedy_tree
from odt.core.audit import witnesses
from odt.testing import OBJECTIVES, random_problem


def test_no_neighbour_that_could_refute_a_bound_is_left_out():
    """Skipping subtrees that cost too little to matter never hides a cheaper tree."""
    n_left_out = 0
    for seed in range(120):
        objective = OBJECTIVES[seed % len(OBJECTIVES)]
        problem = random_problem(seed, objective=objective, structure=seed % 2 == 1)
        tree = greedy_tree(problem)
        if tree is None:
            continue
        every = [problem.cost(near) for near in witnesses(problem, tree)]
        cost = problem.cost(tree)
        for below in (cost, cost - 1, cost // 2, min(every) + 1):
            some = [problem.cost(near) for near in witnesses(problem, tree, below)]
            assert sorted(c for c in some if c < below) == sorted(c for c in every if c < below)
            n_left_out += len(every) - len(some)
    assert n_left_out > 0
