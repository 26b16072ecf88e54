"""`solve_ensemble`: many bodies at once, by SIMD lanes of the same kernels and by threads over blocks of them."""

import functools
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import given_events
from polhode.integrators.lookup import integrator, name_of
from polhode.integrators.method import Method
from polhode.integrators.velocity import adapted
from polhode.physics.problem import Problem
from polhode.pickling import Travels, picklable, without_cached
from polhode.runs import turns
from polhode.runs.arguments import given_problem
from polhode.runs.attitudes import Attitudes
from polhode.runs.ensemble import saved
from polhode.runs.ensemble.events import gathered_events
from polhode.runs.ensemble.schedule import RAISED, Run, sizes, way_of
from polhode.runs.ensemble.starts import Bodies, chosen_numbers, gathered
from polhode.runs.failures import FAILURES, after_failure
from polhode.runs.progress import bar
from polhode.runs.seen import seen
from polhode.runs.solve import follows, solve
from polhode.runs.trajectory import Trajectory, written
from polhode.shown import shown


@inputs.checked_call
def solve_ensemble(
    problem,
    method,
    *,
    Q0=None,
    Omega0=None,
    Pi0=None,
    inertia=None,
    parameters=None,
    h=None,
    t_end=None,
    n_steps=None,
    save_every=1,
    threads=None,
    progress=False,
    events=None,
    terminal=(),
    direction=None,
    strict=False,
    on_failure="warn",
):
    """Integrate N bodies and return an Ensemble.

    problem     a Problem or its name; or a sequence of N Problems made of the same functions
    method      a name, a Method, or a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1)
    Q0          (N, 3, 3), N rotation vectors (N, 3) or a Rotation of N; or one for all; or that of the problem
    Omega0, Pi0 (N, 3), or one for all
    inertia     moments (N, 3) or tensors (N, 3, 3). What is derived from it follows: torque and invariants of shipped
                and built problems, Omega0 of a problem that was given Pi0. A function of your own keeps the inertia
                it contains: give a sequence of problems
    parameters  {name: (N, ...)} of the parameters that the problem was made with, or one for all; or (N, k), for a
                problem whose torque is a kernel with parameters
    h, t_end, n_steps, save_every, progress, strict, on_failure     as for `solve`
    events, terminal, direction                                     as for `solve`; bodies then run one by one.
                `Ensemble.events` has all crossings of all bodies, and the first of each
    threads     how many to use; None: as many as there are processors, and one for small jobs

    Each body gets the bits that `solve` gives for it alone. A body that fails, or cannot start because one of its
    numbers is not finite, does not disturb the others: it is False in `success`, its states are NaN from there on,
    and `messages` says what happened. Methods or torques that cannot run in lanes run one body after the other, on
    all threads; stats["reason"] says why. Elliptic functions (EXACT, JEM, RKN of a body without symmetry) do so inside
    the lanes.
    """
    if isinstance(problem, (str, Method)) or isinstance(method, Problem):
        problem = given_problem(problem, method)
    method = integrator(method)
    bodies = gathered(problem, Q0, Omega0, Pi0, inertia, parameters)
    alone = bodies.kinds[0]
    h, n = inputs.interval(alone, h, t_end, n_steps, inputs.flag("strict", strict))
    watched, policy = given_events(events, terminal, direction), inputs.choice("on_failure", on_failure, FAILURES)
    inputs.check_breaks(alone, h, n)
    every, progress = inputs.whole("save_every", save_every), inputs.flag("progress", progress)
    threads = None if threads is None else inputs.whole("threads", threads)
    inputs.check_memory(56 * len(bodies), n, every)
    told = follows(method, alone) or turns.warn_of_bodies(
        f"{{}} of {alone.name} turns", turns.speeds(bodies.Omega0[None]), h
    )
    if watched is not None:
        e = _one_by_one(bodies, method, h, n, every, progress, "events are looked for body by body", watched)
    else:
        e = _integrated(bodies, method, h, n, every, threads, progress)
    speeds = np.fmax(turns.speeds(bodies.Omega0[None]), turns.speeds(e.velocities()))
    e.stats["largest_turn"] = abs(h) * float(speeds.max())
    if not told:
        turns.warn_of_bodies(f"{e.method} let {{}} of {alone.name} turn", speeds, h)
    return after_failure(e, policy, e.message, next(iter(e.exceptions.values()), None))


