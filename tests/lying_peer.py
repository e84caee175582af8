"""Peers that claim too much, for test_benchmarks; none needs another package than json."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import odt
from benchmarks.peers.base import Peer
from odt.experiments import Grid

A, B = {"label": 0}, {"label": 1}


def below(threshold: float, yes: Any, no: Any) -> Any:
    """Return a branch on the only feature."""
    return {"feature": 0, "threshold": threshold, "yes": yes, "no": no}


STUMP = below(0.5, A, B)
"""One error on a b a b."""
BALANCED = below(1.5, STUMP, below(2.5, A, B))
CHAIN = below(0.5, A, below(1.5, B, below(2.5, A, B)))
"""No error, and one test too deep."""


def fit(X: Any, y: Any, depth: int, seconds: int, claim: Any) -> Any:
    """Return the claim; abort without one."""
    import os

    if claim is None:
        print("the last words", file=sys.stderr, flush=True)
        os.abort()
    return claim


def read(model: Any, X: Any, y: Any) -> Any:
    """Return the claim."""
    return model


@dataclass(frozen=True)
class Says(Peer):
    """Says what it is told to."""

    name: ClassVar[str] = "says"
    package: ClassVar[str] = "json"
    fit = staticmethod(fit)
    read = staticmethod(read)
    claim: Any = None


def grid() -> Grid:
    """Return lies about four rows of the classes a, b, a, b at depth 2."""
    claims = {
        "honest": {"tree": BALANCED, "errors": 0, "proved": True},
        "miscounts": {"tree": STUMP, "errors": 0, "proved": True},
        "too deep": {"tree": CHAIN, "errors": 0, "proved": True},
        "too sure": {"tree": STUMP, "errors": 1, "proved": True},
        "aborts": None,
    }
    data = odt.Dataset([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"])
    place = "lying_peer:Says"
    told = [
        {"label": label, "name": place, "options": {"python": sys.executable, "claim": claim}}
        for label, claim in claims.items()
    ]
    told += [{"label": "absent", "name": place}]
    told += [{"label": "elsewhere", "name": place, "options": {"python": "/no/python"}}]
    told += [{"label": "dp", "name": "dp"}]
    return Grid({"abab": data}, told, [{"max_depth": 2}], check=False)
