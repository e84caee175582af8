"""The documentation is complete, linked and can be built."""

import re
import runpy
import shutil
import subprocess
import tomllib
from importlib.util import find_spec

import pytest
import typer
from code_blocks import PAGES, ROOT, name

import odt
from odt.cli.commands import app

DOCS = ROOT / "docs"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
BUILDER = {"myst_parser": "myst-parser", "sphinx": "sphinx"}


@pytest.fixture
def configuration():
    """The names that docs/conf.py defines."""
    return runpy.run_path(str(DOCS / "conf.py"))


def test_configuration_uses_what_the_docs_extra_installs(configuration):
    """An extension or theme that 'make docs' would not have is noticed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = [re.split(r"[>=<]", item)[0] for item in project["optional-dependencies"]["docs"]]
    used = {extension.split(".")[0] for extension in configuration["extensions"]}
    assert {BUILDER[module] for module in used} <= set(installed)
    assert configuration["html_theme"] in installed
    assert configuration["release"] == project["version"]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_resolve(page):
    """Every link to a file of the repository has a target."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_option_of_the_command_line_is_described():
    """docs/cli.md names all options of all commands, and none that does not exist."""
    group = typer.main.get_command(app)
    known = {
        option
        for command in (group, *group.commands.values())
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    } - {"--help"}
    described = set(re.findall(r"--[a-z][a-z-]+", (DOCS / "cli.md").read_text())) - {"--help"}
    assert described == known


def test_decisions_are_numbered_without_gaps_and_have_a_status():
    """Records are found by number."""
    records = sorted((DOCS / "decisions").glob("*.md"))
    numbers = [int(record.name[:4]) for record in records]
    assert numbers == list(range(1, len(records) + 1))
    assert all("**Status:**" in record.read_text() for record in records)


def test_the_reference_names_everything_that_is_public():
    """What `import odt` offers is in docs/reference.md; errors are listed from their module."""
    reference = (DOCS / "reference.md").read_text()
    public = {name for name in odt.__all__ if not hasattr(odt.errors, name)}
    assert {name for name in public if not re.search(rf"\b{name}\b", reference)} == set()


@pytest.mark.skipif(
    any(find_spec(module) is None for module in (*BUILDER, "furo")), reason="no docs extra"
)
def test_documentation_builds_without_warnings(tmp_path):
    """Broken references and unlisted pages are warnings, and warnings are errors."""
    from sphinx.cmd.build import build_main

    assert build_main(["-W", "-q", str(DOCS), str(tmp_path)]) == 0


@pytest.mark.slow
@pytest.mark.skipif(
    any(find_spec(module) is None for module in (*BUILDER, "furo")), reason="no docs extra"
)
@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
def test_pages_open_in_a_browser_without_errors(tmp_path):
    """Headless Chromium prints nothing on its console for pages of each kind."""
    from sphinx.cmd.build import build_main

    assert build_main(["-W", "-q", str(DOCS), str(tmp_path)]) == 0
    for page in ("index", "tutorial", "methods", "reference", "guides/exchange"):
        done = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             "--v=0", "--virtual-time-budget=4000", "--dump-dom", f"file://{tmp_path}/{page}.html"],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert "</html>" in done.stdout, page
        assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == [], page
