"""The commands about models: what is fitted predicts, explains, draws and converts the same."""

import contextlib
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import typer
from test_cli import run

import odt
from odt.cli.commands import app
from odt.cli.files import write_file
from odt.cli.interrupts import finishing
from odt.solve import interruptible

GERMAN = (
    "Kunde;Größe;Preis;Stadt;Kauf\n1;1,75;10,5;7;ja\n2;1,8;-9;Bonn;nein\n3;1,65;12,25;7;ja\n"
    "4;1,9;9,0;Essen;nein\n5;1,72;11,0;Ulm;ja\n6;1,85;8,5;Bonn;nein\n"
)


@pytest.fixture
def german(tmp_path):
    """A file with semicolons, decimal commas, -9 for a gap, and a category that is a digit."""
    path = tmp_path / "kunden.csv"
    path.write_text(GERMAN, encoding="utf-8")
    return path


@pytest.fixture
def model(german, tmp_path, capsys):
    """What 'odt fit' writes for it."""
    path = tmp_path / "m.json"
    arguments = ("--target", "Kauf", "--drop", "Kunde", "--decimal", ",", "--na", "-9",
                 "--missing", "learned", "--max-depth", 2, "-o", path)  # fmt: skip
    code, out, _ = run(capsys, "fit", german, *arguments)
    assert code == 0
    assert out.rstrip().endswith(f"Model: {path}")
    return path


def test_a_model_reads_tables_as_it_was_trained(capsys, model, german, tmp_path):
    """Commas, -9 as a gap, and text categories are known without being said again."""
    code, out, err = run(capsys, "predict", model, german, "--keep", "Kunde", "--proba")
    frame = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert frame.columns.tolist() == ["Kunde", "prediction", "share of ja", "share of nein"]
    assert frame["prediction"].tolist() == ["ja", "nein", "ja", "nein", "ja", "nein"]
    assert err == "6 of 6 predictions agree with the column 'Kauf' (100.0%).\n"
    digits = tmp_path / "digits.csv"  # the column of cities holds nothing but digits here
    digits.write_text("Größe;Preis;Stadt\n1,7;10;7\n1,95;9;7\n", encoding="utf-8")
    code, out, err = run(capsys, "predict", model, digits, "--json")
    assert (code, err) == (0, "")
    assert [row["prediction"] for row in json.loads(out)] == ["ja", "nein"]


def test_unseen_categories_are_told_and_gaps_where_there_were_none_refused(capsys, tmp_path):
    """As docs/cli.md says; --quiet keeps the answer and drops the line about it."""
    data, saved, new = (tmp_path / name for name in ("d.csv", "m.json", "n.csv"))
    data.write_text("c,x,class\nred,1,a\nblue,2,b\nred,3,a\ngreen,4,b\n")
    assert run(capsys, "fit", data, "-q", "-s", "cart", "-o", saved) == (0, "", "")
    new.write_text("c,x\nviolet,1\n")
    code, out, err = run(capsys, "predict", saved, new)
    assert (code, out.splitlines()) == (0, ["prediction", "b"])
    assert "never seen in training ('violet')" in err
    assert run(capsys, "predict", saved, new, "--quiet") == (0, out, "")
    new.write_text("c,x\n,1\n")
    code, out, err = run(capsys, "predict", saved, new)
    assert (code, out) == (2, "")
    assert "--missing learned or --missing category" in err


def test_predictions_are_those_of_the_library(capsys, tmp_path):
    """Every row of wine, with classes and shares, through files."""
    saved, out = tmp_path / "m.json", tmp_path / "out.csv"
    run(capsys, "fit", "wine", "--max-depth", 3, "--solver", "dpdt", "-o", saved, "--json")
    assert run(capsys, "predict", saved, "wine", "-o", out, "--proba")[:2] == (0, "")
    frame, data = pd.read_csv(out), odt.datasets.load_dataset("wine")
    tree = odt.Tree.from_json(saved.read_text())
    assert frame["prediction"].tolist() == tree.predict(data.X).tolist()
    assert np.array_equal(frame.iloc[:, 1:].to_numpy(), tree.predict_proba(data.X))


@pytest.mark.parametrize("language", ["sql", "python", "rules", "dot", "sklearn-json"])
def test_conversions_come_whole(capsys, model, tmp_path, language):
    """Standard output and a file hold the same; SQL and Python predict the same."""
    code, out, _ = run(capsys, "convert", model, "--to", language)
    path = tmp_path / "converted"
    assert run(capsys, "convert", model, "--to", language, "-o", path) == (0, "", "")
    assert (code, path.read_text()) == (0, out)
    row = {"Größe": 1.95, "Preis": 9.0, "Stadt": "7"}
    if language == "sql":
        columns = ", ".join(f"{value!r} AS {name}" for name, value in row.items())
        assert sqlite3.connect(":memory:").execute(
            f"SELECT {out} FROM (SELECT {columns})"
        ).fetchone() == ("nein",)
    elif language == "python":
        module = {}
        exec(out, module)
        assert module["predict"](row) == "nein"
    elif language == "sklearn-json":
        arrays = json.loads(out)
        assert len(arrays["children_left"]) == len(arrays["threshold"]) == len(arrays["value"])


