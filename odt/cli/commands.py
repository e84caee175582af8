"""The commands."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Annotated, Any

import typer

import odt
from odt.cli import catalogue, show
from odt.cli.files import staged, writable, write_file
from odt.cli.kernels import compile_kernels
from odt.cli.noise import noise_to_stderr
from odt.cli.task import Task, assignments, comma_list, with_task
from odt.compare import Attempt, compare
from odt.core.registry import make_solver, solver_class, solver_names
from odt.core.solver import Status
from odt.datasets import list_datasets
from odt.errors import InconsistentSolutionError, ProblemError
from odt.model.text import to_dot
from odt.model.tree import Tree
from odt.proof import RefusedError, certify, check
from odt.solve import solve

app = typer.Typer(
    name="odt",
    help="Optimal decision trees: state a problem once, solve it in many ways, check every proof.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"odt {odt.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("solve")
@with_task
def solve_command(
    task: Task,
    solver: Annotated[str, typer.Option("--solver", "-s", help="See 'odt solvers'.")] = "auto",
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="Option of the solver: NAME=VALUE.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the tree to this JSON file.", callback=writable)
    ] = None,
    dot: Annotated[
        Path | None, typer.Option(help="Write the tree to this Graphviz file.", callback=writable)
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(help="Write a proof of the result to this file.", callback=writable),
    ] = None,
    as_json: Json = False,
) -> int:
    """Find a tree for DATA, with its value and what is proved about it.

    Ctrl-C stops the solver and prints the best tree so far with its bound.
    """
    problem, budget = task.problem(), task.budget()
    options = {k: _value(v) for text in option or [] for k, v in assignments(text).items()}
    with noise_to_stderr(), show.progress(problem, solver) as on_report:
        result = solve(
            problem, solver, budget=budget, seed=task.seed, on_report=on_report, **options
        )
    if as_json:
        print(json.dumps(show.result_record(result), default=str))
    else:
        show.print_result(task.data, result)
    if proof is not None:
        certify(result, time_limit=task.time_limit).save(proof)
    if result.tree is None:
        return 0 if result.status is Status.INFEASIBLE else 1
    if save is not None:
        write_file(save, result.tree.to_json())
    if dot is not None:
        write_file(dot, to_dot(result.tree))
    return 0


@app.command("check")
def check_command(
    file: Annotated[Path, typer.Argument(help="A proof that 'odt solve --proof' wrote.")],
    data: Annotated[
        str | None, typer.Argument(help="The data it must be about: as DATA of 'odt solve'.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Label column of a file.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of example weights.")] = None,
    categorical: Annotated[str, typer.Option(help="Columns to read as categories: a,b.")] = "",
    test_costs: Annotated[str, typer.Option(help="Costs of features: a=2,b=0.5.")] = "",
) -> int:
    """Check a proof from the raw rows, those in FILE or those of DATA.

    The checker shares no code with the solvers; it runs by itself too (docs/proofs.md).
    """
    dataset = None
    if data is not None:
        options = {"target": target, "weight": weight}
        columns = {"categorical": categorical, "test_costs": test_costs}
        dataset = Task(data=data, **options, **columns).dataset()  # type: ignore[arg-type]
    try:
        print(check(file, dataset))
    except RefusedError as error:
        raise InconsistentSolutionError(f"{file} is refused: {error}") from None
    return 0


@app.command("explain")
@with_task
def explain_command(
    task: Task,
    row: Annotated[
        list[int] | None, typer.Option("--row", "-r", help="Row number from 0; repeatable. [0]")
    ] = None,
    tree: Annotated[
        Path | None, typer.Option(help="Tree written by 'odt solve --save'; found anew without.")
    ] = None,
    solver: Annotated[str, typer.Option("--solver", "-s", help="See 'odt solvers'.")] = "ser-dt",
    as_json: Json = False,
) -> int:
    """Say in words why a tree gives rows of DATA their class: one condition a feature."""
    problem = task.problem()
    data, rows = problem.dataset, row or [0]
    beyond = [r for r in rows if not 0 <= r < data.n_samples]
    if beyond:
        raise ProblemError(
            f"There is no row {beyond[0]}: {task.data} has the rows 0 to {data.n_samples - 1}."
        )
    if tree is not None:
        chosen: Tree | None = Tree.from_json(tree.read_text())
    else:
        chosen = solve(problem, solver, budget=task.budget(), seed=task.seed).tree
    if chosen is None:
        raise ProblemError(f"{solver!r} found no tree within the limits. Relax them.")
    records = [show.explanation_record(chosen, data, r) for r in rows]
    if as_json:
        print(json.dumps(records, default=str))
    else:
        show.print_explanations(records)
    return 0


@app.command("compare")
@with_task
def compare_command(
    task: Task,
    solvers: Annotated[str, typer.Option("--solvers", "-s", help="Names: cart,dpdt,dp.")],
    warm_start: Annotated[
        bool, typer.Option("--warm-start", help="Give the best heuristic tree to exact solvers.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Solvers to run at a time.")] = 1,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV for machines.")] = False,
) -> int:
    """Solve DATA with several solvers and print how far each is from the best.

    Heuristics run first. Ctrl-C keeps what is known so far and skips the rest.
    """
    problem, budget, names = task.problem(), task.budget(), comma_list(solvers)
    with noise_to_stderr(), show.waiting(names) as arrived:
        attempts: list[Attempt] = []

        def on_attempt(attempt: Attempt) -> None:
            attempts.append(attempt)
            arrived(attempt)

        table = compare(
            problem,
            names,
            budget=budget,
            warm_start=warm_start,
            seed=task.seed,
            n_jobs=jobs,
            on_attempt=on_attempt,
        )
    if as_json:
        print(json.dumps(show.comparison_records(table)))
    elif as_csv:
        print(table.to_csv(index=False), end="")
    else:
        show.print_comparison(task.data, problem, table)
    return 0 if any(o.status in {s.value for s in Status} for o in attempts) else 1


@app.command("compile")
@with_task
def compile_command(
    task: Task,
    formulation: Annotated[str, typer.Option("--formulation", "-f", help="See 'odt solvers'.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File: .lp, .mps, .wcnf or .pbtxt.", callback=writable),
    ],
    option: Annotated[
        list[str] | None, typer.Option("--option", help="Option of the formulation: NAME=VALUE.")
    ] = None,
) -> int:
    """Write DATA as a program for other solvers, with a map from its variables (FILE.json)."""
    from formulations.export import export_model

    options = {k: _value(v) for text in option or [] for k, v in assignments(text).items()}
    solver, problem = make_solver(formulation, options), task.problem()
    with noise_to_stderr(), staged(output) as passing:
        record = export_model(solver, problem, passing)
    print(f"{output}\n{output.with_name(record.name)}")
    return 0


@app.command("solvers")
def solvers_command(
    name: Annotated[str | None, typer.Argument(help="Show one solver with its options.")] = None,
    as_json: Json = False,
) -> int:
    """List the solvers and what they support, or the options of one."""
    if name is not None:
        kind = solver_class(name)
        if as_json:
            print(json.dumps(catalogue.solver_record(name, kind), default=str))
        else:
            catalogue.print_solver(name, kind)
        return 0
    kinds = {name: solver_class(name) for name in solver_names()}
    if as_json:
        print(json.dumps([catalogue.solver_record(*item) for item in kinds.items()], default=str))
    else:
        catalogue.print_solvers(kinds)
    return 0


@app.command("datasets")
def datasets_command(as_json: Json = False) -> int:
    """List the datasets that need no network."""
    names = list_datasets()
    print(json.dumps(names) if as_json else "\n".join(names))
    return 0


@app.command("kernels")
def kernels_command() -> int:
    """Compile the kernels of all engines now, not at the first use of each."""
    for name, compiling, loading in compile_kernels():
        print(f"{name}: {compiling:.1f} s compiling, {loading:.1f} s loading and running")
    return 0


def _value(text: str) -> Any:
    """Read 3, 0.5, True, None, 'text' or (1, 2) as Python does; anything else is text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def option_names() -> frozenset[str]:
    """Return the long names of all options, without their dashes."""
    group: Any = typer.main.get_command(app)
    return frozenset(
        option.removeprefix("--")
        for command in group.commands.values()
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--")
    )
