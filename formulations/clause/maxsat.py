"""`maxsat`: the clause model of a complete tree, solved by the MaxSAT solver RC2."""

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
    from formulations.backends.rc2 import Rc2Emitter


@dataclass(frozen=True)
class MaxSat(ClauseFormulation):
    """Clause model over RC2: strong where the optimal cost is small.

    Parameters
    ----------
    sat_solver : str, default "g3"
        SAT solver of PySAT.
    exhaust, minimise, adapt : bool
        RC2's core exhaustion, core minimisation and detection of at-most-one constraints.
    cutoff : bool, default False
        As in `Formulation`; linear rows are expensive here.
    """

    name: ClassVar[str] = "maxsat"
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
    requires: ClassVar[tuple[str, ...]] = ("pysat.formula",)
    reference: ClassVar[str] = "Hu, Siala, Hebrard, Huguet, IJCAI 2020; Shati et al. 2023"

    largest_cost: ClassVar[int] = 2**60  # RC2 adds weights as Python integers

    cutoff: bool = False
    sat_solver: str = "g3"
    exhaust: bool = True
    minimise: bool = True
    adapt: bool = True

    def emitter(self) -> Rc2Emitter:
        """Return RC2."""
        from formulations.backends.rc2 import Rc2Emitter

        return Rc2Emitter(self.sat_solver, self.exhaust, self.minimise, self.adapt)
