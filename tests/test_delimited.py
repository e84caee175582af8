"""Text files as people have them: separators, encodings, decimal commas, gaps, row names."""

import gzip
import io
import random
import warnings

import numpy as np
import pandas as pd
import pytest

import odt
from odt.data.delimited import BLANKS, TextFormat, sniff
from odt.data.files import read_dataset, read_frame

ROWS = [("x", "kind", "class"), ("1", "red", "a"), ("2", "blue", "b"), ("3", "red", "a")]


def text(separator: str) -> str:
    """The rows with a separator."""
    return "".join(separator.join(row) + "\n" for row in ROWS)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("told", [False, True])
def test_separator_is_found_or_told(separator, told):
    """One table, six ways to write it."""
    named = {"\t": "tab", " ": "space", "   ": "space"}.get(separator, separator)
    form = {"separator": named} if told else {}
    data = read_dataset(io.StringIO(text(separator)), **form)
    assert data.feature_names == ("x", "kind")
    assert data.X[:, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("lines", "separator"),
    [
        ("a;b\n1,5;2,5\n", ";"),  # decimal commas split evenly too
        ('a,b\n"x;y",2\n"z;w",3\n', ","),  # a semicolon inside quotes
        ("full name,b\nAnna Berg,2\n", ","),
        ("a\n1\n2\n", ","),
        ("a,b\n1,2\n1,2,3\n", ","),
        ("  a b\n 1  2\n", BLANKS),
        ("", ","),
    ],
)
def test_sniffing_takes_what_splits_all_lines_alike(lines, separator):
    """Quotes, blanks in text, decimal commas, one column, uneven rows."""
    assert sniff(lines) == separator


def test_decimal_commas_are_numbers_to_the_last_bit():
    """Guessed with a warning, told without; whole numbers among them are fine."""
    rows = "x;class\n0,30000000000000004;a\n2;b\n-1,5e3;a\n"
    with pytest.warns(odt.DataWarning, match="decimal marks in 'x'"):
        guessed = read_dataset(io.StringIO(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = read_dataset(io.StringIO(rows), decimal=",")
        kept = read_dataset(io.StringIO(rows), decimal=".")
    assert guessed.X[:, 0].tolist() == told.X[:, 0].tolist() == [0.30000000000000004, 2, -1500]
    assert kept.kinds == ("categorical",)


def test_commas_that_may_separate_thousands_are_not_guessed():
    """1,234 is one thousand to some and one and a bit to others: the user must say."""
    rows = 'x,class\n"1,234",a\n"2,500",b\n'
    with pytest.raises(odt.DataError, match="thousands"):
        read_dataset(io.StringIO(rows))
    assert read_dataset(io.StringIO(rows), decimal=",").X[:, 0].tolist() == [1.234, 2.5]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding, tmp_path):
    """Marks are honoured and not part of a name; Latin-1 is a guess that is said aloud."""
    path = tmp_path / "t.csv"
    path.write_bytes("größe,class\n1,ja\n2,nein\n".encode(encoding))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        data = read_dataset(path)
    assert data.feature_names == ("größe",)
    assert ["Latin-1" in str(w.message) for w in told] == [True] * (encoding == "latin-1")
    named = {} if encoding == "utf-8-sig" else {"encoding": encoding}
    assert read_dataset(path, **named).feature_names == ("größe",)
    if encoding == "latin-1":
        with pytest.raises(odt.DataError, match="not in utf-8"):
            read_dataset(path, encoding="utf-8")


@pytest.mark.parametrize("gap", ["", "?", "N/A", "NA", "nan", "NULL", "  ", " ?"])
def test_what_stands_for_a_missing_value(gap):
    """An explicit list; a list of one's own replaces it."""
    rows = f"x,kind,class\n1,red,a\n2,{gap},b\n3,blue,a\n"
    with pytest.raises(odt.DataError, match="'kind': 1"):
        read_dataset(io.StringIO(rows))
    own = rows.replace(f"2,{gap}", "2,-9")
    assert read_dataset(io.StringIO(own)).schema.categories[1] == ("-9", "blue", "red")
    with pytest.raises(odt.DataError, match="'kind': 1"):
        read_dataset(io.StringIO(own), na_values=["-9"])


def test_columns_are_dropped_and_row_numbers_noticed():
    """A number of the row would be a feature: it is named, and left out on request."""
    frame = pd.DataFrame({"id": range(100, 112), "x": [1.5, 2] * 6, "class": list("ab") * 6})
    rows = frame.to_csv(index=False)
    with pytest.warns(odt.DataWarning, match=r"another value of 'id'.*drop=\['id'\]"):
        assert read_dataset(io.StringIO(rows)).n_features == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_dataset(io.StringIO(rows), drop=["id"]).feature_names == ("x",)
    with pytest.raises(odt.DataError, match="no column 'ID' to drop"):
        read_dataset(io.StringIO(rows), drop=["ID"])
    with pytest.raises(odt.DataError, match="used and dropped"):
        read_dataset(io.StringIO(rows), drop=["class"])


def test_bundled_sets_drop_columns_too():
    """The same option everywhere."""
    assert odt.datasets.load_dataset("iris", drop=["sepal length (cm)"]).n_features == 3
    with pytest.raises(odt.DataError, match="no column 'z' to drop"):
        odt.datasets.load_dataset("iris", drop=["z"])


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"separator": "::"}, "one character"),
        ({"decimal": "'"}, "'decimal' must be"),
        ({"encoding": "utf8000"}, "'encoding' must be"),
    ],
)
def test_forms_that_make_no_sense(form, message):
    """Refused before anything is read."""
    with pytest.raises(odt.DataError, match=message):
        TextFormat(**form)


