"""The algebra of the rotation group, by its theorems: at the identity, near it, and anywhere."""

import cmath
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from polhode.kernels import rotations as R
from polhode.kernels import scalar
from polhode.kernels import vectors as V

number = st.floats(-3, 3)
vector = st.tuples(number, number, number)
SIZES = (0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.1, 0.4999, 0.5001, 0.9999, 1.0001, 1.9, 2.1, 3.0, 6.2, 20.0)


def as_array(q):
    return np.array(R.matrix(q)).reshape(3, 3)


@given(vector)
def test_exp_is_scipys(x):
    assert as_array(R.exp(x)) == pytest.approx(Rotation.from_rotvec(x).as_matrix(), abs=1e-14)


@given(vector)
def test_cay_is_its_definition(x):
    X = np.array(V.hat(x)).reshape(3, 3) / 2
    assert as_array(R.cay(x)) == pytest.approx(np.linalg.solve(np.eye(3) - X, np.eye(3) + X), abs=1e-14)


@given(vector, vector, vector)
def test_rotations_compose_and_act(x, y, v):
    p, q = R.exp(x), R.cay(y)
    A, B = as_array(p), as_array(q)
    assert as_array(R.compose(p, q)) == pytest.approx(A @ B, abs=1e-13)
    assert R.rotated(p, v) == pytest.approx(A @ v, abs=1e-13)
    assert R.rotated_back(q, v) == pytest.approx(B.T @ v, abs=1e-13)
    assert R.cayley_back(V.scaled(0.5, y), v) == pytest.approx(B.T @ v, abs=1e-13)
    assert as_array(R.inverse(q)) == pytest.approx(B.T, abs=1e-14)
    assert as_array(R.unit(q)) == pytest.approx(B, abs=1e-14)


@given(vector, vector)
def test_dexp_is_the_derivative_of_exp(x, y):
    """d/de exp(x + e y) = hat(dexp_x y) exp(x), by the complex step: no differences."""
    e = scalar.STEP
    q = R.exp(tuple(a + 1j * e * b for a, b in zip(x, y)))
    slope = np.array([z.imag / e for z in R.matrix(q)]).reshape(3, 3)
    expected = np.array(V.hat(R.dexp(x, y))).reshape(3, 3) @ as_array(R.exp(x))
    assert slope == pytest.approx(expected, abs=1e-12)


@given(vector, vector)
def test_dexpinv_inverts_dexp(x, y):
    if math.dist(x, (0, 0, 0)) < 5:
        assert R.dexpinv(x, R.dexp(x, y)) == pytest.approx(y, abs=1e-11)


@given(vector, vector)
def test_cayley_twice(x, y):
    """The square of a Cayley transform, as a rotation and on a vector."""
    F = R.cayley_twice(x)
    C = np.reshape(R.matrix(R.cay(tuple(2 * a for a in x))), (3, 3))
    assert np.reshape(R.matrix(F), (3, 3)) == pytest.approx(C @ C, abs=1e-13)
    assert R.cayley_twice_back(x, y) == pytest.approx((C @ C).T @ y, abs=1e-13 * (1 + max(map(abs, y))))
    assert math.dist(F, (0, 0, 0, 0)) == pytest.approx((1 + V.dot(x, x)) / 2)


