"""The solver min-size: optima, orders, limits, bounds and certificates."""

from __future__ import annotations

import csv
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import odt
from odt.engine.min_size.solver import MinSize
from odt.model.measure import Amounts
from odt.testing import consistent

CONSISTENT = odt.Shape(max_error=0.0)
ORDERS = ("size", "depth", "size, depth", "depth, size")
DATA = Path(os.environ["ODT_DATA"]) / "minsize" if "ODT_DATA" in os.environ else None


def solve(data, objective="size", shape=CONSISTENT, solver="min-size", **options):
    """Solve a consistent problem and re-check the result from scratch."""
    result = odt.solve(odt.Problem(data, objective, shape), solver, **options)
    if result.tree is not None:
        result.certificate()
    return result


def random_data(seed, max_rows=11):
    """Return distinct rows with up to 4 features and classes: ties, reals, gaps."""
    rng = np.random.default_rng([5, seed])
    n, p, n_classes = rng.integers(4, max_rows + 1), rng.integers(1, 5), rng.integers(2, 5)
    kind = rng.integers(3)
    if kind == 0:
        X = rng.integers(0, 4, size=(n, p)).astype(float)
    elif kind == 1:
        X = np.round(rng.normal(size=(n, p)), 1)
    else:
        X = rng.choice([-1e9, 0.0, 0.1, 0.1 + 2**-50, 7.0, 8.0], size=(n, p))
    X = np.unique(X, axis=0)
    return odt.Dataset(X, rng.integers(0, n_classes, size=len(X)))


def optimum(problem, front):
    """Return the least cost of the points of a front within the limits, None without any."""
    limit = problem.shape
    return min(
        (
            problem.costs.of(Amounts(nodes=2 * s + 1, depth=d))
            for s, d in front
            if (limit.max_depth is None or d <= limit.max_depth)
            and (limit.max_nodes is None or 2 * s + 1 <= limit.max_nodes)
        ),
        default=None,
    )


def test_all_orders_equal_enumeration():
    """300 random problems x 4 objectives equal the enumerated front of size and depth."""
    for seed in range(300):
        data = random_data(seed)
        front = consistent.fronts(odt.Problem(data, "size", CONSISTENT))
        for objective in ORDERS:
            problem = odt.Problem(data, objective, CONSISTENT)
            solution = MinSize().solve(problem, odt.Run(problem))
            assert solution.status is odt.Status.OPTIMAL
            best = optimum(problem, front)
            assert solution.bound == problem.cost(solution.tree) == best, (seed, objective)


