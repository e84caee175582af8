"""Fenced blocks of Markdown pages."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of one language, in order."""
    return [body for name, body in _FENCE.findall(page.read_text()) if name == language]


def commands(page: Path) -> list[str]:
    """Return the commands of the console blocks, without the prompt."""
    lines = "".join(blocks(page, "console")).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def name(page: Path) -> str:
    """Return the path of a page from the root."""
    return page.relative_to(ROOT).as_posix()
