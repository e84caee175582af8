"""The data of published experiments: files of ``ODT_DATA``, split and encoded as papers did."""

from __future__ import annotations

import csv
import os
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import odt
from odt.datasets import VARIABLE
from odt.errors import DataError

STRONG_OCT_SEEDS = (41, 23, 45, 36, 19)
"""Random states of the published splits 1 to 5 of "Strong optimal classification trees"."""

OCT_SEEDS = (37, 42, 53)
"""Random states of the splits of the OCT benchmarks."""

FACTORIZED = ("car-evaluation", "breast-cancer", "house-votes-84")
ONE_HOT = {
    "hayes-roth": [0, 3],
    "soybean-small": [0, 5, 8, 12, 13, 14, 17, 20, 21, 23, 25, 27, 28, 34],
    "tic-tac-toe": list(range(8)),
}


def folder() -> Path:
    """Return the folder of data.

    Raises
    ------
    DataError
        If ``ODT_DATA`` does not name one.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        raise DataError(f"This benchmark needs the folder of data: set {VARIABLE} to it.")
    return Path(named)


def published(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a file of published results, such as ``"reference/dpdt.csv"``."""
    return _rows(folder() / name)


@cache
def _rows(path: Path) -> tuple[dict[str, str], ...]:
    with path.open() as lines:
        return tuple(csv.DictReader(lines))


def strong_oct_half(name: str, sample: int) -> odt.Dataset:
    """Return the training rows of a split: half of the set, drawn as the authors' code does."""
    if name.startswith("monk"):
        raw = pd.read_csv(folder() / f"categorical/monks-{name[-1]}_train.csv.gz")
        features = pd.get_dummies(raw.drop(columns="class").astype(str)).astype(int)
        frame = pd.concat([features, raw["class"]], axis=1)
    else:
        frame = pd.read_csv(folder() / f"categorical/{name}_onehot.csv.gz")
    seed = STRONG_OCT_SEEDS[sample - 1]
    three_quarters, _ = train_test_split(frame, test_size=0.25, random_state=seed)
    half, _ = train_test_split(three_quarters, test_size=0.33, random_state=seed)
    return odt.Dataset.from_frame(half, "class")


def oct_half(name: str, space: str, seed: int) -> odt.Dataset:
    """Return half of a set of the OCT benchmarks, as integer codes or one-hot columns."""
    if name.startswith("monks"):
        parts = [folder() / f"categorical/{name}_{part}.csv.gz" for part in ("train", "test")]
        frame = pd.concat([pd.read_csv(part) for part in parts])
        y = frame.pop("class").to_numpy()
        X = pd.get_dummies(frame.astype(str)).to_numpy(dtype=float)
    else:
        X, y = oct_features(name)
    if space == "one-hot":
        X = pd.get_dummies(pd.DataFrame(X).astype(str)).to_numpy(dtype=float)
    half, _, labels, _ = train_test_split(X, y, test_size=0.5, random_state=seed)
    return odt.Dataset(half, labels)


def oct_table4_half(name: str, seed: int) -> odt.Dataset:
    """Return the training half of a split of the DPDT paper's Table 4."""
    X, y = oct_features(name)
    half, _, labels, _ = train_test_split(X, y, test_size=0.5, random_state=seed)
    return odt.Dataset(half, labels)


def oct_features(name: str) -> tuple[Any, Any]:
    """Return features as the DPDT paper's figures of the OCT benchmarks imply, and labels."""
    frame = pd.read_csv(folder() / f"categorical/{name}.csv.gz")
    y = frame.pop("class")
    if name in FACTORIZED:
        complete = ~(frame.astype(str) == "?").any(axis=1)
        if name == "car-evaluation":
            complete[:] = True
        frame, y = frame[complete], y[complete]
        frame = frame.apply(lambda column: pd.factorize(column)[0])
    elif name in ONE_HOT:
        chosen = [frame.columns[i] for i in ONE_HOT[name]]
        if name == "tic-tac-toe":
            frame = frame[chosen]  # the ninth square is left out
        frame = pd.get_dummies(frame, columns=chosen)
    return frame.to_numpy(dtype=float), y.to_numpy()


def ser_dt_split(name: str, seed: int) -> tuple[odt.Dataset, odt.Dataset]:
    """Return a split of a set of SER-DT's paper, 70 % to train; gaps become the median."""
    X, y = _ser_dt_set(name)
    X1, X2, y1, y2 = train_test_split(X, y, random_state=seed, train_size=0.7)
    return odt.Dataset(X1, y1), odt.Dataset(X2, y2)


def ser_dt_whole(name: str) -> odt.Dataset:
    """Return a set of SER-DT's paper."""
    return odt.Dataset(*_ser_dt_set(name))


def _ser_dt_set(name: str) -> tuple[Any, Any]:
    """Return the features and labels of a set of SER-DT's paper, in the order of its splits."""
    frame = pd.read_csv(folder() / f"serdt/{name}.csv.gz")
    X = frame.drop(columns="class")
    return X.fillna(X.median()).to_numpy(dtype=float), frame["class"].to_numpy()


def witty_instance(name: str) -> odt.Dataset:
    """Return an instance of the Witty benchmark: one row a line, label first."""
    with zipfile.ZipFile(folder() / "minsize" / "instances.zip") as archive:
        text = archive.read(f"{name}.txt").decode()
    table = np.array([line.split() for line in text.splitlines()], dtype=np.float64)
    return odt.Dataset(table[:, 1:], table[:, 0].astype(int))


def normal() -> odt.Dataset:
    """Return 20,000 rows of 30 normal numbers and a noisy rule."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 30))
    return odt.Dataset(X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0)


def mixed() -> odt.Dataset:
    """Return a table of the shape of the census data "adult": 32,561 rows, 6 numbers, 7 texts."""
    rng, n = np.random.default_rng(0), 32_561
    age, sampling, education = (
        rng.integers(low, high, n) for low, high in ((17, 91), (12_000, 1_500_000), (1, 17))
    )
    gain, loss = (
        np.where(rng.random(n) < share, rng.choice(rng.integers(100, high, n_values), n), 0)
        for share, high, n_values in ((0.08, 99_999, 118), (0.05, 4_400, 91))
    )
    hours = rng.integers(1, 100, n)
    texts = [rng.integers(0, n_values, n) for n_values in (9, 7, 15, 6, 5, 2, 42)]
    score = 0.4 * (education - 9) + 0.03 * (age - 38) + 4 * (gain > 5000) + 1.8 * (texts[1] == 2)
    y = score + 0.01 * (hours - 40) - 1.9 + rng.logistic(size=n) > 0
    X = np.column_stack([age, sampling, education, gain, loss, hours, *texts])
    return odt.Dataset(X, y, categorical=range(6, 13))
