"""Newmark's method on the group with both of its parameters: the family to which the Lie-Newmark methods belong."""

from fractions import Fraction

from polhode.errors import InputError
from polhode.inputs import checked_call, flag
from polhode.integrators.lie_newmark import NMB, NOTHING_KEPT, trapezoidal_equation
from polhode.integrators.method import Method
from polhode.integrators.parts.equations import midpoint
from polhode.integrators.parts.tableaux import constants, exact_number
from polhode.integrators.velocity_claims import at_stages
from polhode.kernels.implicit import newton, secant, size
from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, dexp, exp, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import arrived, start_secant, torque_at
from polhode.kernels.vectors import cross, lin, mul, plus, scaled


@kernel
def algo_0_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Simo and Vu-Quoc's Newmark method on the group, with the parameters beta and gamma.

        Q1     = Q0 exp(h Omega0 + h^2 ((1/2 - beta) A0 + beta A1))
        Omega1 = Omega0 + h ((1 - gamma) A0 + gamma A1),        J A1 + Omega1 x J Omega1 = tau1

    with A0 from the same equation of motion at the start. gamma = 1/2 makes it symmetric and of second order for
    every beta: with it the rotation vector is as well h Omega1 - h^2 ((1/2 - beta) A1 + beta A0). Any other gamma
    gives first order; above 1/2 it damps, below it feeds. beta = 0 is NMB, explicit in the torque; beta = 1/4,
    gamma = 1/2, the default, is TLN with the exponential map. Nothing is kept, no more than by ELN: neither
    momentum nor energy of the free body, and no symplectic form; the energy falls on the stress test.

    `polhode.newmark(beta, gamma)` makes the others, "ALGO_0(1/4, 0.6)" by name. The formulas are those common to the
    family; the paper itself treats rods.
    """
    q, Pi, tau, memory = state
    J, iJ = body[0], body[1]
    beta, gamma = body[2]
    k, ratio = gamma * h, beta / gamma
    Omega = mul(iJ, Pi)
    rate = plus(cross(Pi, Omega), tau)
    ahead = lin((1 - ratio) * h, Omega, (1 - 2 * ratio) * h * h / 2, mul(iJ, rate))  # without the part of Omega1
    c = scaled(k, lin(1, Pi, (1 - gamma) * h, rate))
    data = (k, t + h, q, ahead, ratio / gamma, c, exp)
    scale = size(scaled(k, Omega)) + size(mul(iJ, c))
    e, g, trail, slope, report = secant(trapezoidal_equation, memory[:9], memory[9:], data, body, scale)
    q = compose(q, exp(lin(1, ahead, ratio / gamma, e)))
    return (unit(q), scaled(1 / k, mul(J, e)), scaled(1 / (k * k), g), trail + slope), report


@kernel
def nmb_gamma_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit Newmark in the body frame with gamma, velocities carried from one tangent space to the other.

        Psi    = h Omega0 + h^2/2 A0,      Q1 = Q0 exp(Psi)
        Omega1 = S(Psi) (Omega0 + h (1 - gamma) A0) + h gamma A1,      J A1 + Omega1 x J Omega1 = tau1

    (34) and (35) of Krysl and Endres, before they set gamma = 1/2. Vectors at Q0 and at Q1 belong to two tangent
    spaces; S(Psi) = dexp_{-Psi}, the derivative of the exponential, carries the first to the second. For gamma = 1/2
    the bracket is along Psi, which S leaves alone, and the method is NMB. For other gammas S acts at O(h^3), the
    order is one with it and without it (ALGO_0(0, gamma) leaves it out), and what it changes is the error's constant
    by little: above 1/2 the energy falls, below it rises. Not symmetric, and nothing is kept, as for NMB.

    Misprint: (33) of Krysl and Endres has + where S has - before its second term; it is the derivative seen from
    space. With gamma = 1/2 the sign does not matter, here it does.

    `polhode.newmark(0, gamma, transport=True)` makes it, "NMB(0.6)" by name.
    """
    q, Pi, tau, trail = state
    J, iJ = body[0], body[1]
    gamma = body[2][0]
    k = gamma * h
    Omega = mul(iJ, Pi)
    A = mul(iJ, plus(cross(Pi, Omega), tau))
    Psi = lin(h, Omega, h * h / 2, A)
    w = dexp(scaled(-1, Psi), lin(1, Omega, h - k, A))
    q, p, tau = arrived(t + h, compose(q, exp(Psi)), mul(J, w), body)
    b = lin(k, p, k * k, tau)
    e, trail, report = newton(midpoint, trail, (b, J), size(mul(iJ, b)))
    return (q, scaled(1 / k, mul(J, e)), tau, trail), report


@kernel
def start_gamma(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of a method whose unknown is gamma h Omega."""
    e = mul(body[1], scaled(body[2][0] * h, Pi))
    return (q, Pi, torque_at(t, q, body), e + e + e)


@checked_call
def newmark(
    beta: float | str | Fraction = Fraction(1, 4),
    gamma: float | str | Fraction = Fraction(1, 2),
    *,
    transport: bool = False,
) -> Method:
    """Simo and Vu-Quoc's Newmark method with parameters of one's own, gamma > 0; exact as Fractions or text.

    With `transport` velocities are carried from one tangent space to the other (Krysl & Endres 2005, (35)): beta = 0.

    Parameters
    ----------
    beta, gamma : float, str or Fraction
        Newmark's parameters, gamma > 0.
    transport : bool
        Carry velocities between tangent spaces; beta = 0.

    Returns
    -------
    Method
        For anything that takes a method.
    """
    beta, gamma = exact_number("beta", beta), exact_number("gamma", gamma)
    if not (beta >= 0 and gamma > 0):
        raise InputError(f"beta is {beta}, gamma {gamma}; beta must not be negative and gamma must be positive.")
    if flag("transport", transport):
        return _with_transport(beta, gamma)
    usual = (beta, gamma) == (Fraction(1, 4), Fraction(1, 2))
    claims = NOTHING_KEPT | dict(order=2 if gamma == Fraction(1, 2) else 1, symmetric=gamma == Fraction(1, 2))
    return Method(
        name="ALGO_0" if usual else f"ALGO_0({beta}, {gamma})",
        aliases=("SQ-M",) if usual else (),
        title="Newmark on the group" + ("" if usual else f", beta = {beta}, gamma = {gamma}"),
        coefficients=constants((beta, gamma)),
        sources=("simo-vu-quoc-1988", "simo-wong-1991"),
        step=algo_0_step,
        start=start_secant,
        **at_stages(energy=False, damps=gamma != Fraction(1, 2)),
        torques_per_step=None,
        drift="-" if gamma >= Fraction(1, 2) else "+",
        **claims,
    )


def _with_transport(beta: Fraction, gamma: Fraction) -> Method:
    if beta != 0:
        raise InputError(f"beta is {beta}; with transport=True it must be 0, the explicit methods.")
    if gamma == Fraction(1, 2):
        return NMB
    return Method(
        name=f"NMB({gamma})",
        title=f"explicit Lie-Newmark, exponential map, gamma = {gamma}",
        sources=("krysl-endres-2005",),
        step=nmb_gamma_step,
        start=start_gamma,
        coefficients=constants((gamma,)),
        torques_per_step=1,
        drift="-" if gamma > Fraction(1, 2) else "+",
        **(NOTHING_KEPT | dict(order=1, symmetric=False)),
    )


ALGO_0 = newmark()
