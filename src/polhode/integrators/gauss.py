"""Gauss collocation in quaternions and their momenta: symplectic, of any even order."""

import functools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call
from polhode.integrators.method import Method
from polhode.integrators.parts.tableaux import rounded
from polhode.integrators.velocity_claims import with_momenta
from polhode.kernels.implicit import repeated, size
from polhode.kernels.numbers import Body, Number, Numbers, Quat, Report, State, Vec3
from polhode.kernels.quadrature_nodes import (
    as_nodes,
    as_numbers,
    collocation,
    largest,
    last_of,
    mixed,
    torques,
    total,
)
from polhode.kernels.rotations import matrix, unit
from polhode.kernels.scalar import kernel, magnitude
from polhode.kernels.step import moment_at, twice_spun, velocity_of
from polhode.kernels.vectors import lin, minus, plus, scaled
from polhode.pickling import recipe

DIGITS = 100
"""Of the nodes and the matrices, which lose some thirty at eight stages."""

HIGHEST_ORDER = 16
"""The highest order: eight stages fill the widest vectors there are."""


@kernel
def gauss_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Gauss's method with s stages for a quaternion q and its momentum p.

    p = 2 q Pi, as quaternions, is the momentum that belongs to q: with q any four numbers, not all zero,

        H(q, p) = Pi . J^-1 Pi / 2 + U(Q(q)),      Pi = Im(conj(q) p)/2
        q' = dH/dp = q Omega/2,      p' = -dH/dq = p Omega/2 + 2 q tau/|q|^2

    is a canonical system in eight dimensions. With b_j and c_j of Gauss's quadrature and f_j, g_j the two right sides
    at stage j, times h b_j, the step is

        (Q_i, P_i) = (q0, p0) + sum_j m_ij (f_j, g_j),      (q1, p1) = (q0, p0) + sum_j (f_j, g_j),      m_ij = a_ij/b_j

    It has order 2 s, is symmetric, symplectic, and keeps every quadratic invariant, because m_ij + m_ji = 1 (Cooper
    1987, Sanz-Serna 1988), and in rounded numbers too. Such invariants are |q| = 1 and q . p = 0, so that nothing of
    the eight dimensions is left but the rotation and its momentum; and the spatial momentum Im(p conj(q))/2, as far as
    the potential keeps it. So it is symplectic on T*SO(3), and for a free body Poisson. Energy oscillates by
    O(h^2s), for a free body too.

    The stages are swept until they no longer change: Q from Omega, Omega and the torque from Q, P from both. All
    stages are one SIMD vector in this (Antonana, Makazaga & Murua 2025), so that eight cost little more than four; the
    guess comes from the polynomials of the step before.

    Pitfalls: sweeps need a step of about a radian at most, and of a small part of the period of the fastest oscillation
    in the potential. Of friction that slows the velocity at the rate g, a sweep leaves g h times the spectral radius of
    A of the error (0.165 for GAUSS8, 0.088 for GAUSS16), and sweeps are given up where that is above 0.7: the end is at
    g h = 4.3 and 8.0, steps of several decay times; `damping=` has no such end in the kicks of VLV. |q| is not 1 at the
    stages; formulas that take it for granted lose the order. The torque handed on is that at the last node, not at the
    end: nothing here uses it.
    """
    q, Pi, _, memory = state
    m, G, b, c = collocation(body[2])
    p = momentum(q, Pi)
    f = as_nodes(memory, c)
    Q, P = stages(q, G, f[:4]), stages(p, G, f[4:])
    x = (Q, P, turning(h, Q, P, body), f[:4], f[4:], (c, c, c))
    (_, _, _, f, g, tau), report = repeated(sweep, x, (h, t + h * c, q, p, m, b), body)
    f1, g1 = whole(f), whole(g)
    change = plus(seen_by(q, g1), seen_by(f1, plus4(p, g1)))  # of Im(conj(q) p): what is small is rounded less
    Pi = lin(1, Pi, 1 / 2, change)
    return (unit(plus4(q, f1)), Pi, (last_of(tau[0]), last_of(tau[1]), last_of(tau[2])), as_numbers(f + g)), report


@kernel
def sweep(
    x: tuple[Quat, Quat, Vec3, Quat, Quat, Vec3], data: Any, body: Body
) -> tuple[tuple[Quat, Quat, Vec3, Quat, Quat, Vec3], Number, Number]:
    """Better stages from stages: Q, Omega, torque, P, each from the newest of the others."""
    Q0, P, e0, _, _, _ = x
    h, times, q, p, m, b = data
    f = turned(Q0, scaled(b, turning(h, Q0, P, body)))
    Q = stages(q, m, f)
    e = turning(h, Q, P, body)
    tau = torques(times, matrix(Q), scaled(2 / h, e), body)
    k = 2 * h * b * (1 / (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]))  # the division is that of `matrix`
    g = plus4(turned(P, scaled(b, e)), turned(Q, scaled(k, tau)))
    P = stages(p, m, g)
    scale = largest(size(e))
    return (Q, P, e, f, g, tau), largest(size(minus(e, e0))) + scale * largest(distance(Q, Q0)), scale


@kernel
def momentum(q: Quat, Pi: Vec3) -> Quat:
    """p = 2 q Pi/|q|^2. `unit` leaves |q| off by some bits, which would multiply Pi in every step if not divided by."""
    n = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / 2
    return turned(q, (Pi[0] / n, Pi[1] / n, Pi[2] / n))


@kernel
def turning(h: Number, Q: Quat, P: Quat, body: Body) -> Vec3:
    """(h/2) Omega at the stages."""
    Pi, k = twice_spun(seen_by(Q, P), body), h / 4
    return (k * body[1][0] * Pi[0], k * body[1][1] * Pi[1], k * body[1][2] * Pi[2])


@kernel
def turned(q: Quat, v: Vec3) -> Quat:
    """q v, with v as a quaternion without real part."""
    w, x, y, z = q
    return (
        -(x * v[0] + y * v[1] + z * v[2]),
        w * v[0] + y * v[2] - z * v[1],
        w * v[1] + z * v[0] - x * v[2],
        w * v[2] + x * v[1] - y * v[0],
    )


@kernel
def seen_by(q: Quat, p: Quat) -> Vec3:
    """Im(conj(q) p)"""
    return (
        q[0] * p[1] - q[1] * p[0] - q[2] * p[3] + q[3] * p[2],
        q[0] * p[2] - q[2] * p[0] - q[3] * p[1] + q[1] * p[3],
        q[0] * p[3] - q[3] * p[0] - q[1] * p[2] + q[2] * p[1],
    )


@kernel
def stages(q: Quat, m: Numbers, f: Quat) -> Quat:
    """q + m f for each of four numbers."""
    return (mixed(q[0], m, f[0]), mixed(q[1], m, f[1]), mixed(q[2], m, f[2]), mixed(q[3], m, f[3]))


@kernel
def whole(f: Quat) -> Quat:
    """The sum over the stages of each of four numbers."""
    return (total(f[0]), total(f[1]), total(f[2]), total(f[3]))


@kernel
def plus4(a: Quat, b: Quat) -> Quat:
    """a + b"""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


@kernel
def distance(a: Quat, b: Quat) -> Number:
    """|a_1 - b_1| + ... + |a_4 - b_4|"""
    return magnitude(a[0] - b[0]) + magnitude(a[1] - b[1]) + magnitude(a[2] - b[2]) + magnitude(a[3] - b[3])


@kernel
def start_gauss(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state: a step before this one, with the velocity and the torque of now throughout."""
    _, _, b, _ = collocation(body[2])
    tau = moment_at(t, q, velocity_of(Pi, body), body)
    p = momentum(q, Pi)
    e = turning(h, q, p, body)
    f, g = turned(q, e), plus4(turned(p, e), turned(q, scaled(2 * h, tau)))
    return (q, Pi, tau, as_numbers((*scaled4(b, f), *scaled4(b, g))))


