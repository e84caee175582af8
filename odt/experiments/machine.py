"""On what machine and with which versions a run was done."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

import odt
from odt.core.run import machine_memory


@cache
def machine() -> str:
    """Return name, processor, cores and memory of this machine."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = models[0] if models else processor
    except OSError:  # not Linux
        pass
    memory = machine_memory() / 1024
    return f"{platform.node()}, {processor}, {os.cpu_count()} cores, {memory:.0f} GiB"


@cache
def commit() -> str:
    """Return the commit of odt's checkout, with ``+`` if files differ from it; empty without."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return ""

    def git(*arguments: str) -> str:
        call = ["git", "-C", str(folder), *arguments]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "HEAD")[:12] + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):  # no git
        return ""


def versions(modules: Iterable[str]) -> str:
    """Return the versions of Python, odt, numpy and of the packages of some modules, as JSON."""
    found = {"python": platform.python_version(), "odt": odt.__version__}
    for module in ("numpy", *modules):
        for package in _packages().get(module.split(".")[0], ()):
            try:
                found[package] = version(package)
            except PackageNotFoundError:
                continue
    return json.dumps(found)


@cache
def _packages() -> dict[str, list[str]]:
    return {name: list(dict.fromkeys(found)) for name, found in packages_distributions().items()}