def _integrated(bodies, method, h, n, every, threads, progress):
    """The Ensemble: in lanes, or one by one."""
    alone = bodies.kinds[0]
    if not isinstance(method, Method):
        return _one_by_one(bodies, method, h, n, every, progress, "a plain function runs interpreted")
    if method.free_only and alone.has_torque:
        raise InputError(f"{method.name} is for a free body only, and {alone.name!r} has a torque.")
    method = adapted(method, alone.forces)
    if alone.control is not None:
        return _one_by_one(bodies, method, h, n, every, progress, "a controller is called for one body after the other")
    memory, coefficients = sizes(alone, method, h)
    way = way_of(alone, method, memory, coefficients)
    if way.loop is None:
        return _one_by_one(bodies, method, h, n, every, progress, way.reason)
    run = Run(bodies, method, h, n, every, way, memory)
    run.drive(threads, progress)
    return _result(run)


@dataclass(frozen=True)
class Ensemble(Attitudes, Travels):
    """States of N bodies at the times kept, with the statistics of the run.

    t (n,), Q (n, N, 3, 3), Omega (n, N, 3); success (N,) and messages {body: sentence}. What a body that failed
    would have had after its failure is NaN. `ensemble[i]` is the Trajectory of one body; a slice, numbers or a mask
    give the Ensemble of those bodies.
    """

    method: str
    h: float
    t: np.ndarray
    bodies: Bodies
    rows: np.ndarray | None  # (n - 1, 7, N): quaternion and momentum in principal axes, after the start
    failed: np.ndarray  # (N,) the step in which a body failed, or -1
    errors: np.ndarray  # (N,) the last correction of a body that did not solve its equations, NaN otherwise
    stats: dict
    sentences: dict = field(default_factory=dict)  # of bodies that ran one by one, as all below
    states: tuple | None = None  # Q and Omega, where there are no rows
    exceptions: dict = field(default_factory=dict)  # what a user's function raised, by body
    events: dict = field(default_factory=dict)  # BodyCrossings by name, of what `events` asked for
    integrator: Any = None  # what took the steps

    def __repr__(self):
        lost = int((~self.success).sum())
        return (
            f"<Ensemble of {len(self)} bodies in {self.problem.name} by {self.method}, h = {self.h:g}: "
            f"{len(self.t)} states, t = {self.t[0]:g} to {self.t[-1]:g}{f', {lost} failed' if lost else ''}>"
        )

    def __len__(self):
        return len(self.bodies)

    def __getitem__(self, i):
        """The trajectory of body i, as far as it came; or the ensemble of the bodies of a slice, numbers or a mask."""
        if not hasattr(i, "__index__") or np.ndim(i):
            return self._some(chosen_numbers(i, len(self)))
        i = range(len(self))[i]
        n = len(self.t) if self.failed[i] < 0 and not self.events else 1 + int(np.isfinite(self.Omega[1:, i, 0]).sum())
        return Trajectory(
            problem=self.bodies.problem(i),
            method=self.method,
            h=self.h,
            t=self.t[:n],
            Q=self.Q[:n, i],
            Omega=self.Omega[:n, i],
            stats={"n_steps": int(self.stats["n_steps"] if self.failed[i] < 0 else self.failed[i])},
            success=bool(self.success[i]),
            message=self.messages.get(i, ""),
            problem_name=self.problem.name,
            exception=self.exceptions.get(i),
            integrator=self.integrator,
        )

    def _some(self, which):
        """The ensemble of these bodies. Its stats are those of the run, without what was counted over all bodies."""
        totals = ("n_torque", "n_iterations", "wall_time")
        told = lambda of: {k: of[i] for k, i in enumerate(which.tolist()) if i in of}
        return Ensemble(
            method=self.method,
            h=self.h,
            t=self.t,
            bodies=self.bodies.some(which),
            rows=None if self.rows is None else self.rows[:, :, which],
            failed=self.failed[which],
            errors=self.errors[which],
            stats={k: v for k, v in self.stats.items() if k not in totals} | {"n_bodies": len(which)},
            sentences=told(self.sentences),
            states=None if self.states is None else tuple(x[:, which] for x in self.states),
            exceptions=told(self.exceptions),
            events={name: found.some(which) for name, found in self.events.items()},
            integrator=self.integrator,
        )

    def _luggage(self):
        exceptions = {i: picklable(raised) for i, raised in self.exceptions.items()}
        return without_cached(self) | {"exceptions": exceptions}  # attitudes and energies follow from the rows

    def quat(self, scalar_first: bool = False, continuous: bool = True) -> np.ndarray:
        """The attitudes as unit quaternions (n, N, 4); the sign of each is by default that of the one before it."""
        return super().quat(scalar_first, continuous)

    def to_xarray(self, units: Any = None) -> Any:
        """An xarray Dataset of times and bodies, with the parameters of each body as coordinates."""
        return saved.dataset(self, units)

    def save(self, path: Any, units: Any = None) -> Any:
        """Write netCDF, which `polhode.load` reads back as data: a file holds no functions, and no events."""
        return saved.save(self, path, units, written)

    def plot(self) -> Any:
        """Bands that hold half and nine tenths of the bodies, against time; returns the figure."""
        return shown("ensemble, plotted", self)

    def _repr_html_(self) -> str:
        return shown("ensemble, a card", self)

    @property
    def problem_name(self) -> str:
        """The name of the problem."""
        return self.problem.name

    @property
    def has_energy(self) -> bool:
        """Whether there is an energy."""
        return self.problem.has_energy

    @property
    def problem(self):
        """The problem, with the start of the first body."""
        return self.bodies.problem(0)

    @functools.cached_property
    def Q(self):
        """The attitudes, (n, N, 3, 3)."""
        return self._seen[0]

    @functools.cached_property
    def Omega(self):
        """The angular velocities in body axes, (n, N, 3)."""
        return self._seen[1]

    @functools.cached_property
    def _seen(self):
        if self.states is not None:
            return self.states
        n, N, bodies = len(self.t), len(self), self.bodies
        Q, Omega = np.empty((n, N, 3, 3)), np.empty((n, N, 3))
        Q[0], Omega[0] = bodies.Q0, bodies.Omega0
        if bodies.in_principal_axes:
            for k, row in enumerate(self.rows):
                Q[k + 1], Omega[k + 1] = seen(SimpleNamespace(moments=bodies.moments, axes=np.eye(3)), row.T)
        else:  # body by body: a product of stacks may round in another order
            for i in range(N):
                Q[1:, i], Omega[1:, i] = seen(bodies.problem(i), np.ascontiguousarray(self.rows[:, :, i]))
        return Q, Omega

    def velocities(self):
        """The angular velocities after the start, time by time (N, 3), in any axes of the body: to measure them."""
        if self.states is not None:
            return self.states[1][1:]
        return (row[4:].T / self.bodies.moments for row in self.rows)

    @functools.cached_property
    def energy(self):
        """E(t) = Omega.J Omega/2 + U(Q), or U(t, Q), (n, N)."""
        tensors = np.broadcast_to(self.bodies.tensors, (len(self), 3, 3))
        return 0.5 * np.einsum("nbi,bij,nbj->nb", self.Omega, tensors, self.Omega) + self._potentials()

    @property
    def energy_error(self):
        """E(t) - E(0), (n, N)."""
        return self.energy - self.energy[0]

    @functools.cached_property
    def momentum(self):
        """The spatial angular momentum Q J Omega, or Q (J Omega + l) with a rotor, (n, N, 3)."""
        tensors = np.broadcast_to(self.bodies.tensors, (len(self), 3, 3))
        if not self.problem.forces.rotor:
            return np.einsum("nbij,bjk,nbk->nbi", self.Q, tensors, self.Omega)
        l = np.stack([p.internal.momentum(self.t) for p in self.bodies.kinds], axis=1)  # (n, 1 or N, 3)
        return np.einsum("nbij,nbj->nbi", self.Q, np.einsum("bjk,nbk->nbj", tensors, self.Omega) + l)

    @functools.cached_property
    def orthogonality(self):
        """max |Q^T Q - I| at each time, (n, N)."""
        return np.abs(np.einsum("nbji,nbjk->nbik", self.Q, self.Q) - np.eye(3)).max(axis=(2, 3))

    @property
    def success(self):
        """Which bodies reached the end, (N,)."""
        return (self.failed < 0) & (not self.stats["interrupted"])

    @functools.cached_property
    def messages(self):
        """What happened to each body that failed."""
        return {int(i): self._sentence(int(i)) for i in np.flatnonzero(self.failed >= 0)}

    @property
    def message(self):
        """What went wrong, in one text; empty if nothing did."""
        lost = np.flatnonzero(self.failed >= 0)
        told = []
        if self.stats["interrupted"]:
            told.append(f"Interrupted at step {self.stats['n_steps']}; what was computed until then is here.")
        if len(lost):
            told.append(f"{len(lost)} of {len(self)} bodies failed.")
            told.extend(self._sentence(int(i)) for i in lost[:3])
            told.extend(["..."] * (len(lost) > 3))
        return " ".join(told)

    def _sentence(self, i):
        if i in self.sentences:
            return f"Body {i}: {self.sentences[i]}"
        if not self.bodies.finite[i]:
            return f"Body {i} cannot start: one of its numbers (Q0, Omega0, inertia, parameters) is not finite."
        k = self.failed[i]
        where = f"step {k} (t = {self.problem.t0 + k * self.h:g}) of {self.problem.name} with h = {self.h:g}"
        if self.errors[i] > 0:
            return (
                f"Body {i}: {self.method} did not solve its equations at {where}: the iteration was given up "
                f"with an error of {self.errors[i]:.2g} left. Reduce h."
            )
        return (
            f"Body {i}: {self.method} met a torque or a state that is not a finite number in {where}. Check the torque "
            "there, or reduce h."
        )

    def _potentials(self):
        """U of every body at every time, (n, N)."""
        p, n, N = self.problem, len(self.t), len(self)
        machine = p.machine_potential if p.has_potential and self.rows is not None else None
        if machine is None:
            problems = [self.bodies.problem(i) for i in range(N)]
            return np.array(
                [[a.potential(Q, t) for a, Q in zip(problems, row)] for t, row in zip(self.t.tolist(), self.Q)]
            )
        from polhode.machine import compile

        start = np.full((1, 4, N), np.nan)
        start[0, :, self.bodies.finite] = self.bodies.starts(self.bodies.finite)[0]
        q, out = np.concatenate([start, self.rows[:, :4]]), np.empty((n, N))
        evaluate, potential, parameters = compile.energies(), machine.address, self.bodies.parameters
        if len(parameters) == 1:
            for k in range(n):
                evaluate(potential, parameters[0], np.ascontiguousarray(q[k].T), out[k])
        else:
            for i in range(N):
                values = np.empty(n)
                evaluate(potential, parameters[i], np.ascontiguousarray(q[:, :, i]), values)
                out[:, i] = values
        return out


