"""Bad input gives one clear error, in Python and on the command line."""

import numpy as np
import pandas as pd
import pytest

import odt
from odt import Budget, DataError, Dataset, Problem, ProblemError, Shape
from odt.cli import main

X = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]
Y = ["a", "b", "a"]


def problem(objective="error", **limits):
    """Return the problem on the three good rows."""
    return Problem(Dataset(X, Y), objective, Shape(**limits))


def frame(**columns):
    """Return a DataFrame with a good numeric column u and the given ones."""
    return pd.DataFrame({"u": [1.0, 2.0, 3.0], **columns})


BAD_DATA = {
    "NaN names the column": (lambda: Dataset(frame(v=[1, np.nan, 3]), Y), "'v': 1 NaN"),
    "inf names the column": (lambda: Dataset(frame(v=[np.inf, 1, -np.inf]), Y), "'v': 2 inf"),
    "NaN in an array": (lambda: Dataset([[np.nan]], ["a"]), "'x0': 1 NaN"),
    "None in a text column": (lambda: Dataset(frame(v=["r", None, "b"]), Y), "'v': 1 NaN"),
    "missing label": (lambda: Dataset(X, ["a", None, "b"]), "1 missing labels"),
    "no rows": (lambda: Dataset(np.zeros((0, 2)), []), "X has no rows"),
    "empty frame": (lambda: Dataset(frame().head(0), []), "X has no rows"),
    "one-dimensional X": (lambda: Dataset([1.0, 2.0], ["a", "b"]), r"shape \(n, p\)"),
    "text in a numeric column": (
        lambda: Dataset(frame(v=["1.5", "2", "?"]), Y), "'v' looks numeric but 1 of 3"),
    "negative weight": (lambda: Dataset(X, Y, [1, -2, 1]), "must not be negative. Got -2 at row 1"),
    "all-zero weights": (lambda: Dataset(X, Y, [0, 0, 0]), "zero for every row"),
    "NaN weight": (lambda: Dataset(X, Y, [1, np.nan, 1]), "sample_weight holds 1 NaN"),
    "weights of another length": (lambda: Dataset(X, Y, [1, 1]), r"shape \(3,\)"),
    "y longer than X": (lambda: Dataset(X, [*Y, "b"]), "X has 3 rows and y has 4"),
    "unknown target": (lambda: Dataset.from_frame(frame(), "label"), "no column 'label'.*u"),
    "unknown categorical column": (lambda: Dataset(X, Y, categorical=["z"]), "'z'"),
    "negative test cost": (lambda: Dataset(X, Y, test_costs=[1, -1]), "test_costs"),
    "rows of different lengths": (lambda: Dataset([[1], [1, 2], [3]], Y), r"shape \(n, p\)"),
    "a number beyond all floats": (lambda: Dataset([[10**400], [1], [2]], Y), "must hold numbers"),
    "integers that floats confuse": (
        lambda: Dataset([[2**53], [2**53 + 1], [0]], Y), r"'x0' holds integers beyond 2\*\*53"),
    "complex numbers": (lambda: Dataset([[1j], [1], [2]], Y), "real numbers. Got complex128"),
    "dates": (
        lambda: Dataset(frame(v=pd.date_range("2020-01-01", periods=3)), Y), "'v'.*convert dates"),
    "dates with a time zone": (
        lambda: Dataset(frame(v=pd.date_range("2020-01-01", periods=3, tz="UTC")), Y),
        "'v' holds dates"),
    "lists in a column": (lambda: Dataset(frame(v=[[1], [2], [3]]), Y), "plain values"),
    "repeated column": (lambda: Dataset(X, Y, feature_names=["u", "u"]), "Repeated: u"),
}  # fmt: skip

BAD_PROBLEMS = {
    "negative depth": (
        lambda: Shape(max_depth=-1), r"'max_depth' must be an int >= 0 or None. Got -1 instead"),
    "depth as a float": (lambda: Shape(max_depth=2.5), "'max_depth'"),
    "no nodes": (lambda: Shape(max_nodes=0), "'max_nodes'"),
    "error above one": (lambda: Shape(max_error=1.5), "'max_error'"),
    "empty leaves": (lambda: Shape(min_samples_leaf=0), "'min_samples_leaf'"),
    "unknown measure": (lambda: problem("accuracy"), "'accuracy'.*measures: error, .*size"),
    "negative coefficient": (lambda: -0.1 * odt.Size(), "must be positive"),
    "data instead of a dataset": (lambda: Problem(X), "'dataset' must be a Dataset"),
    "no time": (lambda: Budget(time_limit=0), "'time_limit'"),
    "no threads": (lambda: Budget(n_threads=0), "'n_threads'"),
    "a coefficient beyond all floats": (lambda: 10**400 * odt.Size(), "positive and finite"),
    "tests as a list": (
        lambda: Problem(Dataset(X, Y), tests=[odt.Test(0, threshold=0.5)]), "must be a TestSet"),
    "a test of no feature": (
        lambda: Problem(Dataset(X, Y), tests=odt.TestSet((odt.Test(2, threshold=0.5),))),
        "features 2. The data have 2"),
    "a feature counted from the end": (
        lambda: odt.Test(-1, threshold=0.5), "'feature' must be an int"),
    "a feature by name": (lambda: odt.Test("x0", threshold=0.5), "'feature' must be an int"),
    "a threshold that is no number": (lambda: odt.Test(0, threshold=np.nan), "NaN"),
    "a demand by name": (lambda: Shape(forced={"": "x0"}), "number of a feature. Got 'x0'"),
    "a lone forbidden feature": (lambda: Shape(forbidden={"": 0}), "collections"),
    "a charge on no feature": (
        lambda: problem(feature_budget=1, feature_charges=(odt.Charge({5}, 2.0),)), "features 5"),
    "a result to start from": (
        lambda: odt.solve(problem(), "dp", initial=odt.solve(problem(), "dp")), "must be a Tree"),
    "a negative seed": (lambda: odt.solve(problem(), "dp", seed=-1), "'seed'"),
    "one solver to compare": (lambda: odt.compare(problem(), "dp"), "list of solvers"),
    "unknown option": (
        lambda: odt.solve(problem(), "dp", symmetry=True), "'dp' has no option 'symmetry'"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "message"), BAD_DATA.values(), ids=BAD_DATA)
