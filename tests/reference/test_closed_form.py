"""The free body in closed form: every case, against routes that share nothing with it."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import polhode as ph
from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.elliptic import flight
from polhode.kernels.elliptic import jacobi
from polhode.kernels.free_flow import free_flow
from polhode.kernels.rotations import compose, inverse, matrix, rotated, unit
from polhode.kernels.scalar import STEP
from polhode.reference.closed_form import FreeSolution
from polhode.reference.reference import by_dop853, by_mpmath
from polhode.runs.runners.kernel_runner import body_of

ULP = 2.0**-52
BODY = (1.0, 1.7, 2.5)


def exact(numbers):
    return tuple(mpf(float(x)) for x in numbers)


def on_separatrix(y_b):
    """A momentum with 2T J_b = |y|^2 for the body (6, 4, 3): its inverse moments are equally spaced, and A = B."""
    return (1.0, y_b, 1.0)


CASES = {
    "below the separatrix": (BODY, (0.9, 0.3, 0.2)),
    "above the separatrix": (BODY, (0.2, -0.3, 0.9)),
    "largest moment first": ((2.5, 1.0, 1.7), (0.2, -0.3, 0.9)),
    "middle moment last": ((1.0, 2.5, 1.7), (0.5, 0.8, -0.3)),
    "near the separatrix": (BODY, (0.43, 0.5, 0.64)),
    "on the separatrix": ((6.0, 4.0, 3.0), on_separatrix(0.3)),
    "steady about the smallest": (BODY, (1.0, 0.0, 0.0)),
    "steady about the middle": (BODY, (0.0, -1.0, 0.0)),
    "steady about the largest": (BODY, (0.0, 0.0, 1.0)),
    "nearly steady about the smallest": (BODY, (1.0, 1e-9, 1e-10)),
    "nearly steady about the middle": (BODY, (1e-9, 1.0, -1e-10)),
    "nearly steady about the largest": (BODY, (1e-160, 1e-12, 1.0)),
    "prolate": ((2.0, 2.0, 0.7), (0.3, -0.8, 0.5)),
    "oblate": ((1.2, 2.0, 1.2), (0.3, -0.8, 0.5)),
    "symmetric, no momentum along the axis": ((2.0, 2.0, 0.7), (0.3, -0.8, 0.0)),
    "nearly symmetric": ((2.0, 2.0 + 1e-12, 0.7), (0.3, -0.8, 0.5)),
    "nearly symmetric in the last place": ((2.0, 2.0 + 4 * ULP, 3.1), (0.3, -0.8, 0.5)),
    "sphere": ((1.3, 1.3, 1.3), (0.3, -0.8, 0.5)),
    "nearly a sphere": ((1.3, 1.3 * (1 + 3e-9), 1.3 * (1 - 1e-9)), (0.3, -0.8, 0.5)),
    "a rod": ((1e-3, 1.0, 1.0 + 1e-5), (1e-3, -0.8, 0.5)),
    "at rest": (BODY, (0.0, 0.0, 0.0)),
    "tiny": (BODY, (1e-140, 2e-140, -1e-140)),
    "huge": (BODY, (1e140, 2e140, -1e140)),
}
EVERY_CASE = pytest.mark.parametrize("J, y", CASES.values(), ids=CASES.keys())
MODERATE = {name: (J, y) for name, (J, y) in CASES.items() if max(np.abs(y)) <= 1e3}


def turn(J, y, h):
    """The angle, at least one, whose ulps count."""
    return max(1.0, np.linalg.norm(y) / min(J) * abs(h))


def difference(q, r):
    """Between two attitudes given as quaternions of any length and sign."""
    q, r = (np.array([float(mpf(x) / mpmath.sqrt(sum(mpf(y) ** 2 for y in z))) for x in z]) for z in (q, r))
    return min(np.abs(q - r).max(), np.abs(q + r).max())


# ---- the functions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("A, B", [(2.0, 0.3), (0.3, 2.0), (1.0, 1.0), (1.0, 1 - 1e-9), (1.5, 0.0), (0.0, 0.0)])
@pytest.mark.parametrize("v", [1e-5, 0.3, 1.1, -4.0, 11.0])
def test_functions_are_those_of_jacobi(A, B, v):
    """S, C, D against mpmath's sn, cn, dn, in 30 digits; the third integral against quadrature of mpmath's sn."""
    with mpmath.workdps(30):
        A, B, v = mpf(A), mpf(B), mpf(v)
        eta, L2 = A / 5 + B / 7, mpf(2)
        c = mpmath.sqrt((A + eta) * (B + eta) / (eta * L2)) if eta else mpf(1)
        (S, C, D), (a, b) = jacobi(v, (A, B, A - B, eta, c, L2))
        big, small, swap = (A, B, False) if A >= B else (B, A, True)
        k = mpmath.sqrt(big)
        sn, cn, dn = (
            [mpmath.ellipfun(f, k * v, m=small / big) for f in ("sn", "cn", "dn")] if big else (v, mpf(1), mpf(1))
        )
        assert abs(S - (sn / k if big else v)) < 1e-27
        assert abs(C - (dn if swap else cn)) < 1e-27
        assert abs(D - (cn if swap else dn)) < 1e-27
    with mpmath.workdps(15):

        def integrand(u):
            s = mpmath.ellipfun("sn", k * u, m=small / big) / k if big else u
            return s * s / (1 + eta * s * s)

        pieces = mpmath.linspace(0, v, 2 + int(4 * abs(v)))
        x = c * mpmath.sqrt(L2) * eta * mpmath.quad(integrand, pieces)
        length = mpmath.hypot(a, mpmath.sqrt(L2) * b)
        assert a / length == pytest.approx(float(mpmath.cos(x)), abs=1e-11)
        assert mpmath.sqrt(L2) * b / length == pytest.approx(float(mpmath.sin(x)), abs=1e-11)


# ---- the motion --------------------------------------------------------------------------------------


@EVERY_CASE
@pytest.mark.parametrize("h", [0.1, -3.0])
def test_closed_form_is_the_solution_to_35_digits(J, y, h):
    """Against Taylor series of the equations of motion."""
    if max(np.abs(y)) > 1e3:
        h = h / 1e140
    problem = ph.Problem(inertia=J, Pi0=y)
    with mpmath.workdps(40):
        F, p = free_flow(mpf(h), exact(y), exact(J))
        q, Pi = by_mpmath(problem, mpf(h), 36, exact((1, 0, 0, 0)), exact(y))
        size = max(abs(x) for x in exact(y)) or 1
        assert max(abs(a - b) for a, b in zip(p, Pi)) < size * mpf(10) ** -33
        turned = compose(inverse(q), unit(F))
        assert max(abs(x) for x in turned[1:]) < mpf(10) ** -33


@pytest.mark.parametrize("h", [1e-3, 0.1, 1.0, 25.0, -7.0])
@pytest.mark.parametrize(
    "J", [(2.0, 2.0, 0.7), (0.7, 2.0, 2.0), (2.0, 0.7, 2.0), (1.3, 1.3, 1.3), (1.0, 1.0, 1.9), BODY]
)
def test_a_flight_of_a_symmetric_body_without_elliptic_functions_is_the_same(J, h):
    """Two rotations against the closed form for every body, at 50 digits and in floats."""
    q, y = (0.5, -0.1, 0.7, 0.5), (0.3, -0.8, 0.5)
    flown = lambda q, y, J, h: flight(h, q, y, J, tuple(1 / x for x in J))
    with mpmath.workdps(50):
        F, p50 = free_flow(mpf(h), exact(y), exact(J))
        q50 = compose(exact(q), F)
        turned, p = flown(exact(q), exact(y), exact(J), mpf(h))
        assert difference(turned, q50) < mpf(10) ** -46
        assert max(abs(a - b) for a, b in zip(p, p50)) < mpf(10) ** -46
        turned, p = flown(q, y, J, h)
        assert difference(turned, q50) <= 4 * ULP * turn(J, y, h)
        assert max(abs(a - b) for a, b in zip(p, p50)) <= 6 * ULP * turn(J, y, h)


@EVERY_CASE
@pytest.mark.parametrize("h", [1e-3, 0.1, 1.0, 25.0, -7.0])
def test_floats_are_right_to_a_few_ulps_of_the_angle(J, y, h):
    if max(np.abs(y)) > 1e3:
        h = h / 1e140
    F, p = free_flow(h, y, J)
    with mpmath.workdps(50):
        F50, p50 = free_flow(mpf(h), exact(y), exact(J))
        p50 = np.array([float(x) for x in p50])
        off = difference(F, F50)
    growth = np.exp(unstable(J, y) * abs(h))
    bound = 3 * ULP * turn(J, y, h) * (1 if growth < 20 else growth)
    assert off <= bound
    assert np.abs(p - p50).max() <= 2 * bound * np.abs(y).max()


def unstable(J, y):
    """The rate of the instability about the middle axis, for motions that come near it."""
    low, mid, high = sorted(J)
    about_middle = abs(np.dot(y, y) - mid * np.dot(y, np.divide(y, J))) < 1e-2 * np.dot(y, y) and low < mid < high
    return np.sqrt((1 / low - 1 / mid) * (1 / mid - 1 / high) * np.dot(y, y)) if about_middle else 0.0


def test_long_spans_and_bodies_of_all_shapes(rng):
    """A hundred random bodies with moments over four decades, up to 10^8 radians: 3 ulps of the angle."""
    for _ in range(100):
        J = tuple((10 ** rng.uniform(-2, 2, 3)).tolist())
        y = tuple((rng.normal(size=3) * 10 ** rng.uniform(-3, 0, 3)).tolist())
        h = float(10 ** rng.uniform(-3, 8)) * min(J) / np.linalg.norm(y)
        F, p = free_flow(h, y, J)
        with mpmath.workdps(40):
            F40, p40 = free_flow(mpf(h), exact(y), exact(J))
            p40 = np.array([float(x) for x in p40])
            assert difference(F, F40) <= 3 * ULP * turn(J, y, h)
        assert np.abs(p - p40).max() <= 6 * ULP * turn(J, y, h) * np.linalg.norm(y)
        energy = [np.dot(z, np.divide(z, J)) for z in (y, p)]
        assert np.linalg.norm(p) == pytest.approx(np.linalg.norm(y), rel=8 * ULP)  # at the end of the span, too
        assert energy[1] == pytest.approx(energy[0], rel=16 * ULP)


@EVERY_CASE
def test_spatial_momentum_is_conserved(J, y):
    F, p = free_flow(0.7 if max(np.abs(y)) < 1e3 else 0.7e-140, y, J)
    assert rotated(F, p) == pytest.approx(y, abs=8 * ULP * np.linalg.norm(y))


@EVERY_CASE
def test_flow_is_a_flow(J, y):
    """Two spans one after the other are one span."""
    h = 1e-140 if max(np.abs(y)) > 1e3 else 1.0
    F, p = free_flow(0.4 * h, y, J)
    G, r = free_flow(0.9 * h, p, J)
    H, s = free_flow(1.3 * h, y, J)
    assert difference(compose(F, G), H) < 20 * ULP * turn(J, y, h)
    assert r == pytest.approx(s, abs=20 * ULP * turn(J, y, h) * np.linalg.norm(y))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("h", [0.3, 50.0, 1e5])
def test_steady_rotation(axis, h):
    y = tuple(-1.3 if i == axis else 0.0 for i in range(3))
    F, p = free_flow(h, y, BODY)
    vector = [-1.3 * h / BODY[i] if i == axis else 0.0 for i in range(3)]
    expected = Rotation().from_rotvec(vector).as_quat(scalar_first=True)
    assert difference(F, tuple(expected)) <= 3 * ULP * turn(BODY, y, h)
    assert p == pytest.approx(y, rel=4 * ULP)


def test_symmetric_body_is_two_rotations():
    """exp(h y/J1), and then about the axis with the rate (1/J3 - 1/J1) y3."""
    J, y, h = (2.0, 2.0, 0.7), np.array([0.3, -0.8, 0.5]), 2.9
    F, p = free_flow(h, tuple(y.tolist()), J)
    about_axis = Rotation().from_rotvec([0, 0, h * (1 / 0.7 - 1 / 2) * 0.5])
    assert p == pytest.approx(about_axis.inv().apply(y), abs=1e-15)
    expected = (Rotation().from_rotvec(h * y / 2) * about_axis).as_quat(scalar_first=True)
    assert difference(F, tuple(expected)) < 1e-15


@pytest.mark.parametrize("h", [40.0, 500.0, 1e4, 1e7])
def test_separatrix_leads_to_the_middle_axis(h):
    """Exactly on the separatrix the momentum tends to the middle axis and stays there, and nothing overflows."""
    for direction in (h, -h):
        y = on_separatrix(0.3)
        F, p = free_flow(direction, y, (6.0, 4.0, 3.0))
        end = -np.sign(direction) * np.linalg.norm(y)
        assert p == pytest.approx((0, end, 0), abs=0.05 if h < 100 else 1e-15)
        assert rotated(F, p) == pytest.approx(y, abs=1e-14)


def test_it_is_the_motion_that_dop853_finds(rng):
    for _ in range(3):
        p = ph.Problem(inertia=rng.uniform(1, 1.9, 3), Omega0=rng.normal(size=3), Q0=rng.normal(size=3))
        Q, Omega = FreeSolution(p)(8.0)
        Q853, Omega853 = by_dop853(p, 8.0)
        assert Q == pytest.approx(Q853, abs=3e-12)
        assert Omega == pytest.approx(Omega853, abs=3e-12)


# ---- the object --------------------------------------------------------------------------------------


def test_solution_at_many_times_and_in_the_users_axes():
    """A full tensor, another t0, times before and after it, any shape."""
    R = Rotation().from_rotvec([0.3, -1.0, 0.4]).as_matrix()
    p = ph.Problem(inertia=R @ np.diag(BODY) @ R.T, Omega0=(0.3, 0.2, -0.9), Q0=(0.1, 0.2, 0.3), t0=2.0)
    t = np.array([[2.0, 5.0], [-1.0, 2.5]])
    Q, Omega = FreeSolution(p)(t)
    assert Q.shape == (2, 2, 3, 3) and Omega.shape == (2, 2, 3)
    assert Q[0, 0] == pytest.approx(p.Q0, abs=1e-15)
    assert Omega[0, 0] == pytest.approx(p.Omega0, abs=1e-15)
    for i in np.ndindex(2, 2):
        Q853, Omega853 = by_dop853(p, t[i])
        assert Q[i] == pytest.approx(Q853, abs=1e-12)
        assert Omega[i] == pytest.approx(Omega853, abs=1e-12)
    one = FreeSolution(p)(5.0)
    assert np.array_equal(one[0], Q[0, 1]) and np.array_equal(one[1], Omega[0, 1])


def test_solution_in_any_number_of_digits():
    p = ph.problem("asymmetric")
    Q, Omega = FreeSolution(p, digits=40)(3)
    q, Pi = by_mpmath(p, 3, 40)
    with mpmath.workdps(40):
        assert max(abs(a - b) for a, b in zip(Q.ravel(), matrix(q))) < mpf(10) ** -37
        assert max(abs(J * a - b) for J, a, b in zip(exact(p.moments), Omega, Pi)) < mpf(10) ** -37
    assert np.array(Q, dtype=float) == pytest.approx(FreeSolution(p)(3)[0], abs=1e-14)


def test_solution_needs_a_free_body():
    with pytest.raises(ph.InputError, match="has a torque"):
        FreeSolution(ph.problem("stress"))


# ---- the methods -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["free-body", "asymmetric", "water"])
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_exact_has_no_error_but_round_off_whatever_the_step(name, n):
    p = ph.problem(name)
    s = ph.solve(p, "EXACT", h=10.0 / n, n_steps=n, save_every=n)
    Q, Omega = FreeSolution(p)(10.0)
    assert s.Q[-1] == pytest.approx(Q, abs=5e-14)
    assert s.Omega[-1] == pytest.approx(Omega, abs=5e-14)


@pytest.mark.parametrize("h", [0.05, 0.4])
@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
def test_jem_is_the_magnus_series_of_the_exact_velocity(h):
    """Q1 written out with NumPy and SciPy, from the exact velocities at the nodes."""
    p = ph.problem("water")
    r = np.sqrt(3) / 6
    _, (a, m, b, end) = FreeSolution(p)(h * np.array([0.5 - r, 0.5, 0.5 + r, 1.0]))
    magnus = {"JEM2": h * m, "JEM4": h / 2 * (a + b) + r / 2 * h * h * np.cross(a, b)}
    for name, vector in magnus.items():
        s = ph.solve(p, name, h=h, n_steps=1)
        assert s.Q[1] == pytest.approx(p.Q0 @ Rotation().from_rotvec(vector).as_matrix(), abs=2e-15)
        assert s.Omega[1] == pytest.approx(end, abs=5e-15)


@pytest.mark.parametrize("J, y", MODERATE.values(), ids=MODERATE.keys())
def test_exact_can_be_differentiated_everywhere(J, y):
    """The Jacobian by the complex step is finite in every case, and symplectic; but for huge momenta, whose angles have
    no digits after the point."""
    assert symplectic_defect(J, y, 0.8) < 1e-12


def symplectic_defect(J, y, h):
    """max |D^T W(Pi1) D - W(Pi0)| of the free flow in complex floats."""
    D = np.empty((6, 6))
    for j in range(6):
        e = np.zeros(6, complex)
        e[j] = 1j * STEP
        F, p = free_flow(h, tuple((y + e[3:]).tolist()), J)
        q = unit(compose((1, *(e[:3] / 2).tolist()), F))
        Q = np.array(matrix(q)).reshape(3, 3)
        S = Q.real.T @ Q.imag / STEP
        D[:, j] = [S[2, 1], S[0, 2], S[1, 0], *(np.array(p).imag / STEP)]

    def W(Pi):
        x, y, z = Pi
        hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.block([[-hat, np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])

    return np.abs(D.T @ W(np.array(p).real) @ D - W(y)).max()


@pytest.mark.parametrize("name", ["EXACT", "JEM2", "JEM4"])
@EVERY_CASE
@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
def test_every_case_compiled_is_bit_for_bit_the_same(name, J, y):
    p = ph.Problem(inertia=J, Pi0=y)
    h = 0.9 if max(np.abs(y)) < 1e3 else 0.9e-140
    a = ph.solve(p, name, h=h, n_steps=20, compiled=True)
    b = ph.solve(p, name, h=h, n_steps=20, compiled=False)
    assert a.success and np.array_equal(a.Q, b.Q) and np.array_equal(a.Omega, b.Omega)


def test_exact_needs_no_solve_and_no_coefficients():
    p = ph.problem("heavy-top")
    s = ph.solve(p, "EXACT", h=0.1, n_steps=50)
    assert s.stats["n_iterations"] == 0 and s.stats["n_torque"] == 51
    assert body_of(p, ph.method("EXACT"))[2] == ()
