"""What every solver is: a name, what it supports, and one method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar

from odt.core.run import Run
from odt.model.capability import Need
from odt.model.problem import Problem
from odt.model.tree import Tree


class Status(Enum):
    """What is known at the end of a run."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Solution:
    """What a solver hands over, before the core has checked it.

    Attributes
    ----------
    status : Status
        OPTIMAL if the solver proved that ``tree`` is best; FEASIBLE if it found ``tree``;
        INFEASIBLE if it proved that no tree keeps the limits; UNKNOWN otherwise.
    tree : Tree, optional
        Leaf labels are taken as they are, never corrected.
    bound : int or float, optional
        The solver's own lower bound in the integer units of ``problem.costs``. OPTIMAL requires
        that it equals the cost of ``tree``.
    stats : mapping
        Anything worth knowing about the search, such as the number of states.
    """

    status: Status
    tree: Tree | None = None
    bound: float | None = None
    stats: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


class Solver(ABC):
    """A way to solve problems. Subclasses are frozen dataclasses; their fields are the options.

    Attributes
    ----------
    name : str
        Registry name, lower case with hyphens.
    exact : bool
        Whether it can prove optimality.
    supports : frozenset of Measure and Capability
        What a problem may ask for.
    requires : tuple of str
        Modules that must be importable, whatever the options.
    reference : str
        The paper the method comes from.
    """

    name: ClassVar[str]
    exact: ClassVar[bool]
    supports: ClassVar[frozenset[Need]]
    requires: ClassVar[tuple[str, ...]] = ()
    reference: ClassVar[str] = ""

    @property
    def requirements(self) -> tuple[str, ...]:
        """Modules that must be importable for these options."""
        return self.requires

    @abstractmethod
    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve ``problem`` within ``run``.

        Parameters
        ----------
        problem : Problem
            Needs nothing beyond ``supports``; the core has checked that.
        run : Run
            Poll ``run.should_stop()``; call ``run.report`` with trees and bounds.
        """
