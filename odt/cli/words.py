"""Messages of the library in the words of the command line: ``--max-depth`` for ``'max_depth'``."""

from __future__ import annotations

import re
from collections.abc import Collection

_OTHER_NAMES = {
    "na_values": "na",
    "sample_weight": "weight",
    "n_threads": "threads",
    "complexity": "against",
    "q": "quantiles",
}
_PHRASES = {
    r"tests=odt\.TestSet\.quantiles\(dataset, (\d+)\)": r"quantiles=\1",
    r"(header=\w+) \(--[a-z-]+\)": r"\1",
    r"Shape\((\w+=[^()]*)\)": r"\1",
}


def in_options(message: str, options: Collection[str]) -> str:
    """Return a message that names options as they are typed.

    Parameters
    ----------
    message : str
    options : collection of str
        Their long names without dashes, such as ``max-depth``.

    Examples
    --------
    >>> in_options("'max_depth' must be an int; or say missing='drop'.", {"max-depth", "missing"})
    '--max-depth must be an int; or say --missing drop.'
    """
    for phrase, instead in _PHRASES.items():
        message = re.sub(phrase, instead, message)

    def option(name: str) -> str | None:
        typed = _OTHER_NAMES.get(name, name).replace("_", "-")
        return typed if typed in options else None

    def assigned(match: re.Match[str]) -> str:
        name = option(match["name"])
        if name is None:
            return match[0]
        if match["value"] in ("True", "False"):
            return f"--{'' if match['value'] == 'True' else 'no-'}{name}"
        values = re.sub(r"[\[\]']|(?<=,) ", "", match["value"])
        return f"--{name} {values}"

    def quoted(match: re.Match[str]) -> str:
        name = option(match["name"])
        return match[0] if name is None else f"--{name}"

    value = r"(?P<value>\[[^\]]*\]|'[^']*'|True|False|\d[\w.]*)"
    message = re.sub(rf"\b(?P<name>[a-z_]+)={value}", assigned, message)
    message = re.sub(r"'(?P<name>[a-z_]+)'(?= must| has| is no| does| names)", quoted, message)
    return re.sub(r"\b(?P<name>sample_weight|test_costs|q)\b(?= must| is| names)", quoted, message)
