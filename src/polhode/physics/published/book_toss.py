"""The toss of a book: spun up about its middle axis, nudged, and let go.

Parameters: the first torque, the impulse divided by dt, the two times at which the torque jumps, and how
close to such a time counts as there.
"""

import functools

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.inputs import positive, vector
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import kernel
from polhode.kernels.vectors import apply_transposed
from polhode.physics.build.parts import as_published, finished, momentum_space
from polhode.physics.problem import Problem

NEAR_A_JUMP = 1e-6
"""A time within this fraction of dt from a jump is at the jump: the times of steps carry round-off."""


MOST_STEPS = 1e12
"""Steps of the first part beyond which floats no longer tell whether they are a whole number."""


@kernel
def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """Q^T of the torque in space; at a jump the mean of both sides, so that trapezoids give the exact impulse."""
    first = 1 - after(t, par[6], par[8])
    second = after(t, par[6], par[8]) - after(t, par[7], par[8])
    return apply_transposed(
        Q, (first * par[0] + second * par[3], first * par[1] + second * par[4], first * par[2] + second * par[5])
    )


@kernel
def after(t: Number, jump: Number, near: Number) -> Number:
    """0 before the jump, 1 after it, 1/2 at it."""
    return (1 * (t > jump - near) + 1 * (t > jump + near)) / 2


def book_toss(
    dt: float = 0.05,
    t_d: float = 2.0,
    inertia: ArrayLike = (5.0, 10.0, 1.0),
    torque_space: ArrayLike = (20.0, 0.0, 0.0),
    impulse_space: ArrayLike = (0.0, 0.2, 0.0),
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike = (0.0, 0.0, 0.0),
) -> Problem:
    """The book toss of Simo and Wong: unstable rotation about the middle axis.

        torque in space = (20, 0, 0) until t_d;  (0, 1/(5 dt), 0) from t_d to t_d + dt;  none afterwards

    The nudge lasts one time step of the experiment, so the problem depends on that step: **dt is a parameter of
    the problem**. To repeat the experiment with step h, solve ``problem("book-toss", dt=h)`` with that h. With
    dt fixed, h = dt/k solves the same problem more accurately. Steps must begin at t_d and at t_d + dt
    (`problem.breaks`): no method knows what to do with a jump in the middle of a step.

    Source: Simo & Wong 1991; Krysl & Endres 2005, section 3.2.
    Conserved: the vertical component z of the spatial momentum (it is zero). Once let go, all of the spatial
    momentum: (20 t_d, 1/5, 0). There is no potential, so no energy.
    Default: dt = h = 0.05 on [0, 5].
    Reveals: whether a method can follow an unstable rotation: the nudge grows by exp(11.3 t) and the book
    turns over again and again; momentum-conserving schemes may do so while their energy explodes.
    Not printed by Krysl & Endres: t_d, here 2 as in Simo & Wong; the end of the interval, here 5; the torque at
    the instants of the jumps (both cases claim them), here the mean of both sides, with which methods that
    use the torque at the ends of the steps give the body exactly the impulses 20 t_d and 1/5. No body has
    the moments (5, 10, 1): the largest exceeds the sum of the others; the equations do not mind.

    dt and t_d, a whole number of dt; inertia; torque_space; impulse_space, which is the nudge times its
    duration; Q0; Omega0 (body axes) can be changed.
    """
    dt, t_d = positive("dt", dt), positive("t_d", t_d)
    if t_d / dt > MOST_STEPS:
        raise InputError(f"dt = {dt:g} divides t_d = {t_d:g} into {t_d / dt:g} steps; give at most {MOST_STEPS:g}.")
    if abs(t_d / dt - round(t_d / dt)) > 1e-9 * t_d / dt:
        raise InputError(
            f"t_d = {t_d:g} is {t_d / dt:.12g} steps of dt = {dt:g}; it must be a whole number, so that a step "
            f"begins when the torque changes. dt = {t_d / max(1, round(t_d / dt))!r} fits."
        )
    first, nudge = vector("torque_space", torque_space), vector("impulse_space", impulse_space) / dt
    still = np.flatnonzero((first == 0) & (nudge == 0))
    with as_published(inertia, (5.0, 10.0, 1.0)):
        problem = Problem.from_kernels(
            name="book-toss",
            inertia=inertia,
            torque=torque,
            potential=None,
            parameters=(*first, *nudge, t_d, t_d + dt, NEAR_A_JUMP * dt),
            Q0=Q0,
            Omega0=Omega0,
            invariants=functools.partial(momentum_space, components="".join("xyz"[i] for i in still)),
            h=dt,
            t_end=5.0,
        )
    return finished(problem, ("simo-wong-1991", "krysl-endres-2005"), breaks=(t_d, t_d + dt))
