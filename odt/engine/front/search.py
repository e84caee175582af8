"""All trade-offs between error and complexity of a problem, by the compiled dynamic program.

Kohler, Akrour and Preux, arXiv 2309.12701: the tree search as a decision process with the tests
of a generator as actions. Instead of one value per price of complexity, every state keeps the
lower convex hull (or the whole front) of its reachable (error, complexity) points in integers, so
that one pass answers every price exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Run
from odt.engine.front.columns import CRITERIA, Columns
from odt.engine.front.hull import Vertex
from odt.engine.front.kernels.front import CHILDREN, COMPLEXITY, ERROR, SHAPE, TEST, merge_fronts
from odt.engine.front.kernels.layout import (
    ALL,
    CART_DEPTH,
    CART_LEAVES,
    NO_RULE,
    QUANTILES,
    TOP,
    Data,
)
from odt.engine.front.kernels.memo import (
    ENTRIES,
    FULL,
    HITS,
    SCANS,
    STATES,
    TESTS,
    USED,
    VERTICES,
    Memo,
    enlarge,
    make_memo,
)
from odt.engine.front.kernels.search import Work, search
from odt.engine.squares import errors_within_rows, rules_for
from odt.errors import ProblemError
from odt.mdp.generator import Rule
from odt.model.measure import Amounts
from odt.model.problem import Problem
from odt.model.tree import Tree

KINDS = {
    "all": ALL,
    "cart_depth": CART_DEPTH,
    "cart_leaves": CART_LEAVES,
    "top": TOP,
    "quantiles": QUANTILES,
}
NO_LIMIT = (1 << 62) - 1
_PAIR = 1 << 32
Rows = NDArray[np.intp]
_FIRST_ENTRIES, _FIRST_VERTICES = 1 << 12, 1 << 14


@dataclass(frozen=True, eq=False)
class Front:
    """Result of a search: the points of the root, and the memo to build their trees from.

    Attributes
    ----------
    vertices : tuple of Vertex
        By rising error and falling complexity.
    stats : mapping
        States, last-level scans, memo hits, tests tried, vertices kept; all threads together.
    """

    columns: Columns
    vertices: tuple[Vertex, ...]
    stats: Mapping[str, int]
    _points: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]

    def tree(self, index: int) -> Tree:
        """Return the tree of a vertex."""
        vertex, pool = self._points[index]
        return _tree(self.columns, pool, vertex, np.arange(self.columns.n_rows))


def search_front(
    columns: Columns,
    rules: Sequence[Rule],
    prices: Amounts,
    run: Run,
    *,
    convex: bool = True,
    max_errors: int | None = None,
    on_states: Callable[[int], None] | None = None,
) -> Front:
    """Solve the decision process under the given rules for every price of complexity at once.

    Squared errors are added up in floats: a vertex differs from what its tree errs by at most
    `odt.engine.squares.slack`.

    Parameters
    ----------
    columns : Columns
    rules : sequence of Rule
        The generator, one rule a level; their number is the depth.
    prices : Amounts
        What complexity is.
    run : Run
        Time, memory, threads; when it must stop, open states are closed greedily by CART.
    convex : bool, default True
        Keep lower convex hulls; False keeps all non-dominated points.
    max_errors : int, optional
        Points with more errors are dropped as soon as a better one is known.
    on_states : callable, optional
        Called now and then with the number of states solved so far.

    Raises
    ------
    ProblemError
        If the complexity can exceed ``2**62`` (see `complexity_fits`).
    UnsupportedProblemError
        For rules that real targets do not have.
    """
    rules = rules_for(columns.problem.dataset, tuple(rules))
    data = columns.data(prices, frozenset(r.criterion for rule in rules for r in rule.all_rules))
    if not complexity_fits(columns.problem, prices, len(rules)):
        raise ProblemError("The complexity of a tree can exceed 2**62, too much for the kernels.")
    if not rules or not len(data.keys):
        return _leaf_front(columns)
    limit = NO_LIMIT if max_errors is None else max_errors
    stop = np.zeros(1, dtype=np.uint8)
    threads = min(run.n_threads, 64)
    works = [_work(data, rules, stop, convex, limit, t, threads) for t in range(threads)]
    memos = [make_memo(_FIRST_ENTRIES, _FIRST_VERTICES, len(work.key)) for work in works]

    def tick() -> None:
        if on_states is not None:
            on_states(sum(int(memo.counters[STATES]) for memo in memos))

    try:
        slots = run.call(_searcher(data, works, memos), lambda: stop.fill(1), tick)
    except BaseException:
        stop.fill(1)  # the thread must not go on after Ctrl-C
        raise
    return _front(columns, memos, slots, convex, limit)


def packed_rule(rule: Rule, width: int) -> list[list[int]]:
    """Return a rule and those offered with it as the integers that kernels read.

    Parameters
    ----------
    rule : Rule
    width : int
        Number of rows to return; those that are not needed say that there is no rule.
    """
    rows = [
        [KINDS[r.kind], r.amount, r.cap or NO_LIMIT, CRITERIA[r.criterion], int(r.ties)]
        for r in rule.all_rules
    ]
    return rows + [[NO_RULE, 0, 0, 0, 0]] * (width - len(rows))


def complexity_fits(problem: Problem, prices: Amounts, depth: int) -> bool:
    """Say whether the complexity of every tree of a depth stays below ``2**62``."""
    data = problem.dataset
    one = prices.tests * int(data.cost_units.max(initial=0)) + prices.explanation
    return data.total_weight * (2 * prices.nodes + one * max(depth, 1)) < NO_LIMIT


def _searcher(data: Data, works: list[Work], memos: list[Memo]) -> Callable[[], list[int]]:
    """Return the search, which fills one memo a thread and gives the slots of the root in them."""

    def one(thread: int) -> int:
        while True:
            slot = search(data, memos[thread], works[thread])
            if slot != FULL:
                return int(slot)
            memos[thread] = enlarge(memos[thread])

    def every() -> list[int]:
        if len(works) == 1:
            return [one(0)]
        with ThreadPoolExecutor(len(works)) as pool:
            return list(pool.map(one, range(len(works))))

    return every


def _work(
    data: Data, rules: Sequence[Rule], stop: NDArray[np.uint8], convex: bool, limit: int,
    offset: int, stride: int,
) -> Work:  # fmt: skip
    width = max(len(rule.all_rules) for rule in rules)
    plan = np.array([packed_rule(rule, width) for rule in rules], dtype=np.int64)
    columns, rows = data.keys.shape
    depth, attributes = len(rules), int(data.attribute.max()) + 1
    open_levels = max(1, depth - 1 if plan[-1, 0, 0] == ALL else depth)
    levels = np.empty((open_levels, columns, rows), dtype=np.int64)
    levels[0] = data.keys
    return Work(
        levels=levels,
        copy=np.empty((columns, rows), dtype=np.int64),
        spare=np.empty(rows, dtype=np.int64),
        other=np.empty(rows, dtype=np.int64),
        side=np.zeros((depth + 1, rows), dtype=np.uint8),
        plan=plan,
        used=np.zeros(attributes, dtype=np.int64),
        key=np.zeros(USED + (-(-attributes // 64) if data.feature_price.any() else 0), np.uint64),
        stop=stop,
        convex=convex,
        max_error=limit,
        offset=offset,
        stride=stride,
    )


def _front(
    columns: Columns, memos: list[Memo], slots: list[int], convex: bool, limit: int
) -> Front:
    """Merge the root fronts of all threads; the source of a point is found by its row."""
    parts = []
    for memo, slot in zip(memos, slots, strict=True):
        start, length = memo.where[slot]
        parts.append(memo.pool[start : start + length])
    merged = parts[0]
    for part in parts[1:]:
        merged = merge_fronts(merged, part, convex, limit)
    pools = {row.tobytes(): memo.pool for memo, part in zip(memos, parts, strict=True)
             for row in part}  # fmt: skip
    counters = np.sum([memo.counters for memo in memos], axis=0)
    names = {"states": STATES, "stored_states": ENTRIES, "vertices": VERTICES,
             "memo_hits": HITS, "last_level_scans": SCANS, "tests": TESTS}  # fmt: skip
    base = errors_within_rows(columns.problem.dataset)
    return Front(
        columns,
        tuple(_vertex(row, base) for row in merged),
        {name: int(counters[at]) for name, at in names.items()},
        tuple((row, pools[row.tobytes()]) for row in merged),
    )


def _vertex(row: NDArray[np.int64], base: int) -> Vertex:
    shape = int(row[SHAPE])
    return Vertex(int(row[ERROR]) + base, int(row[COMPLEXITY]), shape >> 16, shape & 0xFFFF)


def _leaf_front(columns: Columns) -> Front:
    problem = columns.problem
    errors = problem.errors_as_leaf
    if problem.dataset.targets is None:
        errors -= int(np.bincount(columns.label, weights=columns.weight).max())
    row = np.array([errors, 0, 0, -1, 0], dtype=np.int64)
    return Front(columns, (_vertex(row, 0),), {}, ((row, row[None, :]),))


def _tree(columns: Columns, pool: NDArray[np.int64], vertex: NDArray[np.int64], rows: Rows) -> Tree:
    if vertex[TEST] < 0:
        return Tree.leaf(columns.largest_class(rows))
    column, cut = divmod(int(vertex[TEST]), _PAIR)
    codes = columns.codes[column, rows]
    left = codes <= cut
    cut = columns.centred(column, int(codes[left].max()), int(codes[~left].min()))
    a, b = divmod(int(vertex[CHILDREN]), _PAIR)
    return Tree.branch(
        columns.test(column, cut),
        _tree(columns, pool, pool[a], rows[left]),
        _tree(columns, pool, pool[b], rows[~left]),
    )
