"""pytrees-rs (``pip install pytrees-rs``): its ConTree and its DL8.5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.peers.base import UP_TO_TESTS, Need, Peer


def fit(X: Any, y: Any, depth: int, seconds: int, method: str) -> Any:
    import pytrees

    kind = getattr(pytrees, method)
    return kind(max_depth=depth, max_time=float(seconds)).fit(X.astype(float), y)


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    tree, is_binary = model.tree_, type(model).__name__ == "DL85Classifier"

    def record(node: int) -> dict[str, Any]:
        if tree.children_left[node] < 0:
            return {"label": int(model.classes_[tree.value[node]])}
        feature = int(tree.feature[node])
        left, right = record(tree.children_left[node]), record(tree.children_right[node])
        if is_binary:  # left are the rows with a 0
            return {"feature": feature, "yes": right, "no": left}
        threshold = float(tree.threshold[node])
        return {"feature": feature, "threshold": threshold, "yes": left, "no": right}

    errors = int((model.predict(X.astype(float)) != y).sum())
    return {"tree": record(0), "errors": errors, "proved": model.status_ == "optimal"}


@dataclass(frozen=True)
class PytreesPeer(Peer):
    """The ConTree of pytrees-rs."""

    name: ClassVar[str] = "pytrees-contree"
    package: ClassVar[str] = "pytrees"
    fit = staticmethod(fit)
    read = staticmethod(read)
    method: str = "ConTreeClassifier"


@dataclass(frozen=True)
class PytreesDL85Peer(PytreesPeer):
    """The DL8.5 of pytrees-rs."""

    name: ClassVar[str] = "pytrees-dl85"
    supports: ClassVar[frozenset[Need]] = UP_TO_TESTS
    binary: ClassVar[bool] = True
    method: str = "DL85Classifier"
