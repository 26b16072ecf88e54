"""Preprocessed Moser-Veselov: the discrete Moser-Veselov step with moments of inertia made to fit."""

import functools

from polhode.body import start_trail
from polhode.errors import InputError
from polhode.methods.equations import moser_veselov
from polhode.methods.kicked import kicked, started
from polhode.model import Method, Order
from polhode.scalar import kernel
from polhode.series import free_body
from polhode.series.horner import two
from polhode.so3.rotations import cay, compose, rotated_back
from polhode.so3.vectors import dot, lin, mul, scaled
from polhode.solver import both, newton, size


@functools.cache
def dmv_flow(order, substeps):
    """The free flow of DMV`order`, as `substeps` steps of size h/substeps with the same moments."""
    value, most = two(order // 2 - 1), order // 2 - 1
    terms = (most + 1) * (most + 2) // 2

    @kernel
    def dmv(h, q, p, trail, body):
        """Discrete Moser-Veselov, preprocessed to any even order 2r.

        The Moser-Veselov step of a free body is the exact motion of a body with slightly different moments of
        inertia. So give it moments J~ from which it makes the exact motion of the body one has:

            1/J~_i = s/J_i + d,     s = 1 + h^2 s3(H, C) + h^4 s5(H, C) + ...,     d = h^2 d3(H, C) + ...

        with H = p.J^-1 p/2 and C = p.p/2 at the momentum p = Pi0 + h/2 tau0 after the half kick, cut off behind
        h^(2r-2). The polynomials s_k, d_k are computed in rational arithmetic (`polhode.series.free_body`); they
        are symmetric in the moments, regular for every body, and agree with the table printed for r <= 4.

        Order 2r for the free body, in Q and in Omega; 2 with a torque, from the kicks. H and C are constant
        along a step, so the step is an exact Moser-Veselov step of one body: symmetric, and exact in spatial
        momentum, |Pi| and energy. For Pi alone it is a Poisson map, because its rate is a function of H and C
        times the true one. With Q it is symplectic no more for r > 1, as (s/J + d) y is not the gradient of a
        function of y after truncation; the defect is O(h^(2r+1)), 2e-11 for r = 4 at h = 0.2, easily taken for
        zero: the energy drifts like T h^4 for r = 2, and no drift has been seen for larger r.

        Pitfall: as for DMV, the rotation of one step must stay below a right angle. With a costly torque and
        large h take `dmv(order, substeps=m)`: m steps of h/m between the kicks with the moments computed once.

        Misprint: in the proof of Hairer & Vilmart's Proposition 2.3, H~ = s H + (1 + d) C should read s H + d C.
        """
        J, iJ, c = body[0], body[1], body[2]
        k = h / substeps
        x, y = k * k / 2 * dot(p, mul(iJ, p)), k * k / 2 * dot(p, p)
        s, d = value(c, 0, x, y), value(c, terms, x, y)
        J = (1 / (s * iJ[0] + d), 1 / (s * iJ[1] + d), 1 / (s * iJ[2] + d))
        q, p, trail, report = moser_veselov_step(k, q, p, trail, J, iJ)
        for _ in range(substeps - 1):
            q, p, trail, more = moser_veselov_step(k, q, p, trail, J, iJ)
            report = both(report, more)
        return q, p, trail, report

    return dmv


@functools.cache
def time_transformed_flow(order, complete):
    """The free flow of DMV-TT`order`; if `complete`, Q has that order, too."""
    value, most = two(order // 2 - 1), order // 2 - 1
    terms = (most + 1) * (most + 2) // 2

    @kernel
    def dmv_tt(h, q, p, trail, body):
        """Discrete Moser-Veselov with a transformed time, after McLachlan and Zanna.

        For Pi alone the Moser-Veselov step is the exact motion over a slightly wrong time, a function of the
        energy and of |Pi|. So take the step over the time h~ for which it comes out right:

            h~ = h (1 + h^2 t3(H, C) + h^4 t5(H, C) + ...),     cut off behind h^(2r-2)

        t3 is the s3 of DMV4; the later ones differ. Omega has order 2r, and Q only 2: its rotation about the
        momentum runs at a wrong rate. Energy, spatial momentum, symmetry and the Poisson property of Pi are
        those of DMV and hold for the same reasons; h~ depends on the state, so the map is not symplectic.

        This is the method as published (the momentum curves DMV4 and DMV6 of Krysl & Endres 2005). Remark 2.4 of
        Hairer & Vilmart (2006) completes it: turn Q by cay(2 e + 2 (D/r) J e) instead of cay(2 e), where the
        series D/r(H, C) is that of `polhode.series.free_body`; the added rotation is about the mean momentum, so
        Pi is as before, Q has order 2r, and spatial momentum stays exact. `time_transformed(order,
        complete=True)` is this variant. Its authors found it inferior to DMV4 and DMV6.
        """
        J, iJ, c = body[0], body[1], body[2]
        x, y = h * h / 2 * dot(p, mul(iJ, p)), h * h / 2 * dot(p, p)
        b = scaled(h / 2 * value(c, 0, x, y), p)
        e, trail, report = newton(moser_veselov, trail, (b, J), size(mul(iJ, b)))
        F = cay(scaled(2, e))
        turn = cay(lin(2, e, 2 * value(c, terms, x, y), mul(J, e))) if complete else F
        return compose(q, turn), rotated_back(F, p), trail, report

    return dmv_tt


@kernel
def moser_veselov_step(h, q, p, trail, J, iJ):
    """The discrete Moser-Veselov step of a body with moments J; iJ gives the scale of the unknown."""
    b = scaled(h / 2, p)
    e, trail, report = newton(moser_veselov, trail, (b, J), size(mul(iJ, b)))
    F = cay(scaled(2, e))
    return compose(q, F), rotated_back(F, p), trail, report


def dmv(order, substeps=1):
    """The preprocessed Moser-Veselov method of an even order, with m = `substeps` small steps between the kicks."""
    order, substeps = _even(order), _whole(substeps)
    most = order // 2 - 1
    return Method(
        name=f"DMV{order}" if substeps == 1 else f"DMV{order}/{substeps}",
        title=f"preprocessed discrete Moser-Veselov, order {order}",
        step=kicked(dmv_flow(order, substeps)),
        start=start_trail if substeps == 1 else started(_trail(substeps)),
        coefficients=_coefficients(free_body.preprocessed, most),
        sources=("hairer-vilmart-2006", "moser-veselov-1991"),
        order=Order(free=(order, order), torque=(2, 2)),
        drift="-" if order == 4 else "none",
        symplectic_free=order == 2,
        symplectic=order == 2,
        **_kept,
    )


def time_transformed(order, complete=False):
    """The time-transformed Moser-Veselov method of an even order; complete: Q has that order, too."""
    order = _even(order)
    most = order // 2 - 1
    return Method(
        name=f"DMV-TT{order}" + ("+Q" if complete else ""),
        title=f"time-transformed discrete Moser-Veselov, order {order}" + ("" if complete else " in Omega"),
        step=kicked(time_transformed_flow(order, complete)),
        start=start_trail,
        coefficients=_coefficients(free_body.time_transformed, most),
        sources=("mclachlan-zanna-2005", "hairer-vilmart-2006", "krysl-endres-2005"),
        order=Order(free=(order if complete else 2, order), torque=(2, 2)),
        drift="none",
        symplectic_free=order == 2,
        symplectic=order == 2,
        **_kept,
    )


def _coefficients(series, most):
    def coefficients(J, number):
        a, b = series(most)
        return free_body.numbers(a, J, number) + free_body.numbers(b, J, number)

    return coefficients


def _trail(substeps):
    @kernel
    def memory(h, q, Pi, body):
        e = mul(body[1], scaled(h / (2 * substeps), Pi))
        return e + e + e

    return memory


def _even(order):
    if order not in range(2, 41, 2):
        raise InputError(f"The order is {order!r}; preprocessed Moser-Veselov methods have an even order, 2 to 40.")
    return int(order)


def _whole(substeps):
    if substeps not in range(1, 1001):
        raise InputError(f"substeps is {substeps!r}; it must be a whole number from 1 to 1000.")
    return int(substeps)


_kept = dict(
    family="Moser-Veselov",
    torques_per_step=1,
    symmetric=True,
    poisson_free=True,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
    energy_top=False,
)

DMV4, DMV6, DMV8, DMV10, DMV12 = (dmv(order) for order in (4, 6, 8, 10, 12))
DMV_TT4, DMV_TT6 = (time_transformed(order) for order in (4, 6))
