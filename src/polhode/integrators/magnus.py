"""The momentum of the free body in closed form, and its attitude by the Magnus series, of any even order."""

import functools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call
from polhode.integrators.gauss import DIGITS, lagrange, nodes_of
from polhode.integrators.method import Method, Order
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.parts.stages import rows
from polhode.integrators.parts.tableaux import constants as known
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.elliptic import jacobi
from polhode.kernels.free_flow import added, constants, labels, picked, placed
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Kernel, Number, Numbers, Quat, Report, Vec3
from polhode.kernels.rotations import compose, exp
from polhode.kernels.scalar import alone, kernel, sqrt
from polhode.kernels.step import start_plain
from polhode.kernels.vectors import cross, dot, lin, mul, plus, scaled
from polhode.pickling import recipe

HIGHEST_ORDER = 16
"""The highest order that is made: the nodes of eight Gauss points."""


@kernel
def jem2(h: Number, q: Quat, p: Vec3, memory: Numbers, body: Body) -> tuple[Quat, Vec3, Numbers, Report]:
    """Jacobi elliptic functions and the Magnus series, second order: JEM2.

    The momentum y(t) by elliptic functions, exactly, as in EXACT; the attitude by the Magnus series for
    Q' = Q hat(Omega(t)), cut off behind its first term, with the midpoint rule:

        Q1 = Q0 exp(h Omega(h/2)),      Omega(t) = J^-1 y(t)

    Between half kicks. Free, Omega, the energy and the Casimir |Pi| are exact and the map of Pi is Poisson; Q has
    order two. Symmetric, because the rule is. Pi1 is not the rotated Pi0, so spatial momentum is not kept, not
    even the vertical one of a top, and the map is not symplectic: on the stress test energy falls. EXACT has none
    of these defects and takes half as long again.

    The nodes used by Celledoni and Safstrom could not be read; the midpoint is a choice.
    """
    m, y = midway(h, p, body[0])
    return compose(q, exp(scaled(h, mul(body[1], m)))), y, memory, NO_SOLVE


@kernel
def jem4(h: Number, q: Quat, p: Vec3, memory: Numbers, body: Body) -> tuple[Quat, Vec3, Numbers, Report]:
    """Jacobi elliptic functions and the Magnus series, fourth order: JEM4.

    As JEM2, with the second term of the Magnus series and the two Gauss points:

        a = Omega((1/2 - sqrt(3)/6) h),     b = Omega((1/2 + sqrt(3)/6) h)
        Q1 = Q0 exp(h/2 (a + b) + sqrt(3)/12 h^2 a x b)

    Free, Q has order four. Symmetric, since exchanging the ends of the step exchanges a and b and the sign of h.
    Everything else as for JEM2; on the stress test energy falls like h^4 T, by 2e-10 per unit of time at h = 1/8.

    Pitfall: the sign of a x b belongs to Q' = Q hat(Omega); for the velocity in space axes it is the other one.
    The nodes used by Celledoni and Safstrom could not be read; Gauss points are a choice.
    """
    early, late, y = at_gauss_points(h, p, body[0])
    a, b = mul(body[1], early), mul(body[1], late)
    F = exp(lin(h / 2, plus(a, b), sqrt(3 + 0 * h) * (h * h) / 12, cross(a, b)))
    return compose(q, F), y, memory, NO_SOLVE


@kernel
def midway(h: Number, p: Vec3, J: Vec3) -> tuple[Vec3, Vec3]:
    """The momentum of the free body after the times h/2 and h."""
    axes = labels(J, p)
    c, _, orbit = constants(J, p, axes)
    half, _ = jacobi(axes[3] * h / 2, orbit)
    m = added(picked(p, axes), half, c, orbit)
    return placed(m, axes), placed(added(m, half, c, orbit), axes)


@kernel
def at_gauss_points(h: Number, p: Vec3, J: Vec3) -> tuple[Vec3, Vec3, Vec3]:
    """The momentum of the free body after the times (1/2 - sqrt(3)/6) h, (1/2 + sqrt(3)/6) h and h."""
    axes = labels(J, p)
    c, _, orbit = constants(J, p, axes)
    r = sqrt(3 + 0 * h)
    first, _ = jacobi(axes[3] * h * (3 - r) / 6, orbit)
    second, _ = jacobi(axes[3] * h * (3 + r) / 6, orbit)
    early, late = added(picked(p, axes), first, c, orbit), added(picked(p, axes), second, c, orbit)
    y = added(late, first, c, orbit)  # the two fractions of h make the whole
    return placed(early, axes), placed(late, axes), placed(y, axes)


alone(midway)
alone(at_gauss_points)


