"""A model file: a tree as JSON, with notes on how its data were read and what was proved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from odt.core.result import Result
from odt.errors import DataError
from odt.model.text import to_dict
from odt.model.tree import Tree

_NOTES = "model"
_TEXTS = ("separator", "decimal", "encoding")


@dataclass(frozen=True)
class ModelFile:
    """A fitted tree and what is known about it.

    Attributes
    ----------
    tree : Tree
    target : str or None
        Name of the label column.
    form : dict
        How its data were written, as far as the user said (see `TextFormat`); tables to predict
        are read alike.
    """

    tree: Tree
    target: str | None
    form: Mapping[str, Any]

    @property
    def text_columns(self) -> list[str]:
        """Features whose categories are text, also where they look like numbers."""
        schema = self.tree.schema
        assert schema is not None
        return [
            name
            for name, known in zip(schema.feature_names, schema.categories, strict=True)
            if known and all(isinstance(value, str) for value in known)
        ]


def model_text(result: Result, tree: Tree, target: str | None, form: Mapping[str, Any]) -> str:
    """Return the text of a model file; `odt.Tree.from_json` reads the tree in it."""
    notes = {
        "target": target,
        "form": dict(form),
        "objective": str(result.problem.objective),
        "value": result.objective,
        "bound": result.bound,
        "status": result.status.value,
        "solver": result.method,
    }
    return json.dumps(to_dict(tree) | {_NOTES: notes}, default=str) + "\n"


def read_model(path: Path) -> ModelFile:
    """Read what 'odt fit' wrote, or 'odt solve --save'.

    Raises
    ------
    DataError
        If the file cannot be read or holds no tree with names.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Cannot read the model {path}: {error}.") from None
    try:
        tree = Tree.from_json(text)
    except DataError as error:
        raise DataError(f"{path} is no model that 'odt fit' wrote. {error}") from None
    if tree.schema is None:
        raise DataError(f"The tree in {path} has no names of features: write it with 'odt fit'.")
    notes = json.loads(text).get(_NOTES) or {}
    form = notes.get("form") if isinstance(notes, dict) else None
    target = notes.get("target") if isinstance(notes, dict) else None
    return ModelFile(
        tree, target if isinstance(target, str) else None, _checked_form(form or {}, path)
    )


def _checked_form(form: Any, path: Path) -> dict[str, Any]:
    """Take from a file only what can say how a text file is written."""
    known = isinstance(form, dict) and all(
        (name in _TEXTS and isinstance(value, str))
        or (name == "header" and isinstance(value, bool))
        or (
            name == "na_values"
            and isinstance(value, list)
            and all(isinstance(text, str) for text in value)
        )
        for name, value in form.items()
    )
    if not known:
        raise DataError(f"The notes of {path} on how to read data make no sense: {form!r}.")
    return dict(form)


def default_path(data: str) -> Path:
    """Return the file that a model of some data is written to unless another is named.

    Examples
    --------
    >>> str(default_path("folder/bank.csv.gz")), str(default_path("openml:31"))
    ('bank.model.json', 'openml-31.model.json')
    """
    stem = Path(data).name.split(".")[0] if data != "-" else "stdin"
    return Path(re.sub(r"[^\w.-]+", "-", stem) + ".model.json")
