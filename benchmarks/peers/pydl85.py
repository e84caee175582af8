"""DL8.5 (``pip install pydl8.5``): least error over given tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import odt
from benchmarks.peers.base import UP_TO_TESTS, Need, Peer
from odt.convert.peers import from_pydl85


def fit(X: Any, y: Any, depth: int, seconds: int) -> Any:
    from pydl85 import DL85Classifier

    return DL85Classifier(max_depth=depth, time_limit=seconds).fit(X, y)


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    return {"tree": model.tree_, "errors": round(model.error_), "proved": not model.timeout_}


@dataclass(frozen=True)
class DL85Peer(Peer):
    """DL8.5 in C++."""

    name: ClassVar[str] = "pydl85"
    package: ClassVar[str] = "pydl85"
    supports: ClassVar[frozenset[Need]] = UP_TO_TESTS
    binary: ClassVar[bool] = True
    fit = staticmethod(fit)
    read = staticmethod(read)

    def imported(self, claim: Mapping[str, Any], problem: odt.Problem) -> odt.Tree:
        """Return the tree of its ``tree_``."""
        columns, data = list(problem.candidate_tests), problem.dataset
        return from_pydl85(claim["tree"], data, columns=columns, classes=data.classes)
