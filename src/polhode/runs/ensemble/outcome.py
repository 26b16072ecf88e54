"""The Ensemble of a run that has ended: rows, what failed, events, counts."""

from typing import Any

import numpy as np

from polhode.integrators.method import Method
from polhode.runs.ensemble.events import Table, crossings_by_name
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.ensemble.schedule import ENDED, RAISED, Run
from polhode.runs.ensemble.way import Way
from polhode.runs.results.as_it_was import potential_now
from polhode.runs.results.columns import times_of


def ensemble_of(run: Run) -> Ensemble:
    """The Ensemble; what failed bodies left behind becomes NaN."""
    N, done, every = len(run.bodies), run.done, run.every
    if run.sink is not None:
        every = run.sink.every
        if done == run.n and done % every:
            run.sink.keep(_last(run)[None, :, :N], np.array([done]), run.failed[:N])
        run.out, run.row = run.sink.kept, run.sink.at
    elif done == run.n and run.left != every:
        run.out[run.row] = _last(run)
        run.row += 1
    if done < run.n and not run.interrupted and not _streams(run):  # all bodies failed or ended before
        run.out[run.row :] = np.nan
        run.row = len(run.out)
    sentences: dict[int, str] = {}
    reason = run.way.reason
    if run.has_lost:
        if alone := int((run.errors[:N] == RAISED).sum()):
            sentences = run.one_by_one() if run.sink is None else _not_alone(run)
            done = run.done
            reason = f"{alone} bodies ran one by one, as a function of yours raised an exception. {reason}".rstrip()
        _forget(run, every)
    events = {}
    if run.watch is not None:
        run.watch.warn()
        events = crossings_by_name(Table.joined(run.watch.tables), run.watch.events.functions, run.bodies)
    stats = counts(run.method, run.way, N, done, run.iterations, run.threads, run.wall_time)
    stats |= {"reason": reason, "interrupted": run.interrupted}
    if run.checkpoint is not None and run.checkpoint.resumed_at is not None:
        stats["resumed_at"] = run.checkpoint.resumed_at
    t0 = run.bodies.kinds[0].t0
    return Ensemble(
        *(
            run.method.name,
            run.h,
            times_of(t0, run.h, every, run.n, 0, run.row),
            run.bodies,
            None if _streams(run) else run.out[: run.row, :, :N],
            run.failed[:N],
            run.errors[:N],
            stats,
            sentences,
        ),
        states=(run.sink.stream.column("Q"), run.sink.stream.column("Omega")) if _streams(run) else None,
        events=events,
        ended={} if run.watch is None else run.watch.ended,
        reductions={} if run.sink is None or run.sink.tallies is None else run.sink.tallies.results(t0, run.h),
        integrator=run.method,
        potential_then=potential_now(run.bodies.kinds[0]),
    )


def counts(
    method: Method, way: Way, N: int, done: int, iterations: int, threads: int, seconds: float
) -> dict[str, Any]:
    """The stats of a run in which no function raised."""
    return {
        "n_bodies": N,
        "n_steps": done,
        "n_torque": N * method.torques_at_start + method.torques(done * N, iterations),
        "n_iterations": iterations,
        "lanes": way.width,
        "threads": threads,
        "compiled": True,
        "reason": way.reason,
        "interrupted": False,
        "wall_time": seconds,
    }


def _last(run: Run) -> np.ndarray:
    """The last state of all bodies, (7, bodies)."""
    return np.swapaxes(run.states[:, :7], 0, 1).reshape(7, -1)


def _forget(run: Run, every: int) -> None:
    """NaN for what bodies that failed or were ended left behind; those that an event ended have not failed."""
    N, finite = len(run.bodies), run.bodies.finite
    failed, rows = run.failed[:N], run.out[: 0 if _streams(run) else run.row, :, :N]
    for i in np.flatnonzero(failed >= 0):
        rows[failed[i] // every if finite[i] else 0 :, :, i] = np.nan
    ended = run.errors[:N] == ENDED
    failed[ended], run.errors[:N][ended] = -1, np.nan


def _streams(run: Run) -> bool:
    """Whether the rows are in a file."""
    return run.sink is not None and run.sink.stream is not None


def _not_alone(run: Run) -> dict[int, str]:
    """Sentences for bodies in whose blocks a function raised, in a run that tallies: they do not run on alone."""
    left = np.flatnonzero(run.errors[: len(run.bodies)] == RAISED).tolist()
    run.errors[left] = np.nan
    said = "a function of yours raised an exception for it or for a body beside it; with reduce or out it ends there"
    return {i: f"{said}, at step {run.failed[i]}." for i in left}
