"""What acts on a satellite: against formulas with matrices and differences, and what must follow from them."""

import numpy as np
import pytest

import polhode as ph
from polhode.inputs.scipy_rotation import Rotation

J = np.array([[5.0, 0.3, 0.1], [0.3, 6.0, -0.2], [0.1, -0.2, 3.0]])
RATE, R0, NORMAL = 0.05, np.array([0.6, 0.8, 0.0]), np.array([0.0, 0.0, 1.0])
ORBIT = dict(inertia_body=J, orbit_rate=RATE, position_space=R0, orbit_normal_space=NORMAL)
START = dict(Q0=(0.3, -0.4, 0.9), Omega0=(0.2, -0.1, 0.3))
DIPOLE, AXIS, SPIN = np.array([0.2, 0.1, -0.9]), np.array([0.1, 0.2, 1.0]), 0.02
COILS = dict(gain=4.0, field=0.7, dipole_space=DIPOLE, planet_axis_space=AXIS, planet_rate=SPIN)
PANELS = [
    ph.build.Panel(normal_body=(1, 0, 0), area=2.0, centre_body=(0.5, 0.1, -0.2)),
    ph.build.Panel(normal_body=(-1, 0.5, 0), area=1.0, centre_body=(-0.4, 0.0, 0.3)),
    ph.build.Panel(normal_body=(0, -1, 2), area=0.5, centre_body=(0.0, 0.7, 0.1)),
]


def turned(axis, angle, v):
    return Rotation().from_rotvec(angle * axis / np.linalg.norm(axis)).apply(v)


def field(t):
    """The dipole field at the satellite, by rotations."""
    r, m = turned(NORMAL, RATE * t, R0), turned(AXIS, SPIN * t, DIPOLE / np.linalg.norm(DIPOLE))
    return 0.7 * (3 * (m @ r) * r - m)


def b_dot(t, Q, Omega, most=np.inf, e=1e-4):
    """-k times the difference of the field in body axes on the way, crossed with the field."""
    seen = lambda s: field(t + s) @ Q @ Rotation().from_rotvec(s * Omega).as_matrix()
    rate = (8 * (seen(e) - seen(-e)) - (seen(2 * e) - seen(-2 * e))) / (12 * e)
    return np.cross(np.clip(-4.0 * rate, -most, most), seen(0.0))


def drag(t, Q):
    v = np.cross(NORMAL, turned(NORMAL, RATE * t, R0)) @ Q
    total = np.zeros(3)
    for panel in PANELS:
        n = np.array(panel.normal_body) / np.linalg.norm(panel.normal_body)
        total += np.cross(panel.centre_body, -0.03 * panel.area * max(0.0, n @ v) * v)
    return total


def gravity(t, Q, tensor=J):
    rho = turned(NORMAL, RATE * t, R0) @ Q
    return 3 * RATE**2 * np.cross(rho, tensor @ rho)


def places():
    rng = np.random.default_rng(3)
    turns = Rotation().random(10, rng=rng).as_matrix()
    return [(rng.uniform(0, 100), Q, rng.normal(size=3)) for Q in turns]


def test_each_part_and_all_together():
    air = ph.build.drag(panels=PANELS, pressure=0.03)
    own = lambda t, Q, Omega: (Q[0, 1], -Omega[1], t)
    cases = {
        "drag": ([air], lambda t, Q, w: drag(t, Q)),
        "coils": ([ph.build.magnetorquer(**COILS)], b_dot),
        "limited": ([ph.build.magnetorquer(max_moment=0.8, **COILS)], lambda t, Q, w: b_dot(t, Q, w, 0.8)),
        "all": (
            [air, ph.build.magnetorquer(**COILS), own],
            lambda t, Q, w: drag(t, Q) + b_dot(t, Q, w) + np.array(own(t, Q, w)),
        ),
    }
    for name, (torques, expected) in cases.items():
        body = ph.build.satellite(torques=torques, **ORBIT, **START)
        for t, Q, Omega in places():
            found = body.torque(t, Q, Omega)
            assert np.abs(found - expected(t, Q, Omega) - gravity(t, Q)).max() < 1e-9, name


