"""The tree search as a Markov decision process."""

from typing import Any

from odt.mdp.generator import AllTests, TestGenerator
from odt.mdp.model import State, TreeMDP

__all__ = ["AllTests", "State", "TestGenerator", "TreeMDP", "from_networkx", "to_networkx"]


def __getattr__(name: str) -> Any:
    """Load the graph view, and networkx with it, on first use."""
    if name == "to_networkx":
        from odt.mdp.graph import to_networkx

        return to_networkx
    if name == "from_networkx":
        from odt.mdp.induction import from_networkx

        return from_networkx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
