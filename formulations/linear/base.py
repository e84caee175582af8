"""Formulations that are linear programs, and the solver libraries they can be given to."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

from formulations.backends.apart import Apart
from formulations.backends.protocol import Emitter
from formulations.base import Formulation
from formulations.program.linear import LARGEST_COST, LinearProgram, check_entries
from odt.errors import ProblemError
from odt.model.problem import Problem

BACKENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "highs": ("formulations.backends.highs:Highs", {}),
    "highs-ipm": ("formulations.backends.highs:Highs", {"lp_method": "ipm"}),
    "scip": ("formulations.backends.scip:Scip", {}),
    "gurobi": ("formulations.backends.gurobi:Gurobi", {}),
    "cbc": ("formulations.backends.pulp:Pulp", {"solver": "cbc"}),
    "cplex": ("formulations.backends.pulp:Pulp", {"solver": "cplex"}),
    "xpress": ("formulations.backends.pulp:Pulp", {"solver": "xpress"}),
}
"""Emitters by name, as in ``solver="flow-oct[cbc]"``."""

APART = frozenset(BACKENDS) - {"gurobi"}
"""Backends that may take long to stop, and run in a process of their own."""
BYTES_PER_ENTRY = 120
"""Memory of a matrix entry, while it is written and in the library."""


@dataclass(frozen=True)
class LinearFormulation(Formulation[LinearProgram]):
    """A formulation whose model is a `LinearProgram`.

    Parameters
    ----------
    backend : str, default "highs"
        One of `BACKENDS`.
    cutoff : bool, default False
        As in `Formulation`; here it is one more row.
    """

    requires: ClassVar[tuple[str, ...]] = ("scipy",)
    largest_cost: ClassVar[int] = LARGEST_COST
    works_apart: ClassVar[bool] = True
    """Whether its programs can be sent to another process: without lazy rows."""

    backend: str = "highs"
    cutoff: bool = False

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise ProblemError(
                f"'backend' must be one of {', '.join(BACKENDS)}. Got {self.backend!r} instead."
            )

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has; 0, the default, if that is not known."""
        return 0

    def n_bytes(self, problem: Problem) -> int:
        """Return about how much memory the entries take."""
        n_entries = self.n_entries(problem)
        check_entries(n_entries)
        return BYTES_PER_ENTRY * n_entries

    @property
    def requirements(self) -> tuple[str, ...]:
        """Modules that must be importable: those of the backend too."""
        return (*self.requires, *self._driver().requires)

    def emitter(self) -> Emitter[LinearProgram]:
        """Return the emitter of the chosen backend."""
        driver: Emitter[LinearProgram] = self._driver()
        return Apart(driver) if self.works_apart and self.backend in APART else driver

    def _driver(self) -> Any:
        location, options = BACKENDS[self.backend]
        module, _, name = location.partition(":")
        return getattr(importlib.import_module(module), name)(**options)
