"""The command line: what it prints, its exit codes, and Ctrl-C."""

import ctypes
import io
import json
import signal
import subprocess
import sys

import highspy
import pandas as pd
import pytest

import odt
from odt.cli import main
from odt.cli.catalogue import documented_parameters
from odt.model.capability import GROUPS
from odt.solve import solve


def run(capsys, *arguments):
    """Run the command in this process; return exit code, stdout and stderr."""
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def csv(tmp_path):
    """A small file: x alone needs two tests, the colour alone suffices."""
    path = tmp_path / "toy.csv"
    path.write_text("x,color,w,label\n1,red,1,yes\n2,blue,1,no\n3,red,2,yes\n4,blue,1,no\n")
    return path


def test_solve_prints_question_answer_tree_and_measures(capsys):
    """Iris at depth 2: 6 of 150 wrong, proved, with the original names."""
    code, out, _ = run(capsys, "solve", "iris", "--max-depth", 2)
    assert code == 0
    for piece in ("minimise error, max_depth=2", "took dp", "petal width", "error 0.04 (6 of"):
        assert piece in out


def test_solve_as_json_is_complete_and_the_tree_reads_back(capsys, tmp_path):
    """Machines get status, value, bound, measures and the tree; --save and --dot write files."""
    saved, drawn = tmp_path / "tree.json", tmp_path / "tree.dot"
    code, out, _ = run(
        capsys, "solve", "iris", "--max-depth", 1, "--json", "--save", saved, "--dot", drawn,
        "--objective", "error, size",
    )  # fmt: skip
    record = json.loads(out)
    assert code == 0
    assert record["status"] == "optimal"
    assert record["objective"] == record["bound"] == [pytest.approx(1 / 3), 3]
    tree = odt.Tree.from_json(saved.read_text())
    assert tree == odt.Tree.from_json(json.dumps(record["tree"]))
    assert drawn.read_text().startswith("digraph")


def test_file_options_reach_the_problem(capsys, csv):
    """Target, weights, categories and costs: the cheap colour is asked, x is left out."""
    code, out, _ = run(
        capsys, "solve", csv, "--target", "label", "--weight", "w", "--categorical", "x",
        "--test-costs", "x=5,color=0.5", "--objective", "error + 0.01*expected_tests", "--json",
    )  # fmt: skip
    record = json.loads(out)
    assert code == 0
    assert record["measures"]["expected_tests"] == 0.5
    assert record["tree"]["schema"]["kinds"] == ["categorical", "categorical"]
    assert sum(record["tree"]["counts"][0]) == 5


def test_standard_input_and_quantiles(capsys, csv, monkeypatch):
    """A dash reads CSV from the pipe; --quantiles 1 leaves one threshold a feature."""
    text = "x,class\n1,a\n2,a\n3,a\n4,b\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    code, out, _ = run(capsys, "solve", "-", "--quantiles", 1, "--max-depth", 1, "--json")
    assert code == 0
    assert json.loads(out)["measures"]["error"] == 0.25  # x <= 2.5 cannot isolate x = 4


def test_dropped_rows_are_counted_aloud(capsys, tmp_path):
    """One line on stderr says how many rows are not in the answer; stdout stays JSON."""
    path = tmp_path / "gaps.csv"
    path.write_text("a,class\n1,x\n?,y\n3,x\n2,y\n")
    code, out, err = run(capsys, "solve", path, "--missing", "drop", "--max-depth", 1, "--json")
    assert code == 0
    assert sum(json.loads(out)["tree"]["counts"][0]) == 3
    assert err.splitlines()[0] == (
        "odt: 1 of 4 rows have missing values and are left out ('a': 1)."
    )


def test_files_without_header_on_the_command_line(capsys, tmp_path):
    """Refused with the option to say, and read in full with it."""
    path = tmp_path / "iris.data"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,virginica\n5.0,3.5,setosa\n")
    code, out, err = run(capsys, "solve", path, "--target", "setosa")
    assert (code, out, "--no-header" in err) == (2, "", True)
    code, out, _ = run(capsys, "solve", path, "--no-header", "--target", "x2", "--json",
                       "--max-depth", 1)  # fmt: skip
    assert (code, sum(json.loads(out)["tree"]["counts"][0])) == (0, 3)


@pytest.mark.parametrize("command", ["solve", "compare"])
def test_stdout_is_json_whatever_solvers_print(capfd, monkeypatch, command):
    """A native banner ("Running HiGHS ..."), C's buffered printf, Python's print: on stderr."""

    def noisy(*arguments, **options):
        highspy.Highs()
        ctypes.CDLL(None).printf(b"printed by C\n")
        print("printed by Python")
        return solve(*arguments, **options)

    monkeypatch.setattr("odt.cli.solving.solve", noisy)
    monkeypatch.setattr(sys.modules["odt.compare"], "solve", noisy)
    chosen = "--solver" if command == "solve" else "--solvers"
    assert main([command, "iris", chosen, "dp", "--max-depth", "1", "--json"]) == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)
    assert "printed by C" in captured.err
    assert "printed by Python" in captured.err
    print("stdout is back")
    assert capfd.readouterr().out == "stdout is back\n"


