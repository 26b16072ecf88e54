"""The quantities of the papers along a trajectory, against differences and formulas of their own."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph

POINT = (0.3, -0.2, 0.7)
TENSOR = np.array([[2.0, 0.3, -0.1], [0.3, 3.0, 0.2], [-0.1, 0.2, 4.0]])


def tilted():
    """A heavy body in axes that are not its principal ones."""
    return ph.build.heavy_body(
        mass=1.3, centre_of_mass_body=(0.1, 0.4, 0.5), inertia_pivot_body=TENSOR, Q0=(0.3, 0.2, 0.1), Omega0=(1, -2, 3)
    )


@pytest.fixture(scope="module")
def s():
    return ph.solve(tilted(), "GAUSS8", h=0.001, t_end=1.0)


def slope(values, h):
    """Central differences of fourth order."""
    return (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * h)


def test_kinetic_and_potential_energy_add_up(s):
    assert np.array_equal(s.kinetic + s.potential, s.energy)
    assert s.kinetic == pytest.approx([Omega @ TENSOR @ Omega / 2 for Omega in s.Omega], rel=1e-14)
    assert s.potential[5] == pytest.approx(s.problem.potential(s.Q[5]), rel=1e-14)


def test_kinetic_energy_needs_no_potential():
    s = ph.solve("book-toss", "NMB", h=0.05, t_end=1.0)
    assert s.kinetic[0] == 0 and s.kinetic[-1] > 0
    with pytest.raises(ph.InputError, match="no potential"):
        _ = s.potential


def test_angular_velocity_in_space_is_the_rate_of_the_attitude(s):
    rate = np.einsum("nij,nkj->nik", slope(s.Q, s.h), s.Q[2:-2])  # Q' Q^T = hat(omega)
    assert s.Omega_space[2:-2] == pytest.approx(np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0]], 1), abs=1e-8)


def test_a_point_of_the_body_moves_with_its_velocity_and_acceleration(s):
    assert s.position(POINT)[7] == pytest.approx(s.Q[7] @ POINT)
    assert s.velocity(POINT)[2:-2] == pytest.approx(slope(s.position(POINT), s.h), abs=1e-8)
    assert s.acceleration(POINT)[2:-2] == pytest.approx(slope(s.velocity(POINT), s.h), abs=1e-7)


def test_a_point_of_a_body_with_damping_and_a_rotor():
    p = ph.Problem(inertia=TENSOR, damping=np.diag((0.3, 0.1, 0.2)), rotor=(0.2, 0, 0.4), Omega0=(1, -2, 3))
    s = ph.solve(p, "RKMK4", h=0.001, t_end=0.2)
    assert s.acceleration(POINT)[2:-2] == pytest.approx(slope(s.velocity(POINT), s.h), abs=1e-7)


def test_increments_are_the_rotations_of_newmark_beyond_half_a_turn():
    p = ph.problem("free-body")
    with pytest.warns(ph.LargeStepWarning):
        s = ph.solve(p, "NMB", h=4.0, t_end=100.0)
    made = Rotation.from_matrix(np.einsum("nji,njk->nik", s.Q[:-1], s.Q[1:])).magnitude()
    increments = s.rotation_increments
    assert increments[:-1] == pytest.approx(2 * np.pi - made, abs=1e-12)  # an angle between attitudes folds
    assert np.degrees(increments).min() > 217 and np.degrees(increments).max() < 223


def test_a_trajectory_from_a_file_has_what_needs_no_function(s, tmp_path):
    short = ph.solve(tilted(), "VLV", h=0.1, t_end=1.0)
    again = ph.load(short.save(tmp_path / "s.nc"))
    assert np.array_equal(again.kinetic, short.kinetic) and np.array_equal(again.Omega_space, short.Omega_space)
    assert again.potential == pytest.approx(short.potential, abs=1e-13)
    with pytest.raises(ph.InputError, match="read from a file"):
        _ = again.rotation_increments


def test_distance():
    rng = np.random.default_rng(2012)
    A, B = Rotation.random(2, rng=rng)
    as_printed = np.sqrt(2 * np.trace(np.eye(3) - A.as_matrix().T @ B.as_matrix()))
    assert ph.dist(A, B) == pytest.approx(as_printed, rel=1e-14) == ph.dist(A.as_rotvec(), B.as_matrix())
    tiny = 1e-9
    assert ph.dist(np.eye(3), (0, tiny, 0)) == pytest.approx(np.sqrt(2) * tiny, rel=1e-6)
    stack = Rotation.random(5, rng=rng)
    assert ph.dist(stack, A) == pytest.approx([ph.dist(R, A) for R in stack])
    with pytest.raises(ph.InputError, match="B"):
        ph.dist(A, "up")
