"""`solve_ensemble`: many bodies at once, by SIMD lanes of the same kernels and by threads over blocks of them."""

import functools
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import given_events
from polhode.inputs.rotations import AttitudeLike
from polhode.integrators.lookup import Integrator, integrator, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.integrators.velocity import adapted
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.arguments import given_problem
from polhode.runs.between_steps.machine_events import machine_events
from polhode.runs.ensemble import repeated
from polhode.runs.ensemble.asked import AskedOfBodies
from polhode.runs.ensemble.checkpoint import Checkpoint, description
from polhode.runs.ensemble.one_by_one import one_by_one
from polhode.runs.ensemble.outcome import ensemble_of
from polhode.runs.ensemble.reductions import Tallies
from polhode.runs.ensemble.result import Ensemble as Ensemble
from polhode.runs.ensemble.schedule import Run
from polhode.runs.ensemble.sink import Sink
from polhode.runs.ensemble.starts import gathered
from polhode.runs.ensemble.watch import Watch
from polhode.runs.ensemble.way import Way, sizes, way_of
from polhode.runs.equal_steps import follows
from polhode.runs.failures import FAILURES, after_failure
from polhode.runs.results.invariants import common_invariants
from polhode.runs.results.reductions import Survey, chosen_names
from polhode.runs.solve import CHECKPOINT_EVERY

INTERPRETED = "a plain function runs interpreted"
PLAIN = (None,) * 8 + (False, False, (), (), 1, CHECKPOINT_EVERY)
"""What else a call was given that may be made again: see ``repeated.py``."""


@inputs.checked_call
def solve_ensemble(
    problem: str | Problem | Sequence[Problem],
    method: str | Integrator,
    *,
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike | None = None,
    Pi0: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | ArrayLike | None = None,
    damping: ArrayLike | None = None,
    rotor: ArrayLike | None = None,
    h: float | None = None,
    t_end: float | None = None,
    n_steps: int | None = None,
    save_every: int = 1,
    threads: int | None = None,
    progress: bool = False,
    events: Mapping[str, Callable[..., Any]] | None = None,
    terminal: str | Sequence[str] = (),
    direction: Mapping[str, int] | None = None,
    reduce: str | Sequence[str] = (),
    reduce_every: int = 1,
    out: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    strict: bool = False,
    on_failure: str = "warn",
) -> Ensemble:
    """Integrate N bodies and return an Ensemble.

    Each body gets the bits that `solve` gives for it alone. A body that fails, or cannot start because one of its
    numbers is not finite, does not disturb the others: its `success` is False, its states are NaN from there on, and
    `messages` says what happened. Methods or torques that cannot run in lanes run one body after the other, on all
    threads; stats["reason"] says why. Elliptic functions (EXACT, JEM, RKN of a body without symmetry) are computed one
    body after the other inside the lanes.

    Parameters
    ----------
    problem : Problem, str or sequence of Problem
        a Problem or its name; or a sequence of N Problems made of the same functions
    method : str, Method, callable or BlackBox
        a name, a Method, or a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1)
    Q0 : (N, 3, 3) or (N, 3) array, or Rotation of N
        (N, 3, 3), N rotation vectors (N, 3) or a Rotation of N; or one for all; or that of the problem
    Omega0, Pi0 : (N, 3) array
        (N, 3), or one for all
    inertia : (N, 3) or (N, 3, 3) array
        moments (N, 3) or tensors (N, 3, 3). What depends on it follows: torque and invariants of shipped and built
        problems, and Omega0 of a problem that was given Pi0. A function of your own keeps the inertia it contains; in
        that case give a sequence of problems
    parameters : dict of (N, ...) arrays
        {name: (N, ...)} of the parameters that the problem was made with, or one for all; or (N, k), for a problem
        whose torque is a kernel with parameters
    damping : float, three numbers or 3x3 array
        (N,), (N, 3) or (N, 3, 3), one for each body of a problem that was made with damping
    rotor : three numbers
        (N, 3), of a problem that was made with a rotor; wheels have the speeds of the problem in each body
    h, t_end, n_steps, save_every, progress, strict, on_failure
        as for `solve`
    events, terminal, direction
        as for `solve`, in lanes. `e.events[name]` has all crossings of all bodies, body by body in the order in which
        they happened: .body, .t, .Q, .Omega, .direction; .first is the time of each body's first crossing (N,), NaN if
        it had none. No states need be kept for them: save_every=n_steps keeps only the last. The `success` of a body
        that a terminal event ends is True, its states are NaN from there on, and `e.ended` is {body: name of the event}
    reduce, reduce_every : str or sequence of str
        as for `solve`: `e.reductions[name]` has the least, greatest, mean and slope of every body over the run, as
        arrays (N,), without keeping states
    out : path
        a netCDF file, as `Ensemble.save` writes it, to write the states to as they come, in constant memory; it gets
        its name when the run has ended. The arrays are then read from it when they are looked at
    checkpoint, checkpoint_every : path
        as for `solve`, without out. Like reduce and out, it is for bodies that run in machine code
    threads : int, optional
        how many to use; None: as many as there are processors, and one for small jobs

    Returns
    -------
    Ensemble
        The states of all bodies at the times kept.

    Raises
    ------
    InputError
        An argument that cannot be used, or numbers of bodies that do not agree.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> e = ph.solve_ensemble("heavy-top", "VLV", Omega0=np.eye(3), h=0.01, t_end=1, save_every=100)
    >>> e.Q.shape, e.success.all()
    ((2, 3, 3, 3), np.True_)
    """
    others = (
        *(inertia, parameters, damping, rotor, events, direction, out, checkpoint),
        *(progress, strict, terminal, reduce, reduce_every, checkpoint_every),
    )
    call, method_given = None, method
    if isinstance(problem, Problem) and on_failure.__class__ is str and all(map(operator.is_, others, PLAIN)):
        call = repeated.key_of(method, h, t_end, n_steps, save_every, threads, Q0, Omega0, Pi0)
        if call is not None and on_failure in FAILURES:
            e = repeated.again(problem, call, Q0, Omega0, Pi0)
            if e is not None:
                return e
    if isinstance(problem, (str, Method)) or isinstance(method, Problem):
        problem = given_problem(problem, method)
    method = integrator(method)
    bodies = gathered(problem, Q0, Omega0, Pi0, inertia, parameters, damping=damping, rotor=rotor)
    alone = bodies.kinds[0]
    h, n = inputs.interval(alone, h, t_end, n_steps, inputs.flag("strict", strict))
    watched, policy = given_events(events, terminal, direction), inputs.choice("on_failure", on_failure, FAILURES)
    inputs.check_breaks(alone, h, n)
    every, progress = inputs.whole("save_every", save_every), inputs.flag("progress", progress)
    threads = None if threads is None else inputs.whole("threads", threads)
    if out is None:
        inputs.check_memory(56 * len(bodies), n, every, " Or write them to a file as they come: out=.")
    each, names = inputs.whole("reduce_every", reduce_every), chosen_names(reduce, common_invariants(bodies.kinds))
    survey, seconds = Survey(names, each, n) if names else None, inputs.number("checkpoint_every", checkpoint_every)
    file, out = _files(checkpoint, out)
    free = follows(method, alone)
    keep = None if call is None else functools.partial(repeated.keep, call, method_given, alone, free)
    run = AskedOfBodies(bodies, method, h, n, every, threads, progress, watched, survey, file, seconds, out, keep)
    e = _with_turns(run, free)
    return after_failure(e, policy, e.message, next(iter(e.exceptions.values()), None))


