"""Datasets by name and from files."""

import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

import odt
from odt.data.files import from_frame, read_dataset
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


def test_parquet_of_too_many_cells_is_refused_unread(tmp_path, monkeypatch):
    """A value that repeats takes no room in a file, so its size says nothing."""
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1] * 6, "y": [0] * 6}).to_parquet(path)  # 6 rows, 2 columns: 12 cells
    monkeypatch.setattr("odt.data.columnar.MOST_CELLS", 12)
    assert read_dataset(path, "y").n_samples == 6
    monkeypatch.setattr("odt.data.columnar.MOST_CELLS", 11)
    with pytest.raises(odt.DataError, match="6 rows and 2 columns; at most 11 cells"):
        read_dataset(path, "y")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(odt.DataError, match="Cannot read"):
        read_dataset(path, "y")


@pytest.mark.parametrize("gap", ["", "?", " ?"])
def test_missing_values_are_named_dropped_or_kept_as_a_category(gap):
    """Empty fields and question marks are missing values, whatever the policy."""
    text = f"a,color,class\n1,red,x\n2,{gap},y\n3,blue,x\n"
    with pytest.raises(odt.DataError, match=r"1 columns \('color': 1\)"):
        read_dataset(io.StringIO(text))
    with pytest.warns(odt.DataWarning, match=r"1 of 3 rows .* left out \('color': 1\)"):
        assert read_dataset(io.StringIO(text), missing="drop").n_samples == 2
    kept = read_dataset(io.StringIO(text), missing="category")
    assert kept.schema.categories[1] == ("?", "blue", "red")


def test_gaps_in_the_target_stay_an_error():
    """What a gap among numbers means can be chosen; a missing label means nothing."""
    frame = pd.DataFrame({"a": [1.0, None], "class": [0, 1]})
    for missing in ("category", "learned"):
        assert from_frame(frame, missing=missing).has_gaps
    with pytest.raises(odt.DataError, match="'class': 1"):
        from_frame(frame.rename(columns={"a": "class", "class": "a"}), missing="learned")


def test_missing_categories_are_predicted_as_they_were_trained():
    """A gap, learnt as the category '?', goes to the class of the gaps, whatever stands for it."""
    text = "color,class\nred,x\n,y\nblue,x\n?,y\n"
    data = read_dataset(io.StringIO(text), missing="category")
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "dp").tree
    for gap in (None, float("nan"), pd.NA, "?"):
        rows = pd.DataFrame({"color": np.array(["red", gap, "blue"], dtype=object)})
        assert tree.predict(rows).tolist() == ["x", "y", "x"]
        assert tree.explain(rows[1:2]) == ("color == ?", "class y")


@pytest.mark.parametrize(
    "column",
    [pd.Series(pd.Categorical([1, None, 2])), pd.Series(["a", None, "b"]),
     pd.Series([1, None, 2.0]), pd.Series([True, None, False], dtype="boolean"),
     pd.Series([True, None, False])],
    ids=["categories", "text", "numbers", "booleans", "objects"],
)  # fmt: skip
def test_any_column_of_categories_can_have_a_category_for_gaps(column):
    """Text, booleans and pandas' own categories, and numbers that are listed as categories."""
    frame = pd.DataFrame({"c": column, "class": ["x", "y", "x"]})
    data = from_frame(frame, missing="category", categorical=["c"] if column.dtype == float else [])
    assert "?" in data.schema.categories[0]
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "dp").tree
    assert tree.predict(frame[["c"]]).tolist() == ["x", "y", "x"]


def test_missing_categories_without_a_branch_are_refused():
    """Training knew no gaps: no side of a test is right for one."""
    tree = odt.Tree.leaf(0).fitted(read_dataset(io.StringIO(CSV)))
    rows = pd.DataFrame({"a": [1], "color": [None], "w": [1]})
    with pytest.raises(odt.DataError, match="'color' holds 1 missing values"):
        tree.predict(rows)


