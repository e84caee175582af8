"""pytest plugin: gives ``pytest --pyargs odt.testing`` its options, and no other run anything.

It stands outside of the package so that pytest does not import odt where nobody asked for it.
"""

from __future__ import annotations

from typing import Any


def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> None:
    """Load the options if the suite is among the arguments."""
    if any(argument.startswith("odt.testing") for argument in args):
        early_config.pluginmanager.import_plugin("odt.testing.options")
