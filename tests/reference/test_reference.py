"""References: every shipped problem by two routes that share nothing, and what the Taylor series are made of."""

import json
import math

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

import polhode as ph
from polhode.kernels.rotations import matrix, rotated
from polhode.kernels.vectors import dot
from polhode.reference import reference as module
from polhode.reference.closed_form import FreeSolution
from polhode.reference.reference import by_dop853, by_mpmath, reference
from polhode.reference.taylor import Series, Time

SPAN = {"book-toss": 2.5, "fast-top": 1.0}
"""Ends of the comparison, where it is not 2; the first contains both jumps of the torque."""


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path))
    return tmp_path / "references"


# ---- two routes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ph.problems())
def test_two_routes_agree(name):
    """Taylor series in 25 digits, and DOP853 with its ten digits and more."""
    p = ph.problem(name)
    t = SPAN.get(name, 2.0)
    Q, Omega = reference(p, t)
    Q853, Omega853 = by_dop853(p, t)
    size = np.abs(Omega).max()
    assert Q == pytest.approx(Q853, abs=2e-12)
    assert Omega == pytest.approx(Omega853, abs=2e-12 * max(1, size))


@pytest.mark.parametrize("name", ["free-body", "asymmetric", "water"])
def test_three_routes_agree_on_free_bodies(name):
    p = ph.problem(name)
    q, Pi = by_mpmath(p, 4.0)
    Q, Omega = FreeSolution(p)(4.0)
    assert np.array(matrix(q), dtype=float).reshape(3, 3) == pytest.approx(Q, abs=1e-14)
    assert np.array(Pi, dtype=float) / p.moments == pytest.approx(Omega, abs=1e-14)


def test_heavy_top_of_bruls_and_cardona():
    """The spatial velocity printed for t = 2: -106.163804143 about y; 300 radians, gravity along -z."""
    mass, x = 15.0, np.array([0.0, 1.0, 0.0])
    about_centre = np.diag([0.234375, 0.46875, 0.234375])
    weight = mass * 9.81

    def torque(t, Q):
        return (-weight * Q[2, 2], 0.0, weight * Q[2, 0])  # x cross Q^T (0, 0, -weight)

    p = ph.Problem(
        inertia=about_centre + mass * (x @ x * np.eye(3) - np.outer(x, x)), torque=torque, Omega0=(0, 150, -4.61538)
    )
    for Q, Omega in (reference(p, 2.0), by_dop853(p, 2.0)):
        assert (Q @ Omega)[1] == pytest.approx(-106.163804143, abs=5e-10)


@pytest.mark.parametrize("name", ["stress", "heavy-top", "soft-wall", "slow-top"])
def test_energy_is_constant_to_forty_digits(name):
    p = ph.problem(name)
    q, Pi = by_mpmath(p, 0.5, 40)
    with mpmath.workdps(45):
        J = [mpf(x) for x in p.moments.tolist()]
        par = tuple(mpf(x) for x in p.parameters)
        start = [tuple(mpf(x) for x in part) for part in p.start()]
        energy = [
            dot(y, [a / b for a, b in zip(y, J)]) / 2 + p.potential_kernel(matrix(r), par) for r, y in ((q, Pi), start)
        ]
        assert abs(energy[0] - energy[1]) < abs(energy[1]) * mpf(10) ** -37


def test_vertical_momentum_of_a_top_is_constant_to_forty_digits():
    p = ph.problem("heavy-top")
    q, Pi = by_mpmath(p, 0.5, 40)
    with mpmath.workdps(45):
        start = [tuple(mpf(x) for x in part) for part in p.start()]
        assert abs(rotated(q, Pi)[2] - rotated(*start)[2]) < mpf(10) ** -37


def test_digits_asked_for_are_digits_got():
    p = ph.problem("forced")
    best = by_mpmath(p, 0.5, 45)
    for digits in (15, 25, 35):
        with mpmath.workdps(50):
            error = max(abs(a - b) for x, y in zip(best, by_mpmath(p, 0.5, digits)) for a, b in zip(x, y))
        assert error < mpf(10) ** (2 - digits)


