"""The shape of the code: who imports whom, how big files are, what is documented."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

import odt
from odt.core.registry import HOMES, solver_class, solver_names

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path
    for folder in ("odt", "formulations", "heuristics", "tests", "examples", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)
MODULES = sorted(
    found.name
    for package in (odt, *map(importlib.import_module, HOMES[1:]))
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not found.name.endswith("__main__")
)
HEAVY = ("sklearn", "pandas", "ortools", "numba", "networkx", "scipy", "pulp", "highspy", "joblib",
         "rich", "typer", "matplotlib", "gymnasium", "stable_baselines3", "torch")  # fmt: skip

LAYERS = (
    {"errors"},
    {"data"},
    {"model"},
    {"transform", "convert", "draw"},
    {"core"},
    {"solve"},
    {"mdp"},
    {"engine"},
    {"proof"},
    {"generators"},
    {"compare", "pareto", "datasets"},
    {"experiments"},
    {"estimators", "cli", "testing", "__main__"},
)
"""Parts of odt from left to right; each imports only from its own layer and those before it."""

ENGINE_LAYERS = (
    {"lending", "linking", "quiet_highs", "squares"},
    {"compilation"},
    {"dp", "front", "min_size", "fpt", "brute_force"},
    {"branch_and_bound"},
    {"auto"},
)
"""The same inside ``odt.engine``: searches do not know each other, but for the last two."""

FORMULATION_LAYERS = (
    {"program"},
    {"model"},
    {"tree", "backends"},
    {"base"},
    {"graph", "clause"},
    {"linear"},
    {"author"},
    {"TEMPLATE", "capabilities", "contributed", "export", "scaffold"},
)
"""The same inside ``formulations``."""

AGAINST = {
    ("odt.core", "odt.proof"): "a result writes its own proof",
    ("odt.cli", "formulations"): "'odt compile' is the door to the export of programs",
}
"""Imports inside functions that go to the right, with the reason why they stay."""


def imports(path: Path, top_level_only: bool) -> set[str]:
    """Return the modules that a file imports, those for type checkers left out."""
    tree = ast.parse(path.read_text())
    guarded = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.walk(node)
    }
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found = set()
    for node in nodes:
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def part(module: str, home: str = "odt") -> str:
    """Return the part of a home that a dotted name belongs to; empty for other packages."""
    return module.removeprefix(f"{home}.").split(".")[0] if module.startswith(f"{home}.") else ""


def check_directions(path: Path, home: str, layers: tuple[set[str], ...]) -> None:
    """Check that a file imports, inside functions too, only from its own layer and the left."""
    rank = {name: position for position, names in enumerate(layers) for name in names}
    folder = ROOT.joinpath(*home.split("."))
    own = path.relative_to(folder).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    assert own in rank, f"put {own} into the layers of {home}"
    for module in imports(path, top_level_only=False):
        other = part(module, home)
        if (f"{home}.{own}", f"{home}.{other}") not in AGAINST and other in rank:
            assert (
                rank[other] < rank[own]
                or other == own
                or (home == "odt" and (rank[other] == rank[own]))
            ), f"{home}.{own} imports {module}"


@pytest.mark.parametrize("path", [p for p in FILES if p.is_relative_to(ROOT / "odt")], ids=str)
def test_odt_imports_only_from_the_left(path):
    """The core never knows solvers' homes, and its layers have one direction."""
    check_directions(path, "odt", LAYERS)
    own = f"odt.{path.relative_to(ROOT / 'odt').parts[0].removesuffix('.py')}"
    for module in imports(path, top_level_only=False):
        home = module.split(".")[0]
        assert home not in HOMES[1:] or (own, home) in AGAINST, f"{own} imports {module}"


@pytest.mark.parametrize(
    ("home", "layers"),
    [("odt.engine", ENGINE_LAYERS), ("formulations", FORMULATION_LAYERS)],
    ids=["engine", "formulations"],
)
def test_rooms_have_a_direction(home, layers):
    """A search knows no other search, and a program no tree."""
    for path in sorted((ROOT.joinpath(*home.split("."))).rglob("*.py")):
        check_directions(path, home, layers)


