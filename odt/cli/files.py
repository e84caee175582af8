"""Files that a command writes: whole or not at all, and refused before any work is done."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer


def writable(path: Path | None) -> Path | None:
    """Return a path that can be written.

    Raises
    ------
    BadParameter
        If it is a folder, or its folder does not exist or cannot be written.
    """
    if path is None:
        return None
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise typer.BadParameter(f"{path} is a folder. Name a file.")
    if not target.parent.is_dir():
        raise typer.BadParameter(f"{path} cannot be written: {path.parent} is no folder.")
    place = target if target.exists() and not target.is_file() else target.parent
    if not os.access(place, os.W_OK):
        raise typer.BadParameter(f"{path} cannot be written: no permission.")
    return path


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file in one step: whoever looks finds the old one or the new one, never a part.

    Parameters
    ----------
    path : Path
        A link is followed; a pipe or device is written to directly.
    content : str or bytes
        Text is encoded in UTF-8.
    """
    data = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(part, target.stat().st_mode)
        os.replace(part, target)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def answer(content: str | bytes, path: Path | None) -> None:
    """Write to a file, or to standard output if none is named."""
    if path is not None:
        write_file(path, content)
    elif isinstance(content, str):
        sys.stdout.write(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """Yield a path in a passing folder; what is written there moves beside ``path`` at the end.

    For writers that make several files. Nothing moves if they fail.
    """
    folder = Path(os.path.realpath(path)).parent
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{path.name}.") as passing:
        yield Path(passing, path.name)
        for made in sorted(Path(passing).iterdir()):
            os.replace(made, folder / made.name)
