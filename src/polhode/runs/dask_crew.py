"""A Dask cluster as a crew: the user's, one at an address, or one made on this machine."""

import concurrent.futures as futures
import contextlib
import importlib.util
import logging
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

from polhode.errors import InputError
from polhode.runs.crews import AHEAD, TRIES, Outcome, Outcomes, Task, WorkersLost, processors

PATIENCE = 10.0
"""Seconds after which a scheduler that does not answer is given up."""

COUNTED_EVERY = 1.0
"""Seconds after which the workers of a cluster are counted again: each time is a question to its scheduler."""


class Dask:
    """A client of a Dask cluster, the user's or one made here; Dask itself gives a dead worker's tasks to others."""

    threads = 1

    def __init__(self, client: Any, own: Any = None) -> None:
        self._client, self._own = client, own
        self._workers, self._counted = 1, -math.inf
        draws = own is None or importlib.util.find_spec("bokeh") is not None  # without it there is nothing to see
        self.link = _dashboard(client) if draws else ""

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all, a window of them at a time."""
        todo, tries = list(range(len(calls)))[::-1], [0] * len(calls)
        running: dict[str, tuple[int, Any]] = {}
        with self._answering():
            from distributed import as_completed

            ended = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
            while todo or running:
                window = self._window()
                while todo and len(running) < window:
                    k = todo.pop()
                    f = self._client.submit(task, *calls[k], pure=False)
                    running[f.key] = k, f
                    ended.add(f)
                f, result = next(ended)
                k, _ = running.pop(f.key)
                outcome = _outcome_of_dask(k, f.status, result)
                kind = type(outcome.error).__name__
                if kind in ("CancelledError", "FutureCancelledError", "CommClosedError"):
                    raise self._lost(outcome.error)
                tries[k] += kind == "KilledWorker"
                if kind == "KilledWorker" and tries[k] < TRIES:
                    todo.append(k)
                else:
                    yield outcome

    def call(self, function: Task, *arguments: Any) -> Any:
        """One call by a worker."""
        with self._answering():
            return self._client.submit(function, *arguments, pure=False).result()

    def _window(self) -> int:
        """How many tasks may be under way. Workers come and go, so they are counted anew from time to time."""
        if time.monotonic() > self._counted + COUNTED_EVERY:
            self._workers = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
            self._counted = time.monotonic()
        return AHEAD * (1 + self._workers)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Whatever Dask raises when its scheduler is gone becomes one sentence."""
        from distributed import CancelledError
        from distributed.comm import CommClosedError

        try:
            yield
        except (CommClosedError, CancelledError, TimeoutError, futures.CancelledError) as error:
            raise self._lost(error) from error

    def _lost(self, error: BaseException | None) -> WorkersLost:
        return WorkersLost(
            f"The Dask scheduler dropped the tasks: it ended or was restarted ({type(error).__name__}). Give a client "
            "of one that runs."
        )

    def close(self) -> None:
        """End the cluster if it was made here."""
        if self._own is not None:
            self._client.close()
            self._own.close()


def client(address: str) -> Any:
    """A client of the Dask scheduler at an address."""
    Client, _ = _distributed()
    try:
        return Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(f"No Dask scheduler answers at {address}: {error}.") from None


def local_cluster() -> Dask:
    Client, LocalCluster = _distributed()
    cluster = LocalCluster(
        n_workers=processors(),
        threads_per_worker=1,
        processes=True,
        silence_logs=logging.CRITICAL,  # what goes wrong comes back as an outcome
        dashboard_address="127.0.0.1:0",  # a free port: others may have clusters here
    )
    return Dask(Client(cluster), cluster)


def _distributed() -> tuple[Any, Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("Dask is not installed: pip install 'polhode[dask]'.") from None
    return Client, LocalCluster


def _dashboard(client: Any) -> str:
    try:
        return client.dashboard_link or ""
    except Exception:  # a scheduler that does not say where its dashboard is
        return ""


def _outcome_of_dask(index: int, status: str, result: Any) -> Outcome:
    """The outcome of a future that ended. Dask hands over a result, an exception, or (type, exception, trace)."""
    if isinstance(result, BaseException):
        return Outcome(index, error=result)
    return Outcome(index, error=result[1]) if status == "error" else Outcome(index, result)
