"""Completing a pattern by thresholds, and what to learn from patterns that cannot be."""

from __future__ import annotations

from collections.abc import Callable

from odt.engine.fpt.examples import Examples, Rows
from odt.engine.fpt.patterns import UNKNOWN, Pattern, letters_of
from odt.errors import Stopped
from odt.model.tree import Tree


class Thresholds:
    """Validity, pools and branching sets of patterns on one instance.

    A pattern is valid for some examples if thresholds for its nodes exist with which every leaf
    is pure; a node of an unknown feature sends all examples to one side. Leaves carry no label
    here, so that any number of classes works.

    Parameters
    ----------
    examples : Examples
    stop : callable, optional
        Polled; `Stopped` is raised when it says True.
    """

    def __init__(self, examples: Examples, stop: Callable[[], bool] = lambda: False) -> None:
        self.examples = examples
        self._stop = stop
        self._known: dict[tuple[Rows, Pattern], bool] = {}

    def valid(self, rows: Rows, pattern: Pattern) -> bool:
        """Return whether a pattern is valid for some examples (the paper's Algorithm 3).

        At a node the largest part that the left side can take is the best choice: the right side
        gets fewest examples, and fewer examples are never harder.
        """
        if self.examples.is_pure(rows):
            return True
        if pattern is None:
            return False
        if (rows, pattern) not in self._known:
            Stopped.poll(self._stop)
            feature, left, right = pattern
            if feature == UNKNOWN:
                result = self.valid(rows, left) or self.valid(rows, right)
            else:
                result = self.valid(self._beyond(rows, feature, left), right)
            self._known[rows, pattern] = result
        return self._known[rows, pattern]

    def pool(self, rows: Rows, pattern: Pattern) -> Rows:
        """Return few examples that show that a pattern is invalid for ``rows`` (Lemma 8).

        On each side of a node stay one more value than the side can take: the next value that
        *occurs*, which with gaps or reals is not the next integer. So neither side is valid for
        its part, and by induction a leaf with two classes remains.
        """
        examples = self.examples
        if pattern is None:
            first = rows[0]
            other = next(r for r in rows if examples.labels[r] != examples.labels[first])
            return (first, other)
        feature, left, right = pattern
        if feature == UNKNOWN:
            return _union(self.pool(rows, left), self.pool(rows, right))
        domain = examples.domain(feature, rows)
        taken = self._most_left(rows, feature, left)
        needed = self._least_left(rows, feature, right)
        left_rows = examples.up_to(feature, domain[taken], rows)
        right_rows = tuple(r for r in rows if examples.values[feature][r] >= domain[needed - 1])
        return _union(self.pool(left_rows, left), self.pool(right_rows, right))

    def branching(self, pattern: Pattern) -> frozenset[int]:
        """Return features one of which every better completion of an invalid pattern adds.

        They are the features outside the pattern that differ within the pool: a completion that
        only adds features constant on the pool would send all of it along known nodes to an
        impure leaf.
        """
        pool = self.pool(self.examples.rows, pattern)
        known = letters_of(pattern)
        return frozenset(
            f for f, column in enumerate(self.examples.values)
            if f not in known and len({column[row] for row in pool}) > 1
        )  # fmt: skip

    def tree(self, rows: Rows, pattern: Pattern) -> Tree:
        """Return the tree of a pattern that is valid for ``rows``."""
        examples = self.examples
        if examples.is_pure(rows):
            return Tree.leaf(examples.labels[rows[0]])
        assert pattern is not None
        feature, left, right = pattern
        domain = examples.domain(feature, rows)
        taken = self._most_left(rows, feature, left)
        if taken == 0:
            return self.tree(rows, right)
        if taken == len(domain):
            return self.tree(rows, left)
        value = domain[taken - 1]
        return Tree.branch(
            examples.tests[feature][value],
            self.tree(examples.up_to(feature, value, rows), left),
            self.tree(examples.above(feature, value, rows), right),
        )

    def _beyond(self, rows: Rows, feature: int, left: Pattern) -> Rows:
        """Return the examples that the left side cannot take, at best."""
        taken = self._most_left(rows, feature, left)
        if taken == 0:
            return rows
        return self.examples.above(feature, self.examples.domain(feature, rows)[taken - 1], rows)

    def _most_left(self, rows: Rows, feature: int, left: Pattern) -> int:
        """Return the most values, from the smallest on, whose examples ``left`` is valid for.

        The threshold search of Algorithm 4, with the result read from the bounds of the loop:
        the printed version reads it from the last probe, which is right only if that one failed.
        """
        domain = self.examples.domain(feature, rows)

        def is_valid(count: int) -> bool:
            return self.valid(self.examples.up_to(feature, domain[count - 1], rows), left)

        return _last_true(len(domain), is_valid)

    def _least_left(self, rows: Rows, feature: int, right: Pattern) -> int:
        """Return the fewest values to take away for ``right`` to be valid for the others."""
        domain = self.examples.domain(feature, rows)

        def is_valid(count: int) -> bool:
            lowest = domain[len(domain) - count]
            kept = tuple(r for r in rows if self.examples.values[feature][r] >= lowest)
            return self.valid(kept, right)

        return len(domain) - _last_true(len(domain), is_valid)


def _last_true(most: int, holds: Callable[[int], bool]) -> int:
    """Return the last count up to ``most`` for which a monotone property holds; 0 always does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _union(one: Rows, two: Rows) -> Rows:
    return tuple(sorted({*one, *two}))
