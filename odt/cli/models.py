"""The commands about models: fit, predict, explain, plot, convert."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from odt.cli import show
from odt.cli.app import app
from odt.cli.files import answer, writable, write_file
from odt.cli.interrupts import finishing
from odt.cli.model_file import ModelFile, default_path, model_text, read_model
from odt.cli.options import Json, Quiet, SolverName, SolverOptions, output, with_options
from odt.cli.rows import explain_rows, predictions, share_right
from odt.cli.solving import solved
from odt.cli.task import RawTable, Task
from odt.convert.code import to_python, to_rules, to_sql
from odt.convert.onnx import to_onnx
from odt.convert.sklearn import to_sklearn_json
from odt.draw.files import draw_tree
from odt.model.text import to_dot
from odt.model.tree import Tree

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="File that 'odt fit' or 'odt solve --save' wrote.")
]


class Language(StrEnum):
    """What a model can be converted to."""

    SQL = "sql"
    PYTHON = "python"
    RULES = "rules"
    DOT = "dot"
    SKLEARN_JSON = "sklearn-json"
    ONNX = "onnx"


@app.command("fit")
@with_options
def fit_command(
    task: Task,
    output: output("Model file; by default the name of DATA with .model.json.") = None,  # type: ignore[valid-type]
    solver: SolverName = "auto",
    option: SolverOptions = None,
    as_json: Json = False,
) -> int:
    """Find a tree for DATA and write it to a model file, for 'odt predict' and the others."""
    path = writable(output or default_path(task.data))
    assert path is not None
    with finishing() as hold:
        result = solved(task, solver, option, hold)
        if result.tree is not None:
            write_file(path, model_text(result, result.tree, task.target, task.form))
        if as_json:
            print(json.dumps(show.result_record(result), default=str))
        elif not task.quiet:
            show.print_result(task.data, result)
            if result.tree is not None:
                print(f"\nModel: {path}")
    return show.exit_code(result)


@app.command("predict")
@with_options
def predict_command(
    model: Model,
    table: RawTable,
    output: output("CSV file; standard output by default.") = None,  # type: ignore[valid-type]
    proba: Annotated[bool, typer.Option("--proba", help="Add the share of each class.")] = False,
    keep: Annotated[str, typer.Option(help="Columns of DATA to copy: id,name.")] = "",
    as_json: Json = False,
) -> int:
    """Predict the label of each row of DATA, as CSV: one line a row, in the same order.

    Columns that the model does not know are ignored. If DATA holds the label column, the share
    of right predictions is said on stderr.
    """
    known = read_model(model)
    frame = table.frame(known.form, known.text_columns)
    found = predictions(known, frame, keep, proba)
    text = found.to_json(orient="records") + "\n" if as_json else found.to_csv(index=False)
    answer(text, output)
    if not table.quiet and (right := share_right(known, frame, found)):
        show.note(right)
    return 0


@app.command("explain")
@with_options
def explain_command(
    model: Model,
    rows: Annotated[
        list[str],
        typer.Argument(
            metavar="ROW...", help="Numbers of rows of --data, from 0, or values: 'a=1.5,b=red'."
        ),
    ],
    data: Annotated[
        str | None, typer.Option("--data", help="Table that rows are numbers of; as DATA.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Say in words why a model gives a row its class: one condition a feature."""
    known = read_model(model)
    frame = None if data is None else _table(data, known)
    records = explain_rows(known, rows, frame)
    if as_json:
        print(json.dumps(records, default=str))
    else:
        show.print_explanations(records)
    return 0


@app.command("plot")
@with_options
def plot_command(
    model: Model,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Picture: .svg, .png, .pdf.", callback=writable),
    ],
    colour: Annotated[
        str, typer.Option("--colour", help="Of boxes: class, or feature (asked).")
    ] = "class",
) -> int:
    """Draw a model as a picture; all but .svg need matplotlib."""
    write_file(output, draw_tree(read_model(model).tree, output.suffix, colour))
    return 0


@app.command("convert")
@with_options
def convert_command(
    model: Model,
    language: Annotated[Language, typer.Option("--to", help="What to write.")],
    output: output("File; standard output by default.") = None,  # type: ignore[valid-type]
) -> int:
    """Write a model as code or for another program, predicting the same."""
    tree = read_model(model).tree
    answer(_converted(tree, language), output)
    return 0


def _converted(tree: Tree, language: Language) -> str | bytes:
    write: dict[Language, Any] = {
        Language.SQL: lambda: to_sql(tree) + "\n",
        Language.PYTHON: lambda: to_python(tree),
        Language.RULES: lambda: "\n".join(to_rules(tree)) + "\n",
        Language.DOT: lambda: to_dot(tree) + "\n",
        Language.SKLEARN_JSON: lambda: to_sklearn_json(tree) + "\n",
        Language.ONNX: lambda: to_onnx(tree),
    }
    text: str | bytes = write[language]()
    return text


def _table(data: str, known: ModelFile) -> Any:
    return RawTable(data=data).frame(known.form, known.text_columns)