def test_onnx_predicts_the_same_or_says_what_is_missing(capsys, tmp_path):
    """Without the extra one line and exit code 2; with it, the labels of all flowers."""
    saved, path = tmp_path / "m.json", tmp_path / "m.onnx"
    run(capsys, "fit", "iris", "--max-depth", 3, "-s", "cart", "-o", saved)
    code, _, err = run(capsys, "convert", saved, "--to", "onnx", "-o", path)
    try:
        import onnxruntime
        import skl2onnx  # noqa: F401
    except ImportError:
        assert (code, path.exists(), "pip install odt[onnx]" in err) == (2, False, True)
        return
    data = odt.datasets.load_dataset("iris")
    session = onnxruntime.InferenceSession(path.read_bytes())
    labels = session.run(None, {"X": data.X.astype(np.float32)})[0]
    assert labels.tolist() == odt.Tree.from_json(saved.read_text()).predict(data.X).tolist()


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_plots_have_the_format_of_their_name(capsys, model, tmp_path, suffix):
    """SVG, PNG and PDF by their first bytes, of trees and of fronts."""
    start = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    path = tmp_path / f"tree{suffix}"
    assert run(capsys, "plot", model, "-o", path, "--colour", "feature") == (0, "", "")
    assert path.read_bytes().startswith(start)
    code, out, _ = run(capsys, "pareto", "iris", "--max-depth", 2, "-o", path)
    assert (code, "best for alpha" in out) == (0, True)
    assert start in path.read_bytes()[:200] or b"<svg" in path.read_bytes()


def test_wrong_files_and_formats_are_one_line(capsys, model, german, tmp_path):
    """Nothing is written, and no traceback is shown."""
    for arguments, message in (
        (("plot", model, "-o", tmp_path / "tree.jpg"), "A picture ends in .svg"),
        (("plot", model, "-o", tmp_path / "t.svg", "--colour", "red"), "--colour must be"),
        (("pareto", "iris", "--max-depth", 2, "-o", tmp_path / "f.gif"), "A picture ends in"),
        (("predict", german, german), "is no model that 'odt fit' wrote"),
        (("predict", tmp_path / "none", german), "Cannot read the model"),
        (("predict", model, german, "--keep", "Name"), "There is no column 'Name' to keep"),
        (("convert", model, "--to", "cobol"), "cobol"),
        (("fit", german, "-o", tmp_path / "no" / "m.json"), "is no folder"),
    ):
        before = sorted(tmp_path.iterdir())
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert message in err
        assert len(err.splitlines()) <= 2
        assert sorted(tmp_path.iterdir()) == before


def test_damaged_models_never_crash(capsys, model, german):
    """Bytes changed, keys lost, notes of wrong types: an answer or one line, never a traceback."""
    rng, text = random.Random(3), model.read_text()
    record = json.loads(text)
    variants = ["", "[]", "null", '{"format": "odt-tree", "version": 1}']
    variants += [json.dumps(record | {"model": notes}) for notes in (
        3, [], {"form": 3}, {"form": {"separator": 5}}, {"form": {"na_values": "x"}},
        {"form": {"encoding": "klingon"}}, {"form": {"surprise": "x"}}, {"target": ["x"]},
    )]  # fmt: skip
    for _ in range(60):
        characters = list(text)
        for _ in range(rng.randint(1, 3)):
            characters[rng.randrange(len(characters))] = rng.choice('0{}[]",:x-9')
        variants.append("".join(characters))
    for variant in variants:
        model.write_text(variant)
        code, _, err = run(capsys, "predict", model, german)
        assert code in (0, 2), variant
        assert "Traceback" not in err


def test_pareto_for_machines_has_the_trees(capsys):
    """JSON holds each tree, CSV the numbers; both are of the same points."""
    command = "pareto", "iris", "--max-depth", 2, "--measures", "error,size"
    _, out, _ = run(capsys, *command, "--json")
    record = json.loads(out)
    sizes = [len(point["tree"]["tests"]) for point in record["points"]]
    assert sizes == [point["size"] for point in record["points"]]
    _, out, _ = run(capsys, *command, "--csv")
    assert pd.read_csv(io.StringIO(out))["size"].tolist() == sizes


