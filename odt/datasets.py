"""Datasets by name: scikit-learn's bundled ones, files in ``ODT_DATA``, and OpenML."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from odt.data import bundled
from odt.data.dataset import Dataset
from odt.data.delimited import TextFormat
from odt.data.files import FileMissing, from_frame, read_dataset, read_frame
from odt.errors import DataError

BUNDLED = tuple(bundled.SOURCES)
"""UCI datasets that come with scikit-learn; no network is needed."""

VARIABLE = "ODT_DATA"
"""Environment variable with the folder of local files."""

OPENML = "openml:"
FORMAT_OPTIONS = tuple(option.name for option in fields(TextFormat))
_SUFFIXES = (".csv.gz", ".csv", ".parquet")
_NOT_DATA = ("reference", "minsize")  # folders of published results


def list_datasets() -> tuple[str, ...]:
    """Return the names that `load_dataset` knows without a network.

    Files in the folder ``ODT_DATA`` have the names of their path without suffix, such as
    ``"continuous/bank"``.
    """
    return (*BUNDLED, *sorted(_local_files()))


def load_dataset(name: str, **options: Any) -> Dataset:
    """Load a dataset by name.

    Parameters
    ----------
    name : str
        One of ``list_datasets()``; the last part of such a name where only one ends in it
        (``"bank"``); or ``"openml:credit-g"``, ``"openml:31"`` (name or number), which are
        fetched once and kept by scikit-learn.
    **options
        Those of `odt.data.files.read_dataset`; the bundled datasets have their own target and no
        weights, and only those that say how a text file is written make no sense for OpenML.

    Raises
    ------
    DataError
        If the name is unknown (the closest names are given) or ambiguous (all of them are
        given), or if OpenML cannot be reached.

    Examples
    --------
    >>> import odt
    >>> odt.datasets.load_dataset("iris")
    Dataset(150 examples, 4 features, 3 classes, 149 distinct rows)
    """
    if name.startswith(OPENML):
        return _from_openml(name.removeprefix(OPENML), options)
    if _bundled_name(name) in BUNDLED:
        return _bundled(_bundled_name(name), **options)
    return read_dataset(_find(name), **options)


def load_frame(name: str, form: TextFormat | None = None) -> Any:
    """Return a dataset as the table that it is read from, its labels in a column of their own.

    Parameters
    ----------
    name : str
        As for `load_dataset`; the label column of the bundled datasets is ``"class"``.
    form : TextFormat, optional
        Of a local file; found out by default.

    Returns
    -------
    DataFrame

    Raises
    ------
    DataError
        As for `load_dataset`.
    """
    import pandas as pd

    if name.startswith(OPENML):
        return _fetched(name.removeprefix(OPENML)).frame
    if (own := _bundled_name(name)) in BUNDLED:
        X, labels = bundled.read(own)
        return pd.DataFrame(X, columns=list(bundled.SOURCES[own].features)).assign(
            **{"class": labels}
        )
    return read_frame(_find(name), form)


def _bundled_name(name: str) -> str:
    return name.lower().replace("_", "-")


def _bundled(
    name: str,
    *,
    target: str | None = None,
    weight: str | None = None,
    missing: FileMissing = "error",
    drop: Iterable[str] = (),
    **options: Any,
) -> Dataset:
    if target or weight or _format_options(options):
        raise DataError(
            f"The bundled dataset {name!r} has its own names and target, and no weights."
        )
    X, labels = bundled.read(name)
    names, gone = bundled.SOURCES[name].features, set(drop)
    if gone - set(names):
        raise DataError(
            f"There is no column {min(gone - set(names))!r} to drop. Columns: {', '.join(names)}."
        )
    kept = [j for j, feature in enumerate(names) if feature not in gone]
    return Dataset(X[:, kept], labels, feature_names=[names[j] for j in kept], **options)


def _format_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of ``options`` those that say how a text file is written; return the given ones."""
    found = {name: options.pop(name, None) for name in FORMAT_OPTIONS}
    return {name: value for name, value in found.items() if value is not None}


def _local_files() -> dict[str, Path]:
    folder = os.environ.get(VARIABLE)
    if not folder:
        return {}
    root = Path(folder)
    if not root.is_dir():
        raise DataError(f"The variable {VARIABLE} names {folder!r}, which is no folder.")
    return {
        path.relative_to(root).as_posix().removesuffix(suffix): path
        for suffix in _SUFFIXES
        for path in root.rglob(f"*{suffix}")
        if path.parent.name not in _NOT_DATA
    }


def _find(name: str) -> Path:
    files = _local_files()
    matches = [full for full in files if full == name or full.endswith(f"/{name}")]
    if len(matches) > 1:
        raise DataError(f"{name!r} is ambiguous: choose one of {', '.join(sorted(matches))}.")
    if not matches:
        stems = {full.rpartition("/")[2]: full for full in files}
        close = difflib.get_close_matches(name, [*BUNDLED, *files, *stems], n=3)
        hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
        where = "" if files else f" Set {VARIABLE} to a folder of CSV files to find more."
        raise DataError(
            f"No dataset is called {name!r}.{hint} Bundled: {', '.join(BUNDLED)}.{where} "
            f"'{OPENML}NAME' fetches from OpenML."
        )
    return files[matches[0]]


def _from_openml(name: str, options: dict[str, Any]) -> Dataset:
    if given := _format_options(options):
        raise DataError(
            f"{OPENML}{name} is no text file: {', '.join(map(repr, given))} does not apply."
        )
    bunch = _fetched(name)
    target = options.pop("target", None) or bunch.target_names[0]
    return from_frame(bunch.frame, target, **options)


def _fetched(name: str) -> Any:
    from sklearn.datasets import fetch_openml

    which = {"data_id": int(name)} if name.isdigit() else {"name": name, "version": "active"}
    try:
        return fetch_openml(**which, as_frame=True, parser="auto", n_retries=0)
    except OSError as error:
        raise DataError(
            f"OpenML cannot be reached for {name!r} ({error}). It needs a network; without one use "
            f"{', '.join(BUNDLED)}, a file, or a folder named in {VARIABLE}."
        ) from None
    except ValueError as error:
        raise DataError(f"OpenML has no usable dataset {name!r}: {error}") from None