def test_no_solver_writes_to_stdout_itself(capfd, solver):
    """The library is quiet too: nothing on the file descriptor, also from native code."""
    data = odt.Dataset([[0, 1], [1, 0], [1, 1], [0, 2]], [0, 1, 0, 0])
    shape = odt.Shape(max_depth=2, max_error=0)
    consistent = {odt.Measure.SIZE, odt.Capability.CONSISTENT} <= solver.supports
    objective = "size" if consistent else "error"
    problem = odt.Problem(data, objective, shape if consistent else odt.Shape(max_depth=2))
    odt.solve(problem, solver)
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == ""


def test_infeasible_is_an_answer(capsys):
    """No stump is free of errors on iris: exit code 0 and a plain statement."""
    code, out, _ = run(capsys, "solve", "iris", "--max-depth", 1, "--max-error", 0)
    assert code == 0
    assert "infeasible" in out


def test_no_tree_in_time_is_exit_code_1(capsys):
    """Scripts can tell an empty-handed run."""
    code, out, _ = run(
        capsys, "solve", "digits", "--max-depth", 3, "--max-error", 0, "--time-limit", 0.01
    )
    assert (code, "unknown" in out) == (1, True)


def test_compare_prints_a_table_in_two_parts_or_one(capsys, monkeypatch):
    """Narrow terminals get values and measures one below the other, wide ones side by side."""
    arguments = ("compare", "iris", "--solvers", "dp,brute-force", "--max-depth", 1)
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if line.startswith("dp")] == ["dp"] * 2
    monkeypatch.setenv("COLUMNS", "150")
    _, out, _ = run(capsys, *arguments)
    assert len([line for line in out.splitlines() if line.startswith("dp")]) == 1


def test_compare_for_machines(capsys):
    """JSON and CSV hold the same table."""
    arguments = ("compare", "iris", "--solvers", "dp", "--max-depth", 1)
    _, out, _ = run(capsys, *arguments, "--json")
    assert json.loads(out)[0]["objective"] == pytest.approx(1 / 3)
    _, out, _ = run(capsys, *arguments, "--csv")
    assert pd.read_csv(io.StringIO(out))["status"].tolist() == ["optimal"]


def test_solvers_are_listed_with_what_they_support(capsys):
    """Every registered solver appears, in text and as JSON."""
    code, out, _ = run(capsys, "solvers")
    assert code == 0
    assert all(name in out for name in odt.solver_names())
    _, out, _ = run(capsys, "solvers", "--json")
    assert [record["name"] for record in json.loads(out)] == list(odt.solver_names())


def test_table_of_solvers_has_a_column_for_every_capability():
    """A new capability must find its place in the table."""
    assert {feature for group in GROUPS.values() for feature in group} == {
        *odt.Measure,
        *odt.Capability,
    }


@pytest.mark.parametrize("name", odt.solver_names())
def test_every_solver_describes_itself_and_its_options(capsys, name):
    """A solver has a one-line summary, and each option has a description."""
    code, out, _ = run(capsys, "solvers", name, "--json")
    record = json.loads(out)
    assert code == 0
    assert record["summary"]
    assert [o["name"] for o in record["options"] if not o["doc"]] == []
    assert run(capsys, "solvers", name)[1].startswith(name)


def test_option_documentation_is_read_from_the_docstring():
    """The description of an option may run over lines and be shared by two names."""
    doc = "Title.\n\nParameters\n----------\na, b : int\n    First\n    line.\nc : str\n    Other."
    assert documented_parameters(doc) == {"a": "First line.", "b": "First line.", "c": "Other."}


def test_datasets_are_listed(capsys, monkeypatch):
    """The bundled sets are there without any set-up."""
    monkeypatch.delenv("ODT_DATA", raising=False)
    assert run(capsys, "datasets")[1].split() == ["iris", "wine", "breast-cancer", "digits"]


def test_help_and_version(capsys):
    """No command shows the help; --version the version."""
    code, out, _ = run(capsys)
    assert (code, "compare" in out) == (0, True)
    assert run(capsys, "--version")[1] == f"odt {odt.__version__}\n"


