"""Crouch-Grossman: a Runge-Kutta method in which every sum of velocities becomes a product of rotations."""

import functools
from collections.abc import Callable
from typing import Any

from polhode.errors import InputError
from polhode.inputs import checked_call, flag, text_or_empty
from polhode.integrators.method import Method, Order
from polhode.integrators.parts.stages import packed, places, total, turned
from polhode.integrators.parts.tableaux import CLASSICAL, CROUCH_GROSSMAN, JACKIEWICZ_MARTHINSEN_OWREN, given_tableau
from polhode.integrators.velocity_claims import with_momenta
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, rotated, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import moment_at, start_plain, velocity_of
from polhode.kernels.vectors import cross, lin, plus
from polhode.pickling import recipe


@recipe
@functools.cache
def crouch_grossman_step(s: int, momentum: bool) -> Callable[..., Any]:
    """The step for explicit tableaux of s stages; with `momentum` the variant that conserves it."""
    b = places(s, True)[1]
    slope, ended = ((space_speed, space_rate), rotated_back) if momentum else ((body_speed, body_rate), as_it_is)
    slopes, weighted, turn = stages(s, s, slope), total(s, b), turned(s, b)

    def step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        """Crouch-Grossman with an explicit tableau.

        Freeze the velocity of every stage and rotate by one after the other, the earlier on the left, as
        Q' = Q hat(Omega) wants it; the momentum in body axes is a vector and is summed:

            F_i  = exp(h a_i1 Omega_1) exp(h a_i2 Omega_2) ...         F   = exp(h b_1 Omega_1) exp(h b_2 Omega_2) ...
            Pi_i = Pi0 + h sum_j a_ij (Pi_j x Omega_j + tau_j)         Pi1 = Pi0 + h sum_j b_j (Pi_j x Omega_j + tau_j)
            Omega_i = J^-1 Pi_i,   tau_i = tau(t + c_i h, Q0 F_i, Omega_i)   Q1  = Q0 F

        Rotations do not commute, so from order 3 on there are more conditions of order than in a vector space,
        the first of them sum_i b_i^2 c_i + 2 sum_{i<j} b_i c_i b_j = 1/3. CG3 takes Crouch and Grossman's
        tableau of order 3, CG4 that of Jackiewicz, Marthinsen and Owren, of order 4 with five stages.
        CG-RK4 takes the classical tableau, as has been done: it misses this condition (13/36), so the attitude
        is of order 2, and with a torque the velocity too; without one it obeys Euler's equations alone and
        keeps order 4. Summing the momentum in body axes loses the spatial momentum, and with it the vertical
        one of a top; the tableau being explicit, the method is not symmetric, not symplectic, and energy is
        not kept.

        The variant that conserves momentum keeps it in the axes of Q0, where only the torque changes it,

            p_i = Pi0 + h sum_j a_ij F_j tau_j,    Omega_i = J^-1 F_i^T p_i,    Pi1 = F^T (Pi0 + h sum b_j F_j tau_j)

        and makes both momenta exact, linear invariants that they are. Its velocity needs the attitude, and so
        has no higher order than that.

        The torque at the end is the first of the next step: s evaluations a step. Misprint: several public
        codes have a54 of CG4 wrong in the fourteenth decimal; its row then misses c5.
        """
        q, Pi, tau, memory = state
        Om, M = slopes(h, t, q, Pi, tau, body)
        F = turn(h, body[2], identity(q), Om)
        q = compose(q, F)
        Pi = ended(F, lin(1, Pi, h, weighted(body[2], M)))
        return (unit(q), Pi, moment_at(t + h, q, velocity_of(Pi, body), body), memory), NO_SOLVE

    step.__name__ = "crouch_grossman_momentum_step" if momentum else "crouch_grossman_step"
    return step


def stages(i: int, s: int, slope: tuple[Callable[..., Any], Callable[..., Any]]) -> Callable[..., Any]:
    """The kernel of velocities and slopes of the momentum at the first i of s stages."""
    speed, rate = slope
    if i == 1:

        def first(h: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, body: Body) -> tuple[tuple[Vec3], tuple[Vec3]]:
            Om = speed(identity(q), Pi, body)
            return (Om,), (rate(identity(q), Pi, Om, tau),)

        return first
    rows, _, c = places(s, True)
    at, here = rows[i - 1], c + i - 1
    before, turn, row = stages(i - 1, s, slope), turned(i - 1, at), total(i - 1, at)

    def slopes(h: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, body: Body) -> tuple[Any, ...]:
        Oms, Ms = before(h, t, q, Pi, tau, body)
        a = body[2]
        F = turn(h, a, identity(q), Oms)
        p = lin(1, Pi, h, row(a, Ms))
        Om = speed(F, p, body)
        tau = moment_at(t + a[here] * h, compose(q, F), Om, body)
        return Oms + (Om,), Ms + (rate(F, p, Om, tau),)

    return slopes


