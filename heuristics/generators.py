"""Test generators: the restricted actions of the decision process, by name or as objects.

`GENERATORS` maps a name to a class; `make_generator` also reads ``"cart_leaves(16)"`` and the
paper's names ``"DPDT-4"``, ``"DPDT-2..."`` and ``"DPDT-2+1..."``.
"""

from odt.generators.cart import CartDepth, CartLeaves
from odt.generators.cuts import Quantiles, TopCuts
from odt.generators.mdl import MdlCuts, mdl_tests
from odt.generators.names import GENERATORS, make_generator
from odt.generators.schedule import Schedule, Union

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