def _files(checkpoint: Any, out: Any) -> tuple[Path | None, Path | None]:
    """Where the checkpoint goes, and the states."""
    if out is not None and checkpoint is not None:
        raise InputError("out and checkpoint of an ensemble do not go together: a checkpoint holds the states kept.")
    file = None if checkpoint is None else inputs.file_path("checkpoint", checkpoint)
    return file, None if out is None else inputs.file_path("out", out)


def _with_turns(asked: AskedOfBodies, free: bool) -> Ensemble:
    """The Ensemble, with the largest turn in a step, and a warning of a large one unless any is `free`."""
    alone, h, speeds = asked.bodies.kinds[0], asked.h, turns.speeds(asked.bodies.Omega0[None])
    told = free or turns.warn_of_bodies(f"{{}} of {alone.name} turns", speeds, h)
    e = _integrated(asked)
    speeds = np.fmax(speeds, turns.speeds(e.velocities()))
    e.stats["largest_turn"] = abs(h) * float(speeds.max())
    if not told:
        turns.warn_of_bodies(f"{e.method} let {{}} of {alone.name} turn", speeds, h)
    return e


def _integrated(asked: AskedOfBodies) -> Ensemble:
    """The Ensemble: in lanes, or one by one."""
    method, alone, watched = asked.method, asked.bodies.kinds[0], asked.events
    if not isinstance(method, Method):
        by_tolerance = isinstance(method, BlackBox) and method.tolerance is not None
        return one_by_one(asked, f"{name_of(method)} chooses its steps for each body" if by_tolerance else INTERPRETED)
    if method.free_only and alone.has_torque:
        raise InputError(f"{method.name} is for a free body only, and {alone.name!r} has a torque.")
    if alone.control is not None:
        return one_by_one(asked, "a controller is called for one body after the other")
    method = adapted(method, alone.forces)
    memory, coefficients = sizes(alone, method, asked.h)
    way = way_of(alone, method, memory, coefficients, watched is not None)
    if way.loop is None:
        return one_by_one(asked, way.reason)
    watch = None
    if watched is not None:
        code = machine_events(watched)
        if code is None:
            return one_by_one(asked, "an event cannot be compiled")
        watch = Watch(asked.bodies, method, asked.h, watched, code[1])
        watch.check(method, code[0])
    return _in_lanes(asked, method, way, memory, watch)


def _in_lanes(asked: AskedOfBodies, method: Method, way: Way, memory: int, watch: Watch | None) -> Ensemble:
    """The bodies in blocks of lanes."""
    bodies, h, n, every, survey, sink = asked.bodies, asked.h, asked.n, asked.every, asked.survey, None
    if survey is not None or asked.out is not None:
        tallies = None if survey is None else Tallies(survey, bodies, method)
        sink = Sink(bodies, method, h, n, every, tallies, asked.out)
    inner = every if sink is None else sink.inner
    run = Run(bodies, method, h, n, inner, way, memory, watch=watch, sink=sink)
    if asked.checkpoint is not None:
        described = description(run, every, survey, asked.events)
        run.checkpoint = Checkpoint(asked.checkpoint, asked.seconds, described)
    if sink is None or sink.stream is None:
        run.drive(asked.threads, asked.progress)
        if asked.keep is not None:
            asked.keep(run)
        return ensemble_of(run)
    try:
        run.drive(asked.threads, asked.progress)
        e = ensemble_of(run)
        sink.stream.finish(e)
    except BaseException:
        sink.stream.discard()
        raise
    return e
