"""Trees of least explanation size, by multiway trees and alphabetic codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heuristics.codes import Fork, fork_of, garsia_wachs, gilbert_moore, minimax
from heuristics.multiway import Multiway, MultiwaySearch
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.front.columns import Columns
from odt.errors import ProblemError
from odt.model.capability import Capability, Need
from odt.model.checks import check_int
from odt.model.measure import ADDITIVE, MAXIMA, Amounts
from odt.model.problem import Problem
from odt.model.tree import Tree

METRICS = ("auto", "worst", "average")
CODES = ("auto", "gilbert-moore", "minimax", "optimal")


@dataclass(frozen=True)
class Alphabetic(Solver):
    """Consistent tree of least explanation size that is not much deeper than the lowest one.

    Explanation size is the depth of a *multiway* tree, which has a child for each value of the
    attribute it asks (Souza et al., Theorem 1). Such a tree is searched exactly while it has few
    states, greedily beyond, and each of its nodes becomes a binary tree over thresholds by an
    alphabetic code. With the ``"gilbert-moore"`` code and an optimal multiway tree, worst depth is
    at most twice the optimum plus ``log2 n`` (average depth for ``metric="average"``).

    Contradictory rows get their largest class, unless a tree without errors is asked for. Limits
    on depth are kept only if the tree happens to keep them.

    Parameters
    ----------
    metric : {"auto", "worst", "average"}, default "auto"
        Which explanation size of the multiway tree is least; ``"auto"`` takes ``"worst"`` where
        the first level of the objective prices worst explanation size or depth.
    code : {"auto", "gilbert-moore", "minimax", "optimal"}, default "auto"
        ``"minimax"`` has the least worst depth, ``"optimal"`` the least average depth, both with
        the same explanation sizes; ``"auto"`` takes the one that suits the metric.
    max_states : int, default 20000
        Sets of rows that the exact search may look at; 0 is greedy.
    """

    metric: str = "auto"
    code: str = "auto"
    max_states: int = 20_000

    name: ClassVar[str] = "alphabetic"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | {
            Capability.WEIGHTED_SUM,
            Capability.LEXICOGRAPHIC,
            Capability.FIXED_TESTS,
            Capability.UNLIMITED_DEPTH,
            Capability.CONSISTENT,
            Capability.MAX_ERROR,
        }
    )
    reference: ClassVar[str] = (
        "Souza, Cicalese, Laber, Molinaro, Decision Trees with Short Explainable Rules, NeurIPS "
        "2022, Theorem 1"
    )

    def __post_init__(self) -> None:
        for name, known in (("metric", METRICS), ("code", CODES)):
            if getattr(self, name) not in known:
                raise ProblemError(
                    f"'{name}' must be one of {', '.join(map(repr, known))}. Got "
                    f"{getattr(self, name)!r} instead."
                )
        check_int("max_states", self.max_states, 0)

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Build the tree; the bound is proved by the exact search."""
        columns = Columns.of(problem)
        codes, by_class = _distinct(columns)
        consistent = Capability.CONSISTENT in problem.needs
        if consistent and ((by_class > 0).sum(axis=1) > 1).any():
            return Solution(Status.INFEASIBLE)
        allowed = by_class == by_class.max(axis=1, keepdims=True)
        search = MultiwaySearch(codes, allowed, by_class, run.should_stop, self.max_states)
        run.report(tree=Tree.leaf(int(by_class.sum(axis=0).argmax())))
        multiway, worst, total = self._search(search, self._is_worst(problem))
        run.report(tree=_binary(columns, multiway, self._code(problem)))
        stats = {"multiway_depth": multiway.depth, "multiway_total": multiway.total}
        status = Status.UNKNOWN if run.tree is None else Status.FEASIBLE
        provable = consistent and len({c.feature for c in columns.columns}) == len(columns.columns)
        bound = _bound(problem, by_class, worst, total) if provable else None
        if run.cost is not None and run.cost == bound:
            status = Status.OPTIMAL
        return Solution(status, run.tree, bound, stats)

    def _search(self, search: MultiwaySearch, worst: bool) -> tuple[Multiway, int, int]:
        """Return a multiway tree, and lower bounds on its depth and on its total."""
        greedy, rows = search.greedy(), search.all_rows
        asked = 0 if search.is_pure(rows) else 1
        least = asked * int(search.weight.sum())
        if worst:
            multiway, depth = search.least_depth(greedy)
            return multiway, max(depth, asked), least
        multiway, total = search.least_total(greedy)
        return multiway, -(-total // int(search.weight.sum())), total

    def _is_worst(self, problem: Problem) -> bool:
        if self.metric != "auto":
            return self.metric == "worst"
        first = problem.costs.levels[0].coefficients
        return first.worst > 0 or first.depth > 0

    def _code(self, problem: Problem) -> str:
        """Name of the code; "gilbert-moore" goes by weights where the metric is an average."""
        worst = self._is_worst(problem)
        if self.code == "auto":
            return "minimax" if worst else "optimal"
        return f"{self.code} by {'size' if worst else 'weight'}"


def _distinct(columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that differ in a column, and the weight of each class on them."""
    codes = columns.codes.astype(np.int64)
    if not len(codes):
        codes = np.zeros((1, columns.n_rows), dtype=np.int64)
    rows, row_of = np.unique(codes, axis=1, return_inverse=True)
    by_class = np.zeros((rows.shape[1], columns.problem.dataset.n_classes), dtype=np.int64)
    np.add.at(by_class, (row_of.reshape(-1), columns.label), columns.weight)
    return rows, by_class


class _Child(NamedTuple):
    """What hangs below some consecutive codes of a node."""

    low: int
    high: int
    tree: Tree
    weight: int
    size: int


def _binary(columns: Columns, node: Multiway, code: str) -> Tree:
    """Replace every multiway node by a binary tree over its values."""
    if not node.children:
        return Tree.leaf(node.label)
    children = _children(columns, node, code)

    def build(part: Fork | int) -> Tree:
        if not isinstance(part, Fork):
            return children[part].tree
        low, high = children[part.middle - 1].high, children[part.middle].low
        test = columns.test(node.column, columns.centred(node.column, low, high))
        return Tree.branch(test, build(part.left), build(part.right))

    return build(fork_of(_lengths(code, children)))


def _children(columns: Columns, node: Multiway, code: str) -> list[_Child]:
    """Return the children as binary trees, neighbouring leaves of one class merged."""
    merged: list[_Child] = []
    for value, child in zip(node.codes, node.children, strict=True):
        new = _Child(value, value, _binary(columns, child, code), child.weight, child.size)
        old = merged[-1] if merged else None
        if old is not None and old.tree.n_nodes == 1 and old.tree == new.tree:
            merged[-1] = _Child(
                old.low, value, old.tree, old.weight + new.weight, old.size + new.size
            )
        else:
            merged.append(new)
    return merged


def _lengths(code: str, children: list[_Child]) -> list[int]:
    if code.startswith("minimax"):
        return minimax([child.tree.depth for child in children])
    if code.startswith("optimal"):
        return garsia_wachs([child.weight for child in children])
    by_weight = code.endswith("weight")
    return gilbert_moore([child.weight if by_weight else child.size for child in children])


def _bound(problem: Problem, by_class: NDArray[np.int64], worst: int, total: int) -> int:
    """Return what every tree without errors costs at least."""
    leaves = int((by_class.sum(axis=0) > 0).sum())
    unit = int(problem.dataset.cost_units.min())
    least = Amounts(0, 2 * leaves - 1, worst, unit * total, total, worst)
    return problem.costs.of(least)
