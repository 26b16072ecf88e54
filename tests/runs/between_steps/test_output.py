"""Output where it is wanted: times of one's own, states between steps, intervals of any length, events."""

import math
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.reference.reference import reference
from polhode.runs.between_steps.crossings import crossings

TOP = ph.problem("heavy-top")


def level(t, Q, Omega):
    return Q[2, 0] - 0.1 * math.sin(t)


# ---- times ---------------------------------------------------------------------------------------------


def test_h_is_the_most_a_step_may_be():
    s = ph.solve(TOP, "VLV", h=0.3, t_end=1.0)
    assert s.h == 0.25 and s.t[-1] == 1.0 and s.stats["n_steps"] == 4
    whole = ph.solve(TOP, "VLV", h=0.25, t_end=1.0)
    assert np.array_equal(s.Q, whole.Q) and whole.h == 0.25
    assert ph.solve(TOP, "VLV", h=5.0, t_end=0.5).h == 0.5
    assert ph.solve(TOP, "VLV", h=-0.3, t_end=-1.0).h == -0.25


def exact(times):
    found = [reference(TOP, t) for t in times]
    return np.array([Q for Q, _ in found]), np.array([Omega for _, Omega in found])


def test_states_between_steps_have_the_order_of_the_method():
    """Measured against Taylor series in the middle of steps; a Hermite cubic would stop at order 4."""
    times = [0.33, 0.71, 0.96]
    Q, Omega = exact(times)
    for method, sizes in (
        ("VLV", (0.02, 0.01)),
        ("RKMK4", (0.05, 0.025)),
        ("GAUSS8", (0.4, 0.2)),
        ("RKN8", (0.4, 0.2)),
    ):
        claimed = ph.method(method).orders.torque[0]
        errors, used = [], []
        for h in sizes:
            s = ph.solve(TOP, method, h=h, t_end=1.0, save_every=3)
            errors.append(max(np.abs(s.at(times).Q - Q).max(), np.abs(s.at(times).Omega - Omega).max()))
            used.append(s.h)
            sampled = ph.solve(TOP, method, h=h, t_end=1.0, t_eval=times)
            assert sampled.t.tolist() == times
            assert np.abs(sampled.Q - s.at(times).Q).max() < 1e-13
        order = math.log(errors[0] / errors[1]) / math.log(used[0] / used[1])
        assert order > claimed - 0.6, (method, order, errors)


def test_times_on_the_steps_give_the_bits_of_the_steps():
    s = ph.solve(TOP, "VLV", h=0.1, t_end=2.0)
    k = ph.solve(TOP, "VLV", h=0.1, t_end=2.0, t_eval=s.t[[0, 3, 4, 20]])
    assert np.array_equal(k.Q, s.Q[[0, 3, 4, 20]]) and np.array_equal(k.Omega, s.Omega[[0, 3, 4, 20]])
    assert np.array_equal(s(s.t[7]).Q, s.Q[7]) and np.array_equal(s.at(s.t).Omega, s.Omega)
    assert ph.solve(TOP, "VLV", h=0.1, t_eval=[0.5, 0.75]).t.tolist() == [0.5, 0.75]


def test_backwards_and_by_a_function_of_ones_own():
    def mine(problem, Q, Omega, h, t):
        return ph.step(problem, "RKMK4", Q, Omega, h, t)

    times = [-0.33, -0.4, -0.97]
    s = ph.solve(TOP, mine, h=-0.1, t_end=-1.0, t_eval=times, events={"level": level})
    k = ph.solve(TOP, "RKMK4", h=-0.1, t_end=-1.0, events={"level": level})
    assert s.Q == pytest.approx(k.at(times).Q, abs=1e-13)
    assert s.events["level"].t == pytest.approx(k.events["level"].t, abs=1e-13)


def test_states_between_are_refused_where_there_are_none(tmp_path):
    s = ph.solve(TOP, "VLV", h=0.1, t_end=1.0)
    with pytest.raises(ph.InputError, match=r"t = 1.5 is outside of the trajectory, which goes from 0 to 1"):
        s(1.5)
    s.save(tmp_path / "s.nc")
    with pytest.raises(ph.InputError, match="holds no functions"):
        ph.load(tmp_path / "s.nc")(0.5)
    again = pickle.loads(pickle.dumps(s))
    assert np.array_equal(again(0.123).Q, s(0.123).Q)


# ---- events --------------------------------------------------------------------------------------------


