"""Making a consistent tree smaller by solving its subtrees again."""

from __future__ import annotations

from collections.abc import Iterator

from odt.engine.min_size.bits import Words
from odt.engine.min_size.cut_tree import CutTree, branches
from odt.engine.min_size.staircase import Query, Staircase
from odt.engine.min_size.state import NO_LIMIT

Path = tuple[int, ...]
FIRST_LIMIT = 2_000


class Improver:
    """Replaces subtrees by smaller ones, small subtrees first, with growing work limits.

    Parameters
    ----------
    staircase : Staircase
        Shared with the main search: what either learns helps the other.
    depth : int
        Depth limit of the whole tree.
    """

    def __init__(self, staircase: Staircase, depth: int) -> None:
        self._staircase = staircase
        self._depth = depth
        self._limit = FIRST_LIMIT
        self._spent: dict[tuple[bytes, int, int], int] = {}

    def improve(self, cut_tree: CutTree, units: int) -> CutTree:
        """Work for about ``units`` and return the tree, smaller if that succeeded."""
        until = self._staircase.work + units
        while self._staircase.work < until:
            candidates = [c for c in self._subtrees(cut_tree) if self._is_due(*c[1:])]
            if not candidates:
                if all(self._is_closed(*c[1:]) for c in self._subtrees(cut_tree)):
                    break
                self._limit *= 4
                continue
            path, words, depth, size = min(candidates, key=lambda c: c[3])
            smaller = self._solve(words, depth, size)
            if smaller is not None:
                cut_tree = _replaced(cut_tree, path, smaller[0])
        return cut_tree

    def _solve(self, words: Words, depth: int, size: int) -> tuple[CutTree] | None:
        """Look for a tree of a set with fewer than ``size`` branches; None if there is none yet."""
        query = Query(self._staircase, words, depth, size - 1)
        answer = query.work(self._limit)
        closed = answer is False
        self._spent[words.tobytes(), depth, size] = -1 if closed else self._limit
        return (self._staircase.cut_tree(words, depth, size - 1),) if answer else None

    def _is_due(self, words: Words, depth: int, size: int) -> bool:
        spent = self._spent.get((words.tobytes(), depth, size), 0)
        return 0 <= spent < self._limit

    def _is_closed(self, words: Words, depth: int, size: int) -> bool:
        return self._spent.get((words.tobytes(), depth, size), 0) < 0

    def _subtrees(self, cut_tree: CutTree) -> Iterator[tuple[Path, Words, int, int]]:
        """Yield position, examples, depth limit and size of all subtrees worth a try."""
        stack: list[tuple[Path, Words, int, CutTree]] = [
            ((), self._staircase.root, self._depth, cut_tree)
        ]
        while stack:
            path, words, depth, node = stack.pop()
            if node is None:
                continue
            size = branches(node)
            if path and size >= 2:
                yield path, words, depth, size
            cut = self._staircase.instance.cuts[node[0]]
            below = depth - 1 if depth < NO_LIMIT else NO_LIMIT
            stack.append(((*path, 1), words & cut, below, node[1]))
            stack.append(((*path, 2), words & ~cut, below, node[2]))


def _replaced(cut_tree: CutTree, path: Path, new: CutTree) -> CutTree:
    """Return the tree with the subtree at a path replaced."""
    if not path:
        return new
    assert cut_tree is not None
    cut, first, second = cut_tree
    if path[0] == 1:
        return cut, _replaced(first, path[1:], new), second
    return cut, first, _replaced(second, path[1:], new)
