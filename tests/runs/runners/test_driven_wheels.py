"""Wheels whose motors a sampled law drives: against the equations with their speeds, what is kept, files, sentences."""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph

J, W = np.array([[2.0, 0.1, 0], [0.1, 3, 0.05], [0, 0.05, 3.5]]), np.array([0.3, 0.2, -0.4])
AXES = np.array([[1.0, 0, 0], [0, 0.6, 0.8]])
INERTIA, SPEEDS, MOST = np.array([0.2, 0.3]), np.array([4.0, -2.0]), 0.25
H, PERIOD, T = 0.05, 0.1, 2.0


def law(t, Q, Omega):
    return [0.9 * Omega[0] + 0.2 * np.sin(3 * t), -0.3 * Omega[2] + 0.1 * Q[0, 1]]


def first(t, Q, Omega):
    return law(t, Q, Omega)[0]


def wheels(*torques):
    each = zip(AXES, INERTIA, SPEEDS, torques or (0.0, 0.0))
    return [ph.Wheel(axis=a, inertia=i, speed=w, torque=u, max_torque=MOST) for a, i, w, u in each]


def body(**more):
    given = dict(inertia=J, Omega0=W, Q0=(0.2, -0.3, 0.4), wheels=wheels())
    return ph.Problem(**given | {"control": ph.Sampled(law, period=PERIOD, wheels=True)} | more)


def equations(tau=lambda t, Q, Om: np.zeros(3)):
    """Q, Omega, speeds at T and the work of the motors by SciPy, from look to look, with the speeds as unknowns."""
    A = np.block([[J, AXES.T * INERTIA], [INERTIA[:, None] * AXES, np.diag(INERTIA)]])
    y = np.concatenate([body().Q0.ravel(), W, SPEEDS, [0.0]])
    for k in range(round(T / PERIOD)):
        u = np.clip(law(k * PERIOD, y[:9].reshape(3, 3), y[9:12]), -MOST, MOST)

        def right(t, y, u=u):
            Q, Om, w = y[:9].reshape(3, 3), y[9:12], y[12:14]
            hat = np.array([[0, -Om[2], Om[1]], [Om[2], 0, -Om[0]], [-Om[1], Om[0], 0]])
            force = np.cross(J @ Om + (INERTIA * w) @ AXES, Om) + tau(t, Q, Om)
            return np.concatenate([(Q @ hat).ravel(), np.linalg.solve(A, np.concatenate([force, u])), [u @ w]])

        span = k * PERIOD, (k + 1) * PERIOD
        y = solve_ivp(right, span, y, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[:9].reshape(3, 3), y[9:12], y[12:14], y[14]


@pytest.mark.parametrize("control", [True, False])
def test_it_moves_as_the_equations_say_and_the_work_is_that_of_the_motors(control):
    each = {} if control else {"control": None, "wheels": wheels(*motors())}
    Q, Omega, speeds, work = equations()
    s = ph.solve(body(**each), "GAUSS8", h=H, t_end=T)
    assert s.stats["compiled"]
    assert np.abs(s.Q[-1] - Q).max() < 1e-11 and np.abs(s.Omega[-1] - Omega).max() < 1e-11
    assert np.abs(s.wheel_speeds[-1] - speeds).max() < 1e-10 and np.allclose(s.wheel_speeds[0], SPEEDS, atol=1e-14)
    assert s.energy_error[-1] == pytest.approx(work, abs=1e-10) and abs(work) > 0.5
    assert np.abs(np.array(law(0, s.Q[0], s.Omega[0]))).max() > MOST  # a motor is at its limit


def motors():
    return ph.Sampled(first, period=PERIOD), ph.Sampled(lambda t, Q, Omega: law(t, Q, Omega)[1], period=PERIOD)


def test_with_a_torque_and_damping_from_outside():
    push = lambda t, Q: (0.5 * Q[2, 1], -0.4 * Q[0, 2] + 0.2 * t, 0.3 * Q[1, 1])
    _, Omega, speeds, _ = equations(lambda t, Q, Om: np.array(push(t, Q)) - 0.1 * Om)
    s = ph.solve(body(torque=push, damping=0.1), "GAUSS8", h=H, t_end=T)
    assert np.abs(s.Omega[-1] - Omega).max() < 1e-11 and np.abs(s.wheel_speeds[-1] - speeds).max() < 1e-10


@pytest.mark.parametrize("method", ["VLV", "RATTLE"])
def test_the_momentum_of_everything_is_conserved(method):
    s = ph.solve(body(), method, h=H, t_end=T)
    by_hand = np.einsum("nij,nj->ni", s.Q, s.Omega @ J + (INERTIA * s.wheel_speeds) @ AXES)
    assert np.abs(s.momentum - by_hand).max() < 1e-14
    assert np.abs(s.momentum - s.momentum[0]).max() < 1e-13
    assert np.abs(np.diff(s.wheel_speeds, axis=0)).max() > 0.01


def same(a, b):
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("Omega", "wheel_speeds", "energy", "momentum"))


