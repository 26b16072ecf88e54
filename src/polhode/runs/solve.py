"""`solve` and `step`: from a problem and a method to a trajectory."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.rotations import AttitudeLike
from polhode.integrators.lookup import Integrator, integrator
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs import repeated
from polhode.runs.arguments import given_problem
from polhode.runs.asked import Asked
from polhode.runs.equal_steps import checked
from polhode.runs.failures import after_failure
from polhode.runs.own_steps.embedded import Embedded
from polhode.runs.own_steps.solve import adapted, by_tolerance, given_tolerance
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.results.users_axes import in_users_axes
from polhode.runs.runners.code import called_often
from polhode.runs.runners.controlled_runner import ControlledRunner
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.runners.plain_runner import PlainRunner
from polhode.runs.to_accuracy.solve import to_accuracy

CHECKPOINT_EVERY = 60.0


@repeated.remembered
@inputs.checked_call
def solve(
    problem: str | Problem,
    method: str | Integrator = "auto",
    h: float | None = None,
    t_end: float | None = None,
    *,
    accuracy: float | None = None,
    n_steps: int | None = None,
    save_every: int = 1,
    progress: bool = False,
    compiled: bool | None = None,
    out: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    reduce: str | Sequence[str] = (),
    reduce_every: int = 1,
    t_eval: ArrayLike | None = None,
    events: Mapping[str, Callable[..., Any]] | None = None,
    terminal: str | Sequence[str] = (),
    direction: Mapping[str, int] | None = None,
    adapt: bool | Callable[..., Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    strict: bool = False,
    on_failure: str = "warn",
) -> Trajectory:
    """Integrate a problem and return a Trajectory.

    Parameters
    ----------
    problem : Problem or str
        a Problem, or the name of a shipped one
    method : str, Method, callable or BlackBox
        a name, a Method, a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1), or a BlackBox; "auto" finds
        the fastest by short trial runs, with `accuracy`
    h : float
        step size; negative to go backwards. With `accuracy`, which finds the step itself: the time between states kept
    t_end : float
        end of the interval; or give n_steps. If it is no whole number of steps of h from problem.t0, equal steps of at
        most h are taken, and `Trajectory.h` says how long they were
    strict : bool
        True refuses a t_end that is no whole number of steps from t0, and offers the nearest h
    t_eval : sequence of float
        times at which to keep the state, in place of every k-th step: any times, to the method's order
    events : dict of callables
        {name: function(t, Q, Omega) -> number}. All changes of sign are found, to the last digits of the method's own
        solution, and are in `Trajectory.events`: s.events[name].t, .Q, .Omega, .direction. A zero at the start itself
        does not count; beside a value that is no number none is seen, which an EventWarning tells
    terminal : str or sequence of str
        names of events that end the run
    direction : dict of int
        {name: 1} counts only where the function rises through zero, -1 where it falls
    adapt : object
        steps of a symmetric method that follow the motion and stay reversible (Hairer & Soderlind 2005), so that the
        energy does not drift as it would with a plain controller. True: steps of equal angles, h being the first; or a
        function adapt(t, Q, Omega) -> positive number, the density: a step is h divided by it. `Trajectory.t` are the
        times of the steps, n_steps counts them, and the last is shortened to meet t_end. t_eval, events and reduce go
        with it (a mean is then over time); out and checkpoint do not
    rtol, atol : float
        the error of a step, by which RKMK54 chooses its steps; it takes any torque, and is the method if none is given.
        The error is that of the attitude in radians and of the velocity relative to its size; atol is added to both.
        `Trajectory.t` are the times of the steps; with h, states are kept every h, and a step is at most that long. The
        error at the end is what the motion makes of all these errors (`accuracy` checks that one), and energy drifts
    on_failure : {"warn", "raise", "return"}
        what to do about a run that stops before its end: "warn", "raise" (RunError, from what your function raised; its
        `result` is the Trajectory) or "return", which says so in `success` and `message` alone
    accuracy : float
        the largest error of the attitude, in radians, in place of a step: trial runs find the step, of `method` or of
        the fastest method. With h (or n_steps) as well, states are kept every h, and a step is at most that long;
        without, the state after every step is kept, and `Trajectory.h` is the step. `error_estimate` of the Trajectory
        is the difference from a much finer run, stats["why"] the reason for the choice. Where the torque depends on
        the time another method must agree, too; both may still miss a pulse shorter than a few thousandths of the
        interval: for such torques give h and a method. The law of a controller is called in every one of these runs:
        it must not remember its calls
    save_every : int
        keep every k-th state, and the last; memory grows with the states kept, not with the steps
    progress : bool
        show a progress bar
    compiled : bool, optional
        False runs the kernels as plain Python; None compiles what can be. The bits are the same, except where your
        functions use arrays (sums in another order) or are potentials (derived in another way): there results agree to
        round-off
    out : path
        a netCDF file to write the states to as they come, in constant memory; the arrays of the Trajectory are then
        read from it when they are looked at. An older file of this name is replaced, not written over. The file can be
        opened at any time; it says success = 0 until the run has ended, and if the run does not end, `load` says how
        many rows are there
    checkpoint : path
        a file that holds all a run needs to go on. When it exists, the same call goes on from there, also after a kill,
        and ends bit for bit where it would have ended; a damaged one is refused
    checkpoint_every : float
        seconds between checkpoints
    reduce : str or sequence of str
        "energy", "momentum" (or "momentum_x", ...), the name of an invariant of the problem, or several: their least,
        greatest, mean and slope over the run, without keeping its states, in `Trajectory.reductions`. An invariant is
        called in Python, at a few microseconds a look: look at every k-th step. One that is called "energy" is hidden
        by the energy
    reduce_every : int
        look at them every k-th step

    Returns
    -------
    Trajectory
        The states at the times kept, with energy, momentum and statistics.

    Raises
    ------
    InputError
        An argument that cannot be used; the sentence says what is allowed.
    RunError
        The run stopped before its end, with on_failure="raise".

    Examples
    --------
    >>> import polhode as ph
    >>> s = ph.solve("heavy-top", "VLV", h=0.01, t_end=10, save_every=100)
    >>> s.Q.shape, bool(abs(s.energy_error).max() < 1e-3)
    ((11, 3, 3), True)
    """
    given, problem = method, given_problem(problem, method)
    method = given_tolerance(method, rtol, atol, accuracy)
    asked = Asked(
        *(problem, method, accuracy, h, t_end, n_steps, strict, save_every, compiled, progress),
        *(t_eval, events, terminal, direction, adapt),
        *(reduce, reduce_every, out, checkpoint, checkpoint_every, on_failure),
    )
    if asked.is_to_accuracy:
        return to_accuracy(solve, asked)
    method = integrator(method)
    if asked.adapts:
        return adapted(asked, method)
    if isinstance(method, Embedded) and not asked.to_file:
        return by_tolerance(asked, method)
    steps = checked(asked, method)
    runner = steps.runner()
    trajectory = steps.trajectory(runner)
    if asked.is_plain and trajectory.success:
        repeated.offer(trajectory, given, runner, steps.n, steps.every)
    return after_failure(trajectory, steps.policy, trajectory.message if not trajectory.success else "")


@inputs.checked_call
def step(
    problem: str | Problem, method: str | Integrator, Q: AttitudeLike, Omega: ArrayLike, h: float, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """One step from (Q, Omega) at time t; methods that carry memory start there.

    It runs as plain Python, so that nothing waits for a compiler; once a problem and a method have run, or after a
    thousand steps of them, as machine code, with the same bits. An `Integrator` is faster.

    Parameters
    ----------
    problem : Problem or str
        Whose torque acts.
    method : str, Method, callable or BlackBox
        As for `solve`.
    Q : 3x3 array
        The attitude.
    Omega : three numbers
        The body angular velocity.
    h : float
        The step; negative to go back.
    t : float
        The time at which it begins.

    Returns
    -------
    Q1, Omega1
        The state after the step.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> Q1, Omega1 = ph.step("free-body", "VLV", np.eye(3), (0.1, 1.0, 0.0), h=0.05)
    >>> bool(abs(Q1.T @ Q1 - np.eye(3)).max() < 1e-15)
    True
    """
    problem = given_problem(problem, method)
    method, h = integrator(method), inputs.step_size(h)
    Q, Omega, t = inputs.rotation("Q", Q), inputs.vector("Omega", Omega), inputs.number("t", t)
    if not isinstance(method, Method):
        return PlainRunner(problem, method, h).one(Q, Omega, t)
    kind = KernelRunner if problem.control is None else ControlledRunner
    runner = kind(problem, method, h, called_often(problem, method), start=(Q, Omega, t))
    if isinstance(runner, ControlledRunner):
        runner.check_look()
    out = np.empty((1, 7))
    done, _, _, _, error, _ = runner.advance(0, 1, 1, 1, out, 0)
    if not done:
        raise InputError(runner.failure(0, t, error)) from runner.raised
    Q, Omega = in_users_axes(problem, out)
    return Q[0], Omega[0]
