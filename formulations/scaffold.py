"""The files of a new formulation, made from the template."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from odt.core.registry import solver_names
from odt.errors import ProblemError

_ROOM = "contributed"
_TEST = '''"""`{name}` keeps what the core and the docs promise of every solver."""

from {module} import {kind}
from odt.testing import SolverConformance


class Test{kind}(SolverConformance):
    """Agreement with enumeration, known optima, limits, determinism, warm starts."""

    solver = {kind}()
'''


def new_formulation(name: str, folder: Path) -> tuple[list[Path], str]:
    """Write a formulation that works, to be changed, and its test.

    In a checkout of odt the files go to ``formulations/contributed`` and ``tests``, and the table
    of solvers gets a line. Elsewhere both go to ``folder``.

    Parameters
    ----------
    name : str
        Registry name, lower case with hyphens.
    folder : Path
        Top of a checkout, or where to put a plug-in.

    Returns
    -------
    paths : list of Path
        What was written or changed.
    place : str
        ``"module:Class"``, as for `odt.solve`.

    Raises
    ------
    ProblemError
        For a name of another form, a solver that exists, or a file that would be overwritten.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ProblemError(f"A name is lower case with hyphens, such as 'my-oct'. Got {name!r}.")
    if name in solver_names():
        raise ProblemError(f"There is a solver {name!r} already. Choose another name.")
    stem, kind = name.replace("-", "_"), "".join(map(str.capitalize, name.split("-")))
    table = folder / "formulations" / "__init__.py"
    in_tree = table.is_file() and (folder / "tests").is_dir()
    module = f"formulations.{_ROOM}.{stem}" if in_tree else stem
    model = folder.joinpath(*module.split(".")).with_suffix(".py")
    test = (folder / "tests" if in_tree else folder) / f"test_{stem}.py"
    for path in (model, test):
        if path.exists():
            raise ProblemError(f"{path} exists already. Remove it or choose another name.")
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_text(_renamed(name, kind))
    test.write_text(_TEST.format(name=name, module=module, kind=kind))
    written, place = [model, test], f"{module}:{kind}"
    if in_tree:
        room = model.parent / "__init__.py"
        if not room.exists():
            room.write_text('"""Formulations that are new here."""\n')
        table.write_text(_with_line(table.read_text(), f'    "{name}": "{place}",\n'))
        written.append(table)
    return written, place


def _renamed(name: str, kind: str) -> str:
    """Return the source of the template under another name."""
    spec = find_spec("formulations.TEMPLATE")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text()
    head, _, rest = source.partition('"""\n')
    first, _, body = head.partition("\n")
    first = f'"""`{name}`: made from the template. Replace this by your paper\'s model.'
    source = f'{first}\n{body}"""\n{rest}'
    return source.replace('"template"', f'"{name}"').replace("Template", kind)


def _with_line(table: str, line: str) -> str:
    """Return the source of a table of solvers with one line more, in order."""
    head, start, rest = table.partition("SOLVERS = {\n")
    lines, end, tail = rest.partition("}\n")
    return head + start + "".join(sorted([*lines.splitlines(keepends=True), line])) + end + tail
