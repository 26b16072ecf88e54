"""Koziara and Bicanic: simple rotations for constraint solvers, the torque at the middle of the step."""

from polhode.integrators.method import Method
from polhode.integrators.parts.equations import lie_midpoint
from polhode.kernels.implicit import NO_SOLVE, newton, size
from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import cay, cayley_back, compose, exp, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_plain, start_tangent, torque_at
from polhode.kernels.vectors import cross, lin, minus, mul, plus, scaled


@kernel
def new1_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """NEW1, explicit, for short runs.

    Half a rotation with the old velocity, the torque there, a guess W of the velocity there, one update of the
    velocity from Euler's equations with W, half a rotation with the new velocity:

        E = exp(h/2 Omega0),    Qh = Q0 E,    T = tau(t + h/2, Qh),    W = J^-1 (E^T Pi0 + h/2 T)
        Omega1 = Omega0 + h J^-1 (T - W x J W),    Q1 = Qh exp(h/2 Omega1)

    No equation to solve. Second order, since W is the midpoint velocity to second order, and nothing more: not
    symmetric, no momentum, no energy, no structure; energy rises. The torque is taken at the midpoint, so none
    is carried.
    """
    q, Pi, tau, memory = state
    q, tau, _, Pi = explicit_update(h, t, q, Pi, body)
    q = compose(q, exp(scaled(h / 2, mul(body[1], Pi))))
    return (unit(q), Pi, tau, memory), NO_SOLVE


@kernel
def new2_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """NEW2: NEW1 for the rotation, and the momentum balanced exactly.

        Q1 = Qh exp(h/2 Omega*),    Pi1 = exp(-h/2 Omega*) (E^T Pi0 + h T)        Omega*: the Omega1 of NEW1

    Explicit and of second order like NEW1. Momentum is only rotated, so the spatial momentum of the free body
    and the vertical one of a top are exact. Still not symmetric, and no structure besides; energy falls. It is
    NEW3 with a prediction in place of its implicit velocity.
    """
    q, Pi, tau, memory = state
    q, tau, p, Pi = explicit_update(h, t, q, Pi, body)
    F = exp(scaled(h / 2, mul(body[1], Pi)))
    return (unit(compose(q, F)), rotated_back(F, lin(1, p, h, tau)), tau, memory), NO_SOLVE


@kernel
def new3_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """NEW3, the semi-explicit scheme for long runs.

    Half a rotation with the old velocity, the torque there, half a rotation with the new velocity:

        Qh = Q0 exp(h/2 Omega0),   T = tau(t + h/2, Qh)
        exp(h/2 Omega1) J Omega1 = exp(-h/2 Omega0) Pi0 + h T             implicit in Omega1 only
        Q1 = Qh exp(h/2 Omega1)

    Symmetric by inspection, hence of second order; the momentum balance is exact in space, so spatial and
    vertical momentum are. Not symplectic; conjugate to MCG by half a step, with the same drift. The torque
    is taken at the midpoint, so the torque at the end of a step is never needed and none is carried.
    """
    q, Pi, tau, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    F = exp(scaled(k, mul(iJ, Pi)))
    q = compose(q, F)
    tau = torque_at(t + k, q, body)
    p = lin(1, rotated_back(F, Pi), h, tau)
    b = scaled(k, p)
    f, trail, report = newton(lie_midpoint, trail, (b, J), size(mul(iJ, b)) / 2)  # exp(h/2 Omega1) = cay(2 f)
    return (unit(compose(q, cay(plus(f, f)))), cayley_back(f, p), tau, trail), report


@kernel
def explicit_update(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """Attitude and torque half way, the old momentum seen from there, and the momentum of NEW1."""
    k, iJ = h / 2, body[1]
    E = exp(scaled(k, mul(iJ, Pi)))
    q = compose(q, E)
    tau = torque_at(t + k, q, body)
    p = rotated_back(E, Pi)
    m = lin(1, p, k, tau)  # J W
    return q, tau, p, lin(1, Pi, h, minus(tau, cross(mul(iJ, m), m)))


_second_order = dict(
    family="Koziara-Bicanic",
    order=2,
    torques_per_step=1,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    energy_free=False,
    energy_top=False,
)

NEW1 = Method(
    name="NEW1",
    aliases=(),
    title="Koziara-Bicanic, explicit",
    sources=("koziara-bicanic-2010",),
    step=new1_step,
    start=start_plain,
    symmetric=False,
    momentum_free=False,
    momentum_top=False,
    drift="+",
    **_second_order,
)
NEW2 = Method(
    name="NEW2",
    aliases=("kb_e",),
    title="Koziara-Bicanic, explicit with exact momentum",
    sources=("koziara-bicanic-2010",),
    step=new2_step,
    start=start_plain,
    symmetric=False,
    momentum_free=True,
    momentum_top=True,
    drift="-",
    **_second_order,
)
NEW3 = Method(
    name="NEW3",
    aliases=(),
    title="Koziara-Bicanic, semi-explicit",
    sources=("koziara-bicanic-2010", "ortolan-saccon-2012"),
    step=new3_step,
    start=start_tangent,
    symmetric=True,
    momentum_free=True,
    momentum_top=True,
    drift="+",
    **_second_order,
)
