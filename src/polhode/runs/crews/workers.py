"""What `workers=` may be, said once for sweeps, stress tests, certificates, studies and reproductions: who does the
tasks (`crew`), how a task travels to a worker, and what comes back (`mapped`).
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
from polhode.runs.crews.crew import GUARD, MOST_TRIES, Here, Task, UsersExecutor, WorkersLost
from polhode.runs.crews.dask_crew import Dask, local_crew
from polhode.runs.crews.processes import Processes

Crew = Here | Processes | UsersExecutor | Dask

MEANING = (
    "None (this process), a number of processes, an executor of concurrent.futures, a Dask client, or "
    '"dask" (a cluster on this machine)'
)


def crew(workers: Any) -> Crew:
    """The crew that `workers` names."""
    if workers is None:
        return Here()
    if isinstance(workers, str) and workers == "dask":
        return local_crew()
    if isinstance(workers, futures.Executor):
        return UsersExecutor(workers)
    if hasattr(workers, "submit") and hasattr(workers, "scheduler_info"):
        return Dask(workers)
    if not isinstance(workers, (str, bool)) and (isinstance(workers, float) or hasattr(workers, "__index__")):
        return Processes(inputs.whole("workers", workers, most=4096))
    raise InputError(f"workers is {one_line(workers)}; give {MEANING}.")


def asked(team: Crew, function: Task, *arguments: Any) -> Any:
    """One call by a worker, before the work begins: whether there is one, and what it says."""
    outcome = next(team.each(function, [arguments]))
    if outcome.died:
        raise WorkersLost(f"{MOST_TRIES} workers died as they began. {GUARD}") from outcome.error
    if outcome.error is not None:
        raise outcome.error
    return outcome.result


def mapped(
    workers: Any,
    task: Task,
    calls: Sequence[tuple[Any, ...]],
    tick: Callable[[int, Any], None] = lambda k, result: None,
) -> list[Any]:
    """What task(*arguments) returns for each of the calls, in their order; `workers` says who does them.

    A user's functions travel by value where they have no name. What a task raises is raised here, and its warnings are
    given here. `tick(k, result)` is called whenever call number k is done.
    """
    results: list[Any] = [None] * len(calls)
    team = crew(workers)
    try:
        if isinstance(team, Here):
            outcomes = team.each(task, calls)
        else:
            luggage = [(packed("A task", (task, arguments)), os.getpid()) for arguments in calls]
            asked(team, os.getpid)  # fails at once where there are no workers
            outcomes = team.each(called, luggage)
        for outcome in outcomes:
            error = outcome.error
            if outcome.died:
                raise WorkersLost(f"One task killed {MOST_TRIES} workers: {error}") from error
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
    """A value as the bytes that travel to a worker; a sentence if it has none. Only cloudpickle takes lambdas."""
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
    """In a worker: unpack a task and do it. Returns its result, and the warnings that would otherwise be lost."""
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