def test_another_start_and_other_times():
    """Times in any order, before and after the start, as an array; each as if alone."""
    p = ph.problem("forced").replaced(Omega0=(0.1, 0.9, -0.3), t0=0.5)
    t = np.array([1.5, 0.5, 0.7, -0.5])
    Q, Omega = reference(p, t)
    assert Q.shape == (4, 3, 3) and Omega.shape == (4, 3)
    assert Q[1] == pytest.approx(p.Q0, abs=1e-15)
    for i, x in enumerate(t):
        Q853, Omega853 = by_dop853(p, x)
        assert Q[i] == pytest.approx(Q853, abs=1e-12)
        assert Omega[i] == pytest.approx(Omega853, abs=1e-12)
    one = reference(p, 0.7)
    assert one[0] == pytest.approx(Q[2], abs=1e-15) and one[1] == pytest.approx(Omega[2], abs=1e-15)


# ---- a user's problem --------------------------------------------------------------------------------


def test_a_users_torque_with_numpy_is_expanded_in_series():
    def torque_space(t, Q):
        return np.array([np.sin(3 * t) * Q[0, 1], np.exp(-(Q[1, 1] ** 2)), np.sqrt(2 + Q[2, 2]) * np.float64(0.3)])

    R = np.linalg.qr(np.array([[1.0, 2, 0], [0, 1, -1], [1, 1, 1]]))[0]
    p = ph.Problem(inertia=R @ np.diag([1, 2, 2.5]) @ R.T, torque_space=torque_space, Omega0=(1, 0.5, -0.3))
    Q, Omega = reference(p, 1.0)
    Q853, Omega853 = by_dop853(p, 1.0)
    assert Q == pytest.approx(Q853, abs=1e-12)
    assert Omega == pytest.approx(Omega853, abs=1e-12)


def test_a_potential_alone_is_enough():
    def potential(Q):
        return np.log(3 + Q[2, 0] + 2 * Q[2, 2]) + Q[0, 1] ** 3 / (2 + Q[1, 1])

    p = ph.Problem(inertia=(1, 2, 2.5), potential=potential, Omega0=(1, 0.5, -0.3))
    Q, Omega = reference(p, 1.0)
    Q853, Omega853 = by_dop853(p, 1.0)
    assert Q == pytest.approx(Q853, abs=1e-12)
    assert Omega == pytest.approx(Omega853, abs=1e-12)
    assert p.energy(Q, Omega) == pytest.approx(p.energy(p.Q0, p.Omega0), abs=1e-14)


def test_a_torque_without_a_series_is_left_to_dop853():
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (math.sin(t), 0.0, Q[0, 1]), Omega0=(1, 0.5, -0.3))
    with pytest.warns(UserWarning, match="power series.*np.sin.*DOP853"):
        found = reference(p, 1.0)
    assert np.array_equal(found[0], by_dop853(p, 1.0)[0])
    with pytest.raises(ph.InputError, match="power series"):
        by_mpmath(p, 1.0)


def test_a_torque_that_jumps_is_cut_at_the_jumps():
    """A torque given piecewise in time: without `breaks` the series would not notice."""

    def torque(t, Q):
        return (0.3 * t, 0.0, 0.0) if t < 0.8 else (0.0, 1.0 + t, 0.0)

    start = dict(inertia=(1, 2, 2.5), Omega0=(1, 0.5, -0.3))
    p = ph.Problem(**start, torque=torque, breaks=(0.8,))
    first = ph.Problem(**start, torque=lambda t, Q: (0.3 * t, 0 * t, 0 * t))
    Q, Omega = reference(first, 0.8)
    second = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (0 * t, 1 + t, 0 * t), Q0=Q, Omega0=Omega, t0=0.8)
    expected = reference(second, 1.5)
    for found, bound in ((reference(p, 1.5), 1e-14), (by_dop853(p, 1.5), 1e-12)):
        assert found[0] == pytest.approx(expected[0], abs=bound)
        assert found[1] == pytest.approx(expected[1], abs=bound)


def test_a_singular_torque_is_an_error_not_an_endless_loop():
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (1 / (0.5 - t) ** 2, 0.0, 0.0), Omega0=(0, 0, 0))
    with pytest.raises(ph.InputError, match="singular"):
        by_mpmath(p, 1.0)


