"""Krysl's midpoint-Lie family: the midpoint rule on the group, impulses at the ends of the step."""

from polhode.integrators.method import Method, Order
from polhode.integrators.parts.equations import lie_midpoint
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import both, newton, size
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, State, Trail, Vec3
from polhode.kernels.rotations import cayley_twice, cayley_twice_back, compose, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_tangent, start_two_tangents, torque_at
from polhode.kernels.vectors import lin, mul, scaled


@kernel
def liemid_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Midpoint-Lie for the free body: rotate by the velocity that the momentum has half way.

        Psi = h J^-1 exp(-Psi/2) Pi0,     Q1 = Q0 exp(Psi),     Pi1 = exp(-Psi) Pi0

    The midpoint rule on the group. Symmetric (the midpoint is the same from both ends), of second order, spatial
    momentum exact as it is only rotated. Not a Poisson map, hence not symplectic, and the energy is not kept, but
    stays near. A step turns by less than a whole turn. For a free body only; with a torque it lives on in MCG
    (between half kicks), IMIDM (torque at the midpoint) and the explicit LIEMID[E..].
    """
    q, Pi, tau, trail = state
    q, p, trail, report = liemid(h, q, Pi, trail, body[0], body[1])
    return (unit(q), p, tau, trail), report


@kernel
def liemid_e1_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit midpoint-Lie with the impulse at the beginning of the step.

        p = Pi0 + h tau0;   Psi = h J^-1 exp(-Psi/2) p;   Q1 = Q0 exp(Psi);   Pi1 = exp(-Psi) p

    A kick, then a free step: of first order with a torque and not symmetric, though without one it is LIEMID,
    of second order and symmetric. Spatial and vertical momentum are exact, the momentum being only rotated and
    kicked. Conjugate to MCG by half a kick, so its energy, though it oscillates by O(h), drifts upwards at
    MCG's rate. Adjoint of LIEMID[E2]; their composition with half steps is LIEMID[EA].

    Krysl describes both impulses, at the beginning and at the end; which of the two he calls LIEMID[E] could
    not be found, and this one is given the name.
    """
    q, Pi, tau, trail = state
    q, p, trail, report = liemid(h, q, lin(1, Pi, h, tau), trail, body[0], body[1])
    return (unit(q), p, torque_at(t + h, q, body), trail), report


@kernel
def liemid_e2_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit midpoint-Lie with the impulse at the end of the step.

        Psi = h J^-1 exp(-Psi/2) Pi0;   Q1 = Q0 exp(Psi);   Pi1 = exp(-Psi) Pi0 + h tau1

    A free step, then a kick: adjoint of LIEMID[E1], with the same claims for the same reasons.
    """
    q, Pi, tau, trail = state
    q, p, trail, report = liemid(h, q, Pi, trail, body[0], body[1])
    tau = torque_at(t + h, q, body)
    return (unit(q), lin(1, p, h, tau), tau, trail), report


@kernel
def liemid_eb_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit midpoint-Lie, the other composition of its halves: the whole impulse in the middle.

        Theta = h/2 J^-1 exp(-Theta/2) Pi0;     Qh = Q0 exp(Theta);     p = exp(-Theta) Pi0 + h tau(t + h/2, Qh)
        Theta' = h/2 J^-1 exp(-Theta'/2) p;     Q1 = Qh exp(Theta');    Pi1 = exp(-Theta') p

    A method composed with its adjoint, as LIEMID[EA], only the other way round: symmetric, of second order,
    conjugate to LIEMID[EA] by half of its step, with the same rise of energy; momentum exact as there. The torque
    at the end of the step is never needed and none is carried.
    """
    q, Pi, tau, trails = state
    J, iJ = body[0], body[1]
    k = h / 2
    q, p, first, a = liemid(k, q, Pi, trails[:9], J, iJ)
    tau = torque_at(t + k, q, body)
    q, p, second, b = liemid(k, q, lin(1, p, h, tau), trails[9:], J, iJ)
    return (unit(q), p, tau, first + second), both(a, b)