def test_limits_equal_enumeration():
    """The same within limits on depth and nodes, on either side of what is possible."""
    infeasible = 0
    for seed in range(300):
        data = random_data(seed, max_rows=10)
        front = consistent.fronts(odt.Problem(data, "size", CONSISTENT))
        size, depth = min(s for s, _ in front), min(d for _, d in front)
        shape = odt.Shape(
            max_error=0.0,
            max_depth=(None, depth, depth + 1, max(depth - 1, 0))[seed % 4],
            max_nodes=(None, 2 * size + 1, 2 * size + 3, max(2 * size - 1, 1))[seed // 4 % 4],
        )
        problem = odt.Problem(data, ORDERS[seed % 3 + seed % 2], shape)
        solution, best = MinSize().solve(problem, odt.Run(problem)), optimum(problem, front)
        if best is None:
            infeasible += 1
            assert solution.status is odt.Status.INFEASIBLE
        else:
            assert solution.bound == problem.cost(solution.tree) == best, (seed, shape)
            assert problem.violations(solution.tree) == []
    assert 50 < infeasible < 250


@pytest.mark.parametrize("k", range(1, 7))
def test_parity_with_hint(k):
    """L_k: least size k + 1 (3 at k = 2), least depth k; at that depth 2k - 1 branches."""
    data = consistent.parity_with_hint(k)
    least = {1: 1, 2: 3}.get(k, k + 1)
    assert solve(data).tree.n_branches == least
    assert solve(data, "depth").tree.depth == k
    both = solve(data, "depth, size").tree
    assert (both.depth, both.n_branches) == (k, 2 * k - 1)
    both = solve(data, "size, depth").tree
    assert (both.n_branches, both.depth) == (least, k if k < 3 else k + 1)


@pytest.mark.parametrize(("k", "branches", "depth"), [(2, 2, 2), (4, 7, 3)])
def test_indexed_parity(k, branches, depth):
    """Ld_k: the digits of the index, then the bit."""
    data = consistent.indexed_parity(k)
    assert solve(data).tree.n_branches == branches
    assert solve(data, "depth").tree.depth == depth


@pytest.mark.parametrize("n", range(2, 21))
def test_alternating_with_hint(n):
    """Ln_n: two branches whatever the length of the line."""
    data = consistent.alternating_with_hint(n)
    assert solve(data).tree.n_branches == 2
    assert solve(data, "depth").tree.depth == 2


@pytest.mark.parametrize(
    ("data", "branches", "depth"),
    [
        (consistent.parity(2), 3, 2),
        (consistent.parity(3), 7, 3),
        (consistent.parity(4), 15, 4),
        (consistent.multiplexer(), 7, 3),
        (consistent.grid(3, 2), 8, 4),
        (consistent.grid(3, 9), 8, 4),
    ],
)
def test_full_trees(data, branches, depth):
    """Functions whose trees must isolate everything."""
    assert solve(data).tree.n_branches == branches
    assert solve(data, "depth").tree.depth == depth


@pytest.mark.needs_data
@pytest.mark.parametrize("solver", ["min-size", "cp-sat", "fpt"])
def test_tiny_instances(solver):
    """The 22 hand-checked instances; fpt and cp-sat on those small enough for them."""
    largest = {"min-size": (99, 99), "fpt": (4, 2), "cp-sat": (8, 3)}[solver]
    for known in json.loads((DATA / "tiny.json").read_text()):
        data = odt.Dataset(np.array(known["X"], dtype=float), known["y"])
        depth = known["depth_edges"]
        if depth <= largest[1]:
            limit = {} if solver != "cp-sat" else {"max_depth": depth + 1}
            found = solve(data, "depth", odt.Shape(max_error=0.0, **limit), solver)
            assert found.status is odt.Status.OPTIMAL, known["name"]
            assert found.tree.depth == depth, known["name"]
        if known["inner"] <= largest[0] and (solver != "cp-sat" or known["inner"] <= 3):
            limit = {} if solver != "cp-sat" else {"max_depth": known["inner"]}
            found = solve(data, "size", odt.Shape(max_error=0.0, **limit), solver)
            assert found.status is odt.Status.OPTIMAL, known["name"]
            assert found.tree.n_branches == known["inner"], known["name"]


@pytest.mark.parametrize(
    ("load", "size_first", "depth_first"),
    [(load_iris, (7, 4), (4, 7)), (load_wine, (5, 4), (3, 7))],
)
def test_iris_and_wine(load, size_first, depth_first):
    """The published optima of both orders."""
    data = odt.Dataset(*load(return_X_y=True))
    if load is load_iris:  # two equal rows of one class
        assert len(data.merged.X) == 149
    tree = solve(data, "size, depth").tree
    assert (tree.n_branches, tree.depth) == size_first
    tree = solve(data, "depth, size").tree
    assert (tree.depth, tree.n_branches) == depth_first


def random_labels(n, p):
    """Return n random points with random labels: there is no pattern, so it is hard."""
    rng = np.random.default_rng(0)
    return odt.Dataset(rng.normal(size=(n, p)), rng.integers(0, 2, size=n))


def test_stopped_run_keeps_tree_and_bound():
    """On a hard instance a short run gives a consistent tree and a bound below it."""
    result = solve(random_labels(150, 6), budget=odt.Budget(time_limit=3.0))
    assert result.status is odt.Status.FEASIBLE
    assert result.stopped_by == "time"
    assert 11 <= result.bound < result.objective
    costs = [point.cost for point in result.trace if point.cost is not None]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) > 1  # the greedy tree was improved


