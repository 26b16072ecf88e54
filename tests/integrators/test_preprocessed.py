"""Preprocessed and time-transformed Moser-Veselov, the modifying midpoint rule, and the series behind them."""

import itertools
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import polhode as ph
from polhode.integrators.modified_midpoint import IMR2, IMR4, IMR6, imr
from polhode.integrators.moser_veselov import moser_veselov_step
from polhode.integrators.parts.kicked import kicked
from polhode.integrators.preprocessed import DMV4, DMV6, DMV8, DMV10, DMV12, dmv
from polhode.integrators.series import free_body
from polhode.integrators.splitting import SR2
from polhode.integrators.time_transformed import DMV_TT4, DMV_TT6, time_transformed
from polhode.kernels.many_digits import precision, slowly
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_trail
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases
from tests.support.dop853 import dop853

BODIES = [(F(3, 5), F(4, 5), F(1)), (F(2), F(3), F(9, 2)), (F(2), F(2), F(4)), (F(7, 3), F(7, 3), F(7, 3))]


def asymmetric():
    """The body of Hairer and Vilmart's first experiment."""
    J = np.array([0.6, 0.8, 1.0])
    return ph.Problem(inertia=J, Omega0=np.array([1.8, 0.4, -0.9]) / J)


def errors(method, h, t_end=10.0):
    """How far Pi and Q are from DOP853 at the end."""
    p = asymmetric()
    Q, Omega = asymmetric_end(t_end)
    s = ph.solve(p, method, h=h, t_end=t_end, save_every=10**6)
    return np.linalg.norm((s.Omega[-1] - Omega) * p.moments), np.linalg.norm(s.Q[-1] - Q)


_ends = {}


def asymmetric_end(t_end):
    if t_end not in _ends:
        _ends[t_end] = dop853(asymmetric(), t_end)
    return _ends[t_end]


def table(J, name, H, C):
    """Table 1 of Hairer & Vilmart (2006), as printed."""
    I1, I2, I3 = J
    delta = I1 * I2 * I3

    def sigma(a):
        return I1**a + I2**a + I3**a

    def tau(b, c):
        return (I2**b + I3**b) / I1**c + (I3**b + I1**b) / I2**c + (I1**b + I2**b) / I3**c

    return {
        "s3": -sigma(-1) / 3 * H + sigma(1) / (6 * delta) * C,
        "d3": sigma(1) / (6 * delta) * H - 1 / (3 * delta) * C,
        "s5": (3 * sigma(1) + 2 * delta * sigma(-2)) / (60 * delta) * H**2
        + (1 - tau(1, 1)) / (30 * delta) * C * H
        + (sigma(2) - delta * sigma(-1)) / (30 * delta**2) * C**2,
        "d5": -(9 + tau(1, 1)) / (60 * delta) * H**2
        + (6 * delta * sigma(-1) - sigma(2)) / (60 * delta**2) * C * H
        - sigma(1) / (60 * delta**2) * C**2,
        "s7": (15 - delta * sigma(-3) - 2 * tau(1, 1)) / (630 * delta) * H**3
        + (6 * delta * tau(1, 2) - 100 * delta * sigma(-1) + 53 * sigma(2)) / (2520 * delta**2) * C * H**2
        + (9 * sigma(1) + 10 * delta * sigma(-2) - 6 * tau(2, 1)) / (420 * delta**2) * C**2 * H
        + (4 * delta + 17 * sigma(3) - 15 * delta * tau(1, 1)) / (2520 * delta**3) * C**3,
        "d7": (9 * delta * sigma(-1) + delta * tau(1, 2) - 11 * sigma(2)) / (1260 * delta**2) * H**3
        + (47 * sigma(1) + 13 * tau(2, 1) - 38 * delta * sigma(-2)) / (2520 * delta**2) * C * H**2
        + (sigma(3) + 2 * delta * tau(1, 1) - 85 * delta) / (1260 * delta**3) * C**2 * H
        + (34 * delta * sigma(-1) - 19 * sigma(2)) / (2520 * delta**3) * C**3,
    }[name]


def part(series, J, degree, *variables):
    """The part of one degree of a series at rational values of its variables."""
    n = len(variables)
    keys = free_body.exponents(series.most, n)
    terms = zip(keys, free_body.numbers(series, J, n))
    return sum(c * np.prod([v**i for v, i in zip(variables, k)]) for k, c in terms if sum(k) == degree)


