"""The trapezoidal rules: forward Euler then backward Euler, and the trapezoidal tableau on the group."""

from fractions import Fraction

from polhode.errors import InputError
from polhode.inputs import checked_call
from polhode.integrators.method import Method
from polhode.integrators.midpoint_implicit import backward
from polhode.integrators.parts.equations import dexp_slope, lie_euler, lie_trapezoid, midpoint
from polhode.integrators.parts.tableaux import constants, exact_number
from polhode.integrators.velocity_claims import at_stages
from polhode.kernels.implicit import secant, size
from polhode.kernels.numbers import Body, Kernel, Mat3, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, dexp, exp, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import moment_at, start_secant
from polhode.kernels.vectors import cross, lin, minus, mul, plus, scaled


@kernel
def trap_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Trapezoidal rule for Euler's equations in body axes.

        Pi1 = Pi0 + h/2 (Pi0 x Omega0 + tau0 + Pi1 x Omega1 + tau1),      Q1 = Q0 exp(h/2 Omega0) exp(h/2 Omega1)

    Forward Euler to the midpoint, backward Euler from there: symmetric, of second order, and conjugate to
    IMID, which takes them in the other order; the energy rises at the same rate. Of the
    free body it keeps nothing exactly: energy and |Pi|, which IMID keeps, are kept of the state half a forward
    Euler step on. Not Poisson, not symplectic.

    Pitfall: two rotations, in this order. The formula is often given with two rotation vectors and without
    saying how they combine; exp of their sum is TLN with the exponential map.
    """
    q, Pi, tau, memory = state
    k = h / 2
    Omega = mul(body[1], Pi)
    q = compose(q, exp(scaled(k, Omega)))
    Pi = lin(1, Pi, k, plus(cross(Pi, Omega), tau))
    e, F, tau, memory, report = backward(k, t + h, (q, Pi, tau, memory), body, midpoint)
    Pi = plus(Pi, lin(1 / k, cross(mul(body[0], e), e), k, tau))
    return (unit(compose(q, F)), Pi, tau, memory), report


@kernel
def trapm_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Trapezoidal rule in momentum form, with the share zeta of the step taken by forward Euler.

        F   = exp(zeta h Omega0) exp((1 - zeta) h Omega1),     Q1 = Q0 F
        Pi1 = F^T (Pi0 + zeta h tau0) + (1 - zeta) h tau1                         implicit in Omega1 and tau1

    With zeta = 1/2 it is symmetric, of second order, and conjugate to IMIDM, with the same fall of energy.
    Any other zeta gives first order and no symmetry: nearer 0 it damps (zeta = 0 is backward Euler), nearer 1
    it feeds (zeta = 1, forward Euler, is not offered: it is explicit and of no use). For every zeta momentum is
    carried along by the rotation, so the spatial momentum of the free body and the vertical one of a top are
    exact; energy is not, and the map is neither Poisson nor symplectic. `polhode.trapezoidal(zeta)` makes the
    others, "TRAPM(0.3)" by name.
    """
    q, Pi, tau, memory = state
    zeta = body[2][0]
    a, k = zeta * h, (1 - zeta) * h
    F = exp(scaled(a, mul(body[1], Pi)))
    q = compose(q, F)
    Pi = rotated_back(F, lin(1, Pi, a, tau))
    _, F, tau, memory, report = backward(k, t + h, (q, Pi, tau, memory), body, lie_euler)
    return (unit(compose(q, F)), lin(1, rotated_back(F, Pi), k, tau), tau, memory), report


@kernel
def rkmk_trap_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Trapezoidal rule with one rotation by the mean velocity, momentum carried along.

        Psi = h/2 (Omega0 + Omega1),    Q1 = Q0 exp(Psi)
        Pi1 = exp(-Psi) (Pi0 + h/2 tau0) + h/2 tau1                               implicit in Omega1 and tau1

    Bottasso and Borri's use of Munthe-Kaas with the trapezoidal tableau, without the inverse of dexp: leaving it
    out costs no order and restores the symmetry. Spatial and vertical momentum are exact because momentum is
    only rotated. Free, it is ALGO_C1: Psi is fixed by the rotation it generates, so exp(-Psi) Pi0 and Pi0 have
    the same component along Psi, that is (Pi1 - Pi0) . (Omega1 + Omega0) = 0, exact energy. Not Poisson, not
    symplectic, and with a torque the energy falls.
    """
    return trapezoid(h, t, state, body, mean_equation)


@kernel
def rkmk_trapwd_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Munthe-Kaas with the trapezoidal tableau, the inverse of dexp included.

        Psi = h/2 (Omega0 + dexp_{-Psi}^-1 Omega1),    Q1 = Q0 exp(Psi)
        Pi1 = exp(-Psi) (Pi0 + h/2 tau0) + h/2 tau1                               implicit in Psi and tau1

    Second order; momentum exact as in RKMK-TRAP. More faithful to Munthe-Kaas and worse for it: the chart is
    fixed at the start of the step, so the method is not symmetric, and the energy of the free body is lost.
    Neither Poisson nor symplectic; energy falls.

    Multiplied by dexp_{-Psi} the equation needs no inverse: Psi - dexp_{-Psi} (h/2) Omega0 = (h/2) Omega1.
    """
    return trapezoid(h, t, state, body, tableau_equation)


