"""Check a proof, and that it is about the rows of a CSV file, from the command line."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from . import check
from .rows import RefusedError, Rows


def main(arguments: list[str]) -> int:
    """Check a proof, and that it is about the rows of a CSV file; return 0 if it holds."""
    if len(arguments) not in (1, 2):
        print("usage: python -m checker PROOF [ROWS.csv]", file=sys.stderr)
        return 2
    try:
        verdict = check(arguments[0])
        if len(arguments) == 2:
            lines = gzip.decompress(Path(arguments[0]).read_bytes()).decode("ascii").splitlines()
            header = json.loads(lines[1])
            Rows(header, lines[2 : header["n_rows"] + 2]).compare_text(arguments[1])
    except (RefusedError, OSError) as error:
        print(f"Refused: {error}", file=sys.stderr)
        return 1
    print(verdict)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
