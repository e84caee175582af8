"""odtlearn (``pip install odtlearn``): FlowOCT and BendersOCT, with CBC by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.peers.base import UP_TO_TESTS, Need, Peer


def fit(X: Any, y: Any, depth: int, seconds: int, method: str, backend: str) -> Any:
    from odtlearn.flow_oct import BendersOCT, FlowOCT

    kind = {"FlowOCT": FlowOCT, "BendersOCT": BendersOCT}[method]
    model = kind(solver=backend, depth=depth, time_limit=seconds, num_threads=1)
    return model.fit(X, y)


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    def record(node: int) -> dict[str, Any]:
        for label in model._labels:
            if model.w_value[node, label] > 0.5:
                return {"label": int(label)}
        feature = next(f for f in model._X_col_labels if model.b_value[node, f] > 0.5)
        yes, no = record(2 * node + 1), record(2 * node)
        return {"feature": list(model._X_col_labels).index(feature), "yes": yes, "no": no}

    errors = int((model.predict(X) != y).sum())
    return {"tree": record(1), "errors": errors, "proved": model.optim_gap < 1e-6}


@dataclass(frozen=True)
class OdtlearnPeer(Peer):
    """FlowOCT or BendersOCT of odtlearn.

    Parameters
    ----------
    method : {"FlowOCT", "BendersOCT"}
    backend : {"cbc", "gurobi"}
    """

    name: ClassVar[str] = "odtlearn"
    package: ClassVar[str] = "odtlearn.flow_oct"
    supports: ClassVar[frozenset[Need]] = UP_TO_TESTS
    binary: ClassVar[bool] = True
    fit = staticmethod(fit)
    read = staticmethod(read)
    method: str = "FlowOCT"
    backend: str = "cbc"
