"""The AND/OR program: integrality, lookahead, limits, generators, and trees written as values."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.linear.and_or import AndOr, AndOrModel
from formulations.model import Goal, limits_of
from formulations.program.bitsets import count, distinct, from_ints, pack, to_int, unpack
from formulations.tree.initial import greedy_tree
from odt import Dataset, Error, Problem, Shape, Size, Status, UnsupportedProblemError, solve
from odt.engine.brute_force import BruteForce
from odt.mdp import State, TreeMDP
from odt.model.testset import Test
from odt.testing import OBJECTIVES, random_problem


def build(problem: Problem, **options: object) -> AndOrModel:
    """Return the model of a problem's first goal."""
    solver = AndOr(**options)  # type: ignore[arg-type]
    return solver.build(
        problem, Goal(solver.first_prices(problem), limits_of(problem)), lambda: False
    )


def test_sets_survive_packing() -> None:
    """Boolean rows, words and Python integers are three ways to write the same sets."""
    members = np.random.default_rng(1).random((40, 131)) < 0.5
    words = pack(members)
    assert (unpack(words, 131) == members).all()
    assert (count(words) == members.sum(axis=1)).all()
    assert (from_ints([to_int(row) for row in words], words.shape[1]) == words).all()


def test_distinct_finds_equal_rows() -> None:
    """The numbering is that of the rows themselves."""
    words = np.random.default_rng(2).integers(0, 3, size=(200, 2), dtype=np.uint64)
    first, inverse = distinct(words)
    assert (words[first][inverse] == words).all()
    assert len(first) == len(np.unique(words, axis=0))


@pytest.mark.parametrize("lookahead", [0, 1, 2])
def test_relaxation_is_integral(lookahead: int) -> None:
    """Without limits on the whole tree the linear relaxation itself has the optimal value."""
    for seed in range(40):
        problem = random_problem(seed, objective="error + 0.05*expected_tests", limits=False)
        program = build(problem, lookahead=lookahead).program
        assert program.is_integral
        result = solve(problem, AndOr(lookahead=lookahead))
        assert result.status is Status.OPTIMAL
        assert result.cost == solve(problem, BruteForce()).cost


def test_encoded_trees_fit() -> None:
    """An optimal or greedy tree, written as values, keeps every row at no more than its cost."""
    tried = 0
    for seed in range(80):
        problem = random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)])
        try:
            model = build(problem, lookahead=seed % 2)
        except UnsupportedProblemError:  # a maximum in the objective
            continue
        for tree in (solve(problem, BruteForce()).tree, greedy_tree(problem)):
            if tree is None:
                continue
            values = model.encode(tree)
            assert values is not None
            assert model.program.broken(values) == []
            assert model.program.cost(values) <= problem.cost(tree)
            tried += 1
    assert tried > 60


def test_series_of_programs_for_maxima() -> None:
    """Depth and worst explanation are solved case by case and have no single program."""
    problem = random_problem(7, objective="error + 0.07*depth", limits=False)
    assert solve(problem, "and-or").cost == solve(problem, BruteForce()).cost
    with pytest.raises(UnsupportedProblemError, match="series"):
        build(problem)


def first_feature_only(mdp: TreeMDP, state: State) -> list[Test]:
    """Offer the tests of the first feature."""
    return [t for t in mdp.problem.candidate_tests if t.feature == 0]


def test_generator_restricts_the_graph() -> None:
    """Over a generator the best tree of its space is found, within limits, without a bound."""
    X = [[0, 0], [0, 1], [1, 0], [2, 1], [3, 0], [4, 1]]
    problem = Problem(Dataset(X, [0, 1, 0, 1, 0, 1]), Error() + 0.001 * Size(), Shape(max_nodes=5))
    result = solve(problem, AndOr(generator=first_feature_only), initial=None)
    assert result.status is Status.FEASIBLE
    assert result.stats["bound_in_graph"] == result.cost
    restricted = Problem(
        problem.dataset, problem.objective, problem.shape, type(problem.candidate_tests)(
            tuple(t for t in problem.candidate_tests if t.feature == 0)
        ),
    )  # fmt: skip
    assert result.tree is not None
    assert restricted.cost(result.tree) == solve(restricted, BruteForce()).cost


@pytest.mark.parametrize("objective", ["error", "error + 0.01*expected_tests"])
def test_solves_the_graph_of_dpdt(objective: str) -> None:
    """Over the same generator the program and DPDT's dynamic program find the same cost."""
    rng = np.random.default_rng(3)
    for _ in range(6):
        data = Dataset(rng.integers(0, 6, (50, 4)), rng.integers(0, 3, 50))
        problem = Problem(data, objective, Shape(max_depth=3))
        ours = solve(problem, AndOr(generator="cart_leaves(4)"))
        assert ours.cost == solve(problem, "dpdt", generator="cart_leaves(4)").cost


def test_budgets_on_the_graph_of_dpdt() -> None:
    """A limit on nodes over DPDT's graph: kept, and never better than without."""
    rng = np.random.default_rng(4)
    data = Dataset(rng.random((80, 4)), rng.integers(0, 2, 80))
    costs = []
    for max_nodes in (3, 5, 7, 15):
        problem = Problem(data, "error", Shape(max_depth=3, max_nodes=max_nodes))
        result = solve(problem, AndOr(generator="cart_leaves(4)"))
        assert result.tree is not None
        assert result.tree.n_nodes <= max_nodes
        assert result.stats["bound_in_graph"] == result.cost
        costs.append(result.cost)
    assert costs == sorted(costs, reverse=True)


def test_sabotaged_decode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the way back to a tree is wrong, no claim of optimality survives."""
    from odt import InconsistentSolutionError
    from odt.model.tree import Tree

    problem = Problem(Dataset([[0.0], [1.0], [2.0]], [0, 1, 0]), "error", Shape(max_depth=2))
    monkeypatch.setattr(AndOrModel, "decode", lambda self, values: Tree.leaf(1))
    with pytest.raises(InconsistentSolutionError):
        solve(problem, AndOr(warm_start=False))


def test_a_graph_that_is_too_large_is_given_up() -> None:
    """Beyond ``max_columns`` the run ends with the tree and the bound known so far, and says so."""
    rng = np.random.default_rng(8)
    problem = Problem(
        Dataset(rng.random((30, 3)), rng.integers(0, 2, 30)), "error", Shape(max_depth=3)
    )
    result = solve(problem, AndOr(max_columns=50))
    assert result.status is Status.FEASIBLE
    assert result.stopped_by == "solver"
    assert "max_columns=50" in result.stats["backend_status"]


def test_many_tests_are_expanded_without_the_stored_product(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the product of rows and tests would fill the memory, another way gives the same."""
    from formulations.graph import successors as expansion

    monkeypatch.setattr(expansion, "_LARGEST_PRODUCT", 0)
    for seed in range(20):
        problem = random_problem(seed, objective="error + 0.05*expected_tests")
        assert solve(problem, "and-or").cost == solve(problem, "dp").cost