@pytest.mark.parametrize("J", BODIES, ids=str)
@pytest.mark.parametrize("name", ["s3", "d3", "s5", "d5", "s7", "d7"])
def test_series_equal_the_printed_table_exactly(J, name):
    s, d = free_body.preprocessed(3)
    H, C = F(13, 7), F(5, 11)
    computed = part(s if name[0] == "s" else d, J, int(name[1]) // 2, H, C)
    assert computed == table(J, name, H, C)


@pytest.mark.parametrize("series", [free_body.preprocessed, free_body.time_transformed])
def test_only_energy_and_momentum_enter(series):
    """The third invariant at the middle of the step drops out: the theorem of Hairer and Vilmart."""
    for general, special in zip(series(4, 1), series(4)):
        assert general.terms == special.terms
    assert any(k[2] for k in free_body.step_series(4, 1)[0].terms)  # it does enter what they are made of


def test_time_transformation_differs_from_the_table_beyond_the_first_term():
    s, t = free_body.preprocessed(2)[0], free_body.time_transformed(2)[0]
    for J in BODIES[:2]:
        assert part(t, J, 1, F(2), F(3)) == table(J, "s3", F(2), F(3))
        assert part(t, J, 2, F(2), F(3)) != part(s, J, 2, F(2), F(3))


@pytest.mark.parametrize("J", BODIES[:3], ids=str)
def test_midpoint_series_follow_from_the_table(J):
    """The relations between the two families, derived by expanding alpha = 1 + |e|^2 by hand."""
    Y = (F(2), F(-3), F(5))
    Om = [y / j for y, j in zip(Y, J)]
    z = [Om[1] * Y[2] - Om[2] * Y[1], Om[2] * Y[0] - Om[0] * Y[2], Om[0] * Y[1] - Om[1] * Y[0]]
    HC, HC_z = ((sum(a * a / j for a, j in zip(v, J)) / 2, sum(a * a for a in v) / 2) for v in (Y, z))
    g = sum(w * w for w in Om)
    s3 = table(J, "s3", *HC) + g / 4
    d3 = table(J, "d3", *HC)
    s5 = table(J, "s5", *HC) + table(J, "s3", *HC_z) / 4 + g * table(J, "s3", *HC) / 4 + g * s3 / 2 + d3 * HC[0]
    d5 = table(J, "d5", *HC) + table(J, "d3", *HC_z) / 4 + g * d3 / 4
    P, U, G = 2 * HC[1], 2 * HC[0], g
    s, d = free_body.midpoint(2)
    assert [part(f, J, 1, P, U, G) for f in (s, d)] == [4 * x for x in (s3, d3)]  # the series are in (h/2)^2
    assert [part(f, J, 2, P, U, G) for f in (s, d)] == [16 * x for x in (s5, d5)]


PUBLISHED = {"RATTLE": 2.8e-1, "DMV4": 2.1e-3, "DMV6": 6.6e-6, "DMV8": 1.1e-8, "DMV10": 1.1e-11}


@pytest.mark.parametrize("name, error", PUBLISHED.items())
def test_momentum_errors_of_the_asymmetric_body(name, error):
    """h = 0.1, T = 10: what each two orders are worth."""
    assert errors(name, 0.1)[0] == pytest.approx(error, rel=0.05)


FREE_ORDERS = [
    DMV8,
    DMV10,
    DMV12,
    dmv(14),
    dmv(6, substeps=3),
    time_transformed(4, True),
    time_transformed(6, True),
    imr(8),
]


@pytest.mark.parametrize("method", [*FREE_ORDERS, DMV_TT4, DMV_TT6, IMR6], ids=lambda m: m.name)
def test_order_of_the_free_motion_at_fifty_digits(method):
    digits, span = 50, mpf(2)
    with slowly(), precision(digits):
        p = cases.free()
        body, q, Pi = theorems.generic(p, method)
        exact = taylor(p.moments.tolist(), q, Pi, span, digits)
        found = []
        for n in (8, 16, 32):
            h = span / n
            state = method.start(h, mpf(0), q, Pi, body)
            for i in range(n):
                state = theorems.one_step(method, h, i * h, state, body)
            found.append((theorems.apart(state[0], exact[0]), theorems.furthest(state[1], exact[1])))
        for errors, order in zip(zip(*found), method.orders.free):
            first, second = (mpmath.log(a / b, 2) for a, b in itertools.pairwise(errors))
            assert second + (second - first) / 3 == pytest.approx(order, abs=0.05)


def taylor(J, q, Pi, span, digits, steps=16):
    """The free motion by Taylor series of its polynomial equations, independent of every method."""
    with mpmath.workdps(digits + 10):
        n, h = int(1.5 * digits), mpf(span) / steps
        for _ in range(steps):
            Y, Q = [[mpf(x)] for x in Pi], [[mpf(x)] for x in q]
            W = [[Y[i][0] / mpf(J[i])] for i in range(3)]

            def times(a, b, k):
                return mpmath.fdot((a[i], b[k - i]) for i in range(k + 1))

            for k in range(n):
                dY = [times(Y[i - 2], W[i - 1], k) - times(Y[i - 1], W[i - 2], k) for i in range(3)]
                w, x, y, z = Q
                dQ = (
                    -times(x, W[0], k) - times(y, W[1], k) - times(z, W[2], k),
                    times(w, W[0], k) + times(y, W[2], k) - times(z, W[1], k),
                    times(w, W[1], k) + times(z, W[0], k) - times(x, W[2], k),
                    times(w, W[2], k) + times(x, W[1], k) - times(y, W[0], k),
                )
                for i in range(3):
                    Y[i].append(dY[i] / (k + 1))
                    W[i].append(Y[i][-1] / mpf(J[i]))
                for i in range(4):
                    Q[i].append(dQ[i] / (2 * (k + 1)))
            assert max(abs(c[-1]) for c in Y + Q) * h**n < mpf(10) ** (-digits)
            Pi, q = ([mpmath.polyval(c[::-1], h) for c in part] for part in (Y, Q))
        return tuple(q), tuple(Pi)


def test_time_transformation_raises_the_order_of_the_momentum_only():
    plain, full = (errors(time_transformed(6, complete), 0.05) for complete in (False, True))
    assert plain[0] == full[0]  # the same momentum, bit for bit
    assert plain[1] > 1e3 * full[1]


@pytest.mark.parametrize("method", [DMV4, DMV6, DMV8], ids=lambda m: m.name)
def test_symplectic_defect_is_there_and_of_the_order_of_the_local_error(method):
    with precision(50):
        a, b = (theorems.symplecticity(method, cases.free(), mpf(1) / n) for n in (10, 20))
        assert mpmath.log(a / b, 2) == pytest.approx(method.orders.free[0] + 1, abs=0.02)


def test_drift_of_higher_orders_shows_against_the_exact_flow():
    """T h^(2r): invisible in the noise of one run, plain in the difference to its twin (J1 = J2: SR2 is exact)."""

    def slope(method, h):
        s = ph.solve("stress", method, h=h, t_end=5000, save_every=round(1 / h))
        return np.polyfit(s.t, s.energy_error, 1)[0]

    for method, order, sign in ((DMV4, 4, 1), (DMV6, 6, -1), (IMR4, 4, -1), (IMR6, 6, -1)):
        coarse, fine = (slope(method, h) - slope(SR2, h) for h in (0.25, 0.125))
        assert coarse * sign > 0 and fine * sign > 0
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.3)


