"""A Dask cluster, of the user's or on this machine, whose workers and whose scheduler may go away."""

import concurrent.futures as futures
import contextlib
import importlib.util
import logging
import math
import queue
import time
from collections.abc import Iterator, Sequence
from typing import Any

from polhode import inputs
from polhode.errors import InputError
from polhode.runs.crews.crew import (
    GUARD,
    LOOK_EVERY,
    MOST_TRIES,
    SECONDS_ALONE,
    TASKS_AHEAD,
    Outcome,
    Outcomes,
    Task,
    WorkersLost,
    processors,
)

SECONDS_OF_PATIENCE = 10.0
"""Seconds after which a cluster that does not open or does not close is given up."""

SECONDS_OF_SILENCE = 60.0
"""Seconds after which a scheduler that does not answer counts as lost."""

HOUSEKEEPING = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
}
"""Settings of a cluster made here. By default Dask looks at the stack of each worker a hundred times a second, and
wakes each process fifty times more; on the cores that take the steps this cost a seventh of all processor time."""


class Deserted(WorkersLost):
    """The last worker of a cluster is gone, and none will come."""


class Dask:
    """A client of a Dask cluster, the user's or one made here; it tries again by itself when a worker dies."""

    threads = 1

    def __init__(self, client: Any, own: Any = None) -> None:
        if client.status != "running":
            raise InputError(f"The Dask client is {client.status}; give one that is open.")
        if client.asynchronous:
            raise InputError("The Dask client is asynchronous; give one that waits: Client(address).")
        self._client, self._own = client, own
        self._local = isinstance(client.cluster, _distributed()[1])
        self._threads, self._workers, self._revivals, self._counted = 1, 0, 0, -math.inf
        self._seen, self._told = time.monotonic(), False  # when somebody could work, and whether that it is long ago
        draws = own is None or importlib.util.find_spec("bokeh") is not None  # without it there is nothing to see
        self.link = _dashboard(client) if draws else ""

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all, a window of them at a time; those whose workers died, at the end and one at a time.

        Dask tries a task again when its worker dies, three times; but it blames all tasks that a dead worker had.
        """
        todo, suspects = list(range(len(calls)))[::-1], list[int]()
        running: dict[int, Any] = {}
        ended: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        with self._answering():
            try:
                while todo or suspects or running:
                    alone = not todo and bool(suspects) and not running
                    waiting, window = (suspects, 1) if alone else (todo, self._window())
                    while waiting and len(running) < window:
                        k = waiting.pop()
                        running[k] = self._client.submit(task, *calls[k], pure=False)
                        self._client.loop.add_callback(self._hand_over, k, running[k], ended)
                    try:
                        outcome = self._next(ended)
                    except Deserted as error:
                        if not alone:
                            raise
                        yield from (Outcome(k, error=error) for k in (*running, *suspects))
                        return
                    del running[outcome.index]
                    if outcome.died and not alone:
                        suspects.append(outcome.index)
                    else:
                        yield outcome
            finally:
                for f in running.values():
                    f.release()

    async def _hand_over(self, k: int, future: Any, ended: queue.SimpleQueue[Outcome]) -> None:
        """On the loop of the client: await a task and pass on how it ended, whatever that was.

        Dask's own `as_completed` forgets a future whose result cannot be fetched, as its worker died just now or the
        scheduler did, and those who wait for it wait for ever.
        """
        for left in reversed(range(MOST_TRIES)):
            try:
                [result] = await self._client.gather([future], asynchronous=True)
                return ended.put(Outcome(k, result))
            except BaseException as error:  # the end of the loop too, which is no Exception
                if future.status == "error":
                    return ended.put(Outcome(k, error=error))
                if not left or not isinstance(error, OSError) or self._client.status != "running":
                    return ended.put(Outcome(k, error=self._lost(error)))

    def _next(self, ended: queue.SimpleQueue[Outcome]) -> Outcome:
        """The next task that ends; while none does, we look whether there is still somebody who could."""
        while True:
            try:
                outcome = ended.get(timeout=LOOK_EVERY)
            except queue.Empty:
                self._count()
                continue
            if isinstance(outcome.error, WorkersLost):
                raise outcome.error
            self._seen, self._told, self._revivals = time.monotonic(), False, 0
            return outcome

    def _window(self) -> int:
        """How many tasks may be under way; workers come and go, so they are counted anew from time to time."""
        if time.monotonic() > self._counted + LOOK_EVERY:
            self._count()
        return TASKS_AHEAD * (1 + self._threads)

    def _count(self) -> None:
        """Ask the scheduler how many threads its workers have; tell if there have been none for long."""
        scheduler, begin = self._client.scheduler, time.monotonic()
        if self._client.status != "running" or scheduler is None:
            raise WorkersLost(f"The Dask scheduler is not reached: the client is {self._client.status}. {ANOTHER}")
        able = self._client.sync(scheduler.ncores_running, callback_timeout=SECONDS_OF_SILENCE)
        now = time.monotonic()
        if able:
            self._threads, self._seen, self._told = sum(able.values()), now, False
            self._workers = max(self._workers, len(able))
        elif self._revived():
            self._seen = now
        elif now > self._seen + SECONDS_ALONE and not self._told:
            self._told = True
            self._tell_that_none_works(len(self._client.sync(scheduler.ncores, callback_timeout=SECONDS_OF_SILENCE)))
        self._counted = now + 50 * (now - begin)  # those of thousands of workers may take 2 % of the time

    def _revived(self) -> bool:
        """Start the workers anew on this machine if all are gone: Dask leaves alone those that died as they began."""
        if not self._local or self._client.cluster.workers or not self._workers or self._revivals == MOST_TRIES:
            return False
        self._revivals += 1
        self._client.cluster.scale(self._workers)
        return True

    def _tell_that_none_works(self, paused: int) -> None:
        """Raise if no worker will come by itself; otherwise warn, and wait."""
        if paused:
            inputs.warn(
                f"No worker of the Dask cluster has taken a task for {SECONDS_ALONE:g} s: {paused} are paused, as "
                "their memory is nearly full. The tasks wait until one has room; give workers more memory, or take a "
                "smaller chunk."
            )
        elif self._local:
            why = (
                f"they died, and so did those in their place, {MOST_TRIES} times"
                if self._workers
                else "none was started"
            )
            raise Deserted(f"The Dask cluster on this machine has had no worker for {SECONDS_ALONE:g} s: {why}.")
        else:
            inputs.warn(
                f"The Dask cluster has had no worker for {SECONDS_ALONE:g} s. The tasks wait until one comes; Ctrl-C "
                "ends this."
            )

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """What Dask raises when its scheduler went away, as one sentence."""
        try:
            yield
        except WorkersLost:
            raise
        except Exception as error:
            if isinstance(error, (OSError, futures.CancelledError)) or self._client.status != "running":
                raise self._lost(error) from error
            raise

    def _lost(self, error: BaseException) -> WorkersLost:
        return WorkersLost(
            f"The Dask scheduler dropped the tasks: it ended, was restarted or does not answer "
            f"({type(error).__name__}). {ANOTHER}"
        )

    def close(self) -> None:
        """End the cluster if it was made here."""
        if self._own is None:
            return
        try:
            self._client.close(SECONDS_OF_PATIENCE)
            self._own.close(SECONDS_OF_PATIENCE)
        except TimeoutError:
            inputs.warn(
                f"The Dask cluster did not end within {SECONDS_OF_PATIENCE:g} s; its processes end with this program."
            )


ANOTHER = "Give a client of one that runs."


def client(address: str) -> Any:
    """A client of the Dask scheduler at an address."""
    Client, _ = _distributed()
    try:
        return Client(address, timeout=SECONDS_OF_PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(f"No Dask scheduler answers at {address}: {error}.") from None


def local_crew() -> Dask:
    """A cluster on this machine, a worker process for each processor, for the time of one sweep."""
    Client, _ = _distributed()
    try:
        cluster = local_cluster(processors())
        return Dask(Client(cluster), cluster)
    except RuntimeError as error:
        raise WorkersLost(f"No Dask cluster could be started on this machine ({error}). {GUARD}") from error


def local_cluster(workers: int) -> Any:
    """A cluster of worker processes on this machine, which spends its processors on tasks."""
    _, LocalCluster = _distributed()
    import dask

    with dask.config.set(HOUSEKEEPING):  # the workers take these along
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            silence_logs=logging.CRITICAL,  # what goes wrong comes back as an outcome
            dashboard_address="127.0.0.1:0",  # a free port: others may have clusters here
        )


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
