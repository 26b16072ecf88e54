"""Runge-Kutta-Nystrom splittings: kicks between exact free flights, of orders 6 and 8 with a torque."""

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from polhode.errors import InputError
from polhode.integrators.elliptic import flight
from polhode.integrators.method import Method, Order
from polhode.integrators.parts.tableaux import ZERO, constants
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Report, State
from polhode.kernels.rotations import unit
from polhode.kernels.step import start_plain, torque_at
from polhode.kernels.vectors import lin
from polhode.pickling import recipe


@recipe
@functools.cache
def nystrom_step(s: int) -> Callable[..., Any]:
    """The step of s free flights and s + 1 kicks; body[2] has their lengths in turn, a kick first."""

    def step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
        """Kick, free flight, kick, free flight, ..., kick, with lengths that make the order.

            Pi <- Pi + b_i h tau(t_i, Q),    (Q, Pi) <- free motion over a_i h,    t_i = t + (a_1 + ... + a_i-1) h

        The flights are exact (see EXACT), and a step three times as fast if two moments are equal. The kinetic
        energy T is quadratic in the momentum and the kicks shift it by a function of attitude and time, so the
        bracket {U, {U, {U, T}}} vanishes on this group as it does in a vector space, and with it every condition of
        order that contains it: what remains are the conditions of Runge-Kutta-Nystrom methods, far fewer than for a
        splitting in general. RKN6 has 11 flights (Blanes & Moan 2002), RKN8 has 19 (Blanes, Casas &
        Escorihuela-Tomas 2022), both optimised for a small error, both palindromes and hence symmetric. The order
        counts with any torque that does not depend on the velocity.

        Kicks and flights are symplectic, so the step is, and energy does not drift; both keep vertical momentum. Free,
        the step is the exact motion: spatial momentum and energy are exact, and the map of Pi is Poisson.

        Explicit; one torque per flight, that of the last kick being the first of the next step. Pitfall: the
        letters cannot be exchanged: with flights b and kicks a the order is 2.
        """
        q, Pi, tau, memory = state
        c = body[2]
        at = 0 * h
        Pi = lin(1, Pi, c[0] * h, tau)
        for i in range(s):
            q, Pi = flight(c[2 * i + 1] * h, q, Pi, body[0], body[1])
            at = at + c[2 * i + 1]
            tau = torque_at(t + at * h, q, body)
            Pi = lin(1, Pi, c[2 * i + 2] * h, tau)
        return (unit(q), Pi, tau, memory), NO_SOLVE

    step.__name__ = f"nystrom_{s}_step"
    return step


@dataclass(frozen=True)
class Splitting:
    """Half of the flights a and kicks b of a palindrome; what is left of 1 goes to the middle."""

    a: tuple[Any, ...]
    b: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(self.a) != len(self.b):
            raise InputError(
                f"A splitting needs as many kicks as flights before the middle, not {len(self.b)} and {len(self.a)}."
            )

    @property
    def lengths(self) -> tuple[Fraction, ...]:
        """The lengths of kick, flight, kick, ..., kick."""
        a, b = ([Fraction(x) for x in half] for half in (self.a, self.b))
        flights = [*a, 1 - 2 * sum(a), *reversed(a)]
        kicks = [*b, *(Fraction(1, 2) - sum(b),) * 2, *reversed(b)]
        return (*(x for pair in zip(kicks, flights) for x in pair), kicks[-1])

    @functools.cached_property
    def order(self) -> Any:
        """The order, up to 8: how far the product of exponentials is that of the sum, where [B, [B, [B, A]]] = 0.

        A palindrome is symmetric: words of even length add no condition.
        """
        with localcontext(prec=70):
            series = product(self.lengths, 7)
            for n in (1, 3, 5, 7):
                wanted = 1 / Decimal(math.factorial(n))
                defects: dict[str, Decimal] = {}
                for word in map("".join, itertools.product("AB", repeat=n)):
                    for normal, factor in reduced(word).items():
                        defects[normal] = defects.get(normal, Decimal(0)) + factor * (series[word] - wanted)
                if max(map(abs, defects.values())) > ZERO:
                    return n - 1
        return 8


