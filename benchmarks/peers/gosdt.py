"""GOSDT (``pip install gosdt``): its price of a leaf is too small to change the least error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import odt
from benchmarks.peers.base import UP_TO_TESTS, Need, Peer
from odt.convert.peers import from_gosdt


def fit(X: Any, y: Any, depth: int, seconds: int) -> Any:
    from gosdt import GOSDTClassifier

    price = 0.5 / len(y) / 2**depth  # all leaves together cost less than one error
    model = GOSDTClassifier(
        regularization=price, allow_small_reg=True, depth_budget=depth, time_limit=seconds
    )
    model.fit(X, y)
    return model


def read(model: Any, X: Any, y: Any) -> dict[str, Any]:
    result = model.result_
    proved = str(result.status).endswith("CONVERGED")
    errors = round(result.model_loss * len(y))
    return {"tree": result.model, "errors": errors, "proved": proved}


@dataclass(frozen=True)
class GOSDTPeer(Peer):
    """GOSDT."""

    name: ClassVar[str] = "gosdt"
    package: ClassVar[str] = "gosdt"
    supports: ClassVar[frozenset[Need]] = UP_TO_TESTS
    binary: ClassVar[bool] = True
    fit = staticmethod(fit)
    read = staticmethod(read)

    def imported(self, claim: Mapping[str, Any], problem: odt.Problem) -> odt.Tree:
        """Return the tree of its JSON text."""
        data = problem.dataset
        classes = [data.classes[code] for code in sorted(set(data.y.tolist()))]
        columns = list(problem.candidate_tests)
        return from_gosdt(claim["tree"], data, columns=columns, classes=classes)
