"""Steps that follow the motion and stay reversible, beside a plain controller and fixed steps."""

import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.kernels.rotations import matrix
from polhode.runs.own_steps.adaptive import AdaptiveRunner

WALL = ph.problem("soft-wall")
VLV = ph.method("VLV")
VLV_STEP = VLV.step


def nearness(t, Q, Omega):
    return 1 / (1.1 + Q[2, 2])


@ph.kernel
def plain_step(h, t, state, body):
    """VLV with a plain controller: the step is a function of the state at its begin."""
    return VLV_STEP(h * (1.1 + matrix(state[0])[8]), t, state, body)


@pytest.mark.parametrize("density", [None, nearness])
@pytest.mark.parametrize("method", ["VLV", "GAUSS8", "RKN6"])
def test_a_run_goes_back_the_way_it_came(method, density):
    """To round-off, magnified by the motion; a plain controller comes back somewhere else."""
    run, out = AdaptiveRunner(WALL, ph.method(method), 0.02, density), np.empty((400, 8))
    start = np.array(run.one.row())
    assert run.advance(np.inf, 400, out)[0] == 400
    assert run.t > 6 and np.abs(np.array(run.one.row()) - start).max() > 0.1
    run.turn_back()
    assert run.advance(-np.inf, 400, out)[0] == 400
    assert abs(run.t) < 1e-11 and np.array(run.one.row()) == pytest.approx(start, abs=1e-11)


def test_a_plain_controller_does_not_come_back():
    plain = ph.Method(name="plain", step=plain_step, start=VLV.start)
    there = ph.solve(WALL, plain, h=0.02, n_steps=400)
    back = ph.solve(WALL.replaced(Q0=there.Q[-1], Omega0=there.Omega[-1]), plain, h=-0.02, n_steps=400)
    assert np.abs(back.Q[-1] - WALL.Q0).max() > 1e-5


def test_energy_does_not_drift_on_the_soft_wall_as_it_does_with_a_plain_controller():
    """Medians of the energy error over tenths of the run; fixed steps, as many, err six times as much at the wall."""
    s = ph.solve(WALL, "VLV", h=0.03, t_end=2000.0, adapt=nearness)
    n = s.stats["n_steps"]
    plain = ph.solve(WALL, ph.Method(name="plain", step=plain_step, start=VLV.start), h=0.03, n_steps=n)
    fixed = ph.solve(WALL, "VLV", h=2000 / n, t_end=2000.0)
    tenths = lambda e: np.median(e[1 : len(e) // 10 * 10 + 1].reshape(10, -1), axis=1)
    assert s.success and s.t[-1] == 2000 and np.ptp(tenths(s.energy_error)) < 1e-3
    lost = tenths(plain.energy_error)
    assert lost[-1] < -0.02 and (np.diff(lost) < 0).all()
    assert np.abs(fixed.energy_error).max() > 4 * np.abs(s.energy_error).max()


def test_the_stress_test_asks_for_more_than_reversibility():
    """It was built so that symmetric methods drift that are not symplectic, and no map with such steps is."""
    p = ph.problem("stress")
    s = ph.solve(p, "VLV", h=0.1, t_end=2000.0, adapt=True)
    fixed = ph.solve(p, "VLV", h=2000 / s.stats["n_steps"], t_end=2000.0)
    last = lambda s: np.median(s.energy_error[-len(s.t) // 10 :]) - np.median(s.energy_error[: len(s.t) // 10])
    assert abs(last(s)) > 20 * abs(last(fixed))


def test_rows_have_their_own_times_everywhere(tmp_path):
    s = ph.solve(WALL, "VLV", h=0.02, t_end=20.0, adapt=True)
    steps = np.diff(s.t)[:-1]
    assert s.t[-1] == 20 and steps.max() > 2 * steps.min()
    assert steps.min() == s.stats["shortest_step"] and steps.max() == s.stats["longest_step"]
    assert s.t[1] == pytest.approx(0.02, rel=0.01)  # h is the first step
    few = ph.solve(WALL, "VLV", h=0.02, t_end=20.0, adapt=True, save_every=7)
    assert np.array_equal(few.t[:-1], s.t[7 * np.arange(len(few.t) - 1)]) and np.array_equal(few.Q[-1], s.Q[-1])
    exact = ph.solve(WALL, "GAUSS16", h=0.01, t_end=20.0)
    times = [3.217, 8.5, 19.99]
    errors = [np.abs(x.at(times).Q - exact.at(times).Q).max() for x in (s, few)]
    assert errors[1] == pytest.approx(errors[0], rel=0.2) and errors[0] < 0.02
    finer = ph.solve(WALL, "VLV", h=0.005, t_end=20.0, adapt=True)
    assert np.abs(finer.at(times).Q - exact.at(times).Q).max() < errors[0] / 10  # order 2
    s.save(tmp_path / "s.nc")
    assert np.array_equal(ph.load(tmp_path / "s.nc").t, s.t) and np.array_equal(s.to_dataframe().index, s.t)
    assert any(np.array_equal(line.get_xdata(), s.t) for axes in s.plot().axes for line in axes.lines)
    assert np.array_equal(pickle.loads(pickle.dumps(s))(3.2).Q, s(3.2).Q)
    python = ph.solve(WALL, "VLV", h=0.02, n_steps=50, adapt=nearness, compiled=False)
    machine = ph.solve(WALL, "VLV", h=0.02, n_steps=50, adapt=nearness)
    assert np.array_equal(python.Q, machine.Q) and np.array_equal(python.t, machine.t)


@pytest.mark.parametrize(
    "asked, told",
    [
        ({"method": "RKMK4"}, "of symmetric one-step methods"),
        ({"method": "ADAMS8"}, "of symmetric one-step methods"),
        ({"adapt": 3}, "give True"),
        ({"adapt": lambda t, Q, Omega: -1.0}, "it must be a positive number"),
        ({"adapt": lambda t, Q, Omega: 1 / 0}, "ZeroDivisionError at the start"),
        ({"accuracy": 1e-6}, "adapt goes with a method and h"),
        ({"h": -0.1}, "is not ahead of"),
    ],
)
def test_what_cannot_be_is_told(asked, told):
    given = {"problem": WALL, "method": "VLV", "h": 0.02, "t_end": 1.0, "adapt": True} | asked
    with pytest.raises(ph.InputError, match=told):
        ph.solve(**given)


def test_a_density_that_changes_too_fast_ends_the_run():
    with pytest.warns(ph.RunWarning, match="The density of steps became zero or less"):
        s = ph.solve(WALL, "VLV", h=0.1, t_end=50.0, adapt=lambda t, Q, Omega: 1 / (1 + (10 * t) ** 8))
    assert not s.success and len(s.t) > 1 and np.isfinite(s.Q).all()
