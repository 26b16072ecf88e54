"""The pair of Dormand and Prince on the group: Munthe-Kaas steps that know their error, and a controller."""

import functools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from polhode.integrators.munthe_kaas import munthe_kaas, stages
from polhode.integrators.parts.stages import places, total
from polhode.integrators.parts.tableaux import Tableau, constants
from polhode.integrators.velocity_claims import at_stages
from polhode.kernels.adapting import turning
from polhode.kernels.numbers import Body, Number, Quat, State, Vec3
from polhode.kernels.rotations import compose, dexpinv, exp, inverse, rotated, rotated_back, unit
from polhode.kernels.scalar import sqrt
from polhode.kernels.step import moment_at, velocity_of
from polhode.kernels.vectors import dot, lin, minus, scaled
from polhode.pickling import recipe

STAGES = 6
"""Before the seventh, which is the first of the next step."""

DORMAND_PRINCE = Tableau(
    "Dormand-Prince",
    (
        (0, 0, 0, 0, 0, 0),
        ("1/5", 0, 0, 0, 0, 0),
        ("3/40", "9/40", 0, 0, 0, 0),
        ("44/45", "-56/15", "32/9", 0, 0, 0),
        ("19372/6561", "-25360/2187", "64448/6561", "-212/729", 0, 0),
        ("9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656", 0),
    ),
    ("35/384", 0, "500/1113", "125/192", "-2187/6784", "11/84"),
    (0, "1/5", "3/10", "4/5", "8/9", 1),
)
LOWER = tuple(
    map(Fraction, ("5179/57600", "0", "7571/16695", "393/640", "-92097/339200", "187/2100", "1/40"))
)  # weights of order 4, of all seven stages
DENSE = tuple(
    tuple(map(Fraction, row))
    for row in (
        ("1", "0", "0", "0", "0", "0", "0"),
        (
            *("-8048581381/2820520608", "0", "131558114200/32700410799", "-1754552775/470086768"),
            *("127303824393/49829197408", "-282668133/205662961", "40617522/29380423"),
        ),
        (
            *("8663915743/2820520608", "0", "-68118460800/10900136933", "14199869525/1410260304"),
            *("-318862633887/49829197408", "2019193451/616988883", "-110615467/29380423"),
        ),
        (
            *("-12715105075/11282082432", "0", "87487479700/32700410799", "-10690763975/1880347072"),
            *("701980252875/199316789632", "-1453857185/822651844", "69997945/29380423"),
        ),
    )
)
"""Weights inside a step: b_i(theta) = theta (DENSE[0][i] + theta (DENSE[1][i] + ...)), of order 4 (Shampine 1986)."""

SAFETY, LEAST_GROWTH, MOST_GROWTH = 0.9, 0.2, 5.0
"""A step is so much of what the error allows, and so many times the last."""

BETA = 0.04
ALPHA = 0.2 - 0.75 * BETA
"""Exponents of the error before and of the error now (Hairer, Norsett & Wanner, II.4)."""

FIRST_ERROR, TINY_ERROR, TINY = 1e-4, 1e-10, 1e-300
"""Of the step before the first; that allows any growth; and what is added to a divisor."""


