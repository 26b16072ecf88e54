"""Laws as machine code: the same as called in Python, what stays there, and what goes with a controller."""

import types

import numpy as np
import pytest

import polhode as ph
from polhode import machine

J, W = (1.0, 2.0, 2.5), np.array([1.0, 0.2, 0.3])
H, PERIOD, N = 0.05, 0.1, 80
GAIN = 0.5


def law(t, Q, Omega):
    return (-GAIN * Omega[0] + 0.1 * Q[0, 1], -GAIN * Omega[1], -GAIN * Omega[2] + 0.05 * t)


def held(law=law, **more):
    return ph.Problem(**dict(inertia=J, Omega0=W, control=ph.Sampled(law, period=PERIOD)) | more)


def wheels(torque=0.0, **more):
    each = [ph.Wheel(axis=a, inertia=0.1, speed=3.0, torque=torque, max_torque=0.2) for a in ((1, 0, 0), (0, 0.6, 0.8))]
    return ph.Problem(**dict(inertia=J, Omega0=W, wheels=each) | more)


BODIES = {
    "torque": held,
    "tensor": lambda: held(inertia=((1.0, 0.1, 0), (0.1, 2, 0.05), (0, 0.05, 2.5))),
    "wheels": lambda: wheels(control=ph.Sampled(lambda t, Q, Omega: law(t, Q, Omega)[:2], period=PERIOD, wheels=True)),
    "each": lambda: wheels(ph.Sampled(lambda t, Q, Omega: 0.4 * Omega[2], period=PERIOD)),
    "functions": lambda: wheels(lambda t, Q, Omega: 0.4 * Omega[2] + 0.1 * Q[0, 1]),
}


@pytest.mark.parametrize("body", BODIES)
def test_machine_code_is_the_law(body):
    p = BODIES[body]()
    s, python = (ph.solve(p, "VLV", h=H, n_steps=N, save_every=7, compiled=c) for c in (None, False))
    assert s.stats["law"] == "machine code" and python.stats["law"].startswith("Python")
    assert np.array_equal(s.Omega, python.Omega) and np.array_equal(s.Q, python.Q)
    assert s.stats["n_torque"] == python.stats["n_torque"]
    run = ph.Integrator(p, "VLV", h=H)
    for _ in range(N):
        run.step()  # by pieces
    assert np.array_equal(run.Omega, s.Omega[-1])
    if body not in ("torque", "tensor"):
        assert np.array_equal(run.wheel_speeds, s.wheel_speeds[-1])
        assert (
            np.array_equal(s.wheel_speeds, python.wheel_speeds) and np.abs(np.diff(s.wheel_speeds[:, 0])).max() > 0.01
        )


class Integral:
    """A law that remembers."""

    def __init__(self):
        self.calls, self.sum = 0, np.zeros(3)

    def __call__(self, t, Q, Omega):
        self.calls += 1
        self.sum += Omega * PERIOD
        return -0.5 * Omega - 0.1 * self.sum


def closure():
    calls, total = [], np.zeros(3)

    def law(t, Q, Omega):
        calls.append(t)
        total[:] = total + Omega * PERIOD
        return -0.5 * Omega - 0.1 * total

    return law, calls


def test_what_remembers_is_called_in_python_once_a_period():
    by_object, (by_closure, calls) = Integral(), closure()
    s = ph.solve(held(by_object), "VLV", h=H, n_steps=N)
    other = ph.solve(held(by_closure), "VLV", h=H, n_steps=N)
    assert by_object.calls == len(calls) == N * H / PERIOD
    assert s.stats["law"].startswith("Python") and other.stats["law"].startswith("Python")
    assert np.array_equal(s.Omega, other.Omega) and s.stats["compiled"]
    with pytest.warns(UserWarning, match="remembers: what it reaches has changed while a body ran"):
        ph.solve_ensemble(held(Integral()), "VLV", Omega0=[W, W], h=H, n_steps=4)


def test_random_numbers_are_those_of_the_users_generator():
    def noisy(t, Q, Omega):
        x = np.random.normal()
        return (-0.5 * Omega[0] + 0.1 * x, 0.0, 0.0)

    def run():
        np.random.seed(3)
        return ph.solve(held(noisy), "VLV", h=H, n_steps=N)

    s = run()
    assert s.stats["law"] == "Python: it draws random numbers"
    assert np.array_equal(s.Omega, run().Omega)