@kernel
def body_speed(F: Quat, Pi: Vec3, body: Body) -> Vec3:
    """The velocity, from the momentum in body axes."""
    return velocity_of(Pi, body)


@kernel
def body_rate(F: Quat, Pi: Vec3, Om: Vec3, tau: Vec3) -> Vec3:
    """The slope of the momentum in body axes."""
    return plus(cross(Pi, Om), tau)


@kernel
def space_speed(F: Quat, p: Vec3, body: Body) -> Vec3:
    """The velocity, from the momentum in the axes at the start of the step."""
    return velocity_of(rotated_back(F, p), body)


@kernel
def space_rate(F: Quat, p: Vec3, Om: Vec3, tau: Vec3) -> Vec3:
    """The slope of the momentum in the axes at the start of the step."""
    return rotated(F, tau)


@kernel
def as_it_is(F: Quat, p: Vec3) -> Vec3:
    """p: the momentum is in body axes already."""
    return p


@kernel
def identity(q: Quat) -> Quat:
    """No rotation, in the arithmetic of q."""
    o = 0 * q[0]
    return (1 + o, o, o, o)


@checked_call
def crouch_grossman(
    tableau: Any,
    *,
    momentum: bool = False,
    name: str = "",
    aliases: tuple[()] = (),
    drift: str | None = None,
    sources: tuple[str, ...] = ("crouch-grossman-1993",),
) -> Method:
    """Crouch-Grossman's method with any explicit Tableau, as a Method; `momentum` for the variant that conserves it.

    Parameters
    ----------
    tableau : Tableau
        Explicit.
    momentum : bool
        The variant that conserves the spatial momentum.
    name, aliases, drift, sources
        What the Method says of itself.

    Returns
    -------
    Method
        For anything that takes a method.

    Raises
    ------
    InputError
        A tableau that is not explicit.

    Examples
    --------
    >>> import polhode as ph
    >>> heun = ph.Tableau("Heun", A=((0, 0), (1, 0)), b=("1/2", "1/2"))
    >>> ph.crouch_grossman(heun).order
    2
    """
    tableau, momentum = given_tableau(tableau), flag("momentum", momentum)
    name = text_or_empty("name", name)
    if not tableau.explicit:
        raise InputError(
            f"The tableau {tableau.name!r} is implicit; Crouch-Grossman is made of explicit ones. "
            "Munthe-Kaas's method takes any tableau."
        )
    s, on_group = tableau.stages, tableau.order_on_group
    free = (on_group, on_group if momentum else tableau.order)
    return Method(
        name=name or f"CG[{tableau.name}]" + ("[M]" if momentum else ""),
        aliases=aliases,
        title=f"Crouch-Grossman, {tableau.name} tableau" + (", momentum conserved" if momentum else ""),
        family="Crouch-Grossman",
        sources=sources,
        step=crouch_grossman_step(s, momentum),
        start=start_plain,
        coefficients=packed(tableau),
        order=on_group if free == (on_group, on_group) else Order(free=free, torque=(on_group, on_group)),
        **with_momenta(symplectic=False, damps=momentum),
        torques_per_step=s,
        symmetric=False,
        symplectic_free=False,
        symplectic=False,
        poisson_free=False,
        momentum_free=momentum,
        energy_free=False,
        momentum_top=momentum,
        energy_top=False,
        drift=drift,
    )


CG3 = crouch_grossman(CROUCH_GROSSMAN, name="CG3", drift="-")
CG4 = crouch_grossman(
    JACKIEWICZ_MARTHINSEN_OWREN,
    name="CG4",
    sources=("crouch-grossman-1993", "owren-marthinsen-1999", "jackiewicz-marthinsen-owren-2000"),
    drift="+",
)
CG_RK4 = crouch_grossman(CLASSICAL, name="CG-RK4", sources=("crouch-grossman-1993", "engo-marthinsen-1998"), drift="-")
