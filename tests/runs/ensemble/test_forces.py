"""Ensembles of bodies with damping, rotors and wheels of their own: each is what `solve` gives for it alone."""

import numpy as np
import pytest

import polhode as ph

J = np.diag([1.0, 2.0, 2.5]) + 0.1
BODY = ph.Problem(inertia=J, damping=0.0, rotor=(0.0, 0.0, 0.0), Omega0=(0.5, 0.2, 1.0))
WHEEL = ph.Wheel(axis=(0, 0, 1), inertia=0.1, speed=20.0, torque=0.05)


def same(many, problems):
    for i, problem in enumerate(problems):
        alone = ph.solve(problem, "VLV", h=0.02, n_steps=40)
        assert np.array_equal(many[i].Q, alone.Q) and np.array_equal(many[i].Omega, alone.Omega)
        assert np.abs(many.momentum[:, i] - alone.momentum).max() < 1e-14


def test_damping_and_rotors():
    rng = np.random.default_rng(1)
    C, l = rng.uniform(0, 0.3, (10, 3)), rng.normal(size=(10, 3))
    many = ph.solve_ensemble(BODY, "VLV", damping=C, rotor=l, h=0.02, n_steps=40)
    assert many.stats["lanes"] > 1
    made = [ph.Problem(inertia=J, damping=c, rotor=x, Omega0=(0.5, 0.2, 1.0)) for c, x in zip(C, l)]
    same(many, made[:2])
    same(many, [BODY.replaced(damping=C[0], rotor=l[0])])


def test_wheels_start_with_their_speeds_relative_to_each_body():
    body = ph.Problem(inertia=J, Omega0=(0, 0, 1.0), wheels=[WHEEL])
    Omega0 = np.array([[0.1, 0.2, 0.3], [1.0, 0.0, -0.5], [0.0, 0.0, 2.0]])
    many = ph.solve_ensemble(body, "VLV", Omega0=Omega0, h=0.02, n_steps=40)
    assert np.abs(many.wheel_speeds[0] - 20.0).max() < 1e-13
    same(many, [ph.Problem(inertia=J, Omega0=w, wheels=[WHEEL]) for w in Omega0])


def test_a_parameter_of_the_name_comes_first():
    body = ph.Problem(
        inertia=J, torque=lambda t, Q, p: (p.damping, 0.0, 0.0), parameters={"damping": 1.0}, Omega0=(0, 0, 1)
    )
    assert np.abs(body.replaced(damping=3.0).torque(0.0, np.eye(3)) - (3.0, 0.0, 0.0)).max() < 1e-14


@pytest.mark.parametrize(
    "given, sentence",
    [
        (dict(damping=0.1), r"shape \(\); for N bodies give \(N,\) or \(N, 3\) or \(N, 3, 3\)"),
        (dict(rotor=(1.0, 2.0, 3.0)), r"rotor has shape \(3,\); for N bodies give \(N, 3\)"),
        (dict(rotor=np.ones((4, 3)), damping=np.ones(5)), "different numbers of bodies: damping 5, rotor 4"),
        (dict(damping=np.ones(4), Omega0=np.ones((3, 3))), "different numbers of bodies"),
    ],
)
def test_what_does_not_fit_is_told(given, sentence):
    with pytest.raises(ph.InputError, match=sentence):
        ph.solve_ensemble(BODY, "VLV", h=0.02, n_steps=2, **given)


def test_what_was_not_there_cannot_be_replaced():
    free = ph.Problem(inertia=J, Omega0=(0, 0, 1))
    with pytest.raises(ph.InputError, match="made without damping"):
        free.replaced(damping=0.1)
    with pytest.raises(ph.InputError, match="made without rotor"):
        ph.solve_ensemble(free, "VLV", rotor=np.ones((4, 3)), h=0.02, n_steps=2)
