"""All commands, in the order in which the help names them."""

from importlib import import_module

from odt.cli.app import app, option_names

__all__ = ["app", "option_names"]

for _name in ("problems", "models", "fronts", "listing", "experiments", "authors"):
    import_module(f"odt.cli.{_name}")  # a module adds its commands to the app
