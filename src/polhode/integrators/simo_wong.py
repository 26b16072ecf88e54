"""Simo and Wong: momentum balanced in space, with Newmark's formulas for the rotation."""

from fractions import Fraction

from polhode.errors import InputError
from polhode.inputs import checked_call
from polhode.integrators.method import Method
from polhode.integrators.parts.equations import lie_trapezoid
from polhode.integrators.parts.tableaux import constants, exact_number
from polhode.integrators.velocity_claims import at_stages
from polhode.kernels.implicit import NO_SOLVE, secant, size
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, exp, rotated, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import moment_at, start_secant, torque_at
from polhode.kernels.vectors import cross, lin, minus, mul, plus, scaled


@kernel
def algo_c1_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
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
def mean_equation(e: Vec3, data: tuple[Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """2 J e = b + exp(-2e) b + (h^2/2) exp(-e) tau(t, Q exp(e)), halved; b = (h/2) Pi0."""
    b, k, t, q = data
    r, A = lie_trapezoid(e, (b, b, body[0]))
    F = exp(e)
    return r, A, scaled(k * k, rotated_back(F, moment_at(t, compose(q, F), scaled(1 / k, e), body)))


@kernel
def sw_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
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
    method is neither symmetric nor stable on the stress test: that is SW(1), which a program in circulation runs under
    the name simo_wong_algo_c2. Krysl and Endres give the recursion above, and so gamma = 1/2 is taken for it.
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
def sw_gamma_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """SW with Newmark's gamma other than 1/2 in the recursion for the acceleration.

        Q1  = Q0 exp(h Omega0 + h^2/2 A0)
        Pi1 = exp(-Theta) (Pi0 + h/2 tau0) + h/2 tau1                  Theta: the rotation vector above
        A1  = ((Omega1 - Omega0)/h - (1 - gamma) A0)/gamma

    gamma = 1/2 is SW. With gamma = 1, as in a program in circulation, A is the last difference of velocities, half a
    step old: that costs no order, for A enters the rotation with h^2/2, but the symmetry, and the energy grows until
    the run is lost. Momentum is only rotated, so the spatial momentum of the free body and the vertical one of a top
    are exact all the same. Below 1/2 the recursion itself is unstable, A1 = -(1/gamma - 1) A0 + ..., and is not
    offered. Energy is not kept, and the first step as a map of (Q, Pi) is neither symplectic nor Poisson.

    Pitfall: exact momentum is no sign of health. "SW(1)" and "SW(3/4)" are names.
    """
    q, Pi, tau, A = state
    iJ = body[1]
    gamma = body[2][0]
    k = h / 2
    Omega = mul(iJ, Pi)
    F = exp(lin(h, Omega, h * k, A))
    q = compose(q, F)
    p = rotated_back(F, lin(1, Pi, k, tau))
    tau = torque_at(t + h, q, body)
    Pi = lin(1, p, k, tau)
    A = lin(1 / (gamma * h), minus(mul(iJ, Pi), Omega), -(1 - gamma) / gamma, A)
    return (unit(q), Pi, tau, A), NO_SOLVE


@kernel
def start_sw(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
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
    **at_stages(energy=True),
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


@checked_call
def simo_wong(gamma: float | str | Fraction = Fraction(1, 2)) -> Method:
    """SW with Newmark's gamma, at least 1/2; exact as a Fraction or text. 1/2 is SW itself."""
    gamma = exact_number("gamma", gamma)
    if gamma == Fraction(1, 2):
        return SW
    if not Fraction(1, 2) <= gamma <= 1:
        raise InputError(f"gamma is {gamma}; it must be from 1/2 (Simo and Wong's method) to 1.")
    return Method(
        name=f"SW({gamma})",
        title=f"Simo-Wong, explicit, gamma = {gamma}",
        sources=("simo-wong-1991", "krysl-endres-2005"),
        step=sw_gamma_step,
        start=start_sw,
        coefficients=constants((gamma,)),
        extended=True,
        torques_per_step=1,
        energy_free=False,
        drift="unstable",
        **(_momentum_kept | dict(symmetric=False)),
    )


SW1 = simo_wong(1)