def test_module_runs_as_the_command():
    """``python -m odt`` is the same command."""
    done = subprocess.run([sys.executable, "-m", "odt", "datasets"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "iris" in done.stdout


def test_ctrl_c_prints_the_incumbent(capsys, monkeypatch):
    """An interrupt after the first tree: it is printed with what is proved, exit code 0."""
    report = odt.Run.report

    def report_then_interrupt(run, tree=None, bound=None):
        report(run, tree, bound)
        if run.tree is not None and run.stopped_by is None:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(odt.Run, "report", report_then_interrupt)
    code, out, _ = run(capsys, "solve", "digits", "--max-depth", 3, "--json")
    record = json.loads(out)
    assert code == 0
    assert record["stopped_by"] == "interrupt"
    assert record["tree"] is not None


def test_interrupt_before_a_solver_runs_is_quiet(capsys, monkeypatch):
    """Ctrl-C while data are loaded: the usual exit code, no traceback."""

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("odt.cli.listing.list_datasets", interrupted)
    assert run(capsys, "datasets") == (130, "", "")


def test_interrupts_that_python_wraps_are_interrupts(capsys, monkeypatch):
    """While a module is imported, Ctrl-C may come as a RuntimeError: no traceback either."""

    def wrapped():
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("odt.cli.listing.list_datasets", wrapped)
    assert run(capsys, "datasets") == (130, "", "")


def test_explain_says_why_in_one_condition_a_feature(capsys, csv, tmp_path):
    """Rows of a table by number, or values of what is asked; categories keep their names."""
    saved = tmp_path / "model.json"
    run(capsys, "fit", csv, "--target", "label", "--weight", "w", "-s", "cart", "-o", saved)
    code, out, _ = run(capsys, "explain", saved, "1", "color=red", "--data", csv)
    assert code == 0
    assert out.splitlines() == [
        "row 1: no (100% of the training examples there), because color == blue",
        "row color=red: yes (100% of the training examples there), because color != blue",
    ]
    run(capsys, "fit", "iris", "--solver", "cart", "--max-depth", 3, "-o", saved)
    code, out, _ = run(capsys, "explain", saved, "0", "70", "--data", "iris", "--json")
    first, second = json.loads(out)
    assert first["conditions"] == ["petal length (cm) <= 2.45"]
    assert second["class"] == "virginica"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("150", "--data", "iris"), "There is no row 150: the table has the rows 0 to 149."),
        (("3",), "Name the table with --data"),
        (("petal width (cm)=1",), "The tree asks for 'petal length (cm)' here"),
        (("petal=1",), "The model has no feature 'petal'. Features: sepal length"),
        (("petal length (cm)=long",), "'petal length (cm)' is a number. Got 'long'"),
        (("petal length (cm)=?",), "holds 1 missing values"),
        (("hello",), "Expected NAME=VALUE"),
    ],
)
def test_explain_refuses_what_is_not_there(capsys, tmp_path, arguments, message):
    """A row beyond the data, values that do not fit: one line, exit code 2."""
    saved = tmp_path / "tree.json"
    run(capsys, "fit", "iris", "--solver", "cart", "--max-depth", 2, "-o", saved, "--quiet")
    code, out, err = run(capsys, "explain", saved, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_termination_prints_the_incumbent(capsys, monkeypatch):
    """SIGTERM does what Ctrl-C does."""
    report = odt.Run.report

    def report_then_terminate(run, tree=None, bound=None):
        report(run, tree, bound)
        if run.tree is not None and run.stopped_by is None:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(odt.Run, "report", report_then_terminate)
    code, out, _ = run(capsys, "solve", "digits", "--max-depth", 6, "--json")
    record = json.loads(out)
    assert (code, record["stopped_by"], record["tree"] is not None) == (0, "interrupt", True)


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    """Where writing breaks off, the old file stays and nothing is left beside it."""
    from odt.cli import files

    path = tmp_path / "tree.json"
    path.write_text("old")

    def breaks(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", breaks)
    with pytest.raises(KeyboardInterrupt):
        files.write_file(path, "new")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]
    monkeypatch.undo()
    files.write_file(path, "new")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("'max_depth' must be an int >= 0.", "--max-depth must be an int >= 0."),
        ("leave them out with missing='drop'", "leave them out with --missing drop"),
        ("leave them out with drop=['id', 'name'].", "leave them out with --drop id,name."),
        ("say header=False (--no-header).", "say --no-header."),
        ("such as tests=odt.TestSet.quantiles(dataset, 50).", "such as --quantiles 50."),
        ("only with Shape(max_error=0) here", "only with --max-error 0 here"),
        ("There is no column 'target' here", "There is no column 'target' here"),
    ],
)
def test_messages_use_the_words_of_the_command_line(message, typed):
    """A message names what can be typed, not Python's arguments."""
    from odt.cli.commands import option_names
    from odt.cli.words import in_options

    assert in_options(message, option_names()) == typed
