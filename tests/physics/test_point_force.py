"""A force at a point of the body."""

import pickle

import numpy as np
import pytest

import polhode as ph
from tests.support.dop853 import dop853

BODY = {"inertia_body": (1, 2, 2.5), "point_body": (0.3, -0.1, 1.0), "Omega0": (0.1, 0.2, 0.3)}


def spring(t, x):
    """A spring whose end moves."""
    return (-x[0] + 0.2 * t, -x[1], -2 * (x[2] - 1))


def test_the_torque_is_that_of_the_force():
    p = ph.build.point_force(**BODY, force_space=spring)
    Q = p.replaced(Q0=(0.4, -0.3, 0.9)).Q0
    x = np.array(BODY["point_body"])
    assert p.torque(0.7, Q) == pytest.approx(np.cross(x, Q.T @ np.array(spring(0.7, Q @ x))), abs=1e-15)
    end = ph.solve(p, "GAUSS8", h=0.1, t_end=2.0)
    assert end.stats["compiled"] and end.Omega[-1] == pytest.approx(dop853(p, 2.0)[1], abs=1e-11)


def test_a_constant_force_is_gravity():
    p = ph.build.point_force(**BODY, force_space=(0, 0, -9.81))
    q = ph.build.heavy_body(
        mass=1.0, centre_of_mass_body=BODY["point_body"], inertia_pivot_body=(1, 2, 2.5), Omega0=BODY["Omega0"]
    )
    a, b = (ph.solve(x, "VLV", h=0.01, t_end=1.0) for x in (p, q))
    assert a.Q == pytest.approx(b.Q, abs=1e-12) and a.energy == pytest.approx(b.energy, abs=1e-12)


def test_a_tensor_and_a_pickle():
    tensor = np.array([[2.0, 0.3, 0.0], [0.3, 3.0, 0.2], [0.0, 0.2, 4.0]])
    p = ph.build.point_force(**(BODY | {"inertia_body": tensor}), force_space=spring)
    again = pickle.loads(pickle.dumps(p))
    assert np.array_equal(again.torque(0.3, p.Q0), p.torque(0.3, p.Q0))
    assert ph.solve(p, "GAUSS8", h=0.1, t_end=1.0).Omega[-1] == pytest.approx(dop853(p, 1.0)[1], abs=1e-11)


@pytest.mark.parametrize(
    "force, said",
    [("up", "force_space"), (lambda t, x: x @ x, "three numbers"), (lambda t: (0, 0, 1), "called with a time")],
)
def test_what_is_no_force(force, said):
    with pytest.raises(ph.InputError, match=said):
        ph.build.point_force(**BODY, force_space=force)
