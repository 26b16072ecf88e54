"""Global errors and how they grow: theorems on integrable systems, and definitions."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.testbench.convergence.errors import errors, turned_by


@pytest.mark.parametrize(
    "method, h, t_end, attitude, energy",
    [
        ("VLV", 0.05, 200, "linear", "bounded"),  # symplectic, on an integrable system
        ("DMV4", 0.1, 500, "linear", "undecided"),  # the energy is exact
        ("CG3", 0.02, 200, "quadratic", "linear"),  # the energy drifts, and with it the rate of rotation
    ],
)
def test_laws_of_growth(method, h, t_end, attitude, energy):
    found = ph.global_error(ph.solve("free-body", method, h=h, t_end=t_end, save_every=10))
    assert found.law().words == attitude
    assert found.law("energy").words.startswith(energy)
    assert found.attitude[0] == 0


def test_against_a_better_run_and_against_the_reference():
    s = ph.solve("stress", "VLV", h=0.125, t_end=5.0)
    better = ph.solve("stress", "GAUSS16", h=0.125, t_end=5.0)
    a, b = ph.global_error(s), ph.global_error(s, better)
    for of in ("attitude", "momentum", "energy", "phase"):
        assert getattr(a, of) == pytest.approx(getattr(b, of), abs=1e-12)


def test_a_body_that_runs_ahead_has_a_phase_error_only():
    """A steady rotation that is early by 0.01: all of the attitude error is phase, and nothing else is wrong."""
    p = ph.Problem(inertia=(1, 2, 2.5), Omega0=(0, 0, 1.5))
    times = np.linspace(1, 3, 5)
    turned = lambda late: Rotation.from_rotvec(np.outer(1.5 * (times + late), (0, 0, 1))).as_matrix()
    Omega = np.tile((0, 0, 1.5), (5, 1))
    found = errors(p, turned(0.01), Omega, turned(0.0), Omega)
    assert found.phase == pytest.approx(0.015) == found.attitude
    assert found.momentum == pytest.approx(0.0) == found.energy


def test_rotation_vectors_near_zero_and_near_half_a_turn():
    for angle in (0.0, 1e-12, 1.0, 3.1):
        R = Rotation.from_rotvec([[0.6 * angle, 0, 0.8 * angle]]).as_matrix()
        assert turned_by(np.eye(3)[None], R) == pytest.approx(np.array([[0.6, 0, 0.8]]) * angle, rel=1e-9)


def test_what_cannot_be_compared():
    s = ph.solve("stress", "VLV", h=0.125, t_end=1.0)
    with pytest.raises(ph.InputError, match="other times"):
        ph.global_error(s, ph.solve("stress", "VLV", h=0.0625, t_end=1.0))
    with pytest.raises(ph.InputError, match="reference is 'VLV'"):
        ph.global_error(s, "VLV")
    with pytest.raises(ph.InputError, match="there are attitude"):
        ph.global_error(s).law("colour")
    for few in (0, 3):
        s = ph.solve("stress", "VLV", h=0.125, n_steps=1 + few)
        assert ph.global_error(s).law().words.startswith("undecided")
