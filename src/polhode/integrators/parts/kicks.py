"""Kicks by torques that depend on the velocity, and rotors, around a method's own free step. The one place for both.

A method that is kick, free step, kick takes such torques as it takes others: the parts are solved one after the other,

    kick(h/2),  free step(h),  kick(h/2),       kick(a): the motion Pi' = tau(t, Q, J^-1 Pi) over a, with t and Q fixed

With damping, tau = tau(t, Q) - C Omega, the kick is linear and done exactly, by the exponential of -a C J^-1, which is
computed at the start and carried in the memory: it depends on h, C and J alone. With any
other dependence on the velocity it is the implicit midpoint rule, which is symmetric. So the step stays symmetric, and
of second order. Damped by C = gamma J each kick contracts the symplectic form by exp(-gamma h/2): a symplectic free
step becomes a conformally symplectic one. With a step backwards a damped kick amplifies: compositions with negative
substeps, all of order above 2, lose what damping gives; Gauss's methods have none.

A rotor with the constant momentum l in body axes makes the kinetic energy (Pi - l) . J^-1 (Pi - l)/2, Pi = J Omega + l,
with the same bracket. Expanded, it is that of a free body of momentum Pi and the linear part -l . J^-1 Pi, whose flow
is the rotation at the constant rate -J^-1 l, exact:

    kick(h/2),  turn(h/2),  free step(h),  turn(h/2),  kick(h/2),          turn(a): Q exp(-a J^-1 l), exp(a J^-1 l) Pi

Every part is Hamiltonian, so a symplectic free step stays symplectic, with the spatial momentum of body and rotor
exact. Pitfall: the error grows with the rate J^-1 l of the turn, also for a body at rest; Gauss's methods take the
rotor inside, without a splitting. A momentum l(t) that motors change is taken in the middle of the step for the turns
and at its ends to tell J Omega from Pi: what the motors do to the wheels they undo to the body.
"""

import functools
from collections.abc import Callable
from typing import Any

from polhode.integrators.parts.motors import curved_half_turn, curved_turned, curved_turned_back
from polhode.kernels.implicit import NO_SOLVE, both, exponential, secant, size
from polhode.kernels.numbers import Mat3, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, exp, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.step import l_at, moment_at, torque_at
from polhode.kernels.vectors import apply, lin, minus, mul, plus, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def lifted_step(
    inner_step: Callable[..., Any],
    damped: bool,
    moving: bool,
    rotor: bool,
    carried: bool = True,
    curved: bool = False,
) -> Callable[..., Any]:
    """The step around the free step of a method: damped, by a torque that takes the velocity, with a rotor.

    What depends on the size of the step is `carried` in the memory, or computed in every step. `curved`: the momentum
    of the rotor is a polynomial of the time (``motors.py``).
    """
    before, after, turn = (turned, turned_back, half_turn) if rotor else (as_it_is, as_it_is, no_turn)
    if curved:
        before, after, turn = curved_turned, curved_turned_back, curved_half_turn
    kick, last, decayed, size = KICKS[damped, moving]
    opened, closed = unpacking(size) if carried and size else computing(decayed)

    def step(h: Number, t: Number, state: State, body: Any) -> tuple[State, Report]:
        q, Pi, tau, memory = state
        J, iJ, c, _ = body
        k = h / 2
        memory, D = opened(k, memory, body)
        Pi, first = kick(k, t, q, Pi, tau, D, body)
        q, p = turn(k, t + k, q, before(t, Pi, body), body)
        o = 0 * p[0]
        free = (J, iJ, c, (nothing, ()))
        (q, p, _, memory), report = inner_step(h, t, (q, p, (o, o, o), memory), free)
        q, p = turn(k, t + k, q, p, body)
        Pi, tau, second = last(k, t + h, q, after(t + h, p, body), tau, D, body)
        n, error = both(first, second)
        return (q, Pi, tau, closed(memory, D)), (n + 0 * report[0] if moving else report[0], error + report[1])

    step.__name__ = f"{inner_step.__name__}_lifted"
    step.__doc__ = f"{__doc__}\n\nThe method: {inner_step.__doc__}"
    return step


