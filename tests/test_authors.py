"""What authors of solvers are given: one import, files that work, a suite to run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import odt
from formulations import author
from formulations.scaffold import new_formulation
from odt.core.registry import make_solver
from odt.errors import ProblemError, UnknownSolverError

ROOT = Path(__file__).parent.parent
IS_INSTALLED = any(found.value == "pytest_odt" for found in entry_points(group="pytest11"))
SUITE = [sys.executable, "-m", "pytest", *([] if IS_INSTALLED else ["-p", "pytest_odt"])]
SUITE += ["--pyargs", "odt.testing", "-q", "-p", "no:cacheprovider", "--problems", "3", "--solver"]


def test_a_plug_in_passes_the_suite_as_it_is(tmp_path: Path) -> None:
    """``odt new-formulation`` and the suite on what it wrote, as the documentation says."""
    paths, place = new_formulation("my-oct", tmp_path)
    assert [path.name for path in paths] == ["my_oct.py", "test_my_oct.py"]
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PATH": ""}
    done = subprocess.run([*SUITE, place], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_the_suite_fails_a_solver_that_lies(tmp_path: Path) -> None:
    """A broken solver does not pass."""
    env = {"PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}", "PATH": ""}
    done = subprocess.run(
        [*SUITE, "broken_solvers:Lies"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The claim of 'lies' is refused" in done.stdout


def test_the_plug_in_of_pytest_is_declared() -> None:
    """An installed odt gives pytest the options by itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"odt": "pytest_odt"}
    assert project["tool"]["setuptools"]["py-modules"] == ["pytest_odt"]


def test_in_a_checkout_the_table_gets_a_line(tmp_path: Path) -> None:
    """Model, test and table line; the table stays in order and can be read."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "formulations").mkdir()
    shutil.copy(ROOT / "formulations" / "__init__.py", tmp_path / "formulations")
    paths, place = new_formulation("crisp-oct", tmp_path)
    assert place == "formulations.contributed.crisp_oct:CrispOct"
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "formulations/contributed/crisp_oct.py",
        "tests/test_crisp_oct.py",
        "formulations/__init__.py",
    ]
    table: dict[str, dict[str, str]] = {}
    exec((tmp_path / "formulations" / "__init__.py").read_text(), table)
    assert table["SOLVERS"]["crisp-oct"] == place
    assert list(table["SOLVERS"]) == sorted(table["SOLVERS"])
    assert "import CrispOct" in paths[1].read_text()
    with pytest.raises(ProblemError, match="exists already"):
        new_formulation("crisp-oct", tmp_path)


@pytest.mark.parametrize(("name", "message"), [("My_Oct", "lower case"), ("flow-oct", "already")])
def test_names_that_cannot_be(name: str, message: str, tmp_path: Path) -> None:
    """Refused before anything is written."""
    with pytest.raises(ProblemError, match=message):
        new_formulation(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_solvers_are_found_by_place() -> None:
    """``module:Class`` works wherever a name does; what is no solver there is told."""
    problem = odt.Problem(odt.Dataset([[0], [1]], ["a", "b"]), "error", odt.Shape(max_depth=1))
    assert odt.solve(problem, "broken_solvers:Stump").objective in (0.0, 0.5)
    for place in ("no_module:X", "broken_solvers:Missing", "broken_solvers:small"):
        with pytest.raises(UnknownSolverError):
            make_solver(place, {})


def test_the_face_for_authors_lists_what_it_has() -> None:
    """Every name that is promised can be imported from there."""
    assert all(hasattr(author, name) for name in author.__all__)
