"""States in the user's axes: a few, as plain floats, have the bits of many, as arrays."""

from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from polhode.runs.results import users_axes

RNG = np.random.default_rng(5)
FULL = RNG.standard_normal((3, 3))
OFF = np.where(np.eye(3) > 0, 1.0, -1.0)
BODIES = {
    "principal axes": ph.Problem(inertia=(1.0, 2.0, 2.5), Omega0=(0.1, 0.2, 0.3)),
    "a tensor": ph.Problem(inertia=FULL @ FULL.T + 9 * np.eye(3), Omega0=(0.1, 0.2, 0.3)),
    "principal axes with negative zeros": SimpleNamespace(moments=np.ones(3), axes=np.eye(3) * OFF),
}


def random_rows(n):
    """Quaternions near and far from unit length, momenta of many sizes, and zeros."""
    rows = RNG.standard_normal((n, users_axes.ROW)) * 10.0 ** RNG.integers(-9, 9, (n, 1))
    rows[: n // 2, :4] /= np.linalg.norm(rows[: n // 2, :4], axis=1)[:, None]
    rows[::7, 4:] = 0.0
    rows[::5, 1:3] = -0.0
    return rows


@pytest.mark.parametrize("problem", BODIES.values(), ids=BODIES)
def test_few_states_have_the_bits_of_many(problem):
    rows = random_rows(3000)
    Q, Omega = users_axes.in_users_axes(problem, rows)
    for k in range(0, len(rows), users_axes.FEW_ROWS):
        some = slice(k, k + users_axes.FEW_ROWS)
        q, v = users_axes.in_users_axes(problem, rows[some])
        assert q.tobytes() == Q[some].tobytes() and v.tobytes() == Omega[some].tobytes()


@pytest.mark.parametrize("problem", BODIES.values(), ids=BODIES)
def test_attitudes_and_velocities_are_those_of_the_formulas(problem):
    rows = random_rows(50)
    w, v = rows[:, 0], rows[:, 1:4]
    cross = np.cross(np.eye(3)[None], v[:, None])  # the matrix of v x, by rows
    n = np.sum(rows[:, :4] ** 2, axis=1)[:, None, None]
    R = np.eye(3) + 2 / n * (w[:, None, None] * cross + cross @ cross)
    Q, Omega = users_axes.in_users_axes(problem, rows)
    assert np.allclose(Q, R @ problem.axes.T, rtol=0, atol=1e-14)
    assert np.allclose(Omega, (rows[:, 4:] / problem.moments) @ problem.axes.T, rtol=1e-14, atol=0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("count", [1, 5])
def test_a_quaternion_of_zeros_has_no_attitude(count):
    assert np.isnan(users_axes.attitudes(BODIES["principal axes"], np.zeros((count, users_axes.ROW)))).all()
