"""Equal rows of different class: what to tell, and two ways to get rid of them."""

from __future__ import annotations

from typing import Literal

from odt.data.dataset import Dataset
from odt.errors import DataError, ProblemError
from odt.model.conflicts import conflict_message
from odt.model.problem import Problem


def check_consistent(problem: Problem) -> None:
    """Do nothing if some tree classifies all examples correctly.

    Raises
    ------
    DataError
        Lists the rows that contradict each other, and the ways out.
    """
    message = conflict_message(problem)
    if message is not None:
        raise DataError(message)


def resolve(dataset: Dataset, how: Literal["majority", "drop"]) -> Dataset:
    """Return the data without contradictions between equal rows.

    Parameters
    ----------
    dataset : Dataset
    how : {"majority", "drop"}
        Of equal rows with different labels, keep those of the label with most weight (the first
        of tied ones), or none.

    Raises
    ------
    ProblemError
        For any other value of ``how``.
    DataError
        If nothing is left.
    """
    if how not in ("majority", "drop"):
        raise ProblemError(f"'how' must be 'majority' or 'drop'. Got {how!r} instead.")
    merged = dataset.merged
    mixed = (merged.weights > 0).sum(axis=1) > 1
    best = merged.weights.argmax(axis=1)
    keep = dataset.y == best[merged.row_of]
    if how == "drop":
        keep &= ~mixed[merged.row_of]
    if not keep.any():
        raise DataError("Every row contradicts an equal one: dropping them leaves no data.")
    schema = dataset.schema
    return Dataset(
        schema.values(dataset.X[keep]),
        [schema.classes[c] for c in dataset.y[keep]],
        dataset.sample_weight[keep],
        feature_names=dataset.feature_names,
        categorical=[f for f, kind in enumerate(dataset.kinds) if kind == "categorical"],
        test_costs=dataset.test_costs,
        missing=dataset.missing,
    )
