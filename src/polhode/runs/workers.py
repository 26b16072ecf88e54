"""Who takes tasks: this process, a pool of processes, an executor of the user's, or a Dask cluster.

What `workers=` may be is said here, once, for sweeps, stress tests, certificates, studies and reproductions. No
scheduler of our own: each crew hands out tasks, calls of one function, and gives back outcomes. A task whose worker
died is tried again, three times in all; a task that raised is not, since it would raise again.
"""

import concurrent.futures as futures
import importlib
import importlib.util
import os
import pickle
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.runs.dask_cluster import Dask, local_cluster
from polhode.runs.outcomes import GUARD, TRIES, Outcome, Outcomes, Task, WorkersLost
from polhode.runs.processes import Processes, outcome_of


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


class Given:
    """An executor of the user's (concurrent.futures)."""

    threads, link = 1, ""

    def __init__(self, executor: futures.Executor) -> None:
        self._executor = executor

    def each(self, task: Task, calls: Sequence[tuple[Any, ...]]) -> Outcomes:
        """Do all."""
        todo, running = list(range(len(calls)))[::-1], dict[futures.Future[Any], int]()
        try:
            while todo or running:
                while todo and len(running) < MOST_SUBMITTED:
                    k = todo.pop()
                    running[self._submitted(task, *calls[k])] = k
                for f in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                    outcome = outcome_of(running.pop(f), f)
                    if isinstance(outcome.error, futures.BrokenExecutor):
                        raise _broken(outcome.error) from outcome.error
                    yield outcome
        finally:
            for f in running:
                f.cancel()

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
        return local_cluster(processors())
    if isinstance(workers, futures.Executor):
        return Given(workers)
    if hasattr(workers, "submit") and hasattr(workers, "scheduler_info"):
        return Dask(workers)
    if not isinstance(workers, (str, bool)) and (isinstance(workers, float) or hasattr(workers, "__index__")):
        return Processes(inputs.whole("workers", workers, most=4096), processors())
    raise InputError(f"workers is {one_line(workers)}; give {MEANING}.")


def asked(team: Crew, function: Task, *arguments: Any) -> Any:
    """One call by a worker, before the work begins: whether there is one, and what it says."""
    outcome = next(team.each(function, [arguments]))
    if outcome.died:
        raise WorkersLost(f"{TRIES} workers died as they began. {GUARD}") from outcome.error
    if outcome.error is not None:
        raise outcome.error
    return outcome.result


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
            asked(team, os.getpid)  # whether there are workers at all
            outcomes = team.each(called, luggage)
        for outcome in outcomes:
            error = outcome.error
            if outcome.died:
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


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
