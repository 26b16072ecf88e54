"""`Integrator`: the states of `solve`, a few steps at a time."""

import copy
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.runs.runners.kernel_runner import KernelRunner


def kicked(t, Q):
    return (0.3 * Q[2, 1], -0.3 * Q[2, 0], 0.1)


@pytest.fixture(scope="module")
def mine():
    J = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, -0.3], [0.2, -0.3, 4.0]])
    return ph.Problem(inertia=J, torque=kicked, Q0=(0.3, -0.2, 0.5), Omega0=(0.4, 1.0, -0.6), name="mine")


def plain(problem, Q, Omega, h, t):
    return ph.step(problem, "VLV", Q, Omega, h, t)


@pytest.mark.parametrize("method", ["VLV", "VLV-KAHAN", "GAUSS8", "RKMK4", "TAYLOR", plain])
def test_the_states_are_those_of_solve(mine, method):
    s = ph.solve(mine, method, h=0.05, n_steps=20)
    run = ph.Integrator(mine, method, h=0.05)
    assert run.t == 0.0 and np.array_equal(run.Q, mine.Q0) and np.array_equal(run.Omega, mine.Omega0)
    for k, n in ((1, 1), (8, 7), (14, 6)):
        run.step(n)
        assert run.t == s.t[k] and np.array_equal(run.Q, s.Q[k]) and np.array_equal(run.Omega, s.Omega[k])
    twins = (run, copy.copy(run)) if method is plain else (run, copy.copy(run), pickle.loads(pickle.dumps(run)))
    for twin in twins:
        twin.advance_to(1.0)
        assert np.array_equal(twin.Q, s.Q[-1]) and np.array_equal(twin.Omega, s.Omega[-1])


def test_a_time_between_steps_is_reached_by_equal_shorter_ones_and_h_goes_on_from_there(mine):
    run = ph.Integrator(mine, "VLV", h=0.05).advance_to(0.12)
    there = ph.solve(mine, "VLV", h=0.04, n_steps=3)
    assert run.t == 0.12 and run.Q == pytest.approx(there.Q[-1], abs=1e-15)
    run.step(2)
    on = ph.solve(mine.replaced(Q0=there.Q[-1], Omega0=there.Omega[-1], t0=0.12), "VLV", h=0.05, n_steps=2)
    assert run.t == pytest.approx(0.22) and run.Q == pytest.approx(on.Q[-1], abs=1e-14)


def test_reset_begins_again_elsewhere(mine):
    run = ph.Integrator(mine, "VLV", h=0.05).step(5)
    begin = {"Q0": (0.1, 0.2, 0.3), "Omega0": (1.0, 0.0, 0.5), "t0": 2.0}
    run.reset(**begin).step(4)
    s = ph.solve(mine.replaced(**begin), "VLV", h=0.05, n_steps=4)
    assert run.t == s.t[-1] and np.array_equal(run.Q, s.Q[-1])
    assert np.array_equal(run.reset().step(4).Q, s.Q[-1])
    assert np.array_equal(run.reset(Omega0=(0.0, 1.0, 0.5)).problem.Q0, s.problem.Q0) and run.t == 2.0


@pytest.mark.parametrize("method", ["VLV", "ADAMS8"])
def test_reset_forgets_the_steps_and_keeps_what_was_set(method):
    """Of a method with a memory, too: after it all is as in a new Integrator of the problem as it now is."""
    torque = lambda t, Q, p: (p.k * Q[2, 1], -p.k * Q[2, 0], 0.1)
    mine = ph.Problem(inertia=(2, 3, 4), torque=torque, parameters={"k": 0.3}, Omega0=(0.4, 1.0, -0.6))
    run = ph.Integrator(mine, method, h=0.05).step(5).set(k=3.0).advance_to(0.27).step(2)
    run.reset().step(20)
    new = ph.Integrator(run.problem, method, h=0.05).step(20)
    assert run.t == new.t and np.array_equal(run.Q, new.Q) and np.array_equal(run.Omega, new.Omega)
    other = ph.Integrator(mine, method, h=0.05).step(20)
    assert not np.array_equal(run.Q, other.Q)


def test_another_inertia_keeps_attitude_and_velocity(mine):
    run = ph.Integrator(mine, "VLV", h=0.05).step(5)
    Q, Omega = run.Q, run.Omega
    run.set(inertia=np.diag([1.0, 1.5, 2.0]))
    assert run.Q == pytest.approx(Q, abs=1e-15) and run.Omega == pytest.approx(Omega, abs=1e-15)
    assert run.t == 0.25
    on = ph.solve(
        mine.replaced(inertia=np.diag([1.0, 1.5, 2.0]), Q0=Q, Omega0=Omega, t0=0.25), "VLV", h=0.05, n_steps=3
    )
    assert run.step(3).Q == pytest.approx(on.Q[-1], abs=1e-14)


