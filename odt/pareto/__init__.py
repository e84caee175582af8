"""Every trade-off between two or three measures, each with its tree and what is proved about it."""

from odt.pareto.choice import FrontChoice, choose
from odt.pareto.door import pareto
from odt.pareto.front import FrontProgress, ParetoFront, ParetoPoint, Region

__all__ = [
    "FrontChoice",
    "FrontProgress",
    "ParetoFront",
    "ParetoPoint",
    "Region",
    "choose",
    "pareto",
]
