"""Composition: any symmetric method, repeated with the step sizes of a scheme, as a method of higher order."""

import functools
import inspect
import itertools
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from polhode.errors import InputError
from polhode.inputs import checked_call
from polhode.integrators.method import Method, Order
from polhode.integrators.parts.schemes import scheme as scheme_of
from polhode.integrators.parts.tableaux import rounded
from polhode.integrators.properties import CLAIMED
from polhode.kernels.numbers import Body, Mat3, Number, Report, State, Vec3
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_plain
from polhode.kernels.vectors import cross, lin, mul, plus
from polhode.pickling import recipe


@recipe
@functools.cache
def composed_step(inner_step: Callable[..., Any], inner_start: Callable[..., Any], s: int) -> Callable[..., Any]:
    """The step of a method composed of s of its own; the weights come before its own coefficients in body[2]."""

    def step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        """A composition: the method below, with steps g_1 h, g_2 h, ... that add up to h, some of them backwards.

        A symmetric method has an error with odd powers of h only, and weights that read the same backwards keep
        it so; a few equations for the weights then remove the leading terms (see `polhode.integrators.parts.schemes`).
        The order is that of the scheme with the torque as without one, since the whole step is composed, kicks
        included. Whatever the method keeps in every step, whatever its size, the composition keeps: symmetry,
        the symplectic form, momentum, energy. Without a drift there is none; with one, it becomes one of
        the higher order.

        The torque at the end of a stage is the first of the next, so a step costs as many evaluations as stages.
        Implicit equations are guessed anew in each stage, from the velocity half a stage on: the stages before
        differ in size and sign, and extrapolating stage by stage over whole steps takes more iterations and
        more memory.

        With torques of the velocity the kicks are composed too, and a substep backwards amplifies what damps. Of
        linear damping that is exact, exp(+c) after exp(-c), and undone by the next; of other friction it is the
        solution of an equation that grows, wrong or not there where the friction is strong over a step. GAUSS8 and
        GAUSS16 have no step backwards.

        Pitfall: weights rounded to floats leave an error of about 1e-16 of each step, below that of the arithmetic.
        """
        q, Pi, tau, memory = state
        J, iJ, c, torque = body
        own = (J, iJ, c[s:], torque)
        iterations, error, at = 0, 0 * h, 0 * h
        for i in range(s):
            k = c[i] * h
            middle = lin(1, Pi, k / 2, plus(cross(Pi, mul(iJ, Pi)), tau))
            guess = inner_start(k, t, q, middle, (J, iJ, c[s:], (known_torque, tau)))[3]
            (q, Pi, tau, guess), report = inner_step(k, t + at * h, (q, Pi, tau, guess), own)
            iterations += report[0]
            error = error + report[1]
            at = at + c[i]
        return (q, Pi, tau, memory), (iterations, error)

    step.__name__ = f"{inner_step.__name__}_composed"
    if step.__doc__:  # python -OO has no docstrings
        step.__doc__ = f"{inspect.cleandoc(step.__doc__)}\n\nThe method: {inspect.cleandoc(inner_step.__doc__ or '-')}"
    return step


@recipe
def composed_coefficients(weights: tuple[Any, ...], own: Callable[..., Any] | None) -> Callable[..., Any]:
    """The weights of a scheme, and behind them the coefficients of the method composed."""
    return lambda J, number: (*(rounded(g, number) for g in weights), *(own(J, number) if own else ()))


@kernel
def known_torque(t: Number, Q: Mat3, tau: Vec3) -> Vec3:
    """The torque where it is known already: a guess must not cost an evaluation."""
    return tau


@checked_call
def compose(method: str | Method, scheme: Any) -> Method:
    """A symmetric method raised to the order of a scheme, as a Method: compose("VLV", "KL8").

    Its claims follow from those of the method and from the weights.

    Parameters
    ----------
    method : str, Method, callable or BlackBox
        a name or a Method; it must be symmetric
    scheme : str or sequence of float
        "S4", "S6", "S8" (Suzuki), "Y4", "Y6", "Y8" (Yoshida), "KL6", "KL8" (Kahan & Li), "SS10" (Sofroniou & Spaletta),
        or weights of your own: they must add up to 1 and read the same backwards

    Returns
    -------
    Method
        For anything that takes a method.

    Raises
    ------
    InputError
        A method that is not symmetric, or weights that are no scheme.

    Examples
    --------
    >>> import polhode as ph
    >>> ph.compose("VLV", "KL8").order
    8
    """
    from polhode.integrators.lookup import method as look_up

    scheme, base = scheme_of(scheme), look_up(method)
    orders = _checked(base)
    s = scheme.stages
    raised = {kind: tuple(scheme.order(n) for n in pair) for kind, pair in orders.items()}
    return Method(
        name=f"{base.name}/{scheme.name}",
        title=f"{base.title or base.name}, composed by {scheme.title or scheme.name}",
        family="composition",
        sources=tuple(dict.fromkeys((*base.sources, *scheme.sources))),
        step=composed_step(base.step, base.start, s),
        start=start_plain,
        coefficients=composed_coefficients(scheme.weights, base.coefficients),
        nodes=base.nodes,
        free_only=base.free_only,
        velocity=base.velocity,
        composed=(base, s),
        order=raised["free"][0] if len({n for pair in raised.values() for n in pair}) == 1 else Order(**raised),
        torques_per_step=None if base.torques_per_step is None else s * base.torques_per_step,
        **{row.claim: getattr(base, row.claim) for row in CLAIMED if row.composes},
        drift="none" if base.drift == "none" else None,
    )


def _checked(base: Method) -> dict[str, tuple[int, int]]:
    """The orders of a method that can be composed, or the reason why it cannot."""
    if base.extended:
        raise InputError(
            f"{base.name} carries memory from step to step that belongs to one step size: it cannot be composed."
        )
    if not base.symmetric:
        what = "is not symmetric" if base.symmetric is False else "does not say that it is symmetric"
        raise InputError(
            f"{base.name} {what}: its error has even powers of h too, which these schemes do not remove. Compose a "
            "symmetric method" + (", or state symmetric=True if it is." if base.symmetric is None else ".")
        )
    parts = [part.name for part in fields(Order)]
    orders = {part: getattr(base.orders, "free" if base.free_only else part) for part in parts}
    for n in itertools.chain(*orders.values()):
        if n != n or n % 2 == 1:
            raise InputError(
                f"{base.name} states the order {base.order}; a symmetric method has an even one. State it as order=."
            )
    return orders
