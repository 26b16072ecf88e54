"""Simo and Wong: momentum balanced in space, with Newmark's formulas for the rotation."""

from polhode.integrators.method import STAGES, Method
from polhode.integrators.parts.equations import lie_trapezoid
from polhode.kernels.implicit import NO_SOLVE, secant, size
from polhode.kernels.rotations import compose, exp, rotated, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import moment_at, start_secant, torque_at
from polhode.kernels.vectors import cross, lin, minus, mul, plus, scaled


@kernel
def algo_c1_step(h, t, state, body):
    """ALGO_C1, the energy-momentum method of Simo and Wong.

    Rotate by the mean velocity; balance the spatial momentum with the impulse of the midpoint torque:

        Psi = h/2 (Omega0 + Omega1),    Q1 = Q0 exp(Psi)
        Pi1 = exp(-Psi) Pi0 + h exp(-Psi/2) tau(t + h/2, Q0 exp(Psi/2))           implicit in Omega1 and the torque

    Symmetric by inspection, of second order. Free, momentum is only rotated, and about the mean velocity: so
    (Pi1 - Pi0) . (Omega0 + Omega1) = 0, exact energy as well. The impulse of gravity has
    no vertical part in space, so the vertical momentum of a top is exact. Energy with a torque is not, and
    rises on the stress test. Neither Poisson
    nor symplectic: rotating about the mean velocity fixes the orbit, not the speed along it.

    The family has two parameters; this is gamma = 1, beta = 1/2, the only choice that needs no acceleration
    from the step before. Pitfall: the midpoint torque is in the axes of the midpoint, and must be turned by
    exp(-Psi/2) before it is added to Pi1; published programs forget it.
    """
    q, Pi, tau, memory = state
    iJ = body[1]
    k = h / 2
    b = scaled(k, Pi)
    scale = size(mul(iJ, b)) + size(mul(iJ, scaled(k * k, tau)))
    e, g, trail, slope, report = secant(mean_equation, memory[:9], memory[9:], (b, k, t + k, q), body, scale)
    F = exp(e)
    tau = scaled(1 / (k * k), rotated(F, g))
    Pi = rotated_back(F, lin(1, rotated_back(F, Pi), h, tau))
    return (unit(compose(compose(q, F), F)), Pi, tau, trail + slope), report


@kernel
def mean_equation(e, data, body):
    """2 J e = b + exp(-2e) b + (h^2/2) exp(-e) tau(t, Q exp(e)), halved; b = (h/2) Pi0."""
    b, k, t, q = data
    r, A = lie_trapezoid(e, (b, b, body[0]))
    F = exp(e)
    return r, A, scaled(k * k, rotated_back(F, moment_at(t, compose(q, F), scaled(1 / k, e), body)))


@kernel
def sw_step(h, t, state, body):
    """SW, the explicit method of Simo and Wong (ALGO_C2: beta = 0).

    Newmark's prediction of the rotation, the momentum balance in space, and Newmark's recursion for the
    acceleration A, which is carried from step to step and started from the equation of motion:

        Q1  = Q0 exp(h Omega0 + h^2/2 A0)
        Pi1 = exp(-Theta) (Pi0 + h/2 tau0) + h/2 tau1                  Theta: the rotation vector above
        A1  = 2/h (Omega1 - Omega0) - A0

    Explicit in everything. As a map of (Q, Omega, A) it is symmetric: the recursion makes -h Omega1 + h^2/2 A1
    minus the rotation vector of the step. Second order. Momentum is only rotated, so the spatial momentum of
    the free body and the vertical one of a top are exact. The state is extended by A, and has nine dimensions:
    no symplectic form lives there, and the first step as a map of (Q, Pi) preserves neither that form nor the
    Poisson structure. Energy is not kept and falls on the stress test.

    Pitfalls: nothing damps A, which may oscillate from step to step and makes the method fail at step sizes
    that NMB still takes; exact momentum does not help there. With gamma = 1, A1 = (Omega1 - Omega0)/h, the
    method is neither symmetric nor stable on the stress test; Krysl and Endres give the recursion above, and
    so gamma = 1/2 is taken.
    """
    q, Pi, tau, A = state
    iJ = body[1]
    k = h / 2
    Omega = mul(iJ, Pi)
    F = exp(lin(h, Omega, h * k, A))
    q = compose(q, F)
    p = rotated_back(F, lin(1, Pi, k, tau))
    tau = torque_at(t + h, q, body)
    Pi = lin(1, p, k, tau)
    return (unit(q), Pi, tau, minus(scaled(1 / k, minus(mul(iJ, Pi), Omega)), A)), NO_SOLVE


@kernel
def start_sw(h, t, q, Pi, body):
    """The first state, with the acceleration from the equation of motion."""
    iJ = body[1]
    tau = torque_at(t, q, body)
    return (q, Pi, tau, mul(iJ, plus(cross(Pi, mul(iJ, Pi)), tau)))


_momentum_kept = dict(
    family="Simo-Wong",
    order=2,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    momentum_top=True,
    energy_top=False,
)

ALGO_C1 = Method(
    name="ALGO_C1",
    aliases=("SWC1", "SW-C", "simo_wong_algo_c1", "ALCO_C1"),
    title="Simo-Wong, energy and momentum",
    sources=("simo-wong-1991", "krysl-2008"),
    step=algo_c1_step,
    start=start_secant,
    velocity=STAGES,
    torques_per_step=None,
    energy_free=True,
    drift="+",
    **_momentum_kept,
)
SW = Method(
    name="SW",
    aliases=("ALGO_C2", "SWC2", "simo_wong_algo_c2", "Simo-Wong"),
    title="Simo-Wong, explicit",
    sources=("simo-wong-1991", "krysl-endres-2005"),
    step=sw_step,
    start=start_sw,
    extended=True,
    torques_per_step=1,
    energy_free=False,
    drift="-",
    **_momentum_kept,
)
