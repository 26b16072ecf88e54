"""A controller in the user's own loop, with methods that remember, and between two steps."""

import copy
import pickle

import numpy as np
import pytest

import polhode as ph

J = np.array([[2, 0.3, -0.1], [0.3, 2.5, 0.2], [-0.1, 0.2, 3]])
W = (0.3, 0.2, 1.5)
H, PERIOD = 0.05, 0.5


def law(t, Q, Omega):
    return (-3 * Omega[0], -3 * Omega[1], -3 * Omega[2])


def gentle(t, Q, Omega):
    return (-0.3 * Omega[0] + Q[0, 1], -0.3 * Omega[1], -0.3 * Omega[2] + 0.1)


def controlled(law=law, **more):
    return ph.Problem(inertia=J, control=ph.Sampled(law, period=PERIOD), Q0=(0.1, 0.5, 0.2), Omega0=W, **more)


def states(n, problem=None, method="GAUSS16"):
    return ph.solve(problem or controlled(), method, h=H, n_steps=n)


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("travelled", [lambda r: pickle.loads(pickle.dumps(r)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("steps", [10, 13])
def test_what_is_held_travels(travelled, compiled, steps):
    run = ph.Integrator(controlled(), "RKMK4", h=H, compiled=compiled).step(steps)
    other = travelled(run).step(12)
    s = states(steps + 12, method="RKMK4")
    assert np.array_equal(other.Omega, s.Omega[-1]) and np.array_equal(other.Q, s.Q[-1])
    assert np.array_equal(run.step(12).Omega, s.Omega[-1])


def test_other_parameters_keep_what_is_held_and_when_it_looks():
    def torque(t, Q, p):
        return (0.0, p.k * Q[2, 1], 0.0)

    def made(k):
        return controlled(torque=torque, parameters={"k": k})

    run = ph.Integrator(made(1.0), "RKMK4", h=H).step(13).set(k=2.0)
    here, Q = run.Omega, run.Q
    run.step(7)
    u = np.array(law(0.5, None, states(10, made(1.0), "RKMK4").Omega[-1]))
    piece = ph.Problem(inertia=J, Q0=Q, Omega0=here, t0=13 * H, torque=lambda t, Q: (u[0], u[1] + 2 * Q[2, 1], u[2]))
    assert np.abs(run.Omega - ph.solve(piece, "RKMK4", h=H, n_steps=7, compiled=False).Omega[-1]).max() < 1e-13
    seen = []

    def noting(t, Q, Omega):
        seen.append(round(t, 12))
        return law(t, Q, Omega)

    p = controlled(noting, torque=torque, parameters={"k": 1.0})
    ph.Integrator(p, "RKMK4", h=H).step(3).set(k=3.0).step(8).reset(t0=0.2).step(4).set(k=1.0).step(18)
    assert seen == [0.0, 0.5, 0.2, 0.7, 1.2]


def test_the_law_is_asked_once_a_look():
    seen = []

    def noting(t, Q, Omega):
        seen.append(round(t, 12))
        return law(t, Q, Omega)

    ph.solve(controlled(noting), "RKMK4", h=H, t_end=1.2, t_eval=[0.02, 0.03, 0.52, 0.6, 1.0, 1.01])
    assert seen == [0.0, 0.5, 1.0]


def test_between_two_steps_it_is_what_is_held_then():
    times = [0.02, 0.52, 0.74, 1.01]
    s = ph.solve(controlled(), "GAUSS16", h=H, t_end=1.2, t_eval=times)
    fine = ph.solve(controlled(), "GAUSS16", h=0.01, t_end=1.2)
    assert np.abs(s.Omega - fine.Omega[[2, 52, 74, 101]]).max() < 1e-12


def test_times_off_the_steps_are_refused():
    run = ph.Integrator(controlled(), "RKMK4", h=H)
    with pytest.raises(ph.InputError, match=r"counts steps: take t = 0.7 or 0.75"):
        run.advance_to(0.7321)
    assert run.t == 0
    assert np.array_equal(run.advance_to(0.75).advance_to(2.0).Omega, states(40, method="RKMK4").Omega[-1])


def test_a_single_step_begins_where_the_controller_looks():
    p = controlled()
    s = states(11, method="RKMK4")
    _, Omega = ph.step(p, "RKMK4", s.Q[10], s.Omega[10], H, t=0.5)
    assert np.abs(Omega - s.Omega[11]).max() < 1e-14
    for t in (0.05, 0.51):
        with pytest.raises(ph.InputError, match=r"is not known: it looks at 0 \+ k 0.5"):
            ph.step(p, "RKMK4", s.Q[1], s.Omega[1], H, t=t)


@pytest.mark.parametrize(("method", "order"), [("ADAMS8", 8), ("SW", 2), ("HSTAGM", 2), ("VLV", 2), ("RKMK4", 4)])
def test_the_order_is_that_of_the_method(method, order):
    p = controlled(gentle)
    exact = ph.solve(p, "GAUSS16", h=0.05, t_end=2.0).Omega[-1]
    errors = [np.abs(ph.solve(p, method, h=h, t_end=2.0).Omega[-1] - exact).max() for h in (0.1, 0.05)]
    assert errors[0] / errors[1] > 2 ** (order - 0.5)


@pytest.mark.parametrize("value", [(1, 2), (0.0, np.nan, 0.0), None])
def test_a_law_that_gives_no_torque_at_the_start_is_refused(value, tmp_path):
    with pytest.raises(ph.InputError, match=r"three finite numbers\.$"):
        ph.solve(controlled(lambda t, Q, Omega: value), "VLV", h=H, n_steps=20, out=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def test_a_law_that_gives_none_later_ends_the_run():
    p = controlled(lambda t, Q, Omega: (0.0, 0.0, 0.0) if t < 0.4 else (1, 2))
    with pytest.warns(ph.RunWarning):
        s = ph.solve(p, "VLV", h=H, n_steps=20)
    assert len(s.t) == 11 and "three finite numbers. What" in s.message and ".." not in s.message
