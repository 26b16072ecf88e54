"""Wheels whose motors are functions of time, attitude and velocity: against the equations with their speeds."""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph

J, W, T = np.array([[2.0, 0.1, 0], [0.1, 3, 0.05], [0, 0.05, 3.5]]), np.array([0.3, 0.2, -0.4]), 1.0
AXES = np.array([[1.0, 0, 0], [0, 0.6, 0.8], [0.6, 0.8, 0], [0, 0, 1]])  # more wheels than axes of space
INERTIA, SPEEDS = np.array([0.2, 0.3, 0.1, 0.25]), np.array([4.0, -2.0, 1.0, 3.0])


def shaken(t, Q, Omega):
    return 0.9 * Omega[0] + 0.2 * np.sin(3 * t)


def steered(t, Q, Omega):
    return -0.3 * Omega[2] + 0.1 * Q[0, 1]


def braking(t, Q, Omega):
    return 0.5 * Omega[2]


MOTORS = (shaken, steered, 0.1, braking)


def push(t, Q):
    return (0.5 * Q[2, 1], -0.4 * Q[0, 2] + 0.2 * t, 0.3 * Q[1, 1])


def body(outer=False, most=None, **more):
    each = zip(AXES, INERTIA, SPEEDS, MOTORS)
    wheels = [ph.Wheel(axis=a, inertia=i, speed=w, torque=u, max_torque=most) for a, i, w, u in each]
    more |= {"torque": push, "damping": 0.1} if outer else {}
    return ph.Problem(**dict(inertia=J, Omega0=W, Q0=(0.2, -0.3, 0.4), wheels=wheels) | more)


def equations(outer=False, most=np.inf):
    """Q, Omega, speeds at T and the work of the motors by SciPy."""
    A = np.block([[J, AXES.T * INERTIA], [INERTIA[:, None] * AXES, np.diag(INERTIA)]])

    def right(t, y):
        Q, Om, w = y[:9].reshape(3, 3), y[9:12], y[12:16]
        hat = np.array([[0, -Om[2], Om[1]], [Om[2], 0, -Om[0]], [-Om[1], Om[0], 0]])
        u = np.clip([f(t, Q, Om) if callable(f) else f for f in MOTORS], -most, most)
        tau = np.array(push(t, Q)) - 0.1 * Om if outer else 0.0
        force = np.cross(J @ Om + (INERTIA * w) @ AXES, Om) + tau
        return np.concatenate([(Q @ hat).ravel(), np.linalg.solve(A, np.concatenate([force, u])), [u @ w]])

    start = np.concatenate([body().Q0.ravel(), W, SPEEDS, [0.0]])
    y = solve_ivp(right, (0, T), start, method="DOP853", rtol=1e-12, atol=1e-13, max_step=0.01).y[:, -1]
    return y[:9].reshape(3, 3), y[9:12], y[12:16], y[16]


def off(s, answer):
    Q, Omega, speeds, _ = answer
    return max(np.abs(x[-1] - y).max() for x, y in ((s.Q, Q), (s.Omega, Omega), (s.wheel_speeds, speeds)))


@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize(("method", "order"), [("VLV", 2), ("RKMK4", 4), ("GAUSS8", None)])
def test_methods_keep_their_orders(method, order, outer):
    answer = equations(outer)
    coarse, fine = (ph.solve(body(outer), method, h=h, t_end=T) for h in (0.2, 0.1))
    assert fine.stats["compiled"] and np.allclose(fine.wheel_speeds[0], SPEEDS, atol=1e-14)
    if order is None:
        assert off(fine, answer) < 1e-11
        assert outer or fine.energy_error[-1] == pytest.approx(answer[3], abs=1e-11)
    else:
        assert np.log2(off(coarse, answer) / off(fine, answer)) == pytest.approx(order, abs=0.3)


def test_the_momentum_of_everything_is_conserved_and_the_energy_changes_by_the_work():
    s = ph.solve(body(), "VLV", h=0.05, t_end=T)
    by_hand = np.einsum("nij,nj->ni", s.Q, s.Omega @ J + (INERTIA * s.wheel_speeds) @ AXES)
    assert np.abs(s.momentum - by_hand).max() < 1e-14 and np.abs(s.momentum - s.momentum[0]).max() < 1e-13
    work = equations()[3]
    assert abs(work) > 0.1 and s.energy_error[-1] == pytest.approx(work, rel=0.01)


def test_a_motor_gives_no_more_than_it_can():
    s = ph.solve(body(most=0.15), "RKMK4", h=0.01, t_end=T)
    answer = equations(most=0.15)
    assert off(s, answer) < 1e-6 < 0.01 < off(s, equations())
    u = np.diff((s.wheel_speeds + s.Omega @ AXES.T) * INERTIA, axis=0) / 0.01
    assert np.abs(u).max() == pytest.approx(0.15, abs=1e-10)


def test_to_an_accuracy():
    s = ph.solve(body(), "RKMK4", accuracy=1e-4, t_end=T)
    assert np.abs(s.Q[-1] - equations()[0]).max() < 1e-4


def same(a, b):
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("Omega", "wheel_speeds", "energy", "momentum"))


def test_in_files_pickles_ensembles_at_times_and_in_a_loop_of_ones_own(tmp_path):
    s = ph.solve(body(), "RKMK4", h=0.1, t_end=T)
    streamed = ph.solve(body(), "RKMK4", h=0.1, t_end=T, out=tmp_path / "run.nc", checkpoint=tmp_path / "run.ckpt")
    again = ph.solve(body(), "RKMK4", h=0.1, t_end=T, out=tmp_path / "run.nc", checkpoint=tmp_path / "run.ckpt")
    assert again.stats["resumed_at"] == 10
    for other in (streamed, again, ph.load(tmp_path / "run.nc"), pickle.loads(pickle.dumps(s))):
        assert same(other, s)
    run = pickle.loads(pickle.dumps(ph.Integrator(body(), "RKMK4", h=0.1).step(3)))
    assert np.array_equal(run.step(4).wheel_speeds, s.wheel_speeds[7])
    between = ph.solve(body(), "RKMK4", h=0.1, t_end=T, t_eval=[0.34, 0.5])
    fine = ph.solve(body(), "RKMK4", h=0.01, t_end=0.5)
    assert np.abs(between.wheel_speeds - fine.wheel_speeds[[34, 50]]).max() < 1e-4  # within a step, h^3
    assert np.array_equal(between.Omega[1], s.Omega[5])
    e = ph.solve_ensemble(body(), "RKMK4", Omega0=[W, 2 * W], h=0.1, t_end=T)
    assert same(e[0], s) and np.abs(e.momentum - e.momentum[0]).max() < 1e-6


BAD = {
    "do not go with a controller": lambda: body(control=ph.Sampled(lambda t, Q, Omega: -Omega, period=0.1)),
    "each wheel has a law of its own": lambda: ph.solve(one(lambda t, Q, Omega: Omega), "VLV", h=0.1, n_steps=2),
    "did not settle within a step: reduce h": lambda: ph.solve(
        one(lambda t, Q, Omega: 1e4 * Omega[0]), "VLV", h=0.1, n_steps=2
    ),
    "known of a run only": lambda: body().energy(np.eye(3), W, 1.0),
}


def one(torque):
    return body(wheels=[ph.Wheel(axis=(1, 0, 0), inertia=0.1, torque=torque)])


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence):
    with pytest.raises((ph.InputError, ph.RunError), match=sentence):
        BAD[sentence]()
