"""The modified Hamiltonian of Moser-Veselov: the lemmas of Hairer & Vilmart (2006), section 4, and their formulas."""

from fractions import Fraction as F

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.series import backward_error

BODIES = [(F(3, 5), F(4, 5), F(1)), (F(2), F(3), F(9, 2)), (F(2), F(2), F(4))]


def printed(J):
    """K3 and K5 as printed, by the exponents of H and C."""
    I1, I2, I3 = J
    delta = I1 * I2 * I3
    sigma = lambda a: I1**a + I2**a + I3**a
    tau = (I2 + I3) / I1 + (I3 + I1) / I2 + (I1 + I2) / I3
    return {
        (1, 0): 1,
        (2, 0): sigma(-1) / 6,
        (1, 1): -sigma(1) / (6 * delta),
        (0, 2): 1 / (6 * delta),
        (3, 0): (3 * sigma(1) + 2 * delta * sigma(-2)) / (20 * delta),
        (2, 1): -(7 + 3 * tau) / (20 * delta),
        (1, 2): (sigma(2) + 4 * delta * sigma(-1)) / (20 * delta**2),
        (0, 3): -sigma(1) / (20 * delta**2),
    }


@pytest.mark.parametrize("J", BODIES)
def test_the_printed_functions(J):
    assert backward_error.hamiltonian(J, 2) == printed(J)


def test_there_is_one_function_for_every_body():
    """Lemma 4.1: the modified moments are the slopes of one function of H and C, exactly, up to K11."""
    assert backward_error.integrable(5)


@pytest.mark.parametrize("terms", [0, 1, 2, 3])
def test_moser_veselov_is_the_exact_motion_of_the_modified_body(terms):
    """Lemma 4.2, with Q: the difference falls with the first term left out."""
    J, Pi, found = np.array([0.6, 0.8, 1.0]), np.array([1.8, 0.4, -0.9]), []
    for n in (40, 80):
        h = 2.0 / n
        modified = ph.modified_hamiltonian(J, h, terms)
        s = ph.solve(ph.Problem(inertia=J, Pi0=Pi), "RATTLE", h=h, n_steps=n)
        body = ph.Problem(inertia=modified.inertia_at(Pi), Pi0=Pi)
        exact = ph.solve(body, "EXACT", h=2.0, n_steps=1)
        found.append(np.abs(exact.Q[-1] - s.Q[-1]).max())
        values = [modified.value(J * Omega) for Omega in s.Omega]
        assert np.ptp(values) < 1e-14
    assert np.log2(found[0] / found[1]) == pytest.approx(2 * terms + 2, abs=0.1)


def test_tensors_have_the_hamiltonian_of_their_moments():
    R = np.linalg.qr(np.random.default_rng(2006).normal(size=(3, 3)))[0]
    J, Pi = np.array([0.6, 0.8, 1.0]), np.array([1.8, 0.4, -0.9])
    a, b = ph.modified_hamiltonian(J, 0.1), ph.modified_hamiltonian(R @ np.diag(J) @ R.T, 0.1)
    assert a.value(Pi) == pytest.approx(b.value(R @ Pi), rel=1e-13)
    assert R @ a.inertia_at(Pi) @ R.T == pytest.approx(b.inertia_at(R @ Pi), rel=1e-12)
    K_H, K_C = a.slopes(1.3, 0.7)
    d = 1e-6
    assert K_H == pytest.approx((a.of(1.3 + d, 0.7) - a.of(1.3 - d, 0.7)) / (2 * d), rel=1e-8)
    assert K_C == pytest.approx((a.of(1.3, 0.7 + d) - a.of(1.3, 0.7 - d)) / (2 * d), rel=1e-6)


@pytest.mark.parametrize(
    "given, said", [({"terms": 6}, "terms is 6"), ({"h": 0}, "h is 0"), ({"inertia": 1}, "inertia")]
)
def test_what_cannot_be(given, said):
    with pytest.raises(ph.InputError, match=said):
        ph.modified_hamiltonian(**({"inertia": (1, 2, 2.5), "h": 0.1} | given))
