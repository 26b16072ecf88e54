"""The exact motion of the free body between half kicks, and two methods that have it for Omega only."""

from math import inf

from polhode.integrators.method import Method, Order
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.splitting import turned_1, turned_2, turned_3
from polhode.kernels.elliptic import jacobi
from polhode.kernels.free_flow import added, constants, free_flow, labels, picked, placed
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp
from polhode.kernels.scalar import alone, everybody, kernel, sqrt
from polhode.kernels.step import start_plain
from polhode.kernels.vectors import cross, lin, mul, plus, scaled


@kernel
def exact(h, q, p, memory, body):
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
def flight(h, q, p, J, iJ):
    """The exact motion of a free body; one with two equal moments turns about its momentum and about its own axis."""
    if everybody(J[0] == J[1]):
        return turned_3(compose(q, exp(scaled(h * iJ[0], p))), p, h / 2 * (iJ[2] - iJ[0]) * p[2])
    if everybody(J[1] == J[2]):
        return turned_1(compose(q, exp(scaled(h * iJ[1], p))), p, h / 2 * (iJ[0] - iJ[1]) * p[0])
    if everybody(J[2] == J[0]):
        return turned_2(compose(q, exp(scaled(h * iJ[2], p))), p, h / 2 * (iJ[1] - iJ[2]) * p[1])
    return elliptic_flight(h, q, p, J, iJ)


@kernel
def elliptic_flight(h, q, p, J, iJ):
    """The exact motion of a free body without symmetry."""
    F, p = free_flow(h, p, J)
    return compose(q, F), p


alone(elliptic_flight, flight)  # in lanes, where one has symmetry and another has not, each goes its own way


@kernel
def jem2(h, q, p, memory, body):
    """Jacobi elliptic functions and the Magnus series, second order: JEM2.

    The momentum y(t) by elliptic functions, exactly, as in EXACT; the attitude by the Magnus series for
    Q' = Q hat(Omega(t)), cut off behind its first term, with the midpoint rule:

        Q1 = Q0 exp(h Omega(h/2)),      Omega(t) = J^-1 y(t)

    Between half kicks. Free, Omega, the energy and the Casimir |Pi| are exact and the map of Pi is Poisson; Q has
    order two. Symmetric, because the rule is. Pi1 is not the rotated Pi0, so spatial momentum is not kept, not
    even the vertical one of a top, and the map is not symplectic: on the stress test energy falls. EXACT has none
    of these defects and takes half as long again.

    The nodes used by Celledoni and Safstrom could not be read; the midpoint is a choice.
    """
    m, y = midway(h, p, body[0])
    return compose(q, exp(scaled(h, mul(body[1], m)))), y, memory, NO_SOLVE


@kernel
def jem4(h, q, p, memory, body):
    """Jacobi elliptic functions and the Magnus series, fourth order: JEM4.

    As JEM2, with the second term of the Magnus series and the two Gauss points:

        a = Omega((1/2 - sqrt(3)/6) h),     b = Omega((1/2 + sqrt(3)/6) h)
        Q1 = Q0 exp(h/2 (a + b) + sqrt(3)/12 h^2 a x b)

    Free, Q has order four. Symmetric, since exchanging the ends of the step exchanges a and b and the sign of h.
    Everything else as for JEM2; on the stress test energy falls like h^4 T, by 2e-10 per unit of time at h = 1/8.

    Pitfall: the sign of a x b belongs to Q' = Q hat(Omega); for the velocity in space axes it is the other one.
    The nodes used by Celledoni and Safstrom could not be read; Gauss points are a choice.
    """
    early, late, y = at_gauss_points(h, p, body[0])
    a, b = mul(body[1], early), mul(body[1], late)
    F = exp(lin(h / 2, plus(a, b), sqrt(3 + 0 * h) * (h * h) / 12, cross(a, b)))
    return compose(q, F), y, memory, NO_SOLVE


@kernel
def midway(h, p, J):
    """The momentum of the free body after the times h/2 and h."""
    axes = labels(J, p)
    c, _, orbit = constants(J, p, axes)
    half, _ = jacobi(axes[3] * h / 2, orbit)
    m = added(picked(p, axes), half, c, orbit)
    return placed(m, axes), placed(added(m, half, c, orbit), axes)


@kernel
def at_gauss_points(h, p, J):
    """The momentum of the free body after the times (1/2 - sqrt(3)/6) h, (1/2 + sqrt(3)/6) h and h."""
    axes = labels(J, p)
    c, _, orbit = constants(J, p, axes)
    r = sqrt(3 + 0 * h)
    first, _ = jacobi(axes[3] * h * (3 - r) / 6, orbit)
    second, _ = jacobi(axes[3] * h * (3 + r) / 6, orbit)
    early, late = added(picked(p, axes), first, c, orbit), added(picked(p, axes), second, c, orbit)
    y = added(late, first, c, orbit)  # the two fractions of h make the whole
    return placed(early, axes), placed(late, axes), placed(y, axes)


alone(midway)
alone(at_gauss_points)


EXACT = Method(
    name="EXACT",
    aliases=("exact free flow",),
    title="exact free flow between half kicks",
    family="elliptic functions",
    sources=("celledoni-fasso-safstrom-zanna-2008", "hairer-vilmart-2006"),
    step=kicked(exact),
    start=start_plain,
    order=Order(free=(inf, inf), torque=(2, 2)),
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


def _jem(order, flow):
    return Method(
        name=f"JEM{order}",
        title=f"Jacobi elliptic functions and Magnus series, order {order}",
        family="elliptic functions",
        sources=("celledoni-safstrom-2006", "hairer-vilmart-2006"),
        step=kicked(flow),
        start=start_plain,
        order=Order(free=(order, inf), torque=(2, 2)),
        torques_per_step=1,
        symmetric=True,
        symplectic_free=False,
        symplectic=False,
        poisson_free=True,
        momentum_free=False,
        energy_free=True,
        momentum_top=False,
        energy_top=False,
        drift="-",
    )


JEM2, JEM4 = _jem(2, jem2), _jem(4, jem4)