def test_a_letter_means_one_thing_in_every_command():
    """-o is the file, -s the solver or solvers; and a name has the same letter everywhere."""
    group = typer.main.get_command(app)
    names = {}
    for command in group.commands.values():
        for parameter in command.params:
            letters = [o for o in parameter.opts if len(o) == 2 and o[0] == "-"]
            for letter in letters:
                names.setdefault(letter, set()).add(parameter.opts[0].rstrip("s"))
    assert names == {"-o": {"--output"}, "-s": {"--solver"}, "-f": {"--formulation"},
                     "-q": {"--quiet"}}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "expected"),
    [("odt pr", "predict"), ("odt solve --solver dp", "dpdt"), ("odt solve ir", "iris")],
)
def test_shells_complete_commands_solvers_and_data(words, expected):
    """What bash asks for is answered."""
    environment = {**os.environ, "_ODT_COMPLETE": "complete_bash", "COMP_WORDS": words,
                   "COMP_CWORD": str(len(words.split()) - 1)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'odt'; from odt.cli import main; main()"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert expected in done.stdout.split(), done.stderr


def test_an_answer_is_finished_whatever_happens(tmp_path):
    """Before there is one Ctrl-C raises; after, the file is written in full."""
    path = tmp_path / "answer"
    with pytest.raises(KeyboardInterrupt), finishing():
        signal.raise_signal(signal.SIGINT)
    with finishing() as hold:
        hold()
        signal.raise_signal(signal.SIGINT)
        write_file(path, "whole")
    assert path.read_text() == "whole"
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_swallowed_interrupt_comes_back():
    """Where a library's callback loses the exception, the solver is stopped at its next report."""
    with finishing() as hold:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        run_ = odt.Run(odt.Problem(odt.Dataset([[0.0], [1.0]], [0, 1])))
        with interruptible(run_):
            hold()
    assert run_.stopped_by == "interrupt"


def interrupted(arguments, folder, after, number):
    """Start a command and send it a signal; return its exit code and what it printed."""
    started = subprocess.Popen(
        [sys.executable, "-m", "odt", *map(str, arguments)], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(after)
    started.send_signal(number)
    out, err = started.communicate(timeout=120)
    return started.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["solve", "fit", "compare"])
def test_signals_at_random_moments(command, tmp_path):
    """No file is half-written and no answer half-printed; with a solver at work there is a tree."""
    rng, trees, path = random.Random(command), 0, tmp_path / "out"
    own = {"solve": ["--save", path], "fit": ["-o", path],
           "compare": ["--solvers", "cart,dpdt,bnb", "--html", path]}[command]  # fmt: skip
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "odt", "datasets"], capture_output=True)
    loading = time.perf_counter() - started
    for i in range(10):
        path.unlink(missing_ok=True)
        arguments = [command, "digits", "--max-depth", "6", "--time-limit", "60", "--json", *own]
        number = rng.choice([signal.SIGINT, signal.SIGTERM])
        code, out, err = interrupted(arguments, tmp_path, rng.uniform(0.3, 2.5) * loading, number)
        assert [p.name for p in tmp_path.iterdir()] in ([], ["out"]), i
        if code == 0:
            record = json.loads(out)
            assert path.exists()
            best = record if command != "compare" else max(record, key=lambda r: r["size"] or 0)
            trees += best["objective"] is not None
        elif code == 1:
            assert json.loads(out)
        else:  # before anything was known
            assert code in (130, -signal.SIGINT, -number), err
            assert out == ""
            assert not path.exists()
        if path.exists():
            text = path.read_text()
            assert text.endswith("</html>\n") if command == "compare" else odt.Tree.from_json(text)
    assert trees >= 3


def test_regression_from_fit_to_explain(capsys, tmp_path):
    """--task regression: numbers are predicted, explained, compared and drawn; no shares."""
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("a,b,y\n" + "".join(f"{i},{i % 3},{i // 4 + 0.5}\n" for i in range(12)))
    given = (str(table), "--task", "regression", "--target", "y", "--max-depth", "2")
    code, out, _ = run(capsys, "fit", *given, "-o", str(model))
    assert code == 0
    assert "minimise squared_error" in out
    assert "squared error 0 (root 0)" in out
    code, out, err = run(capsys, "predict", str(model), str(table))
    assert out.splitlines()[:2] == ["prediction", "0.5"]
    assert "100.0% of its variance explained" in err
    _, out, _ = run(capsys, "explain", str(model), "5", "--data", str(table))
    assert "row 5: 1.5" in out
    code, _, err = run(capsys, "predict", str(model), str(table), "--proba")
    assert (code, "no shares" in err) == (2, True)
    code, out, _ = run(capsys, "compare", *given, "--solvers", "dpdt,dp,cart")
    assert "squared" in out
    code, out, _ = run(capsys, "pareto", *given)
    assert "squared_error + alpha*expected_tests" in out
