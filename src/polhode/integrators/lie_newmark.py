"""Lie-Newmark: Newmark's formulas with the rotation update on the group."""

from polhode.integrators.method import Method
from polhode.integrators.parts.equations import midpoint
from polhode.integrators.velocity_claims import at_stages
from polhode.kernels.implicit import minus9, newton, secant, size
from polhode.kernels.numbers import Body, Kernel, Mat3, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import cay, compose, exp, matrix, rotated, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import arrived, moment_at, start_secant, start_trail, torque_at
from polhode.kernels.vectors import apply, apply_transposed, cross, hat, lin, minus, mul, plus, product, scaled


@kernel
def eln_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
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

    That the fault is the group's and not Newmark's is shown by the controls of `polhode.testbench.drift.vector_space`.

    Misprint: Bou-Rabee, Ortolan & Saccon print the Cayley map with 4 + |x| where 4 + |x|^2 is meant; the
    printed map leaves the group. They call this method NMB, which here is the name of Krysl and Endres's own.
    """
    return explicit_member(h, t, state, body, cay)


@kernel
def nmb_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit Newmark in the body frame of Krysl and Endres: ELN with the exponential map.

        Q1 = Q0 exp(h Omega0 + h^2/2 A0),   Omega1 = Omega0 + h/2 (A0 + A1),   J A1 + Omega1 x J Omega1 = tau1

    Same claims as ELN for the same reasons. Its authors expected it to be symplectic ("the numerical
    evidence is very strong"); the defect of the symplectic form is of the order h^3, and the energy drifts
    at about half the rate of ELN.

    The NMB of Bou-Rabee, Ortolan & Saccon is ELN, with the Cayley map. With another gamma it is NMB(gamma).

    Misprint: the Newton matrix (43) of Krysl & Endres has two wrong terms; their program has them right.
    """
    return explicit_member(h, t, state, body, exp)


@kernel
def nms_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit Newmark in the spatial frame of Krysl and Endres.

    With w = Q Omega, a its rate, i = Q J Q^T the inertia in space and f = Q tau:

        i0 a0 = f0 - w0 x i0 w0,    Q1 = exp(h w0 + h^2/2 a0) Q0,    w1 = w0 + h/2 (a0 + a1),    i1 a1 = f1 - w1 x i1 w1

    The same map as NMB, which is remarkable, as vectors at different attitudes are added: w0 + h/2 a0 is the axis
    of the rotation from Q0 to Q1, which that rotation leaves alone. So the claims are those of NMB. Everything is
    done in space axes here, with a full inertia tensor; NMB costs half as much.
    """
    q, Pi, tau, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    Q = matrix(q)
    w = apply(Q, mul(iJ, Pi))
    a = apply(Q, mul(iJ, apply_transposed(Q, minus(apply(Q, tau), cross(w, apply(Q, Pi))))))
    w = lin(1, w, k, a)
    q = compose(exp(scaled(h, w)), q)
    tau = torque_at(t + h, q, body)
    Q = matrix(q)
    i = product(Q, scaled(J[0], Q[::3]) + scaled(J[1], Q[1::3]) + scaled(J[2], Q[2::3]))  # Q J Q^T
    b = lin(k, apply(i, w), k * k, apply(Q, tau))
    e, trail, report = newton(spatial_equation, trail, (b, i), size(w) * k + size(mul(iJ, tau)) * k * k)
    return (unit(q), scaled(1 / k, mul(J, apply_transposed(Q, e))), tau, trail), report


@kernel
def tln_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
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
    return trapezoidal_member(h, t, state, body, cay)


@kernel
def tln_exp_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Trapezoidal Lie-Newmark with the exponential map: TLN with exp in place of cay.

        J Omega1 + h/2 Omega1 x J Omega1 - h/2 tau1 = J Omega0 - h/2 Omega0 x J Omega0 + h/2 tau0
        Q1 = Q0 exp(h (Omega0 + Omega1)/2)

    Same claims as TLN for the same reasons: symmetric, second order, nothing kept. It is Simo and Vu-Quoc's
    Newmark method with beta = 1/4, gamma = 1/2, and its energy falls at two thirds of the rate of TLN.
    """
    return trapezoidal_member(h, t, state, body, exp)


