"""scikit-learn's CART, as a yardstick of speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.peers.base import Peer


def fit(X: Any, y: Any, depth: int, seconds: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    tree = model.tree_

    def record(node: int) -> dict[str, Any]:
        if tree.children_left[node] < 0:
            return {"label": int(model.classes_[tree.value[node][0].argmax()])}
        test = {"feature": int(tree.feature[node]), "threshold": float(tree.threshold[node])}
        left, right = record(tree.children_left[node]), record(tree.children_right[node])
        return {**test, "yes": left, "no": right}

    return {"tree": record(0), "errors": int((model.predict(X) != y).sum()), "proved": False}


@dataclass(frozen=True)
class SklearnPeer(Peer):
    """CART of scikit-learn; any Python with it will do, this one too."""

    name: ClassVar[str] = "scikit-learn"
    package: ClassVar[str] = "sklearn.tree"
    exact: ClassVar[bool] = False
    fit = staticmethod(fit)
    read = staticmethod(read)
