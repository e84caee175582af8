"""The commands that solve a problem, or write it down: solve, check, compare, compile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from odt.cli import show
from odt.cli.app import app
from odt.cli.files import staged, writable, write_file
from odt.cli.interrupts import finishing
from odt.cli.model_file import model_text
from odt.cli.noise import noise_to_stderr
from odt.cli.options import (
    Json,
    SolverName,
    SolverOptions,
    comma_list,
    solver_options,
    with_options,
)
from odt.cli.solving import solved
from odt.cli.task import Source, Task
from odt.compare import Attempt, compare, tabulate
from odt.core.registry import make_solver
from odt.core.solver import Status
from odt.draw.report import comparison_html
from odt.errors import InconsistentSolutionError
from odt.model.problem import Problem
from odt.model.text import to_dot
from odt.proof import RefusedError, certify, check


@app.command("solve")
@with_options
def solve_command(
    task: Task,
    solver: SolverName = "auto",
    option: SolverOptions = None,
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
    with finishing() as hold:
        result = solved(task, solver, option, hold)
        if as_json:
            print(json.dumps(show.result_record(result), default=str))
        else:
            show.print_result(task.data, result)
        if result.tree is not None and save is not None:
            write_file(save, model_text(result, result.tree, task.target, task.form))
        if result.tree is not None and dot is not None:
            write_file(dot, to_dot(result.tree) + "\n")
    if proof is not None:
        certify(result, time_limit=task.time_limit).save(proof)
    return show.exit_code(result)


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
        dataset = Source(
            data=data, target=target, weight=weight, categorical=categorical, test_costs=test_costs
        ).dataset()
    try:
        print(check(file, dataset))
    except RefusedError as error:
        raise InconsistentSolutionError(f"{file} is refused: {error}") from None
    return 0


@app.command("compare")
@with_options
def compare_command(
    task: Task,
    solvers: Annotated[str, typer.Option("--solvers", "-s", help="Names: cart,dpdt,dp.")],
    warm_start: Annotated[
        bool, typer.Option("--warm-start", help="Give the best heuristic tree to exact solvers.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Solvers to run at a time.")] = 1,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV for machines.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a report with all trees to this HTML file.", callback=writable),
    ] = None,
) -> int:
    """Solve DATA with several solvers and print how far each is from the best.

    Heuristics run first. Ctrl-C keeps what is known so far and skips the rest.
    """
    problem, names = task.problem(), comma_list(solvers)
    attempts: list[Attempt] = []
    with finishing() as hold:
        try:
            table = _compared(task, problem, names, warm_start, jobs, attempts)
        except KeyboardInterrupt:
            if not attempts:
                raise
            table = tabulate(attempts)
        hold()
        if as_json:
            print(json.dumps(show.comparison_records(table)))
        elif as_csv:
            print(table.to_csv(index=False), end="")
        else:
            show.print_comparison(task.data, problem, table)
        if html is not None:
            write_file(html, comparison_html(task.data, problem, attempts, table))
    return 0 if any(o.status in {s.value for s in Status} for o in attempts) else 1


def _compared(
    task: Task,
    problem: Problem,
    names: list[str],
    warm_start: bool,
    jobs: int,
    attempts: list[Attempt],
) -> Any:
    with noise_to_stderr(), show.waiting(names, task.quiet) as arrived:

        def on_attempt(attempt: Attempt) -> None:
            attempts.append(attempt)
            arrived(attempt)

        return compare(
            problem,
            names,
            budget=task.budget(),
            warm_start=warm_start,
            seed=task.seed,
            n_jobs=jobs,
            on_attempt=on_attempt,
        )


@app.command("compile")
@with_options
def compile_command(
    task: Task,
    formulation: Annotated[str, typer.Option("--formulation", "-f", help="See 'odt solvers'.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File: .lp, .mps, .wcnf or .pbtxt.", callback=writable),
    ],
    option: SolverOptions = None,
) -> int:
    """Write DATA as a program for other solvers, with a map from its variables (FILE.json)."""
    from formulations.export import export_model

    solver, problem = make_solver(formulation, solver_options(option)), task.problem()
    with noise_to_stderr(), staged(output) as passing:
        record = export_model(solver, problem, passing)
    print(f"{output}\n{output.with_name(record.name)}")
    return 0
