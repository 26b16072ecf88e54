"""What a step is given: the body (inertia, coefficients of the method, torque) and the state.

    body  = (J, 1/J, coefficients, (torque function, its parameters))
    state = (q, Pi, tau, memory):  attitude as a quaternion, body momentum, the torque at this state, and
            whatever else the method carries: the trail of its implicit equation, an acceleration

A torque that depends on the velocity is a function (t, Q, Omega, parameters), and its pair is followed by (): a method
that knows the velocity where it wants the torque asks `moment_at`, which serves both kinds, and pays nothing for
the first. A body with a rotor has its momentum l as a fifth part; Pi is then J Omega + l (`velocity_of`).

A step maps (h, t, state, body) to the state at t + h and a report (iterations, error left). It must hand
on the torque at its end, so that methods explicit in the torque call it exactly once a step.
"""

from typing import Any

from polhode.kernels.numbers import Body, Mat3, Number, Quat, State, Vec3
from polhode.kernels.rotations import matrix, unit
from polhode.kernels.scalar import kernel, ready
from polhode.kernels.vectors import minus, mul


@kernel
def torque_at(t: Number, q: Quat, body: Body) -> Vec3:
    """The torque on the body at time t and attitude q, in body axes."""
    function, parameters = body[3]
    return function(t, matrix(q), parameters)


@kernel
def moment_at(t: Number, q: Quat, Omega: Vec3, body: Body) -> Vec3:
    """The torque at time t, attitude q and velocity Omega, in body axes."""
    return pulled(body[3], t, matrix(q), Omega)


def pulled(source: Any, t: Number, Q: Mat3, Omega: Vec3) -> Vec3:
    """A torque of either kind: one that takes the velocity, or not. In machine code its type tells which."""
    if len(source) == 2:
        return source[0](t, Q, source[1])
    return source[0](t, Q, Omega, source[1])


def velocity_of(Pi: Vec3, body: Any) -> Vec3:
    """Omega = J^-1 Pi, or J^-1 (Pi - l) of a body with a rotor; in machine code the type of the body tells which."""
    if len(body) == 4:
        return mul(body[1], Pi)
    return mul(body[1], minus(Pi, body[4]))


def twice_spun(Pi: Vec3, body: Any) -> Vec3:
    """2 Pi without the part of the rotor, from 2 Pi."""
    if len(body) == 4:
        return Pi
    return minus(Pi, (2 * body[4][0], 2 * body[4][1], 2 * body[4][2]))


INTERNAL = 19
"""How many parameters of a torque, behind the nine of the axes, say what else acts on a body, in principal axes: the
damping C (nine numbers), the momentum l of a rotor, its rate, the time of l, a torque that is held."""


@kernel
def l_at(t: Number, par: Any) -> Vec3:
    """The momentum l of the rotor at time t: that of a time, and what motors add at a constant rate."""
    s = t - par[24]
    return (par[18] + s * par[21], par[19] + s * par[22], par[20] + s * par[23])


@kernel
def arrived(t: Number, q: Quat, p: Vec3, body: Body) -> tuple[Quat, Vec3, Vec3]:
    """The end of a step at attitude q: q of length one, the momentum p without the last torque, and that torque.

    All that does not wait for the torque is computed before it. Left to the compiler it comes after the call, and then
    the processor, whose window is shorter than a torque, does one after the other instead of both at once.
    """
    unit_q, p = ready(unit(q)), ready(p)
    return unit_q, p, torque_at(t, q, body)


@kernel
def start_plain(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of a method that carries nothing but the torque."""
    return (q, Pi, moment_at(t, q, velocity_of(Pi, body), body), ())


@kernel
def start_trail(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of a method whose unknown is about (h/2) Omega."""
    e = mul(body[1], (h / 2 * Pi[0], h / 2 * Pi[1], h / 2 * Pi[2]))
    return (q, Pi, torque_at(t, q, body), e + e + e)


@kernel
def start_tangent(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of a method whose unknown is a tangent of a quarter of the rotation, about (h/4) Omega."""
    f = mul(body[1], (h / 4 * Pi[0], h / 4 * Pi[1], h / 4 * Pi[2]))
    return (q, Pi, torque_at(t, q, body), f + f + f)


@kernel
def start_two_tangents(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of a method with two such unknowns a step, each of half the step."""
    f = mul(body[1], (h / 8 * Pi[0], h / 8 * Pi[1], h / 8 * Pi[2]))
    return (q, Pi, torque_at(t, q, body), f + f + f + f + f + f)


@kernel
def start_secant(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of a method implicit in the torque: a trail, and a torque that does not change."""
    e = mul(body[1], (h / 2 * Pi[0], h / 2 * Pi[1], h / 2 * Pi[2]))
    o = 0 * e[0]
    return (q, Pi, moment_at(t, q, velocity_of(Pi, body), body), e + e + e + (o, o, o, o, o, o, o, o, o))
