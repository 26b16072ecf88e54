"""Methods that keep energy and momentum of the free body: rotations about the mean velocity.

All are of the form Q1 = Q0 F, Pi1 = F^T Pi0 with F a rotation about the mean velocity J^-1 (Pi0 + Pi1)/2, by an
angle that each chooses for itself. Then (Pi1 - Pi0) . J^-1 (Pi0 + Pi1) = 0, so that energy is exact whatever
the angle, and Pi is only rotated. ALGO_C1 (``simo_wong.py``) belongs to the family, RATTLE too.
"""

from polhode.integrators.method import Method
from polhode.integrators.parts.equations import midpoint, moser_veselov
from polhode.kernels.implicit import secant, size, within
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import cay, compose, rotated_back, unit
from polhode.kernels.scalar import kernel, sqrt
from polhode.kernels.step import start_secant, torque_at
from polhode.kernels.vectors import cross, dot, lin, mul, plus, scaled


@kernel
def akw_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Austin, Krishnaprasad and Wang: the midpoint rule with the Cayley map.

        M   = (Pi0 + Pi1)/2,    Q1 = Q0 cay(h J^-1 M)
        Pi1 = Pi0 + h M x J^-1 M + h/2 (tau0 + tau1)                              implicit in Pi1 and tau1

    Symmetric by inspection, of second order. Free, the midpoint rule keeps energy and |Pi|, and the Cayley map
    carries Pi0 exactly to Pi1: spatial momentum too. It is PRK without its half kicks outside. On a heavy top
    energy AND vertical momentum are exact, without any symmetry of the body: for the Cayley map
    Q1 - Q0 = (Q0 + Q1)/2 hat(h J^-1 M), so that for a potential linear in Q
    U1 - U0 = -h/2 (tau0 + tau1) . J^-1 M, which is minus the change of the kinetic energy. Any other potential
    breaks it, and the energy falls on the stress test. Almost Poisson, as the authors say: not Poisson, and
    not symplectic.
    """
    q, Pi, tau0, memory = state
    J, iJ = body[0], body[1]
    k = h / 2
    b = lin(k, Pi, k * k / 2, tau0)
    scale = size(mul(iJ, b)) + size(mul(iJ, scaled(k * k, tau0)))
    e, g, trail, slope, report = secant(akw_equation, memory[:9], memory[9:], (b, k, t + h, q), body, scale)
    tau = scaled(2 / (k * k), g)
    Pi = plus(Pi, lin(2 / k, cross(mul(J, e), e), k, plus(tau0, tau)))
    return (unit(compose(q, cay(plus(e, e)))), Pi, tau, trail + slope), report


@kernel
def ls_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """Lewis and Simo: the member of the family that is symplectic for the free body.

        h J^-1 (Pi0 + Pi1)/2 = x sin|x|/|x|,    Q1 = Q0 exp(x)
        Pi1 = exp(-x) Pi0 + h exp(-x/2) tau(t + h/2, Q0 exp(x/2))                 implicit in x and the torque

    Rotate about the mean velocity, by an angle whose sine is what the midpoint rule takes for the angle. Of all
    angles that depend on |x| alone this is the only one for which the free map is symplectic, and it is the
    discrete Moser-Veselov step: with f = tan(|x|/2) x/|x|, exp(x) = cay(2f), the first line is
    J f - J f x f = (1 + |f|^2) (h/2) Pi0. So energy, spatial momentum, Poisson structure and symplectic form
    are exact for the free body. The torque enters as in ALGO_C1, at the midpoint; the vertical momentum of a
    top stays exact, but the map is no longer symplectic and the energy rises. The same free step between half
    kicks is RATTLE, symplectic with any potential.

    Decided here: the authors' paper is summarised as energy, momentum and symplectic form exact for the free
    body, which this is; that they use this very angle (and not one that depends on energy too) and this torque
    is inferred.

    Pitfall: h |J^-1 (Pi0 + Pi1)/2| is a sine; beyond 1 there is no solution, and near 1 a second one, with the
    supplement of the angle, comes close: a step of more than a right angle is refused.
    """
    q, Pi, tau, memory = state
    iJ = body[1]
    k = h / 2
    b = scaled(k, Pi)
    scale = size(mul(iJ, b)) + size(mul(iJ, scaled(k * k, tau)))
    f, g, trail, slope, report = secant(ls_equation, memory[:9], memory[9:], (b, k, t + k, q), body, scale)
    n = sqrt(1 + dot(f, f))
    tau = scaled(1 / (k * k * n * n * n), lin(1, g, dot(f, g) / (1 + n), f))
    H = (1 + n, f[0], f[1], f[2])
    Pi = rotated_back(H, lin(1, rotated_back(H, Pi), h, tau))
    return (unit(compose(q, cay(plus(f, f)))), Pi, tau, trail + slope), within(report, dot(f, f), 1)


@kernel
def akw_equation(e: Vec3, data: tuple[Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """J e - J e x e = b + (1/2)(h/2)^2 tau(t, Q cay(2e)), e = (h/2) J^-1 M."""
    b, k, t, q = data
    r, A = midpoint(e, (b, body[0]))
    return r, A, scaled(k * k / 2, torque_at(t, compose(q, cay(plus(e, e))), body))


@kernel
def ls_equation(f: Vec3, data: tuple[Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """J f - J f x f = (1 + |f|^2) ((h/2) Pi0 + (h/2)^2 (I + hat f) exp(-x/2) T), cay(2f) = exp(x).

    (I + hat f) exp(-x/2) is 1 along f and n = 1/cos(|x|/2) = sqrt(1 + |f|^2) across; exp(x/2) is the quaternion
    (1 + n, f).
    """
    b, k, t, q = data
    r, A = moser_veselov(f, (b, body[0]))
    n = sqrt(1 + dot(f, f))
    T = torque_at(t, compose(q, (1 + n, f[0], f[1], f[2])), body)
    return r, A, scaled(k * k * n * n, lin(n, T, -dot(f, T) / (1 + n), f))


_family = dict(
    family="energy-momentum",
    start=start_secant,
    order=2,
    torques_per_step=None,
    symmetric=True,
    symplectic=False,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
)

AKW = Method(
    name="AKW",
    aliases=("akw_mid", "IncrSO3_AKW", "Austin et al.", "IMR"),
    title="Austin-Krishnaprasad-Wang, midpoint rule with the Cayley map",
    sources=("austin-krishnaprasad-wang-1993",),
    step=akw_step,
    symplectic_free=False,
    poisson_free=False,
    energy_top=True,
    drift="-",
    **_family,
)
LS = Method(
    name="LS",
    aliases=("Lewis-Simo",),
    title="Lewis-Simo, midpoint torque",
    sources=("lewis-simo-1994",),
    step=ls_step,
    symplectic_free=True,
    poisson_free=True,
    energy_top=False,
    drift="+",
    **_family,
)