def _result(run):
    """The Ensemble; what failed bodies left behind becomes NaN."""
    N, done = len(run.bodies), run.done
    if done == run.n and run.left != run.every:
        run.out[run.row] = np.swapaxes(run.states[:, :7], 0, 1).reshape(7, -1)
        run.row += 1
    if done < run.n and not run.interrupted:  # nobody was left
        run.out[run.row :] = np.nan
        run.row = len(run.out)
    sentences, reason = {}, run.way.reason
    if alone := int((run.errors[:N] == RAISED).sum()):
        sentences = run.one_by_one()
        done = run.done
        reason = f"{alone} bodies ran one by one, as a function of yours raised an exception. {reason}".rstrip()
    failed, rows = run.failed[:N], run.out[: run.row, :, :N]
    finite = run.bodies.finite
    for i in np.flatnonzero(failed >= 0):
        rows[failed[i] // run.every if finite[i] else 0 :, :, i] = np.nan
    steps = np.append(0, np.minimum(run.every * np.arange(1, run.row + 1), run.n))
    stats = {
        "n_bodies": N,
        "n_steps": done,
        "n_torque": N * run.method.torques_at_start + run.method.torques(done * N, run.iterations),
        "n_iterations": run.iterations,
        "lanes": run.way.width,
        "threads": run.threads,
        "compiled": True,
        "reason": reason,
        "interrupted": run.interrupted,
        "wall_time": run.wall_time,
    }
    t = run.bodies.kinds[0].t0 + run.h * steps
    return Ensemble(
        run.method.name, run.h, t, run.bodies, rows, failed, run.errors[:N], stats, sentences, integrator=run.method
    )


def _one_by_one(bodies, method, h, n, every, progress, reason, watched=None):
    """The bodies one after the other through `solve`."""
    N, begin = len(bodies), time.perf_counter()
    samples = n // every + (n % every > 0)
    Q, Omega = np.full((samples + 1, N, 3, 3), np.nan), np.full((samples + 1, N, 3), np.nan)
    failed, sentences, interrupted, name = np.full(N, -1), {}, False, name_of(method)
    exceptions, met, compiled = {}, {}, watched is not None
    looks = {} if watched is None else {"events": watched.functions, "terminal": watched.terminal}
    looks |= {} if watched is None else {"direction": watched.direction}
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
            met[i], compiled = s.events, compiled and s.stats["compiled"]
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
        "compiled": compiled,
        "reason": reason,
        "interrupted": interrupted,
        "wall_time": time.perf_counter() - begin,
    }
    t = bodies.kinds[0].t0 + h * np.append(0, np.minimum(every * np.arange(1, samples + 1), n))
    return Ensemble(
        name,
        h,
        t,
        bodies,
        None,
        failed,
        np.full(N, np.nan),
        stats,
        sentences,
        (Q, Omega),
        exceptions,
        gathered_events(met, N),
        method,
    )