@recipe
@functools.cache
def jem_flow(r: int) -> Callable[..., Any]:
    """The free flow of JEM2r with r Gauss points."""
    at_nodes, series, speeds = momenta(r), magnus(r), halves(r)

    @kernel
    def jem(h: Number, q: Quat, p: Vec3, memory: Numbers, body: Body) -> tuple[Quat, Vec3, Numbers, Report]:
        """Jacobi elliptic functions and the Magnus series, of any even order 2r: JEM6 and higher.

        The momentum y(t) by elliptic functions, exactly, as in EXACT; for the attitude, Omega(t) = J^-1 y(t) is
        replaced by the polynomial through its values at the r Gauss points, which costs an error of the order
        h^(2r+1), as a quadrature with them would. About the middle of the step, with x = t/(h/2) in [-1, 1],

            (h/2) Omega(x) + (h/2) Omega(-x) = e(x),     (h/2) Omega(x) - (h/2) Omega(-x) = o(x)

        and F(x) = exp(Psi(x)), the rotation from -x to x, obeys

            Psi' = e + Psi x o/2 + c(|Psi|^2) Psi x (Psi x e),     c(z) = 1/12 + z/720 + z^2/30240 + ...

        as dexp^-1 at either end is 1 -+ Psi x /2 + c Psi x Psi x. Psi is odd in x; its coefficients up to x^(2r-1)
        follow from this one after the other, and Q1 = Q0 exp(Psi(1)). That is the Magnus series, cut off behind
        its terms of grade 2r - 1, without a commutator written down. r = 1 and 2 give JEM2 and JEM4.

        Between half kicks: order 2 with a torque. Free, Q has order 2r; Omega, energy and |Pi| are exact and the
        map of Pi is Poisson. Symmetric, since only odd grades are kept. Pi1 is not the rotated Pi0: spatial momentum
        is kept to O(h^(2r+1)) only, and the map is not symplectic. The drift of the energy on the stress test is like
        T h^(2r), too small to be seen from r = 3 on.

        The nodes used by Celledoni and Safstrom could not be read; Gauss points are a choice. EXACT has none of these
        defects and is cheaper than r = 3.
        """
        at, y = at_nodes(h, p, body[0], body[2])
        Psi = series(body[2], speeds(h, body[1], at))
        return compose(q, exp(Psi)), y, memory, NO_SOLVE

    return jem


def momenta(r: int) -> Callable[..., Any]:
    """The kernel of the momenta of the free body at r nodes, the first r coefficients, and after the time h."""
    nodes = later(r)

    @kernel
    def at_nodes(h: Number, p: Vec3, J: Vec3, coefficients: Numbers) -> tuple[tuple[Vec3, Vec3, Vec3], Vec3]:
        axes = labels(J, p)
        c, _, orbit = constants(J, p, axes)
        first = picked(p, axes)
        scd, _ = jacobi(axes[3] * h, orbit)
        return nodes(axes[3] * h, first, c, orbit, axes, coefficients), placed(added(first, scd, c, orbit), axes)

    alone(at_nodes)
    return at_nodes


def later(n: int) -> Callable[..., Any]:
    """The kernel of the momenta at the first n nodes."""
    if n == 0:
        return kernel(lambda h, first, c, orbit, axes, coefficients: ())
    before, j = later(n - 1), n - 1

    @kernel
    def at(h: Number, first: Vec3, c: Vec3, orbit: Numbers, axes: Quat, coefficients: Numbers) -> Any:
        scd, _ = jacobi(h * coefficients[j], orbit)
        now = placed(added(first, scd, c, orbit), axes)
        return before(h, first, c, orbit, axes, coefficients) + (now,)

    return at


def halves(n: int) -> Callable[..., Any]:
    """The kernel (h/2) J^-1 y_j for the first n momenta."""
    if n == 0:
        return lambda h, iJ, y: ()
    before, j = halves(n - 1), n - 1
    return lambda h, iJ, y: before(h, iJ, y) + (scaled(h / 2, mul(iJ, y[j])),)


def magnus(r: int) -> Callable[..., Any]:
    """The kernel of Psi(1) from (h/2) Omega at r nodes."""
    even, odd, grow = rows(r, r, r), rows(r, r, r + r * r), growth(r, r + 2 * r * r)

    def series(
        coefficients: tuple[float, ...],
        w: tuple[Vec3, Vec3, Vec3],
    ) -> Vec3:
        P = grow(coefficients, even(coefficients, w), odd(coefficients, w))[0]
        Psi = P[0]
        for k in range(1, r):
            Psi = plus(Psi, P[k])
        return Psi

    return series


