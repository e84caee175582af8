"""From bounds to an optimum: raise the lower bound, lower the tree, until they meet."""

from __future__ import annotations

from collections.abc import Callable

from odt.core.run import Run
from odt.data.impurity import entropy, gini, pairs
from odt.engine.min_size.cut_tree import CutTree, branches, greedy, height
from odt.engine.min_size.improve import Improver
from odt.engine.min_size.staircase import Query, Staircase
from odt.errors import Stopped

SLICE = 20_000
IMPROVING = 0.4


class InfeasibleError(Exception):
    """No consistent tree keeps the limits."""


class Deepening:
    """The best known tree and the proved bounds of one instance.

    Parameters
    ----------
    staircase : Staircase
    run : Run
        Polled between slices of work.
    max_branches, max_depth : int
        Limits of the tree (``NO_LIMIT``: any depth).
    on_change : callable
        Called after a better tree or bound.

    Attributes
    ----------
    best : CutTree or None
        Best tree within the limits.
    least_branches, least_depth : int
        No tree within the limits has fewer branches, or less depth.
    """

    def __init__(
        self,
        staircase: Staircase,
        run: Run,
        max_branches: int,
        max_depth: int,
        on_change: Callable[[Deepening], None],
    ) -> None:
        self.staircase = staircase
        self.run = run
        self.max_branches = max_branches
        self.max_depth = max_depth
        self.on_change = on_change
        self.best: CutTree = None
        self.least_branches = staircase.reduced.n_classes - 1
        self.least_depth = self.least_branches.bit_length()

    def start(self, by_depth: bool) -> None:
        """Take the best of a few greedy trees as the first one."""
        for impurity in (entropy, gini, pairs):
            self.offer(greedy(self.staircase.reduced, impurity, self.run.should_stop), by_depth)

    def offer(self, cut_tree: CutTree, by_depth: bool) -> None:
        """Keep a tree if it is within the limits and better than the best."""
        if branches(cut_tree) > self.max_branches or height(cut_tree) > self.max_depth:
            return
        order = -1 if by_depth else 1
        value = (branches(cut_tree), height(cut_tree))[::order]
        if self.best is None or value < (branches(self.best), height(self.best))[::order]:
            self.best = cut_tree
            self.on_change(self)

    def minimise_branches(self, depth: int) -> int:
        """Return the fewest branches of a tree of at most a depth, and keep such a tree."""
        improver = Improver(self.staircase, depth)
        while self.best is None or self.least_branches < branches(self.best):
            if self.least_branches > self.max_branches:
                raise InfeasibleError
            query = Query(self.staircase, self.staircase.root, depth, self.least_branches)
            self._answer(query, improver)
            if query.answer is None:
                break
            if query.answer:
                self._take(depth, self.least_branches)
            else:
                known = self.staircase.lower_bound(self.staircase.root, depth, self.least_branches)
                self._raise(branches_to=max(self.least_branches + 1, known))
        return branches(self.best)

    def minimise_depth(self, budget: int) -> int:
        """Return the least depth of a tree of at most ``budget`` branches, and keep such a tree."""
        while self.best is None or self.least_depth < height(self.best):
            if self.least_depth > min(self.max_depth, self.max_branches):
                raise InfeasibleError
            query = Query(self.staircase, self.staircase.root, self.least_depth, budget)
            self._answer(query, None)
            if query.answer:
                self._take(self.least_depth, budget)
            else:
                self._raise(depth_to=self.least_depth + 1)
        return height(self.best)

    def _answer(self, query: Query, improver: Improver | None) -> None:
        """Work on a query until it is answered, or improving has made it needless."""
        self.staircase.queries = [query]
        while query.work(SLICE) is None:
            Stopped.poll(self.run.should_stop)
            if improver is None or self.best is None:
                continue
            if branches(self.best) - self.least_branches > 1:
                self.offer(improver.improve(self.best, int(IMPROVING * SLICE)), False)
            if branches(self.best) <= self.least_branches:
                break
        self.staircase.queries = []

    def _take(self, depth: int, budget: int) -> None:
        self.best = self.staircase.cut_tree(self.staircase.root, depth, budget)
        self.on_change(self)

    def _raise(self, branches_to: int = 0, depth_to: int = 0) -> None:
        self.least_branches = max(self.least_branches, branches_to, depth_to)
        self.least_depth = max(self.least_depth, depth_to, self.least_branches.bit_length())
        self.on_change(self)
        Stopped.poll(self.run.should_stop)
