"""`sweep`: a problem over axes, computed in chunks by any workers; the result is a Zarr store and its xarray Dataset.

s = ph.sweep(body, over={"k": ks, "Omega0": starts}, method="VLV", h=0.01, t_end=100, out="sweep.zarr", workers=4)
s.Q_final                                    # dimensions k, Omega0, and those of an attitude
ph.sweep.resume("sweep.zarr", workers=8)     # goes on where it stopped
"""

import os
import pathlib
import tempfile
from typing import Any

from polhode import inputs
from polhode.errors import FileError, InputError, RunError, one_line
from polhode.inputs.events import given_events
from polhode.integrators.lookup import integrator, name_of
from polhode.integrators.method import Method
from polhode.runs import turns
from polhode.runs.arguments import given_problem
from polhode.runs.crews.crew import WorkersLost
from polhode.runs.crews.workers import Crew, asked, crew
from polhode.runs.files import places
from polhode.runs.progress import bar
from polhode.runs.sweeps import store, tasks
from polhode.runs.sweeps.arrays import coordinate_name
from polhode.runs.sweeps.axes import check_bodies
from polhode.runs.sweeps.axes import grid as made_grid
from polhode.runs.sweeps.opened import in_memory, opened
from polhode.runs.sweeps.plan import Kept, Plan, chosen_chunks, chosen_kept
from polhode.runs.sweeps.statistics import FEWEST_LOOKS


@inputs.checked_call
def sweep(
    problem: Any,
    *,
    over: Any,
    grid: bool = True,
    method: Any = None,
    h: Any = None,
    t_end: Any = None,
    n_steps: Any = None,
    save_every: Any = None,
    final: Any = None,
    reduce: Any = None,
    reduce_every: Any = 1,
    events: Any = None,
    terminal: Any = (),
    direction: Any = None,
    crossings: Any = 1,
    out: Any = None,
    workers: Any = None,
    chunk: Any = None,
    progress: bool = False,
) -> Any:
    """Integrate a problem over axes and return an xarray Dataset, lazy, with the axes as dimensions.

    A body that fails has `status` 1 and its step in `failed_step`; `s.polhode.failures()` has the sentences. A task
    whose worker died is tried three times; those that could not be done are named in s.attrs["lost_chunks"], JSON of
    {chunk: sentence}. To choose one of several methods write s.sel({"method": "VLV"}), since `sel` itself has a keyword
    `method`.

    Parameters
    ----------
    problem : Problem or str
        a Problem or its name
    over : dict
        {name: values}: Q0, Omega0, Pi0, inertia, parameters of the problem, method, h; or `ph.draws(...)` under a name
        of your choice. Values have the axis first: inertia (n, 3) or (n, 3, 3), Omega0 (n, 3), a parameter of three
        numbers (n, 3); one such value by itself, m=[1, 2, 3], is an axis of length 1
    grid : bool
        True: the product of all axes; False: all axes have one length and are taken together, value by value, and the
        dimension is called body
    method, h, t_end, n_steps
        as for `solve`; method and h may be axes instead. TAYLOR and RKMK54, which choose their steps, and plain
        functions run one body after the other, not in lanes: many small tasks (chunk=) use all workers
    save_every : int
        keep the states after every so many steps: Q, Omega
    final : bool
        keep the last state: Q_final, Omega_final
    reduce : str or sequence of str
        "energy", "momentum" ..., or the names of invariants of the problem: first, min, max, mean, slope of each over
        the run, looked at every `reduce_every` steps; nothing else is kept. The variables are name_min and so on
    events : dict of callables
        {name: g(t, Q, Omega)} with `terminal` and `direction` as for `solve`. The result has, for each body, the number
        of crossings, name_count, and the first of them: name_t, name_Q, name_Omega; with crossings=k the first k. The
        last state of a body that a terminal event ended is at that event, at t_final
    out : path
        the folder of the store, such as "sweep.zarr"; a later call with the same plan goes on with it. Without `out`
        the result is in memory
    workers : None, int, executor, Dask client or "dask"
        None: this process, with lanes and threads; a number of processes; an executor; a Dask client; "dask", a cluster
        on this machine
    chunk : int
        about how many bodies a task has. The bytes of the store depend on this number, not on the workers
    progress : bool
        show a bar with rate, time left and failures

    Returns
    -------
    xarray.Dataset
        Lazy, with the axes as dimensions.

    Raises
    ------
    InputError
        An axis that cannot be used, a torque that cannot travel, or a store of another plan.

    Examples
    --------
    >>> import polhode as ph
    >>> s = ph.sweep("heavy-top", over={"method": ["VLV", "ELN"], "h": [0.01, 0.02]}, t_end=1, final=True)
    >>> s.Q_final.sizes["method"], s.Q_final.sizes["h"]
    (2, 2)
    """
    body = given_problem(problem, method)
    axes = made_grid(body, over, inputs.flag("grid", grid))
    watched = given_events(events, terminal, direction)
    kept = chosen_kept(body, save_every, final, reduce, reduce_every, watched, crossings)
    plan = _planned(body, axes, method, kept, h=h, t_end=t_end, n_steps=n_steps, chunk=chunk)
    _tell_of_turns(plan)
    if out is not None:
        return _run(places.named(out, "out"), plan, workers, progress)
    with tempfile.TemporaryDirectory(prefix="polhode-sweep-") as folder:
        path = pathlib.Path(folder) / "sweep.zarr"
        return in_memory(path, _run(path, plan, workers, progress, "Without out nothing of it is kept."))


