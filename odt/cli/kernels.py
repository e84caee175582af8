"""Compiling every kernel beforehand, by calling each engine on a problem of a few rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from odt.core.run import Budget
from odt.core.stopwatch import COMPILING
from odt.data.dataset import Dataset
from odt.generators.cart import CartLeaves
from odt.mdp.model import TreeMDP
from odt.model.objective import Objective, Size
from odt.model.problem import Problem
from odt.model.shape import Shape
from odt.pareto import pareto
from odt.solve import solve


def _problem() -> Problem:
    """Seven rows of two features whose classes no two tests tell apart."""
    data = Dataset([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1], [3, 0]], list("abbabab"))
    return Problem(data, shape=Shape(max_depth=3))


def _dp() -> None:
    solve(_problem(), "dp")


def _cart() -> None:
    solve(_problem(), "cart")


def _front() -> None:
    from odt.engine.front.kernels.front import TEST, WIDTH, merge_fronts
    from odt.engine.front.kernels.memo import enlarge, make_memo

    pareto(_problem(), generator="all")
    leaf = np.zeros((1, WIDTH), dtype=np.int64)
    leaf[0, TEST] = -1
    merge_fronts(leaf, leaf, True, 1)
    enlarge(make_memo(2, 2, 3))


def _generators() -> None:
    mdp = TreeMDP(_problem(), CartLeaves(2))
    list(mdp.splits(mdp.initial))


def _min_size() -> None:
    from odt.engine.min_size.bits import one_cut, pure
    from odt.engine.min_size.memo import middle_size
    from odt.engine.min_size.reduction import reduce
    from odt.engine.min_size.search import restore
    from odt.engine.min_size.staircase import Query, Staircase
    from odt.engine.min_size.state import NO_LIMIT

    X = np.array(list(product(range(3), repeat=3)))
    problem = Problem(Dataset(X, X.sum(axis=1) % 2), Size(), Shape(max_error=0))
    solve(problem, "min-size", budget=Budget(time_limit=1.0))
    compiled = problem.compiled
    reduced = reduce(compiled.outcomes, problem.dataset.y.astype(np.int64), compiled.features)
    staircase = Staircase(reduced)
    query = Query(staircase, staircase.root, NO_LIMIT, 4)
    query.work(10)
    staircase.add_vector(staircase.root)
    staircase.make_room(query)
    middle_size(staircase.memo.keys)
    restore(staircase.memo, query.stack, 0)
    instance = staircase.instance
    pure(instance.planes, staircase.root)
    one_cut(instance.planes, instance.cuts, instance.start, staircase.root)


def _branch_and_bound() -> None:
    """The path of thresholds and that of bits, shallow and with levels between."""
    X = np.array(list(product(range(3), repeat=4)))
    bits = np.array(list(product(range(2), repeat=6)))
    for data in (Dataset(X, (X**2).sum(axis=1) % 3), Dataset(bits, bits.sum(axis=1) % 3)):
        for depth in (1, 2, 3, 4):
            solve(Problem(data, shape=Shape(max_depth=depth)), "bnb", budget=Budget(1.0))


def _ser_dt() -> None:
    """A column with a value of half the weight, which no threshold balances."""
    data = Dataset([[1]] * 12 + [[0], [2], [2]], [0, 1] * 6 + [0, 1, 0])
    solve(Problem(data, shape=Shape(max_depth=3)), "ser-dt")


def _oibmdp() -> None:
    solve(_problem(), "oibmdp")


def _proof() -> None:
    objective = Objective.parse("error + 0.01*size")  # no tree costs nothing
    problem = Problem(_problem().dataset, objective, Shape(max_depth=3))
    solve(problem, "dp").proof()


ENGINES: Mapping[str, Callable[[], None]] = {
    "dp": _dp,
    "cart": _cart,
    "dpdt, pareto": _front,
    "generators in dp": _generators,
    "min-size": _min_size,
    "bnb": _branch_and_bound,
    "ser-dt": _ser_dt,
    "oibmdp": _oibmdp,
    "proofs": _proof,
}
"""What calls all entries of an engine, with the arguments of real problems."""


def compile_kernels() -> Iterator[tuple[str, float, float]]:
    """Compile all kernels, engine by engine.

    Yields
    ------
    name : str
    compiling, loading : float
        Seconds spent on compiling, and besides.
    """
    for name, exercise in ENGINES.items():
        before, started = COMPILING.seconds, time.perf_counter()
        exercise()
        compiling = COMPILING.seconds - before
        yield name, compiling, time.perf_counter() - started - compiling
