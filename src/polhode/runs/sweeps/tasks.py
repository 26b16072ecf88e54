"""One task of a sweep: a chunk of bodies, computed in lanes and threads, and stored."""

import functools
import pathlib
import threading
import warnings
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.runs import turns
from polhode.runs.ensemble.solve import Ensemble, solve_ensemble
from polhode.runs.sweeps import store
from polhode.runs.sweeps.axes import DATA
from polhode.runs.sweeps.crossed import crossed, ended, ends
from polhode.runs.sweeps.plan import Plan
from polhode.runs.sweeps.statistics import statistics


def compute(path: str, index: int, threads: int | None = None) -> tuple[int, int]:
    """Compute and store a chunk; returns how many bodies it has and how many of them failed.

    This is what travels: a path and a number. Two workers may compute it at once: the bytes are the same.
    """
    place = pathlib.Path(path)
    plan = _plan(path, (place / ".polhode" / "plan.json").stat().st_mtime_ns)
    values, failures = computed(plan, index, threads)
    store.write(place, plan, index, values, failures)
    return len(values["status"].ravel()), len(failures)


@functools.lru_cache(maxsize=4)
def _plan(path: str, written: int) -> Plan:
    """The plan of a store, unpacked once in a process."""
    return store.plan_of(pathlib.Path(path))


def computed(plan: Plan, index: int, threads: int | None) -> tuple[dict[str, np.ndarray], list[Any]]:
    """The variables of a chunk, in the shape of its block, and (body, step, sentence) of those that failed."""
    block = plan.block(index)
    shape = tuple(piece.stop - piece.start for piece in block)
    bodies = plan.grid.bodies(block)
    method = plan.grid.setting("method", block, plan.method)
    h, n = plan.steps(plan.grid.setting("h", block, plan.h))
    data: dict[str, Any] = {name: bodies.pop(name) for name in DATA if name in bodies}
    kept = plan.kept
    watched = {} if kept.events is None else kept.events.given()
    with SILENCE, turns.on_purpose():  # said once, when the sweep begins
        e = solve_ensemble(
            plan.problem,
            method,
            **data,
            parameters=bodies or None,
            h=h,
            n_steps=n,
            save_every=kept.save_every or (kept.reduce_every if kept.reduce else n),
            threads=threads,
            on_failure="return",
            **watched,
        )
    if e.stats["interrupted"]:
        raise KeyboardInterrupt
    values = {name: x.reshape(*shape, *x.shape[1:]) for name, x in _variables(plan, e).items()}
    return values, [[int(i), int(e.failed[i]), e.messages[int(i)]] for i in np.flatnonzero(e.failed >= 0)]


def _variables(plan: Plan, e: Ensemble) -> dict[str, np.ndarray]:
    """What is kept of the bodies, (bodies, ...)."""
    variables: dict[str, np.ndarray] = {}
    if plan.kept.save_every is not None:
        variables |= {"Q": np.moveaxis(e.Q, 1, 0), "Omega": np.moveaxis(e.Omega, 1, 0)}
    if plan.kept.final:
        variables |= {"Q_final": e.Q[-1], "Omega_final": e.Omega[-1]}
    short: list[int] = []
    if plan.kept.events is not None:
        last = ends(e, plan.kept.events)
        short = [end.body for end in last]
        if plan.kept.final and plan.kept.events.terminal:
            variables |= ended(e, last)
        variables |= crossed(e, plan.kept.events, plan.kept.crossings)
    for name, label in plan.kept.labels.items():
        variables |= {f"{label}_{statistic}": numbers for statistic, numbers in statistics(e, name, short).items()}
    failed = e.failed
    variables["failed_step"] = failed.astype(np.int64)
    status = np.where(failed < 0, 0, np.where(e.bodies.finite, 1, 2))
    variables["status"] = status.astype(np.int8)
    return variables


class _Silence:
    """No warnings while any task is under way: tasks may be threads of the user's process, which share its filters."""

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._caught = warnings.catch_warnings()
                self._caught.__enter__()
                warnings.simplefilter("ignore")
            self._inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._caught.__exit__(None, None, None)


SILENCE = _Silence()


def tried(path: str) -> str:
    """In a worker, before anything starts: try to unpack the plan. Returns what went wrong, or nothing."""
    try:
        store.plan_of(pathlib.Path(path))
    except (InputError, OSError) as error:
        return str(error)
    return ""