@given(vector, vector)
def test_algebra(a, b):
    assert V.cross(a, b) == pytest.approx(np.cross(a, b))
    assert V.apply(V.hat(a), b) == pytest.approx(V.cross(a, b))
    A = np.eye(3) * 4 + np.outer(a, b) / 10
    assert V.solve3(tuple(A.ravel()), a) == pytest.approx(np.linalg.solve(A, a), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("x", SIZES)
@pytest.mark.parametrize("name, ulps", [("c0", 4), ("c1", 4), ("c2", 6), ("c3", 8)])
def test_stumpff_functions_keep_their_bounds(name, ulps, x):
    """Floats against 50 digits, on both sides of every switch."""
    with mpmath.workdps(120):  # x - sin(x) cancels; what is left has more than 50 digits
        s = mpmath.mpf(x * x)
        z = mpmath.sqrt(s)
        exact = {
            "c0": mpmath.cos(z),
            "c1": mpmath.sinc(z),
            "c2": mpmath.mpf(1) / 2 if s == 0 else 2 * (mpmath.sin(z / 2) / z) ** 2,
            "c3": mpmath.mpf(1) / 6 if z < mpmath.mpf(10) ** -20 else (z - mpmath.sin(z)) / (z * s),
        }[name]
    with mpmath.workdps(50):
        envelope = {"c0": 1, "c1": 1 / (1 + z), "c2": 2 / (1 + s), "c3": 0}[name] if x > 2 else 0
        scale = max(abs(exact), envelope)
        assert abs(getattr(scalar, name)(x * x) - exact) <= ulps * mpmath.mpf(2) ** -53 * scale
        assert abs(getattr(scalar, name)(s) - exact) <= mpmath.mpf(10) ** -45
    complex_value = getattr(scalar, name)(complex(x * x))
    assert complex_value.real == pytest.approx(float(exact), rel=4e-15, abs=4e-15)


@pytest.mark.parametrize("x", [*SIZES, 0.249, 0.25, 0.251])
def test_arc_tangent_keeps_its_bound(x):
    """atan(x)/x = 1 - s a3(s) is what the kernels use."""
    s = x * x
    with mpmath.workdps(60):
        z = mpmath.sqrt(mpmath.mpf(s))
        exact = mpmath.atan(z) / z if z else mpmath.mpf(1)
        assert abs(1 - s * scalar.a3(s) - exact) <= 2 * mpmath.mpf(2) ** -53
        assert abs(1 - mpmath.mpf(s) * scalar.a3(mpmath.mpf(s)) - exact) <= mpmath.mpf(10) ** -55
    assert (1 - s * scalar.a3(complex(s))).real == pytest.approx(float(exact), abs=3e-16)


@pytest.mark.parametrize("x", [1e-6, 0.2, 0.6, 1.5, 3.0])
@pytest.mark.parametrize("name", ["c0", "c1", "c2", "c3", "a3"])
def test_stumpff_functions_are_analytic(name, x):
    """The complex step gives the derivative, across the switches too."""
    f, s = getattr(scalar, name), x * x
    slope = f(complex(s, scalar.STEP)).imag / scalar.STEP
    with mpmath.workdps(40):
        assert slope == pytest.approx(float(mpmath.diff(f, mpmath.mpf(s))), rel=1e-13, abs=1e-15)


def test_scalar_functions_know_their_arithmetic():
    for f, real, complex_ in (
        (scalar.sqrt, math.sqrt, cmath.sqrt),
        (scalar.sin, math.sin, cmath.sin),
        (scalar.cos, math.cos, cmath.cos),
    ):
        assert f(0.7) == real(0.7)
        assert f(0.7 + 0.1j) == complex_(0.7 + 0.1j)
        with mpmath.workdps(40):
            assert abs(f(mpmath.mpf("0.7")) - getattr(mpmath, f.__name__)(mpmath.mpf("0.7"))) < mpmath.mpf(10) ** -39
    assert scalar.magnitude(-2.0) == 2.0
    assert scalar.magnitude(complex(3, scalar.STEP)) == 4.0


@given(vector)
def test_attitudes_reach_the_engine_as_scipy_reads_them(x):
    """A rotation vector to the matrix and the quaternion that a run starts from; half turns included."""
    import polhode as ph

    for turn in (x, (math.pi, 0, 0), (0, -math.pi, 0), (0.6 * math.pi, 0, 0.8 * math.pi)):
        p = ph.Problem(inertia=(1, 2, 2.5), Q0=turn, Omega0=(0, 0, 1))
        assert p.Q0 == pytest.approx(Rotation.from_rotvec(turn).as_matrix(), abs=2e-15)
        assert as_array(p.start()[0]) == pytest.approx(p.Q0, abs=2e-15)
