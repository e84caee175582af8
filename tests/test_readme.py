"""What README and the guide show is what happens."""

import re
import shlex

import pytest
from code_blocks import PAGES, ROOT, blocks, commands, name

from odt.cli import main

README = ROOT / "README.md"
WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
WITH_COMMANDS = [page for page in PAGES if commands(page)]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, and draw the pictures that it shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    module = {"__name__": "page"}
    for block in blocks(page, "python"):
        exec(compile(block, name(page), "exec"), module)
    drawn = {path.name for path in tmp_path.glob("*.png")}
    shown = {
        path.rpartition("/")[2] for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text())
    }
    assert drawn <= shown


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name)
def test_commands_exist(page, capsys, tmp_path, monkeypatch):
    """Each odt command runs with exit code 0; each make target is in the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    monkeypatch.chdir(tmp_path)  # some write files
    for command in commands(page):
        program, *arguments = shlex.split(command)
        if program == "odt":
            assert main(arguments) == 0, capsys.readouterr().err
        elif program == "make":
            assert f"\n{arguments[0]}:" in makefile


def test_the_two_commands_come_first():
    """A newcomer sees what to type before anything else: the main job, then the tests."""
    assert commands(README)[:2] == ["make demo", "make test"]


def test_the_printed_table_is_real(capsys):
    """README shows what 'odt compare' prints: values, bounds and gaps, but for the times."""
    compare = next(c for c in commands(README) if c.startswith("odt compare"))
    assert main(shlex.split(compare)[1:]) == 0
    printed = values_part(capsys.readouterr().out)
    assert printed in [values_part(block) for block in blocks(README, "text")]


def values_part(table):
    """Return the words above the first empty line; equally good trees may differ below it."""
    rows = [line.split() for line in table.partition("\n\n")[0].splitlines()]
    return [row[:-2] if row[-1] == "s" else row for row in rows]
