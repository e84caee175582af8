"""Formulations that are linear programs, and the solver libraries they can be given to."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any, ClassVar

from formulations.base import Emitter, Formulation
from formulations.linear import LARGEST_COST, LinearProgram
from odt.errors import MissingDependencyError, ProblemError

BACKENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "highs": ("formulations.highs:Highs", {}),
    "highs-ipm": ("formulations.highs:Highs", {"lp_method": "ipm"}),
    "scip": ("formulations.scip:Scip", {}),
    "cbc": ("formulations.pulp_solvers:Pulp", {"solver": "cbc"}),
    "pulp-highs": ("formulations.pulp_solvers:Pulp", {"solver": "highs"}),
    "pulp-scip": ("formulations.pulp_solvers:Pulp", {"solver": "scip"}),
    "gurobi": ("formulations.gurobi:Gurobi", {}),
    "pulp-gurobi": ("formulations.pulp_solvers:Pulp", {"solver": "gurobi"}),
    "cplex": ("formulations.pulp_solvers:Pulp", {"solver": "cplex"}),
    "xpress": ("formulations.pulp_solvers:Pulp", {"solver": "xpress"}),
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

    def emitter(self) -> Emitter[LinearProgram]:
        """Return the emitter of the chosen backend.

        Raises
        ------
        MissingDependencyError
            If its packages are not installed.
        """
        location, options = BACKENDS[self.backend]
        module, _, name = location.partition(":")
        kind = getattr(importlib.import_module(module), name)
        missing = [m for m in kind.requires if importlib.util.find_spec(m) is None]
        if missing:
            raise MissingDependencyError(
                f"The backend {self.backend!r} needs {', '.join(missing)}, which is not "
                f"installed: pip install {' '.join(missing)}."
            )
        emitter: Emitter[LinearProgram] = kind(**options)
        return emitter
