"""Schemes of composition: step sizes with which a symmetric method, repeated, gains order.

    Psi(h) = Phi(g_s h) ... Phi(g_2 h) Phi(g_1 h),      g_1 + ... + g_s = 1,      g_i = g_{s+1-i}

A symmetric method is the flow of h X_1 + h^3 X_3 + h^5 X_5 + ... with X_1 the equation itself. The product of
the exponentials of its stages is a series in words of these letters, and a scheme has order p if up to weight p
it is that of exp(h X_1) alone: this is computed here for each scheme, not copied. A palindrome is symmetric again,
so its order is even. Weights are fractions; those without a closed form were refined from their published digits
to 62 on these conditions (where the conditions leave parameters free, to the nearest solution).
"""

import functools
import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from polhode.errors import InputError, unknown
from polhode.inputs import items
from polhode.integrators.parts.tableaux import ZERO, fractions

DIGITS = 70
MOST_WEIGHTS = 1000
HIGHEST_ORDER = 12
"""The highest order that is looked for."""


@dataclass(frozen=True)
class Scheme:
    """Weights of a symmetric composition: fractions, whole numbers, text, or floats (then to 1e-12)."""

    name: str
    weights: tuple[Any, ...]
    title: str = ""
    sources: tuple[str, ...] = ()
    tolerance: Fraction = ZERO

    def __post_init__(self) -> None:
        w = fractions(f"the weights of {self.name!r}", self.weights)
        if any(isinstance(x, float) for x in self.weights):
            object.__setattr__(self, "tolerance", Fraction(1, 10**12))
        object.__setattr__(self, "weights", w)
        if not w or abs(sum(w, Fraction(0)) - 1) > self.tolerance:
            raise InputError(f"The weights of the scheme {self.name!r} add up to {float(sum(w))!r}; they must to 1.")
        if any(abs(a - b) > self.tolerance for a, b in zip(w, reversed(w))):
            raise InputError(
                f"The weights of the scheme {self.name!r} do not read the same backwards: the composition would not be "
                "symmetric, and the conditions at even orders would have to be met as well."
            )

    @property
    def stages(self) -> int:
        """The number of stages."""
        return len(self.weights)

    @functools.cache  # noqa: B019  a scheme is data, and there are few
    def order(self, base: int = 2) -> int:
        """The order reached with a symmetric method of the even order `base`."""
        if base == math.inf:
            return base
        order = base
        while order < HIGHEST_ORDER and self.defect(order + 1, base) <= self.tolerance:
            order += 2
        return order

    def defect(self, weight: int, base: int = 2) -> Decimal:
        """The largest coefficient, among words up to `weight`, by which the composition differs from exp(h X_1)."""
        with localcontext(prec=DIGITS):
            series = product(self.weights, words(weight, base))
            wanted = {w: 1 / Decimal(math.factorial(len(w))) if set(w) <= {1} else Decimal(0) for w in series}
            return max(abs(series[w] - wanted[w]) for w in series)


def words(weight: int, base: int) -> list[tuple[int, ...]]:
    """The words of letters 1, base + 1, base + 3, ... that add up to at most `weight`."""
    letters = (1, *range(base + 1, weight + 1, 2))
    all_words: list[tuple[int, ...]] = [()]
    for word in all_words:
        all_words.extend((*word, k) for k in letters if sum(word) + k <= weight)
    return all_words


def product(weights: tuple[Fraction, ...], at_words: list[tuple[int, ...]]) -> dict[tuple[int, ...], Decimal]:
    """The coefficients of exp(sum_k g_1^k X_k) exp(sum_k g_2^k X_k) ... at the words found."""
    series = {word: Decimal(not word) for word in at_words}
    factorial = [Decimal(math.factorial(n)) for n in range(max(map(len, at_words)) + 1)]
    for g in weights:
        power = [(Decimal(g.numerator) / Decimal(g.denominator)) ** n for n in range(max(map(sum, at_words)) + 1)]
        series = {
            word: sum(
                (series[word[:i]] * power[sum(word[i:])] / factorial[len(word) - i] for i in range(len(word) + 1)),
                Decimal(0),
            )
            for word in at_words
        }
    return series


# ---- the schemes ---------------------------------------------------------------------------------------


def fractal(order: int, copies: int) -> tuple[Fraction, ...]:
    """The scheme that raises the order by two at a time, with so many copies on either side of a step back.

    From order p to p + 2 the sum of (p + 1)-th powers has to vanish: g = 1/(2n - (2n)^(1/(p+1))) for n copies.
    """
    weights: tuple[Fraction, ...] = (Fraction(1),)
    with localcontext(prec=DIGITS):
        for p in range(2, order, 2):
            n = 2 * copies
            g = Fraction(1 / (n - Decimal(n) ** (1 / Decimal(p + 1))))
            outer = (*(g,) * copies, 1 - n * g, *(g,) * copies)
            weights = tuple(a * b for a in outer for b in weights)
    return weights


def palindrome(*half: Any) -> tuple[Fraction, ...]:
    """The weights that begin so and read the same backwards, with what is left in the middle."""
    g = [Fraction(x) for x in half]
    return (*g, 1 - 2 * sum(g), *reversed(g))