@kernel
def explicit_member(h: Number, t: Number, state: State, body: Body, retraction: Kernel) -> tuple[State, Report]:
    """The explicit member of the family for a map from rotation vectors to rotations."""
    q, Pi, tau, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    Pi = plus(Pi, scaled(k, plus(cross(Pi, mul(iJ, Pi)), tau)))  # J Omega_h
    q = compose(q, retraction(scaled(h, mul(iJ, Pi))))
    q, Pi, tau = arrived(t + h, q, Pi, body)
    b = lin(k, Pi, k * k, tau)
    e, trail, report = newton(midpoint, trail, (b, J), size(mul(iJ, b)))
    return (q, scaled(1 / k, mul(J, e)), tau, trail), report


@kernel
def trapezoidal_member(h: Number, t: Number, state: State, body: Body, retraction: Kernel) -> tuple[State, Report]:
    """The trapezoidal member of the family."""
    q, Pi, tau, memory = state
    J, iJ = body[0], body[1]
    k = h / 2
    e0 = mul(iJ, scaled(k, Pi))
    c = plus(mul(J, e0), plus(cross(mul(J, e0), e0), scaled(k * k, tau)))
    data = (k, t + h, q, e0, 1, c, retraction)
    e, g, trail, slope, report = secant(
        trapezoidal_equation, memory[:9], memory[9:], data, body, size(e0) + size(mul(iJ, c))
    )
    q = compose(q, retraction(plus(e0, e)))
    return (unit(q), scaled(1 / k, mul(J, e)), scaled(1 / (k * k), g), trail + slope), report


@kernel
def trapezoidal_equation(
    e: Vec3, data: tuple[Number, Number, Quat, Vec3, Number, Vec3, Kernel], body: Body
) -> tuple[Vec3, Mat3, Vec3]:
    """J e + e x J e - c = k^2 tau(Q0 r(ahead + share e)), e = k Omega1, k = h/2 (or gamma h)."""
    k, t, q, ahead, share, c, retraction = data
    r, A = midpoint(e, (c, body[0]))
    q = compose(q, retraction(lin(1, ahead, share, e)))
    return r, A, scaled(k * k, moment_at(t, q, scaled(1 / k, e), body))


@kernel
def spatial_equation(e: Vec3, data: tuple[Vec3, Mat3]) -> tuple[Vec3, Mat3]:
    """i e + e x i e = b in space axes, i a symmetric matrix, e = (h/2) w1."""
    b, i = data
    m = apply(i, e)
    A = minus9(i, minus9(hat(m), product(hat(e), i)))
    return minus(plus(m, cross(e, m)), b), A


@kernel
def start_spatial(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state of NMS, whose unknown is about (h/2) Q Omega."""
    e = rotated(q, scaled(h / 2, mul(body[1], Pi)))
    return (q, Pi, torque_at(t, q, body), e + e + e)


NOTHING_KEPT = dict(
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
"""What all members claim."""

ELN = Method(
    name="ELN",
    aliases=("SVQ-VLN", "SVQ", "Lie-Newmark", "explicit Lie-Newmark", "semi-explicit Lie-Newmark"),
    title="explicit Lie-Newmark, Cayley map",
    sources=("simo-vu-quoc-1988", "ortolan-saccon-2012", "bou-rabee-ortolan-saccon-2010"),
    step=eln_step,
    start=start_trail,
    torques_per_step=1,
    drift="-",
    **NOTHING_KEPT,
)
NMB = Method(
    name="NMB",
    aliases=("ELN-EXP", "rotint_nmb", "explicit Newmark in the body frame"),
    title="explicit Lie-Newmark, exponential map",
    sources=("krysl-endres-2005",),
    step=nmb_step,
    start=start_trail,
    torques_per_step=1,
    drift="-",
    **NOTHING_KEPT,
)
NMS = Method(
    name="NMS",
    aliases=(),
    title="explicit Lie-Newmark in space axes",
    sources=("krysl-endres-2005",),
    step=nms_step,
    start=start_spatial,
    torques_per_step=1,
    drift="-",
    **NOTHING_KEPT,
)
TLN = Method(
    name="TLN",
    aliases=("SVQ-TLN", "trapezoidal Lie-Newmark"),
    title="trapezoidal Lie-Newmark, Cayley map",
    sources=("simo-vu-quoc-1988", "ortolan-saccon-2012"),
    step=tln_step,
    start=start_secant,
    **at_stages(energy=False),
    torques_per_step=None,
    drift="-",
    **NOTHING_KEPT,
)
TLN_EXP = Method(
    name="TLN-EXP",
    aliases=(),
    title="trapezoidal Lie-Newmark, exponential map",
    sources=("simo-vu-quoc-1988", "ortolan-saccon-2012"),
    step=tln_exp_step,
    start=start_secant,
    **at_stages(energy=False),
    torques_per_step=None,
    drift="-",
    **NOTHING_KEPT,
)
