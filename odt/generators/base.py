"""What the generators known to the compiled kernels have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from odt.errors import ProblemError
from odt.mdp.generator import Rule
from odt.mdp.model import State, TreeMDP
from odt.model.testset import Test

LAST_LEVELS = ("all", "same")


class RuleGenerator(ABC):
    """A generator given by a rule for each level."""

    @abstractmethod
    def rules(self, depth: int) -> tuple[Rule, ...]:
        """Return the rule of each of ``depth`` levels, the root first."""

    def __call__(self, mdp: TreeMDP, state: State) -> Sequence[Test]:
        """Return the tests offered in ``state``.

        The level is told from the depth left, which a process cuts to what can be useful: sets
        of very few rows may be treated as deeper than they are.
        """
        from odt.engine.front.offered import offered_tests  # Numba loads slowly

        depth = mdp.problem.limits.useful_depth
        return offered_tests(mdp, state, self.rules(depth)[depth - state.depth])


def with_last(rules: tuple[Rule, ...], last_level: str) -> tuple[Rule, ...]:
    """Return the rules with the last one replaced by all cuts if ``last_level`` says so.

    Raises
    ------
    ProblemError
        If ``last_level`` is neither ``"all"`` nor ``"same"``.
    """
    if last_level not in LAST_LEVELS:
        raise ProblemError(f"'last_level' must be 'all' or 'same'. Got {last_level!r} instead.")
    return (*rules[:-1], Rule("all")) if rules and last_level == "all" else rules


def check_amount(name: str, value: int, least: int) -> None:
    """Refuse an amount below what makes sense.

    Raises
    ------
    ProblemError
        If ``value`` is less than ``least``.
    """
    if value < least:
        raise ProblemError(f"'{name}' must be an int >= {least}. Got {value!r} instead.")
