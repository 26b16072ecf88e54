"""Composition of symmetric methods, and the splittings of Runge-Kutta-Nystrom type: coefficients, claims, errors."""

import itertools
import math
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import polhode as ph
from polhode.integrators.composition import compose
from polhode.integrators.nystrom import BLANES_CASAS_ESCORIHUELA, BLANES_MOAN, Splitting, reduced
from polhode.integrators.parts.schemes import SCHEMES, Scheme, palindrome, words
from polhode.integrators.properties import CLAIMED
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases
from tests.support.dop853 import reference_end
from tests.support.refine import agree, refined

STAGES_AND_ORDER = {
    "S4": (5, 4),
    "S6": (25, 6),
    "S8": (125, 8),
    "Y4": (3, 4),
    "Y6": (7, 6),
    "Y8": (15, 8),
    "KL6": (9, 6),
    "KL8": (17, 8),
    "SS10": (35, 10),
}

PRINTED = {  # the first half, without the middle, as published
    "Y6": "0.78451361047755726381949763 0.23557321335935813368479318 -1.17767998417887100694641568",
    "Y8": "0.914844246229740 0.253693336566229 -1.44485223686048 -0.158240635368243 1.93813913762276 "
    "-1.96061023297549 0.102799849391985",
    "KL6": "0.39216144400731413927925056 0.33259913678935943859974864 -0.70624617255763935980996482 "
    "0.08221359629355080023149045",
    "KL8": "0.13020248308889008087881763 0.56116298177510838456196441 -0.38947496264484728640807860 "
    "0.15884190655515560089621075 -0.39590389413323757733623154 0.18453964097831570709183254 "
    "0.25837438768632204729397911 0.29501172360931029887096624",
    "SS10": "0.078795722521686419263907679337684 0.31309610341510852776481247192647 "
    "0.027918383235078066109520273275299 -0.22959284159390709415121339679655 0.13096206107716486317465685927961 "
    "-0.26973340565451071434460973222411 0.074973343155891435666137105641410 0.11199342399981020488957508073640 "
    "0.36613344954622675119314812353150 -0.39910563013603589787862981058340 0.10308739852747107731580277001372 "
    "0.41143087395589023782070411897608 -0.0048663605831352617621956593099771 -0.39203335370863990644808193642610 "
    "0.051942502962449647037182904015976 0.050665090759924496335874344156866 0.049674370639729879054568800279461",
}


