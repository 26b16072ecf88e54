"""Nukala and Shelton: two semi-implicit splittings, PRK and MCG."""

from polhode.integrators.method import Method
from polhode.integrators.midpoint_lie import liemid
from polhode.integrators.parts.equations import midpoint
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import newton, size
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, Trail, Vec3
from polhode.kernels.rotations import cay, compose, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_tangent, start_trail
from polhode.kernels.vectors import mul, scaled


@kernel
def prk(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
    """Partitioned Munthe-Kaas method (Lobatto IIIA-IIIB).

    The implicit midpoint rule of Austin, Krishnaprasad and Wang between two half kicks:

        Omega_h = Omega0 + h/2 J^-1 (tau0 - Omega_h x J Omega_h)          implicit in Omega_h only
        Q1      = Q0 cay(h Omega_h)
        Omega1  = Omega_h + h/2 J^-1 (tau1 - Omega_h x J Omega_h)

    Second order and symmetric as a symmetric splitting. Free, the midpoint rule keeps the quadratic
    invariants of Euler's equations (energy, |Pi|), and the Cayley map carries Pi_0 exactly to Pi_1, so the
    spatial momentum is exact too; half kicks keep the vertical momentum of a top. The midpoint rule is not
    a Poisson map ("almost Poisson"), and energy falls on the stress test.
    """
    J, iJ = body[0], body[1]
    b = scaled(h / 2, p)
    e, trail, report = newton(midpoint, trail, (b, J), size(mul(iJ, b)))
    F = cay(scaled(2, e))
    return compose(q, F), rotated_back(F, p), trail, report


@kernel
def mcg(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
    """Modified Crouch-Grossman: a free midpoint-Lie step between two half kicks.

        Omega_h = J^-1 exp(-h/2 Omega_h) (Pi0 + h/2 tau0)                 implicit in Omega_h only
        Q1  = Q0 exp(h Omega_h),      Pi1 = exp(-h Omega_h) (Pi0 + h/2 tau0) + h/2 tau1

    Second order and symmetric as a symmetric splitting; spatial momentum exact because Pi is only rotated;
    energy not kept, not Poisson, not symplectic. Conjugate to NEW3: the two gain energy at the same rate.
    """
    return liemid(h, q, p, trail, body[0], body[1])


PRK = Method(
    name="PRK",
    aliases=(),
    title="partitioned Munthe-Kaas (Lobatto IIIA-IIIB)",
    family="Nukala-Shelton",
    sources=("nukala-shelton-2007", "ortolan-saccon-2012"),
    step=kicked(prk),
    start=start_trail,
    order=2,
    **by_kicks(symplectic=False, momentum=True, energy=True),
    torques_per_step=1,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
    energy_top=False,
    drift="-",
)
MCG = Method(
    name="MCG",
    aliases=(),
    title="modified Crouch-Grossman",
    family="Nukala-Shelton",
    sources=("nukala-shelton-2007", "ortolan-saccon-2012"),
    step=kicked(mcg),
    start=start_tangent,
    order=2,
    **by_kicks(symplectic=False, momentum=True, energy=False),
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