@recipe
@functools.cache
def dormand_prince_pair() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The pace of the pair, for ``kernels/pacing.py``: the kernels `go` and `inside`, about (rtol, atol, longest)."""
    at = places(STAGES, True)[2] + STAGES
    slopes, weighted, off = stages(STAGES, STAGES), total(STAGES, places(STAGES, True)[1]), total(STAGES + 1, at)
    second, third, fourth = (total(STAGES + 1, at + k * (STAGES + 1)) for k in (1, 2, 3))

    def tried(h: Number, t: Number, state: State, body: Body) -> Any:
        """A step: the state after it, the slopes of all stages, and what the two orders differ by in Q and Omega."""
        q, Pi, tau, memory = state
        c = body[2]
        K, M = slopes(h, t, q, Pi, tau, body)
        Psi, p = scaled(h, weighted(c, K)), lin(1, Pi, h, weighted(c, M))
        F = exp(Psi)
        q1, Pi1 = compose(q, F), rotated_back(F, p)
        Omega1 = velocity_of(Pi1, body)
        tau1 = moment_at(t + h, q1, Omega1, body)
        K, M = K + (dexpinv(scaled(-1, Psi), Omega1),), M + (rotated(F, tau1),)
        other = exp(lin(1, Psi, -h, off(c, K)))
        Omega2 = velocity_of(rotated_back(other, lin(1, p, -h, off(c, M))), body)
        _, x, y, z = compose(inverse(F), other)
        slip = minus(Omega2, Omega1)
        return (unit(q1), Pi1, tau1, memory), (K, M), 2 * sqrt(x * x + y * y + z * z), sqrt(dot(slip, slip))

    def next_controlled(about: Any, t_end: Number, state: State, clock: Any, body: Body) -> Any:
        """The next step whose error is below the tolerance; `clock` is (time, rounding, next h, last error)."""
        rtol, atol, longest = about
        t, lost, h, before = clock
        fast, trials, grows = turning(state[1], state[2], body), 0, MOST_GROWTH
        while True:
            h = max(-longest, min(longest, h))
            is_last = (t + h - t_end) * h >= 0
            taken = t_end - t if is_last else h
            after, inner, angle, slip = tried(taken, t, state, body)
            trials += 1
            speed = max(fast, turning(after[1], after[2], body)) + TINY
            x, y = angle / (rtol + atol), slip / (rtol * speed + atol)
            error = sqrt(x * x + y * y)
            if error <= 1:
                factor = min(grows, max(LEAST_GROWTH, SAFETY * before**BETA / max(error, TINY_ERROR) ** ALPHA))
                later = taken - lost
                t_after = t_end if is_last else t + later
                lost = 0.0 if is_last else (t_after - t) - later
                return after, (t_after, lost, h if is_last else h * factor, max(error, FIRST_ERROR)), trials, 0.0, inner
            h = taken * (max(LEAST_GROWTH, SAFETY / error**0.2) if error > 1 else LEAST_GROWTH)  # or it is not a number
            grows = 1.0
            if t + h == t:
                return state, clock, trials, 1.0, inner

    def inside_controlled(
        about: Any, s: Number, h: Number, t: Number, state: State, inner: Any, body: Body
    ) -> tuple[Quat, Vec3]:
        """The state inside a step, by polynomials in the coordinates of its begin, of order 4."""
        K, M = inner
        c, x = body[2], s / h
        k = lin(x, lin(1, K[0], x, lin(1, second(c, K), x, lin(1, third(c, K), x, fourth(c, K)))), 0, K[0])
        m = lin(x, lin(1, M[0], x, lin(1, second(c, M), x, lin(1, third(c, M), x, fourth(c, M)))), 0, M[0])
        F = exp(scaled(h, k))
        return unit(compose(state[0], F)), rotated_back(F, lin(1, state[1], h, m))

    return next_controlled, inside_controlled


SOURCES = ("munthe-kaas-1999", "dormand-prince-1980", "shampine-1986", "hairer-norsett-wanner-1993")
PAIR = replace(
    munthe_kaas(
        DORMAND_PRINCE,
        name="RKMK54",
        sources=SOURCES,
    ),
    coefficients=constants(
        tuple(x for i, row in enumerate(DORMAND_PRINCE.A) for x in row[:i])
        + (*DORMAND_PRINCE.b, *DORMAND_PRINCE.c)
        + tuple(x - y for x, y in zip((*DORMAND_PRINCE.b, Fraction(0)), LOWER))
        + tuple(x for row in DENSE[1:] for x in row)
    ),
    **at_stages(energy=False),
)
"""Its steps of order 5, all of one size, as a Method: what the controller is built on, with all its coefficients."""
