"""`cp-sat`: the clause model of a complete tree, solved by OR-Tools CP-SAT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from formulations.clause.clause_tree import ClauseFormulation
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    STRUCTURE,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA

if TYPE_CHECKING:
    from formulations.backends.cp_sat import CpSatEmitter


@dataclass(frozen=True)
class CpSat(ClauseFormulation):
    """Clause model over CP-SAT: every measure and limit, for trees of moderate depth.

    Parameters
    ----------
    core : bool, default False
        Raise the lower bound core by core. Slower where the proof is easy; far better bounds where
        it is hard and the objective mixes errors with tests or explanations.
    parameters : str, default ""
        Parameters of CP-SAT in its text format; they override the defaults.
    """

    name: ClassVar[str] = "cp-sat"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.UNLIMITED_DEPTH, Capability.MAX_NODES, Capability.MAX_FEATURES}
        | STRUCTURE
    )
    requires: ClassVar[tuple[str, ...]] = ("ortools",)
    reference: ClassVar[str] = "Shati, Cohen, McIlraith, Constraints 2023"

    core: bool = False
    parameters: str = ""

    def emitter(self) -> CpSatEmitter:
        """Return CP-SAT."""
        from formulations.backends.cp_sat import CpSatEmitter

        return CpSatEmitter(self.parameters, self.core)
