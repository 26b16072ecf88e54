"""`solve(accuracy=...)`: the accuracy is reached, and the error told is the error made, on every problem."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.errors import InputError
from polhode.reference.reference import reference
from polhode.runs.to_accuracy.trials import apart
from tests.support.dop853 import dop853

SPAN = 3.0
BODY = dict(
    inertia=[[2, 0.3, -0.1], [0.3, 2.5, 0.2], [-0.1, 0.2, 3]], Q0=(0.1, 0.5, 0.2), Omega0=(0.3, 0.2, 1.5)
)  # of a full tensor


def rounding(p):
    """What two fine runs differ by: rounding, as this motion magnifies it."""
    one, two = (ph.solve(p, "GAUSS16", h=h, n_steps=round(SPAN / h)) for h in (0.025, 0.0125))
    return apart(one.Q[10::10], two.Q[20::20])


def is_about(told, error, floor):
    """Whether an error was told within a factor of ten, but for this floor."""
    return error / 10 < told + floor and told < 10 * (error + floor)


WAYS = {
    "a state after every step": {"accuracy": 1e-5},
    "seventeen states": {"accuracy": 1e-10, "h": SPAN / 16},
    "times inside the first steps": {"accuracy": 1e-5, "t_eval": [0.03 * SPAN, 0.04 * SPAN]},
    "states so close that they keep the steps short": {"accuracy": 1e-5, "method": "RKMK54", "h": SPAN / 101},
}


@pytest.mark.parametrize("name", list(ph.problems()))
def test_the_error_told_is_the_error_made_over_all_states_kept(name):
    p = ph.problem(name)
    ways = [x for x in WAYS.values() if not (p.breaks and "method" in x)]  # the pair does not meet jumps
    runs = [ph.solve(p, t_end=SPAN, **x) for x in ways]
    exact = iter(reference(p, np.concatenate([s.t for s in runs]))[0])
    for s, way in zip(runs, ways):
        assert s.success and s.method.split("(")[0] in s.stats["why"]
        error = apart(s.Q, np.array([next(exact) for _ in s.t]))
        assert error <= way["accuracy"]
        told = s.error_estimate
        assert is_about(told, error, 1e-14) or is_about(told, error, rounding(p))  # which is another in every run


@pytest.mark.parametrize("method", ["VLV", "TAYLOR"])
def test_the_step_of_a_given_method(method):
    p = ph.problem("stress")
    s = ph.solve(p, method, accuracy=1e-5, t_end=SPAN)
    error = apart(s.Q[1:], reference(p, s.t[1:])[0])
    assert s.method.startswith(method) and error <= 1e-5
    assert error / 10 < s.error_estimate < 10 * error


def test_backwards():
    p = ph.problem("heavy-top")
    s = ph.solve(p, accuracy=1e-9, t_end=-SPAN)
    assert apart(s.Q[-1:], reference(p, [-SPAN])[0]) <= 1e-9 and s.t[-1] == -SPAN


@pytest.mark.parametrize(
    "given, words",
    [
        ({}, "Give a method and h, or accuracy"),
        ({"accuracy": 0.0}, "accuracy is 0"),
        ({"accuracy": 1e-16}, "nothing below"),
        ({"accuracy": 3.0}, "at most 1"),
        ({"accuracy": 1e-6, "save_every": 7}, "save_every counts intervals of h"),
        ({"accuracy": 1e-6, "h": 0.1, "t_end": 1.0, "save_every": 7}, "must divide"),
        ({"accuracy": 1e-6, "h": 0.3, "t_end": 1.0, "strict": True}, "must be a whole number"),
        ({"accuracy": 1e-6, "t_end": 1.0, "strict": True}, "strict=True is about h"),
        ({"accuracy": 1e-6, "t_end": 1.0, "terminal": ("up",)}, "none were given"),
        ({"accuracy": 1e-6, "t_end": 1.0, "direction": {"up": 1}}, "none were given"),
        ({"accuracy": 1e-6, "method": lambda p, Q, Omega, h, t: (Q, Omega)}, "of known order"),
        ({"accuracy": 1e-6, "method": "RKN6", "problem": "damped-body"}, "RKN6 does not take damping"),
        ({"accuracy": 1e-6, "method": "RKMK54", "problem": "book-toss"}, "jumps at fixed times"),
    ],
)
def test_bad_calls(given, words):
    with pytest.raises(InputError, match=words):
        ph.solve(**{"problem": "stress"} | given)


def test_what_cannot_be_reached_is_said():
    with pytest.warns(UserWarning, match="was not reached") as caught:
        s = ph.solve("lagrange-top", accuracy=1e-14, t_end=40.0, h=4.0)
    assert s.error_estimate > 1e-14
    assert caught[0].filename == __file__  # not the standard library's, whose context manager stands between


def by_scipy(p, times, torque, held=lambda t, Q, Omega: 0.0):
    """The attitudes at these times by DOP853, in pieces; `held` is asked at the beginning of each."""
    J = p.tensor

    def rates(t, y, u):
        Q, Omega = y[:9].reshape(3, 3), y[9:]
        a, b, c = Omega
        hat = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        moment = np.cross(J @ Omega, Omega) + torque(t, Q) + u
        return np.concatenate([(Q @ hat).ravel(), np.linalg.solve(J, moment)])

    y, found = np.concatenate([p.Q0.ravel(), p.Omega0]), []
    for a, b in zip([p.t0, *times], times):
        u = held(a, y[:9].reshape(3, 3), y[9:])
        y = solve_ivp(rates, (a, b), y, method="DOP853", rtol=1e-11, atol=1e-12, args=(u,)).y[:, -1]
        found.append(y[:9].reshape(3, 3))
    return np.array(found)


@pytest.mark.parametrize(
    "given",
    [
        {"potential": lambda Q: Q[2, 2], "damping": 0.2},
        {"potential": lambda Q: Q[2, 2], "rotor": (0.1, 0.2, 0.3)},
        {"torque": lambda t, Q, Omega: (np.sin(t) - 0.1 * Omega[0], -0.2 * Omega[1] * Q[0, 0], 0.3 * Q[1, 2])},
    ],
    ids=["damping", "rotor", "torque of the velocity"],
)
def test_torques_that_depend_on_the_velocity(given):
    p = ph.Problem(**given, **BODY)
    s = ph.solve(p, accuracy=1e-6, h=0.5, t_end=2.0)
    error = apart(s.Q[1:], reference(p, s.t[1:])[0])
    assert error <= 1e-6 and error / 10 < s.error_estimate < 10 * error


def law(t, Q, Omega):
    """A controller that brings the body to rest at Q = 1."""
    return -0.5 * Omega - 0.8 * np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]])


@pytest.mark.parametrize("t_end", [2.0, 0.65])
def test_steps_are_parts_of_the_period_of_a_controller(t_end):
    p = ph.Problem(control=ph.Sampled(law, period=0.1), **BODY)
    s = ph.solve(p, accuracy=1e-6, t_end=t_end)
    looks = [*(0.1 * k for k in range(1, 20) if 0.1 * k < t_end - 1e-9), t_end]
    Q = by_scipy(p, looks, lambda t, Q: np.zeros(3), law)
    assert s.t[-1] == pytest.approx(t_end) and (0.1 / s.h) == pytest.approx(round(0.1 / s.h))
    assert apart(s.Q[-1:], Q[-1:]) <= 1e-6


def test_an_interval_that_no_part_of_the_period_fits():
    p = ph.Problem(control=ph.Sampled(law, period=0.1), **BODY)
    with pytest.raises(InputError, match="whole number of it"):
        ph.solve(p, accuracy=1e-6, t_end=np.pi)


def pulse(height, width):
    """A push at t = 7.3, of which a float has nothing left at t = 0."""

    def torque(t, Q):
        a = height * np.exp(-(((t - 7.3) / width) ** 2))
        return a, 0.0 * t, -a * Q[0, 0]

    p = ph.Problem(torque=torque, **BODY)
    edges = [7.3 - 8 * width, 7.3, 7.3 + 8 * width, 10.0]
    return p, by_scipy(p, edges, lambda t, Q: np.array(torque(t, Q)))[-1:]


@pytest.mark.parametrize("method", ["auto", "TAYLOR"])
def test_a_pulse_that_no_trial_has_seen(method):
    p, Q = pulse(20.0, 0.05)
    for accuracy in (1e-6, 1e-8):
        s = ph.solve(p, method, accuracy=accuracy, h=10.0, t_end=10.0)
        assert apart(s.Q[-1:], Q) <= accuracy and s.error_estimate <= accuracy


def test_a_pulse_that_two_runs_of_a_method_step_over():
    p, Q = pulse(600.0, 0.002)
    for method in ("RKN6", "auto"):
        s = ph.solve(p, method, accuracy=1e-4, h=10.0, t_end=10.0)
        assert apart(s.Q[-1:], Q) <= 1e-4 and s.error_estimate <= 1e-4


def test_a_pulse_that_a_given_method_never_sees_is_told():
    p, Q = pulse(600.0, 0.002)
    with pytest.warns(UserWarning, match="pulses too short"):
        s = ph.solve(p, "TAYLOR", accuracy=1e-4, h=10.0, t_end=10.0)
    error = apart(s.Q[-1:], Q)
    assert error > 0.1 and s.error_estimate == pytest.approx(error, rel=0.01)


def test_times_and_events_of_a_run_to_an_accuracy():
    """Against Gauss's method with short steps; a terminal event ends a run to an accuracy, too."""
    p = ph.problem("heavy-top")
    looks = {"t_eval": [1.0, 2.5, 9.0], "events": {"level": lambda t, Q, Omega: Q[2, 0] - 0.1}}
    exact = ph.solve(p, "GAUSS16", h=0.05, t_end=10.0, **looks)
    for method in ("auto", "RKN8"):
        s = ph.solve(p, method, accuracy=1e-7, t_end=10.0, **looks)
        assert s.t.tolist() == looks["t_eval"] and s.error_estimate <= 1e-7 and s.stats["why"]
        assert apart(s.Q, exact.Q) <= 1e-7
        assert s.events["level"].t == pytest.approx(exact.events["level"].t, abs=1e-6)
    s = ph.solve(p, accuracy=1e-7, t_end=10.0, events=looks["events"], terminal="level")
    assert s.success and s.t[-1] == s.events["level"].t[0] == pytest.approx(exact.events["level"].t[0], abs=1e-6)