@kernel
def trapezoid(h: Number, t: Number, state: State, body: Body, equation: Kernel) -> tuple[State, Report]:
    """One rotation by Psi = 2e between two half kicks; the equation says what Psi is."""
    q, Pi, tau, memory = state
    iJ = body[1]
    k = h / 2
    p = lin(1, Pi, k, tau)
    b = scaled(k, p)
    scale = size(mul(iJ, b)) + size(mul(iJ, scaled(k * k, tau)))
    data = (b, scaled(k, Pi), k, t + h, q)
    e, g, trail, slope, report = secant(equation, memory[:9], memory[9:], data, body, scale)
    tau = scaled(2 / (k * k), g)
    F = exp(plus(e, e))
    return (unit(compose(q, F)), lin(1, rotated_back(F, p), k, tau), tau, trail + slope), report


@kernel
def mean_equation(e: Vec3, data: tuple[Vec3, Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """2 J e = (h/2) Pi0 + exp(-2e) b + (h/2)^2 tau1, halved."""
    b, c, k, t, q = data
    r, A = lie_trapezoid(e, (b, c, body[0]))
    Omega = scaled(1 / k, minus(plus(e, e), mul(body[1], c)))
    return r, A, scaled(k * k / 2, moment_at(t, compose(q, exp(plus(e, e))), Omega, body))


@kernel
def tableau_equation(e: Vec3, data: tuple[Vec3, Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """J (x - dexp_{-x} e0) = exp(-x) b + (h/2)^2 tau1, halved; x = 2e, e0 = (h/2) Omega0."""
    b, c, k, t, q = data
    J = body[0]
    x = plus(e, e)
    e0 = mul(body[1], c)
    r, A = lie_euler(x, (b, J))
    r = minus(r, mul(J, dexp(scaled(-1, x), e0)))
    B = dexp_slope(x, e0)
    Omega = scaled(1 / k, dexp(scaled(-1, x), minus(x, e0)))
    A = (
        A[0] - J[0] * B[0],
        A[1] - J[0] * B[1],
        A[2] - J[0] * B[2],
        A[3] - J[1] * B[3],
        A[4] - J[1] * B[4],
        A[5] - J[1] * B[5],
        A[6] - J[2] * B[6],
        A[7] - J[2] * B[7],
        A[8] - J[2] * B[8],
    )
    return (r[0] / 2, r[1] / 2, r[2] / 2), A, scaled(k * k / 2, moment_at(t, compose(q, exp(x)), Omega, body))


@checked_call
def trapezoidal(zeta: float | str | Fraction = Fraction(1, 2)) -> Method:
    """TRAPM with the share `zeta` of the step taken by forward Euler, 0 <= zeta < 1; exact as a Fraction or text.

    Parameters
    ----------
    zeta : float, str or Fraction
        At least 0 and below 1; 1/2 is the trapezoidal rule.

    Returns
    -------
    Method
        For anything that takes a method.
    """
    zeta = exact_number("zeta", zeta)
    if not 0 <= zeta < 1:
        raise InputError(f"zeta is {zeta}; it must be at least 0 and less than 1 (1/2 is the trapezoidal rule).")
    half = zeta == Fraction(1, 2)
    return Method(
        name="TRAPM" if half else f"TRAPM({zeta})",
        aliases=("dyneq_trapm", "dyneq_trapm_zeta", "incrso3_trapm") if half else (),
        title="trapezoidal, momentum form" + ("" if half else f", zeta = {zeta}"),
        coefficients=constants((zeta,)),
        step=trapm_step,
        order=2 if half else 1,
        symmetric=half,
        energy_free=False,
        drift="-" if zeta <= Fraction(1, 2) else "+",
        sources=("krysl-2008",),
        **at_stages(energy=False, damps=not half),
        **_momentum_kept,
    )


_implicit = dict(
    family="midpoint and trapezoidal",
    start=start_secant,
    torques_per_step=None,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    energy_top=False,
)
_momentum_kept = dict(momentum_free=True, momentum_top=True, **_implicit)

TRAP = Method(
    name="TRAP",
    aliases=("dyneq_trap",),
    title="trapezoidal, body axes",
    sources=("krysl-2008",),
    step=trap_step,
    order=2,
    symmetric=True,
    momentum_free=False,
    energy_free=False,
    **at_stages(energy=False),
    momentum_top=False,
    drift="+",
    **_implicit,
)
TRAPM = trapezoidal()
RKMK_TRAP = Method(
    name="RKMK-TRAP",
    aliases=("BBTRAP", "bb_rkmk_trap"),
    title="trapezoidal with one rotation",
    sources=("bottasso-borri-1998", "krysl-2008"),
    step=rkmk_trap_step,
    order=2,
    symmetric=True,
    energy_free=True,
    **at_stages(energy=True),
    drift="-",
    **_momentum_kept,
)
RKMK_TRAPWD = Method(
    name="RKMK-TRAPWD",
    aliases=("BBTRAPWD", "bb_rkmk_trap_wdexp"),
    title="Munthe-Kaas, trapezoidal tableau",
    sources=("bottasso-borri-1998", "krysl-2008"),
    step=rkmk_trapwd_step,
    order=2,
    symmetric=False,
    energy_free=False,
    **at_stages(energy=False),
    drift="-",
    **_momentum_kept,
)
