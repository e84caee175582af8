"""Proofs that anyone can check: a file with the lower bounds that a claim rests on.

`certify` (also `odt.certify` and ``result.proof()``) writes a proof, `check` reads it. The checker
(`odt.proof.checker`) uses numpy and the standard library only and can be run by itself.
"""

from odt.proof.certify import Proof, certify
from odt.proof.checker import RefusedError, Verdict, check

__all__ = ["Proof", "RefusedError", "Verdict", "certify", "check"]
