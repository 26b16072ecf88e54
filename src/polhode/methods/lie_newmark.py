"""Lie-Newmark: Newmark's formulas with the rotation update on the group."""

from polhode.body import start_secant, start_trail, torque_at
from polhode.methods.equations import midpoint
from polhode.model import Method
from polhode.scalar import kernel
from polhode.so3.rotations import cay, compose, exp, unit
from polhode.so3.vectors import cross, lin, mul, plus, scaled
from polhode.solver import newton, secant, size


@kernel
def eln_step(h, t, state, body):
    """Explicit Lie-Newmark with the Cayley map.

    Velocity Verlet, written on the group: half a step of Euler's equations forward, a rotation by the
    midpoint velocity, half a step of Euler's equations backward.

        Omega_h = Omega0 + h/2 J^-1 (J Omega0 x Omega0 + tau0)
        Q1      = Q0 cay(h Omega_h)
        Omega1  = Omega_h + h/2 J^-1 (J Omega1 x Omega1 + tau1)          implicit in Omega1 only

    Second order and symmetric: the first and last lines are adjoint to each other. Nothing else holds:
    neither momentum nor energy of the free body, no symplectic form, and the energy drifts like T h^2 on
    the stress test; that Newmark's method is conjugate to a symplectic one in a vector space does not carry
    over to the group.

    Misprint: Bou-Rabee, Ortolan & Saccon print the Cayley map with 4 + |x| where 4 + |x|^2 is meant; the
    printed map leaves the group.
    """
    return newmark(h, t, state, body, cay)


@kernel
def nmb_step(h, t, state, body):
    """Explicit Newmark in the body frame of Krysl and Endres: ELN with the exponential map.

        Q1 = Q0 exp(h Omega0 + h^2/2 A0),   Omega1 = Omega0 + h/2 (A0 + A1),   J A1 + Omega1 x J Omega1 = tau1

    Same claims as ELN for the same reasons. Its authors expected it to be symplectic ("the numerical
    evidence is very strong"); the defect of the symplectic form is of the order h^3, and the energy drifts
    at about half the rate of ELN.

    Misprint: the Newton matrix (43) of Krysl & Endres has two wrong terms; their program has them right.
    """
    return newmark(h, t, state, body, exp)


@kernel
def tln_step(h, t, state, body):
    """Trapezoidal Lie-Newmark with the Cayley map.

    The trapezoidal rule for Euler's equations, and a rotation by the mean velocity:

        J Omega1 + h/2 Omega1 x J Omega1 - h/2 tau1 = J Omega0 - h/2 Omega0 x J Omega0 + h/2 tau0
        Q1 = Q0 cay(h (Omega0 + Omega1)/2)

    Implicit in the torque. Second order and symmetric by inspection; conserves nothing in general (on a
    symmetric top energy and vertical momentum are kept, an accident of that problem), not symplectic. On
    the stress test at h = 0.25 the energy falls too fast for a constant rate: a slope fitted there means
    little.

    Misprints: the Jacobian in circulation has wrong signs in its inertia part and in the first torque term;
    none is needed here, the derivative of the torque is learnt from step to step.
    """
    return trapezoidal(h, t, state, body, cay)


@kernel
def tln_exp_step(h, t, state, body):
    """Trapezoidal Lie-Newmark with the exponential map: TLN with exp in place of cay, same claims.

    It is Simo and Vu-Quoc's Newmark method with beta = 1/4, gamma = 1/2.
    """
    return trapezoidal(h, t, state, body, exp)


@kernel
def newmark(h, t, state, body, retraction):
    """The explicit member of the family for a map from rotation vectors to rotations."""
    q, Pi, tau, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    Pi = plus(Pi, scaled(k, plus(cross(Pi, mul(iJ, Pi)), tau)))  # J Omega_h
    q = compose(q, retraction(scaled(h, mul(iJ, Pi))))
    tau = torque_at(t + h, q, body)
    b = lin(k, Pi, k * k, tau)
    e, trail, report = newton(midpoint, trail, (b, J), size(mul(iJ, b)))
    return (unit(q), scaled(1 / k, mul(J, e)), tau, trail), report


@kernel
def trapezoidal(h, t, state, body, retraction):
    """The trapezoidal member of the family."""
    q, Pi, tau, memory = state
    J, iJ = body[0], body[1]
    k = h / 2
    e0 = mul(iJ, scaled(k, Pi))
    c = plus(mul(J, e0), plus(cross(mul(J, e0), e0), scaled(k * k, tau)))
    data = (k * k, t + h, q, e0, c, retraction)
    e, g, trail, slope, report = secant(
        trapezoidal_equation, memory[:9], memory[9:], data, body, size(e0) + size(mul(iJ, c))
    )
    q = compose(q, retraction(plus(e0, e)))
    return (unit(q), scaled(1 / k, mul(J, e)), scaled(1 / (k * k), g), trail + slope), report


@kernel
def trapezoidal_equation(e, data, body):
    """J e + e x J e - c = (h/2)^2 tau(Q0 r(e0 + e)), e = (h/2) Omega1."""
    kk, t, q, e0, c, retraction = data
    J = body[0]
    m = mul(J, e)
    k = cross(e, m)
    r = (m[0] + k[0] - c[0], m[1] + k[1] - c[1], m[2] + k[2] - c[2])
    A = (
        J[0],
        (J[2] - J[1]) * e[2],
        (J[2] - J[1]) * e[1],
        (J[0] - J[2]) * e[2],
        J[1],
        (J[0] - J[2]) * e[0],
        (J[1] - J[0]) * e[1],
        (J[1] - J[0]) * e[0],
        J[2],
    )
    return r, A, scaled(kk, torque_at(t, compose(q, retraction(plus(e0, e))), body))


_nothing_kept = dict(
    family="Lie-Newmark",
    order=2,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=False,
    energy_free=False,
    momentum_top=False,
    energy_top=False,
)

ELN = Method(
    name="ELN",
    aliases=("SVQ-VLN", "SVQ", "Lie-Newmark"),
    title="explicit Lie-Newmark, Cayley map",
    sources=("simo-vu-quoc-1988", "ortolan-saccon-2012", "bou-rabee-ortolan-saccon-2010"),
    step=eln_step,
    start=start_trail,
    torques_per_step=1,
    drift="-",
    **_nothing_kept,
)
NMB = Method(
    name="NMB",
    aliases=("ELN-EXP", "rotint_nmb"),
    title="explicit Lie-Newmark, exponential map",
    sources=("krysl-endres-2005",),
    step=nmb_step,
    start=start_trail,
    torques_per_step=1,
    drift="-",
    **_nothing_kept,
)
TLN = Method(
    name="TLN",
    aliases=("SVQ-TLN",),
    title="trapezoidal Lie-Newmark, Cayley map",
    sources=("simo-vu-quoc-1988", "ortolan-saccon-2012"),
    step=tln_step,
    start=start_secant,
    torques_per_step=None,
    drift="-",
    **_nothing_kept,
)
TLN_EXP = Method(
    name="TLN-EXP",
    aliases=(),
    title="trapezoidal Lie-Newmark, exponential map",
    sources=("simo-vu-quoc-1988", "ortolan-saccon-2012"),
    step=tln_exp_step,
    start=start_secant,
    torques_per_step=None,
    drift="-",
    **_nothing_kept,
)
