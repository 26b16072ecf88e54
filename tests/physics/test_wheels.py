"""Reaction wheels: against the equations written out with their speeds, what is conserved, starts, files, sentences."""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph

J, W, T = np.array([[2.0, 0.1, 0], [0.1, 3, 0.05], [0, 0.05, 3.5]]), np.array([0.3, 0.2, -0.4]), 2.0
AXES = np.array([[1.0, 0, 0], [0, 0.6, 0.8]])
INERTIA, SPEEDS, TORQUES = np.array([0.2, 0.3]), np.array([4.0, -2.0]), np.array([0.5, 0.15])


def wheels(on=True, **more):
    return [
        ph.Wheel(axis=3 * a, inertia=i, speed=w, torque=u if on else 0.0, **more)
        for a, i, w, u in zip(AXES, INERTIA, SPEEDS, TORQUES)
    ]


def body(on=True, **more):
    given = dict(inertia=J, Omega0=W, Q0=(0.2, -0.3, 0.4), wheels=wheels(on)) | more
    return ph.Problem(**given)


def equations(u, tau=lambda t, Q, Om: np.zeros(3), inertia=J, start=W):
    """Q, Omega and the speeds at T by SciPy, with the speeds as unknowns: an answer without the total momentum in it.

    J Om' + sum a I w' = (J Om + sum a I w) x Om + tau,     I (w' + a . Om') = u
    """
    A = np.block([[inertia, AXES.T * INERTIA], [INERTIA[:, None] * AXES, np.diag(INERTIA)]])

    def right(t, y):
        Q, Om, w = y[:9].reshape(3, 3), y[9:12], y[12:]
        hat = np.array([[0, -Om[2], Om[1]], [Om[2], 0, -Om[0]], [-Om[1], Om[0], 0]])
        force = np.cross(inertia @ Om + (INERTIA * w) @ AXES, Om) + tau(t, Q, Om)
        return np.concatenate([(Q @ hat).ravel(), np.linalg.solve(A, np.concatenate([force, u]))])

    first = np.concatenate([body().Q0.ravel(), start, SPEEDS])
    y = solve_ivp(right, (0, T), first, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[:9].reshape(3, 3), y[9:12], y[12:]


@pytest.mark.parametrize("method", ["GAUSS16", "RKMK4", "VLV"])
@pytest.mark.parametrize("on", [True, False])
def test_body_and_wheels_move_as_their_equations_say(method, on):
    Q, Omega, speeds = equations(TORQUES * on)
    coarse, fine = (ph.solve(body(on), method, h=h, t_end=T) for h in (0.05, 0.025))
    assert fine.stats["compiled"]
    off = [max(np.abs(s.Q[-1] - Q).max(), np.abs(s.Omega[-1] - Omega).max()) for s in (coarse, fine)]
    order = {"GAUSS16": None, "RKMK4": 4, "VLV": 2}[method]
    assert off[1] < 1e-11 if order is None else np.log2(off[0] / off[1]) == pytest.approx(order, abs=0.3)
    assert np.abs(fine.wheel_speeds[-1] - speeds).max() < 100 * off[1] + 1e-11
    assert np.allclose(fine.wheel_speeds[0], SPEEDS, atol=1e-14)


def test_with_a_torque_damping_and_a_rotor_beside_them():
    push, l = (lambda t, Q: (0.5 * Q[2, 1], -0.4 * Q[0, 2] + 0.2 * t, 0.3 * Q[1, 1])), np.array([0.1, -0.2, 0.3])
    s = ph.solve(body(torque=push, damping=0.1, rotor=l), "GAUSS16", h=0.05, t_end=T)
    tau = lambda t, Q, Om: np.array(push(t, Q)) - 0.1 * Om + np.cross(l, Om)
    Q, Omega, speeds = equations(TORQUES, tau)
    assert np.abs(s.Q[-1] - Q).max() < 1e-11 and np.abs(s.Omega[-1] - Omega).max() < 1e-11
    assert np.abs(s.wheel_speeds[-1] - speeds).max() < 1e-10


@pytest.mark.parametrize("method", ["VLV", "RATTLE", "LP2", "GAUSS16"])
def test_the_momentum_of_everything_is_conserved_with_motors_on(method):
    s = ph.solve(body(), method, h=0.05, t_end=T)
    K = J - (AXES.T * INERTIA) @ AXES
    by_hand = np.einsum("nij,nj->ni", s.Q, s.Omega @ J + (INERTIA * s.wheel_speeds) @ AXES)
    assert np.abs(s.momentum - by_hand).max() < 1e-14 and np.allclose(s.problem.tensor, K)
    assert np.abs(s.momentum - s.momentum[0]).max() < (1e-11 if method == "GAUSS16" else 1e-13)
    assert np.abs(np.diff(s.Omega, axis=0)).max() > 1e-3


def test_the_energy_of_everything_changes_by_what_the_motors_do():
    s = ph.solve(body(), "GAUSS16", h=1 / 64, t_end=T)
    power = s.wheel_speeds @ TORQUES
    work = np.sum(power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) / (3 * 64)
    assert s.energy_error[-1] == pytest.approx(work, abs=1e-9) and abs(work) > 0.1
    whole = np.einsum("ni,ij,nj->n", s.Omega, J, s.Omega) / 2 + (s.wheel_speeds**2 * INERTIA).sum(1) / 2
    whole += (s.wheel_speeds * (s.Omega @ AXES.T) * INERTIA).sum(1)
    assert s.energy == pytest.approx(whole, abs=1e-13) and s.kinetic == pytest.approx(whole, abs=1e-13)
    assert s.problem.energy(s.Q[9], s.Omega[9], s.t[9]) == pytest.approx(s.energy[9], abs=1e-13)
    off = ph.solve(body(on=False), "GAUSS16", h=1 / 16, t_end=T)
    assert np.abs(off.energy_error).max() < 1e-13


def test_whether_the_inertia_includes_the_wheels():
    without = J - (AXES.T * INERTIA) @ AXES
    a, b = body(), body(inertia=without, inertia_includes_wheels=False)
    a, b = (ph.solve(p, "GAUSS16", h=0.1, t_end=T) for p in (a, b))
    assert np.abs(a.Omega - b.Omega).max() < 1e-13 and np.abs(a.energy - b.energy).max() < 1e-13


def test_another_start_has_the_same_speeds_of_the_wheels():
    other = np.array([0.5, -0.1, 0.2])
    _, Omega, speeds = equations(TORQUES, start=other)
    s = ph.solve(body().replaced(Omega0=other), "GAUSS16", h=0.05, t_end=T)
    assert np.allclose(s.wheel_speeds[0], SPEEDS, atol=1e-14)
    assert np.abs(s.Omega[-1] - Omega).max() < 1e-11 and np.abs(s.wheel_speeds[-1] - speeds).max() < 1e-11
    later = ph.solve(body().replaced(t0=5.0, Omega0=other), "GAUSS16", h=0.05, t_end=7.0)
    assert np.abs(later.Omega[-1] - Omega).max() < 1e-11


@pytest.mark.parametrize("method", ["VLV", "RKMK4"])
def test_in_ensembles_files_and_pickles(method, tmp_path):
    problems = [body().replaced(Omega0=k * W) for k in (1, 2, 3)]
    alone = [ph.solve(p, method, h=0.05, t_end=1) for p in problems]
    e = ph.solve_ensemble(problems, method, h=0.05, t_end=1)
    for i, s in enumerate(alone):
        assert np.array_equal(e.Omega[:, i], s.Omega) and np.array_equal(e.wheel_speeds[:, i], s.wheel_speeds)
        assert e.energy[:, i] == pytest.approx(s.energy, abs=1e-14)
        assert e.momentum[:, i] == pytest.approx(s.momentum, abs=1e-14)
    assert np.array_equal(e[1:].to_xarray()["wheel_speeds"], e.wheel_speeds[:, 1:])
    back, again = ph.load(alone[1].save(tmp_path / "s.nc", units="SI")), pickle.loads(pickle.dumps(alone[1]))
    for s in (back, again):
        assert np.array_equal(s.wheel_speeds, alone[1].wheel_speeds) and np.array_equal(s.energy, alone[1].energy)
        assert s.kinetic == pytest.approx(alone[1].energy, abs=1e-14)
        assert np.array_equal(s.momentum, alone[1].momentum)


def test_a_motor_gives_no_more_than_it_can():
    assert [w.torque for w in wheels(max_torque=0.2)] == [0.2, 0.15]
    assert ph.Wheel(axis=(0, 0, 2), inertia=1.0, torque=-3, max_torque=2).torque == -2
    assert ph.Wheel(axis=(0, 0, 2), inertia=1.0).axis == (0, 0, 1)


RUN = dict(h=0.1, n_steps=20)
BAD = {
    "inertia of Wheel": lambda: ph.Wheel(axis=(1, 0, 0), inertia=0.0),
    "it must point somewhere": lambda: ph.Wheel(axis=(0, 0, 0), inertia=1.0),
    r"is called as torque\(t, Q, Omega\)": lambda: ph.Wheel(axis=(1, 0, 0), inertia=1.0, torque=lambda t, Q: 0.0),
    "max_torque of Wheel": lambda: ph.Wheel(axis=(1, 0, 0), inertia=1.0, max_torque=-1.0),
    r"give Wheel\(axis": lambda: body(wheels=[1.0]),
    "does the inertia include the wheels": lambda: body(wheels=[ph.Wheel(axis=(1, 0, 0), inertia=5.0)]),
    "does not say how much of it is in the wheels": lambda: body(Omega0=None, Pi0=W),
    "build the problem anew": lambda: body().replaced(inertia=2 * J),
    "Pi0 does not say how much of it is in the wheels": lambda: ph.solve_ensemble(body(), "VLV", Pi0=[W, 2 * W], **RUN),
    "has wheels, whose energy belongs": lambda: ph.solve(body(), "VLV", reduce="energy", **RUN),
    "has a rotor, whose momentum": lambda: ph.solve(body(), "VLV", reduce="momentum", **RUN),
    "has no wheels": lambda: ph.solve(body(wheels=None), "VLV", **RUN).wheel_speeds,
    "does not take a rotor": lambda: ph.solve(body(), REFUSES, **RUN),
    "change the energy of the wheels: give t=": lambda: body().energy(np.eye(3), W),
}
REFUSES = next(name for name, m in ph.methods().items() if m.velocity is None and not m.free_only)


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence):
    with pytest.raises(ph.InputError, match=sentence):
        BAD[sentence]()


def test_files_that_are_written_while_the_run_goes_on(tmp_path):
    s, streamed = ph.solve(body(), "VLV", **RUN), ph.solve(body(), "VLV", out=tmp_path / "run.nc", **RUN)
    for other in (streamed, ph.load(tmp_path / "run.nc")):
        for what in ("wheel_speeds", "energy", "momentum", "kinetic"):
            assert np.array_equal(getattr(other, what), getattr(s, what))
    bodies = dict(Omega0=[W, 2 * W], **RUN)
    e = ph.solve_ensemble(body(), "VLV", **bodies)
    ph.solve_ensemble(body(), "VLV", out=tmp_path / "e.nc", **bodies)
    assert np.array_equal(ph.load(tmp_path / "e.nc").data["wheel_speeds"], e.wheel_speeds)
