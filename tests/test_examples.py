"""Every example runs by itself and prints something."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ARGUMENTS = {
    "02_compare_solvers.py": ["0.3"],
    "10_swap_formulations.py": ["0.5"],
    "11_ablation.py": ["0.5"],
}
"""Short runs for examples that take a time limit."""


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(script, tmp_path):
    """A user who starts it from any folder sees results, not a traceback."""
    if "ODT_DATA" in script.read_text() and "ODT_DATA" not in os.environ:
        pytest.skip("ODT_DATA is not set")
    draws = "[output.png]" in script.read_text()
    picture = ["drawn.png"] if draws else []
    done = subprocess.run(
        [sys.executable, str(script), *ARGUMENTS.get(script.name, []), *picture],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert draws == (tmp_path / "drawn.png").exists()


def test_examples_that_compare_draw_it():
    """Whoever solves with several solvers or options can save a picture of the comparison."""
    comparing = [
        path
        for path in EXAMPLES
        if re.search(
            r"odt\.compare\(|for (solver|budget|zeta|name, options|name) in ", path.read_text()
        )
    ]
    assert len(comparing) >= 7
    assert [path.name for path in comparing if "[output.png]" not in path.read_text()] == []


def test_examples_are_numbered_and_say_what_they_show():
    """The numbers give a reading order; the first line of each is its table of contents."""
    assert [path.name[:2] for path in EXAMPLES][:2] == ["01", "02"]
    assert all(path.read_text().startswith('"""') for path in EXAMPLES)
