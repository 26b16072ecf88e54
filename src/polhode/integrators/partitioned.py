"""Partitioned Munthe-Kaas: one tableau for the attitude, another for the velocity."""

import functools
from typing import Any

from polhode.errors import InputError
from polhode.integrators.method import Method
from polhode.integrators.munthe_kaas_implicit import joined, split, spreads
from polhode.integrators.parts.stages import blended, fixed_point, rows, sizes, total
from polhode.integrators.parts.tableaux import LOBATTO_IIIA, LOBATTO_IIIB, Tableau, constants, partitioned_order
from polhode.kernels.implicit import size
from polhode.kernels.numbers import Body, Kernel, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import cay, compose, unit
from polhode.kernels.scalar import kernel, magnitude
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import cross, dot, lin, mul, plus, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def partitioned_step(s: int, terms: int) -> Kernel:
    """The step for two tableaux of s stages, with the inverse of dcay up to `terms` powers of psi."""
    n = 2 * s
    solve, equation = fixed_point(n), stage_equation(s, terms)
    blend, flat, kept = blended(n), joined(n), 2 * 3 * n
    once, twice, thrice = split(n, 0), split(n, 3 * n), split(n, 6 * n)
    b, b_second = s * s, s * s + 2 * s + s * s
    of_first, of_second = total(s, b), total(s, b_second)

    def partitioned_munthe_kaas_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        """Partitioned Munthe-Kaas: a tableau (A, b) for the attitude and another (A^, b^) for the velocity.

        The motion is seen as two equations, Q' = Q hat(Omega) and J Omega' = J Omega x Omega + tau(t, Q). The first is
        integrated in Cayley coordinates at the start of the step, Q = Q0 cay(psi), the second as it is:

            psi_i = h sum_j a_ij K_j               K_i = dcay_{-psi_i}^-1 Omega_i
            Pi_i  = Pi0 + h sum_j a^_ij M_j        M_i = Pi_i x Omega_i + tau(t + c_i h, Q0 cay(psi_i))
            Q1    = Q0 cay(h sum_i b_i K_i)        Pi1 = Pi0 + h sum_i b^_i M_i

        dcay_{-psi}^-1 Omega = Omega + psi x Omega/2 + (psi . Omega) psi/4 is cut off behind the powers of psi that the
        order needs, as is the custom for these methods: for order two nothing but Omega is left, for order four it is
        whole. With Lobatto IIIA and IIIB of two stages, Omega_1 = Omega_2 and the method is PRK of Nukala and Shelton.
        With three stages it is of order four, PRK4.

        In a vector space the pairs of Lobatto are symplectic and symmetric. On the group that is lost: the chart is
        laid at the start of the step, and dcay^-1 mixes the two parts. PRK is symmetric all the same, since its one
        velocity is along psi, and exact in momentum and energy of the free body because there everything is the
        midpoint rule; PRK4 is neither, and keeps none of them: its energy rises on the stress test like T h^5, by 3e-9
        per unit of time at h = 1/8. The order is that of the pair, from the conditions for trees of two colours.

        Solved to round-off for all stages at once, by Broyden's method from those of the last three steps: every
        iteration asks for s torques. The times of the torque are the c of the first tableau.
        """
        q, Pi, tau, memory = state
        guess = blend(3, blend(1, once(memory), -1, twice(memory)), 1, thrice(memory))
        x, (K, M), (count, error) = solve(equation, guess, (h, t, q, Pi), body)
        q = compose(q, cay(scaled(h, of_first(body[2], K))))
        Pi = lin(1, Pi, h, of_second(body[2], M))
        return (unit(q), Pi, tau, flat(x) + memory[:kept]), (s * count, error)  # tau is not needed

    return partitioned_munthe_kaas_step


def stage_equation(s: int, terms: int) -> Kernel:
    """The kernel x -> x of the stages, x = (psi_1 ... psi_s, h Omega_1 ... h Omega_s); the slopes, and the scale."""
    c = s * s + s
    psi_sums, momentum_sums, reach = rows(s, s, 0), rows(s, s, s * s + 2 * s), sizes(s)
    slopes, turned, moved = both_slopes(s, s, c, terms), all_scaled(s), all_moved(s)

    def equation(x: Any, data: Any, body: Body) -> Any:
        h, t, q, Pi = data
        K, M = slopes(x, h, t, q, body)
        gain = momentum_sums(body[2], M)
        scale = size(body[1]) * magnitude(h) * (size(Pi) + magnitude(h) * reach(gain))
        return turned(h, psi_sums(body[2], K)) + moved(h, Pi, gain, body), (K, M), scale

    return equation