def test_exceptions_are_in_use():
    """What is listed as an exception still is one."""
    used = set()
    for path in FILES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        for module in imports(path, top_level_only=False):
            used |= {(".".join(parts[:2]), ".".join(module.split(".")[:n])) for n in (1, 2)}
    assert set(AGAINST) <= used


def test_modules_are_loaded_by_name_from_tables_only():
    """``import_module`` takes what a table of a home lists, so that no import hides in a string."""
    hidden = []
    for path in FILES:
        if path.relative_to(ROOT).parts[0] not in ("odt", "formulations", "heuristics"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                hidden += [
                    (path.name, ast.unparse(a)) for a in node.args if isinstance(a, ast.Constant)
                ]
    assert hidden == []
    located = [
        path.relative_to(ROOT).as_posix()
        for path in FILES
        if path.relative_to(ROOT).parts[0] in ("odt", "formulations", "heuristics")
        and re.search(r"\"(odt|formulations|heuristics)(\.\w+)+:\w+\"", path.read_text())
    ]
    assert sorted(located) == [
        "formulations/__init__.py",
        "formulations/export.py",
        "formulations/linear/base.py",
        "heuristics/__init__.py",
        "odt/engine/__init__.py",
    ]


@pytest.mark.parametrize(("home", "other"), [HOMES[1:], HOMES[:0:-1]])
def test_homes_of_solvers_do_not_know_each_other(home, other):
    """A warm start arrives as run.initial, never by an import."""
    for path in (ROOT / home).rglob("*.py"):
        assert not any(m.split(".")[0] == other for m in imports(path, top_level_only=False))


def test_importing_odt_is_light():
    """Only numpy is loaded: scikit-learn, pandas and the solvers cost seconds."""
    code = f"import odt, sys; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_every_solver_class_is_in_a_table():
    """A solver that no table lists cannot be found by name, nor by the conformance tests."""
    for module in MODULES:
        if not module.startswith("odt.testing"):
            needs_extra = module.startswith("heuristics.rl.deep")
            with suppress(odt.MissingDependencyError) if needs_extra else nullcontext():
                importlib.import_module(module)
    listed = {solver_class(name) for name in solver_names()}
    pending, missing = [odt.Solver], []
    while pending:
        for kind in pending.pop().__subclasses__():
            pending.append(kind)
            home = kind.__module__.split(".")[0]
            ours = home in ("odt", *HOMES[1:]) and kind.__module__ != "formulations.TEMPLATE"
            if ours and not inspect.isabstract(kind) and kind not in listed:
                missing.append(kind)
    assert missing == []


def test_tables_name_solvers_as_they_name_themselves():
    """The name in messages is the name to type."""
    assert {name: solver_class(name).name for name in solver_names()} == {
        name: name for name in solver_names()
    }


def test_no_file_is_long():
    """Nothing above 600 lines; nineteen of twenty files below 400."""
    lengths = {path: len(path.read_text().splitlines()) for path in FILES}
    assert [str(path) for path, length in lengths.items() if length > 600] == []
    assert sorted(lengths.values())[int(0.95 * len(lengths))] < 400


def test_no_module_is_called_after_nothing():
    """Names say what is inside."""
    vague = {"utils", "util", "helpers", "helper", "manager", "handler", "common", "misc"}
    assert [path.name for path in FILES if path.stem in vague] == []


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_documented(module):
    """Modules, classes, functions, methods and properties have a docstring."""
    path = Path(importlib.util.find_spec(module).origin)
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), module
    assert list(undocumented(tree)) == []


def undocumented(scope):
    """Yield public definitions below a module or class that lack a docstring."""
    for node in scope.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                yield node.name
            if isinstance(node, ast.ClassDef):
                yield from undocumented(node)


def test_a_failure_names_the_seed_of_the_test_not_of_the_library(tmp_path):
    """The report says which random problem failed; seeds of called functions do not count."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(
        "import odt\n"
        "def test_it():\n"
        "    for seed in range(17, 20):\n"
        "        odt.solve(None, 'dp', seed=3)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "test_it: seed 17" in done.stdout
    assert "seed 3" not in done.stdout.replace("seed=3", "")