@inputs.checked_call
def resume(path: Any, *, workers: Any = None, progress: bool = False) -> Any:
    """Go on with the sweep in a store: what is missing or damaged is computed. Returns the Dataset.

    The problem and the methods are unpacked from the store, which runs code that it holds: resume your own sweeps.
    """
    place = places.named(path, "path")
    return _run(place, store.plan_of(place), workers, progress)


@inputs.checked_call
def open_sweep(path: Any) -> Any:
    """Look at the store of a sweep, finished or not: an xarray Dataset, lazy. Nothing in it is executed.

    Parameters
    ----------
    path : path
        The folder of the store.

    Returns
    -------
    xarray.Dataset
        What is there so far.

    Raises
    ------
    FileError
        The folder holds no sweep.
    """
    return opened(places.named(path, "path"))


sweep.resume = resume  # type: ignore[attr-defined]


def _planned(body: Any, axes: Any, method: Any, kept: Kept, *, h: Any, t_end: Any, n_steps: Any, chunk: Any) -> Plan:
    varied = {data for axis in axes.axes for data in axis.values}
    for name, value in (("method", method), ("h", h)):
        if name in varied and value is not None:
            raise InputError(f"{name} is an axis of the sweep and was given by itself too; give it once.")
    if "method" not in varied and method is None:
        raise InputError('A sweep needs a method: method="VLV", or over={"method": [...]}.')
    if "h" in varied and kept.save_every is not None:
        raise InputError("With h as an axis each step would have states at other times: give final=True or reduce.")
    t_end = None if t_end is None else inputs.number("t_end", t_end)
    steps = None if n_steps is None else inputs.whole("n_steps", n_steps)
    step = None if h is None else inputs.step_size(h)
    method_used = None if method is None else integrator(method)
    rough = Plan(body, method_used, step, t_end, steps, axes, kept, (1,) * len(axes.axes))
    every_h = [h for axis in axes.axes for h in axis.values.get("h", ())] or [step]
    most = max(rough.steps(one)[1] for one in every_h)
    fewest = min(rough.steps(one)[1] for one in every_h)
    if kept.reduce and fewest // kept.reduce_every < FEWEST_LOOKS:
        raise InputError(
            f"reduce_every = {kept.reduce_every} leaves {fewest // kept.reduce_every} looks; {FEWEST_LOOKS} are needed."
        )
    times = rough.times()
    samples = 0 if times is None else len(times)
    _check_names(body, axes, kept.variables(samples))
    _check_runs(body, axes, method_used, [rough.steps(one) for one in every_h])
    return Plan(body, method_used, step, t_end, steps, axes, kept, chosen_chunks(axes, kept, samples, most, chunk))


def _check_names(body: Any, axes: Any, variables: Any) -> None:
    """Refuse an axis with the name of a part of the result."""
    varied = {data for axis in axes.axes for data in (axis.name, *axis.values)}
    coordinates = [(axis.name, coordinate_name(body, axis, data)) for axis in axes.axes for data in axis.values]
    names = [*{axis.name for axis in axes.axes}, *(name for own, name in coordinates if name != own)]
    in_use = {*variables, "t", "space", "body_axis", "crossing"} | {name for name in names if names.count(name) > 1}
    twice = sorted(varied & in_use)
    if twice:
        raise InputError(f"{', '.join(twice)} is the name of an axis and of a part of the result; rename the axis.")