# ---- identities --------------------------------------------------------------------------------------


@kernel
def plain_flow(h, q, p, trail, body):
    """The Moser-Veselov step as a free flow."""
    return moser_veselov_step(h, q, p, trail, body[0], body[1])


@pytest.mark.parametrize("problem", ["stress", "forced", "heavy-top"])
def test_rattle_is_moser_veselov_between_half_kicks(problem):
    mine = ph.Method(name="kicked", step=kicked(plain_flow), start=start_trail, torques_per_step=1)
    a, b = (ph.solve(problem, m, h=0.1, n_steps=50) for m in (mine, "RATTLE"))
    assert np.array_equal(a.Q, b.Q) and np.array_equal(a.Omega, b.Omega)


@pytest.mark.parametrize("mine, other", [(dmv(2), "RATTLE"), (time_transformed(2), "RATTLE"), (IMR2, "PRK")])
def test_order_two_is_the_method_itself(mine, other):
    a, b = (ph.solve("forced", m, h=0.1, n_steps=50) for m in (mine, other))
    assert a.Q[-1] == pytest.approx(b.Q[-1], abs=1e-13)
    assert a.Omega[-1] == pytest.approx(b.Omega[-1], abs=1e-13)


def test_substeps_are_steps():
    p = asymmetric()
    a, b = ph.solve(p, dmv(8, substeps=4), h=0.4, n_steps=20), ph.solve(p, DMV8, h=0.1, n_steps=80, save_every=4)
    assert pytest.approx(b.Q, abs=1e-13) == a.Q
    assert ph.solve("stress", dmv(8, substeps=4), h=0.4, n_steps=20).stats["n_torque"] == 21


