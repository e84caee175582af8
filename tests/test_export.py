"""Programs as files: another solver finds the same optimum, and its solution comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from formulations.export import export_model, tree_of_solution
from formulations.linear.base import LinearFormulation
from odt import Dataset, Problem, ProblemError, Shape, solve
from odt.cli import main
from odt.core.registry import make_solver, solver_class, solver_names

PROBLEM = Problem(
    Dataset([[0, 1], [1, 0], [2, 2], [3, 0], [0, 2], [2, 1]], [0, 1, 0, 1, 1, 0]),
    "error + 0.01*size",
    Shape(max_depth=2),
)
LINEAR = [
    name
    for name in solver_names()
    if issubclass(solver_class(name), LinearFormulation) and name != "benders-oct"
]


def read_with_scip(path: Path) -> tuple[float, dict[str, float]]:
    """Solve a file with SCIP; return the optimum and the values by name."""
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(path))
    model.optimize()
    return model.getObjVal(), {v.name: model.getVal(v) for v in model.getVars()}


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("name", LINEAR)
def test_scip_solves_exported_programs(name: str, suffix: str, tmp_path: Path) -> None:
    """The file holds the whole program: SCIP's optimum is ours, and its solution is a tree."""
    path = tmp_path / f"model{suffix}"
    solver = make_solver(name, {})
    record = json.loads(export_model(solver, PROBLEM, path).read_text())
    cost, values = read_with_scip(path)
    optimum = solve(PROBLEM, "dp").cost
    assert optimum is not None
    assert round(cost) == optimum or round(cost + record["constant"]) == optimum
    assert PROBLEM.cost(tree_of_solution(solver, PROBLEM, values)) == optimum
    assert len(record["tests"]) == PROBLEM.compiled.n_tests


@pytest.mark.parametrize("suffix", [".wcnf", ".pbtxt"])
def test_clause_programs_have_files_too(suffix: str, tmp_path: Path) -> None:
    """Clause programs go to their own formats."""
    path = tmp_path / f"model{suffix}"
    record = json.loads(export_model(make_solver("cp-sat", {}), PROBLEM, path).read_text())
    assert path.stat().st_size > 100
    assert record["formulation"] == "cp-sat"


def test_wrong_ending(tmp_path: Path) -> None:
    """The message names the endings that fit."""
    with pytest.raises(ProblemError, match=r"\.lp or \.mps"):
        export_model(make_solver("flow-oct", {}), PROBLEM, tmp_path / "model.wcnf")


def test_values_that_are_no_solution() -> None:
    """A made-up solution is refused with the constraint it breaks."""
    from odt import OdtError

    with pytest.raises(OdtError, match="no solution"):
        tree_of_solution(make_solver("flow-oct", {}), PROBLEM, {"p_0": 0.5})


def test_compile_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line writes the file and its map, and says so."""
    target = tmp_path / "iris.lp"
    command = ["compile", "iris", "--max-depth", "1", "-f", "flow-oct", "-o", str(target)]
    assert main(command) == 0
    assert target.exists()
    assert f"{target}.json" in capsys.readouterr().out


def test_compile_needs_a_formulation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Engines have no program to write; the error says so in one line."""
    assert main(["compile", "iris", "-f", "dp", "-o", str(tmp_path / "x.lp")]) == 2
    assert "not a formulation" in capsys.readouterr().err
