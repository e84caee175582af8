"""Test generators: which tests are actions of a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from odt.testset import Test

if TYPE_CHECKING:
    from odt.mdp.model import State, TreeMDP


class TestGenerator(Protocol):
    """A rule that offers tests in a state, such as those of a CART grown there.

    Any callable of this form will do. The process itself drops tests that separate nothing and
    repeated ones, so a generator need not.
    """

    __test__: ClassVar[bool] = False

    def __call__(self, mdp: TreeMDP, state: State) -> Sequence[Test]:
        """Return the tests offered in ``state``; the order breaks ties."""
        ...


@dataclass(frozen=True)
class AllTests:
    """Offer every candidate test of the problem in every state; the search is then exact."""

    def __call__(self, mdp: TreeMDP, state: State) -> Sequence[Test]:
        """Return the compiled candidate tests of the problem."""
        return mdp.problem.compiled.tests
