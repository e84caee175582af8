"""Test generators: which tests are actions of a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from odt.model.testset import Test

if TYPE_CHECKING:
    from odt.mdp.model import State, TreeMDP


class TestGenerator(Protocol):
    """A rule that offers tests in a state, such as those of a CART grown there.

    Any callable of this form will do. The process itself drops tests that separate nothing and
    repeated ones, so a generator need not.
    """

    def __call__(self, mdp: TreeMDP, state: State) -> Sequence[Test]:
        """Return the tests offered in ``state``; the order breaks ties."""
        ...


TestGenerator.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest thinks


class Rule(NamedTuple):
    """What the compiled kernels offer in the states of one depth.

    Attributes
    ----------
    kind : str
        ``"all"``, ``"cart_depth"``, ``"cart_leaves"``, ``"top"`` or ``"quantiles"``.
    amount : int
        Depth or leaves of the CART, number of cuts, number of quantiles; 0 for ``"all"``.
    cap : int
        Most cuts of one feature, for ``"top"``; 0 means no cap.
    criterion : str
        ``"gini"``, ``"entropy"`` or ``"squared"``.
    ties : bool
        For CARTs: offer also the cuts of other features that are exactly as good as the chosen.
    also : tuple of Rule
        Rules whose tests are offered as well.
    """

    kind: str
    amount: int = 0
    cap: int = 0
    criterion: str = "gini"
    ties: bool = False
    also: tuple[Rule, ...] = ()

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The rule itself and those offered with it."""
        return (self, *(rule for other in self.also for rule in other.all_rules))


@runtime_checkable
class CompiledGenerator(Protocol):
    """A generator that the compiled kernels know: a rule for each depth."""

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the rule of each of ``depth`` levels, the root first."""
        ...


@dataclass(frozen=True)
class AllTests:
    """Offer every candidate test of the problem in every state; the search is then exact."""

    def __call__(self, mdp: TreeMDP, state: State) -> Sequence[Test]:
        """Return the compiled candidate tests of the problem."""
        return mdp.problem.compiled.tests

    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the rule "all" for every level."""
        return (Rule("all"),) * depth