def both_slopes(n: int, s: int, c: int, terms: int) -> Kernel:
    """The kernel of K and M at the first n of s stages."""
    if n == 0:
        return lambda x, h, t, q, body: ((), ())
    before, i, j, here, inverse = both_slopes(n - 1, s, c, terms), n - 1, s + n - 1, c + n - 1, DCAY_INVERSE[terms]

    def slopes(x: Any, h: Number, t: Number, q: Quat, body: Body) -> Any:
        Ks, Ms = before(x, h, t, q, body)
        Omega = scaled(1 / h, x[j])
        tau = torque_at(t + body[2][here] * h, compose(q, cay(x[i])), body)
        M = plus(cross(mul(body[0], Omega), Omega), tau)
        return Ks + (inverse(x[i], Omega),), Ms + (M,)

    return slopes


@kernel
def none_of_it(psi: Vec3, Omega: Vec3) -> Vec3:
    """Omega"""
    return Omega


@kernel
def linear(psi: Vec3, Omega: Vec3) -> Vec3:
    """Omega + psi x Omega/2"""
    return lin(1, Omega, 0.5, cross(psi, Omega))


@kernel
def whole(psi: Vec3, Omega: Vec3) -> Vec3:
    """dcay_{-psi}^-1 Omega = Omega + psi x Omega/2 + (psi . Omega) psi/4"""
    return lin(1, linear(psi, Omega), dot(psi, Omega) / 4, psi)


DCAY_INVERSE = (none_of_it, linear, whole)


def all_scaled(n: int) -> Kernel:
    """The kernel h x_j for the first n vectors."""
    if n == 0:
        return lambda h, x: ()
    before, j = all_scaled(n - 1), n - 1
    return lambda h, x: before(h, x) + (scaled(h, x[j]),)


def all_moved(n: int) -> Kernel:
    """The kernel h J^-1 (Pi + h gain_j) for the first n stages."""
    if n == 0:
        return lambda h, Pi, gain, body: ()
    before, j = all_moved(n - 1), n - 1
    return lambda h, Pi, gain, body: before(h, Pi, gain, body) + (scaled(h, mul(body[1], lin(1, Pi, h, gain[j]))),)


@recipe
@functools.cache
def partitioned_start(s: int) -> Kernel:
    """The first state: three steps of stages at c_i h Omega, with the velocity of the start."""
    flat, spread, same, zeros = joined(s), spreads(s, s * s + s), all_moved(s), nothing(s)

    def start(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
        psi = spread(h, body[2], mul(body[1], Pi))
        x = flat(psi) + flat(same(h, Pi, zeros(psi), body))
        return (q, Pi, torque_at(t, q, body), x + x + x)

    return start


def nothing(n: int) -> Kernel:
    """The kernel of n vectors of zeros like those given."""
    if n == 0:
        return lambda x: ()
    before, j = nothing(n - 1), n - 1
    return lambda x: before(x) + (scaled(0, x[j]),)


def partitioned(first: Tableau, second: Tableau, name: str = "", drift: str | None = None, **claims: bool) -> Method:
    """The partitioned method of two tableaux, as a Method; what is claimed beside the order is measured elsewhere."""
    if first.stages != second.stages:
        raise InputError(
            f"The tableaux {first.name!r} and {second.name!r} have {first.stages} and {second.stages} stages; a "
            "partitioned method needs as many of both."
        )
    order, s = partitioned_order(first, second), first.stages
    if order == 0:
        raise InputError(
            f"The tableaux {first.name!r} and {second.name!r} have order 0 together: they do not converge."
        )
    numbers = (*(x for row in first.A for x in row), *first.b, *first.c)
    numbers += (*(x for row in second.A for x in row), *second.b)
    return Method(
        name=name or f"RKMK[{first.name}; {second.name}]",
        title=f"partitioned Munthe-Kaas, {first.name} and {second.name}",
        family="Munthe-Kaas",
        sources=("nukala-shelton-2007", "ortolan-saccon-2012", "munthe-kaas-1999"),
        step=partitioned_step(s, min(2, max(0, order - 2))),
        start=partitioned_start(s),
        coefficients=constants(numbers),
        order=order,
        torques_per_step=None,
        drift=drift,
        **claims,
    )


PRK4 = partitioned(
    LOBATTO_IIIA[1],
    LOBATTO_IIIB[1],
    name="PRK4",
    drift="+",
    symmetric=False,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=False,
    energy_free=False,
    momentum_top=False,
    energy_top=False,
)
