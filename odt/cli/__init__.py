"""The ``odt`` command; `odt.cli.commands` says where each of them is."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from odt.errors import DataWarning, InconsistentSolutionError, OdtError, was_interrupted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    int
        0 if the question was answered; 1 if no tree was found or a solver's claim was refused;
        2 for a usage or data error, told in one line; 130 if interrupted before a solver ran.
    """
    from typer import Abort

    from odt.cli.commands import app
    from odt.cli.interrupts import termination_as_interrupt

    try:
        with termination_as_interrupt(), _warnings_in_one_line():
            return app(arguments, standalone_mode=False) or 0
    except InconsistentSolutionError as error:
        return _fail(str(error), 1)
    except OdtError as error:
        return _fail(str(error), 2)
    except BrokenPipeError:  # the reader, say `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, Abort):  # outside of a solver's run, or a second time
        return 130
    except OSError as error:  # a file that cannot be written
        return _fail(str(error), 2)
    except Exception as error:
        if was_interrupted(error):
            return 130
        if not hasattr(error, "format_message"):  # the mark of a usage error
            raise
        return _fail(error.format_message(), 2)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Print what odt warns of as it prints its errors, without a line of its source."""
    with warnings.catch_warnings():
        other = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, DataWarning):
                _say(str(message))
            else:
                other(message, category, filename, lineno, file, line)

        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = show
        yield


def _fail(message: str, code: int) -> int:
    _say(message)
    return code


def _say(message: str) -> None:
    from odt.cli.commands import option_names
    from odt.cli.words import in_options

    text = in_options(" ".join(message.split()), option_names())
    print(f"odt: {text}", file=sys.stderr)
