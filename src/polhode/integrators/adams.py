"""Multistep around exact free flights: one torque a step, for torques that are costly."""

import functools
import math
from fractions import Fraction
from typing import Any

from polhode.integrators.elliptic import flight
from polhode.integrators.method import Method, Order
from polhode.integrators.nystrom import BLANES_CASAS_ESCORIHUELA, nystrom_step
from polhode.integrators.parts.tableaux import constants
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import rotated, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import lin

SPLITTING = tuple(BLANES_CASAS_ESCORIHUELA.lengths)
FLIGHTS = len(SPLITTING) // 2
KNOWN_TORQUES = 7
"""Torques that are remembered, that of now among them: with the next one the polynomial has degree 7."""

PREDICTED = len(SPLITTING)
CORRECTED = PREDICTED + (FLIGHTS + 1) * KNOWN_TORQUES
"""Where in the coefficients the weights of the two polynomials begin; before them are the lengths of RKN8."""


@kernel
def adams_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Adams's method for the momentum in space, around exact free flights for the rotation; one torque a step.

    In space axes the momentum pi = Q Pi is nothing but the integral of the torque f = Q tau, and where f is known as
    a function of time the rest of the motion costs no torque. So the torques of now and of the last six steps are laid
    a polynomial through, and the motion under that f(t) is computed by the splitting of RKN8, whose kicks take
    b_i h Q^T f(t + c_i h):

        predict    f through t, t - h, ..., t - 6 h;         (Q, pi) at t + h;    f there is evaluated, the one torque
        correct    f through t + h, t, ..., t - 6 h;         (Q, pi) at t + h again, from the same start

    That is the scheme of Adams, Bashforth and Moulton with one evaluation (PEC); since the attitude feels an error of
    f by way of two integrals, it is also that of Stormer and Cowell for equations of second order. The order is 8: that
    of the polynomial of degree 7, and of RKN8. It needs two to three times fewer torques than a multistep method for
    the whole system, because neither the free motion nor the attitude has to be followed by the torque.

    Free, the step is the exact motion: symplectic, Poisson, with exact momentum and energy. With a torque it is none of
    that, nor symmetric: the energy falls, slowly. The vertical momentum of a top is exact, since every f is horizontal.

    Pitfalls: the memory is part of the state; the six torques before the first step are made by RKN8, backwards, at 19
    evaluations each. A step is bounded by stability, to about a tenth of a radian of the fastest change in f. A torque
    that jumps spoils six steps. Two splittings of 19 flights a step: for cheap torques RKN8 is faster.
    """
    q, Pi, _, f = state
    ahead, _ = guided(h, q, Pi, f, PREDICTED, KNOWN_TORQUES, body)
    tau = torque_at(t + h, ahead, body)
    f = rotated(ahead, tau) + f
    q, Pi = guided(h, q, Pi, f, CORRECTED, KNOWN_TORQUES + 1, body)
    return (unit(q), Pi, tau, f[:-3]), NO_SOLVE


@kernel
def guided(h: Number, q: Quat, Pi: Vec3, f: tuple[Any, ...], at: int, n: int, body: Body) -> tuple[Quat, Vec3]:
    """The motion over h under a torque in space, a polynomial through n values f whose weights begin at `at`."""
    c = body[2]
    for i in range(FLIGHTS + 1):
        if i > 0:
            q, Pi = flight(c[2 * i - 1] * h, q, Pi, body[0], body[1])
        x, y, z = 0 * h, 0 * h, 0 * h
        for j in range(n):
            w = c[at + i * n + j]
            x, y, z = x + w * f[3 * j], y + w * f[3 * j + 1], z + w * f[3 * j + 2]
        Pi = lin(1, Pi, c[2 * i] * h, rotated_back(q, (x, y, z)))
    return q, Pi


@kernel
def start_adams(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state: the torques of six steps before it, by RKN8 backwards."""
    tau = torque_at(t, q, body)
    one = before(h, t, (q, Pi, tau, ()), body)
    two = before(h, t - h, one, body)
    three = before(h, t - 2 * h, two, body)
    four = before(h, t - 3 * h, three, body)
    five = before(h, t - 4 * h, four, body)
    six = before(h, t - 5 * h, five, body)
    f = rotated(q, tau) + in_space(one) + in_space(two) + in_space(three) + in_space(four)
    return (q, Pi, tau, f + in_space(five) + in_space(six))


@kernel
def before(h: Number, t: Number, state: State, body: Body) -> State:
    """A state of RKN8 a step before this one; the coefficients begin with those of RKN8."""
    return RKN8_STEP(-h, t, state, body)[0]


@kernel
def in_space(state: State) -> Vec3:
    """The torque of a state in space axes."""
    return rotated(state[0], state[2])


RKN8_STEP = nystrom_step(FLIGHTS)


@functools.cache
def weights(first: int) -> tuple[Fraction, ...]:
    """For each kick of the splitting the weights of values at times `first`, first - 1, ..., in units of the step."""
    times = [Fraction(0)]
    for a in SPLITTING[1::2]:
        times.append(times[-1] + a)
    nodes = [Fraction(first - j) for j in range(KNOWN_TORQUES + first)]
    return tuple(
        math.prod(((c - y) / (x - y) for y in nodes if y != x), start=Fraction(1)) for c in times for x in nodes
    )


ADAMS8 = Method(
    name="ADAMS8",
    title="multistep around exact free flights, one torque a step",
    family="multistep",
    sources=("hairer-norsett-wanner-1993", "blanes-casas-escorihuela-tomas-2022"),
    step=adams_step,
    start=start_adams,
    coefficients=constants((*SPLITTING, *weights(0), *weights(1))),
    extended=True,
    order=Order(free=(math.inf, math.inf), torque=(8, 8)),
    torques_per_step=1,
    torques_at_start=1 + (KNOWN_TORQUES - 1) * FLIGHTS,
    symmetric=False,
    symplectic_free=True,
    symplectic=False,
    poisson_free=True,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
    energy_top=False,
    drift="-",
)