def mutated(rng: random.Random) -> bytes:
    """A file that once was in order: bytes cut, repeated, changed, put in."""
    data = bytearray(text(rng.choice([",", ";", "\t", " "])).encode())
    for _ in range(rng.randrange(6)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            data[at : at + rng.randrange(8)] = b""
        elif kind == 1:
            data[at:at] = rng.choice(
                [b'"', b",", b"\n", b"\r", b"\x00", b"\xff\xfe", b"\xe4", b"'"]
            )
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(12)))
        elif kind == 3:
            data[at:at] = data[at : at + rng.randrange(20)] * rng.randrange(1, 5)
        else:
            data[at:at] = rng.choice(
                [b"1e999", b"nan", b"-inf", b"0x1F", b"1,5", b"9" * 400, b"=1+1"]
            )
    return gzip.compress(bytes(data)) if rng.random() < 0.05 else bytes(data)


def check_fuzz(n: int, seed: int) -> None:
    """Read ``n`` damaged files: a dataset, or an error of odt's."""
    rng, read = random.Random(seed), 0
    for _ in range(n):
        data = mutated(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = read_dataset(io.BytesIO(data), header=rng.choice([None, True, False]))
                assert np.isfinite(found.X).all()
                read += 1
            except odt.OdtError:
                continue
    assert n / 20 < read < n  # both happen


def test_damaged_files_are_read_or_refused():
    """No other exception leaves the loader."""
    check_fuzz(200, seed=0)


@pytest.mark.slow
def test_ten_thousand_damaged_files_are_read_or_refused():
    """The same at length."""
    check_fuzz(10_000, seed=1)


def test_sizes_are_bounded(tmp_path, monkeypatch):
    """A small archive that unpacks to more than is read, from a path and from a stream."""
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(text(",").encode() + b"1,red,a\n" * 10**6))
    monkeypatch.setattr("odt.data.delimited.MOST_BYTES", 10**6)
    for source in (path, io.StringIO("x,class\n" + "1,a\n" * 10**6)):
        with pytest.raises(odt.DataError, match="longer than"):
            read_frame(source)


def test_wide_tables_take_time_in_proportion():
    """Names of 1,500 columns are compared in one pass, repeated ones are still found."""
    names = [f"c{i}" for i in range(1500)]
    rows = "\n".join([",".join([*names, "class"]), ",".join(["1"] * 1500 + ["a"])])
    assert read_dataset(io.StringIO(rows + "\n")).n_features == 1500
    with pytest.raises(odt.DataError, match="twice: c7"):
        read_frame(io.StringIO(rows.replace("c8,", "c7,") + "\n"))


def test_a_file_cut_short_in_its_compression(tmp_path):
    """The end of the archive is missing: one line that says so."""
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(text(",").encode() * 100)[:-20])
    with pytest.raises(odt.DataError, match="Cannot read"):
        read_frame(path)
