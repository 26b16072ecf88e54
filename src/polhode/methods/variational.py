"""Variational methods: discrete Hamilton-Pontryagin principles on the group."""

from polhode.body import start_trail, torque_at
from polhode.methods.equations import lie_verlet
from polhode.model import Method
from polhode.scalar import kernel
from polhode.so3.rotations import cay, compose, unit
from polhode.so3.vectors import cross, lin, mul, plus, scaled
from polhode.solver import newton, size


@kernel
def vlv_step(h, t, state, body):
    """Variational Lie-Verlet: the Hamilton-Pontryagin method with the Cayley map.

    Discretise the action, not the equations, and let the discrete Euler-Lagrange equations be the method:

        J w = Pi0 + h/2 tau0 + h/2 J w x w - h^2/4 (w . J w) w            implicit in w only
        Q1  = Q0 cay(h w)
        Pi1 = J w + h/2 J w x w + h^2/4 (w . J w) w + h/2 tau1

    With e = (h/2) w and b = (h/2) Pi0 + (h/2)^2 tau0 the first line is (1 + |e|^2) J e = b - e x b, and the
    first and last together are Pi1 = Pi0 + h J w x w + h/2 (tau0 + tau1). Symplectic, being variational; the
    discrete Noether theorem gives spatial and vertical momentum. Symmetric, since dcay_{-x} is the transpose
    of dcay_x. Energy is not exact but stays within O(h^2) for exponentially long times, by backward error
    analysis: no drift.

    Pitfall: with exp in place of cay and the same correction term the method is neither symplectic nor
    free of drift; the term belongs to the map. Misprint: a Newton residual in circulation starts from w
    at the midpoint where the old velocity is meant.
    """
    q, Pi, tau0, trail = state
    J, iJ = body[0], body[1]
    k = h / 2
    b = lin(k, Pi, k * k, tau0)
    e, trail, report = newton(lie_verlet, trail, (b, J), size(mul(iJ, b)))
    q = compose(q, cay(scaled(2, e)))
    tau = torque_at(t + h, q, body)
    Pi = plus(Pi, lin(2 / k, cross(mul(J, e), e), k, plus(tau0, tau)))
    return (unit(q), Pi, tau, trail), report


VLV = Method(
    name="VLV",
    aliases=("HP-CAY", "Lie-Verlet"),
    title="variational Lie-Verlet",
    family="variational",
    sources=("bou-rabee-marsden-2009", "ortolan-saccon-2012"),
    step=vlv_step,
    start=start_trail,
    order=2,
    torques_per_step=1,
    symmetric=True,
    symplectic_free=True,
    symplectic=True,
    poisson_free=True,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="none",
)