def test_in_ensembles_files_pickles_and_in_a_loop_of_ones_own(tmp_path):
    s = ph.solve(body(), "VLV", h=H, t_end=T)
    streamed = ph.solve(body(), "VLV", h=H, t_end=T, out=tmp_path / "run.nc")
    again = [ph.load(s.save(tmp_path / "s.nc")), streamed, ph.load(tmp_path / "run.nc")]
    for other in (*again, *map(pickle.loads, map(pickle.dumps, (s, streamed)))):
        assert same(other, s) and np.array_equal(other.kinetic, s.kinetic)
    run = pickle.loads(pickle.dumps(ph.Integrator(body(), "VLV", h=H).step(7)))
    assert np.array_equal(run.step(6).wheel_speeds, s.wheel_speeds[13])
    e = ph.solve_ensemble(body(), "VLV", Omega0=[W, 2 * W], h=H, t_end=T)
    assert same(e[0], s) and np.array_equal(e.wheel_speeds[:, 0], s.wheel_speeds)
    assert e.energy[:, 0] == pytest.approx(s.energy, abs=1e-13)
    assert np.abs(e.momentum - e.momentum[0]).max() < 1e-13
    assert np.array_equal(s.to_xarray()["wheel_speeds"], s.wheel_speeds)
    back = ph.solve(body(), "VLV", h=-H, t_end=-T)
    assert np.abs(back.momentum - s.momentum[0]).max() < 1e-13 and np.allclose(back.wheel_speeds[0], SPEEDS)


@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_run_goes_on_from_its_checkpoint(driven, streamed, tmp_path):
    held = {} if driven else {"control": ph.Sampled(lambda t, Q, Omega: -Omega, period=PERIOD)}

    def run(**more):
        more |= {"out": tmp_path / "run.nc"} if streamed else {}
        return ph.solve(body(**held), "VLV", h=H, n_steps=4100, checkpoint=tmp_path / "run.ckpt", **more)

    with pytest.MonkeyPatch.context() as patch:
        seen = lambda self, leave=False: vars(self).update(seen=True, _leave=False)
        patch.setattr("polhode.runs.interrupt.Interrupt.__init__", seen)
        assert run(on_failure="return").stats["n_steps"] == 4096
    s, alone = run(), ph.solve(body(**held), "VLV", h=H, n_steps=4100)
    assert s.stats["resumed_at"] == 4096 and same(s, alone) and s.stats["n_torque"] == alone.stats["n_torque"]


RUN = dict(h=H, n_steps=20)
ALL = ph.Sampled(law, period=PERIOD, wheels=True)
BAD = {
    "and there are none": lambda: body(wheels=None),
    "a Wheel has a torque of its own": lambda: body(wheels=wheels(0.1, 0.0)),
    "There are two controllers": lambda: body(
        wheels=wheels(*motors()), control=ph.Sampled(lambda t, Q, Omega: -Omega, period=PERIOD)
    ),
    "give one period": lambda: body(wheels=wheels(motors()[0], ph.Sampled(first, period=1.0)), control=None),
    "is of one wheel": lambda: wheels(ALL, 0.0),
    "2 finite numbers, one for each wheel": lambda: ph.solve(
        body(control=ph.Sampled(lambda t, Q, Omega: -Omega, period=PERIOD, wheels=True)), "VLV", **RUN
    ),
    "is known of a run only": lambda: body().energy(np.eye(3), W, 1.0),
    "is not known, but at its start": lambda: ph.step(body(), "VLV", np.eye(3), W, H, t=PERIOD),
    "has no wheels": lambda: ph.Integrator(body(wheels=None, control=None), "VLV", h=H).wheel_speeds,
    "wheels of Sampled": lambda: ph.Sampled(law, period=PERIOD, wheels="all"),
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence):
    with pytest.raises(ph.InputError, match=sentence):
        BAD[sentence]()


def test_what_cannot_be_reduced_is_said_in_its_own_words():
    """Not as if the method could not start."""
    with pytest.raises(ph.InputError, match=r"^reduce=.*keep states"):
        ph.solve("wheels", "VLV", h=0.01, n_steps=3, reduce="energy")
