"""ConTree (``pip install pycontree``): least error on numeric data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.peers.base import Peer


def fit(X: Any, y: Any, depth: int, seconds: int, stop: int | None) -> Any:
    import time

    from pycontree import ConTree

    seconds = min(seconds, stop or seconds)
    model = ConTree(max_depth=depth, time_limit=seconds)
    start = time.perf_counter()
    model.fit(X, y)
    return model, time.perf_counter() - start < seconds


def read(fitted: Any, X: Any, y: Any) -> dict[str, Any]:
    model, proved = fitted

    def record(node: Any) -> dict[str, Any]:
        if node.is_leaf_node():
            return {"label": int(node.get_label())}
        test = {"feature": node.get_split_feature(), "threshold": node.get_split_threshold()}
        return {**test, "yes": record(node.get_left()), "no": record(node.get_right())}

    errors = int((model.predict(X) != y).sum())
    return {"tree": record(model.get_tree()), "errors": errors, "proved": proved}


@dataclass(frozen=True)
class ConTreePeer(Peer):
    """ConTree; it does not say whether it came to its end, so that the clock tells.

    Parameters
    ----------
    stop : int, optional
        Seconds after which it is to stop, before the time limit of the run.
    """

    name: ClassVar[str] = "contree"
    package: ClassVar[str] = "pycontree"
    fit = staticmethod(fit)
    read = staticmethod(read)
    stop: int | None = None
