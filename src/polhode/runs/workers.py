"""Who takes tasks: this process, a pool of processes, an executor of the user's, or a Dask cluster.

What `workers=` may be is said here, once, for sweeps, stress tests, certificates, studies and reproductions. No
scheduler of our own: each crew hands out tasks, calls of one function, and gives back outcomes. A task whose worker
died is tried again, three times in all; a task that raised is not, since it would raise again.
"""

import concurrent.futures as futures
import contextlib
import importlib
import importlib.util
import logging
import math
import os
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from polhode import inputs
from polhode.errors import InputError, RunError, one_line

TRIES = 3
AHEAD = 4
"""Tasks handed out for each worker beyond the one that it has: enough to keep it busy, few enough to stop at once."""

PATIENCE = 10.0
"""Seconds after which a scheduler that does not answer is given up."""


COUNTED_EVERY = 1.0
"""Seconds after which the workers of a cluster are counted again: each time is a question to its scheduler."""


class WorkersLost(RunError):
    """Nobody is left to work: an executor broke, or a scheduler is gone."""


@dataclass(frozen=True)
class Outcome:
    """How a task ended: its result, or what it raised, or that its workers died."""

    index: int  # its place among those given
    result: Any = None
    error: BaseException | None = None


Task = Callable[..., Any]
Outcomes = Iterator[Outcome]


class Here:
    """One task after the other, in this process; lanes and threads are inside."""

    threads: int | None = None
    link = ""

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all; yields as they end."""
        for k, arguments in enumerate(calls):
            try:
                yield Outcome(k, task(*arguments))
            except Exception as error:
                yield Outcome(k, error=error)

    def call(self, function: Task, *arguments: Any) -> Any:
        """One call by a worker."""
        return function(*arguments)

    def close(self) -> None:
        """Nothing to give back."""


class Processes:
    """A pool of processes; one that breaks, as a worker was killed, is made anew."""

    link = ""

    def __init__(self, count: int) -> None:
        self.count = count
        self.threads = max(1, processors() // count)
        self._pool = self._made()

    def _made(self) -> futures.ProcessPoolExecutor:
        import multiprocessing

        return futures.ProcessPoolExecutor(self.count, mp_context=multiprocessing.get_context("spawn"))

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all; those under way when the pool broke are suspects and are tried again one at a time."""
        todo, tries = list(range(len(calls)))[::-1], [0] * len(calls)
        suspects: list[int] = []
        while todo or suspects:
            alone = bool(suspects)
            waiting = suspects if alone else todo
            running: dict[futures.Future[Any], int] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < (1 if alone else self.count + AHEAD):
                        k = waiting.pop()
                        try:
                            running[self._pool.submit(task, *calls[k])] = k
                        except BrokenProcessPool:
                            waiting.append(k)
                            raise
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
                for k in running.values():
                    tries[k] += alone
                    if tries[k] < TRIES:
                        suspects.append(k)
                    else:
                        yield Outcome(k, error=error)

    def call(self, function: Task, *arguments: Any) -> Any:
        """One call by a worker; by another if it was killed."""
        for left in reversed(range(TRIES)):
            try:
                return self._pool.submit(function, *arguments).result()
            except BrokenProcessPool as error:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = self._made()
                if not left:
                    raise WorkersLost(
                        f"{TRIES} worker processes died as they began. A program that starts them needs its own work "
                        'below `if __name__ == "__main__":`, as every program that uses multiprocessing.'
                    ) from error

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Given:
    """An executor of the user's (concurrent.futures)."""

    threads, link = 1, ""

    def __init__(self, executor: futures.Executor) -> None:
        self._executor = executor

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all."""
        todo, running = list(range(len(calls)))[::-1], dict[futures.Future[Any], int]()
        while todo or running:
            while todo and len(running) < 2 * processors() + AHEAD:
                k = todo.pop()
                running[self._submitted(task, *calls[k])] = k
            done, _ = futures.wait(running, return_when=futures.FIRST_COMPLETED)
            for f in done:
                outcome = _outcome(running.pop(f), f)
                if isinstance(outcome.error, futures.BrokenExecutor):
                    raise _broken(outcome.error) from outcome.error
                yield outcome

    def call(self, function: Task, *arguments: Any) -> Any:
        """One call by a worker."""
        try:
            return self._submitted(function, *arguments).result()
        except futures.BrokenExecutor as error:
            raise _broken(error) from error

    def _submitted(self, task: Task, *arguments: Any) -> futures.Future[Any]:
        try:
            return self._executor.submit(task, *arguments)
        except futures.BrokenExecutor as error:
            raise _broken(error) from error
        except RuntimeError as error:  # "cannot schedule new futures after shutdown"
            raise InputError(f"The executor takes no work: {error}. Give one that is open.") from error

    def close(self) -> None:
        """It is the user's: nothing is ended."""


