"""`solve_ensemble`: many bodies at once, by SIMD lanes of the same kernels and by threads over blocks of them."""

import functools
import operator
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import Events, given_events
from polhode.inputs.rotations import AttitudeLike
from polhode.integrators.lookup import Integrator, integrator, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.integrators.velocity import adapted
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.arguments import given_problem
from polhode.runs.between_steps.machine_events import machine_events
from polhode.runs.ensemble import repeated
from polhode.runs.ensemble.checkpoint import Checkpoint, description
from polhode.runs.ensemble.events import gathered_events
from polhode.runs.ensemble.outcome import ensemble_of
from polhode.runs.ensemble.reductions import Tallies, side_by_side
from polhode.runs.ensemble.result import Ensemble as Ensemble
from polhode.runs.ensemble.schedule import Run, sizes, way_of
from polhode.runs.ensemble.sink import Sink
from polhode.runs.ensemble.starts import Bodies, gathered
from polhode.runs.ensemble.watch import Watch
from polhode.runs.failures import FAILURES, after_failure
from polhode.runs.progress import bar
from polhode.runs.results.reductions import QUANTITIES, Survey
from polhode.runs.runners.machine_law import LawMemory
from polhode.runs.solve import CHECKPOINT_EVERY, follows, solve

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
    call, given = None, method
    if isinstance(problem, Problem) and on_failure.__class__ is str and all(map(operator.is_, others, PLAIN)):
        call = repeated.key_of(method, h, t_end, n_steps, save_every, threads, Q0, Omega0, Pi0)
        if call is not None and on_failure in FAILURES:
            found = repeated.again(problem, call, Q0, Omega0, Pi0)
            if found is not None:
                return found
    if isinstance(problem, (str, Method)) or isinstance(method, Problem):
        problem = given_problem(problem, method)
    method = integrator(method)
    bodies = gathered(problem, Q0, Omega0, Pi0, inertia, parameters, damping, rotor)
    alone = bodies.kinds[0]
    h, n = inputs.interval(alone, h, t_end, n_steps, inputs.flag("strict", strict))
    watched, policy = given_events(events, terminal, direction), inputs.choice("on_failure", on_failure, FAILURES)
    inputs.check_breaks(alone, h, n)
    every, progress = inputs.whole("save_every", save_every), inputs.flag("progress", progress)
    threads = None if threads is None else inputs.whole("threads", threads)
    if out is None:
        inputs.check_memory(56 * len(bodies), n, every, " Or write them to a file as they come: out=.")
    speeds = turns.speeds(bodies.Omega0[None])
    free = follows(method, alone)
    large_step = free or turns.warn_of_bodies(f"{{}} of {alone.name} turns", speeds, h)
    each, reduce = inputs.whole("reduce_every", reduce_every), () if reduce is None else reduce
    names = inputs.choices("reduce", reduce, ("energy", "momentum", *QUANTITIES[1:]))
    file = None if checkpoint is None else inputs.file_path("checkpoint", checkpoint)
    out = None if out is None else inputs.file_path("out", out)
    if out is not None and file is not None:
        raise InputError("out and checkpoint of an ensemble do not go together: a checkpoint holds the states kept.")
    survey, seconds = Survey(names, each, n) if names else None, inputs.number("checkpoint_every", checkpoint_every)
    keep = None if call is None else functools.partial(repeated.keep, call, given, alone, threads, free)
    on_the_way = OnTheWay(watched, survey, file, seconds, out, keep)
    e = _integrated(bodies, method, h, n, every, threads, progress, on_the_way)
    speeds = np.fmax(speeds, turns.speeds(e.velocities()))
    e.stats["largest_turn"] = abs(h) * float(speeds.max())
    if not large_step:
        turns.warn_of_bodies(f"{e.method} let {{}} of {alone.name} turn", speeds, h)
    return after_failure(e, policy, e.message, next(iter(e.exceptions.values()), None))


INTERPRETED = "a plain function runs interpreted"


@dataclass(frozen=True)
class OnTheWay:
    """What a run does beside its steps: events, reductions, checkpoints; and what is done with it after them."""

    events: Events | None
    survey: Survey | None
    checkpoint: Any
    seconds: float
    out: Any
    keep: Callable[[Run], None] | None  # for the next call like this one

    def one_by_one(self, run: Callable[[str], Ensemble], reason: str) -> Ensemble:
        """The run of bodies one by one, if nothing is asked that those cannot do."""
        wish = next((k for k in ("checkpoint", "out") if getattr(self, k) is not None), "")
        if wish:
            raise InputError(
                f"{wish} of an ensemble is for bodies that run in machine code, and here {reason}. Leave it out, or "
                "run the bodies by solve."
            )
        return run(reason)


