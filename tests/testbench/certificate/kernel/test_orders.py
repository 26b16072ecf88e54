"""Orders of kernels in many digits: what their tiny steps show, and whose show nothing."""

import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.kernel.orders import computes_in_floats, orders
from polhode.testbench.certificate.states.cases import case_of
from tests.testbench.certificate.adversary import kernels

ROW = BY_KEY["order_free_Q"]


@pytest.mark.parametrize(
    ("method", "order_of_Q", "order_of_Omega"), [(kernels.ONE_STEP_LATE, 2, 1), (kernels.ASLEEP_FIRST, 1, 1)]
)
def test_a_first_step_shows_nothing_of_those_after_it(method, order_of_Q, order_of_Omega):
    found = ph.certify(method, drift=False)
    for key in ("order_free_Q", "order_potential_Q", "order_forced_Q"):
        Q, Omega = found[key], found[key.replace("_Q", "_Omega")]
        assert Q.value == pytest.approx(order_of_Q, abs=0.05) and Omega.value == pytest.approx(order_of_Omega, abs=0.05)
        assert Q.said == Omega.said == "yes"


def test_tiny_steps_of_what_computes_in_floats_show_nothing():
    floats, others = kernels.as_method("cosines_of_floats"), ("splitting", "printed_digits", "to_a_tolerance")
    p = case_of(ROW, floats)
    assert computes_in_floats(floats, p)
    assert not any(computes_in_floats(kernels.as_method(name), p) for name in others)
    assert all(found.value == pytest.approx(2, abs=0.01) and found.said == "yes" for found in orders(floats, p, ROW))


def test_tiny_steps_show_what_larger_ones_hide():
    damped = kernels.as_method("hardly_at_all_damped")
    found, _ = orders(damped, case_of(ROW, damped), ROW)
    assert found.value == pytest.approx(2, abs=0.01) and 1e-14 < found.down_to < 1e-12