@kernel
def scaled4(s: Number, a: Quat) -> Quat:
    """s a"""
    return (s * a[0], s * a[1], s * a[2], s * a[3])


@functools.cache
def quadrature(s: int) -> tuple[list[list[Any]], list[list[Any]], list[Decimal], list[Decimal]]:
    """m and G as matrices, b, c: exact to sixty digits. G f is m times what f, a polynomial, is a step later."""
    with localcontext(prec=DIGITS):
        c = nodes_of(s)
        basis = [lagrange(c, j) for j in range(s)]
        upto = lambda x, j: sum(a * x ** (k + 1) / (k + 1) for k, a in enumerate(basis[j]))
        b = [upto(1, j) for j in range(s)]
        m = [[upto(x, j) / b[j] for j in range(s)] for x in c]
        later = [
            [b[i] * sum(a * (1 + c[i]) ** k for k, a in enumerate(basis[j])) / b[j] for j in range(s)] for i in range(s)
        ]
        G = [[sum(m[i][k] * later[k][j] for k in range(s)) for j in range(s)] for i in range(s)]
        return m, G, b, c


@recipe
@functools.cache
def for_any_body(s: int) -> Callable[..., Any]:
    """What a method states as its coefficients: these, the same for every body."""
    return lambda J, number: coefficients(s, number)


