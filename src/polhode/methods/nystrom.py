"""Runge-Kutta-Nystrom splittings: kicks between exact free flights, of orders 6 and 8 with a torque."""

import functools
import itertools
import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from polhode.body import start_plain, torque_at
from polhode.errors import InputError
from polhode.exact.free_flow import free_flow
from polhode.methods.tableaux import ZERO, rounded
from polhode.model import Method, Order
from polhode.so3.rotations import compose, unit
from polhode.so3.vectors import lin
from polhode.solver import NO_SOLVE


@functools.cache
def nystrom_step(s):
    """The step of s free flights and s + 1 kicks; body[2] has their lengths in turn, a kick first."""

    def step(h, t, state, body):
        """Kick, free flight, kick, free flight, ..., kick, with lengths that make the order.

            Pi <- Pi + b_i h tau(t_i, Q),    (Q, Pi) <- free motion over a_i h,    t_i = t + (a_1 + ... + a_i-1) h

        The flights are exact (see EXACT). The kinetic energy T is quadratic in the momentum and the kicks shift it
        by a function of attitude and time, so the bracket {U, {U, {U, T}}} vanishes on this group as it does in a
        vector space, and with it every condition of order that contains it: what remains are the conditions of
        Runge-Kutta-Nystrom methods, far fewer than for a splitting in general. RKN6 has 11 flights (Blanes & Moan
        2002), RKN8 has 17 (Blanes, Casas & Escorihuela-Tomas 2022), both optimised for a small error, both
        palindromes and hence symmetric. The order counts with any torque that does not depend on the velocity.

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
            F, Pi = free_flow(c[2 * i + 1] * h, Pi, body[0])
            q = compose(q, F)
            at = at + c[2 * i + 1]
            tau = torque_at(t + at * h, q, body)
            Pi = lin(1, Pi, c[2 * i + 2] * h, tau)
        return (unit(q), Pi, tau, memory), NO_SOLVE

    step.__name__ = f"nystrom_{s}_step"
    return step


@dataclass(frozen=True)
class Splitting:
    """Half of the flights a and kicks b of a palindrome; what is left of 1 goes to the middle."""

    a: tuple
    b: tuple

    def __post_init__(self):
        if len(self.a) != len(self.b):
            raise InputError(
                f"A splitting needs as many kicks as flights before the middle, not {len(self.b)} and {len(self.a)}."
            )

    @property
    def lengths(self):
        """The lengths of kick, flight, kick, ..., kick."""
        a, b = ([Fraction(x) for x in half] for half in (self.a, self.b))
        flights = [*a, 1 - 2 * sum(a), *reversed(a)]
        kicks = [*b, *(Fraction(1, 2) - sum(b),) * 2, *reversed(b)]
        return (*(x for pair in zip(kicks, flights) for x in pair), kicks[-1])

    @functools.cached_property
    def order(self):
        """The order, up to 8: how far the product of exponentials is that of the sum, where [B, [B, [B, A]]] = 0.

        A palindrome is symmetric: words of even length add no condition.
        """
        with localcontext(prec=70):
            series = product(self.lengths, 7)
            for n in (1, 3, 5, 7):
                wanted, defects = 1 / Decimal(math.factorial(n)), {}
                for word in map("".join, itertools.product("AB", repeat=n)):
                    for normal, factor in reduced(word).items():
                        defects[normal] = defects.get(normal, 0) + factor * (series[word] - wanted)
                if max(map(abs, defects.values())) > ZERO:
                    return n - 1
        return 8


def product(lengths, highest):
    """The coefficients of exp(b_1 B) exp(a_1 A) exp(b_2 B) ... at all words in A and B up to this length."""
    words = ["".join(w) for n in range(highest + 1) for w in itertools.product("AB", repeat=n)]
    series = {w: Decimal(not w) for w in words}
    for letter, x in zip(itertools.cycle("BA"), lengths):
        x = Decimal(x.numerator) / Decimal(x.denominator)
        power = [x**k / math.factorial(k) for k in range(highest + 1)]
        series = {
            w: sum(series[w[: len(w) - k]] * power[k] for k in range(len(w) - len(w.rstrip(letter)) + 1)) for w in words
        }
    return series


@functools.cache
def reduced(word):
    """A word as words without BBBA, which is 3 BBAB - 3 BABB + ABBB where [B, [B, [B, A]]] = 0."""
    before, found, after = word.partition("BBBA")
    if not found:
        return {word: 1}
    result = {}
    for other, factor in (("BBAB", 3), ("BABB", -3), ("ABBB", 1)):
        for normal, times in reduced(before + other + after).items():
            result[normal] = result.get(normal, 0) + factor * times
    return result


# Published with 15 digits and with 30; refined on the conditions, of which the first leave four parameters free.
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
        "0.16022769607383951369097024007558320031531715421042937997542384",
        "0.30635450743686731987944095709956775612577547417847547511607129",
        "0.30839550889517119175654497555611061826051241355113281794249195",
        "0.12036208656623340845006317765917846341540355263729662042311442",
        "-0.62288868754918387207218621871840094944678956702993539197800766",
        "0.63556095163299007837867201654834192229086005552863385490099099",
        "-0.14422697479541922964043736391321350282531542101548231462099093",
        "-0.28486752707417381667899281754472329092905644030828851407600954",
    ),
    (
        "0.051419614253721007334315269345883652095103348622186993456060533",
        "0.25049703031834287145841794109106413429169300666794393371497350",
        "0.51241226830032735003549280665289359444070310267629689349296018",
        "-0.23159713865089440127964518436354027269507632196102003283862666",
        "0.11609132353687575988121629897451442447222170047006425702850630",
        "-0.0098365173246965763985763034282911741050711206728850668234097256",
        "-0.10803277146628163863427756374696627661790908136957790899381426",
        "0.24903986419802364200294091006999585864670567381934019105012430",
    ),
)


def _nystrom(splitting, source):
    lengths, order = splitting.lengths, splitting.order
    s = len(lengths) // 2
    return Method(
        name=f"RKN{order}",
        title=f"Runge-Kutta-Nystrom splitting of {s} exact free flights",
        family="Runge-Kutta-Nystrom",
        sources=(source, "celledoni-fasso-safstrom-zanna-2008"),
        step=nystrom_step(s),
        start=start_plain,
        coefficients=lambda J, number: tuple(rounded(x, number) for x in lengths),
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


RKN6 = _nystrom(BLANES_MOAN, "blanes-moan-2002")
RKN8 = _nystrom(BLANES_CASAS_ESCORIHUELA, "blanes-casas-escorihuela-tomas-2022")
