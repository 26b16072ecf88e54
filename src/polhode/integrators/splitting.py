"""Splittings of the free body into rotations that can be written down: explicit symplectic methods."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call
from polhode.integrators.method import Method, Order
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.parts.schemes import KAHAN_LI6, KAHAN_LI8, SOFRONIOU_SPALETTA10, SUZUKI, Scheme
from polhode.integrators.parts.tableaux import constants
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Numbers, Quat, Report, Vec3
from polhode.kernels.rotations import compose, exp
from polhode.kernels.scalar import c0, c1, kernel
from polhode.kernels.step import start_plain
from polhode.kernels.vectors import scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def sr_flow(stages: int) -> Callable[..., Any]:
    """The free flow R S R S ... R with `stages` symmetric tops."""

    @kernel
    def sr(h: Number, q: Quat, p: Vec3, memory: Numbers, body: Body) -> tuple[Quat, Vec3, Numbers, Report]:
        """Symmetric + Rotation: a symmetric top, and a rotation for what the body has more.

            H(y) = S(y) + R(y),    S = |y|^2/(2 J2) + (1/J3 - 1/J2) y3^2/2,    R = (1/J1 - 1/J2) y1^2/2

        S is a body with moments J2, J2, J3: it turns about its momentum at the rate |y|/J2 and about the third
        axis at the rate (1/J3 - 1/J2) y3, both constant. R turns about the first axis at the rate
        (1/J1 - 1/J2) y1. SR2 is Strang's splitting R(h/2) S(h) R(h/2); SR4 and SR6 compose SR2 five times with
        Suzuki's coefficients and nine times with Kahan and Li's (`polhode.sr(order)` goes on to 8 and 10),

            SR2(g1 h) SR2(g2 h) ... SR2(gn h),       neighbouring rotations R taken together.

        (The stage numbers are those of Hairer & Vilmart 2006; that they took these coefficients is inferred.)

        Orders 2, 4, 6 for the free body; 2 with a torque, from the kicks, for only the free flow is composed.
        Every factor is the flow of a part of the Hamiltonian: symplectic, with kicks also with a potential, and
        Poisson for Pi; every factor turns the body and leaves the spatial momentum where it is. Palindromic,
        hence symmetric. The energy is not exact, and does not drift. Explicit; SR6 takes the time of three or
        four steps of VLV for its nine tops.

        Pitfall: the axes count. If J1 = J2, as on the stress test, R vanishes and SR2 is the exact flow; number
        the axes so that the first two moments are close.
        """
        iJ, c = body[1], body[2]
        q, p = turned_1(q, p, c[0] * h / 4 * (iJ[0] - iJ[1]) * p[0])
        for i in range(stages):
            k = c[2 * i + 1] * h
            q = compose(q, exp(scaled(k * iJ[1], p)))
            q, p = turned_3(q, p, k / 2 * (iJ[2] - iJ[1]) * p[2])
            q, p = turned_1(q, p, c[2 * i + 2] * h / 4 * (iJ[0] - iJ[1]) * p[0])
        return q, p, memory, NO_SOLVE

    return sr


@kernel
def lp2(h: Number, q: Quat, p: Vec3, memory: Numbers, body: Body) -> tuple[Quat, Vec3, Numbers, Report]:
    """McLachlan's explicit Lie-Poisson splitting: one axis at a time.

        H(y) = y1^2/(2 J1) + y2^2/(2 J2) + y3^2/(2 J3)

    Each term turns the body about its axis at the constant rate y_i/J_i. Strang's splitting of the three,
    here in the order 1 (h/2), 2 (h/2), 3 (h), 2 (h/2), 1 (h/2): any order of the axes will do, and they differ
    in accuracy. Second order and symmetric; symplectic, with kicks also with a potential, and Poisson for Pi,
    as every factor is the flow of a part of the Hamiltonian; spatial momentum exact, since a rotation of the
    body leaves it where it is. The energy is not exact, and does not drift. Explicit.
    """
    iJ = body[1]
    q, p = turned_1(q, p, h / 4 * iJ[0] * p[0])
    q, p = turned_2(q, p, h / 4 * iJ[1] * p[1])
    q, p = turned_3(q, p, h / 2 * iJ[2] * p[2])
    q, p = turned_2(q, p, h / 4 * iJ[1] * p[1])
    q, p = turned_1(q, p, h / 4 * iJ[0] * p[0])
    return q, p, memory, NO_SOLVE


@kernel
def turned_1(q: Quat, p: Vec3, a: Number) -> tuple[Quat, Vec3]:
    """The body turned about its first axis by 2 a: Q exp(v), exp(-v) p with v = (2 a, 0, 0)."""
    c, s = c0(a * a), a * c1(a * a)
    w, x, y, z = q
    q = (c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y)
    one, two = turned(c, s, p[1], p[2])
    return q, (p[0], one, two)


@kernel
def turned_2(q: Quat, p: Vec3, a: Number) -> tuple[Quat, Vec3]:
    """The body turned about its second axis by 2 a."""
    c, s = c0(a * a), a * c1(a * a)
    w, x, y, z = q
    q = (c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x)
    two, one = turned(c, s, p[2], p[0])
    return q, (one, p[1], two)


@kernel
def turned_3(q: Quat, p: Vec3, a: Number) -> tuple[Quat, Vec3]:
    """The body turned about its third axis by 2 a."""
    c, s = c0(a * a), a * c1(a * a)
    w, x, y, z = q
    q = (c * w - s * z, c * x + s * y, c * y - s * x, c * z + s * w)
    one, two = turned(c, s, p[0], p[1])
    return q, (one, two, p[2])


@kernel
def turned(c: Number, s: Number, x: Number, y: Number) -> Numbers:
    """(x, y) turned by minus twice the angle of cosine c and sine s, as a change that does not alter its length.

    The plain formula with cos 2a and sin 2a does, by c^2 + s^2 - 1, which is round-off but the same in every step
    at a steady rate: momentum and energy would drift. Here it enters times 4 s^2, with a correction for most of it,
    from 1 - c^2 - s^2 without a sum near 1: that would be rounded down more than up, see `rotations.rotated`.
    """
    k = 2 * s + 2 * s * ((1 - c * c) - s * s)
    return x + k * (c * y - s * x), y - k * (c * x + s * y)


def _alternating(weights: tuple[Any, ...]) -> Callable[..., Any]:
    """Times of the parts R and S in turn, for a composition with these weights; those of R count in halves."""
    between = [weights[0], *(a + b for a, b in itertools.pairwise(weights)), weights[-1]]
    times = (*(x for pair in zip(between, weights) for x in pair), between[-1])
    return constants(times)


_symplectic = dict(
    family="splitting",
    start=start_plain,
    **by_kicks(symplectic=True, momentum=True, energy=False),
    torques_per_step=1,
    symmetric=True,
    symplectic_free=True,
    symplectic=True,
    poisson_free=True,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="none",
)


SCHEMES = {2: Scheme("one", (1,)), 4: SUZUKI[0], 6: KAHAN_LI6, 8: KAHAN_LI8, 10: SOFRONIOU_SPALETTA10}
"""By order: how SR2 is composed."""


@checked_call
def sr(order: int) -> Method:
    """The symmetric + rotation splitting of order 2, 4, 6, 8 or 10, as a Method.

    Parameters
    ----------
    order : int
        2, 4, 6, 8 or 10.

    Returns
    -------
    Method
        For anything that takes a method.
    """
    if isinstance(order, bool) or not isinstance(order, int) or order not in SCHEMES:
        raise InputError(f"order is {one_line(order)}; SR is made for the orders {', '.join(map(str, SCHEMES))}.")
    weights, sources = SCHEMES[order].weights, SCHEMES[order].sources
    return Method(
        name=f"SR{order}",
        title=f"symmetric + rotation splitting, order {order}",
        sources=("hairer-vilmart-2006", "fasso-2003", *sources),
        step=kicked(sr_flow(len(weights))),
        coefficients=_alternating(weights),
        order=Order(free=(order, order), torque=(2, 2)),
        **_symplectic,
    )


SR2, SR4, SR6 = (sr(order) for order in (2, 4, 6))
LP2 = Method(
    name="LP2",
    title="Lie-Poisson splitting by axes",
    sources=("mclachlan-1993", "reich-1994"),
    step=kicked(lp2),
    order=2,
    **_symplectic,
)
