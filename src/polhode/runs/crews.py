"""Crews: whoever takes tasks, calls of one function, and gives back how they ended. No scheduler of our own.

A task whose worker died is tried again, three times in all; a task that raised is not, since it would raise again.
"""

import concurrent.futures as futures
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError, RunError

TRIES = 3
"""How often a task is begun whose workers die."""

AHEAD = 4
"""Tasks handed out for each worker beyond the one that it has: enough to keep it busy, few enough to stop at once."""


class WorkersLost(RunError):
    """Nobody is left to work: an executor broke, or a scheduler is gone."""


@dataclass(frozen=True)
class Outcome:
    """How a task ended: its result, or what it raised, or that its workers died."""

    index: int  # its place in the list of calls
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
    """A pool of processes; a pool that breaks because a worker was killed is replaced by a new one."""

    link = ""

    def __init__(self, count: int) -> None:
        self.count = count
        self.threads = max(1, processors() // count)
        self._pool = self._made()

    def _made(self) -> futures.ProcessPoolExecutor:
        import multiprocessing

        return futures.ProcessPoolExecutor(self.count, mp_context=multiprocessing.get_context("spawn"))

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all. Tasks under way when the pool broke are suspects: they are tried again, one at a time."""
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
                        f"{TRIES} worker processes died as they began. A program that starts processes must do its own "
                        'work below `if __name__ == "__main__":`, as with multiprocessing anywhere.'
                    ) from error

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class UsersExecutor:
    """An executor that the user made (concurrent.futures)."""

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
    return WorkersLost(f"The executor broke because one of its workers died ({type(error).__name__}): make a new one.")


def _outcome(index: int, future: Any) -> Outcome:
    try:
        return Outcome(index, future.result())
    except (Exception, futures.CancelledError) as error:
        return Outcome(index, error=error)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
