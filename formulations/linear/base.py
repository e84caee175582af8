"""Formulations that are linear programs, and the solver libraries they can be given to."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

from formulations.base import Formulation
from formulations.program.linear import LARGEST_COST, LinearProgram
from odt.errors import ProblemError

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

    backend: str = "highs"
    cutoff: bool = False

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise ProblemError(
                f"'backend' must be one of {', '.join(BACKENDS)}. Got {self.backend!r} instead."
            )

    @property
    def requirements(self) -> tuple[str, ...]:
        """Modules that must be importable: those of the backend too."""
        return (*self.requires, *self.emitter().requires)

    def emitter(self) -> Any:
        """Return the emitter of the chosen backend."""
        location, options = BACKENDS[self.backend]
        module, _, name = location.partition(":")
        return getattr(importlib.import_module(module), name)(**options)
