"""The default generator of DPDT: as many tests a state as the depth allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from odt.generators.base import RuleGenerator
from odt.generators.cart import CartLeaves
from odt.mdp.generator import Rule


@dataclass(frozen=True)
class Automatic(RuleGenerator):
    """`CartLeaves` with 16 leaves up to depth 3, fewer for deeper trees."""

    LEAVES: ClassVar[Mapping[int, int]] = {1: 16, 2: 16, 3: 16, 4: 12, 5: 8}
    DEEPER: ClassVar[tuple[int, ...]] = (6, 6, 6, 4, 4)

    def at(self, depth: int) -> CartLeaves:
        """Return the generator for trees of a depth."""
        return CartLeaves(self.LEAVES.get(depth, self.DEEPER))

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the rules of the generator for trees of this depth."""
        return self.at(depth).rules(depth)
