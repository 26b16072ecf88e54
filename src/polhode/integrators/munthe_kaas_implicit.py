"""Runge-Kutta-Munthe-Kaas with implicit tableaux: all stages at once, the torque inside."""

import functools
from typing import Any

from polhode.integrators.parts.stages import blended, fixed_point, places, sizes, total
from polhode.kernels.implicit import size
from polhode.kernels.numbers import Body, Kernel, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, dexpinv, exp, rotated, rotated_back, unit
from polhode.kernels.scalar import magnitude
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import lin, mul, plus, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def implicit_step(s: int) -> Kernel:
    """The step for any tableau of s stages."""
    weighted, solve, equation = total(s, places(s, False)[1]), fixed_point(s), stage_equation(s)
    blend, flat, kept = blended(s), joined(s), 6 * s
    once, twice, thrice = split(s, 0), split(s, 3 * s), split(s, 6 * s)

    def implicit_munthe_kaas_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        """Munthe-Kaas with an implicit tableau, in momentum form.

        The equations are those of the explicit tableaux (RKMK4), for all stages at once. The unknowns are the
        rotation vectors Psi_i of the stages: they give the impulses M_i, these the momenta p_i, these the
        rates K_i, and Psi_i = h sum_j a_ij K_j closes the circle. Solved to round-off by Broyden's method
        from the stages of the last three steps; every iteration asks for s torques. On the stress test it takes
        seven or eight iterations at h = 1/8 and ten to fifteen at h = 1; from h = 1.25 on it may fail, and says so.

        The order is that of the tableau, and spatial and vertical momentum are exact for the same reasons.
        The chart is laid at the start of the step, so a symmetric tableau does not make a symmetric method:
        the trapezoidal rule and Gauss's methods lose symmetry, and with it what they are known for in a
        vector space. The implicit midpoint rule is the exception, being IMIDM: with one stage Psi = h K,
        half of it lies at the midpoint, and dexp^-1 leaves K alone.
        """
        q, Pi, tau, memory = state
        guess = blend(3, blend(1, once(memory), -1, twice(memory)), 1, thrice(memory))
        Psi, (K, M), (n, error) = solve(equation, guess, (h, t, q, Pi), body)
        F = exp(scaled(h, weighted(body[2], K)))
        Pi = rotated_back(F, lin(1, Pi, h, weighted(body[2], M)))
        return (unit(compose(q, F)), Pi, tau, flat(Psi) + memory[:kept]), (s * n, error)  # tau is not needed

    return implicit_munthe_kaas_step


def stage_equation(s: int) -> Kernel:
    """The kernel Psi -> h A K, with the slopes K, M on the way, and the size of what is summed."""
    c = places(s, False)[2]
    impulses, rates, sums, reach = kicks(s, c), speeds(s), rows(s, s), sizes(s)

    def equation(Psi: Any, data: Any, body: Body) -> Any:
        h, t, q, Pi = data
        F, M = impulses(h, t, q, Psi, body)
        gain = sums(h, body[2], M)
        K = rates(Psi, F, Pi, gain, body)
        scale = size(body[1]) * magnitude(h) * (size(Pi) + reach(gain))
        return sums(h, body[2], K), (K, M), scale

    return equation


def rows(n: int, s: Any) -> Kernel:
    """The kernel h sum_j a_ij x_j for the first n of s stages i."""
    if n == 0:
        return lambda h, a, x: ()
    before, row = rows(n - 1, s), total(s, s * (n - 1))
    return lambda h, a, x: before(h, a, x) + (scaled(h, row(a, x)),)


def kicks(n: int, c: Any) -> Kernel:
    """The kernel of the rotations exp(Psi_j) and the impulses exp(Psi_j) tau_j of the first n stages."""
    if n == 0:
        return lambda h, t, q, Psi, body: ((), ())
    before, j, here = kicks(n - 1, c), n - 1, c + n - 1

    def impulses(h: Number, t: Number, q: Quat, Psi: Any, body: Body) -> Any:
        Fs, Ms = before(h, t, q, Psi, body)
        F = exp(Psi[j])
        M = rotated(F, torque_at(t + body[2][here] * h, compose(q, F), body))
        return Fs + (F,), Ms + (M,)

    return impulses


def speeds(n: int) -> Kernel:
    """The kernel of the rates dexp_{-Psi_j}^-1 J^-1 exp(-Psi_j) p_j of the first n stages, p_j = Pi + gain_j."""
    if n == 0:
        return lambda Psi, F, Pi, gain, body: ()
    before, j = speeds(n - 1), n - 1

    def rates(Psi: Any, F: Any, Pi: Any, gain: Any, body: Body) -> Any:
        Omega = mul(body[1], rotated_back(F[j], plus(Pi, gain[j])))
        return before(Psi, F, Pi, gain, body) + (dexpinv(scaled(-1, Psi[j]), Omega),)

    return rates


def split(n: int, at: Any) -> Kernel:
    """The kernel that makes n vectors of the 3n numbers from x[at]."""
    if n == 0:
        return lambda x: ()
    before, i, j, k = split(n - 1, at), at + 3 * n - 3, at + 3 * n - 2, at + 3 * n - 1
    return lambda x: before(x) + ((x[i], x[j], x[k]),)


def joined(n: int) -> Kernel:
    """The kernel that makes 3n numbers of n vectors."""
    if n == 0:
        return lambda x: ()
    before, j = joined(n - 1), n - 1
    return lambda x: before(x) + x[j]


@recipe
@functools.cache
def implicit_start(s: int) -> Kernel:
    """The first state: three steps of stages at c_i h Omega."""
    flat, spread = joined(s), spreads(s, places(s, False)[2])

    def start(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
        Psi = flat(spread(h, body[2], mul(body[1], Pi)))
        return (q, Pi, torque_at(t, q, body), Psi + Psi + Psi)

    return start


def spreads(n: int, c: Any) -> Kernel:
    """The kernel c_j h x for the first n stages j."""
    if n == 0:
        return lambda h, a, x: ()
    before, here = spreads(n - 1, c), c + n - 1
    return lambda h, a, x: before(h, a, x) + (scaled(a[here] * h, x),)