def test_every_change_of_sign_is_found_once():
    """Of functions with known zeros: several in a step, close pairs, at the ends, and none where it only touches."""
    zeros = [0.1, 0.1001, 0.35, 0.6, 0.9999]
    g = lambda x: math.prod(x - z for z in zeros)
    found = crossings(g, g(0.0), g(1.0))
    assert [x for x, _ in found] == pytest.approx(zeros, abs=1e-12) and [d for _, d in found] == [1, -1, 1, -1, 1]
    assert crossings(lambda x: (x - 0.3) ** 2, 0.09, 0.49) == []
    assert crossings(lambda x: x, 0.0, 1.0) == []  # at the begin: it belongs to the step before
    assert crossings(lambda x: 1 - x, 1.0, 0.0) == [(1.0, -1)]
    waves = crossings(lambda x: math.sin(40 * x + 0.5), math.sin(0.5), math.sin(40.5))
    assert [x for x, _ in waves] == pytest.approx([(k * math.pi - 0.5) / 40 for k in range(1, 13)], abs=1e-13)
    kink = crossings(lambda x: abs(x - 0.4) - 0.1, 0.3, 0.5)
    assert [x for x, _ in kink] == pytest.approx([0.3, 0.5], abs=1e-13)


@pytest.mark.parametrize("method, h", [("VLV", 0.05), ("GAUSS16", 0.6), ("RKMK4", 0.1)])
def test_events_are_zeros_of_the_methods_own_solution(method, h):
    s = ph.solve(TOP, method, h=h, t_end=12.0, events={"level": level, "fast": lambda t, Q, Omega: math.sin(9 * t)})
    e = s.events["level"]
    dense = np.linspace(0, 12, 4001)
    values = [level(t, Q, 0) for t, Q in zip(dense, s.at(dense).Q)]
    assert len(e) == np.sum(np.diff(np.sign(values)) != 0) > 2
    assert max(abs(level(t, Q, 0)) for t, Q in zip(e.t, e.Q)) < 1e-13
    assert e.Q == pytest.approx(s.at(e.t).Q, abs=1e-13)
    assert (e.direction == np.sign([level(t + 1e-4, s(t + 1e-4).Q, 0) for t in e.t])).all()
    k = np.arange(1, 35)
    assert s.events["fast"].t == pytest.approx(k * math.pi / 9, rel=1e-13)  # several in a step of GAUSS16
    plain = ph.solve(TOP, method, h=h, t_end=12.0)
    assert np.array_equal(s.Q, plain.Q)


def test_machine_code_and_python_find_the_same_events():
    def cannot(t, Q, Omega):
        return Q[2, 0] - 0.1 * math.sin(eval("t"))

    given = {"h": 0.1, "t_end": 6.0}
    s = ph.solve(TOP, "VLV", **given, events={"level": level})
    python = ph.solve(TOP, "VLV", **given, events={"level": level}, compiled=False)
    with pytest.warns(UserWarning, match="The event 'level' could not be compiled"):
        mixed = ph.solve(TOP, "VLV", **given, events={"level": cannot})
    for other in (python, mixed):
        assert np.array_equal(other.events["level"].t, s.events["level"].t)
        assert np.array_equal(other.events["level"].Q, s.events["level"].Q)


def test_events_see_the_users_axes():
    J = np.array([[2.0, 0.3, 0.2], [0.3, 3.0, -0.3], [0.2, -0.3, 4.0]])
    p = ph.Problem(inertia=J, Omega0=(0.4, 2.0, -0.6), Q0=(0.3, -0.2, 0.5))
    s = ph.solve(p, "RKMK4", h=0.1, t_end=8.0, events={"x": lambda t, Q, Omega: Omega[0] + Q[0, 1]})
    e = s.events["x"]
    assert len(e) > 2 and np.abs(e.Omega[:, 0] + e.Q[:, 0, 1]).max() < 1e-13


def test_a_terminal_event_ends_the_run_there():
    every = ph.solve(TOP, "VLV", h=0.1, t_end=12.0, events={"level": level})
    up = every.events["level"].t[every.events["level"].direction == 1]
    s = ph.solve(TOP, "VLV", h=0.1, t_end=12.0, events={"level": level}, terminal=("level",), direction={"level": 1})
    assert s.success and "The event 'level' ended the run" in s.message
    assert s.t[-1] == s.events["level"].t[0] == up[0] and np.array_equal(s.Q[-1], s.events["level"].Q[0])
    assert (np.diff(s.t) > 0).all()
    times = np.linspace(0, 12, 50)
    k = ph.solve(TOP, "VLV", h=0.1, t_eval=times, events={"level": level}, terminal="level", direction={"level": 1})
    assert np.array_equal(k.t, times[times <= up[0]])


def test_a_function_that_raises_in_an_event_is_told():
    def bad(t, Q, Omega):
        return 1.0 / (0.0 if t > 0.5 else 1.0)

    with pytest.warns(ph.RunWarning, match="division by zero"):
        s = ph.solve(TOP, "VLV", h=0.1, t_end=1.0, events={"bad": bad})
    assert isinstance(s.exception, ZeroDivisionError) and len(s.t) == 6


def root(t, Q, Omega):
    """No number while the third axis points downwards, as machine code and as Python say without a warning."""
    return Q[2, 2] ** 0.5 - 0.3 if Q[2, 2] > 0 else math.nan