SUZUKI = tuple(Scheme(f"S{p}", fractal(p, 2), f"Suzuki's fractal of order {p}", ("suzuki-1990",)) for p in (4, 6, 8))
TRIPLE_JUMP = Scheme("Y4", fractal(4, 1), "the triple jump of order 4", ("yoshida-1990", "suzuki-1990"))
YOSHIDA6 = Scheme(
    "Y6",
    palindrome(
        "0.78451361047755726381949763386634987577682441745149338456794780",
        "0.23557321335935813368479318297853460168646808210340111900349313",
        "-1.1776799841788710069464156809643157346392692526345984844753685",
    ),
    "Yoshida's solution A of order 6",
    ("yoshida-1990",),
)
# Published with 15 digits, of which the last three are not right for the conditions.
YOSHIDA8 = Scheme(
    "Y8",
    palindrome(
        "0.91484424622979156674879348984750960451811970872885837179725993",
        "0.25369333656621135414614602068994207609765316473247409663226760",
        "-1.4448522368606051576947306575373903549559101017955056024889062",
        "-0.15824063536805017520406677675975424775544511567575156808209837",
        "1.9381391376225259865791864874436417609535933574476502720727931",
        "-1.9606102329753108076076333763996636407924328198260053019104148",
        "0.10279984939179644069811513160122586291101560127844276827170206",
    ),
    "Yoshida's solution D of order 8",
    ("yoshida-1990",),
)
KAHAN_LI6 = Scheme(
    "KL6",
    palindrome(
        "0.39216144400731413927925055742267140380493426088797575244198482",
        "0.33259913678935943859974863750004964688158694434032559980839157",
        "-0.70624617255763935980996481954925645939551066682619560900455660",
        "0.082213596293550800231490448102056331103293891270607049210350418",
    ),
    "Kahan and Li's scheme of order 6",
    ("kahan-li-1997", "hairer-lubich-wanner-2006"),
)
KAHAN_LI8 = Scheme(
    "KL8",
    palindrome(
        "0.13020248308889008087881763209670052235724723381457407255103248",
        "0.56116298177510838456196440770015056726615935434099541436224391",
        "-0.38947496264484728640807859823524838883606804677157624725674240",
        "0.15884190655515560089621074570715248141214780943123190153096401",
        "-0.39590389413323757733623153934793893602677148542676501173906906",
        "0.18453964097831570709183254153337546281898734415031201402608159",
        "0.25837438768632204729397910999493947181307620895216706382391603",
        "0.29501172360931029887096624021822811297654323035150521610514794",
    ),
    "Kahan and Li's scheme of order 8",
    ("kahan-li-1997", "hairer-lubich-wanner-2006"),
)
SOFRONIOU_SPALETTA10 = Scheme(
    "SS10",
    palindrome(
        "0.078795722521686419263907679337684248298972997479945076758764957",
        "0.31309610341510852776481247192647269609405458076151633596320214",
        "0.027918383235078066109520273275298821934666726847552918385639311",
        "-0.22959284159390709415121339679654987648977758075601913222728922",
        "0.13096206107716486317465685927960541426468646640512516742877062",
        "-0.26973340565451071434460973222411149625077156687620709719417464",
        "0.074973343155891435666137105641410412048935182152234875866554152",
        "0.11199342399981020488957508073640205882533107073375409176951208",
        "0.36613344954622675119314812353149908309009413933938152741005129",
        "-0.39910563013603589787862981058340473047299365144713047908076477",
        "0.10308739852747107731580277001372447674712169643054393937594627",
        "0.41143087395589023782070411897607835068424185453473748413102722",
        "-0.0048663605831352617621956593099770627375158714626072160524968299",
        "-0.39203335370863990644808193642610427018449735046404101805574776",
        "0.051942502962449647037182904015975813379014016953631339024360535",
        "0.050665090759924496335874344156865797035679391737241933239902053",
        "0.049674370639729879054568800279460933716868284255416008413802351",
    ),
    "Sofroniou and Spaletta's scheme of order 10",
    ("sofroniou-spaletta-2005", "hairer-lubich-wanner-2006"),
)
SCHEMES = {s.name: s for s in (*SUZUKI, TRIPLE_JUMP, YOSHIDA6, YOSHIDA8, KAHAN_LI6, KAHAN_LI8, SOFRONIOU_SPALETTA10)}


def scheme(name: str) -> Scheme:
    """A scheme by name, case-blind; a Scheme is returned as it is, and of a list of weights one is made."""
    if isinstance(name, Scheme):
        return name
    if isinstance(name, str):
        by_name = {key.lower(): value for key, value in SCHEMES.items()}
        if name.lower() not in by_name:
            raise unknown("scheme of composition", name, list(SCHEMES))
        return by_name[name.lower()]
    weights = tuple(items("scheme", name, f"one of {', '.join(SCHEMES)}, or weights"))
    if len(weights) > MOST_WEIGHTS:
        raise InputError(f"scheme has {len(weights)} weights; at most {MOST_WEIGHTS} make sense.")
    return Scheme(f"{len(weights)} stages", weights, f"a scheme of {len(weights)} stages")
