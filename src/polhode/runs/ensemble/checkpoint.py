"""Checkpoints of ensembles: the file of ``runs/files/checkpoint.py``, with the states of all bodies in it.

A sweep takes all bodies to the same step, and a checkpoint is written between two. The loop takes its whole state in
and gives it out, so that a run that goes on ends with the bits it would have ended with, wherever it was cut.
"""

import hashlib
from typing import Any

import numpy as np

from polhode.inputs.events import Events
from polhode.runs.ensemble.events import Table
from polhode.runs.files import checkpoint as files
from polhode.runs.results.reductions import Survey


def description(run: Any, every: int, survey: Survey | None, events: Events | None) -> dict[str, Any]:
    """What two runs must have in common for one to go on where the other stopped."""
    bodies, first = run.bodies, run.bodies.kinds[0]
    numbers = (bodies.Q0, bodies.Omega0, bodies.moments, bodies.axes, bodies.parameters, first.t0)
    text = b"".join(np.ascontiguousarray(np.asarray(x, float)).tobytes() for x in numbers)
    watched = () if events is None else tuple(events.functions.values())
    events_of = (
        [] if events is None else [list(events.functions), list(events.terminal), sorted(events.direction.items())]
    )
    return {
        "problem": first.name,
        "bodies": len(bodies),
        "data of the bodies": hashlib.sha256(text).hexdigest(),
        "functions of the problem": files.known("functions of the problem", first.made_of),
        "method": run.method.name,
        "code of the method": files.known("code of the method", (run.method.step, run.method.start)),
        "h": run.h,
        "n_steps": run.n,
        "save_every": every,
        "lanes": run.way.width,
        "reduce": list(survey.names) if survey else [],
        "reduce_every": survey.each if survey else 1,
        "events": files.known("events", watched),
        "terminal and direction": hashlib.sha256(repr(events_of).encode()).hexdigest(),
        **files.invariants_reduced(survey, bodies.kinds),
    }


class Checkpoint:
    """The checkpoint of one run: where it is, how often it is written, and what run it belongs to."""

    def __init__(self, path: Any, seconds: float, described: dict[str, Any]) -> None:
        files.check_place(path)
        self.path, self.seconds, self._description = path, seconds, described
        self.resumed_at: int | None = None

    def save(self, run: Any) -> None:
        """Write where the run is."""
        files.write(self.path, self._description, **_arrays(run))

    def restore(self, run: Any) -> None:
        """Go on from what the file holds, if there is one."""
        saved = files.read(self.path, self._description)
        if saved is None:
            return
        now = _arrays(run)
        if set(saved) != set(now):
            raise files.refused(self.path, f"it holds {sorted(saved)}, and a run like this one needs {sorted(now)}")
        for name, value in now.items():
            there = saved[name]
            grows = name == "rows" or name.startswith("table_")
            if there.dtype != value.dtype or there.shape[grows:] != value.shape[grows:]:
                raise files.refused(self.path, f"its {name} are {there.dtype} of shape {there.shape}")
        done, left, _, rows = saved["counts"].tolist()
        if not (0 <= done <= run.n and 1 <= left <= run.every and rows == len(saved["rows"])):
            raise files.refused(self.path, f"its counts are {saved['counts'].tolist()}, of {run.n} steps")
        _restored(run, saved)
        self.resumed_at = done


def _arrays(run: Any) -> dict[str, np.ndarray]:
    """All that a run needs to go on."""
    rows = run.out[: run.row] if run.sink is None else run.sink.kept[: run.sink.at]
    arrays = {
        "counts": np.array([run.done, run.left, run.iterations, len(rows)]),
        "seconds": np.array(run.wall_time),
        "states": run.states,
        "failed": run.failed,
        "errors": run.errors,
        "rows": rows,
    }
    if run.sink is not None and run.sink.tallies is not None:
        arrays |= {"tally": run.sink.tallies.tally, "origin": run.sink.tallies.origin}
    if run.watch is not None:
        table = Table.joined(run.watch.tables)
        arrays |= {"values": run.watch.values} | {f"table_{k}": v for k, v in vars(table).items()}
        arrays |= {"table_ended": run.watch.ended_as_numbers()}
    return arrays


def _restored(run: Any, saved: dict[str, np.ndarray]) -> None:
    run.done, run.left, run.iterations, rows = saved["counts"].tolist()
    run.wall_time = float(saved["seconds"])
    run.states[:], run.failed[:], run.errors[:] = saved["states"], saved["failed"], saved["errors"]
    if run.sink is None:
        run.row = rows
        run.out[:rows] = saved["rows"]
    else:
        sink = run.sink
        sink.at, sink.steps = rows, run.done // sink.inner * sink.inner
        sink.kept[:rows] = saved["rows"]
        if sink.tallies is not None:
            sink.tallies.tally[:], sink.tallies.origin = saved["tally"], saved["origin"]
    if run.watch is not None:
        run.watch.values[:] = saved["values"]
        columns = ("body", "t", "event", "direction", "rows")
        run.watch.tables = [Table(*(saved[f"table_{name}"] for name in columns))]
        run.watch.end_by_numbers(saved["table_ended"])
