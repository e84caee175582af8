"""Test generators: names, what they offer, and that compiled and general engines agree."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import odt
from heuristics.dpdt import is_compiled
from heuristics.generators import (
    CartDepth,
    CartLeaves,
    MdlCuts,
    Quantiles,
    Schedule,
    TopCuts,
    Union,
    make_generator,
    mdl_tests,
)
from odt.engine.dp.solver import solve_mdp
from odt.engine.front.cart import grow_cart
from odt.engine.front.columns import Columns
from odt.generators.mdl import accepted_cuts
from odt.mdp import TreeMDP
from odt.mdp.generator import Rule
from odt.model.capability import Capability
from odt.testing import OBJECTIVES, random_problem

GENERATORS = (
    CartDepth(1), CartDepth(2), CartDepth(2, "gini", "same"), CartLeaves(3),
    CartLeaves(4, ties=False), CartLeaves((4, 3)), TopCuts(3), TopCuts(4, per_feature=1),
    Quantiles(2), Schedule((CartDepth(2), CartDepth(1)), "same"),
    Union((CartDepth(1), TopCuts(2))),
    Schedule((Union((Quantiles(1), CartLeaves(3))), CartDepth(1))),
)  # fmt: skip


def _iris(depth: int, every: int = 1) -> odt.Problem:
    X, y = load_iris(return_X_y=True)
    return odt.Problem(odt.Dataset(X[::every], y[::every]), shape=odt.Shape(max_depth=depth))


def test_compiled_and_general_engines_agree() -> None:
    """The same generator, one engine on sorted columns, the other on Python sets: equal costs."""
    compared = 0
    for seed in range(700):
        generator = GENERATORS[seed % len(GENERATORS)]
        problem = random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)], max_rows=12)
        if Capability.UNLIMITED_DEPTH in problem.needs or not is_compiled(problem):
            continue
        compiled = odt.solve(problem, "dpdt", generator=generator)
        general = solve_mdp(problem, odt.Run(problem), generator)
        cost = None if general.tree is None else problem.cost(general.tree)
        assert compiled.cost == cost, f"seed {seed}, {generator}"
        compared += 1
    assert compared > 150


def test_cart_generator_offers_the_tests_of_our_cart() -> None:
    """The root state is offered the tests of the CART grown on all rows, its own choice first."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=3))
    generator = CartLeaves(6, ties=False)
    mdp = TreeMDP(problem, generator)
    columns = Columns.of(problem)
    grown = grow_cart(columns, max_leaves=6)
    tests = {
        columns.test(int(f), int(c))
        for f, c, left in zip(grown.column, grown.cut, grown.left, strict=True)
        if left >= 0
    }
    offered = generator(mdp, mdp.initial)
    assert set(offered) == tests
    assert offered[0] == columns.test(int(grown.column[0]), int(grown.cut[0]))


def test_tied_tests_are_offered() -> None:
    """Of two columns that separate the classes alike, both are actions; with ties=False one is."""
    data = odt.Dataset([[0, 5], [1, 6], [2, 7]], [0, 0, 1])
    problem = odt.Problem(data, shape=odt.Shape(max_depth=2))
    for ties, features in ((True, [0, 1]), (False, [0])):
        mdp = TreeMDP(problem, CartLeaves(2, ties=ties))
        assert [t.feature for t in mdp.generator(mdp, mdp.initial)] == features


def test_top_cuts_start_with_cart_and_respect_the_cap() -> None:
    """The first cut is CART's; at most `per_feature` cuts of a feature are offered."""
    problem = _iris(3)
    mdp = TreeMDP(problem, TopCuts(6, per_feature=2))
    tests = mdp.generator(mdp, mdp.initial)
    assert len(tests) == 6
    features = [t.feature for t in tests]
    assert max(features.count(f) for f in features) == 2
    greedy = TreeMDP(problem, CartDepth(1, ties=False))
    assert tests[0] == greedy.generator(greedy, greedy.initial)[0]


def test_quantiles_are_inner_and_distinct() -> None:
    """Three quantiles of 0..7 separate two values each; a binary column has one cut."""
    X = np.column_stack([np.arange(8), np.arange(8) % 2])
    problem = odt.Problem(odt.Dataset(X, np.arange(8) % 3), shape=odt.Shape(max_depth=3))
    mdp = TreeMDP(problem, Quantiles(3))
    greedy, *found = [(t.feature, t.threshold) for t in mdp.generator(mdp, mdp.initial)]
    assert greedy == (0, 0.5)  # CART's own choice is always offered
    assert found == [(0, 1.5), (0, 3.5), (0, 5.5), (1, 0.5)]


def test_mdl_accepts_clear_cuts_only() -> None:
    """Twenty of one class then twenty of the other: one cut. Alternating classes: none."""
    clear = np.array([[1, 0]] * 20 + [[0, 1]] * 20)
    assert accepted_cuts(clear) == [19]
    assert accepted_cuts(np.array([[1, 0], [0, 1]] * 10)) == []
    tests = mdl_tests(_iris(2).dataset)
    assert {t.feature for t in tests} == {0, 1, 2, 3}


def test_mdl_and_functions_run_on_the_general_engine() -> None:
    """A generator object without rules and a plain function are both solvable."""
    problem = _iris(2, every=3)

    def widest(mdp, state):
        return [t for t in mdp.problem.candidate_tests if t.feature == 3]

    for generator in (MdlCuts(), widest, "mdl"):
        result = odt.solve(problem, "dpdt", generator=generator)
        assert result.tree is not None
        assert result.objective < 0.1


def test_names() -> None:
    """Names with arguments, and the names of the paper."""
    assert make_generator("cart_leaves(16)") == CartLeaves(16)
    by_level = make_generator("cart_leaves((8, 4), criterion='entropy')")
    assert by_level == CartLeaves((8, 4), "entropy")
    assert make_generator("DPDT-4") == CartDepth(4, last_level="same")
    deep = make_generator("DPDT-2...")
    assert isinstance(deep, Schedule)
    assert [r.amount for r in deep.rules(8)] == [2] * 6 + [1] * 2
    longer = make_generator("DPDT-2+1...")
    assert isinstance(longer, Schedule)
    assert [r.amount for r in longer.rules(8)] == [2] * 7 + [1]
    both = Union((CartLeaves(8), Quantiles(4)))
    assert make_generator("cart_leaves(8) + quantiles(4), top(3)") == Schedule((both, TopCuts(3)))
    assert both.rules(2) == (
        Rule("cart_leaves", 8, ties=True, also=(Rule("quantiles", 4),)),
        Rule("all"),
    )
    assert CartLeaves((8, 4)).rules(4) == (
        Rule("cart_leaves", 8, ties=True),
        Rule("cart_leaves", 4, ties=True),
        Rule("cart_leaves", 2, ties=True),
        Rule("all"),
    )
    for wrong in ("cart_leaf(3)", "cart_leaves(3", "cart_leaves(depth=3)", "3", "mdl + all"):
        with pytest.raises(odt.ProblemError, match="no generator"):
            make_generator(wrong)


def test_amounts_and_options_are_checked() -> None:
    """One leaf, depth 0 or an unknown last level cannot be meant."""
    problem = _iris(2)
    for generator in (CartLeaves(1), CartDepth(0), TopCuts(0), Quantiles(0)):
        with pytest.raises(odt.ProblemError, match=">="):
            odt.solve(problem, "dpdt", generator=generator)
    with pytest.raises(odt.ProblemError, match="last_level"):
        odt.solve(problem, "dpdt", generator=CartLeaves(3, last_level="none"))
