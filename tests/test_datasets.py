"""Datasets by name and from files."""

import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

import odt
from odt.data.files import read_dataset
from odt.datasets import BUNDLED, list_datasets, load_dataset

CSV = "a,color,w,class\n1,red,1,yes\n2,blue,2,no\n3,red,0.5,yes\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of local files, made known as ODT_DATA."""
    for name in ("one/small.csv", "two/small.csv", "two/other.csv", "reference/results.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(CSV)
    (tmp_path / "one" / "packed.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    monkeypatch.setenv("ODT_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "shape"),
    [("iris", (150, 4, 3)), ("wine", (178, 13, 3)), ("breast-cancer", (569, 30, 2)),
     ("digits", (1797, 64, 10)), ("breast_cancer", (569, 30, 2))],
)  # fmt: skip
def test_bundled_datasets_load_without_network(name, shape):
    """The four UCI sets of scikit-learn have their known sizes; underscores are accepted."""
    data = load_dataset(name)
    assert (data.n_samples, data.n_features, data.n_classes) == shape


def test_bundled_labels_and_names_are_the_readable_ones():
    """Trees print flower names, not numbers."""
    data = load_dataset("iris")
    assert data.classes == ("setosa", "versicolor", "virginica")
    assert data.feature_names[3] == "petal width (cm)"


def test_feature_names_may_be_an_array():
    """scikit-learn hands over names as an array, whose truth value is ambiguous."""
    data = odt.Dataset([[1.0, 2.0]], ["a"], feature_names=np.array(["u", "v"]))
    assert data.feature_names == ("u", "v")


def test_local_files_are_listed_and_found_by_their_last_part(folder):
    """A full name, a unique stem and a packed file all load; result folders are not listed."""
    assert set(list_datasets()) == {*BUNDLED, "one/small", "two/small", "two/other", "one/packed"}
    for name in ("two/small", "other", "packed"):
        assert load_dataset(name, weight="w").n_samples == 3


def test_ambiguous_stem_lists_the_choices(folder):
    """Two folders hold 'small': the user must say which."""
    with pytest.raises(odt.DataError, match="one/small, two/small"):
        load_dataset("small")


def test_unknown_name_suggests_close_ones(folder):
    """A typo gets the names nearest to it and never goes to the network."""
    with pytest.raises(odt.DataError, match="Did you mean 'packed'"):
        load_dataset("paked")
    with pytest.raises(odt.DataError, match="Did you mean 'iris'"):
        load_dataset("irsi")


def test_openml_without_network_is_a_clear_error(monkeypatch):
    """Where OpenML cannot be reached, the message says so and what works instead."""
    import sklearn.datasets

    def unreachable(**_):
        raise OSError("no route")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(odt.DataError, match="OpenML cannot be reached"):
        load_dataset("openml:credit-g")


def test_openml_frame_becomes_a_dataset(monkeypatch):
    """Name or number reach scikit-learn as such; the set's own target is the default."""
    import sklearn.datasets
    from sklearn.utils import Bunch

    asked = []

    def fetch(**options):
        asked.append(options)
        return Bunch(frame=pd.read_csv(io.StringIO(CSV)), target_names=["class"])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    assert load_dataset("openml:31", weight="w").classes == ("no", "yes")
    assert load_dataset("openml:toy", target="color").classes == ("blue", "red")
    assert asked[0]["data_id"] == 31
    assert asked[1]["name"] == "toy"


def test_weights_and_categories_come_from_columns():
    """The weight column is not a feature; text is categorical, and numbers are when asked."""
    data = read_dataset(io.StringIO(CSV), "class", weight="w", categorical=["a"])
    assert data.feature_names == ("a", "color")
    assert data.kinds == ("categorical", "categorical")
    assert data.weights.tolist() == [2, 4, 1]


def test_csv_numbers_are_read_exactly(tmp_path):
    """Thresholds rest on exact floats: what was written reads back to the last bit."""
    values = [0.1 + 0.2, 1 / 3, 1e-300, 123456.789012345678]
    values += np.random.default_rng(0).normal(size=996).tolist()
    pd.DataFrame({"x": values, "class": list("ab") * 500}).to_csv(tmp_path / "t.csv", index=False)
    assert read_dataset(tmp_path / "t.csv").X[:, 0].tolist() == values


def test_parquet_gives_the_same_dataset(tmp_path):
    """CSV and Parquet of one frame agree."""
    pytest.importorskip("pyarrow")
    pd.read_csv(io.StringIO(CSV)).to_parquet(tmp_path / "t.parquet")
    data = read_dataset(tmp_path / "t.parquet")
    assert data.schema == read_dataset(io.StringIO(CSV)).schema


@pytest.mark.parametrize("gap", ["", "?", " ?"])
def test_missing_values_are_named_dropped_or_kept_as_a_category(gap):
    """Empty fields and question marks are missing values, whatever the policy."""
    text = f"a,color,class\n1,red,x\n2,{gap},y\n3,blue,x\n"
    with pytest.raises(odt.DataError, match=r"1 columns \('color': 1\)"):
        read_dataset(io.StringIO(text))
    assert read_dataset(io.StringIO(text), missing="drop").n_samples == 2
    kept = read_dataset(io.StringIO(text), missing="category")
    assert kept.schema.categories[1] == ("?", "blue", "red")


def test_missing_numbers_cannot_become_a_category():
    """A gap in a numeric column stays an error."""
    with pytest.raises(odt.DataError, match="'a': 1"):
        read_dataset(io.StringIO("a,class\n,x\n2,y\n"), missing="category")


def test_target_must_be_named_when_there_is_no_class_column():
    """The default target is 'class'; otherwise the columns are listed."""
    with pytest.raises(odt.DataError, match="Columns: a, b"):
        read_dataset(io.StringIO("a,b\n1,x\n"))


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "shape"),
    [("bank", (1372, 4, 2)), ("categorical/monks-1_train", (124, 6, 2)),
     ("cardiotocography", (2126, 20, 10)), ("continuous/segment", (2310, 18, 7))],
)  # fmt: skip
def test_shared_files_have_their_documented_sizes(name, shape):
    """The benchmark files are found under the names that the guide uses."""
    data = load_dataset(name)
    assert (data.n_samples, data.n_features, data.n_classes) == shape


@pytest.mark.parametrize("name", odt.datasets.BUNDLED)
def test_bundled_data_are_what_scikit_learn_loads(name):
    """We read its files without importing it: values, labels and names must be the same."""
    bunch = getattr(sklearn.datasets, f"load_{name.replace('-', '_')}")()
    data = odt.datasets.load_dataset(name)
    assert (bunch.data == data.X).all()
    assert data.feature_names == tuple(bunch.feature_names)
    labels = np.asarray(bunch.target_names)[bunch.target].tolist()
    assert [data.classes[code] for code in data.y] == labels
