"""The implicit midpoint rules: half a step of backward Euler, then half a step of forward Euler.

Krysl's derivation of the midpoint and trapezoidal rules as compositions of the two Euler methods; the other
order is in ``trapezoidal.py``. Each pair of rules is conjugate: they gain or lose energy at one rate.
"""

from polhode.integrators.method import Method
from polhode.integrators.parts.equations import lie_euler, loaded, midpoint
from polhode.integrators.velocity_claims import at_stages
from polhode.kernels.implicit import secant, size
from polhode.kernels.numbers import Body, Kernel, Number, Numbers, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, exp, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_secant
from polhode.kernels.vectors import cross, lin, mul, plus, scaled


@kernel
def imidm_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Implicit midpoint rule on the group, in momentum form.

    Rotate by twice the half step that leads to the midpoint, where momentum and torque are in balance:

        Psi = h J^-1 (exp(-Psi/2) Pi0 + h/2 T),   T = tau(t + h/2, Q0 exp(Psi/2))     implicit in Psi and T
        Q1  = Q0 exp(Psi),     Pi1 = exp(-Psi) Pi0 + h exp(-Psi/2) T

    It is backward Euler to the midpoint and forward Euler from there, each carrying the momentum along by
    the rotation; that makes it symmetric, of second order and conjugate to TRAPM, and it is the Munthe-Kaas
    method with the midpoint tableau. Momentum changes by the impulse of the torque alone, so the spatial
    momentum of the free body and the vertical one of a top are exact. Nothing holds the energy: the free
    part (midpoint-Lie) is not a Poisson map, the whole is not symplectic, and the energy falls on the stress
    test. The torque at the end of the step is never needed and not evaluated.
    """
    q, Pi = state[0], state[1]
    _, F, tau, memory, report = backward(h / 2, t + h / 2, state, body, lie_euler)
    Pi = rotated_back(F, lin(1, rotated_back(F, Pi), h, tau))
    return (unit(compose(compose(q, F), F)), Pi, tau, memory), report


@kernel
def imid_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Implicit midpoint rule for Euler's equations in body axes.

        J W = Pi0 + h/2 (J W x W + T),   T = tau(t + h/2, Q0 exp(h W/2))              implicit in W and T
        Q1  = Q0 exp(h W),     Pi1 = 2 J W - Pi0

    With W = (Omega0 + Omega1)/2 the first line is J (Omega1 - Omega0)/h + W x J W = T: the midpoint rule. It
    is backward Euler followed by forward Euler, hence symmetric, of second order and conjugate to TRAP. The
    midpoint rule keeps quadratic invariants of the free body, energy and |Pi|, but exp(h W) does not carry
    Pi0 to Pi1, so the direction of the spatial momentum is lost and with it the vertical momentum of a top.
    (Rotated by cay(h W) instead it would be kept: AKW.) Neither Poisson nor symplectic; energy rises on the
    stress test.

    Simo and Wong's ALGO_1 is described by exactly these properties; that it takes the torque at this
    midpoint is inferred.
    """
    q, Pi = state[0], state[1]
    e, F, tau, memory, report = backward(h / 2, t + h / 2, state, body, midpoint)
    Pi = plus(Pi, lin(4 / h, cross(mul(body[0], e), e), h, tau))
    return (unit(compose(compose(q, F), F)), Pi, tau, memory), report


@kernel
def backward(
    k: Number, t: Number, state: State, body: Body, equation: Kernel
) -> tuple[Vec3, Quat, Vec3, Numbers, Report]:
    """Backward Euler over k to time t: e = k Omega there, exp(e), the torque there, memory and report.

    `equation` is the momentum balance: lie_euler carries the momentum along by the rotation, midpoint adds the
    gyroscopic term. The torque of the state, one from nearby, only sets the scale.
    """
    q, p, tau, memory = state
    iJ = body[1]
    b = scaled(k, p)
    scale = size(mul(iJ, b)) + size(mul(iJ, scaled(k * k, tau)))
    e, g, trail, slope, report = secant(loaded, memory[:9], memory[9:], (equation, b, k, t, q), body, scale)
    return e, exp(e), scaled(1 / (k * k), g), trail + slope, report


IMIDM = Method(
    name="IMIDM",
    aliases=("LIEMID[I]", "dyneq_imidm"),
    title="implicit midpoint, momentum form",
    family="midpoint and trapezoidal",
    sources=("krysl-2008", "krysl-2005"),
    step=imidm_step,
    start=start_secant,
    order=2,
    **at_stages(energy=False),
    torques_per_step=None,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="-",
)
IMID = Method(
    name="IMID",
    aliases=("ALGO_1", "SW-M", "dyneq_imid"),
    title="implicit midpoint, body axes",
    family="midpoint and trapezoidal",
    sources=("krysl-2008", "simo-wong-1991"),
    step=imid_step,
    start=start_secant,
    order=2,
    **at_stages(energy=True),
    torques_per_step=None,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=False,
    energy_free=True,
    momentum_top=False,
    energy_top=False,
    drift="+",
)
