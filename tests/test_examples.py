"""Every example runs by itself and prints something."""

import os
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
    done = subprocess.run(
        [sys.executable, str(script), *ARGUMENTS.get(script.name, [])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_examples_are_numbered_and_say_what_they_show():
    """The numbers give a reading order; the first line of each is its table of contents."""
    assert [path.name[:2] for path in EXAMPLES][:2] == ["01", "02"]
    assert all(path.read_text().startswith('"""') for path in EXAMPLES)
