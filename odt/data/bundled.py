"""The UCI datasets in scikit-learn's package, read without importing it.

Importing ``sklearn.datasets`` takes about a second, more than a small problem takes to solve.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.errors import MissingDependencyError

_CELL = ("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
         "concave points", "symmetry", "fractal dimension")  # fmt: skip


class Source(NamedTuple):
    """A file of numbers whose last column is the class code.

    Attributes
    ----------
    file : str
    features, classes : tuple
        Names, in order.
    header : bool
        Whether the first line is something else.
    """

    file: str
    features: tuple[str, ...]
    classes: tuple[Any, ...]
    header: bool = True


SOURCES = {
    "iris": Source(
        "iris.csv",
        ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"),
        ("setosa", "versicolor", "virginica"),
    ),
    "wine": Source(
        "wine_data.csv",
        ("alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols",
         "flavanoids", "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue",
         "od280/od315_of_diluted_wines", "proline"),
        ("class_0", "class_1", "class_2"),
    ),
    "breast-cancer": Source(
        "breast_cancer.csv",
        tuple(
            f"{name} error" if kind == "error" else f"{kind} {name}"
            for kind, name in product(("mean", "error", "worst"), _CELL)
        ),
        ("malignant", "benign"),
    ),
    "digits": Source(
        "digits.csv.gz",
        tuple(f"pixel_{row}_{column}" for row, column in product(range(8), range(8))),
        tuple(range(10)),
        header=False,
    ),
}  # fmt: skip
"""The datasets by name."""


@cache
def read(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return features, shape (n, p), and labels, shape (n,), of a bundled dataset.

    Parameters
    ----------
    name : str
        A key of `SOURCES`.

    Raises
    ------
    MissingDependencyError
        If scikit-learn is not installed.
    """
    found = importlib.util.find_spec("sklearn")
    if found is None or not found.submodule_search_locations:
        raise MissingDependencyError(
            f"The dataset {name!r} comes with scikit-learn, which is not installed: "
            "pip install scikit-learn."
        )
    source = SOURCES[name]
    path = Path(found.submodule_search_locations[0], "datasets", "data", source.file)
    table = np.loadtxt(path, delimiter=",", skiprows=int(source.header))
    return table[:, :-1], np.array(source.classes)[table[:, -1].astype(int)]
