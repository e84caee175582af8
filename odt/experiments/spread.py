"""Where runs are spread to: threads of this process, joblib, Dask, Ray; one protocol for all."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from odt.errors import MissingDependencyError, ProblemError

T = TypeVar("T")
R = TypeVar("R")
_TRIES = 4
"""How often in a row workers may be lost before any item is done."""


class Engine(Protocol):
    """Applies a function to items somewhere.

    An item whose worker is lost is done again elsewhere; one that is done is never lost.
    """

    def spread(self, function: Callable[[T], R], items: Sequence[T], n_jobs: int) -> Iterator[R]:
        """Yield ``function(item)`` for each item, as they arrive."""
        ...


def engine(name: str, address: str | None = None) -> Engine:
    """Return an engine by name: ``"local"``, ``"joblib"``, ``"dask"`` or ``"ray"``.

    Parameters
    ----------
    name : str
    address : str, optional
        Of a Dask scheduler or a Ray cluster. Without one, Dask takes the client that the program
        has made, and both start workers on this machine if there is nothing yet.

    Raises
    ------
    ProblemError
        For another name, or an address of what has none.
    """
    if name in ("local", "joblib"):
        if address is not None:
            raise ProblemError(f"The engine {name!r} has no address; 'dask' and 'ray' have.")
        return Local() if name == "local" else Joblib()
    if name == "dask":
        return Dask(address)
    if name == "ray":
        return Ray(address)
    raise ProblemError(f"'engine' must be one of local, joblib, dask, ray. Got {name!r} instead.")


class Local:
    """Threads of this process; what they run waits for processes of its own."""

    def spread(self, function: Callable[[T], R], items: Sequence[T], n_jobs: int) -> Iterator[R]:
        """Yield ``function(item)`` for each item, as they arrive."""
        waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
        arrived: queue.SimpleQueue[tuple[R | None, BaseException | None]] = queue.SimpleQueue()
        ended = threading.Event()
        for item in items:
            waiting.put(item)

        def work() -> None:
            with suppress(queue.Empty):
                while not ended.is_set():
                    item = waiting.get_nowait()
                    try:
                        arrived.put((function(item), None))
                    except BaseException as error:
                        arrived.put((None, error))

        for _ in range(min(n_jobs, len(items))):
            threading.Thread(target=work, daemon=True).start()
        try:
            for _ in items:
                result, error = arrived.get()
                if error is not None:
                    raise error
                yield result  # type: ignore[misc]  # None only beside an error
        finally:
            ended.set()


class Joblib:
    """joblib's current backend: loky by default, others inside ``joblib.parallel_config``."""

    def spread(self, function: Callable[[T], R], items: Sequence[T], n_jobs: int) -> Iterator[R]:
        """Yield ``function(item)`` for each item, as they arrive."""
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool

        def numbered(number: int, item: T) -> tuple[int, R]:
            return number, function(item)

        left, tries = dict(enumerate(items)), 0
        while left:
            try:
                parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
            except ValueError:  # a backend that hands over everything at the end
                parallel = Parallel(n_jobs=n_jobs, batch_size=1)
            calls = (delayed(numbered)(*pair) for pair in list(left.items()))
            try:
                for number, result in parallel(calls):
                    left.pop(number)
                    tries = 0
                    yield result
            except BrokenProcessPool:
                tries += 1
                if tries == _TRIES:
                    raise


class Dask:
    """Workers of a Dask cluster.

    Parameters
    ----------
    address : str, optional
        Of a scheduler; the current client by default, or one with workers on this machine.
    """

    def __init__(self, address: str | None = None) -> None:
        self.address = address

    def spread(self, function: Callable[[T], R], items: Sequence[T], n_jobs: int) -> Iterator[R]:
        """Yield ``function(item)`` for each item, as they arrive."""
        distributed = _imported("distributed", "dask")
        client, is_ours = self._client(distributed, n_jobs)
        futures = [client.submit(function, item, pure=False, retries=_TRIES) for item in items]
        try:
            done = distributed.as_completed(futures)
            del futures  # a result that was handed over may be forgotten
            for future in done:
                yield future.result()
                future.release()
        finally:
            if is_ours:
                client.cluster.close()
                client.close()

    def _client(self, distributed: Any, n_jobs: int) -> tuple[Any, bool]:
        if self.address is not None:
            return distributed.Client(self.address), False
        with suppress(ValueError):  # there is none
            return distributed.Client.current(), False
        cluster = distributed.LocalCluster(
            n_workers=n_jobs, threads_per_worker=1, dashboard_address=None
        )
        return distributed.Client(cluster), True


class Ray:
    """Workers of a Ray cluster.

    Parameters
    ----------
    address : str, optional
        Of a cluster; one on this machine by default.
    """

    def __init__(self, address: str | None = None) -> None:
        self.address = address

    def spread(self, function: Callable[[T], R], items: Sequence[T], n_jobs: int) -> Iterator[R]:
        """Yield ``function(item)`` for each item, as they arrive."""
        ray = _imported("ray", "ray")
        if not ray.is_initialized():
            own = {"num_cpus": n_jobs, "include_dashboard": False}
            ray.init(**({"address": self.address} if self.address else own))
        remote = ray.remote(max_retries=_TRIES)(lambda item: function(item))
        left = [remote.remote(item) for item in items]
        while left:
            done, left = ray.wait(left)
            for reference in done:
                yield ray.get(reference)


def _imported(module: str, extra: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f'This engine needs {module}, which is not installed: pip install "odt[{extra}]".'
        ) from None
