"""First fit of a fresh process on iris, imports included: with and without compiled kernels.

    python benchmarks/dpdt_first_fit.py

"cold" starts from an empty Numba cache, as after an installation; "warm" finds the machine code
on disk. Seconds of wall clock and CPU, the least of three for "warm".
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIT = """
import odt
data = odt.datasets.load_dataset("iris")
problem = odt.Problem(data, "error + 0.01*expected_tests", odt.Shape(max_depth=3))
odt.solve(problem, "{solver}")
"""


def fit(solver: str, cache: str) -> tuple[float, float]:
    """Return wall and CPU seconds of a process that fits once."""
    root = str(Path(__file__).parent.parent)
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": root}
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", FIT.format(solver=solver)], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - wall, cpu


def main() -> None:
    for solver in ("cart", "dpdt"):
        with tempfile.TemporaryDirectory() as cache:
            cold = fit(solver, cache)
            warm = min(fit(solver, cache) for _ in range(3))
        print(
            f"{solver:5} cold {cold[0]:6.2f} s wall, {cold[1]:6.2f} s CPU;"
            f" warm {warm[0]:5.2f} s wall, {warm[1]:5.2f} s CPU",
            flush=True,
        )


if __name__ == "__main__":
    main()