def test_events_of_the_pair_end_with_the_interval():
    """Its steps are many more than its intervals of h, and were counted as such: the run went on to t = 86."""
    s = ph.solve("heavy-top", "RKMK54", accuracy=1e-6, t_end=10.0, h=1.0, events={"level": lambda t, Q, Omega: Q[2, 0]})
    assert s.t[-1] == 10.0 and 0 < len(s.events["level"].t) and s.events["level"].t[-1] < 10.0


def test_times_and_names_that_are_used_up_by_reading_are_read_once():
    """A run to an accuracy with times or events is made twice; without times there are no states, and no crash."""
    looks = {"accuracy": 1e-5, "events": {"level": lambda t, Q, Omega: Q[2, 0] - 0.1}}
    plain = ph.solve("heavy-top", "SR2", t_end=3.0, terminal="level", **looks)
    s = ph.solve("heavy-top", "SR2", t_end=3.0, terminal=iter(["level"]), **looks)
    assert s.t[-1] == plain.t[-1] < 3.0
    s = ph.solve("heavy-top", "SR2", accuracy=1e-5, t_eval=iter([0.5, 1.0]))
    assert s.t.tolist() == [0.5, 1.0]
    assert len(ph.solve("heavy-top", "SR2", accuracy=1e-5, t_eval=[]).t) == 0


