"""Krysl's midpoint-Lie family: the midpoint rule on the group, impulses at the ends of the step."""

from polhode.body import start_two_trails, torque_at
from polhode.methods.equations import lie_midpoint
from polhode.model import Method
from polhode.scalar import kernel
from polhode.so3.rotations import compose, exp, rotated_back, unit
from polhode.so3.vectors import lin, mul, plus, scaled
from polhode.solver import both, newton, size


@kernel
def liemid_ea_step(h, t, state, body):
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
def liemid(h, q, p, trail, J, iJ):
    """The free midpoint-Lie step: Psi = h J^-1 exp(-Psi/2) p, Q exp(Psi), exp(-Psi) p."""
    b = scaled(h / 2, p)
    e, trail, report = newton(lie_midpoint, trail, (b, J), size(mul(iJ, b)))
    F = exp(plus(e, e))
    return compose(q, F), rotated_back(F, p), trail, report


LIEMID_EA = Method(
    name="LIEMID[EA]",
    aliases=("LIEMIDEA", "liemid_Newmark"),
    title="explicit midpoint-Lie",
    family="midpoint-Lie",
    sources=("krysl-2005", "ortolan-saccon-2012", "bou-rabee-ortolan-saccon-2010"),
    step=liemid_ea_step,
    start=start_two_trails,
    order=2,
    torques_per_step=1,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="+",
)