def _broken(error: BaseException) -> WorkersLost:
    return WorkersLost(f"The executor broke, as a worker of it died ({type(error).__name__}): make a new one.")


class Dask:
    """A client of a Dask cluster, the user's or one made here; it tries again by itself when a worker dies."""

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
        """How many tasks may be under way; workers come and go, so they are counted anew from time to time."""
        if time.monotonic() > self._counted + COUNTED_EVERY:
            self._workers = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
            self._counted = time.monotonic()
        return AHEAD * (1 + self._workers)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """What Dask raises when its scheduler went away, as one sentence."""
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


Crew = Here | Processes | Given | Dask

MEANING = (
    "None (this process), a number of processes, an executor of concurrent.futures, a Dask client, or "
    '"dask" (a cluster on this machine)'
)


def crew(workers: Any) -> Crew:
    """Whoever `workers` means."""
    if workers is None:
        return Here()
    if isinstance(workers, str) and workers == "dask":
        return _local_cluster()
    if isinstance(workers, futures.Executor):
        return Given(workers)
    if hasattr(workers, "submit") and hasattr(workers, "scheduler_info"):
        return Dask(workers)
    if not isinstance(workers, (str, bool)) and (isinstance(workers, float) or hasattr(workers, "__index__")):
        return Processes(inputs.whole("workers", workers, most=4096))
    raise InputError(f"workers is {one_line(workers)}; give {MEANING}.")


def mapped(
    workers: Any,
    task: Task,
    calls: Sequence[tuple[Any, ...]],
    tick: Callable[[int, Any], None] = lambda k, result: None,
) -> list[Any]:
    """What task(*arguments) returns for each of the arguments given, in their order, by whoever `workers` means.

    Functions of the user's travel by value where they have no name. What a task raises is raised here, what it warns of
    is said here; `tick` is told the place of each that is done, and its result.
    """
    results: list[Any] = [None] * len(calls)
    team = crew(workers)
    try:
        if isinstance(team, Here):
            outcomes = team.each(task, calls)
        else:
            luggage = [(packed("A task", (task, arguments)), os.getpid()) for arguments in calls]
            team.call(os.getpid)  # whether there are workers at all
            outcomes = team.each(called, luggage)
        for outcome in outcomes:
            error = outcome.error
            if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
                raise WorkersLost(f"{TRIES} workers died of one task: {error}") from error
            if error is not None:
                raise error
            result, caught = (outcome.result, ()) if isinstance(team, Here) else outcome.result
            results[outcome.index] = result
            for message, category in caught:
                inputs.warn(message, category)
            tick(outcome.index, result)
    finally:
        team.close()
    return results


def packed(what: str, value: Any) -> bytes:
    """Something as it travels to a worker; a sentence if it cannot. Only cloudpickle takes lambdas and closures."""
    by_value = importlib.util.find_spec("cloudpickle") is not None
    pickler = importlib.import_module("cloudpickle" if by_value else "pickle")
    try:
        return pickler.dumps(value)
    except Exception as error:  # whatever a user's object raises when it is pickled
        raise InputError(
            f"{what} cannot travel to a worker: {type(error).__name__}: {error}. Write the functions with numbers and "
            "arrays, or at the top of a module that the workers can import."
        ) from error


def called(task: bytes, caller: int) -> tuple[Any, list[tuple[str, type[Warning]]]]:
    """In a worker: a task unpacked and done. Returns its result and what it warned of, if that is not seen anyway."""
    try:
        function, arguments = pickle.loads(task)  # from the process that asked, over its own pipe or cluster
    except Exception as error:
        raise InputError(
            f"A worker cannot unpack its task: {type(error).__name__}: {error}. Modules that hold the functions must "
            "be importable there."
        ) from error
    if os.getpid() == caller:  # a thread: warnings are those of the whole process
        return function(*arguments), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    ours = {(str(w.message), w.category) for w in caught if issubclass(w.category, UserWarning)}
    return result, sorted(ours, key=lambda w: w[0])


def client(address: str) -> Any:
    """A client of the Dask scheduler at an address."""
    Client, _ = _distributed()
    try:
        return Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(f"No Dask scheduler answers at {address}: {error}.") from None


def _local_cluster() -> Dask:
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


def _outcome(index: int, future: Any) -> Outcome:
    try:
        return Outcome(index, future.result())
    except (Exception, futures.CancelledError) as error:
        return Outcome(index, error=error)


def _outcome_of_dask(index: int, status: str, result: Any) -> Outcome:
    """What Dask hands over with a future that ended: a result, or an exception alone or between its type and trace."""
    if isinstance(result, BaseException):
        return Outcome(index, error=result)
    return Outcome(index, error=result[1]) if status == "error" else Outcome(index, result)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
