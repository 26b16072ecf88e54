"""A pool of worker processes that may be killed."""

import concurrent.futures as futures
import multiprocessing.connection
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import SpawnContext
from multiprocessing.queues import SimpleQueue
from typing import Any

from polhode.runs.crews.crew import MOST_TRIES, TASKS_AHEAD, Outcome, Outcomes, Task, outcome_of, processors

LOOK_EVERY = 5.0
"""Seconds without a result after which we look whether the processes live."""


class Processes:
    """A pool of processes; one that breaks, as a worker was killed, is made anew."""

    link = ""

    def __init__(self, count: int) -> None:
        self.count = count
        self.threads = max(1, processors() // count)
        self._is_at_work = False
        self._make()

    def _make(self) -> None:
        self._known = Known()
        self._pool = futures.ProcessPoolExecutor(self.count, mp_context=self._known)

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all; those under way when the pool broke are suspects and are tried again one at a time."""
        todo, tries = list(range(len(calls)))[::-1], [0] * len(calls)
        suspects: list[int] = []
        self._is_at_work = True
        while todo or suspects:
            alone = bool(suspects)
            waiting = suspects if alone else todo
            running: dict[futures.Future[Any], int] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < (1 if alone else self.count + TASKS_AHEAD):
                        k = waiting.pop()
                        try:
                            with left_to_the_caller():
                                running[self._pool.submit(task, *calls[k])] = k
                        except BrokenProcessPool:
                            waiting.append(k)
                            raise
                    for f in self._ended(running):
                        outcome = outcome_of(running[f], f)
                        if isinstance(outcome.error, BrokenProcessPool):
                            raise outcome.error
                        del running[f]
                        yield outcome
            except BrokenProcessPool as error:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._make()
                for k in running.values():
                    tries[k] += alone
                    if tries[k] < MOST_TRIES:
                        suspects.append(k)
                    else:
                        yield Outcome(k, error=error)
        self._is_at_work = False

    def _ended(self, running: dict[futures.Future[Any], int]) -> set[futures.Future[Any]]:
        """Wait for the next that end; for none longer than its process lives, whether the pool noticed that or not."""
        while True:
            done = futures.wait(running, LOOK_EVERY, futures.FIRST_COMPLETED).done
            if done:
                return done
            if self._known.any_died():
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._known.kill()
                if futures.wait(running, LOOK_EVERY).not_done:
                    self._known.close()
                raise BrokenProcessPool("a process was terminated abruptly")

    def close(self) -> None:
        """End the processes; of work that nobody waits for any more, too, as after a Ctrl-C."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._is_at_work:
            self._known.kill()


@contextmanager
def left_to_the_caller() -> Iterator[None]:
    """Processes that are started inside never see a Ctrl-C, which a terminal sends to all of a program's: the process
    that asked ends them, and says so once. Where the system cannot block signals they see it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Known(SpawnContext):
    """Spawned processes and the queue of their results, known to us and not to their pool alone.

    A pool looks after its processes, with two gaps. One started while the pool was already waiting is not looked after
    until something else happens; and of a process killed in the middle of a long result the pool awaits the rest. In
    both it would wait for ever.
    """

    def __init__(self) -> None:
        self._processes: list[Any] = []
        self._queues: list[SimpleQueue[Any]] = []

    def Process(self, *arguments: Any, **options: Any) -> Any:  # type: ignore[override]
        """A process, as the pool asks for it."""
        self._processes.append(super().Process(*arguments, **options))
        return self._processes[-1]

    def SimpleQueue(self) -> Any:
        """A queue, as the pool asks for it: that of the results."""
        self._queues.append(super().SimpleQueue())
        return self._queues[-1]

    def any_died(self) -> bool:
        """Whether a process has ended. None does by itself while its pool is open."""
        return bool(multiprocessing.connection.wait([p.sentinel for p in self._processes], timeout=0))

    def kill(self) -> None:
        """End those that live."""
        for process in self._processes:
            process.kill()

    def close(self) -> None:
        """Close the queue, so that a thread of the pool that awaits the rest of a result finds its end."""
        for queue in self._queues:
            queue.close()
