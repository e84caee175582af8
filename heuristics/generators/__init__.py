"""Test generators: the restricted actions of the decision process, by name or as objects.

`GENERATORS` maps a name to a class; `make_generator` also reads ``"cart_leaves(16)"`` and the
paper's names ``"DPDT-4"``, ``"DPDT-2..."`` and ``"DPDT-2+1..."``.
"""

from heuristics.generators.cart import CartDepth, CartLeaves
from heuristics.generators.cuts import Quantiles, TopCuts
from heuristics.generators.mdl import MdlCuts, mdl_tests
from heuristics.generators.names import GENERATORS, make_generator
from heuristics.generators.schedule import Schedule, Union

__all__ = [
    "GENERATORS",
    "CartDepth",
    "CartLeaves",
    "MdlCuts",
    "Quantiles",
    "Schedule",
    "TopCuts",
    "Union",
    "make_generator",
    "mdl_tests",
]