def _check_runs(body: Any, axes: Any, method: Any, intervals: list[tuple[float, int]]) -> None:
    """Refuse what a run would refuse, before any run begins."""
    check_bodies(body, axes)
    for m in [m for axis in axes.axes for m in axis.values.get("method", ())] or [method]:
        if isinstance(m, Method) and m.free_only and body.has_torque:
            raise InputError(f"{name_of(m)} is for a free body only, and {body.name!r} has a torque.")
    for h, n in intervals:
        inputs.check_breaks(body, h, n)


STORED = "What was stored is there: ph.sweep.resume goes on."


def _run(path: pathlib.Path, plan: Plan, workers: Any, progress: bool, remains: str = STORED) -> Any:
    """Compute the chunks that are not there; returns the Dataset. `remains` says what becomes of a sweep that stops."""
    progress, team = inputs.flag("progress", progress), crew(workers)
    place = pathlib.Path(os.path.abspath(path))  # workers may be in other folders
    try:
        store.create(path, plan)
        todo = store.missing(path, plan)
        lost: dict[int, str] = {}
        stopped = ""
        if todo:
            _check_travel(team, place)
            stopped = _worked(team, place, plan, todo, lost, progress, remains)
        if not lost and not stopped:
            store.tidy(path)
    except WorkersLost as error:
        raise RunError(f"{error} {remains}") from error
    finally:
        team.close()
    for text in (stopped, _lost_chunks(lost)):
        if text:
            inputs.warn(text)
    return opened(path, lost)


def _worked(
    team: Crew, path: pathlib.Path, plan: Plan, todo: list[int], lost: dict[int, str], progress: bool, remains: str
) -> str:
    """Hand the tasks out; `lost` takes those that failed. Returns a sentence if the work was interrupted."""
    done = plan.count - len(todo)
    counts = Counts(plan, todo)
    label = f"{plan.bodies} bodies in {plan.count} chunks" + (f", {team.link}" if team.link else "")
    try:
        with bar(progress, plan.bodies, label, counts.done, "bodies") as tick:
            for outcome in team.each(tasks.compute, [(str(path), i, team.threads) for i in todo]):
                index, error = todo[outcome.index], outcome.error
                if isinstance(error, OSError):
                    raise places.unwritable(f"The store {places.shown(path)}", error, remains) from error
                if isinstance(error, InputError):  # of the plan: every chunk would say the same
                    raise error
                if error is not None:
                    lost[index] = f"{type(error).__name__}: {one_line(str(error))}"
                else:
                    counts.failed += outcome.result[1]
                counts.done += plan.bodies_of(index)
                done += 1
                tick(counts.done, label + counts.told(len(lost)))
    except KeyboardInterrupt:
        return f"Interrupted: {done - len(lost)} of {plan.count} chunks are there. {remains}"
    return ""


class Counts:
    """How many bodies are done and how many failed, for the progress bar."""

    def __init__(self, plan: Plan, todo: list[int]) -> None:
        self.done = plan.bodies - sum(plan.bodies_of(i) for i in todo)
        self.failed = 0

    def told(self, lost: int) -> str:
        """How many bodies failed and chunks were lost so far, in words; "" if none."""
        return (f", {self.failed} failed" if self.failed else "") + (f", {lost} chunks lost" if lost else "")


def _check_travel(team: Crew, path: pathlib.Path) -> None:
    """Ask a worker to unpack the plan before anything starts."""
    error = asked(team, tasks.tried, str(path))
    if error:
        raise FileError(f"A worker cannot begin: {error}")


def _lost_chunks(lost: dict[int, str]) -> str:
    if not lost:
        return ""
    first = min(lost)
    return (
        f"{len(lost)} chunks could not be computed; they are NaN, with status -1, and named in attrs['lost_chunks']. "
        f"Chunk {first}: {lost[first]}. ph.sweep.resume tries them again."
    )


def _tell_of_turns(plan: Plan) -> None:
    """Warn once of steps that turn the body too far, by the fastest body of the first chunk."""
    import numpy as np

    bodies = plan.grid.bodies(plan.block(0))
    if "Omega0" not in bodies:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        speeds = np.linalg.norm(bodies["Omega0"], axis=-1)
    speeds[~np.isfinite(speeds)] = 0  # of those it is said that they cannot start, or fail
    steps = [h for axis in plan.grid.axes for h in axis.values.get("h", ())] or [plan.steps(plan.h)[0]]
    turns.warn_of_bodies(f"{{}} of {plan.problem.name} turns", speeds, max(steps, key=abs))
