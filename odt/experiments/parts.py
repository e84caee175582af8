"""Training and test parts of a dataset, and digests of data."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from odt.data.dataset import Dataset
from odt.errors import DataError


@dataclass(frozen=True)
class Part:
    """A fold of a cross-validation, or one of several random splits; classes in proportion.

    Attributes
    ----------
    index : int
        From 0.
    of : int
        How many there are.
    test_size : float or None
        Share of the test part of a random split; None for a fold.
    seed : int
        Of the shuffling.
    """

    index: int
    of: int
    test_size: float | None = None
    seed: int = 0

    @property
    def definition(self) -> list[Any]:
        """What tells it apart."""
        return [self.index, self.of if self.test_size is None else self.test_size, self.seed]

    def __str__(self) -> str:
        kind = "fold" if self.test_size is None else "split"
        return f"{kind} {self.index + 1}/{self.of}"

    def of_data(self, data: Dataset) -> tuple[Dataset, Dataset]:
        """Return training and test part.

        Raises
        ------
        DataError
            If the data are too few for it.
        """
        from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

        if self.test_size is None:
            splitter = StratifiedKFold(self.of, shuffle=True, random_state=self.seed)
        else:  # each split has a generator of its own: more of them leave the first as they are
            splitter = StratifiedShuffleSplit(
                1, test_size=self.test_size, random_state=self.seed * 1_000_003 + self.index
            )
        try:
            pairs = list(splitter.split(data.X, data.y))
        except ValueError as error:
            raise DataError(f"The data cannot be divided into {self}: {error}") from None
        train, test = pairs[self.index if self.test_size is None else 0]
        return data.take(train), data.take(test)


def content(data: Dataset) -> str:
    """Return a digest of everything that a dataset says."""
    digest = hashlib.sha256()
    for array in (data.X + 0.0, data.y, data.sample_weight, data.test_costs):
        digest.update(repr((array.shape, array.dtype.str)).encode())
        digest.update(array.tobytes())
    schema = data.schema
    names = (schema.feature_names, schema.kinds, schema.categories, schema.classes, data.missing)
    digest.update(json.dumps(names, default=str).encode())
    return digest.hexdigest()[:16]