def test_categories_never_seen_are_told_and_answer_no():
    """Green is neither blue nor red: the test 'color == blue' answers no, and a warning says so."""
    data = read_dataset(io.StringIO(CSV))
    by_color = odt.Tree.branch(
        odt.Test(1, categories=(0,)), odt.Tree.leaf(0), odt.Tree.leaf(1)
    ).fitted(data)
    rows = pd.DataFrame({"a": [1, 1], "color": ["blue", "green"], "w": [1, 1]})
    with pytest.warns(odt.DataWarning, match=r"never seen in training \('green'\)"):
        assert by_color.predict(rows).tolist() == ["no", "yes"]


def test_numbers_are_never_taken_for_text_categories():
    """The codes 1 and 2 read as text in training and as numbers in prediction match nothing."""
    frame = pd.DataFrame({"code": ["1", "2", "x"], "class": ["x", "y", "x"]})
    tree = odt.Tree.leaf(0).fitted(odt.Dataset.from_frame(frame, "class", categorical=["code"]))
    with pytest.raises(odt.DataError, match=r"'code' holds 1, but its categories .* such as '1'"):
        tree.predict(pd.DataFrame({"code": [1, 2]}))


def test_dropping_every_row_says_so():
    """Not 'X has no rows', which hides the reason."""
    with pytest.raises(odt.DataError, match=r"leaves no row: .* \('a': 2\)"):
        read_dataset(io.StringIO("a,b,class\n,1,x\n,2,y\n"), missing="drop")


HEADLESS = {
    "iris": "5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n7.0,3.2,4.7,1.4,versicolor\n",
    "a number once": "M,0.455,15\nF,0.53,9\nM,0.44,10\n",
    "numbers upwards": "0.2,0.5,1.4,a\n0.3,0.1,1.1,b\n0.1,0.2,0.9,a\n",
    "text": "yellow,small,T\nred,small,F\nyellow,large,F\nred,large,T\n",
}
NAMED = {
    "words": "a,b,class\n1,2,x\n2,1,y\n",
    "positions": "0,1,2,class\n0,1,2,x\n5,1,3,y\n",
    "years": "1999,2004,2019,class\n3,1,2,x\n5,1,3,y\n",
    "wavelengths": "400.5,401.5,class\n0.1,0.2,x\n0.3,0.4,y\n",
    "names of some values": "yes,no,class\nno,yes,x\nyes,yes,y\n",
}


@pytest.mark.parametrize("text", HEADLESS.values(), ids=HEADLESS)
def test_a_file_without_header_is_noticed(text):
    """The first row was lost; now it is refused, and read in full when that is what was meant."""
    with pytest.raises(odt.DataError, match=r"looks like data.*--no-header"):
        read_dataset(io.StringIO(text), "x0")
    last = f"x{text.splitlines()[0].count(',')}"
    assert read_dataset(io.StringIO(text), last, header=False).n_samples == text.count("\n")
    named = text.splitlines()[0].split(",")[-1]
    assert read_dataset(io.StringIO(text), named, header=True).n_samples == text.count("\n") - 1


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_unusual_headers_are_headers(text):
    """Positions, years and wavelengths are names too."""
    assert read_dataset(io.StringIO(text)).n_samples == text.count("\n") - 1


def test_repeated_names_are_refused(tmp_path):
    """The reader made '2.1' of the second '2', and --target 2 picked a feature."""
    text = "2,3,2,class\n1,1,0,x\n2,1,1,y\n"
    with pytest.raises(odt.DataError, match=r"names columns twice: 2\..*--no-header"):
        read_dataset(io.StringIO(text), "2")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,a,class\n1,2,x\n2,1,y\n"))
    with pytest.raises(odt.DataError, match="names columns twice: a"):
        read_dataset(tmp_path / "t.csv.gz")
    with pytest.raises(odt.DataError, match="column 2 has no name"):
        read_dataset(io.StringIO("a,,class\n1,2,x\n2,1,y\n"))
    with pytest.raises(odt.DataError, match="Repeated: a"):
        from_frame(pd.DataFrame([[1, 2, "x"]], columns=["a", "a", "class"]))


def test_header_options_belong_to_files():
    """A bundled set has names: the option would be ignored."""
    with pytest.raises(odt.DataError, match="its own names"):
        load_dataset("iris", header=False)


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