def test_forgetting_keeps_optima():
    """With room for few records small sets are forgotten, and the optimum is the same."""
    data = random_labels(48, 4)
    free, tight = solve(data), solve(data, memo_bytes=1)
    assert free.stats["records"] > tight.stats["records"]
    assert tight.cost == free.cost
    assert tight.status is free.status is odt.Status.OPTIMAL


def test_dual_certificate_bounds_every_test():
    """The weights in the result are a lower bound that anybody can check in integers."""
    rng = np.random.default_rng(1)
    data = odt.Dataset(rng.normal(size=(50, 3)), rng.integers(0, 2, size=50))
    result = solve(data)
    dual, compiled = result.stats["dual"], result.problem.compiled
    one, two = np.array(dual["groups"]).T
    weight = np.array(dual["weights"])
    labels = compiled.weights.argmax(axis=1)
    assert (labels[one] != labels[two]).all()
    separated = compiled.outcomes[one] ^ compiled.outcomes[two]
    assert (weight @ separated).max() <= dual["unit"]
    bound = -(-int(weight.sum()) // dual["unit"])
    assert 1 < bound <= result.tree.n_branches


def test_contradictions_are_told():
    """Equal rows of different class make it infeasible; the reason lists them and the ways out."""
    data = odt.Dataset([[0.0], [0.0], [1.0]], ["n", "y", "n"])
    result = odt.solve(odt.Problem(data, "size", CONSISTENT), "min-size")
    assert result.status is odt.Status.INFEASIBLE
    assert "rows 0, 1 are equal" in result.reason
    assert "max_error=0.333333" in result.reason


def test_errors_allowed_means_a_lone_leaf():
    """Without max_error=0 the smallest tree is a leaf, and that is what comes out."""
    data = consistent.parity(2)
    assert solve(data, "size, depth", odt.Shape()).tree.n_nodes == 1


def published(name):
    """Return a published instance: one row per line, label first."""
    with zipfile.ZipFile(DATA / "instances.zip") as archive:
        rows = archive.read(f"{name}.txt").decode().splitlines()
    table = np.array([row.split() for row in rows], dtype=float)
    return odt.Dataset(table[:, 1:], table[:, 0].astype(int))


@pytest.mark.needs_data
@pytest.mark.parametrize("objective", ["size", "depth"])
def test_published_instances(objective):
    """Thirty of the published instances that are fast: the optima of the Witty paper."""
    with (DATA / "published.csv").open() as file:
        lines = [x for x in csv.DictReader(file) if x["opt_inner"]]
    lines.sort(key=lambda x: float(x["witty_seconds"]))
    for line in lines[:176:6]:
        result = solve(published(line["instance"]), objective)
        assert result.status is odt.Status.OPTIMAL
        if objective == "size":
            assert result.tree.n_branches == int(line["opt_inner"])
        else:
            assert result.tree.depth <= float(line["depth_of_witty_tree"])


@pytest.mark.needs_data
def test_both_orders_on_published_instances():
    """Size-then-depth and depth-then-size, computed by another program."""
    known = {
        "hayes-roth_0.5_0": ((9, 5), (4, 10)),
        "ecoli_0.2_0": ((4, 3), (3, 4)),
        "new-thyroid_0.5_0": ((5, 3), (3, 5)),
        "lupus_0.5_0": ((12, 4), (4, 12)),
        "biomed_0.2_0": ((5, 3), (3, 5)),
        "cars_0.2_0": ((6, 4), (3, 7)),
        "cloud_0.2_0": ((5, 3), (3, 5)),
        "appendicitis_0.2_0": ((3, 2), (2, 3)),
    }
    for name, (size_first, depth_first) in known.items():
        data = published(name)
        tree = solve(data, "size, depth").tree
        assert (tree.n_branches, tree.depth) == size_first, name
        tree = solve(data, "depth, size").tree
        assert (tree.depth, tree.n_branches) == depth_first, name
