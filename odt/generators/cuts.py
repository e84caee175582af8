"""Generators that choose cuts one by one: the best ones, or quantiles."""

from __future__ import annotations

from dataclasses import dataclass

from odt.generators.base import RuleGenerator, check_amount, with_last
from odt.mdp.generator import Rule


@dataclass(frozen=True)
class TopCuts(RuleGenerator):
    """The cuts of largest gain (as in Nunes et al. 2020), CART's choice first.

    Parameters
    ----------
    amount : int
        How many, at least 1.
    per_feature : int, default 0
        Most cuts of one feature, for more diversity; 0 means no cap.
    criterion : {"entropy", "gini"}, default "entropy"
    last_level : {"all", "same"}, default "all"
        As for `CartDepth`.
    """

    amount: int
    per_feature: int = 0
    criterion: str = "entropy"
    last_level: str = "all"

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the same rule for every level."""
        check_amount("amount", self.amount, 1)
        rule = Rule("top", self.amount, self.per_feature, self.criterion)
        return with_last((rule,) * depth, self.last_level)


@dataclass(frozen=True)
class Quantiles(RuleGenerator):
    """Inner quantiles of the distinct values of each feature in the state.

    Parameters
    ----------
    amount : int
        Quantiles a feature, at least 1.
    last_level : {"all", "same"}, default "all"
        As for `CartDepth`.
    """

    amount: int
    last_level: str = "all"

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the same rule for every level."""
        check_amount("amount", self.amount, 1)
        return with_last((Rule("quantiles", self.amount),) * depth, self.last_level)