def test_gravity_beside_other_parts_is_that_of_gravity_alone():
    """Another function in other axes: the same motion, compiled and in lanes, also for another inertia."""
    alone = ph.build.satellite(**ORBIT, **START)
    among = ph.build.satellite(torques=[lambda t, Q: (0.0, 0.0, 0.0)], **ORBIT, **START)
    for other in ({}, {"inertia": J + np.diag([1.0, 0.5, 0.2])}):
        one, two = (ph.solve(p.replaced(**other), "RKMK4", h=0.1, n_steps=100) for p in (alone, among))
        assert np.abs(one.Omega - two.Omega).max() < 1e-13
    tensors = J + np.linspace(0, 1, 3)[:, None, None] * np.eye(3)
    many = ph.solve_ensemble(among, "RKMK4", inertia=tensors, h=0.1, n_steps=50)
    for i in range(3):
        one = ph.solve(alone.replaced(inertia=tensors[i]), "RKMK4", h=0.1, n_steps=50)
        assert np.abs(one.Omega - many.Omega[:, i]).max() < 1e-13


def test_wheels_are_part_of_what_gravity_pulls_at():
    wheel = ph.Wheel(axis=(0, 1, 1), inertia=0.5, speed=3.0)
    for included, full in ((True, J), (False, J + 0.5 * np.outer((0, 1, 1), (0, 1, 1)) / 2)):
        body = ph.build.satellite(wheels=[wheel], inertia_includes_wheels=included, **ORBIT, **START)
        free = ph.Problem(inertia=J, wheels=[wheel], inertia_includes_wheels=included, **START)
        for t, Q, Omega in places():
            found = body.torque(t, Q, Omega) - free.torque(t, Q, Omega)
            assert np.abs(found - gravity(t, Q, full)).max() < 1e-13


def test_b_dot_brakes_what_tumbles():
    """The kinetic energy falls, but for what the turning field leaves, whatever the gain; and gains in an ensemble."""
    body = ph.build.satellite(torques=[ph.build.magnetorquer(max_moment=5.0, **COILS)], **ORBIT, **START)
    gains = np.array([0.0, 1.0, 4.0])
    e = ph.solve_ensemble(body, "RKMK4", parameters={"gain": gains}, h=0.1, n_steps=2000, save_every=2000)
    speed = np.linalg.norm(e.Omega[-1], axis=1)
    assert speed[0] > 0.3 and speed[1] < 0.2 and speed[2] < 4 * RATE
    s = ph.solve(body.replaced(gain=1.0), "RKMK4", h=0.1, n_steps=2000, save_every=2000)
    assert np.array_equal(s.Omega[-1], e.Omega[-1, 1])


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: ph.build.magnetorquer(gain=-1.0, field=1.0), "feed the motion"),
        (lambda: ph.build.magnetorquer(gain=1.0, field=0.0), "field"),
        (lambda: ph.build.magnetorquer(gain=1.0, field=1.0, dipole_space=(0, 0, 0)), "dipole_space"),
        (lambda: ph.build.drag(panels=[], pressure=1.0), "at least one Panel"),
        (lambda: ph.build.drag(panels=[(1, 0, 0)], pressure=1.0), "normal_body="),
        (lambda: ph.build.drag(panels=ph.build.Panel((1, 0, 0), -1.0, (0, 0, 0)), pressure=1.0), "area"),
        (lambda: ph.build.satellite(torques=["drag"], **ORBIT, **START), "build.magnetorquer"),
        (lambda: ph.build.satellite(torques=[ph.build.magnetorquer(**COILS)] * 2, **ORBIT, **START), "two of the kind"),
        (lambda: ph.build.satellite(torques=[lambda t: (0, 0, 0)], **ORBIT, **START), "takes 1 argument"),
    ],
)
def test_what_cannot_be_is_told(call, sentence):
    with pytest.raises(ph.InputError, match=sentence):
        call()
