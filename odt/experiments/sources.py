"""The data of an experiment: names, files, training with test files, datasets in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from odt.data.dataset import Dataset
from odt.data.files import read_dataset
from odt.datasets import load_dataset
from odt.errors import DataError, OdtError, ProblemError
from odt.experiments.parts import content
from odt.experiments.trial import Source

Pair = tuple[Dataset, Dataset | None]
"""Training data and, where a set has them, its own test data."""


def source_of(label: str | None, item: Any) -> Source:
    """Return where an item of a grid's data comes from.

    Raises
    ------
    ProblemError
        If it is none of what `odt.Grid` takes.
    """
    held = item if isinstance(item, tuple | list) else (item,)
    if all(isinstance(one, Dataset) for one in held) and 1 <= len(held) <= 2:
        if label is None:
            raise ProblemError("Datasets need labels: give data as a mapping of label to Dataset.")
        return Source(label, "", held=held[0], held_test=held[1] if len(held) == 2 else None)
    if isinstance(item, str | Path):
        return Source(label or str(item), str(item))
    if not isinstance(item, Mapping) or "name" not in item:
        raise ProblemError(
            "Data are a name, a Dataset, a pair of Datasets (training and test) or a mapping with "
            f"a name. Got {item!r}."
        )
    options = {k: value for k, value in item.items() if k not in ("name", "label", "test")}
    refuse_unreadable(f"options of the data {item['name']!r}", options)
    name = str(item["name"])
    return Source(label or item.get("label", name), name, options, test=str(item.get("test", "")))


def beside(folder: Path, item: Any) -> Any:
    """Return an item of a grid's data with files that stand in a folder in place of their names."""
    known = dict(item) if isinstance(item, Mapping) else {"name": item}
    found = {
        key: str((folder / known[key]).resolve())
        for key in ("name", "test")
        if isinstance(known.get(key), str) and (folder / known[key]).is_file()
    }
    return {"label": known.get("name"), **known, **found} if found else item


def load(source: Source) -> Pair:
    """Load the data of a source.

    Raises
    ------
    DataError
        If they are not there, not what they were when the experiment began, or the test data have
        other features.
    """
    if source.held is not None:
        data, test = source.held, source.held_test
    else:
        data = _read(source.name, source.options)
        test = _read(source.test, source.options) if source.test else None
    if test is not None and test.feature_names != data.feature_names:
        raise DataError(
            f"The test data of {source.label!r} have the features "
            f"{', '.join(test.feature_names)}; the training data {', '.join(data.feature_names)}."
        )
    if source.content and _digest(data, test) != source.content:
        raise DataError(f"The data {source.label!r} are not what they were at the start.")
    return data, test


def with_content(source: Source, pair: Pair) -> Source:
    """Return a source that knows what its data were."""
    return replace(source, content=_digest(*pair))


def refuse_unreadable(what: str, options: Mapping[str, Any]) -> None:
    """Refuse options that cannot be written down.

    Raises
    ------
    OdtError
    """
    try:
        json.dumps(options)
    except (TypeError, ValueError) as error:
        raise OdtError(f"The {what} must be numbers, text and lists of these: {error}.") from None


def _read(name: str, options: Mapping[str, Any]) -> Dataset:
    if Path(name).is_file():
        return read_dataset(name, **options)
    return load_dataset(name, **options)


def _digest(data: Dataset, test: Dataset | None) -> str:
    return content(data) + ("" if test is None else content(test))
