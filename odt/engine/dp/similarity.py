"""Lower bounds for a test from tests of the same feature that were searched before.

Moving examples of weight w from one side of a test to the other changes the cost of the best pair
of subtrees by at most w times what one example can cost: keep the subtrees, and only the moved
examples are treated differently; the side that lost examples can only become cheaper. So a test
whose sides cost much rules out its neighbours (the similarity bound of Hu, Siala, Hebrard and
Huguet, IJCAI 2020, and of Demirovic et al., JMLR 2022, for additive costs).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from odt.mdp import TreeMDP
from odt.mdp.model import Split


class SimilarTests:
    """What is known about the tests of one state.

    Parameters
    ----------
    mdp : TreeMDP
    penalty : int
        Most that one weight unit can cost below the test.
    """

    def __init__(self, mdp: TreeMDP, penalty: int) -> None:
        self._mdp, self._penalty = mdp, penalty
        self._sizes: dict[int, list[int]] = defaultdict(list)
        self._known: dict[int, list[tuple[int, int]]] = defaultdict(list)

    @staticmethod
    def hold(mdp: TreeMDP) -> bool:
        """Say whether the bound is valid: any subtree may be used on any set of examples."""
        limits = mdp.problem.limits
        if mdp.problem.dataset.targets is not None:
            return False  # nothing limits what one example adds to a squared error
        return limits.errors != 0 and limits.leaf_rows <= 1 and limits.leaf_weight <= 1

    def learn(self, split: Split, both_sides: int) -> None:
        """Note that the two sides of a test together cost at least ``both_sides``."""
        size = split.left.bit_count()
        sizes = self._sizes[split.test.feature]
        position = bisect_left(sizes, size)
        sizes.insert(position, size)
        self._known[split.test.feature].insert(position, (split.left, both_sides))

    def bound(self, split: Split) -> int:
        """Return a lower bound on what the two sides of a test cost together.

        Only the two nearest tests are asked: those of a numeric feature form a chain.
        """
        known = self._known[split.test.feature]
        position = bisect_left(self._sizes[split.test.feature], split.left.bit_count())
        return max(
            (
                both_sides - self._penalty * self._mdp.weight(left ^ split.left)
                for left, both_sides in known[max(position - 1, 0) : position + 1]
            ),
            default=0,
        )