def product(lengths: tuple[Fraction, ...], highest: int) -> dict[str, Decimal]:
    """The coefficients of exp(b_1 B) exp(a_1 A) exp(b_2 B) ... at all words in A and B up to this length."""
    words = ["".join(w) for n in range(highest + 1) for w in itertools.product("AB", repeat=n)]
    series = {w: Decimal(not w) for w in words}
    for letter, x in zip(itertools.cycle("BA"), lengths):
        length = Decimal(x.numerator) / Decimal(x.denominator)
        power = [length**k / math.factorial(k) for k in range(highest + 1)]
        series = {
            w: sum((series[w[: len(w) - k]] * power[k] for k in range(len(w) - len(w.rstrip(letter)) + 1)), Decimal(0))
            for w in words
        }
    return series


@functools.cache
def reduced(word: str) -> dict[str, int]:
    """A word as words without BBBA, which is 3 BBAB - 3 BABB + ABBB where [B, [B, [B, A]]] = 0."""
    before, middle, after = word.partition("BBBA")
    if not middle:
        return {word: 1}
    result: dict[str, int] = {}
    for other, factor in (("BBAB", 3), ("BABB", -3), ("ABBB", 1)):
        for normal, times in reduced(before + other + after).items():
            result[normal] = result.get(normal, 0) + factor * times
    return result


# Published with 15 and with 30 digits; refined to the nearest solution of the conditions, which leave four parameters
# free at order 6 and two at order 8.
BLANES_MOAN = Splitting(
    (
        "0.12322977594627115156108638033336675259052493506632400217285179",
        "0.29055379779955827036641416932791618333021012549376493684280920",
        "-0.12704921262541691566250505382748593447301974790937436416947842",
        "-0.24633176106207540419497348910406286259601062828773676158865315",
        "0.35720887279592775261986034961931046283688937146325047064823602",
    ),
    (
        "0.041464998518262843298778133914704936723936175943344961077765568",
        "0.19812867191806654113672647318149696061253521636787924762910514",
        "-0.040006192104152686888828363535944839375694177760994167327244939",
        "0.075253984301580341127878878527042755541751208428237835642543548",
        "-0.011511387420687770062443201501289199552592637810078203186898250",
    ),
)
BLANES_CASAS_ESCORIHUELA = Splitting(
    (
        "0.33754867529131724194244011657474471049185180641135743002392563",
        "-0.22364797757540999033176822238003431530037549107814341943008674",
        "0.16894971487222374090638513801510575874489789927001146445242877",
        "0.17117993881620588615478313633406158829536489682309303403639556",
        "-0.34976516806729287722114463131241377513046814748212844382935361",
        "0.52380886100631239771207035752421590463505418862001457149601218",
        "-0.19420887106304912406639476528149422337885916625889152115097155",
        "-0.32349675133793108730982347756057162301596802079078982305686014",
        "0.32281728761489974921660169379877649170971284687677104646671907",
    ),
    (
        "0.036132460472136313416730168194343551817421747844559512409652764",
        "0.012697863961074113381675193011205033945674242424900729496661570",
        "0.20131839124062927610906804183573386594216185759192908842673426",
        "0.13568335013450423320133067167054271766269754355168810467164490",
        "-0.057907183399996304150474066301574984932486945701727360792889675",
        "-0.077250950179264954946387493182144147333184173575311203089933893",
        "-0.0026475826640992595282216120347215993868801471788312937617107716",
        "-0.032984438494560306532079753735495557524521307214918379446666292",
        "0.047678156095036692753064628975508249908836521840426035847893163",
    ),
)


def _nystrom(order: int, splitting: Splitting, source: str) -> Method:
    lengths = splitting.lengths
    s = len(lengths) // 2
    return Method(
        name=f"RKN{order}",
        title=f"Runge-Kutta-Nystrom splitting of {s} exact free flights",
        family="Runge-Kutta-Nystrom",
        sources=(source, "celledoni-fasso-safstrom-zanna-2008"),
        step=nystrom_step(s),
        start=start_plain,
        coefficients=constants(tuple(lengths)),
        order=Order(free=(math.inf, math.inf), torque=(order, order)),
        torques_per_step=s,
        symmetric=True,
        symplectic_free=True,
        symplectic=True,
        poisson_free=True,
        momentum_free=True,
        energy_free=True,
        momentum_top=True,
        energy_top=False,
        drift="none",
    )


RKN6 = _nystrom(6, BLANES_MOAN, "blanes-moan-2002")
RKN8 = _nystrom(8, BLANES_CASAS_ESCORIHUELA, "blanes-casas-escorihuela-tomas-2022")
