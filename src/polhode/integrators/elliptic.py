"""The exact motion of the free body between half kicks."""

from math import inf

from polhode.integrators.method import Method, Order
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.splitting import turned_1, turned_2, turned_3
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.free_flow import free_flow
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Numbers, Quat, Report, Vec3
from polhode.kernels.rotations import compose, exp
from polhode.kernels.scalar import alone, everybody, kernel
from polhode.kernels.step import start_plain
from polhode.kernels.vectors import scaled


@kernel
def exact(h: Number, q: Quat, p: Vec3, memory: Numbers, body: Body) -> tuple[Quat, Vec3, Numbers, Report]:
    """The exact motion of the free body, by Jacobi's elliptic functions.

    Momentum and attitude of a free body are known in closed form: three elliptic functions and one integral of
    the third kind for the angle about the momentum. Here they are written so that every body and every start is
    an ordinary case (`polhode.kernels.free_flow` has the formulas and where they come from): functions of h and of
    constants of motion only, computed by a power series for a fraction h/2^n of the step and n duplications,

        p = Pi0 + h/2 tau0,      Q1 = Q0 F(h, p),      Pi1 = y(h, p) + h/2 tau1

    Free, there is no error but round-off, whatever h. With a torque it is Strang's splitting: second order.
    Flow and kicks are Hamiltonian, so the step is symplectic and, for the free body, Poisson, and energy does not
    drift; it is symmetric, and flow and kicks keep the momentum about the vertical. With a torque energy is exact
    in neither. A body with two equal moments needs no elliptic function: it turns about its momentum and about its
    own axis, both at a constant rate. On the stress test, where J1 = J2, this is SR2.

    No equation is solved and nothing fails for large h. A step takes a little over twice the time of one of VLV, and
    less than that of VLV if two moments are equal. In ensembles elliptic functions are done one body after the other.

    Pitfall: formulas with cn and dn exchange roles at the separatrix and divide by what vanishes for symmetric
    bodies and steady rotation; with an arc tangent for the attitude they also need the number of turns. All
    three are avoided, not patched. Near the separatrix the motion itself is unstable.
    """
    q, p = flight(h, q, p, body[0], body[1])
    return q, p, memory, NO_SOLVE


@kernel
def flight(h: Number, q: Quat, p: Vec3, J: Vec3, iJ: Vec3) -> tuple[Quat, Vec3]:
    """The exact motion of a free body; one with two equal moments turns about its momentum and about its own axis."""
    if everybody(J[0] == J[1]):
        return turned_3(compose(q, exp(scaled(h * iJ[0], p))), p, h / 2 * (iJ[2] - iJ[0]) * p[2])
    if everybody(J[1] == J[2]):
        return turned_1(compose(q, exp(scaled(h * iJ[1], p))), p, h / 2 * (iJ[0] - iJ[1]) * p[0])
    if everybody(J[2] == J[0]):
        return turned_2(compose(q, exp(scaled(h * iJ[2], p))), p, h / 2 * (iJ[1] - iJ[2]) * p[1])
    return elliptic_flight(h, q, p, J, iJ)


@kernel
def elliptic_flight(h: Number, q: Quat, p: Vec3, J: Vec3, iJ: Vec3) -> tuple[Quat, Vec3]:
    """The exact motion of a free body without symmetry."""
    F, p = free_flow(h, p, J)
    return compose(q, F), p


alone(elliptic_flight, flight)  # in lanes, where one has symmetry and another has not, each goes its own way


EXACT = Method(
    name="EXACT",
    aliases=("exact free flow",),
    title="exact free flow between half kicks",
    family="elliptic functions",
    sources=("celledoni-fasso-safstrom-zanna-2008", "hairer-vilmart-2006"),
    step=kicked(exact),
    start=start_plain,
    order=Order(free=(inf, inf), torque=(2, 2)),
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
