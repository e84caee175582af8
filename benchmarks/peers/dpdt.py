"""The public DPDT package (github.com/KohlerHECTOR/DPDTreeEstimator): a heuristic, no proofs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.peers.base import Peer


def fit(X: Any, y: Any, depth: int, seconds: int, leaves: tuple[int, ...]) -> Any:
    from dpdt import DPDTreeClassifier

    model = DPDTreeClassifier(max_depth=depth, max_nb_trees=1, cart_nodes_list=leaves)
    return model.fit(X, y)


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    p = X.shape[1]
    root = [*(X.min(axis=0) - 1e-3).tolist(), *(X.max(axis=0) + 1e-3).tolist()]

    def record(state: list[float], depth: int) -> dict[str, Any]:
        action = model._trees[(*state, depth)][-1]  # keyed by the box of a node and its depth
        if not isinstance(action, tuple):
            return {"label": int(action)}
        feature, threshold = action
        low, high = list(state), list(state)
        low[p + feature] = high[feature] = float(threshold)
        sides = {"yes": record(low, depth + 1), "no": record(high, depth + 1)}
        return {"feature": int(feature), "threshold": float(threshold), **sides}

    errors = int((model.predict(X) != y).sum())
    return {"tree": record(root, 0), "errors": errors, "proved": False}


@dataclass(frozen=True)
class DPDTPeer(Peer):
    """The package of the paper's authors.

    Parameters
    ----------
    leaves : tuple of int
        Leaves of the CART tree that proposes tests at each depth.
    """

    name: ClassVar[str] = "public-dpdt"
    package: ClassVar[str] = "dpdt"
    exact: ClassVar[bool] = False
    fit = staticmethod(fit)
    read = staticmethod(read)
    leaves: tuple[int, ...] = (16, 16, 16)
