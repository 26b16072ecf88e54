"""Preprocessed Moser-Veselov: the discrete Moser-Veselov step with moments of inertia made to fit."""

import functools
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call
from polhode.integrators.method import Method, Order
from polhode.integrators.moser_veselov import moser_veselov_step
from polhode.integrators.parts.kicked import kicked, started
from polhode.integrators.parts.tableaux import rounded
from polhode.integrators.series import free_body
from polhode.integrators.series.horner import two
from polhode.integrators.velocity_claims import by_kicks
from polhode.kernels.implicit import both
from polhode.kernels.numbers import Body, Mat3, Number, Quat, Report, Trail, Vec3
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_trail
from polhode.kernels.vectors import dot, mul, scaled
from polhode.pickling import recipe


@recipe
@functools.cache
def dmv_flow(order: int, substeps: int) -> Callable[..., Any]:
    """The free flow of DMV`order`, as `substeps` steps of size h/substeps with the same moments."""
    value, most = two(order // 2 - 1), order // 2 - 1
    terms = (most + 1) * (most + 2) // 2

    @kernel
    def dmv(h: Number, q: Quat, p: Vec3, trail: Trail, body: Body) -> tuple[Quat, Vec3, Mat3, Report]:
        """Discrete Moser-Veselov, preprocessed to any even order 2r.

        The Moser-Veselov step of a free body is the exact motion of a body with slightly different moments of
        inertia. So give it moments J~ from which it makes the exact motion of the body one has:

            1/J~_i = s/J_i + d,     s = 1 + h^2 s3(H, C) + h^4 s5(H, C) + ...,     d = h^2 d3(H, C) + ...

        with H = p.J^-1 p/2 and C = p.p/2 at the momentum p = Pi0 + h/2 tau0 after the half kick, cut off behind
        h^(2r-2). The polynomials s_k, d_k are computed in rational arithmetic (`integrators.series.free_body`); they
        are symmetric in the moments, regular for every body, and agree with the table printed for r <= 4.

        Order 2r for the free body, in Q and in Omega; 2 with a torque, from the kicks. H and C are constant
        along a step, so the step is an exact Moser-Veselov step of one body: symmetric, and exact in spatial
        momentum, |Pi| and energy. For Pi alone it is a Poisson map, because its rate is a function of H and C
        times the true one. With Q it is symplectic no more for r > 1, as (s/J + d) y is not the gradient of a
        function of y after truncation. The defect is of the order h^(2r+1), 1e-13 for r = 4 at h = 0.2: easily
        taken for zero, and decided in 50 digits. Its energy drifts accordingly on the stress test, like T h^(2r):
        1.6e-8 per unit of time for r = 2 at h = 1/4; for r = 3 and 4, -3.5e-11 and 4e-14, which show only in the
        difference to a run from the same start with the exact free flow (SR2 is that there), and count as none.

        Pitfall: the equation has two solutions, one with the rotation phi wanted, one with pi - phi. Steps that
        find the second (|e| = tan(phi/2) > 1) or are to turn by more than 1.55 are reported as failures; keep the
        rotation of a step below 1.2. With a costly torque and large h take `polhode.dmv(order, substeps=m)`: m steps
        of h/m between the kicks, with the moments computed once.

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


CLAIMS = dict(
    family="Moser-Veselov",
    torques_per_step=1,
    symmetric=True,
    poisson_free=True,
    momentum_free=True,
    energy_free=True,
    momentum_top=True,
    energy_top=False,
)


@checked_call
def dmv(order: int, substeps: int = 1) -> Method:
    """The preprocessed Moser-Veselov method of an even order, with m = `substeps` small steps between the kicks.

    Parameters
    ----------
    order : int
        Even.
    substeps : int
        Small steps between the kicks.

    Returns
    -------
    Method
        For anything that takes a method.

    Examples
    --------
    >>> import polhode as ph
    >>> ph.dmv(8, substeps=10).name
    'DMV8*10'
    """
    order, substeps = even(order), _whole(substeps)
    return Method(
        name=f"DMV{order}" if substeps == 1 else f"DMV{order}*{substeps}",
        title=f"preprocessed discrete Moser-Veselov, order {order}"
        + ("" if substeps == 1 else f", {substeps} steps between the kicks"),
        step=kicked(dmv_flow(order, substeps)),
        start=start_trail if substeps == 1 else started(_trail(substeps)),
        coefficients=coefficients(free_body.preprocessed, order // 2 - 1),
        sources=("hairer-vilmart-2006", "moser-veselov-1991"),
        order=Order(free=(order, order), torque=(2, 2)),
        drift="+" if order == 4 else "none",
        symplectic_free=order == 2,
        symplectic=order == 2,
        **by_kicks(symplectic=order == 2, momentum=True, energy=True),
        **CLAIMS,
    )


@recipe
@functools.cache
def coefficients(series: Any, most: int, variables: int = 2) -> Callable[..., Any]:
    """What a method states as its coefficients: those of the two series(most) for a body, one after the other."""

    def of_body(J: tuple[float, float, float], number: type) -> tuple[float, ...]:
        exact = _exact(series, most, variables, J)
        if number is float and any(x and not SMALLEST_COEFFICIENT < abs(x) < 1 / SMALLEST_COEFFICIENT for x in exact):
            raise InputError(
                f"With moments of inertia {J} the series of this method leaves the range of floating-point numbers, "
                "which would cost its order: choose a unit in which the moments are nearer to 1."
            )
        return tuple(rounded(x, number) for x in exact)

    return of_body


@functools.lru_cache(maxsize=256)
def _exact(series: Any, most: int, variables: int, J: tuple[Any, ...]) -> tuple[Fraction, ...]:
    """The coefficients for a body: milliseconds of fractions, so those of the last bodies are kept."""
    return tuple(x for s in series(most) for x in free_body.numbers(s, J, variables))


SMALLEST_COEFFICIENT = Fraction(1, 2**900)
"""Coefficients below this, or above its inverse, leave no room for the products they enter."""


@recipe
@functools.cache
def _trail(substeps: Any) -> Any:
    @kernel
    def memory(h: Number, q: Quat, Pi: Vec3, body: Body) -> Any:
        e = mul(body[1], scaled(h / (2 * substeps), Pi))
        return e + e + e

    return memory


def even(order: int, most: int = 20, what: str = "Moser-Veselov methods are") -> int:
    """An order that these methods can have; 20 takes some seconds, and more than floats can use."""
    if not _is_whole(order) or order not in range(2, most + 1, 2):
        raise InputError(f"The order is {one_line(order)}; {what} made for the even orders 2 to {most}.")
    return int(order)


def _whole(substeps: int) -> int:
    if not _is_whole(substeps) or substeps not in range(1, 1001):
        raise InputError(f"substeps is {one_line(substeps)}; it must be a whole number from 1 to 1000.")
    return int(substeps)


def _is_whole(value: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


DMV4, DMV6, DMV8, DMV10, DMV12 = (dmv(order) for order in (4, 6, 8, 10, 12))
