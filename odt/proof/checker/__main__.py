"""Check a proof, and that it is about the rows of a CSV file, from the command line."""

from __future__ import annotations

import sys

from . import check
from .rows import RefusedError


def main(arguments: list[str]) -> int:
    """Check a proof, and that it is about the rows of a CSV file; return 0 if it holds."""
    if len(arguments) not in (1, 2):
        print("usage: python -m checker PROOF [ROWS.csv]", file=sys.stderr)
        return 2
    try:
        print(check(*arguments))
    except (RefusedError, OSError) as error:
        print(f"Refused: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