def half(scheme):
    return scheme.weights[: scheme.stages // 2]


# ---- schemes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMES)
def test_stages_and_order_of_a_scheme(name):
    scheme = SCHEMES[name]
    assert (scheme.stages, scheme.order()) == STAGES_AND_ORDER[name]
    assert sum(scheme.weights) == 1


def test_closed_forms():
    with mpmath.workdps(60):
        for name, n in (("S4", 4), ("Y4", 2)):
            g = 1 / (n - mpf(n) ** (mpf(1) / 3))
            assert agree([g], SCHEMES[name].weights[:1], 58)


def sums(half):
    """The conditions of order 6 as sums (Hairer, Lubich & Wanner V.3): independent of the series in words."""
    g = [*half, 1 - 2 * sum(half), *reversed(half)]
    c = list(itertools.accumulate(g))
    middle = [end - x / 2 for end, x in zip(c, g)]
    return [sum(x**3 for x in g), sum(x**5 for x in g), sum(x**3 * m**2 for x, m in zip(g, middle))]


@pytest.mark.parametrize("name, rank", [("KL6", 3), ("Y6", 3)])
def test_order_6_is_the_published_scheme_refined_on_its_conditions(name, rank):
    x, found = refined(sums, PRINTED[name].split())
    assert found == rank
    assert agree(x, half(SCHEMES[name]), 50)


def exponentials(half, weight):
    """What the product of the stages' exponentials has too much, at every word of weight at most `weight`."""
    g = [*half, 1 - 2 * sum(half), *reversed(half)]
    found = words(weight, 2)
    series = {w: mpf(not w) for w in found}
    for x in g:
        series = {
            w: sum(series[w[:i]] * x ** sum(w[i:]) / math.factorial(len(w) - i) for i in range(len(w) + 1))
            for w in found
        }
    return [series[w] - (mpf(1) / math.factorial(len(w)) if set(w) <= {1} else 0) for w in found]


@pytest.mark.parametrize("name", ["KL8", "Y8"])
def test_order_8_is_the_published_scheme_refined_on_its_conditions(name):
    x, rank = refined(lambda half: exponentials(half, 7), PRINTED[name].split())
    assert rank == 7
    assert agree(x, half(SCHEMES[name]), 50)


def test_order_10_meets_its_conditions_and_has_the_published_digits():
    printed = [Fraction(x) for x in PRINTED["SS10"].split()]
    assert max(abs(a - b) for a, b in zip(half(SCHEMES["SS10"]), printed)) < Fraction(1, 10**31)
    with mpmath.workdps(70):
        stored = [mpf(x.numerator) / x.denominator for x in half(SCHEMES["SS10"])]
        assert max(map(abs, exponentials(stored, 9))) < mpf(10) ** -59


def test_the_last_digits_of_yoshidas_scheme_are_not_right():
    printed = [Fraction(x) for x in PRINTED["Y8"].split()]
    off = max(abs(a - b) for a, b in zip(half(SCHEMES["Y8"]), printed))
    assert Fraction(1, 10**13) < off < Fraction(1, 10**12)


def test_order_on_a_method_that_has_a_higher_one_already():
    kl6 = SCHEMES["KL6"]
    assert (kl6.order(4), kl6.order(6), kl6.order(8), kl6.order(math.inf)) == (6, 6, 8, math.inf)
    assert SCHEMES["Y4"].order(4) == 4  # it removes the third powers only
    assert Scheme("halves", ("1/2", "1/2")).order() == 2


# ---- composed methods ----------------------------------------------------------------------------------

COMPOSED = ["VLV/S4", "VLV/Y6", "VLV/Y8", "VLV/KL6", "VLV/KL8", "RATTLE/KL6", "ELN/S4", "AKW/S4", "TLN/Y4", "SR2/KL6"]


@pytest.mark.parametrize("name", COMPOSED)
def test_claims_follow(name):
    method = compose(*name.split("/"))
    for row in CLAIMED:
        if row.is_of(method) and row.composes:
            assert theorems.tested(row, method).holds is getattr(method, row.claim), row.claim
        else:
            assert getattr(method, row.claim) is None


@pytest.mark.parametrize("name", COMPOSED)
def test_order_follows(name):
    method = compose(*name.split("/"))
    assert theorems.order(method, cases.free()) == pytest.approx(method.orders.free, abs=0.05)
    assert theorems.order(method, cases.forced()) == pytest.approx(method.orders.torque, abs=0.05)


def test_order_10_at_60_digits():
    method = compose("VLV", "SS10")
    assert theorems.order(method, cases.forced(), digits=60) == pytest.approx((10, 10), abs=0.05)


def test_orders_that_differ():
    assert compose("DMV8", "KL6").order == ph.Order(free=(8, 8), torque=(6, 6))
    assert compose("EXACT", "KL8").order == ph.Order(free=(math.inf, math.inf), torque=(8, 8))
    assert compose(compose("VLV", "Y4"), "Y6").order == 6  # Y6 removes the fifth powers too


def test_what_is_derived():
    method = compose("vlv", "kl8")
    assert (method.name, method.order, method.torques_per_step, method.drift) == ("VLV/KL8", 8, 17, "none")
    assert {"bou-rabee-marsden-2009", "kahan-li-1997"} <= set(method.sources)
    assert "variational" in method.title and "Lie-Verlet" in method.lecture and "composition" in method.lecture
    assert compose("ELN", "KL8").drift is None  # of a higher order, and of a sign nobody has computed
    assert compose("TLN", "KL6").torques_per_step is None
    assert compose("LIEMID", "S4").free_only
    assert compose("VLV", "KL8").step is method.step


@pytest.mark.parametrize("name", ["VLV/KL8", "TLN/KL6", "SR2/S4", "IMR4/Y4"])
def test_torque_evaluations(name):
    method = compose(*name.split("/"))
    counted = theorems.torque_calls(method, steps=8)
    assert ph.solve(cases.potential(), method, h=0.125, n_steps=8, compiled=False).stats["n_torque"] == counted
    assert method.torques_per_step is None or counted == 1 + 8 * method.torques_per_step


@pytest.mark.parametrize("name", ["VLV/KL8", "TLN/KL6", "LIEMID[EA]/Y6", "DMV6/S4", "RKN6", "RKN8"])
def test_compiled_equals_interpreted(name):
    method = ph.method(name) if "/" not in name else compose(*name.split("/"))
    one = ph.solve("forced", method, h=0.25, n_steps=40)
    two = ph.solve("forced", method, h=0.25, n_steps=40, compiled=False)
    assert one.stats["compiled"] and np.array_equal(one.Q, two.Q) and np.array_equal(one.Omega, two.Omega)


def test_guesses_are_as_good_as_those_of_the_method_itself():
    """Iterations per stage: extrapolating stage by stage takes 3.0 at h = 1/2 and 3.8 at h = 1."""
    for h, most in ((0.125, 2.1), (0.5, 2.6), (1.0, 3.0)):
        s = ph.solve("stress", compose("VLV", "KL8"), h=h, n_steps=400, save_every=400)
        assert s.success and s.stats["n_iterations"] < most * 17 * 400


@pytest.mark.parametrize("name, n", [("VLV/KL8", 100), ("VLV/SS10", 50), ("RKN6", 100), ("RKN8", 50)])
def test_round_off_is_reached(name, n):
    method = ph.method(name) if "/" not in name else compose(*name.split("/"))
    Q, Omega = reference_end("stress", 5.0)
    s = ph.solve("stress", method, h=5 / n, n_steps=n)
    assert np.abs(s.Q[-1] - Q).max() < 3e-13 and np.abs(s.Omega[-1] - Omega).max() < 3e-13
    assert np.abs(s.energy_error).max() < 1e-13


# ---- misuse --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method, scheme, says",
    [
        ("RKMK4", "KL8", "RKMK4 is not symmetric"),
        ("SW", "KL8", "SW carries memory"),
        ("VLV", "KL7", "no scheme of composition 'KL7'. Did you mean 'KL"),
        ("VLW", "KL8", "no method 'VLW'. Did you mean 'VLV'"),
        ("VLV", (0.5, 0.25, 0.25), "read the same backwards"),
        ("VLV", (0.5, 0.4, 0.5), "add up to 1.4"),
        ("VLV", (), "add up to 0"),
        (ph.Method(name="MINE", step=print), "KL8", "MINE does not say that it is symmetric"),
        (ph.Method(name="MINE", step=print, symmetric=True), "KL8", "MINE states the order None"),
        (ph.Method(name="MINE", step=print, symmetric=True, order=3), "KL8", "MINE states the order 3"),
    ],
)
def test_what_cannot_be_composed(method, scheme, says):
    with pytest.raises(ph.InputError, match=says):
        compose(method, scheme)


