"""Sizes of proofs, and the time to find and to check them.

Prints for each set the CPU seconds of `bnb`, of the search for a proof with its last check, and of
a check alone, and the compressed size. Runs as ``python -m benchmarks.profiles.proofs [NAME ...]``.
"""

import sys
import time

import odt

NAMES = ("iris", "wine", "bank", "breast-cancer")


def seconds(function, *arguments):
    """Return what a call returns and its CPU seconds."""
    start = time.process_time()
    found = function(*arguments)
    return found, time.process_time() - start


def main():
    """Prove the least error of depth 3."""
    odt.solve(odt.Problem(odt.datasets.load_dataset("iris"), shape=odt.Shape(max_depth=3)), "bnb")
    print(f"{'set':15} {'errors':>6} {'bnb':>6} {'search':>7} {'check':>6} {'lines':>6} {'kB':>6}")
    for name in sys.argv[1:] or NAMES:
        data = odt.datasets.load_dataset(name)
        problem = odt.Problem(data, "error", odt.Shape(max_depth=3))
        result, solving = seconds(odt.solve, problem, "bnb")
        proof, proving = seconds(result.proof)
        verdict, checking = seconds(proof.check, data)
        print(
            f"{name:15} {result.cost:6} {solving:6.2f} {proving - checking:7.2f} {checking:6.2f} "
            f"{verdict.n_lines:6} {len(proof.content) / 1000:6.1f}"
        )


if __name__ == "__main__":
    main()
