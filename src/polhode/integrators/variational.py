"""Variational methods: discrete Hamilton-Pontryagin principles on the group."""

from polhode.integrators.method import Method
from polhode.integrators.parts.equations import lie_verlet, pontryagin
from polhode.integrators.velocity_claims import at_stages, by_kicks
from polhode.kernels.implicit import newton, secant, size
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import cay, compose, dexp, dexpinv, exp, rotated_back, unit
from polhode.kernels.scalar import c0, c1, kernel
from polhode.kernels.step import arrived, moment_at, start_secant, start_trail
from polhode.kernels.vectors import cross, dot, lin, mul, plus, scaled


@kernel
def vlv_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Variational Lie-Verlet: the Hamilton-Pontryagin method with the Cayley map.

    Discretise the action, not the equations, and let the discrete Euler-Lagrange equations be the method:

        J w = Pi0 + h/2 tau0 + h/2 J w x w - h^2/4 (w . J w) w            implicit in w only
        Q1  = Q0 cay(h w)
        Pi1 = J w + h/2 J w x w + h^2/4 (w . J w) w + h/2 tau1

    With e = (h/2) w and b = (h/2) Pi0 + (h/2)^2 tau0 the first line is (1 + |e|^2) J e = b - e x b, and the
    first and last together are Pi1 = Pi0 + h J w x w + h/2 (tau0 + tau1). Symplectic, being variational; the
    discrete Noether theorem gives spatial and vertical momentum. Symmetric, since dcay_{-x} is the transpose
    of dcay_x. Energy is not exact but stays within O(h^2) for exponentially long times, by backward error
    analysis: no drift.

    Pitfall: with exp in place of cay and the same correction term the method is neither symplectic nor
    free of drift; the term belongs to the map. Misprint: a Newton residual in circulation starts from w
    at the midpoint where the old velocity is meant.
    """
    q, Pi, tau0, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    b = lin(k, Pi, k * k, tau0)
    e, trail, report = newton(lie_verlet, trail, (b, J), size(mul(iJ, b)))
    q = compose(q, cay(scaled(2, e)))
    p = plus(Pi, lin(2 / k, cross(mul(J, e), e), k, tau0))
    q, p, tau = arrived(t + h, q, p, body)
    return (q, lin(1, p, k, tau), tau, trail), report


@kernel
def hp_exp_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """The Hamilton-Pontryagin method with the exponential map.

    The discrete action of VLV with exp in place of cay. For any map r from rotation vectors to rotations the
    method is

        Pi0 + h/2 tau0 = dr_{hw}^-T J w,    Q1 = Q0 r(h w),    Pi1 = dr_{-hw}^-T J w + h/2 tau1

    and with r = exp, where dexp^T_x = dexp_{-x}, the first equation is J w = dexp_{-hw} (Pi0 + h/2 tau0), implicit
    in w only, and the last is Pi1 = exp(-hw) (Pi0 + h/2 tau0) + h/2 tau1. Symplectic, symmetric, of second order,
    spatial and vertical momentum exact, energy within O(h^2) without drift: all for the reasons of VLV. Its
    error constants are smaller, since exp is the exact rotation at constant velocity; a step costs more, the
    derivative of dexp being in Newton's matrix.
    """
    q, Pi, tau, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    p = lin(1, Pi, k, tau)
    b = scaled(k, p)
    e, trail, report = newton(pontryagin, trail, (b, J), size(mul(iJ, b)))
    F = exp(plus(e, e))
    q = compose(q, F)
    q, p, tau = arrived(t + h, q, rotated_back(F, p), body)
    return (q, lin(1, p, k, tau), tau, trail), report


@kernel
def saccon_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """The midpoint variational integrator: the Lagrangian taken at the middle of a geodesic.

    From L_d(Q0, Q1) = h L(Q0 exp(x/2), x/h) with x = log(Q0^T Q1), and T = tau(t + h/2, Q0 exp(x/2)),

        Pi0 = dexp_x^-T J x/h - h/2 [dexp_{x/2} dexp_x^-1]^T T                    implicit in x and the torque
        Pi1 = dexp_{-x}^-T J x/h + h/2 [dexp_{-x/2} dexp_{-x}^-1]^T T,      Q1 = Q0 exp(x)

    Transposed, the brackets are I + hat(y) and I - hat(y), y = tan(|x|/4) x/|x|: they are functions of z = hat(x),
    and 2/(1 + exp(-z/2)) is 1 + tanh(z/4). So the momentum is kicked by h/2 (T + y x T), rotated, and kicked by
    h/2 (T - y x T). Variational, so symplectic with any potential, with spatial and vertical momentum exact;
    symmetric since L_d is; energy within O(h^2) without drift. Free, it is HP-EXP.

    Derived here from the discrete Lagrangian with exp; the paper may contain a Cayley version as well.
    """
    q, Pi, tau, memory = state
    iJ = body[1]
    k = h / 2
    b = scaled(k, Pi)
    scale = size(mul(iJ, b)) + size(mul(iJ, scaled(k * k, tau)))
    e, g, trail, slope, report = secant(saccon_equation, memory[:9], memory[9:], (b, k, t + k, q), body, scale)
    tau = scaled(1 / (k * k), dexpinv(scaled(-1, e), g))
    s = dot(e, e) / 4
    w = scaled(c1(s) / (2 * c0(s)), cross(e, tau))  # y x T
    F = exp(plus(e, e))
    p = rotated_back(F, lin(1, Pi, k, plus(tau, w)))
    return (unit(compose(q, F)), plus(p, lin(k, tau, -k, w)), tau, trail + slope), report


@kernel
def saccon_equation(e: Vec3, data: tuple[Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """J e = dexp_{-2e} b + (h/2)^2 dexp_{-e} tau(t, Q exp(e)), e = x/2, b = (h/2) Pi0."""
    b, k, t, q = data
    r, A = pontryagin(e, (b, body[0]))
    return r, A, scaled(k * k, dexp(scaled(-1, e), moment_at(t, compose(q, exp(e)), scaled(1 / k, e), body)))


_variational = dict(
    family="variational",
    order=2,
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

VLV = Method(
    name="VLV",
    aliases=("HP-CAY", "Lie-Verlet", "velocity Lie-Verlet"),
    title="variational Lie-Verlet",
    sources=("bou-rabee-marsden-2009", "ortolan-saccon-2012"),
    step=vlv_step,
    start=start_trail,
    **by_kicks(symplectic=True, momentum=True, energy=False),
    torques_per_step=1,
    **_variational,
)
HP_EXP = Method(
    name="HP-EXP",
    aliases=("Hamilton-Pontryagin with exp",),
    title="Hamilton-Pontryagin, exponential map",
    sources=("bou-rabee-marsden-2009",),
    step=hp_exp_step,
    start=start_trail,
    **by_kicks(symplectic=True, momentum=True, energy=False),
    torques_per_step=1,
    **_variational,
)
SACCON = Method(
    name="SACCON",
    aliases=("midpoint variational",),
    title="Saccon, midpoint variational",
    sources=("saccon-2009", "marsden-west-2001"),
    step=saccon_step,
    start=start_secant,
    **at_stages(energy=False),
    torques_per_step=None,
    **_variational,
)