def test_a_step_that_fails_raises_and_leaves_the_state_before_it():
    def falls(t, Q):
        if t > 0.25:
            raise RuntimeError("over the edge")
        return (0.0, 0.1, 0.0)

    run = ph.Integrator(ph.Problem(inertia=(1, 2, 3), torque=falls, Omega0=(1, 0, 0)), "VLV", h=0.1)
    with pytest.raises(ph.RunError, match="over the edge") as error:
        run.step(10)
    assert str(error.value.__cause__) == "over the edge"
    assert run.t == pytest.approx(0.2) and np.isfinite(run.Q).all()


def stiff(t, Q, p):
    return (p.k * Q[2, 1], -p.k * Q[2, 0], 0.0)


def test_parameters_change_from_here_on():
    p = ph.Problem(inertia=(2, 3, 4), torque=stiff, parameters={"k": 2.0}, Omega0=(1.0, 0.2, 0.3))
    run = ph.Integrator(p, "VLV", h=0.05).step(5).set(k=5.0)
    s = ph.solve(p, "VLV", h=0.05, n_steps=5)
    on = ph.solve(p.replaced(k=5.0, Q0=s.Q[-1], Omega0=s.Omega[-1], t0=s.t[-1]), "VLV", h=0.05, n_steps=4)
    assert np.array_equal(run.Q, s.Q[-1]) and run.step(4).Q == pytest.approx(on.Q[-1], abs=1e-14)
    assert np.abs(run.Q - ph.Integrator(p, "VLV", h=0.05).step(9).Q).max() > 1e-3


def test_episodes_of_a_loop_are_those_of_solve():
    """As a learner or a controller makes them: begin somewhere, act between steps, begin again."""
    p = ph.Problem(inertia=(2, 3, 4), torque=stiff, parameters={"k": 2.0}, Omega0=(1.0, 0.2, 0.3))
    run, starts = ph.Integrator(p, "VLV", h=0.05), np.random.default_rng(0).normal(size=(4, 2, 3))
    for Q0, Omega0 in starts:
        run.reset(Q0=Q0, Omega0=Omega0, t0=1.0).set(k=2.0)
        s = ph.solve(p.replaced(Q0=Q0, Omega0=Omega0, t0=1.0), "VLV", h=0.05, n_steps=4)
        assert np.array_equal(run.step(4).Q, s.Q[-1]) and run.t == s.t[-1]
        run.set(k=3.0 + run.Omega[2])
        on = p.replaced(k=3.0 + run.Omega[2], Q0=run.Q, Omega0=run.Omega, t0=run.t)
        assert run.step(4).Q == pytest.approx(ph.solve(on, "VLV", h=0.05, n_steps=4).Q[-1], abs=1e-13)


def test_more_steps_than_can_be_counted_are_refused(mine, monkeypatch):
    """Machine code cannot take so large a number, and plain Python would go on for ever."""
    run = ph.Integrator(mine, "VLV", h=0.05)
    monkeypatch.setattr(KernelRunner, "advance", None)
    with pytest.raises(ph.InputError, match="at most 2\\^53"):
        run.step(2**60)


@pytest.mark.parametrize("method", ["RKN6", "TAYLOR"])
def test_a_long_loop_goes_on_as_a_new_one_after_every_reset(mine, method):
    """What is held for a loop belongs to its start, its h and its counting of steps."""
    run = ph.Integrator(mine, method, h=0.05)
    for start in ({}, {}, {"t0": 2.0}, {"Omega0": (1.0, 0.2, 0.3)}, {}, {"t0": 0.0}):
        run.reset(**start)
        fresh = ph.Integrator(run.problem, method, h=0.05)
        for _ in range(9):
            run.step()
        fresh.step(9)
        assert run.t == fresh.t
        np.testing.assert_array_equal(run.Omega, fresh.Omega)
        for _ in range(6):  # shorter steps, and on with h
            run.advance_to(run.t + 0.07)
            fresh.advance_to(fresh.t + 0.07)
        assert run.t == fresh.t
        np.testing.assert_array_equal(run.Q, fresh.Q)
    run.reset().step(4)
    s = ph.solve(run.problem, method, h=0.05, n_steps=4)
    np.testing.assert_array_equal(run.Q, s.Q[-1])
