"""First fit of a fresh process on iris, imports included: with and without compiled kernels.

    python -m benchmarks.profiles.first_fit

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
"""
CALLS = {
    "cart": 'odt.solve(problem, "cart")',
    "dpdt": 'odt.solve(problem, "dpdt")',
    "pareto": 'odt.pareto(problem, generator="cart_leaves(16)")',
    "min-size": 'odt.solve(odt.Problem(data, "size", odt.Shape(max_error=0)), "min-size")',
}


def fit(name: str, cache: str) -> tuple[float, float]:
    """Return wall and CPU seconds of a process that fits once."""
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": root}
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", FIT + CALLS[name]], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - wall, cpu


def main() -> None:
    for name in CALLS:
        with tempfile.TemporaryDirectory() as cache:
            cold = fit(name, cache)
            warm = min(fit(name, cache) for _ in range(3))
        print(
            f"{name:8} cold {cold[0]:6.2f} s wall, {cold[1]:6.2f} s CPU;"
            f" warm {warm[0]:5.2f} s wall, {warm[1]:5.2f} s CPU",
            flush=True,
        )


if __name__ == "__main__":
    main()
