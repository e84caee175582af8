"""Every error that odt raises on purpose: what was got, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Callable


class OdtError(Exception):
    """Base of all errors raised by odt."""


class DataError(OdtError, ValueError):
    """The data cannot be used as they are (missing values, bad weights, unknown columns)."""


class ProblemError(OdtError, ValueError):
    """An objective, a shape, a budget or an option makes no sense."""


class UnsupportedProblemError(OdtError):
    """The chosen solver cannot handle something that the problem asks for."""


class TooLargeError(UnsupportedProblemError):
    """What a solver would have to build does not fit into the memory, or into its own limits.

    In `odt.solve` this ends the run with the best tree known instead of reaching the user.
    """


class UnknownSolverError(OdtError, LookupError):
    """No solver of that name is registered."""


class MissingDependencyError(OdtError, ImportError):
    """A solver needs a package that is not installed."""


class InconsistentSolutionError(OdtError):
    """A solver's claim does not agree with the tree it returned, so the claim is refused."""


class ProofError(OdtError):
    """A result that cannot be certified, or not in the time that was given."""


class DataWarning(UserWarning):
    """The data are used, but not quite as they are: rows left out, categories never seen."""


class Stopped(Exception):  # noqa: N818 - a signal, not an error
    """Raised inside solvers when the run must stop; it never reaches the user."""

    @classmethod
    def poll(cls, stop: Callable[[], bool]) -> None:
        """Raise `Stopped` if ``stop`` says so; for long loops."""
        if stop():
            raise cls


def was_interrupted(error: BaseException | None) -> bool:
    """Say whether Ctrl-C is behind an error: Python wraps it while it imports a module."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