def test_weights_of_ones_own():
    w = 1 / (2 - 2 ** (1 / 3))
    method = compose("VLV", (w, 1 - 2 * w, w))
    assert (method.name, method.order) == ("VLV/3 stages", 4)
    assert compose("VLV", Scheme("mine", palindrome("1/3"))).order == 2


# ---- Runge-Kutta-Nystrom -------------------------------------------------------------------------------

PRINTED_RKN = {
    6: "0.123229775946271 0.290553797799558 -0.127049212625417 -0.246331761062075 0.357208872795928 "
    "0.0414649985182624 0.198128671918067 -0.0400061921041533 0.0752539843015807 -0.0115113874206879",
    8: "0.337548675291317241942440116575 -0.223647977575409990331768222380 0.168949714872223740906385138015 "
    "0.171179938816205886154783136334 -0.349765168067292877221144631312 0.523808861006312397712070357524 "
    "-0.194208871063049124066394765282 -0.323496751337931087309823477561 0.322817287614899749216601693799 "
    "0.036132460472136313416730168194 0.012697863961074113381675193011 0.201318391240629276109068041836 "
    "0.135683350134504233201330671671 -0.0579071833999963041504740663015 "
    "-0.0772509501792649549463874931821 -0.00264758266409925952822161203471 "
    "-0.0329844384945603065320797537355 0.0476781560950366927530646289755",
}