def _integrated(
    bodies: Bodies,
    method: Integrator,
    h: float,
    n: int,
    every: int,
    threads: int | None,
    progress: bool,
    on_the_way: OnTheWay,
) -> Ensemble:
    """The Ensemble: in lanes, or one by one."""
    alone, watched = bodies.kinds[0], on_the_way.events
    run_each = functools.partial(
        _one_by_one, bodies, method, h, n, every, progress, watched=watched, survey=on_the_way.survey
    )
    one_by_one = functools.partial(on_the_way.one_by_one, run_each)
    if not isinstance(method, Method):
        by_tolerance = isinstance(method, BlackBox) and method.tolerance is not None
        return one_by_one(f"{name_of(method)} chooses its steps for each body" if by_tolerance else INTERPRETED)
    if method.free_only and alone.has_torque:
        raise InputError(f"{method.name} is for a free body only, and {alone.name!r} has a torque.")
    method = adapted(method, alone.forces)
    if alone.control is not None:
        return one_by_one("a controller is called for one body after the other")
    memory, coefficients = sizes(alone, method, h)
    way = way_of(alone, method, memory, coefficients, watched is not None)
    if way.loop is None:
        return one_by_one(way.reason)
    watch = None
    if watched is not None:
        made = machine_events(watched)
        if made is None:
            return one_by_one("an event cannot be compiled")
        watch = Watch(bodies, method, h, watched, made[1])
        watch.check(method, made[0])
    survey, sink = on_the_way.survey, None
    if survey is not None or on_the_way.out is not None:
        tallies = None if survey is None else Tallies(survey, bodies, method)
        sink = Sink(bodies, method, h, n, every, tallies, on_the_way.out)
    run = Run(bodies, method, h, n, every if sink is None else sink.inner, way, memory, watch, sink)
    if on_the_way.checkpoint is not None:
        described = description(run, every, on_the_way.survey, watched)
        run.checkpoint = Checkpoint(on_the_way.checkpoint, on_the_way.seconds, described)
    if sink is None or sink.stream is None:
        run.drive(threads, progress)
        if on_the_way.keep is not None:
            on_the_way.keep(run)
        return ensemble_of(run)
    try:
        run.drive(threads, progress)
        e = ensemble_of(run)
        sink.stream.finish(e)
    except BaseException:
        sink.stream.discard()
        raise
    return e


def _one_by_one(
    bodies: Bodies,
    method: Integrator,
    h: float,
    n: int,
    every: int,
    progress: bool,
    reason: str,
    watched: Any,
    survey: Survey | None,
) -> Ensemble:
    """The bodies one after the other through `solve`."""
    N, begin = len(bodies), time.perf_counter()
    samples = n // every + (n % every > 0)
    Q, Omega = np.full((samples + 1, N, 3, 3), np.nan), np.full((samples + 1, N, 3), np.nan)
    failed, sentences, interrupted, name = np.full(N, -1), {}, False, name_of(method)
    exceptions, met, ended, compiled, law = {}, {}, {}, True, ""
    driven = [bodies.problem(i) for i in range(N)] if bodies.kinds[0].is_driven else bodies.kinds
    looks = {} if watched is None else {"events": watched.functions, "terminal": watched.terminal}
    looks |= {} if watched is None else {"direction": watched.direction}
    looks |= {} if survey is None else {"reduce": survey.names, "reduce_every": survey.each}
    tallied: list[dict[str, Any]] = [{} for _ in range(N)]
    alone = bodies.kinds[0]
    memory = LawMemory(alone.name, alone.law) if alone.law is not None and N > 1 else None
    torques = iterations = 0
    with bar(progress, N, f"{N} bodies") as tick:
        for i in range(N):
            Q[0, i], Omega[0, i] = bodies.Q0[i], bodies.Omega0[i]
            if interrupted or not bodies.finite[i]:
                failed[i] = 0
                if bodies.finite[i]:
                    sentences[i] = "Interrupted before it began."
                continue
            try:
                with turns.on_purpose():  # said for all of them at once
                    s = solve(bodies.problem(i), method, h=h, n_steps=n, save_every=every, on_failure="return", **looks)
            except InputError:
                raise
            except Exception as raised:  # by the torque at the start
                failed[i], sentences[i] = 0, f"{type(raised).__name__} at the start: {raised}."
                continue
            name, interrupted = s.method, s.stats["interrupted"]
            k = len(s.t) - (s.success and bool(s.message))  # without the state at which an event ended the run
            Q[:k, i], Omega[:k, i] = s.Q[:k], s.Omega[:k]
            if bodies.kinds[0].is_driven and s.problem is not None:
                driven[i] = s.problem  # which knows what its motors did
            met[i], compiled, tallied[i] = s.events, compiled and s.stats["compiled"], s.reductions
            law = s.stats.get("law", law)
            if memory is not None and memory.is_used():
                memory = None
            if s.success and s.message:
                ended[i] = next(k for k in watched.terminal if len(s.events[k]) and s.events[k].t[-1] == s.t[-1])
            torques, iterations = torques + (s.stats["n_torque"] or 0), iterations + s.stats["n_iterations"]
            if not s.success:
                failed[i], sentences[i] = s.stats["n_steps"], s.message
            if s.exception is not None:
                exceptions[i] = s.exception
            tick(i + 1)
    stats = {
        "n_bodies": N,
        "n_steps": n,
        "n_torque": torques,
        "n_iterations": iterations,
        "lanes": 1,
        "threads": 1,
        "compiled": compiled and bool(met),
        "reason": reason,
        "interrupted": interrupted,
        "wall_time": time.perf_counter() - begin,
    }
    stats |= {"law": law} if law else {}
    t = bodies.kinds[0].t0 + h * np.append(0, np.minimum(every * np.arange(1, samples + 1), n))
    return Ensemble(
        *(
            name,
            h,
            t,
            replace(bodies, kinds=driven),
            None,
            failed,
            np.full(N, np.nan),
            stats,
            sentences,
            (Q, Omega),
            exceptions,
        ),
        events=gathered_events(met, N),
        ended=ended,
        reductions={}
        if survey is None
        else {name: side_by_side([x.get(name) for x in tallied]) for name in survey.names},
        integrator=method,
    )
