"""Derivatives by the complex step, where they are those of the function, and where they are not."""

import numpy as np
import pytest

import polhode as ph
from polhode.testbench.certificate.running.jacobian import BY_DIFFERENCES, NotAnalytic, derivatives
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.cases import placed, potential, pulled
from tests.testbench.certificate.adversary import rare
from tests.testbench.certificate.adversary.steps import verlet


@pytest.mark.parametrize("h", [0.01, 0.2])
def test_the_two_are_the_same_of_a_step_that_takes_complex_numbers(h):
    run = Look(verlet).run
    exact = derivatives(run, 0.25)
    assert not exact.are_differences
    for p in (placed(potential()), placed(pulled())):
        h = min(h, 0.05) if p.name == "pulled" else h
        D, Pi = exact.jacobian(run, p, h)
        E, Pi1 = BY_DIFFERENCES.jacobian(run, p, h)
        assert np.allclose(D, E, rtol=1e-7, atol=1e-7) and np.allclose(Pi, Pi1)


def test_a_norm_in_a_branch_has_no_derivative_by_the_complex_step():
    run = Look(rare.shortened_torque).run
    exact = derivatives(run, 0.25)
    exact.jacobian(run, placed(potential()), 0.05)  # where the branch is not taken
    with pytest.raises(NotAnalytic):
        exact.jacobian(run, placed(pulled()), 0.05)
    assert ph.certify(rare.shortened_torque, drift=False)["symplectic_potential"].verdict == "no"
