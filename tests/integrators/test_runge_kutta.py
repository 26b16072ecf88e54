"""Runge-Kutta on the group: tableaux that check themselves, Munthe-Kaas and Crouch-Grossman with any of them."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.integrators.crouch_grossman import crouch_grossman
from polhode.integrators.munthe_kaas import munthe_kaas
from polhode.integrators.parts import tableaux
from polhode.integrators.parts.order_conditions import exact, forests, increments
from polhode.integrators.parts.tableaux import Tableau, rounded
from polhode.integrators.properties import CLAIMED
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases
from tests.support.dop853 import dop853
from tests.support.refine import agree, refined

PRINTED_CG4 = [
    "0.8177227988124852",
    "0.3199876375476427",
    "0.0659864263556022",
    "0.9214417194464946",
    "0.4997857776773573",
    "-1.0969984448371582",
    "0.3552358559023322",
    "0.2390958372307326",
    "1.3918565724203246",
    "-1.1092979392113465",
    "0.1370831520630755",
    "-0.0183698531564020",
    "0.7397813985370780",
    "-0.1907142565505889",
    "0.3322195591068374",
]

KNOWN = {  # order in a vector space, on a group, symmetric, symplectic: from the literature
    "EXPLICIT_MIDPOINT": (2, 2, False, False),
    "KUTTA": (3, 2, False, False),
    "CLASSICAL": (4, 2, False, False),
    "CROUCH_GROSSMAN": (3, 3, False, False),
    "JACKIEWICZ_MARTHINSEN_OWREN": (4, 4, False, False),
    "IMPLICIT_MIDPOINT": (2, None, True, True),
    "TRAPEZOIDAL": (2, None, True, False),
    "GAUSS": (4, None, True, True),
}
CROUCH_GROSSMAN = [tableaux.CROUCH_GROSSMAN, tableaux.JACKIEWICZ_MARTHINSEN_OWREN, tableaux.CLASSICAL]
IMPLICIT = [getattr(tableaux, name) for name, known in KNOWN.items() if not known[1]]


# ---- tableaux ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KNOWN)
def test_what_follows_from_a_tableau(name):
    tableau = getattr(tableaux, name)
    order, on_group, symmetric, symplectic = KNOWN[name]
    assert tableau.order == order
    assert tableau.explicit == (on_group is not None)
    assert on_group is None or tableau.order_on_group == on_group
    assert (tableau.symmetric, tableau.symplectic) == (symmetric, symplectic)


def test_the_number_of_conditions():
    assert [len(forests(n)) for n in range(6)] == [1, 1, 2, 5, 14, 42]  # Catalan's numbers


def test_the_condition_of_order_3_on_a_group():
    """sum b_i^2 c_i + 2 sum_{i<j} b_i c_i b_j = 1/3, which the classical tableau misses with 13/36."""
    for tableau, value in (
        (tableaux.CLASSICAL, Fraction(13, 36)),
        (tableaux.CROUCH_GROSSMAN, Fraction(1, 3)),
        (tableaux.JACKIEWICZ_MARTHINSEN_OWREN, Fraction(1, 3)),
    ):
        b, c = tableau.b, tableau.c
        left = sum(x * x * y for x, y in zip(b, c))
        left += 2 * sum(b[i] * c[i] * b[j] for j in range(len(b)) for i in range(j))
        assert abs(left - value) < tableaux.ZERO


def test_butcher_conditions_against_their_closed_forms():
    """The eight trees up to order 4 of a random tableau, written out."""
    rng = np.random.default_rng(4)
    A = [[Fraction(int(x), 7) for x in row] for row in rng.integers(-9, 9, (3, 3))]
    b = [Fraction(int(x), 5) for x in rng.integers(-9, 9, 3)]
    c = [sum(row) for row in A]
    s = range(3)
    Ac = [sum(A[i][j] * c[j] for j in s) for i in s]
    closed = {
        ((),): sum(b),
        (((),),): sum(b[i] * c[i] for i in s),
        (((), ()),): sum(b[i] * c[i] ** 2 for i in s),
        ((((),),),): sum(b[i] * Ac[i] for i in s),
        (((), (), ()),): sum(b[i] * c[i] ** 3 for i in s),
        (((), ((),)),): sum(b[i] * c[i] * Ac[i] for i in s),
        ((((), ()),),): sum(b[i] * A[i][j] * c[j] ** 2 for i in s for j in s),
        (((((),),),),): sum(b[i] * A[i][j] * Ac[j] for i in s for j in s),
    }
    for forest, value in closed.items():
        assert increments(forest, A, (b,), False) == [value]
    assert [exact(f, False) for f in closed] == [1, *(Fraction(1, n) for n in (2, 3, 6, 4, 8, 12, 24))]


def test_cg4_is_the_published_tableau_refined_on_its_conditions():
    def conditions(x):
        A = [[*x[i * (i - 1) // 2 : i * (i + 1) // 2], *[mpf(0)] * (5 - i)] for i in range(5)]
        wanted = {f: exact(f, True) for n in range(1, 5) for f in forests(n)}
        left = {f: increments(f, A, (x[10:],), True)[0] for f in wanted}
        return [left[f] - mpf(w.numerator) / w.denominator for f, w in wanted.items()]

    ours = tableaux.JACKIEWICZ_MARTHINSEN_OWREN
    numbers = [x for i, row in enumerate(ours.A) for x in row[:i]] + list(ours.b)
    x, rank = refined(conditions, PRINTED_CG4)
    assert rank == 13
    assert agree(x, numbers, 50)
    with mpmath.workdps(70):
        stored = [mpf(a.numerator) / a.denominator for a in numbers]
        assert max(map(abs, conditions(stored))) < mpf(10) ** -60
    assert max(abs(float(a) - float(b)) for a, b in zip(numbers, PRINTED_CG4)) < 1e-15


def test_a_misprint_is_found():
    A = [list(row) for row in tableaux.JACKIEWICZ_MARTHINSEN_OWREN.A]
    A[4][3] = Fraction("-1.1092979392113565")  # as in several public codes
    with pytest.raises(ph.InputError, match=r"Row 5 .* adds up to"):
        Tableau("CG4", A, tableaux.JACKIEWICZ_MARTHINSEN_OWREN.b, tableaux.JACKIEWICZ_MARTHINSEN_OWREN.c)
    assert Tableau("CG4", A, tableaux.JACKIEWICZ_MARTHINSEN_OWREN.b).order_on_group < 4


@pytest.mark.parametrize(
    "A, b, says",
    [
        (((0, 0), (1, 0)), (1,), "rows and columns"),
        (((0,), (1,)), ("1/2", "1/2"), "rows and columns"),
        (((0, 0), (1, 0)), ("1/2", "1/3"), "not to 1"),
        ((), (), "rows and columns"),
    ],
)
def test_a_tableau_that_is_none(A, b, says):
    with pytest.raises(ph.InputError, match=says):
        Tableau("mine", A, b)


def test_rounding():
    x = Fraction(1, 3)
    assert rounded(x, float) == 1 / 3 and rounded(x, complex) == complex(1 / 3)
    with mpmath.workdps(60):
        assert abs(3 * rounded(x, mpf) - 1) < mpf(10) ** -59
    digits = "0.13708315206307553702959477356769353487833414457264715191852599"
    assert rounded(Fraction(digits), float) == float(digits)


# ---- methods -------------------------------------------------------------------------------------------


OTHERS = [munthe_kaas(t) for t in IMPLICIT]
OTHERS += [crouch_grossman(t, momentum=True) for t in CROUCH_GROSSMAN]
FOUND = {  # what the claims leave open, as measured
    "RKMK[implicit midpoint]": {"symmetric"},
    "RKMK[trapezoidal]": set(),
    "RKMK[Gauss]": set(),
    "CG[Crouch-Grossman][M]": {"energy_damped"},
    "CG[Jackiewicz-Marthinsen-Owren][M]": set(),
    "CG[classical Runge-Kutta][M]": set(),
}


@pytest.mark.parametrize("method", OTHERS, ids=lambda m: m.name)
def test_claims_of_methods_outside_the_catalogue(method):
    for row in (row for row in CLAIMED if row.is_of(method)):
        expected = getattr(method, row.claim)
        if expected is None:
            expected = row.claim in FOUND[method.name]
        assert theorems.tested(row, method).holds is expected, row.claim


@pytest.mark.parametrize("method", OTHERS, ids=lambda m: m.name)
def test_order_of_methods_outside_the_catalogue(method):
    assert theorems.order(method, cases.free()) == pytest.approx(method.orders.free, abs=0.05)
    assert theorems.order(method, cases.forced()) == pytest.approx(method.orders.torque, abs=0.05)


@pytest.mark.parametrize("method", OTHERS, ids=lambda m: m.name)
def test_torque_evaluations(method):
    counted = theorems.torque_calls(method, steps=8)
    assert ph.solve(cases.potential(), method, h=0.125, n_steps=8, compiled=False).stats["n_torque"] == counted
    assert method.torques_per_step is None or counted == 1 + 8 * method.torques_per_step


@pytest.mark.parametrize("tableau", IMPLICIT, ids=lambda t: t.name)
def test_implicit_tableaux_solve_to_round_off_also_for_large_steps(tableau):
    for h, most in ((0.125, 9), (0.5, 12), (1.0, 18)):
        s = ph.solve("stress", munthe_kaas(tableau), h=h, n_steps=100)
        assert s.success and s.stats["n_iterations"] < most * tableau.stages * 100
        again = ph.solve("stress", munthe_kaas(tableau), h=h, n_steps=100, compiled=False)
        assert np.array_equal(s.Q, again.Q) and np.array_equal(s.Omega, again.Omega)


def test_at_rest_without_a_torque():
    p = ph.Problem(inertia=(1, 2, 2.5), Omega0=(0, 0, 0))
    s = ph.solve(p, munthe_kaas(tableaux.GAUSS), h=0.1, n_steps=3)
    assert s.success and np.array_equal(s.Q[-1], np.eye(3)) and not s.Omega.any()


def imidm(p, Q, Omega, h, t):
    """Psi = h J^-1 (exp(-Psi/2) Pi0 + h/2 tau_m), tau_m at the midpoint; written with SciPy, solved by fsolve."""
    J, Pi = p.tensor, p.tensor @ Omega

    def turn(x):
        return Rotation.from_rotvec(x).as_matrix()

    def tau(Psi):
        return p.torque(t + h / 2, Q @ turn(Psi / 2))

    def equation(Psi):
        return Psi - h * np.linalg.solve(J, turn(-Psi / 2) @ Pi + h / 2 * tau(Psi))

    Psi = fsolve(equation, h * Omega, xtol=1e-15)
    return Q @ turn(Psi), np.linalg.solve(J, turn(-Psi) @ Pi + h * turn(-Psi / 2) @ tau(Psi))


def trapezoidal(p, Q, Omega, h, t):
    """Psi = h/2 (Omega0 + dexp_{-Psi}^-1 Omega1), Pi1 = exp(-Psi) (Pi0 + h/2 tau0) + h/2 tau1; dexp^-1 as a series."""
    J = p.tensor
    p0 = J @ Omega + h / 2 * p.torque(t, Q)

    def end(Psi):
        F = Rotation.from_rotvec(Psi).as_matrix()
        return Q @ F, np.linalg.solve(J, F.T @ p0 + h / 2 * p.torque(t + h, Q @ F))

    def equation(Psi):
        term = total = end(Psi)[1]
        for bernoulli in (1 / 2, 1 / 12, 0, -1 / 720, 0, 1 / 30240, 0, -1 / 1209600, 0, 1 / 47900160):
            term = np.cross(Psi, term)
            total = total + bernoulli * term
        return Psi - h / 2 * (Omega + total)

    return end(fsolve(equation, h * Omega, xtol=1e-15))


@pytest.mark.parametrize("written, tableau", [(imidm, "IMPLICIT_MIDPOINT"), (trapezoidal, "TRAPEZOIDAL")])
def test_implicit_tableaux_are_methods_with_names_of_their_own(written, tableau):
    p = ph.problem("forced")
    method = munthe_kaas(getattr(tableaux, tableau))
    Q, Omega, h = p.Q0, p.Omega0, 0.1
    for k in range(5):
        expected = written(p, Q, Omega, h, k * h)
        Q, Omega = ph.step(p, method, Q, Omega, h, k * h)
        assert np.abs(Q - expected[0]).max() < 3e-14 and np.abs(Omega - expected[1]).max() < 3e-14


def test_the_misprinted_stage_sum_has_order_2():
    """With the torque of the stage being computed in the sums for p, RKMK4 is of order 2 as soon as there is one."""
    p = ph.problem("stress")
    T = 1.0
    end, _ = dop853(p, T)

    def misprinted(p, Q, Omega, h, t):
        J, A, b, c = p.tensor, ((), (0.5,), (0, 0.5), (0, 0, 1)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0, 0.5, 0.5, 1)
        K, M = [], []
        for row, node in zip(A, c):
            Psi = h * sum((a * k for a, k in zip(row, K)), np.zeros(3))
            F = Rotation.from_rotvec(Psi).as_matrix()
            m = F @ p.torque(t + node * h, Q @ F)
            Om = np.linalg.solve(J, F.T @ (J @ Omega + h * sum(row) * m))
            a = np.cross(Psi, Om)
            K.append(Om + a / 2 + np.cross(Psi, a) / 12)  # enough of dexp^-1 for order 4
            M.append(m)
        F = Rotation.from_rotvec(h * sum(x * k for x, k in zip(b, K))).as_matrix()
        return Q @ F, np.linalg.solve(J, F.T @ (J @ Omega + h * sum(x * m for x, m in zip(b, M))))

    errors = [np.abs(ph.solve(p, misprinted, h=T / n, n_steps=n).Q[-1] - end).max() for n in (32, 64)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_crouch_grossman_needs_an_explicit_tableau():
    with pytest.raises(ph.InputError, match=r"implicit; .* Munthe-Kaas"):
        crouch_grossman(tableaux.GAUSS)


def test_a_tableau_of_ones_own():
    """Ralston's tableau of order 3, by the public call."""
    ralston = Tableau("Ralston", ((0, 0, 0), ("1/2", 0, 0), (0, "3/4", 0)), ("2/9", "1/3", "4/9"))
    method = munthe_kaas(ralston)
    assert (method.name, method.order, method.torques_per_step) == ("RKMK[Ralston]", 3, 3)
    Q, _ = dop853(ph.problem("forced"), 1.0)
    errors = [np.abs(ph.solve("forced", method, h=1 / n, n_steps=n).Q[-1] - Q).max() for n in (64, 128)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3, abs=0.1)
    assert method.step is ph.method("RKMK3").step  # one machine code for all explicit tableaux of three stages
