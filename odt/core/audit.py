"""Trees that an optimal tree must not lose against: an attack on every claim of optimality.

A bound that was made up looks like any other number. So before a proof is believed, its tree is
compared with its neighbours: each node replaced by a leaf, each leaf by the best single test,
each test by the one that errs least with the same subtrees. A neighbour that is cheaper than the
bound refutes it. A claim without a tree is attacked with the trees of fast heuristics instead. A
thorough attack does both, and looks at every tree with one or two tests changed. None of this
confirms a proof; docs/verification.md says how many false claims it finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.core.changes import changed_trees
from odt.core.neighbours import neighbours
from odt.core.rivals import rival_trees
from odt.core.run import Run
from odt.model.problem import Problem
from odt.model.testset import Test, category_sets, given_chains, seen_by, threshold_chains
from odt.model.tree import Tree

Rows = NDArray[np.bool_]


def refutation(
    problem: Problem, run: Run, below: int | None, seconds: float, thorough: bool
) -> Tree | None:
    """Return an allowed tree that costs less than a claim says is possible; None if none is found.

    Parameters
    ----------
    problem : Problem
    run : Run
        Its tree, if any, is where the attack begins.
    below : int or None
        The bound under attack; None if it is said that no tree is allowed at all.
    seconds : float
        Time for everything but the neighbours of the tree.
    thorough : bool
        Run rivals even if there is a tree, and change one or two tests of every tree.
    """
    clock = Run(problem)
    attackers = _attackers(problem, run, below, seconds, thorough, clock)
    return next((tree for tree in attackers if below is None or problem.cost(tree) < below), None)


def _attackers(
    problem: Problem, run: Run, below: int | None, seconds: float, thorough: bool, clock: Run
) -> Iterator[Tree]:
    """Yield allowed trees, those that take least time first."""
    known = [] if run.tree is None else [run.tree]
    yield from known
    yield from witnesses(problem, run.tree, below)
    if run.tree is None or thorough:
        for rival in rival_trees(problem, run, seconds):
            known.append(rival)
            yield rival
            yield from witnesses(problem, rival, below)
    for tree in known if thorough else ():
        for near in changed_trees(problem, tree, lambda: clock.elapsed >= seconds):
            if (below is None or problem.cost(near) < below) and not problem.violations(near):
                yield near


def witnesses(problem: Problem, tree: Tree | None, below: int | None = None) -> Iterator[Tree]:
    """Yield allowed trees near ``tree``, and the best lone leaf.

    Parameters
    ----------
    problem : Problem
    tree : Tree or None
        The tree under attack; None yields the lone leaf only.
    below : int, optional
        Leave out trees that do not cost less than this.

    Yields
    ------
    Tree
        Trees within the limits of the problem; their costs bound the optimum from above.
    """
    regression = problem.dataset.targets is not None
    near = neighbours(problem, tree) if regression else _candidates(problem, tree, below)
    for candidate in near:
        if below is not None and problem.cost(candidate) >= below:
            continue
        if not problem.violations(candidate):
            yield candidate


def _candidates(problem: Problem, tree: Tree | None, below: int | None) -> Iterator[Tree]:
    merged = problem.dataset.merged
    yield Tree.leaf(_majority(merged.weights))
    if tree is None:
        return
    reached = tree.decision_path(merged.X)
    cost, at_stake = problem.cost(tree), _at_stake(problem, tree, reached)
    nodes = [v for v, part in enumerate(at_stake) if below is None or cost - part < below]
    questions = _questions(problem) if nodes else []
    for node in nodes:
        rows = reached[:, node]
        yield tree.with_subtree(node, Tree.leaf(_majority(merged.weights[rows])))
        if not questions:
            continue
        if tree.tests[node] is None:
            yield tree.with_subtree(node, _best_stump(questions, rows, merged.weights))
        else:
            left, right = tree.subtree(int(tree.left[node])), tree.subtree(int(tree.right[node]))
            wrong = [_wrong(side.predict_codes(merged.X), merged.weights) for side in (left, right)]
            best = _least_errors(questions, rows, wrong[0] - wrong[1])
            yield tree.with_subtree(node, Tree.branch(best, left, right))


def _at_stake(problem: Problem, tree: Tree, reached: Rows) -> list[int]:
    """Return the most that replacing each subtree could save."""
    merged, costs = problem.dataset.merged, problem.costs
    wrong = reached.T @ _wrong(tree.predict_codes(merged.X), merged.weights)
    weight = reached.T @ merged.weights.sum(axis=1)
    dearest = int(problem.dataset.cost_units.max(initial=0))
    size, height, savings = [1] * tree.n_nodes, [0] * tree.n_nodes, [0] * tree.n_nodes
    for v in reversed(range(tree.n_nodes)):  # preorder: children come later
        if tree.tests[v] is not None:
            sides = int(tree.left[v]), int(tree.right[v])
            size[v] = 1 + sum(size[side] for side in sides)
            height[v] = 1 + max(height[side] for side in sides)
        for_each_test = int(weight[v]) * (costs.prices.tests * dearest + costs.prices.explanation)
        savings[v] = costs.prices.errors * int(wrong[v]) + costs.prices.nodes * (size[v] - 1)
        savings[v] += height[v] * (costs.prices.depth + costs.prices.worst + for_each_test)
    return savings


def _majority(weights: NDArray[np.int64]) -> int:
    return int(weights.sum(axis=0).argmax())


def _wrong(labels: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weight misclassified on each distinct row by these labels."""
    predicted = np.take_along_axis(weights, labels[:, None], axis=1)[:, 0]
    return np.asarray(weights.sum(axis=1) - predicted)


