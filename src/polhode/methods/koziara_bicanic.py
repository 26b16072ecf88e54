"""Koziara and Bicanic: simple rotations for constraint solvers, the torque at the middle of the step."""

from polhode.body import start_trail, torque_at
from polhode.methods.equations import lie_midpoint
from polhode.model import Method
from polhode.scalar import kernel
from polhode.so3.rotations import compose, exp, rotated_back, unit
from polhode.so3.vectors import lin, mul, scaled
from polhode.solver import newton, size


@kernel
def new3_step(h, t, state, body):
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
    b = lin(k, rotated_back(F, Pi), 2 * k * k, tau)
    e, trail, report = newton(lie_midpoint, trail, (b, J), size(mul(iJ, b)))
    return (unit(compose(q, exp(e))), scaled(1 / k, mul(J, e)), tau, trail), report


NEW3 = Method(
    name="NEW3",
    aliases=(),
    title="Koziara-Bicanic, semi-explicit",
    family="Koziara-Bicanic",
    sources=("koziara-bicanic-2010", "ortolan-saccon-2012"),
    step=new3_step,
    start=start_trail,
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
