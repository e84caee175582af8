"""Running a script that is no grid of runs, once for each version of its output."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.catalogue import Profile
from odt.cli.files import write_file
from odt.experiments.machine import commit, machine

ROOT = Path(__file__).resolve().parents[1]


def text_of(profile: Profile, arguments: tuple[str, ...], output: Path) -> str:
    """Run a script unless its output is there; return the output as a section of the ledger.

    Parameters
    ----------
    profile : Profile
    arguments : tuple of str
    output : Path
        Written when the script has ended well; remove it to run the script again.

    Raises
    ------
    subprocess.CalledProcessError
        If the script fails.
    """
    if output.exists():
        return output.read_text()
    module = f"benchmarks.profiles.{profile.module}"
    call = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(call, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    day = datetime.now(UTC).date().isoformat()
    shown = " ".join(["python", "-m", module, *arguments])
    text = f"`{shown}`: {day}, commit {commit() or 'unknown'}, {machine()}.\n\n"
    text += f"```text\n{done.stdout.rstrip()}\n```\n"
    output.parent.mkdir(parents=True, exist_ok=True)
    write_file(output, text)
    return text
