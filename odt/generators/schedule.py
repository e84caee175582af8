"""Generators made of others: one for each level, or several at once."""

from __future__ import annotations

from dataclasses import dataclass

from odt.generators.base import RuleGenerator, with_last
from odt.mdp.generator import CompiledGenerator, Rule


@dataclass(frozen=True)
class Schedule(RuleGenerator):
    """Different generators at different levels, such as the paper's DPDT-2... for depth 10.

    Parameters
    ----------
    parts : tuple of generators
        One a level, the root first; the last one also serves all deeper levels.
    last_level : {"all", "same"}, default "all"
        As for `CartDepth`, for the last level of the tree.
    """

    parts: tuple[CompiledGenerator, ...]
    last_level: str = "all"

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the first rule of the part that serves each level."""
        parts = [self.parts[min(level, len(self.parts) - 1)] for level in range(depth)]
        rules = tuple(part.rules(depth + 1)[0] for part in parts)
        return with_last(rules, self.last_level)


@dataclass(frozen=True)
class Union(RuleGenerator):
    """The tests of several generators in every state.

    Parameters
    ----------
    parts : tuple of generators
        The tests of the first come first.
    last_level : {"all", "same"}, default "all"
        As for `CartDepth`.
    """

    parts: tuple[CompiledGenerator, ...]
    last_level: str = "all"

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the rules of all parts, level by level."""
        first, *others = (part.rules(depth + 1)[:depth] for part in self.parts)
        rules = tuple(
            rule._replace(also=(*rule.also, *more))
            for rule, *more in zip(first, *others, strict=True)
        )
        return with_last(rules, self.last_level)