@kernel
def liemid_ea_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Explicit midpoint-Lie, the alternating composition of its two first-order halves.

    A free midpoint-Lie step of size h/2 after a half kick, another before a half kick:

        p  = Pi0 + h/2 tau0;   Theta  = h/2 J^-1 exp(-Theta/2) p;    Qh = Q0 exp(Theta);    ph = exp(-Theta) p
        Theta' = h/2 J^-1 exp(-Theta'/2) ph;    Q1 = Qh exp(Theta');    Pi1 = exp(-Theta') ph + h/2 tau1

    Two small implicit equations a step, torque explicit. Symmetric and of second order, being the
    composition of a method with its adjoint. The momentum is only rotated back into the body, so the
    spatial momentum of the free body and the vertical one of a top are exact; energy is not, and the map is
    not symplectic (as was claimed): its energy rises on the stress test, with a quarter of the rate of MCG,
    since free it is MCG with half the step.

    Misprint: Bou-Rabee, Ortolan & Saccon print Theta_k for Theta_{k+1} in (8f); read literally the method
    is of first order.
    """
    q, Pi, tau, trails = state
    J, iJ = body[0], body[1]
    k = h / 2
    q, p, first, a = liemid(k, q, lin(1, Pi, k, tau), trails[:9], J, iJ)
    q, p, second, b = liemid(k, q, p, trails[9:], J, iJ)
    tau = torque_at(t + h, q, body)
    return (unit(q), lin(1, p, k, tau), tau, first + second), both(a, b)


@kernel
def liemid(h: Number, q: Quat, p: Vec3, trail: Trail, J: Vec3, iJ: Vec3) -> tuple[Quat, Vec3, Mat3, Report]:
    """The free midpoint-Lie step: Psi = h J^-1 exp(-Psi/2) p, Q exp(Psi), exp(-Psi) p, with exp(Psi/2) = cay(2 f)."""
    b = scaled(h / 2, p)
    f, trail, report = newton(lie_midpoint, trail, (b, J), size(mul(iJ, b)) / 2)
    return compose(q, cayley_twice(f)), cayley_twice_back(f, p), trail, report


_momentum_kept = dict(
    family="midpoint-Lie",
    torques_per_step=1,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="+",
)

LIEMID = Method(
    name="LIEMID",
    aliases=(),
    title="midpoint-Lie, free body",
    family="midpoint-Lie",
    sources=("krysl-2005",),
    step=liemid_step,
    start=start_tangent,
    order=2,
    free_only=True,
    torques_per_step=0,
    symmetric=True,
    symplectic_free=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=False,
)
LIEMID_E1 = Method(
    name="LIEMID[E1]",
    aliases=("LIEMID[E]",),
    title="explicit midpoint-Lie, impulse first",
    sources=("krysl-2005",),
    step=liemid_e1_step,
    start=start_tangent,
    order=Order(free=(2, 2), torque=(1, 1)),
    symmetric=False,
    **_momentum_kept,
)
LIEMID_E2 = Method(
    name="LIEMID[E2]",
    aliases=(),
    title="explicit midpoint-Lie, impulse last",
    sources=("krysl-2005",),
    step=liemid_e2_step,
    start=start_tangent,
    order=Order(free=(2, 2), torque=(1, 1)),
    symmetric=False,
    **_momentum_kept,
)
LIEMID_EA = Method(
    name="LIEMID[EA]",
    aliases=("LIEMIDEA", "liemid_Newmark", "explicit Lie-midpoint"),
    title="explicit midpoint-Lie",
    sources=("krysl-2005", "ortolan-saccon-2012", "bou-rabee-ortolan-saccon-2010"),
    step=liemid_ea_step,
    **by_kicks(symplectic=False, momentum=True, energy=False),
    start=start_two_tangents,
    order=2,
    symmetric=True,
    **_momentum_kept,
)
LIEMID_EB = Method(
    name="LIEMID[EB]",
    aliases=(),
    title="explicit midpoint-Lie, impulse in the middle",
    sources=("krysl-2005",),
    step=liemid_eb_step,
    start=start_two_tangents,
    order=2,
    symmetric=True,
    **_momentum_kept,
)