def test_bad_data(make, message):
    """Each fault of the data is a DataError that says what was got and where."""
    with pytest.raises(DataError, match=message):
        make()


@pytest.mark.parametrize(("make", "message"), BAD_PROBLEMS.values(), ids=BAD_PROBLEMS)
def test_bad_problem(make, message):
    """Each senseless limit, objective, budget or option is a ProblemError that names it."""
    with pytest.raises(ProblemError, match=message):
        make()


def test_one_row_is_fine():
    """A single example gives a leaf."""
    result = odt.solve(Problem(Dataset([[1.0]], ["a"]), shape=Shape(max_depth=3)), "dp")
    assert (result.tree.n_nodes, result.objective, result.status.value) == (1, 0, "optimal")


def test_unknown_solver_suggests_the_closest():
    """A typo gets a suggestion and the list."""
    with pytest.raises(odt.UnknownSolverError, match=r"Did you mean 'dp'\? Known: .*brute-force"):
        odt.solve(problem(), "dpp")


def test_unsupported_objective_names_the_solvers_that_can():
    """The way out is in the message."""

    class ErrorOnly(odt.Solver):
        name, exact, supports = "error-only", True, frozenset({odt.Measure.ERROR})

        def solve(self, problem, run):
            raise AssertionError

    with pytest.raises(odt.UnsupportedProblemError, match=r"not support size\..*: .*\bdp\b"):
        odt.solve(problem("size", max_depth=1), ErrorOnly())


GOOD = "u,v,w,class\n1,5,1,a\n2,6,2,b\n3,7,1,a\n"
BAD_FILES = {
    "missing number": (GOOD.replace("6", "?"), [], "'v': 1"),
    "empty field": (GOOD.replace("6", ""), [], "'v': 1"),
    "infinite": (GOOD.replace("6", "inf"), [], "'v': 1 inf"),
    "no rows": ("u,class\n", [], "no rows"),
    "empty file": ("", [], "Cannot read"),
    "more fields than names": (GOOD.replace(",a", ",a,x").replace(",b", ",b,x"), [], "more field"),
    "row numbers without a name": (",u,class\n0,1,a\n1,2,b\n", [], "first column has no name"),
    "text among numbers": (GOOD.replace("6", "six"), [], "'v' looks numeric but 1 of 3"),
    "negative weight": (GOOD.replace("2,6,2", "2,6,-2"), ["--weight", "w"], "negative"),
    "unknown target": (GOOD, ["--target", "label"], "'label'"),
    "unknown weight column": (GOOD, ["--weight", "weights"], "'weights'"),
    "unknown category column": (GOOD, ["--categorical", "z"], "'z'"),
    "cost that is no number": (GOOD, ["--test-costs", "u=cheap"], "--test-costs must"),
    "cost without a value": (GOOD, ["--test-costs", "u"], "NAME=VALUE"),
    "bad policy for gaps": (GOOD, ["--missing", "guess"], "'guess'"),
    "negative depth": (GOOD, ["--max-depth", "-1"], "--max-depth must"),
    "depth that is no number": (GOOD, ["--max-depth", "two"], "--max-depth"),
    "bad objective": (GOOD, ["--objective", "accuracy"], "accuracy"),
    "unknown solver": (GOOD, ["--solver", "dpp"], "Did you mean 'dp'"),
    "unknown option of the solver": (GOOD, ["--option", "sym=1"], "no option 'sym'"),
    "unknown option": (GOOD, ["--depth", "2"], "--depth"),
    "no quantiles": (GOOD, ["--quantiles", "0"], "--quantiles must"),
    "no time": (GOOD, ["--time-limit", "0"], "--time-limit must"),
}


@pytest.mark.parametrize(("text", "options", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_command(text, options, message, tmp_path, capsys):
    """Exit code 2 and one line on stderr, no traceback, nothing on stdout."""
    path = tmp_path / "data.csv"
    path.write_text(text)
    assert_one_line_error(["solve", str(path), *options], message, capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "nowhere.csv"], "nowhere.csv"),
        (["solve", "irsi"], "Did you mean 'iris'"),
        (["solve"], "DATA"),
        (["compare", "iris"], "--solvers"),
        (["compare", "iris", "--solvers", "dp,dpp"], "Did you mean 'dp'"),
        (["compare", "iris", "--solvers", ","], "at least one solver"),
        (["solvers", "dpp"], "Did you mean 'dp'"),
        (["slove"], "slove"),
        (["solve", "iris", "--max-depth", "0", "--json", "--save", "/nowhere/t"], "/nowhere/t"),
        (["solve", "iris", "--weight", "w"], "iris"),
    ],
)
def test_bad_arguments(arguments, message, capsys):
    """The same for faults outside a file."""
    assert_one_line_error(arguments, message, capsys)


def assert_one_line_error(arguments, message, capsys):
    """Check the exit code, the single line and that stdout is empty."""
    code = main(arguments)
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