@recipe
@functools.cache
def lifted_start(inner_start: Callable[..., Any], damped: bool = False, moving: bool = False) -> Callable[..., Any]:
    """The start of such a step: the memory of the free step, what the step carries, and the torque."""
    decayed = KICKS[damped, moving][2]

    def start(h: Number, t: Number, q: Quat, Pi: Vec3, body: Any) -> State:
        J, iJ, c, _ = body
        memory = inner_start(h, t, q, Pi, (J, iJ, c, (nothing, ())))[3]
        return (q, Pi, moment_at(t, q, mul(iJ, Pi), body), memory + decayed(h / 2, body))

    return start


@functools.cache
def unpacking(size: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """opened(a, memory, body), closed(memory, D): what a step carries stands behind the memory of the free step."""
    cut = -size

    def opened(a: Number, memory: Any, body: Any) -> Any:
        return memory[:cut], memory[cut:]

    def closed(memory: Any, D: Any) -> Any:
        return memory + D

    return opened, closed


@functools.cache
def computing(decayed: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The same where it is computed in every step."""

    def opened(a: Number, memory: Any, body: Any) -> Any:
        return memory, decayed(a, body)

    def closed(memory: Any, D: Any) -> Any:
        return memory

    return opened, closed


@recipe
@functools.cache
def total_step(inner_step: Callable[..., Any]) -> Callable[..., Any]:
    """The step of a method that takes the rotor inside, for the state with J Omega: in the method Pi = J Omega + l."""

    def step(h: Number, t: Number, state: State, body: Any) -> tuple[State, Report]:
        q, Pi, tau, memory = state
        J, iJ, c, source = body
        l = l_at(t, source[1])
        (q, p, tau, memory), report = inner_step(h, t, (q, plus(Pi, l), tau, memory), (J, iJ, c, source, l))
        return (q, minus(p, l), tau, memory), report

    step.__name__ = f"{inner_step.__name__}_total"
    step.__doc__ = inner_step.__doc__
    return step


@recipe
@functools.cache
def total_start(inner_start: Callable[..., Any]) -> Callable[..., Any]:
    """The start of such a step."""

    def start(h: Number, t: Number, q: Quat, Pi: Vec3, body: Any) -> State:
        J, iJ, c, source = body
        l = l_at(t, source[1])
        _, _, tau, memory = inner_start(h, t, q, plus(Pi, l), (J, iJ, c, source, l))
        return (q, Pi, tau, memory)

    return start


@kernel
def nothing(t: Number, Q: Mat3, par: Any) -> Vec3:
    """No torque."""
    return (0 * Q[0], 0 * Q[0], 0 * Q[0])


# ---- kicks: the first of a step, which has the torque from the step before, and the last -----------------


@kernel
def plain(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Report]:
    """Pi + a tau"""
    return lin(1, Pi, a, tau), NO_SOLVE


@kernel
def plain_last(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Vec3, Report]:
    """Pi + a tau(t, Q), and the torque."""
    tau = torque_at(t, q, body)
    return lin(1, Pi, a, tau), tau, NO_SOLVE


@kernel
def damped(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Report]:
    """The solution of Pi' = tau - C J^-1 Pi after a; D holds the exponential and its mean."""
    return lin(1, apply(D[:9], Pi), a, apply(D[9:], tau)), NO_SOLVE


@kernel
def damped_last(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Vec3, Report]:
    """The same with the torque at t and q."""
    tau = torque_at(t, q, body)
    return lin(1, apply(D[:9], Pi), a, apply(D[9:], tau)), tau, NO_SOLVE


@kernel
def moving(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Report]:
    """The implicit midpoint rule: Pi1 = Pi + a tau(t, Q, J^-1 (Pi + Pi1)/2)."""
    Pi, tau, report = moving_last(a, t, q, Pi, tau, D, body)
    return Pi, report


@kernel
def moving_last(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Vec3, Report]:
    """The same, and the torque."""
    iJ = body[1]
    y = mul(iJ, lin(a, Pi, a * a / 2, tau))  # a Omega half way, as far as is known
    o = 0 * y[0]
    scale = size(mul(iJ, scaled(a, Pi))) + size(mul(iJ, scaled(a * a / 2, tau)))
    data = (a, t, q, scaled(a, Pi))
    _, g, _, _, report = secant(half_way, y + y + y, (o, o, o, o, o, o, o, o, o), data, body, scale)
    return lin(1, Pi, 2 / a, g), scaled(2 / (a * a), g), report


@kernel
def half_way(y: Vec3, data: Any, body: Any) -> tuple[Vec3, Mat3, Vec3]:
    """J y - a Pi = (a^2/2) tau(t, Q, y/a), y = a Omega half way."""
    a, t, q, b = data
    J, o = body[0], 0 * y[0]
    A = (J[0], o, o, o, J[1], o, o, o, J[2])
    return minus(mul(J, y), b), A, scaled(a * a / 2, moment_at(t, q, scaled(1 / a, y), body))


@kernel
def both_kinds(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Report]:
    """Half of the damping, the implicit midpoint rule for the rest, half of the damping."""
    Pi, tau, report = both_kinds_last(a, t, q, Pi, tau, D, body)
    return Pi, report


@kernel
def both_kinds_last(a: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, D: Any, body: Any) -> tuple[Vec3, Vec3, Report]:
    """The same, and the torque."""
    Pi, tau, report = moving_last(a, t, q, apply(D, Pi), tau, D, body)
    return apply(D, Pi), tau, report


@kernel
def no_decay(a: Number, body: Any) -> tuple[()]:
    """Nothing: there is no damping."""
    return ()


@kernel
def decay(a: Number, body: Any) -> tuple[Number, ...]:
    """exp(-a C J^-1), and its mean over the times from 0 to a."""
    par, iJ = body[3][1], body[1]
    x, y, z = -a * iJ[0], -a * iJ[1], -a * iJ[2]
    E, phi = exponential(
        (x * par[9], y * par[10], z * par[11], x * par[12], y * par[13], z * par[14], x * par[15], y * par[16])
        + (z * par[17],)
    )
    return E + phi


@kernel
def half_decay(a: Number, body: Any) -> tuple[Number, ...]:
    """exp(-(a/2) C J^-1)"""
    return decay(a / 2, body)[:9]


KICKS = {
    (False, False): (plain, plain_last, no_decay, 0),
    (True, False): (damped, damped_last, decay, 18),
    (False, True): (moving, moving_last, no_decay, 0),
    (True, True): (both_kinds, both_kinds_last, half_decay, 9),
}
"""By whether there is damping, and whether the torque takes the velocity: the first kick of a step, and the last; what
both need of the damping, and how many numbers that is."""


# ---- rotors ----------------------------------------------------------------------------------------------


@kernel
def turned(t: Number, Pi: Vec3, body: Any) -> Vec3:
    """J Omega + l"""
    return plus(Pi, l_at(t, body[3][1]))


@kernel
def turned_back(t: Number, p: Vec3, body: Any) -> Vec3:
    """J Omega, from J Omega + l."""
    return minus(p, l_at(t, body[3][1]))


@kernel
def as_it_is(t: Number, Pi: Vec3, body: Any) -> Vec3:
    """Pi: there is no rotor."""
    return Pi


@kernel
def half_turn(a: Number, t: Number, q: Quat, p: Vec3, body: Any) -> tuple[Quat, Vec3]:
    """The rotation at the rate -J^-1 l(t) over a."""
    F = exp(scaled(-a, mul(body[1], l_at(t, body[3][1]))))
    return compose(q, F), rotated_back(F, p)


@kernel
def no_turn(a: Number, t: Number, q: Quat, p: Vec3, body: Any) -> tuple[Quat, Vec3]:
    """The state as it is."""
    return q, p