@dataclass(frozen=True, eq=False)
class _Question:
    """Some tests of one feature: row r passes test i if ``codes[r] <= i``."""

    feature: int
    codes: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    missing_left: bool = False
    categories: tuple[int, ...] | None = None

    @property
    def n_tests(self) -> int:
        return len(self.thresholds) if self.categories is None else 1

    def test(self, i: int) -> Test:
        """Return test number i."""
        if self.categories is not None:
            return Test(self.feature, categories=self.categories)
        threshold = float(self.thresholds[i])
        return Test(self.feature, threshold=threshold, missing_left=self.missing_left)

    def passing(self, rows: Rows, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum the values of the rows that pass each test; shape (tests, ...)."""
        sums = np.zeros((self.n_tests + 1, *values.shape[1:]), dtype=np.int64)
        np.add.at(sums, self.codes[rows], values[rows])
        return sums.cumsum(axis=0)[:-1]


def _questions(problem: Problem) -> list[_Question]:
    """Return the candidate tests, all thresholds of a feature together."""
    X, kinds = problem.dataset.merged.X, problem.dataset.kinds
    given = problem.tests if problem.tests is not None and not problem.tests.complete else None
    questions = []
    for f in range(X.shape[1]):
        if given is not None:
            mine = [test for test in given if test.feature == f]
            chains = given_chains(mine)
            sets = [t.categories for t in mine if t.categories is not None]
        elif kinds[f] == "categorical":
            chains, sets = [], category_sets(problem.dataset, f)
        else:
            learned = problem.dataset.learns_gaps(f)
            chains, sets = threshold_chains(np.unique(X[:, f]), learned), []
        for gaps_pass, cuts in chains:
            codes = np.searchsorted(cuts, seen_by(X[:, f], gaps_pass), side="left")
            questions.append(_Question(f, codes, cuts, gaps_pass))
        for chosen in sets:
            fails = (~np.isin(X[:, f], chosen)).astype(np.int64)
            questions.append(_Question(f, fails, np.empty(0), categories=chosen))
    return questions


def _least_errors(questions: list[_Question], rows: Rows, harm: NDArray[np.int64]) -> Test:
    """Return the test that errs least if yes rather than no costs each row ``harm`` errors."""
    best, found = None, None
    for question in questions:
        errors = question.passing(rows, harm)
        at = int(errors.argmin())
        if best is None or errors[at] < best:
            best, found = errors[at], question.test(at)
    assert found is not None
    return found


def _best_stump(questions: list[_Question], rows: Rows, weights: NDArray[np.int64]) -> Tree:
    """Return the single test of ``rows`` whose two majority leaves err least."""
    total, best, found = weights[rows].sum(axis=0), -1, Tree.leaf(0)
    for question in questions:
        left = question.passing(rows, weights)
        correct = left.max(axis=1) + (total - left).max(axis=1)
        at = int(correct.argmax())
        if correct[at] > best:
            best, labels = correct[at], (left[at].argmax(), (total - left[at]).argmax())
            leaves = [Tree.leaf(int(label)) for label in labels]
            found = Tree.branch(question.test(at), *leaves)
    return found