def brackets(x, highest):
    """The conditions: exp(b_1 B) exp(a_1 A) ... against exp(A + B), at words without BBBA up to this length."""
    m = len(x) // 2
    a, b = x[:m], x[m:]
    flights = [*a, 1 - 2 * sum(a), *reversed(a)]
    kicks = [*b, *[mpf(1) / 2 - sum(b)] * 2, *reversed(b)]
    found = ["".join(w) for n in range(highest + 1) for w in itertools.product("AB", repeat=n)]
    series = {w: mpf(not w) for w in found}
    for letter, y in itertools.chain(*(((("B", p), ("A", q))) for p, q in zip(kicks, flights)), [("B", kicks[-1])]):
        series = {
            w: sum(
                series[w[: len(w) - k]] * y**k / math.factorial(k) for k in range(len(w) - len(w.rstrip(letter)) + 1)
            )
            for w in found
        }
    defects = {}
    for w in found:
        for normal, factor in reduced(w).items():
            defects[normal] = defects.get(normal, 0) + factor * (series[w] - mpf(1) / math.factorial(len(w)))
    return list(defects.values())


@pytest.mark.parametrize("order, ours, rank", [(6, BLANES_MOAN, 6), (8, BLANES_CASAS_ESCORIHUELA, 16)])
def test_the_splittings_are_the_published_ones_refined_on_their_conditions(order, ours, rank):
    x, found = refined(lambda x: brackets(x, order - 1), PRINTED_RKN[order].split(), digits=80 if order == 6 else 66)
    numbers = [Fraction(y) for y in (*ours.a, *ours.b)]
    assert found == rank
    assert agree(x, numbers, 50)
    assert ours.order == order


def test_flights_and_kicks_cannot_be_exchanged():
    assert Splitting(BLANES_MOAN.b, BLANES_MOAN.a).order == 2
    assert Splitting(BLANES_CASAS_ESCORIHUELA.b, BLANES_CASAS_ESCORIHUELA.a).order == 2


def test_a_triple_bracket_that_vanishes():
    """[B, [B, [B, A]]] reduces to nothing, and so does what contains it; [A, [A, [A, B]]] does not."""

    def bracket(p, q):
        result = {}
        for (u, x), (v, y) in itertools.product(p.items(), q.items()):
            result[u + v] = result.get(u + v, 0) + x * y
            result[v + u] = result.get(v + u, 0) - x * y
        return result

    def normal(p):
        result = {}
        for word, x in p.items():
            for other, y in reduced(word).items():
                result[other] = result.get(other, 0) + x * y
        return {word for word, x in result.items() if x}

    A, B = {"A": 1}, {"B": 1}
    vanishing = bracket(B, bracket(B, bracket(B, A)))
    assert not normal(vanishing) and not normal(bracket(A, bracket(B, bracket(A, vanishing))))
    assert normal(bracket(A, bracket(A, bracket(A, B))))


def test_half_a_splitting_is_refused():
    with pytest.raises(ph.InputError, match="as many kicks as flights"):
        Splitting(("1/3",), ())


def test_compositions_run_without_docstrings():
    program = (
        "import polhode as ph; s = ph.solve('free-body', 'VLV/KL8', h=0.1, n_steps=2, compiled=False); "
        "print(s.success, repr(ph.method('VLV/KL8').lecture), ph.solve.__doc__)"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "''", "None"], done.stderr