def test_a_torque_with_kinks_is_left_to_steps_that_see_them():
    """Steps of one length, of whatever order, meet each kink anywhere."""

    def torque(t, Q, Omega):
        return (abs(Q[0, 1]) - 0.1 * Omega[0], 0.5 if Q[2, 2] > 0.5 else Q[2, 2], 0.3 * max(0.0, np.sin(3 * t)))

    p = ph.Problem(inertia=(1.0, 2.0, 3.0), torque=torque, Q0=(0.3, 0.1, 0.0), Omega0=(0.1, 0.2, 2.0))
    s = ph.solve(p, accuracy=1e-6, t_end=4.0, h=0.5)
    error = apart(s.Q[-1:], dop853(p, 4.0)[0][None])
    assert s.method.startswith("RKMK54") and error <= 1e-6 and error / 10 < s.error_estimate < 10 * error


def test_a_trial_step_too_long_to_be_solved_is_shortened():
    """The equation of DMV8 has no solution for the first guess, of a radian and a half."""
    s = ph.solve("free-body", "DMV8", accuracy=1e-6, t_end=10.0)
    assert apart(s.Q[-1:], reference(ph.problem("free-body"), [10.0])[0]) <= 1e-6


def test_the_error_told_is_that_of_all_states_kept():
    """The steps are a prime number here, and the error is largest far from the end."""
    s = ph.solve("slow-top", accuracy=1e-9, t_end=10.0)
    exact = ph.solve("slow-top", "TAYLOR", h=10.0, t_eval=s.t[1:])
    error = np.linalg.norm(s.Q[1:] - exact.Q[-len(s.t) + 1 :], axis=(1, 2)).max() / np.sqrt(2)
    assert error < 1e-9 and error / 10 < s.error_estimate < 10 * error
