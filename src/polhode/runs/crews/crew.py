"""Crews: whoever takes tasks, calls of one function, and gives back how they ended. No scheduler of our own.

A task whose worker died is tried again, three times in all; a task that raised is not, since it would raise again.
"""

import concurrent.futures as futures
import math
import os
import queue
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from polhode import inputs
from polhode.errors import InputError, RunError, one_line

MOST_TRIES = 3
"""How often a task is begun whose workers die."""

TASKS_AHEAD = 4
"""Tasks handed out for each worker beyond the one that it has: enough to keep it busy, few enough to stop at once."""

LOOK_EVERY = 1.0
"""Seconds after which we look whether anybody works, if no task has ended."""

SECONDS_ALONE = 60.0
"""Seconds without anybody at work after which that is told."""

GUARD = (
    'A program that starts processes needs its own work below `if __name__ == "__main__":`, as every program that uses '
    "multiprocessing."
)


class WorkersLost(RunError):
    """Nobody is left to work: an executor broke, a scheduler or the last worker is gone."""


@dataclass(frozen=True)
class Outcome:
    """How a task ended: its result, or what it raised, or that its workers died."""

    index: int  # its place in the list of calls
    result: Any = None
    error: BaseException | None = None

    @property
    def died(self) -> bool:
        """Whether its workers did, each time it was tried."""
        return isinstance(self.error, futures.BrokenExecutor) or type(self.error).__name__ == "KilledWorker"


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

    def close(self) -> None:
        """Nothing to give back."""


MOST_SUBMITTED = 1024
"""Tasks that an executor of the user's has at a time: it does not say how many workers it has."""


class UsersExecutor:
    """An executor that the user made (concurrent.futures)."""

    threads, link = 1, ""

    def __init__(self, executor: futures.Executor) -> None:
        self._executor = executor

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all."""
        todo, running = list(range(len(calls)))[::-1], dict[futures.Future[Any], int]()
        ended: queue.SimpleQueue[futures.Future[Any]] = queue.SimpleQueue()
        try:
            while todo or running:
                while todo and len(running) < MOST_SUBMITTED:
                    k = todo.pop()
                    f = self._submitted(task, *calls[k])
                    running[f] = k
                    f.add_done_callback(ended.put)
                f = _next(ended, running)
                outcome = outcome_of(running.pop(f), f)
                if isinstance(outcome.error, futures.BrokenExecutor):
                    raise _broken(outcome.error) from outcome.error
                yield outcome
        finally:
            for f in running:
                f.cancel()

    def _submitted(self, task: Task, *arguments: Any) -> futures.Future[Any]:
        try:
            future = self._executor.submit(task, *arguments)
        except futures.BrokenExecutor as error:
            raise _broken(error) from error
        except RuntimeError as error:  # "cannot schedule new futures after shutdown"
            raise InputError(f"The executor takes no work: {error}. Give one that is open.") from error
        except Exception as error:  # of an executor that the user wrote
            raise WorkersLost(f"The executor takes no work: {type(error).__name__}: {error}.") from error
        if not isinstance(future, futures.Future):
            raise InputError(f"submit of the executor gave {one_line(future)}; it must give a Future.")
        return future

    def close(self) -> None:
        """It is the user's: nothing is ended."""


def _next(
    ended: "queue.SimpleQueue[futures.Future[Any]]", running: Collection[futures.Future[Any]]
) -> futures.Future[Any]:
    """The next that ends. An executor that begins none is told of, and waited for: it may have other work to do."""
    since = time.monotonic()
    while True:
        try:
            return ended.get(timeout=LOOK_EVERY)
        except queue.Empty:
            now = time.monotonic()
        if any(f.running() for f in running):
            since = now
        elif now > since + SECONDS_ALONE:
            since = math.inf
            inputs.warn(
                f"The executor has begun none of {len(running)} tasks for {SECONDS_ALONE:g} s. They wait until it "
                "does; Ctrl-C ends this."
            )


def _broken(error: BaseException) -> WorkersLost:
    return WorkersLost(f"The executor broke because one of its workers died ({type(error).__name__}): make a new one.")


def outcome_of(index: int, future: futures.Future[Any]) -> Outcome:
    """What a future that is done has."""
    try:
        return Outcome(index, future.result())
    except (Exception, futures.CancelledError) as error:
        return Outcome(index, error=error)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
