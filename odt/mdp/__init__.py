"""The tree search as a Markov decision process."""

from odt.mdp.generator import AllTests, TestGenerator
from odt.mdp.model import State, TreeMDP

__all__ = ["AllTests", "State", "TestGenerator", "TreeMDP"]