def test_a_gain_that_changes_while_it_runs_is_seen(monkeypatch):
    run = ph.Integrator(held(), "VLV", h=H).step(40)
    here = run.Q, run.Omega
    monkeypatch.setitem(globals(), "GAIN", 2.0)
    run.step(40)
    other = ph.solve(held(Q0=here[0], Omega0=here[1], t0=2.0), "VLV", h=H, n_steps=40)
    assert np.abs(run.Omega - other.Omega[-1]).max() < 1e-14
    monkeypatch.setitem(globals(), "GAIN", 0.5)
    assert np.abs(run.Omega - ph.solve(held(), "VLV", h=H, n_steps=80).Omega[-1]).max() > 1e-3


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (lambda t, Q, Omega: np.array([0.0, np.inf if t > 2.95 else 0.0, 0.0]), "three finite numbers"),
        (lambda t, Q, Omega: [1.0 / int(t < 2.95), 0.0, 0.0], "ZeroDivisionError"),
    ],
)
def test_a_law_that_fails_on_the_way_ends_the_run_there(law, said):
    s = ph.solve(held(law), "VLV", h=H, n_steps=N, on_failure="return")
    assert s.stats["law"] == "machine code"
    assert said in s.message and len(s.t) == 61


def test_a_law_takes_the_parameters_of_the_problem():
    def law(t, Q, Omega, p):
        return -p.k * Omega + p.u

    p = held(law, parameters={"k": 0.5, "u": (0.1, 0, 0)})
    fixed = held(lambda t, Q, Omega: -2.0 * Omega + np.array([0.1, 0, 0]))
    s = ph.solve(p.replaced(k=2.0), "VLV", h=H, n_steps=N)
    assert s.stats["law"] == "machine code"
    assert np.abs(s.Omega - ph.solve(fixed, "VLV", h=H, n_steps=N).Omega).max() < 1e-15
    e = ph.solve_ensemble(p, "VLV", parameters={"k": [0.5, 2.0]}, h=H, n_steps=N, reduce="energy")
    assert e.stats["compiled"]
    assert (
        np.array_equal(e.Omega[:, 1], s.Omega)
        and e.stats["law"] == "machine code"
        and "controller" in e.stats["reason"]
    )
    energy = ph.solve(p, "VLV", h=H, n_steps=N, reduce="energy").reductions["energy"]
    assert e.reductions["energy"].mean[0] == energy.mean == pytest.approx(e[0].energy[1:].mean())
    run = ph.Integrator(p, "VLV", h=H).set(k=2.0).step(N)
    assert np.array_equal(run.Omega, s.Omega[-1])
    motor = wheels(lambda t, Q, Omega, k: k * Omega[0], args=(0.3,))
    same = wheels(lambda t, Q, Omega: 0.3 * Omega[0])
    assert np.array_equal(*(ph.solve(x, "VLV", h=H, n_steps=4).Omega for x in (motor, same)))
    with pytest.raises(ph.InputError, match=r"law takes 4 arguments; it is called as law\(t, Q, Omega\)"):
        held(law)
    with pytest.raises(ph.InputError, match="none was given that takes them"):
        held(parameters={"k": 1.0})


@pytest.mark.parametrize(("body", "compiled"), [("torque", None), ("torque", False), ("functions", False)])
def test_events_are_found_under_a_controller(body, compiled):
    p, events = BODIES[body](), {"slow": lambda t, Q, Omega: Omega[0] - 0.8}
    s = ph.solve(p, "VLV", h=H, n_steps=40, events=events, compiled=compiled)
    plain = ph.solve(p, "VLV", h=H, n_steps=40, compiled=compiled)
    crossing = np.interp(0.0, 0.8 - plain.Omega[:, 0], plain.t)
    assert np.array_equal(s.Omega, plain.Omega) and s.events["slow"].t == pytest.approx([crossing], abs=1e-3)
    ended = ph.solve(p, "VLV", h=H, n_steps=40, events=events, terminal="slow", compiled=compiled)
    assert ended.t[-1] == s.events["slow"].t[0] and abs(ended.Omega[-1, 0] - 0.8) < 1e-12


def test_compiling_is_no_part_of_the_time_of_a_run(monkeypatch):
    import polhode.machine as machine

    seconds, compiled = 0.0, machine.held_loop

    def slowly(*given):
        nonlocal seconds
        seconds += 1000.0
        return compiled(*given)

    monkeypatch.setattr(machine, "held_loop", slowly)
    monkeypatch.setattr("polhode.runs.drive.time", types.SimpleNamespace(perf_counter=lambda: seconds))
    control = ph.Sampled(lambda t, Q, Omega: (-Omega[0], -Omega[1], -Omega[2]), period=0.1)
    p = ph.Problem(inertia=(1.0, 2.0, 2.5), Omega0=(0.1, 1.0, 0.2), control=control)
    s = ph.solve(p, "VLV", h=0.05, n_steps=2000, save_every=1000)
    assert s.stats["law"] == "machine code" and seconds == 1000.0
    assert s.stats["wall_time"] == 0.0


def test_a_loop_that_cannot_be_compiled_is_told_of(monkeypatch):
    def refuses(*given):
        raise machine.CannotCompile("not today")

    expected = ph.solve(held(), "SR2", h=H, n_steps=N)
    monkeypatch.setattr(machine, "held_loop", refuses)
    with pytest.warns(UserWarning, match="SR2 under a controller could not be compiled"):
        s = ph.solve(held(lambda t, Q, Omega: law(t, Q, Omega)), "SR2", h=H, n_steps=N)
    assert np.array_equal(s.Q, expected.Q)
