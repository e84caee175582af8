"""STreeD (``pip install pystreed``): least error over given tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.peers.base import UP_TO_TESTS, Need, Peer


def fit(X: Any, y: Any, depth: int, seconds: int) -> Any:
    from pystreed import STreeDClassifier

    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=seconds)
    return model.fit(X, y)


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    def record(node: Any) -> dict[str, Any]:
        if node.is_leaf_node():
            return {"label": int(node.label)}
        sides = {"yes": record(node.right_child), "no": record(node.left_child)}
        return {"feature": node.feature, **sides}

    errors = int((model.predict(X) != y).sum())
    proved = bool(model.fit_result.is_optimal())
    return {"tree": record(model.get_tree()), "errors": errors, "proved": proved}


@dataclass(frozen=True)
class STreeDPeer(Peer):
    """STreeD."""

    name: ClassVar[str] = "streed"
    package: ClassVar[str] = "pystreed"
    supports: ClassVar[frozenset[Need]] = UP_TO_TESTS
    binary: ClassVar[bool] = True
    fit = staticmethod(fit)
    read = staticmethod(read)
