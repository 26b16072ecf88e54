"""Who takes the tasks: this process, a pool of processes, an executor of the user's, or a Dask cluster.

No scheduler of our own: each hands out tasks (a number) and gives back outcomes. A task whose worker died is tried
again, three times in all; a task that raised is not, since it would raise again.
"""

import concurrent.futures as futures
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from polhode import inputs
from polhode.errors import InputError, one_line

TRIES = 3
AHEAD = 4
"""Tasks handed out for each worker beyond the one that it has: enough to keep it busy, few enough to stop at once."""


@dataclass(frozen=True)
class Outcome:
    """How a task ended: its result, or what it raised, or that its workers died."""

    index: int
    result: Any = None
    error: BaseException | None = None


Task = Callable[..., Any]
Outcomes = Iterator[Outcome]


class Here:
    """One task after the other, in this process; lanes and threads are inside."""

    threads: int | None = None
    link = ""

    def each(self, task: Task, path: str, indices: Iterable[int]) -> Outcomes:
        """Do all; yields as they end."""
        for i in indices:
            try:
                yield Outcome(i, task(path, i, self.threads))
            except Exception as error:
                yield Outcome(i, error=error)

    def call(self, function: Callable[[str], str], path: str) -> str:
        """One call by a worker."""
        return function(path)

    def close(self) -> None:
        """Nothing to give back."""


class Processes:
    """A pool of processes; one that breaks, as a worker was killed, is made anew."""

    link = ""

    def __init__(self, count: int) -> None:
        self.count = count
        self.threads = max(1, _processors() // count)
        self._pool = self._made()

    def _made(self) -> futures.ProcessPoolExecutor:
        import multiprocessing

        return futures.ProcessPoolExecutor(self.count, mp_context=multiprocessing.get_context("spawn"))

    def each(self, task: Task, path: str, indices: Iterable[int]) -> Outcomes:
        """Do all; those under way when the pool broke are suspects and are tried again one at a time."""
        todo, tries = list(indices)[::-1], dict.fromkeys(indices, 0)
        suspects: list[int] = []
        while todo or suspects:
            alone = bool(suspects)
            waiting = suspects if alone else todo
            running: dict[futures.Future[Any], int] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < (1 if alone else self.count + AHEAD):
                        i = waiting.pop()
                        running[self._pool.submit(task, path, i, self.threads)] = i
                    done, _ = futures.wait(running, return_when=futures.FIRST_COMPLETED)
                    for f in done:
                        outcome = _outcome(running[f], f)
                        if isinstance(outcome.error, BrokenProcessPool):
                            raise outcome.error
                        del running[f]
                        yield outcome
            except BrokenProcessPool as error:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = self._made()
                for i in running.values():
                    tries[i] += alone
                    if tries[i] < TRIES:
                        suspects.append(i)
                    else:
                        yield Outcome(i, error=error)

    def call(self, function: Callable[[str], str], path: str) -> str:
        """One call by a worker."""
        return self._pool.submit(function, path).result()

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Given:
    """An executor of the user's (concurrent.futures)."""

    threads, link = 1, ""

    def __init__(self, executor: futures.Executor) -> None:
        self._executor = executor

    def each(self, task: Task, path: str, indices: Iterable[int]) -> Outcomes:
        """Do all."""
        todo, running = list(indices)[::-1], dict[futures.Future[Any], int]()
        while todo or running:
            while todo and len(running) < 2 * _processors() + AHEAD:
                i = todo.pop()
                running[self._executor.submit(task, path, i, self.threads)] = i
            done, _ = futures.wait(running, return_when=futures.FIRST_COMPLETED)
            for f in done:
                outcome = _outcome(running.pop(f), f)
                if isinstance(outcome.error, futures.BrokenExecutor):
                    raise InputError(
                        "The executor broke, as a worker of it died. What was computed is stored: make a new executor "
                        "and call ph.sweep.resume."
                    ) from outcome.error
                yield outcome

    def call(self, function: Callable[[str], str], path: str) -> str:
        """One call by a worker."""
        return self._executor.submit(function, path).result()

    def close(self) -> None:
        """It is the user's: nothing is ended."""


class Dask:
    """A client of a Dask cluster, the user's or one made here; it tries again by itself when a worker dies."""

    threads = 1

    def __init__(self, client: Any, own: Any = None) -> None:
        self._client, self._own = client, own
        self.link = getattr(client, "dashboard_link", "") or ""

    def each(self, task: Task, path: str, indices: Iterable[int]) -> Outcomes:
        """Do all, a window of them at a time."""
        from distributed import as_completed

        todo, tries = list(indices)[::-1], dict.fromkeys(indices, 0)
        running: dict[str, int] = {}
        ended = as_completed()

        def hand_out() -> None:
            room = AHEAD * max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
            while todo and len(running) < room + AHEAD:
                i = todo.pop()
                f = self._client.submit(task, path, i, self.threads, pure=False)
                running[f.key] = i
                ended.add(f)

        hand_out()
        for f in ended:
            i = running.pop(f.key)
            outcome = _outcome(i, f)
            if type(outcome.error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError"):
                tries[i] += 1
                if tries[i] < TRIES and type(outcome.error).__name__ == "KilledWorker":
                    todo.append(i)
                else:
                    yield outcome
            else:
                yield outcome
            hand_out()

    def call(self, function: Callable[[str], str], path: str) -> str:
        """One call by a worker."""
        return self._client.submit(function, path, pure=False).result()

    def close(self) -> None:
        """End the cluster if it was made here."""
        if self._own is not None:
            self._client.close()
            self._own.close()


Crew = Here | Processes | Given | Dask


def crew(workers: Any) -> Crew:
    """Whoever `workers` means: None, a number of processes, "dask", an executor, a Dask client."""
    if workers is None:
        return Here()
    if isinstance(workers, str):
        if workers != "dask":
            raise InputError(f'workers is {one_line(workers)}; the only text it may be is "dask", a cluster made here.')
        return _local_cluster()
    if isinstance(workers, futures.Executor):
        return Given(workers)
    if hasattr(workers, "submit") and hasattr(workers, "scheduler"):
        return Dask(workers)
    if isinstance(workers, (int, float)) or hasattr(workers, "__index__"):
        return Processes(inputs.whole("workers", workers, most=4096))
    raise InputError(
        f"workers is {one_line(workers)}; give None (this process), a number of processes, an executor of "
        'concurrent.futures, a Dask client, or "dask".'
    )


def _local_cluster() -> Dask:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("Dask is not installed: pip install 'polhode[dask]'.") from None
    cluster = LocalCluster(n_workers=_processors(), threads_per_worker=1, processes=True, dashboard_address=None)
    return Dask(Client(cluster), cluster)


def _outcome(index: int, future: Any) -> Outcome:
    try:
        return Outcome(index, future.result())
    except (Exception, futures.CancelledError) as error:
        return Outcome(index, error=error)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
