"""Formulations that are linear programs, and the solver libraries they can be given to."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any, ClassVar

from formulations.backends.apart import Apart
from formulations.base import Emitter, Formulation
from formulations.linear import LinearProgram, check_entries
from odt.errors import MissingDependencyError, ProblemError
from odt.problem import Problem

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
    largest_cost: ClassVar[int] = 2**29

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
        return Apart(emitter) if self.works_apart and self.backend in APART else emitter
