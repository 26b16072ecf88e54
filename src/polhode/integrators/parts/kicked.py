"""Free flows lifted to torques: half a kick, the flow, half a kick. The one place where this is done.

A free flow is a kernel of the motion without torque,

    flow(h, q, p, memory, body) -> q, p, memory, report

on the attitude q (a quaternion of any length), the body momentum p and whatever it carries; it finds the
inertia and its coefficients in `body` and never asks for the torque. Splitting the motion into this flow
and the kicks Pi <- Pi + a tau(t, Q), which leave Q alone,

    p = Pi0 + h/2 tau0,      (Q1, p1) = flow(h)(Q0, p),      Pi1 = p1 + h/2 tau1

is Strang's splitting: of second order if the flow is at least that, however exact the flow; symmetric if
the flow is; symplectic if the flow is and the torque has a potential, for a kick is then the flow of that
potential. A kick changes the vertical momentum of a top by nothing, so the step keeps it if the flow keeps
spatial momentum. Energy is exchanged between the parts and kept by none. Without a torque the step is the
flow. The torque at the end of a step is the one at the start of the next: one evaluation a step.
"""

import functools
from collections.abc import Callable
from typing import Any

from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.scalar import kernel
from polhode.kernels.step import arrived, torque_at
from polhode.kernels.vectors import lin
from polhode.pickling import recipe


@recipe
@functools.cache
def kicked(flow: Callable[..., Any]) -> Callable[..., Any]:
    """The step kick(h/2), flow(h), kick(h/2); its lecture is that of the flow."""

    @kernel
    def step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        q, Pi, tau, memory = state
        k = h / 2
        q, p, memory, report = flow(h, q, lin(1, Pi, k, tau), memory, body)
        q, p, tau = arrived(t + h, q, p, body)
        return (q, lin(1, p, k, tau), tau, memory), report

    step.__name__ = flow.__name__ + "_step"
    step.__doc__ = flow.__doc__
    return step


@recipe
@functools.cache
def started(memory: Any) -> Any:
    """The start of a method whose flow carries memory(h, q, Pi, body), a flat tuple of numbers."""

    @kernel
    def start(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> Any:
        return (q, Pi, torque_at(t, q, body), memory(h, q, Pi, body))

    return start
