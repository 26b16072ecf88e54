"""Time-transformed Moser-Veselov: the discrete Moser-Veselov step over a time made to fit."""

import functools
from collections.abc import Callable
from typing import Any

from polhode.inputs import checked_call, flag
from polhode.integrators.method import Method, Order
from polhode.integrators.moser_veselov import below_right_angle
from polhode.integrators.parts.equations import moser_veselov
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.preprocessed import CLAIMS, coefficients, even
from polhode.integrators.series import free_body
from polhode.integrators.series.horner import two
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import newton, size
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, Trail, Vec3
from polhode.kernels.rotations import cay, compose, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_trail
from polhode.kernels.vectors import dot, lin, mul, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def time_transformed_flow(order: int, complete: bool) -> Callable[..., Any]:
    """The free flow of DMV-TT`order`; if `complete`, Q has that order, too."""
    value, most = two(order // 2 - 1), order // 2 - 1
    terms = (most + 1) * (most + 2) // 2

    @kernel
    def dmv_tt(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
        """Discrete Moser-Veselov with a transformed time, after McLachlan and Zanna.

        For Pi alone the Moser-Veselov step is the exact motion over a slightly wrong time, a function of the
        energy and of |Pi|. So take the step over the time h~ for which it comes out right:

            h~ = h (1 + h^2 t3(H, C) + h^4 t5(H, C) + ...),     cut off behind h^(2r-2)

        t3 is the s3 of DMV4; the later ones differ. Omega has order 2r, and Q only 2: its rotation about the
        momentum runs at a wrong rate. Energy, spatial momentum, symmetry and the Poisson property of Pi are
        those of DMV and hold for the same reasons; h~ depends on the state, so the map is not symplectic, and
        the energy of the stress test falls like T h^2 whatever r.

        This is the method as published (the momentum curves DMV4 and DMV6 of Krysl & Endres 2005). Remark 2.4 of
        Hairer & Vilmart (2006) completes it: turn Q by cay(2 e + 2 (D/r) J e) instead of cay(2 e), where the
        series D/r(H, C) is that of `integrators.series.free_body`; the added rotation is about the mean momentum, so
        Pi is as before, Q has order 2r, and spatial momentum stays exact. `polhode.time_transformed(
        order, complete=True)` is this variant, DMV-TT4+Q by name. Its authors found it inferior to DMV4 and DMV6.

        Pitfall: as for DMV4, keep the rotation of a step below 1.2.
        """
        J, iJ, c = body[0], body[1], body[2]
        x, y = h * h / 2 * dot(p, mul(iJ, p)), h * h / 2 * dot(p, p)
        b = scaled(h / 2 * value(c, 0, x, y), p)
        w = mul(iJ, b)
        e, trail, report = newton(moser_veselov, trail, (b, J), size(w))
        F = cay(scaled(2, e))
        turn = cay(lin(2, e, 2 * value(c, terms, x, y), mul(J, e))) if complete else F
        return compose(q, turn), rotated_back(F, p), trail, below_right_angle(report, e, w)

    return dmv_tt


@checked_call
def time_transformed(order: int, complete: bool = False) -> Method:
    """The time-transformed Moser-Veselov method of an even order; complete: Q has that order, too.

    Parameters
    ----------
    order : int
        Even.
    complete : bool
        Whether Q has that order, too.

    Returns
    -------
    Method
        For anything that takes a method.
    """
    order, complete = even(order), flag("complete", complete)
    return Method(
        name=f"DMV-TT{order}" + ("+Q" if complete else ""),
        title=f"time-transformed discrete Moser-Veselov, order {order}" + ("" if complete else " in Omega"),
        step=kicked(time_transformed_flow(order, complete)),
        start=start_trail,
        coefficients=coefficients(free_body.time_transformed, order // 2 - 1),
        sources=("mclachlan-zanna-2005", "hairer-vilmart-2006", "krysl-endres-2005"),
        order=Order(free=(order if complete else 2, order), torque=(2, 2)),
        drift="none" if order == 2 else None if complete else "-",
        symplectic_free=order == 2,
        symplectic=order == 2,
        **by_kicks(symplectic=order == 2, momentum=True, energy=True),
        **CLAIMS,
    )


DMV_TT4, DMV_TT6 = (time_transformed(order) for order in (4, 6))
