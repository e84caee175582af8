"""Benchmarks run on whatever data they are given."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_min_size_needs_no_instance_of_a_certain_name(tmp_path: Path) -> None:
    """A folder with one instance of any name: its line is written, with the published optimum."""
    folder = tmp_path / "minsize"
    folder.mkdir()
    with zipfile.ZipFile(folder / "instances.zip", "w") as archive:
        archive.writestr("mine_0.5_0.txt", "0 1 5\n1 2 5\n0 3 5\n")  # x0: two cuts, so 2 branches
    (folder / "published.csv").write_text(
        "instance,solved,opt_inner,witty_seconds\nmine_0.5_0,1,2,0.1\n"
    )
    output = tmp_path / "out.csv"
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "min_size.py"), "--output", str(output)],
        env={**os.environ, "ODT_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    with output.open() as file:
        (line,) = csv.DictReader(file)
    assert (line["instance"], line["status"], line["branches"]) == ("mine_0.5_0", "optimal", "2")
    assert "different: 0" in done.stdout
