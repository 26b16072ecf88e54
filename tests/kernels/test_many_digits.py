"""The fast numbers with many digits: the same as mpmath's, in every function of a kernel."""

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import PROPERTIES
from polhode.kernels import many_digits, scalar
from polhode.testbench.certificate.kernel import measurements as kernel
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases

FUNCTIONS = [scalar.sqrt, scalar.sin, scalar.cos, scalar.c0, scalar.c1, scalar.c2, scalar.c3, scalar.c4, scalar.c5]


@pytest.mark.parametrize("f", [*FUNCTIONS, scalar.a3], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", ["1e-40", "3e-9", "0.01", "0.7", "9", "39.4", "250"])
def test_functions_and_their_derivatives_are_those_of_mpmath(f, x):
    """The derivative is carried at size STEP, and has all digits."""
    with many_digits.precision(80):
        exact, real = f(mpmath.mpc(mpmath.mpf(x), scalar.STEP)), f(mpmath.mpf(x))
    with many_digits.precision(50):
        s = many_digits.carried(mpmath.mpf(x), scalar.STEP)
        there = f(s)
        assert many_digits.is_fast(there)
        there, alone = many_digits.in_mpmath(there), many_digits.in_mpmath(f(many_digits.real(mpmath.mpf(x))))
    with mpmath.workdps(80):
        assert abs(there.real - exact.real) < 1e-46 * max(1, abs(exact.real))
        assert abs(alone - real) < 1e-46 * max(1, abs(real))
        assert abs(there.imag - exact.imag) < 1e-44 * max(abs(exact.imag), mpmath.mpf(scalar.STEP))


def test_numbers_go_there_and_back_without_an_error():
    with many_digits.precision(50):
        for x in (mpmath.pi, -mpmath.pi, mpmath.mpf(0), mpmath.mpf(2) ** 300 / 3, mpmath.mpf(2) ** -300 / 7):
            x = +x
            assert many_digits.in_mpmath(many_digits.real(x)) == x
            assert many_digits.in_mpmath(many_digits.back(mpmath.mpc(x, -x), many_digits.carried(0, 1))) == mpmath.mpc(
                x, -x
            )
        assert many_digits.converted((mpmath.mpf(2), ("a", 3))) == (2, ("a", 3))
        assert scalar.epsilon(many_digits.real(1)) == many_digits.real(mpmath.mp.eps)


def test_what_is_no_number_raises():
    with many_digits.precision(30):
        with pytest.raises(ArithmeticError):
            1 / many_digits.real(0)
        with pytest.raises(ArithmeticError):
            scalar.sqrt(many_digits.real(-1))


@pytest.mark.parametrize("name", ["VLV", "DMV8", "GAUSS8", "RKMK4", "ELN", "SR4"])
def test_defects_and_orders_are_those_of_mpmath(name):
    method, p = ph.method(name), cases.free()
    for defect in (theorems.symplecticity, theorems.symmetry, theorems.poisson, theorems.spatial_momentum):
        fast = theorems.finding(defect, method, p)
        with many_digits.slowly():
            slow = theorems.finding(defect, method, p)
        assert fast.holds == slow.holds
        if not slow.holds:
            assert fast.high == pytest.approx(slow.high, rel=1e-12)
    with many_digits.slowly():
        slow = theorems.order(method, p)
    assert theorems.order(method, p) == pytest.approx(slow, rel=1e-9)


def asks_numpy(h, t, state, body):
    """VLV, whose root is NumPy's: it asks a number for its `sqrt`, which mpmath's have."""
    state, report = ph.method("VLV").step(h, t, state, body)
    q, Pi, tau, memory = state
    return (tuple(x * (np.sqrt(Pi[0] * Pi[0] + 4) / np.sqrt(Pi[0] * Pi[0] + 4)) for x in q), Pi, tau, memory), report


def test_a_kernel_that_needs_mpmath_is_measured_with_it():
    mine = ph.Method(name="mine", step=asks_numpy, start=ph.method("VLV").start)
    with many_digits.precision(30), pytest.raises((TypeError, AttributeError)):
        theorems.symmetry(mine, cases.free())
    (row,) = (row for row in PROPERTIES if row.key == "symmetric")
    (found,) = kernel.values_of(mine, cases.free(), row)
    assert found.verdict == "yes"


def asks_numpy_at_large_angles(h, t, state, body):
    """VLV, but beyond some angle a step that is not symmetric, with a root of NumPy's."""
    state, report = ph.method("VLV").step(h, t, state, body)
    q, Pi, tau, memory = state
    if h * h * sum(x * x for x in Pi) > 0.05:
        Pi = tuple(x * (1 + h * h * np.sqrt(Pi[0] * Pi[0] + 1) / 1000) for x in Pi)
    return (q, Pi, tau, memory), report


def test_a_kernel_that_needs_mpmath_at_some_states_is_measured_with_it_there():
    """Such a state was taken for one that the kernel does not solve, and its defect was not seen."""
    mine = ph.Method(name="mine", step=asks_numpy_at_large_angles, start=ph.method("VLV").start)
    (row,) = (row for row in PROPERTIES if row.key == "symmetric")
    (found,) = kernel.values_of(mine, cases.free(), row)
    with many_digits.slowly():
        (slow,) = kernel.values_of(mine, cases.free(), row)
    assert found.verdict == slow.verdict == "no"
    assert found.value == pytest.approx(slow.value, rel=1e-9)


@pytest.mark.parametrize("x", [mpmath.inf, -mpmath.inf, mpmath.nan], ids=str)
def test_what_is_not_finite_is_not_taken_for_zero(x):
    with many_digits.precision(30), pytest.raises(OverflowError, match="no digits"):
        many_digits.real(x)


def test_outside_of_a_precision_no_number_is_made():
    """It would have 53 bits, whatever mpmath is set to."""
    with mpmath.workdps(50), pytest.raises(RuntimeError, match="inside precision"):
        theorems.symmetry(ph.method("VLV"), cases.free())