def growth(n: int, gamma: int) -> Callable[..., Any]:
    """The kernel of the first n coefficients of Psi = x P_0 + x^3 P_1 + ..., from those of e and o.

    With them come those of Psi x e = x V_0 + ..., Psi x (Psi x e) = x^2 W_0 + ..., |Psi|^2 = x^2 z_0 + ... and
    c(|Psi|^2) = C_0 + x^2 C_1 + ..., one less of each.
    """
    if n == 1:
        return lambda coefficients, e, o: ((e[0],), (), (), (), ())
    before, k, j, c = growth(n - 1, gamma), n - 1, n - 2, nested(n - 2, gamma)

    def grown(
        coefficients: tuple[float, ...],
        e: tuple[Vec3, Vec3, Vec3],
        o: tuple[Vec3, Vec3, Vec3],
    ) -> tuple[Any, ...]:
        P, V, W, z, C = before(coefficients, e, o)
        C = C + (c(coefficients, z),)
        V, z = V + (product(cross, plus, P, e, j),), z + (product(dot, summed, P, P, j),)
        W = W + (product(cross, plus, P, V, j),)
        x, y, w = plus(e[k], plus(product(cross, plus, P, o, j), product(scaled, plus, C, W, j)))
        odd = 2 * k + 1
        return P + ((x / odd, y / odd, w / odd),), V, W, z, C

    return grown


@kernel
def product(times: Kernel, add: Kernel, a: Any, b: Any, k: int) -> Any:
    """The coefficient k of the product of two series: the sum of a_i b_j over i + j = k."""
    total = times(a[0], b[k])
    for i in range(1, k + 1):
        total = add(total, times(a[i], b[k - i]))
    return total


@kernel
def summed(a: Number, b: Number) -> Number:
    """a + b for numbers."""
    return a + b


@functools.cache
def nested(k: int, gamma: int, i: int = 1) -> Callable[..., Any]:
    """The kernel of coefficient k of gamma_0 + gamma_1 z + gamma_2 z^2 + ..., gamma_0 at `gamma` of the coefficients.

    z begins with z_0 x^2, so that it is the sum of z_{i-1} times the coefficient k - i of the series that begins with
    gamma_1, over i = 1 ... k; here, of the terms from i on.
    """
    if k == 0:
        return lambda coefficients, z: coefficients[gamma]
    here, at = nested(k - i, gamma + 1), i - 1
    if i == k:
        return lambda coefficients, z: z[at] * here(coefficients, z)
    rest = nested(k, gamma, i + 1)
    return lambda coefficients, z: z[at] * here(coefficients, z) + rest(coefficients, z)


@functools.cache
def interpolation(r: int) -> tuple[Fraction, ...]:
    """The coefficients of a flow with r nodes: these, the rows that give e and o/2, and gamma.

    c(z) = (1 - (y/2) cot(y/2))/z with z = y^2 has the coefficients gamma_m = |B_n|/n!, n = 2m + 2, B_n Bernoulli's.
    """
    with localcontext(prec=DIGITS):
        nodes = nodes_of(r)
        bases = [lagrange([2 * x - 1 for x in nodes], j) for j in range(r)]
        zero = Decimal(0)
        at = lambda j, n: bases[j][n] if n < r else zero
        e = [2 * at(j, 2 * k) for k in range(r) for j in range(r)]
        o = [at(j, 2 * k + 1) for k in range(r) for j in range(r)]
        decimals = tuple(map(Fraction, (*nodes, *e, *o)))
    bernoulli = [Fraction(1)]
    for n in range(1, 2 * r + 1):
        bernoulli.append(-sum(math.comb(n + 1, i) * b for i, b in enumerate(bernoulli)) / (n + 1))
    return (*decimals, *(abs(bernoulli[n]) / math.factorial(n) for n in range(2, 2 * r + 1, 2)))


@checked_call
def jem(order: int) -> Method:
    """Jacobi's elliptic functions and the Magnus series of an even order, 2 to 16, as a Method.

    Parameters
    ----------
    order : int
        Even, 2 to 16.

    Returns
    -------
    Method
        For anything that takes a method.
    """
    if not isinstance(order, int) or isinstance(order, bool) or order not in range(2, HIGHEST_ORDER + 1, 2):
        raise InputError(f"order is {one_line(order)}; JEM is made for the even orders 2 to {HIGHEST_ORDER}.")
    written_out = {2: jem2, 4: jem4}
    return Method(
        name=f"JEM{order}",
        title=f"Jacobi elliptic functions and Magnus series, order {order}",
        family="elliptic functions",
        sources=("celledoni-safstrom-2006", "hairer-vilmart-2006"),
        step=kicked(written_out.get(order) or jem_flow(order // 2)),
        start=start_plain,
        coefficients=None if order in written_out else known(interpolation(order // 2)),
        order=Order(free=(order, math.inf), torque=(2, 2)),
        **by_kicks(symplectic=False, momentum=False, energy=True),
        torques_per_step=1,
        symmetric=True,
        symplectic_free=False,
        symplectic=False,
        poisson_free=True,
        momentum_free=False,
        energy_free=True,
        momentum_top=False,
        energy_top=False,
        drift="-" if order < 6 else "none",
    )


JEM2, JEM4, JEM6 = (jem(order) for order in (2, 4, 6))