@pytest.mark.parametrize(
    "method", [dmv(14), dmv(8, substeps=4), time_transformed(6, True), imr(8)], ids=lambda m: m.name
)
def test_made_to_order_methods_compile_to_the_same_bits(method):
    a, b = (ph.solve("forced", method, h=0.125, n_steps=40, compiled=c) for c in (True, False))
    assert np.array_equal(a.Q, b.Q) and np.array_equal(a.Omega, b.Omega)


@pytest.mark.parametrize("method", [DMV12, DMV_TT6, IMR6], ids=lambda m: m.name)
@pytest.mark.parametrize("J", [(2.0, 2.0, 2.0), (2.0, 2.0, 4.0), (1.0, 3.0, 3.0), (1.0, 1.0 + 1e-9, 1.0)], ids=str)
def test_symmetric_bodies_need_no_special_case(method, J):
    p = ph.Problem(inertia=J, Omega0=(0.5, -0.3, 0.4))
    Q, Omega = dop853(p, 2.0)
    s = ph.solve(p, method, h=0.0625, t_end=2.0)
    assert s.Omega[-1] == pytest.approx(Omega, abs=1e-9)
    assert s.Q[-1] == pytest.approx(Q, abs=1e-3 if method is DMV_TT6 else 1e-8)


def test_coefficients_are_rounded_once():
    J = (0.345, 0.653, 1.0)
    exact = [x for s in free_body.preprocessed(3) for x in free_body.numbers(s, J)]
    assert DMV8.coefficients(J, float) == tuple(float(x) for x in exact)
    with mpmath.workdps(50):
        for a, b in zip(DMV8.coefficients(tuple(mpf(x) for x in J), mpf), exact):
            assert abs(a - mpf(b.numerator) / b.denominator) <= abs(a) * mpf(10) ** -49


# ---- limits ------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
@pytest.mark.parametrize("method", [DMV6, DMV8, DMV12, DMV_TT6], ids=lambda m: m.name)
def test_a_step_is_right_or_fails(method):
    """The other solution of the equation, of rotation pi - phi, is never taken for the one wanted."""
    p = asymmetric()
    fastest = 3.18  # the largest |Omega| on this orbit
    for angle in np.arange(0.1, 3.2, 0.1):
        s = ph.solve(p, method, h=angle / fastest, n_steps=20)
        assert s.success or angle > 1.2
        if s.success:
            turned = np.arccos((np.einsum("nij,nij->n", s.Q[1:], s.Q[:-1]) - 1) / 2)
            assert turned.max() < np.pi / 2
            assert angle < 1.6
    assert "Reduce h" in s.message


@pytest.mark.parametrize("make, given", [(dmv, 3), (dmv, 0), (dmv, "four"), (time_transformed, 5), (imr, 1)])
def test_orders_that_do_not_exist(make, given):
    with pytest.raises(ph.InputError, match="even orders"):
        make(given)


def test_substeps_that_do_not_exist():
    with pytest.raises(ph.InputError, match="whole number"):
        dmv(4, substeps=0)


def test_coefficients_are_computed_once_for_a_body(monkeypatch):
    computed, numbers = [], free_body.numbers
    monkeypatch.setattr(free_body, "numbers", lambda *given: computed.append(given) or numbers(*given))
    p = ph.problem("free-body", inertia=(1.03, 1.57, 2.11))  # a body of this test alone
    first, again = (ph.solve(p.replaced(Omega0=Omega), "DMV12", h=0.1, n_steps=3) for Omega in ((1, 2, 3), (3, 2, 1)))
    assert len(computed) == 2  # two series, for both starts
    other = ph.solve(p.replaced(inertia=(1.04, 1.57, 2.11)), "DMV12", h=0.1, n_steps=3)
    assert len(computed) == 4 and other.success and first.success and again.success