# ---- the cache ---------------------------------------------------------------------------------------


def test_results_are_kept_and_found_again(empty_cache, monkeypatch):
    p = ph.problem("heavy-top")
    fresh = by_mpmath(p, 0.1)
    assert len(list(empty_cache.glob("*"))) == 1
    monkeypatch.setattr(module, "_computed", lambda *arguments: pytest.fail("computed again"))
    assert by_mpmath(ph.problem("heavy-top"), 0.1) == fresh


@pytest.mark.parametrize(
    "changed",
    [
        lambda: by_mpmath(ph.problem("heavy-top", weight=(0.35, -0.2, 1.2)), 0.1),
        lambda: by_mpmath(ph.problem("heavy-top", inertia=(1.6, 2.0, 1.2)), 0.1),
        lambda: by_mpmath(ph.problem("heavy-top", Omega0=(0.4, -0.3, 1.4)), 0.1),
        lambda: by_mpmath(ph.problem("heavy-top", Q0=(0.6, -0.3, 0.1)), 0.1),
        lambda: by_mpmath(ph.problem("heavy-top"), 0.2),
        lambda: by_mpmath(ph.problem("heavy-top"), 0.1, 26),
        lambda: by_mpmath(other_torque(), 0.1),
    ],
)
def test_whatever_it_depends_on_is_in_the_key(changed, empty_cache):
    by_mpmath(ph.problem("heavy-top"), 0.1)
    changed()
    assert len(list(empty_cache.glob("*"))) == 2


def other_torque():
    return ph.problem("heavy-top").copied(torque_kernel=lambda t, Q, par: (Q[0], Q[1], Q[2]))


def test_a_damaged_file_is_computed_again(empty_cache):
    p = ph.problem("heavy-top")
    fresh = by_mpmath(p, 0.1)
    (file,) = empty_cache.glob("*")
    for text in ("{", "[]", json.dumps([["1"] * 6]), ""):
        file.write_text(text)
        assert by_mpmath(p, 0.1) == fresh


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="cannot be used"):
        assert by_mpmath(ph.problem("heavy-top"), 0.1)


# ---- power series ------------------------------------------------------------------------------------

FUNCTIONS = {
    "sqrt": (lambda x: np.sqrt(x), mp.sqrt),
    "exp": (lambda x: np.exp(x), mp.exp),
    "log": (lambda x: np.log(x), mp.log),
    "sin": (lambda x: np.sin(x), mp.sin),
    "cos": (lambda x: np.cos(x), mp.cos),
    "tan": (lambda x: np.tan(x), mp.tan),
    "arctan": (lambda x: np.arctan(x), mp.atan),
    "power": (lambda x: x**7, lambda x: x**7),
    "negative power": (lambda x: x**-3, lambda x: x**-3),
    "real power": (lambda x: x**1.5, lambda x: x ** mpf(1.5)),
    "quotient": (lambda x: (1 - 2 * x) / (x * x + 3), lambda x: (1 - 2 * x) / (x * x + 3)),
    "reciprocal": (lambda x: np.float64(2) / x - 1 / (x - 3), lambda x: 2 / x - 1 / (x - 3)),
}


@pytest.mark.parametrize("f, g", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_series_of_a_function_are_its_taylor_coefficients(f, g):
    with mpmath.workdps(40):
        t = mpf("0.7")
        series = f(Time(t, t) * Time(t, t) + 0.25)
        for found, expected in zip((series.term(n) for n in range(8)), mp.taylor(lambda x: g(x * x + 0.25), t, 7)):
            assert abs(found - expected) < mpf(10) ** -20 * (1 + abs(expected))


def test_real_and_imaginary_parts_of_series():
    x = Series([mp.mpc(1, 2), mp.mpc(3, 4)], lambda n: mp.zero)
    assert [x.real.term(1), x.imag.term(1), (x * 1j).real.term(0)] == [3, 4, -2]


def test_comparisons_of_time_are_made_inside_the_step():
    t = Time(mpf(2), mpf("2.01"))
    assert t > 2 and t >= 2 and not t < 2 and not t <= 2 and t.term(0) == 2
    x = t * 1.0
    assert not x > 2 and x >= 2 and x <= 2 and not x < 2 and x < t
