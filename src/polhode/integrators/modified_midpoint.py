"""The midpoint rule for modified moments of inertia: a modifying integrator of any even order."""

import functools
from collections.abc import Callable
from typing import Any

from polhode.inputs import checked_call
from polhode.integrators.method import Method, Order
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.preprocessed import coefficients, even
from polhode.integrators.series import free_body
from polhode.integrators.series.horner import three
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import newton, size
from polhode.kernels.numbers import Body, Mat3, Number, Numbers, Quat, Report, Trail, Vec3
from polhode.kernels.rotations import cay, compose, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_trail
from polhode.kernels.vectors import cross, dot, lin, mul, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def imr_flow(order: int) -> Callable[..., Any]:
    """The free flow of IMR`order`."""
    value, most = three(order // 2 - 1), order // 2 - 1
    terms = (most + 1) * (most + 2) * (most + 3) // 6

    @kernel
    def imr(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
        """The modifying implicit midpoint rule of Chartier, Hairer and Vilmart, of any even order 2r.

        Apply the midpoint rule not to Euler's equations but to modified ones for which it is right:

            Y = p + Y x e,     e = h/2 (s J^-1 Y + d Y),     Q1 = Q0 cay(2 e),     p1 = cay(-2 e) p

        p = Pi0 + h/2 tau0 being the momentum after the half kick. s = 1 + h^2 s3 + ... and d = h^2 d3 + ... are
        polynomials in Y.Y, Y.J^-1 Y and |J^-1 Y|^2 at the stage Y = (p + p1)/2, computed in rational arithmetic
        (`integrators.series.free_body`) and cut off behind h^(2r-2). They are not those of DMV, which depend on the
        first two only: s3 = s3(DMV) + |J^-1 Y|^2/4. Order 2 (s = 1, d = 0) is the rule itself, and then the
        method is PRK.

        Order 2r for the free body, in Q and in Omega; 2 with a torque, from the kicks. Y is the mean of p and
        p1, so the rule is symmetric, and e lies in the plane of Y and J^-1 Y, so |p| and p.J^-1 p are kept; that
        cay(2 e) carries p1 to p makes the spatial momentum exact. Like the midpoint rule it is a Poisson map
        only for another bracket, times a scalar function of Y, and not symplectic: the energy of the stress test
        falls like T h^(2r), by 7e-6, 3e-8 and 9e-11 per unit of time for r = 1, 2, 3 at h = 1/4; the last shows
        only in the difference to a run with the exact free flow and counts as none.

        The unknown is u = (h/2) J^-1 Y, so that J u - s J u x u = (h/2) p, solved by Newton's method with the
        derivative of s.
        """
        b = scaled(h / 2, p)
        u, trail, report = newton(equation, trail, (b, body[0], body[2]), size(mul(body[1], b)))
        m = mul(body[0], u)
        x, y, z = dot(m, m), dot(u, m), dot(u, u)
        s = value(body[2], 0, x, y, z)
        d = value(body[2], terms, x, y, z)
        F = cay(lin(2 * s[0], u, 2 * d[0], m))
        return compose(q, F), rotated_back(F, p), trail, report

    @kernel
    def equation(u: Vec3, data: tuple[Vec3, Vec3, Numbers]) -> tuple[Vec3, Mat3]:
        """J u - s(u) J u x u = b and its Jacobian."""
        b, J, c = data
        m = mul(J, u)
        k = cross(m, u)
        s, (sx, sy, sz) = value(c, 0, dot(m, m), dot(u, m), dot(u, u))
        g = (  # the gradient of s
            2 * (sx * J[0] * m[0] + sy * m[0] + sz * u[0]),
            2 * (sx * J[1] * m[1] + sy * m[1] + sz * u[1]),
            2 * (sx * J[2] * m[2] + sy * m[2] + sz * u[2]),
        )
        r = (m[0] - s * k[0] - b[0], m[1] - s * k[1] - b[1], m[2] - s * k[2] - b[2])
        x, y, z = s * (J[2] - J[1]), s * (J[0] - J[2]), s * (J[1] - J[0])
        A = (
            J[0] - k[0] * g[0],
            x * u[2] - k[0] * g[1],
            x * u[1] - k[0] * g[2],
            y * u[2] - k[1] * g[0],
            J[1] - k[1] * g[1],
            y * u[0] - k[1] * g[2],
            z * u[1] - k[2] * g[0],
            z * u[0] - k[2] * g[1],
            J[2] - k[2] * g[2],
        )
        return r, A

    return imr


@checked_call
def imr(order: int) -> Method:
    """The modifying implicit midpoint rule of an even order, 2 to 14.

    Parameters
    ----------
    order : int
        Even, 2 to 14.

    Returns
    -------
    Method
        For anything that takes a method.
    """
    order = even(order, 14, "the modifying midpoint rule is")
    return Method(
        name=f"IMR{order}",
        title=f"modifying implicit midpoint rule, order {order}",
        family="modifying midpoint",
        sources=("chartier-hairer-vilmart-2007", "hairer-vilmart-2006"),
        step=kicked(imr_flow(order)),
        start=start_trail,
        coefficients=coefficients(free_body.midpoint, order // 2 - 1, 3),
        order=Order(free=(order, order), torque=(2, 2)),
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
        drift="-" if order < 6 else "none",
    )


IMR2, IMR4, IMR6 = (imr(order) for order in (2, 4, 6))
