"""Moser-Veselov: the integrable discretisation of the free body, with half kicks for a torque."""

from polhode.integrators.method import Method, Order
from polhode.integrators.parts.equations import moser_veselov
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import newton, size, within
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, State, Trail, Vec3
from polhode.kernels.rotations import cay, cayley_back, compose, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_trail, torque_at
from polhode.kernels.vectors import dot, lin, mul, scaled


@kernel
def rattle(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
    """RATTLE for the rotation group: the discrete Moser-Veselov step between two half kicks.

    With D = (tr J/2) I - J, find the rotation F with

        F D - D F^T = h hat(p),   p = Pi0 + h/2 tau0;      Q1 = Q0 F,    Pi1 = F^T p + h/2 tau1

    With F = cay(2 e) the matrix equation is J e = (1 + |e|^2)(h/2) p + J e x e, three unknowns. It is Verlet
    for the nine entries of Q with the constraint Q^T Q = I and its multipliers (RATTLE), and Lee, Leok and
    McClamroch's variational integrator: symplectic, symmetric, momentum-preserving by Noether's theorem. Free,
    energy is exact too: F is the exact flow up to a change of time. With a torque energy stays within O(h^2).

    Pitfall: a solution near the identity exists only while h |J^-1 (p + F^T p)/2| <= 1, the sine of the
    rotation angle of the step; beyond that Newton's method cannot succeed and says so. A second solution, with the
    supplement of the angle, keeps energy and momentum too: a step of more than a right angle is refused.
    """
    return moser_veselov_step(h, q, p, trail, body[0], body[1])


@kernel
def mleok_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Lee, Leok and McClamroch's first integrator: a Moser-Veselov step, then a whole kick.

        F D - D F^T = h hat(Pi0),      Q1 = Q0 F,      Pi1 = F^T Pi0 + h tau1

    RATTLE with its two half kicks taken together at the end: conjugate to RATTLE by half a kick, so symplectic
    with any potential, momentum-preserving, and without drift, but of first order and not symmetric as soon as
    there is a torque. Free, it is the Moser-Veselov step itself: second order, energy exact, Poisson.

    Pitfall: with h^2/2 tau0 on the right of the first equation and half the kick at the end it is the authors'
    later method of second order, which is RATTLE; the two are often confused. The limit on h is that of RATTLE.
    """
    q, Pi, tau, trail = state
    q, p, trail, report = moser_veselov_step(h, q, Pi, trail, body[0], body[1])
    tau = torque_at(t + h, q, body)
    return (unit(q), lin(1, p, h, tau), tau, trail), report


@kernel
def moser_veselov_step(h: Number, q: Quat, p: Vec3, trail: Trail, J: Vec3, iJ: Vec3) -> tuple[Quat, Vec3, Mat3, Report]:
    """The discrete Moser-Veselov step of a body with moments J, about 1/iJ."""
    b = scaled(h / 2, p)
    w = mul(iJ, b)
    e, trail, report = newton(moser_veselov, trail, (b, J), size(w))
    q = compose(q, cay(scaled(2, e)))
    return q, cayley_back(e, p), trail, below_right_angle(report, e, w)


@kernel
def below_right_angle(report: Report, e: Vec3, w: Vec3) -> Report:
    """A failure if the rotation found, 2 atan|e|, or the one that was due, 2 |w|, is not below a right angle."""
    return within(within(report, dot(e, e), 1), 5 * dot(w, w), 3)


RATTLE = Method(
    name="RATTLE",
    aliases=("DMV", "MV", "Moser-Veselov", "LGVI", "LLM2007", "discrete Moser-Veselov"),
    title="RATTLE, discrete Moser-Veselov",
    family="Moser-Veselov",
    sources=("moser-veselov-1991", "mclachlan-scovel-1995", "reich-1994", "lee-leok-mcclamroch-2007"),
    step=kicked(rattle),
    start=start_trail,
    order=2,
    **by_kicks(symplectic=True, momentum=True, energy=True),
    torques_per_step=1,
    symmetric=True,
    symplectic_free=True,
    symplectic=True,
    poisson_free=True,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
    energy_top=False,
    drift="none",
)
MLEOK = Method(
    name="MLEOK",
    aliases=("Lee-Leok-McClamroch 2005", "incrso3_mleok"),
    title="Lee-Leok-McClamroch, first order",
    family="Moser-Veselov",
    sources=("lee-leok-mcclamroch-2005",),
    step=mleok_step,
    start=start_trail,
    order=Order(free=(2, 2), torque=(1, 1)),
    torques_per_step=1,
    symmetric=False,
    symplectic_free=True,
    symplectic=True,
    poisson_free=True,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
    energy_top=False,
    drift="none",
)
