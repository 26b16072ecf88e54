"""The shipped problems with torques of the velocity, against closed forms and published numbers."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.physics.published.wheels import RPM
from polhode.reference.closed_form import FreeSolution
from polhode.reference.reference import reference

MOVING = ["damped-body", "gyrostat", "detumble", "wheels", "spinning-drill"]


def test_the_damped_body_is_a_free_one_at_another_time():
    p, gamma = ph.problem("damped-body"), 0.05
    free = ph.Problem(inertia=p.inertia, Q0=p.Q0, Omega0=p.Omega0)
    t = np.array([3.0, 40.0])
    Q, Omega = FreeSolution(free)((1 - np.exp(-gamma * t)) / gamma)
    found = reference(p, t)
    assert np.abs(found[0] - Q).max() < 1e-14
    assert np.abs(found[1] - np.exp(-gamma * t)[:, None] * Omega).max() < 1e-14
    s = ph.solve(p, "GAUSS16", h=1.0, n_steps=40)
    assert np.abs(s.Q[-1] - Q[-1]).max() < 1e-13


def test_the_rotor_of_a_symmetric_gyrostat_only_changes_the_rate():
    """Moments (a, a, b) and l along the axis: w3 is constant, the other two turn at ((b - a) w3 + l)/a."""
    a, b, l, T, (x, y, z) = 1.4, 2.0, 0.7, 10.0, (1.0, 0.2, 0.3)
    p = ph.problem("gyrostat", inertia=(a, a, b), rotor=(0, 0, l), Omega0=(x, y, z))
    turned = np.exp(1j * ((b - a) * z + l) / a * T) * (x + 1j * y)
    assert reference(p, T)[1] == pytest.approx([turned.real, turned.imag, z], abs=1e-14)


def test_the_published_motion_of_a_spacecraft_with_balanced_wheels():
    """Basilisk's integrated test of its reaction wheels, case "BalancedWheels": a second, motors on in its first half.

    The attitude at its end is printed there to nine digits, as modified Rodrigues parameters axis * tan(angle/4). The
    third motor is told -0.5 N m and can give 0.2, as all of these wheels (Honeywell HR16, 100 N m s at 6000 rpm).
    """
    printed = [1.99853994e-02, 2.45647716e-03, 8.45356279e-06]
    on = ph.problem("wheels")
    first = ph.solve(on, "GAUSS16", h=0.05, n_steps=10, compiled=False)
    off = ph.problem("wheels", torques=(0, 0, 0), speeds=first.wheel_speeds[-1], Q0=first.Q[-1], Omega0=first.Omega[-1])
    second = ph.solve(off, "GAUSS16", h=0.05, n_steps=10, compiled=False)
    turn = Rotation.from_matrix(second.Q[-1]).as_rotvec()
    angle = np.linalg.norm(turn)
    assert turn / angle * np.tan(angle / 4) == pytest.approx(printed, rel=6e-9)
    assert np.abs(second.momentum[-1] - first.momentum[0]).max() < 1e-12  # of 72 N m s
    assert np.ptp(second.energy) < 1e-11 * second.energy[0]
    assert first.wheel_speeds[0] == pytest.approx(np.array([500, 200, -150]) * RPM, rel=1e-14)


def test_a_motor_that_spins_one_wheel_up_turns_the_body_back():
    """The same report's back-of-the-envelope case: one axis, Omega = w - u t/I, wheel + (1/I + 1/Js) u t."""
    Js, body, u, t = 100 / (6000 * RPM), 2.0, 0.2, 5.0
    wheel = ph.Wheel(axis=(0, 0, 1), inertia=Js, speed=100 * RPM, torque=u)
    p = ph.Problem(inertia=(2.0, 2.0, body + Js), wheels=[wheel], Omega0=(0, 0, 0.35))
    s = ph.solve(p, "GAUSS16", h=0.5, t_end=t, compiled=False)
    assert s.Omega[-1] == pytest.approx([0, 0, 0.35 - u / body * t], abs=1e-13)
    assert s.wheel_speeds[-1, 0] == pytest.approx(100 * RPM + (body + Js) * u / (body * Js) * t, rel=1e-13)
    assert Rotation.from_matrix(s.Q[-1]).as_rotvec()[2] == pytest.approx(0.35 * t - u / body * t * t / 2, abs=1e-12)


def test_the_torque_of_the_coils_is_that_of_the_law():
    """m x b in body axes, the rate of the field seen by the body from its motion in a short time."""
    p, k, n, t, e = ph.problem("detumble"), 0.08, 0.05, 7.3, 1e-5
    d, Q, Omega = np.array([0, 0, -1.0]), p.Q0, np.array([0.4, -0.7, 0.9])

    def seen(s):
        r = np.array([np.cos(n * (t + s)), 0, np.sin(n * (t + s))])
        return (Q @ Rotation.from_rotvec(s * Omega).as_matrix()).T @ (3 * (d @ r) * r - d)

    rate = (8 * (seen(e) - seen(-e)) - (seen(2 * e) - seen(-2 * e))) / (12 * e)
    assert p.torque(t, Q, Omega) == pytest.approx(np.cross(-k * rate, seen(0.0)), abs=1e-10)


def test_the_torque_of_the_drill_is_that_of_its_forces():
    p, Omega = ph.problem("spinning-drill"), np.array([0.3, -0.5, 2.0])
    tau = 0.7 * np.array([0, 0, 1]) - 4.0 * np.cross(p.Q0[2], [0, 0, 1])
    for angle in 2 * np.pi * np.arange(16) / 16:
        r = np.array([0.5 * np.cos(angle), 0.5 * np.sin(angle), -0.6])
        V = np.cross(Omega, r)
        tau += np.cross(r, -0.08 * (1 + 0.8 / (1 + V @ V / 0.5**2)) * V / np.sqrt(V @ V + 0.2**2))
    assert p.torque(0.0, p.Q0, Omega) == pytest.approx(tau, abs=1e-14)


@pytest.mark.parametrize("name", MOVING)
def test_methods_agree(name):
    """By kicks, at stages and with momenta: what they have in common is the problem."""
    p = ph.problem(name)
    span = 8 * p.h
    Q, Omega = reference(p, span)
    for method, bound in (("VLV/KL6", 1e-6), ("IMID", 2e-3), ("RKMK4", 1e-5), ("GAUSS8", 1e-9)):
        s = ph.solve(p, method, h=p.h / 2, t_end=span, compiled=False)
        size = np.abs(Omega).max()
        assert np.abs(s.Q[-1] - Q).max() < bound and np.abs(s.Omega[-1] - Omega).max() < bound * size, method


@pytest.mark.parametrize("name", MOVING)
def test_a_method_that_cannot_take_it_names_others(name):
    with pytest.raises(ph.InputError, match=r"RKN8 does not take .*These do: .*RKMK4.*GAUSS8, GAUSS16"):
        ph.solve(name, "RKN8", n_steps=2)
    with pytest.raises(ph.InputError, match=r"RKN8 does not take .*These do: "):
        ph.solve_ensemble([ph.problem(name)] * 2, "RKN8", n_steps=2)


def test_the_command_line_says_so_too(capsys):
    from polhode.cli.main import main

    assert main(["run", "RKN8", "gyrostat", "--n-steps", "2"]) == 2
    assert "RKN8 does not take a rotor" in capsys.readouterr().err