@pytest.mark.parametrize("given", [{"h": 0.01}, {"h": 0.01, "compiled": False}, {"accuracy": 1e-6}], ids=str)
def test_an_event_that_is_no_number_on_the_way_is_told(given):
    top = ph.problem("heavy-top")
    with pytest.warns(ph.EventWarning, match="'root' is nan at t = 1.*no event is seen"):
        ph.solve(top, **({"method": "VLV"} if "h" in given else {}), t_end=5, events={"root": root}, **given)


def test_an_event_that_is_no_number_for_one_of_many_bodies_is_told():
    top = ph.problem("heavy-top")
    with pytest.warns(ph.EventWarning, match="'root' is nan at t = "):
        ph.solve_ensemble(top, "VLV", Omega0=[top.Omega0] * 3, h=0.01, t_end=5, events={"root": root})


def test_a_run_that_watches_does_not_tally():
    with pytest.raises(ph.InputError, match="reduce does not go with events"):
        ph.solve(TOP, "VLV", h=0.1, t_end=1.0, events={"level": level}, reduce="energy")


# ---- failures ------------------------------------------------------------------------------------------


def test_a_run_that_stops_early_warns_raises_or_returns():
    def falls(t, Q):
        if t > 0.25:
            raise KeyError("over the edge")
        return (0.0, 0.1, 0.0)

    p = ph.Problem(inertia=(1, 2, 3), torque=falls, Omega0=(1, 0, 0))
    with pytest.warns(ph.RunWarning, match="over the edge"):
        s = ph.solve(p, "VLV", h=0.1, n_steps=9)
    assert not s.success and len(s.t) == 3
    with pytest.raises(ph.RunError, match="over the edge") as error:
        ph.solve(p, "VLV", h=0.1, n_steps=9, on_failure="raise")
    assert isinstance(error.value.__cause__, KeyError) and len(error.value.result.t) == 3
    assert len(ph.solve(p, "VLV", h=0.1, n_steps=9, on_failure="return").t) == 3


@pytest.mark.parametrize("method", ["VLV", "SW", "ADAMS8", "TAYLOR"])
@pytest.mark.parametrize("kept", [{}, {"save_every": 3}, {"save_every": 100}, {"t_eval": [0.31, 0.55]}])
def test_a_file_with_its_problem_is_the_run_again(tmp_path, method, kept):
    s = ph.solve("stress", method, h=0.1, t_end=1, **kept)
    read = ph.load(s.save(tmp_path / "a.nc"), "stress")
    assert np.array_equal(read(0.52).Q, s(0.52).Q) and np.array_equal(read.at([0.4, 0.5]).Omega, s.at([0.4, 0.5]).Omega)
    assert np.array_equal(read.rotation_increments, s.rotation_increments)


@pytest.mark.parametrize("kept", [{}, {"t_eval": [0.31, 0.55]}])
def test_a_file_with_another_problem_is_refused(tmp_path, kept):
    path = ph.solve("stress", "VLV", h=0.1, t_end=1, **kept).save(tmp_path / "a.nc")
    with pytest.raises(ph.InputError, match=r"has the energy .* at the first state of the file"):
        ph.load(path, ph.problem("stress", alpha=0.2))
    with pytest.raises(ph.InputError, match="does not lead from the first state of the file to the second"):
        ph.load(path, ph.Problem(inertia=(2, 2, 4), torque=lambda t, Q: (0.0, 0.0, 0.1), Omega0=(0, 0, 1)))
    with pytest.raises(ph.InputError, match="has the inertia"):
        ph.load(path, "free-body")
    with pytest.raises(ph.InputError, match="goes with problem="):
        ph.load(path, method="VLV")
    with pytest.raises(ph.InputError, match="with the problem that was solved gives it back"):
        _ = ph.load(path).rotation_increments


def test_a_file_of_ones_own_method_takes_it(tmp_path):
    def mine(problem, Q, Omega, h, t):
        return ph.step(problem, "VLV", Q, Omega, h, t)

    s = ph.solve("stress", mine, h=0.1, t_end=0.5)
    path = s.save(tmp_path / "a.nc")
    with pytest.raises(ph.InputError, match="were taken by 'mine'; give that method as method="):
        ph.load(path, "stress")
    assert np.array_equal(ph.load(path, "stress", mine)(0.32).Q, s(0.32).Q)


# ---- no states at all ------------------------------------------------------------------------------------


@pytest.mark.parametrize("early", [{"t_eval": []}, {"events": {"soon": lambda t, Q, Omega: t - 0.2}}], ids=list)
def test_a_run_that_ends_before_the_first_time_asked_for(early, tmp_path):
    """It keeps no state, and can be looked at and saved all the same."""
    s = ph.solve(
        TOP, "VLV", h=0.1, t_end=1.0, **{"t_eval": [0.5, 0.9], "terminal": tuple(early.get("events", ())), **early}
    )
    assert "no states" in repr(s) and len(s.energy_error) == len(s.rotation_increments) == len(s.to_dataframe()) == 0
    assert len(ph.load(s.save(tmp_path / "s.nc")).t) == 0
    for look in (s.plot, lambda: s(0.1)):
        with pytest.raises(ph.InputError, match="has no states"):
            look()
