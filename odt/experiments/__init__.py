"""Experiments: a grid of runs, each in a process of its own, written down as soon as known."""

from odt.experiments.grid import Grid
from odt.experiments.report import Report, report
from odt.experiments.session import experiment

__all__ = ["Grid", "Report", "experiment", "report"]
