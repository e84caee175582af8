"""The tests of a CART grown in the state: the generators of the DPDT papers."""

from __future__ import annotations

from dataclasses import dataclass

from odt.generators.base import RuleGenerator, check_amount, with_last
from odt.mdp.generator import Rule


@dataclass(frozen=True)
class CartDepth(RuleGenerator):
    """All tests of a CART of limited depth; with ``last_level="same"`` the paper's DPDT-K.

    Kohler, Akrour and Preux, arXiv 2309.12701. At most ``2**max_depth - 1`` tests a state, each
    applied to the whole state. The first is CART's own choice, so the best policy is never worse
    than CART of the same criterion or any of its prunings, at any price of complexity.

    Parameters
    ----------
    max_depth : int
        Depth K of the CART, at least 1; K = 1 is CART itself.
    criterion : {"entropy", "gini"}, default "entropy"
    last_level : {"all", "same"}, default "all"
        Where one test is left, evaluating every cut takes one pass, less than growing a CART,
        and can only be better. ``"same"`` restricts the last level like the others.
    ties : bool, default True
        Offer also the cuts of other features that are exactly as good as a chosen one. Other
        implementations pick one of them at random, or by the order of the columns.
    """

    max_depth: int
    criterion: str = "entropy"
    last_level: str = "all"
    ties: bool = True

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the same CART for every level, but for the last one if it offers all cuts."""
        check_amount("max_depth", self.max_depth, 1)
        rule = Rule("cart_depth", self.max_depth, criterion=self.criterion, ties=self.ties)
        return with_last((rule,) * depth, self.last_level)


@dataclass(frozen=True)
class CartLeaves(RuleGenerator):
    """The tests of a CART grown best first to a number of leaves, as in DPDT's public code.

    Parameters
    ----------
    leaves : int or tuple of int
        Most leaves of the CART, at least 2; several: by level, 2 for levels beyond the list.
    criterion : {"gini", "entropy"}, default "gini"
    last_level : {"all", "same"}, default "all"
        As for `CartDepth`.
    ties : bool, default True
        As for `CartDepth`.
    """

    leaves: int | tuple[int, ...]
    criterion: str = "gini"
    last_level: str = "all"
    ties: bool = True

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the CART of each level."""
        if isinstance(self.leaves, int):
            budgets: tuple[int, ...] = (self.leaves,) * depth
        else:
            budgets = (*self.leaves, *(2,) * depth)[:depth]
        for budget in budgets:
            check_amount("leaves", budget, 2)
        rules = tuple(
            Rule("cart_leaves", b, criterion=self.criterion, ties=self.ties) for b in budgets
        )
        return with_last(rules, self.last_level)
