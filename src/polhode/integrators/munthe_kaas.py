"""Runge-Kutta-Munthe-Kaas: a Runge-Kutta method in exponential coordinates at the start of the step."""

import functools
from collections.abc import Callable
from typing import Any

from polhode.inputs import checked_call, text_or_empty
from polhode.integrators.method import Method
from polhode.integrators.parts.stages import packed, places, total
from polhode.integrators.parts.tableaux import CLASSICAL, EXPLICIT_MIDPOINT, KUTTA, given_tableau
from polhode.integrators.velocity_claims import with_momenta
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, dexpinv, exp, rotated, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import moment_at, start_plain, velocity_of
from polhode.kernels.vectors import lin, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def explicit_step(s: int) -> Callable[..., Any]:
    """The step for explicit tableaux of s stages."""
    slopes, weighted = stages(s, s), total(s, places(s, True)[1])

    def munthe_kaas_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        """Munthe-Kaas with an explicit tableau, in momentum form.

        Write Q = Q0 exp(Psi) and let p be the momentum in the axes of Q0. Then

            Psi' = dexp_{-Psi}^-1 J^-1 exp(-Psi) p,          p' = exp(Psi) tau(t, Q0 exp(Psi), Omega)

        is an equation in a vector space, and any tableau (A, b, c) integrates it:

            Psi_i = h sum_j a_ij K_j            K_i = Psi' at (Psi_i, p_i)             Psi = h sum_i b_i K_i
            p_i   = Pi0 + h sum_j a_ij M_j      M_i = p' at (t + c_i h, Psi_i)         p   = Pi0 + h sum_i b_i M_i
            Q1    = Q0 exp(Psi)                 Pi1 = exp(-Psi) p

        The order is that of the tableau. RKMK2 takes the explicit midpoint rule, RKMK3 Kutta's, RKMK4 the
        classical tableau. Linear invariants are kept by every tableau, and p is linear in the state: the
        spatial momentum of the free body, where p' = 0, and the vertical one of a top are exact. The chart is
        laid at the start of the step and the tableau is explicit, so the method is not symmetric, and it
        keeps neither energy nor the symplectic form.

        The torque at the end is the first of the next step: s evaluations a step.

        Misprint: a box in circulation takes the torque of the stage being computed in the sums for p; with a
        torque the order of the classical tableau is then 2.
        """
        q, Pi, tau, memory = state
        K, M = slopes(h, t, q, Pi, tau, body)
        F = exp(scaled(h, weighted(body[2], K)))
        q = compose(q, F)
        Pi = rotated_back(F, lin(1, Pi, h, weighted(body[2], M)))
        return (unit(q), Pi, moment_at(t + h, q, velocity_of(Pi, body), body), memory), NO_SOLVE

    return munthe_kaas_step


def stages(i: int, s: int) -> Callable[..., Any]:
    """The kernel of the slopes (K, M) of the first i of s stages."""
    if i == 1:  # at the start of the step, where Psi = 0
        return lambda h, t, q, Pi, tau, body: ((velocity_of(Pi, body),), (tau,))
    rows, _, c = places(s, True)
    before, row, here = stages(i - 1, s), total(i - 1, rows[i - 1]), c + i - 1

    def slopes(h: Number, t: Number, q: Quat, Pi: Vec3, tau: Vec3, body: Body) -> tuple[Any, ...]:
        K, M = before(h, t, q, Pi, tau, body)
        a = body[2]
        k, m = slope(t + a[here] * h, scaled(h, row(a, K)), lin(1, Pi, h, row(a, M)), q, body)
        return K + (k,), M + (m,)

    return slopes


@kernel
def slope(t: Number, Psi: Vec3, p: Vec3, q: Quat, body: Body) -> tuple[Vec3, Vec3]:
    """(Psi', p') at the stage (t, Psi, p) over the attitude q."""
    F = exp(Psi)
    Omega = velocity_of(rotated_back(F, p), body)
    tau = moment_at(t, compose(q, F), Omega, body)
    return dexpinv(scaled(-1, Psi), Omega), rotated(F, tau)


@checked_call
def munthe_kaas(
    tableau: Any,
    second: Any = None,
    *,
    name: str = "",
    aliases: tuple[str, ...] = (),
    drift: str | None = None,
    sources: tuple[str, ...] = ("munthe-kaas-1998", "munthe-kaas-1999"),
) -> Method:
    """Munthe-Kaas's method with any Tableau, explicit or implicit, as a Method.

    With a second tableau it is partitioned: the first is for the attitude, the second for the velocity.

    Parameters
    ----------
    tableau : Tableau
        Explicit or implicit.
    second : Tableau, optional
        For the velocity: a partitioned method.
    name, aliases, drift, sources
        What the Method says of itself.

    Returns
    -------
    Method
        For anything that takes a method.

    Examples
    --------
    >>> import polhode as ph
    >>> heun = ph.Tableau("Heun", A=((0, 0), (1, 0)), b=("1/2", "1/2"))
    >>> ph.munthe_kaas(heun).order
    2
    """
    from polhode.integrators.munthe_kaas_implicit import implicit_start, implicit_step

    tableau, name = given_tableau(tableau), text_or_empty("name", name)
    if second is not None:
        from polhode.integrators.partitioned import partitioned

        return partitioned(tableau, given_tableau(second), name, drift)
    s, explicit = tableau.stages, tableau.explicit
    not_kept = False if explicit else None  # an implicit tableau may be symmetric on the group, or more: measure it
    return Method(
        name=name or f"RKMK[{tableau.name}]",
        aliases=aliases,
        title=f"Munthe-Kaas, {tableau.name} tableau",
        family="Munthe-Kaas",
        sources=sources,
        step=explicit_step(s) if explicit else implicit_step(s),
        start=start_plain if explicit else implicit_start(s),
        coefficients=packed(tableau),
        order=tableau.order,
        **(with_momenta(symplectic=False) if explicit else {}),
        torques_per_step=s if explicit else None,
        symmetric=not_kept,
        symplectic_free=not_kept,
        symplectic=not_kept,
        poisson_free=not_kept,
        momentum_free=True,
        energy_free=not_kept,
        momentum_top=True,
        energy_top=not_kept,
        drift=drift,
    )


RKMK2 = munthe_kaas(EXPLICIT_MIDPOINT, name="RKMK2", aliases=("MKRK2",), drift="unstable")
RKMK3 = munthe_kaas(KUTTA, name="RKMK3", aliases=("MKRK3",), drift="-")
RKMK4 = munthe_kaas(CLASSICAL, name="RKMK4", aliases=("MKRK4",), drift="-")
