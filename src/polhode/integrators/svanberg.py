"""Svanberg's leap-frog: the attitude in the middle of the step is solved for."""

from polhode.integrators.method import Method
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import minus9, newton, size
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, Trail, Vec3
from polhode.kernels.rotations import cay, compose, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_tangent
from polhode.kernels.vectors import cross, hat, minus, mul, plus, scaled


@kernel
def svanberg(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
    """Svanberg's implicit leap-frog for quaternions.

    Leap-frog keeps the momentum at half steps and the attitude at whole ones. To turn the attitude it needs the
    velocity Omega_h in the middle, and that needs the attitude there. Explicit versions guess it from before, and are
    unstable for it; here it is solved for:

        q_h = q0 + h/2 q'_h,      q1 = q0 + h q'_h,      q'_h = q_h Omega_h/2,      Omega_h = J^-1 Q(q_h)^T pi_h

    as quaternions, with pi_h the spatial momentum, constant from q0 to q1. It follows that q1 = q0 (1 + f)/(1 - f) with
    f = (h/4) Omega_h: of length one without being made so, and a rotation by two Cayley maps,

        Q_h = Q0 cay(2 f),      Q1 = Q0 cay(2 f)^2,      p1 = cay(-2 f)^2 p,      J f = (h/4) cay(-2 f) p

    where p = Pi0 + h/2 tau0 is the momentum after the half kick that brings it to the half step. So it is the
    midpoint-Lie step of MCG with the Cayley map for the exponential, between half kicks. Second order and symmetric;
    spatial momentum exact, as it is only rotated, and the vertical one of a top; energy not kept, and it rises on the
    stress test; neither Poisson nor symplectic.

    The paper (Svanberg 1997) could not be read; this is the mid-step implicit leap-frog as molecular dynamics knows it,
    with velocities at whole steps by half kicks. Krysl and Endres say that the implicit leap-frog is implicit in the
    torque evaluation, too; that form was not found, and here the torque is evaluated once a step, at whole steps.
    """
    J, iJ = body[0], body[1]
    b = scaled(h / 4, p)
    f, trail, report = newton(halfway, trail, (b, J), size(mul(iJ, b)))
    F = cay(scaled(2, f))
    F = compose(F, F)
    return compose(q, F), rotated_back(F, p), trail, report


@kernel
def halfway(f: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """J f + f x J f + f x b - b = 0, which is J f = cay(-2 f) b, and its Jacobian."""
    b, J = data
    m = mul(J, f)
    A = (J[0], -f[2] * J[1], f[1] * J[2], f[2] * J[0], J[1], -f[0] * J[2], -f[1] * J[0], f[0] * J[1], J[2])
    return minus(plus(m, cross(f, plus(m, b))), b), minus9(A, hat(plus(m, b)))


SVANBERG = Method(
    name="SVANBERG",
    aliases=("implicit leap-frog", "mid-step implicit leap-frog"),
    title="Svanberg, implicit leap-frog",
    family="Svanberg",
    sources=("svanberg-1997", "krysl-endres-2005"),
    step=kicked(svanberg),
    **by_kicks(symplectic=False, momentum=True, energy=False),
    start=start_tangent,
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
