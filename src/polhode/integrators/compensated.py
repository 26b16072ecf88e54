"""Variational Lie-Verlet with compensated sums: for runs so long that round-off is what is left."""

from dataclasses import replace

from polhode.integrators.parts.equations import lie_verlet
from polhode.integrators.variational import VLV
from polhode.kernels.implicit import newton, size
from polhode.kernels.numbers import Body, Number, Numbers, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose
from polhode.kernels.scalar import kernel, sqrt
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import cross, dot, lin, mul, plus, scaled


@kernel
def vlv_compensated_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Variational Lie-Verlet with compensated sums: the map of VLV, with round-off that falls with h.

    A step adds a small change to a large number and drops what does not fit behind its last bit: one rounding error
    of full size per step, and more of them the smaller the steps. Kahan's sum keeps what was dropped and adds it to
    the next change. Both sums of a step are written so, the momentum

        Pi1 = Pi0 + h J w x w + h/2 (tau0 + tau1)

    and the attitude, as quaternions with F = cay(h w) of length one, F - 1 computed without cancellation:

        q1 = q0 + q0 (F - 1),      F - 1 = (-c^2 s/(1 + c), c e),      e = (h/2) w,   s = |e|^2,   c = 1/sqrt(1 + s)

    What is left are the errors of the changes themselves, smaller than
    those of the sums by the angle of a step. The quaternion is not normalised, which would undo the sum; its length
    stays at one within round-off, and no rotation depends on it. All claims are those of VLV, whose map it is; a
    step costs about a third more. The dropped parts are carried as memory behind the trail.

    Pitfall: compensating the momentum alone helps a free body's momentum and energy, but with a torque the attitude's
    errors come in through it, and nothing is gained.
    """
    q, Pi, tau0, memory = state
    J, iJ = body[0], body[1]
    k = h / 2
    b = lin(k, Pi, k * k, tau0)
    e, trail, report = newton(lie_verlet, memory[:9], (b, J), size(mul(iJ, b)))
    s = dot(e, e)
    c = 1 / sqrt(1 + s)
    dq = compose(q, (-(c * c * s / (1 + c)), c * e[0], c * e[1], c * e[2]))
    w, lost_w = kahan(q[0], dq[0], memory[9])
    x, lost_x = kahan(q[1], dq[1], memory[10])
    y, lost_y = kahan(q[2], dq[2], memory[11])
    z, lost_z = kahan(q[3], dq[3], memory[12])
    q = (w, x, y, z)
    tau = torque_at(t + h, q, body)
    dPi = lin(2 / k, cross(mul(J, e), e), k, plus(tau0, tau))
    X, lost_X = kahan(Pi[0], dPi[0], memory[13])
    Y, lost_Y = kahan(Pi[1], dPi[1], memory[14])
    Z, lost_Z = kahan(Pi[2], dPi[2], memory[15])
    return (q, (X, Y, Z), tau, trail + (lost_w, lost_x, lost_y, lost_z, lost_X, lost_Y, lost_Z)), report


@kernel
def kahan(a: Number, change: Number, lost: Number) -> Numbers:
    """a + change - lost, and by how much the sum is too large."""
    d = change - lost
    total = a + d
    return total, (total - a) - d


@kernel
def start_compensated(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state: a trail, and nothing lost yet."""
    e = mul(body[1], scaled(h / 2, Pi))
    o = 0 * e[0]
    return (q, Pi, torque_at(t, q, body), e + e + e + (o, o, o, o, o, o, o))


VLV_KAHAN = replace(
    VLV,
    name="VLV-KAHAN",
    aliases=("compensated VLV",),
    title="variational Lie-Verlet, compensated sums",
    sources=(*VLV.sources, "kahan-1965"),
    step=vlv_compensated_step,
    start=start_compensated,
)
