"""From a result to a proof of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from odt.core.solver import Status
from odt.errors import InconsistentSolutionError, ProofError, Stopped
from odt.model.capability import Capability, Need
from odt.model.measure import Measure
from odt.model.problem import Problem
from odt.proof.checker import Verdict, check_bytes

if TYPE_CHECKING:
    from odt.core.result import Result
    from odt.proof.search import Search
    from odt.proof.write import Case

UNCOVERED: frozenset[Need] = frozenset(
    {
        Measure.SQUARED_ERROR,
        Capability.POSITIONS,
        Capability.CLASS_ERROR,
        Capability.FEATURE_BUDGET,
    }
)
"""What the format cannot state."""
LEFT_OUT = frozenset({Capability.MAX_NODES, Capability.MAX_ERROR, Capability.MAX_FEATURES})
"""Limits on the whole tree: the bounds of a proof hold for trees that break them too."""


@dataclass(frozen=True)
class Proof:
    """A proof in the format of docs/proofs.md.

    Attributes
    ----------
    content : bytes
        The compressed text.
    """

    content: bytes

    @property
    def text(self) -> str:
        """The text as it is before compression."""
        import gzip

        return gzip.decompress(self.content).decode("ascii")

    def save(self, path: str | Path) -> None:
        """Write the proof to a file, which `odt.proof.check` and ``odt check`` read."""
        Path(path).write_bytes(self.content)

    def check(self, dataset: Any = None) -> Verdict:
        """Check the proof; see `odt.proof.check`."""
        return check_bytes(self.content, dataset)


def certify(result: Result, *, bound: int | None = None, time_limit: float | None = None) -> Proof:
    """Return a proof of a result, found by a search that has its cost as cutoff.

    Parameters
    ----------
    result : Result
        Of any solver.
    bound : int, optional
        The lower bound to prove, in the integers of ``problem.costs``. By default that of the
        result; where its solver proved none, the cost of its tree.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    Proof
        The checker has accepted it.

    Raises
    ------
    ProofError
        For limits that are not covered, a bound that does not hold without the limits on the
        whole tree, and where the time does not suffice.
    InconsistentSolutionError
        If the bound is wrong: a tree within the limits costs less.
    """
    problem = result.problem
    uncovered = sorted(need.value for need in problem.needs & UNCOVERED)
    if uncovered:
        raise ProofError(
            f"Proofs do not cover {', '.join(uncovered)}. See docs/proofs.md for what they cover."
        )
    from odt.proof.instance import Instance
    from odt.proof.search import Search
    from odt.proof.write import content

    instance = Instance(problem)
    claim = _claim(result, bound, instance.infinite)
    deadline = None if time_limit is None else time.perf_counter() + time_limit
    search = Search(instance, lambda: deadline is not None and time.perf_counter() > deadline)
    try:
        cases = _settle(problem, search, claim)
    except Stopped:
        raise ProofError(
            f"There is no proof after {time_limit:g} seconds: allow more time, or ask for a lower "
            "bound."
        ) from None
    proof = Proof(content(problem, result.tree, claim, search, cases))
    proof.check(problem.dataset)
    return proof


def _claim(result: Result, bound: int | None, infinite: int) -> int:
    if bound is not None:
        return bound
    if result.status is Status.INFEASIBLE:
        return infinite
    claim = result.cost if result.cost_bound is None else result.cost_bound
    if claim is None:
        raise ProofError("There is neither a tree nor a bound to prove: the status is unknown.")
    return claim


def _settle(problem: Problem, search: Search, claim: int) -> list[Case]:
    """Prove the claim for every depth and worst explanation that costs something."""
    from odt.proof.search import Key

    instance, prices = search.instance, problem.costs.prices
    everything = np.arange(instance.codes.shape[1], dtype=np.int32).tobytes()
    depths = range(instance.depth + 1) if prices.depth else [instance.depth]
    n_features = len(set(instance.features))
    widths: Any = range(min(instance.depth, n_features) + 1) if prices.worst else [None]
    cases: list[Case] = []
    for depth in depths:
        for width in widths:
            surcharge = prices.depth * depth + prices.worst * (width or 0)
            new = instance.any_features if width is None else width
            key = Key(everything, depth, 0, new)
            wanted = min(claim - surcharge, instance.infinite)
            found = search.prove(key, wanted)
            if found.bound < wanted:
                _refute(problem, found.bound + surcharge, claim)
            cases.append((depth, width, key))
    return cases


def _refute(problem: Problem, cost: int, claim: int) -> None:
    left_out = sorted(need.value for need in problem.needs & LEFT_OUT)
    if left_out:
        raise ProofError(
            f"A proof leaves out {', '.join(left_out)}, and without that a tree costs {cost}: "
            f"nothing above it can be proved. The bound of the result is {claim}."
        )
    raise InconsistentSolutionError(
        f"The bound {claim} is wrong: a tree within the limits costs {cost}."
    )