def coefficients(s: int, number: type) -> tuple[float, ...]:
    """The numbers of `quadrature` in an arithmetic, matrices by columns; m_ij + m_ji = 1 exactly.

    Of each pair the larger, between 1/2 and 2, is rounded, and 1 minus that has no rounding.
    """
    m, G, b, c = quadrature(s)
    to = lambda x: rounded(x, number)
    pair = lambda i, j: to(m[i][j]) if m[i][j] >= m[j][i] else 1 - to(m[j][i])
    return (
        *(pair(i, j) for j in range(s) for i in range(s)),
        *(to(G[i][j]) for j in range(s) for i in range(s)),
        *map(to, b),
        *map(to, c),
    )


def strongest_friction(s: int) -> float:
    """The product of h and the rate of friction up to which s stages are solved: see `repeated`, which gives up."""
    import numpy as np

    m, _, b, _ = quadrature(s)
    A = np.array(m, dtype=float) * np.array(b, dtype=float)
    return float(math.sqrt(0.5) / np.abs(np.linalg.eigvals(A)).max())


def nodes_of(s: int) -> list[Decimal]:
    """The zeros of Legendre's polynomial of degree s, on [0, 1], by Newton's method."""
    zeros = []
    for i in range(s):
        x = Decimal(-math.cos(math.pi * (i + 0.75) / (s + 0.5)))
        for _ in range(10):
            before, now = Decimal(1), x
            for n in range(1, s):
                before, now = now, ((2 * n + 1) * x * now - n * before) / (n + 1)
            x -= now * (x * x - 1) / (s * (x * now - before))
        zeros.append((1 + x) / 2)
    return zeros


def lagrange(c: list[Decimal], j: int) -> list[Decimal]:
    """The coefficients of the polynomial that is 1 at node j and 0 at the others, constant first."""
    a = [Decimal(1)]
    for k, x in enumerate(c):
        if k != j:
            a = [(low - x * high) / (c[j] - x) for low, high in zip([Decimal(0), *a], [*a, Decimal(0)])]
    return a


@checked_call
def gauss(order: int) -> Method:
    """Gauss's method of an even order, 2 to 16, as a Method; the catalogue has GAUSS8 and GAUSS16.

    Parameters
    ----------
    order : int
        Even, 2 to 16.

    Returns
    -------
    Method
        For anything that takes a method.

    Examples
    --------
    >>> import polhode as ph
    >>> ph.gauss(12).name
    'GAUSS12'
    """
    if not isinstance(order, int) or isinstance(order, bool) or order not in range(2, HIGHEST_ORDER + 1, 2):
        raise InputError(
            f"order is {one_line(order)}; Gauss's methods here have an even order from 2 to {HIGHEST_ORDER}."
        )
    s = order // 2
    return Method(
        name=f"GAUSS{order}",
        title=f"Gauss collocation with {s} stages",
        family="Gauss",
        sources=("sanz-serna-1988", "cooper-1987", "antonana-makazaga-murua-2025"),
        step=gauss_step,
        start=start_gauss,
        coefficients=for_any_body(s),
        nodes=s,
        **with_momenta(symplectic=True),
        order=order,
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


GAUSS8, GAUSS16 = gauss(8), gauss(16)
