"""Runs whose steps have lengths of their own, reversible ones and those by tolerance: what they show on the way."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import trapezoid

import polhode as ph
from polhode.cli.main import main
from polhode.integrators.embedded import DENSE, DORMAND_PRINCE, LOWER
from polhode.reference.reference import reference
from polhode.runs.to_accuracy.trials import apart
from tests.support.dop853 import dop853

WALL = ph.problem("soft-wall")
TOP = ph.problem("heavy-top")
DRIVEN = ph.Problem(inertia=(1, 2, 3), Omega0=(0.1, 0.2, 1), control=ph.Sampled(lambda t, Q, Omega: -Omega, period=0.1))


def low(t, Q, Omega):
    return Q[2, 2] - 0.3


# ---- the pair ------------------------------------------------------------------------------------------


def test_the_coefficients_meet_the_conditions_of_their_orders():
    """Exactly: both ends by Butcher's trees, the inside of a step by all conditions of order 4."""
    A = [*([*row, 0] for row in DORMAND_PRINCE.A), [*DORMAND_PRINCE.b, 0]]
    assert DORMAND_PRINCE.order == 5 and ph.Tableau("lower", A, LOWER).order == 4
    c = [sum(row) for row in A]
    below = lambda x: [sum(a * y for a, y in zip(row, x)) for row in A]
    for theta in (Fraction(1, 3), Fraction(5, 7), Fraction(1)):
        b = [sum(DENSE[k][i] * theta ** (k + 1) for k in range(4)) for i in range(7)]
        total = lambda x, b=b: sum(u * v for u, v in zip(b, x))
        for k in range(4):
            assert total([x**k for x in c]) == theta ** (k + 1) / (k + 1)
        assert total(below(c)) == theta**3 / 6
        assert total([x * y for x, y in zip(c, below(c))]) == theta**4 / 8
        assert total(below([x * x for x in c])) == theta**4 / 12 and total(below(below(c))) == theta**4 / 24
    assert b == [*DORMAND_PRINCE.b, 0]


def test_the_error_follows_the_tolerance():
    exact = reference(TOP, [6.0])[0]
    for rtol in (1e-5, 1e-8, 1e-11):
        s = ph.solve(TOP, "RKMK54", rtol=rtol, t_end=6.0)
        assert rtol / 100 < apart(s.Q[-1:], exact) < 20 * rtol
        assert s.t[-1] == 6 and len(s.t) == s.stats["n_steps"] + 1 and s.stats["compiled"]


def test_with_fixed_steps_it_has_order_5_and_six_torques():
    fixed, exact = ph.munthe_kaas(DORMAND_PRINCE), reference(TOP, [2.0])[0]
    runs = [ph.solve(TOP, fixed, h=2.0 / n, n_steps=n, compiled=False) for n in (160, 320)]
    errors = [apart(s.Q[-1:], exact) for s in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(5, abs=0.1) and runs[0].stats["n_torque"] == 1 + 6 * 160


def test_it_keeps_the_momenta_and_not_the_energy():
    free = ph.solve("free-body", "RKMK54", rtol=1e-4, t_end=50.0)
    assert np.abs(free.momentum - free.momentum[0]).max() < 1e-12 and np.abs(free.energy_error).max() > 1e-6
    top = ph.solve(TOP, "RKMK54", rtol=1e-4, t_end=50.0)
    assert np.abs(top.momentum[:, 2] - top.momentum[0, 2]).max() < 1e-12 and np.abs(top.energy_error).max() > 1e-5


def by_loops(t, Q, Omega):
    """No formula: a loop, a decision, the velocity, the time."""
    s = 0.0
    for k in range(3):
        s += Q[2, k] * Omega[k]
    if s > 0:
        s = 0.5 * s
    return (-s * Q[2, 0] - 0.1 * Omega[0], 0.3 * abs(Q[0, 1]), 0.2 * np.cos(t))


def test_any_torque_as_dop853_has_it():
    p = ph.Problem(inertia=(1.0, 2.0, 3.0), torque=by_loops, Q0=(0.3, 0.1, 0.0), Omega0=(0.1, 0.2, 2.0))
    s = ph.solve(p, rtol=1e-9, t_end=8.0)
    Q, Omega = dop853(p, 8.0)
    assert s.method.startswith("RKMK54") and apart(s.Q[-1:], Q[None]) < 1e-7
    assert np.abs(s.Omega[-1] - Omega).max() < 1e-7 and s.stats["compiled"]


def test_torques_are_counted_and_python_has_the_same_bits():
    calls = [0]

    def torque(t, Q, Omega):
        calls[0] += 1
        return (Q[1, 2] - 0.1 * Omega[0], -Q[0, 2], 5 * np.exp(-500 * (t - 1) ** 2))

    p = ph.Problem(inertia=(1.0, 2.0, 3.0), torque=torque, Q0=(0.3, 0.1, 0.0), Omega0=(0.1, 0.2, 2.0))
    calls[0] = 0
    s = ph.solve(p, "RKMK54", rtol=1e-6, t_end=2.0, compiled=False)
    assert calls[0] == s.stats["n_torque"] == 1 + 6 * s.stats["n_iterations"]
    assert s.stats["n_iterations"] > s.stats["n_steps"]  # some were rejected
    few = {"t_end": 3.0, "events": {"low": low}, "t_eval": [0.5, 1.0, 2.9], "rtol": 1e-6}
    machine, python = ph.solve(TOP, "RKMK54", **few), ph.solve(TOP, "RKMK54", compiled=False, **few)
    assert np.array_equal(machine.Q, python.Q) and np.array_equal(machine.events["low"].t, python.events["low"].t)
    assert machine.stats["n_steps"] == python.stats["n_steps"] and not python.stats["compiled"]


def test_rows_events_and_ends():
    """States inside steps err as those at their ends; events are those of a method of order 16."""
    times = np.linspace(0.1, 9.9, 25)
    s = ph.solve(TOP, "RKMK54", rtol=1e-9, t_end=10.0, t_eval=times, events={"low": low})
    fine = ph.solve(TOP, "GAUSS16", h=0.1, t_end=10.0, t_eval=times, events={"low": low})
    assert np.array_equal(s.t, times) and apart(s.Q, fine.Q) < 2e-8
    assert s.events["low"].t == pytest.approx(fine.events["low"].t, abs=2e-8)
    assert np.array_equal(s.events["low"].direction, fine.events["low"].direction) and len(fine.events["low"]) == 4
    whole = ph.solve(TOP, "RKMK54", rtol=1e-9, t_end=10.0)
    assert s.stats["n_steps"] == whole.stats["n_steps"]  # which know nothing of rows and events
    assert apart(whole.at(times).Q, fine.Q) < 2e-8 and apart(whole(3.3).Q[None], fine(3.3).Q[None]) < 2e-8
    ended = ph.solve(TOP, "RKMK54", rtol=1e-9, t_end=10.0, events={"low": low}, terminal="low")
    assert ended.t[-1] == ended.events["low"].t[0] == pytest.approx(s.events["low"].t[0], abs=1e-12)
    rows = ph.solve(TOP, "RKMK54", rtol=1e-9, h=0.5, t_end=10.0, save_every=3)
    assert np.allclose(rows.t, [*np.arange(0, 10, 1.5), 10]) and rows.stats["longest_step"] <= 0.5
    back = ph.solve(TOP.replaced(Q0=whole.Q[-1], Omega0=whole.Omega[-1]), "RKMK54", rtol=1e-9, t_end=-10.0)
    assert apart(back.Q[-1:], TOP.Q0[None]) < 1e-6 and back.t[-1] == -10


@pytest.mark.parametrize("asked", [{}, {"h": 0.5}, {"h": 0.5, "save_every": 2}])
@pytest.mark.parametrize("how", [{"rtol": 1e-9}, {"accuracy": 1e-7}])
def test_an_event_that_ends_the_run_is_its_last_row(asked, how):
    """As of every other method; but where the user chose the times, rows are at these alone."""
    asked = {"events": {"low": low}, "terminal": "low", "t_end": 10.0, **how, **asked}
    s = ph.solve(TOP, "RKMK54", **asked)
    assert s.t[-1] == s.events["low"].t[0] and np.array_equal(s.Q[-1], s.events["low"].Q[0])
    chosen = ph.solve(TOP, "RKMK54", **asked, t_eval=[0.1, 0.2, 9.9])
    assert chosen.t.tolist() == [0.1, 0.2]


def test_it_goes_wherever_a_method_goes(tmp_path):
    pair = ph.rkmk54(rtol=1e-9)
    assert pickle.loads(pickle.dumps(pair)) == pair
    whole = ph.solve(TOP, pair, t_end=2.0)
    whole.save(tmp_path / "whole.nc")
    assert np.array_equal(ph.load(tmp_path / "whole.nc", TOP)(1.1).Q, whole(1.1).Q)  # by its name, RKMK54(1e-09)
    s = ph.solve(TOP, pair, h=0.5, t_end=2.0, out=tmp_path / "s.nc")
    assert apart(s.Q[1:], reference(TOP, s.t[1:])[0]) < 1e-7
    run = ph.Integrator(TOP, pair, h=0.5)
    run.step(4)
    assert run.Q == pytest.approx(s.Q[-1], abs=1e-8)
    found = ph.solve(TOP, "RKMK54", accuracy=1e-6, t_end=6.0)
    assert apart(found.Q[-1:], reference(TOP, [6.0])[0]) < 1e-6 and found.error_estimate < 1e-6


def test_it_can_be_cited(capsys):
    assert main(["cite", "RKMK54", "TAYLOR(1e-9)"]) == 0
    told = capsys.readouterr().out
    assert "dormand-prince-1980" in told and "jorba-zou-2005" in told


def test_a_torque_that_ends_ends_the_run():
    """A singularity: no step is short enough, and what was reached is there."""
    p = ph.Problem(inertia=(1, 2, 3), torque=lambda t, Q: (0.1 / (1 - t) ** 2, 0.0, 0.0), Omega0=(0.1, 0.2, 1))
    with pytest.warns(ph.RunWarning, match="RKMK54 found no step beyond t = 1"):
        s = ph.solve(p, rtol=1e-6, t_end=2.0)
    assert not s.success and 0.99 < s.t[-1] <= 1 and np.isfinite(s.Q).all()


# ---- steps that adapt and stay reversible ----------------------------------------------------------------


def test_adapt_with_times_events_and_reductions():
    wall = lambda t, Q, Omega: Q[2, 2] + 0.5
    times, asked = [0.0, 0.3, 3.217, 8.5, 19.99], {"events": {"wall": wall}, "reduce": ("energy", "momentum")}
    exact = ph.solve(WALL, "GAUSS16", h=0.01, t_end=20.0, t_eval=times, events={"wall": wall})
    steps = ph.solve(WALL, "VLV", h=0.02, t_end=20.0, adapt=True)
    runs = [ph.solve(WALL, "VLV", h=h, t_end=20.0, adapt=True, t_eval=times, **asked) for h in (0.02, 0.005)]
    errors = [np.abs(s.Q - exact.Q).max() for s in runs]
    assert np.array_equal(runs[0].t, times) and errors[0] < 0.02 and errors[1] < errors[0] / 10  # order 2
    late = [np.abs(s.events["wall"].t - exact.events["wall"].t).max() for s in runs]
    assert len(exact.events["wall"]) > 2 and late[0] < 0.02 and late[1] < late[0] / 10
    assert runs[0].stats["n_steps"] == steps.stats["n_steps"]
    found, E = runs[0].reductions["energy"], steps.energy
    assert found.min == pytest.approx(E.min()) and found.max == pytest.approx(E.max()) and found.count == len(E) - 1
    assert found.mean == pytest.approx(trapezoid(E, steps.t) / 20, rel=1e-12)
    weights = np.gradient(steps.t)
    weights[[0, -1]] = np.diff(steps.t)[[0, -1]] / 2
    assert found.slope == pytest.approx(np.polyfit(steps.t, E, 1, w=np.sqrt(weights))[0], rel=1e-6)
    assert runs[0].reductions["momentum_z"].mean == pytest.approx(
        trapezoid(steps.momentum[:, 2], steps.t) / 20, rel=1e-12
    )
    near = runs[1].at([5.0])  # between rows that are many steps apart
    assert np.abs(near.Q[0] - exact(5.0).Q).max() < 2e-3
    python = ph.solve(WALL, "VLV", h=0.05, t_end=2.0, adapt=True, t_eval=[1.0, 2.0], compiled=False, **asked)
    machine = ph.solve(WALL, "VLV", h=0.05, t_end=2.0, adapt=True, t_eval=[1.0, 2.0], **asked)
    assert np.array_equal(python.Q, machine.Q) and python.reductions["energy"].mean == machine.reductions["energy"].mean


@pytest.mark.parametrize(
    "asked, told",
    [
        ({"method": "VLV", "h": 0.1, "rtol": 1e-6}, "VLV takes h, or accuracy"),
        ({"rtol": 1e-6, "accuracy": 1e-6}, "not both"),
        ({"rtol": 0.0}, "above zero"),
        ({"rtol": 1e-15}, "between 1e-13"),
        ({"rtol": 1e-6, "atol": -1.0}, "must not be negative"),
        ({"rtol": 1e-6, "t_end": None, "n_steps": 10}, "n_steps counts intervals of h"),
        ({"rtol": 1e-6, "reduce": "energy", "reduce_every": 3}, "every one is looked at"),
        ({"rtol": 1e-6, "t_eval": [2.0]}, "outside of the run"),
        ({"problem": "book-toss", "rtol": 1e-6}, "jumps at fixed times"),
        ({"problem": DRIVEN, "rtol": 1e-6}, "one size"),
        ({"method": "VLV", "h": 0.1, "adapt": True, "out": "s.nc"}, "rows at equal times"),
        ({"method": "VLV", "h": 0.1, "adapt": True, "checkpoint": "s.npz"}, "steps of one size"),
        ({"method": "VLV", "h": 0.1, "adapt": True, "t_end": None, "n_steps": 5, "reduce": "energy"}, "needs t_end"),
        ({"method": "VLV", "h": 0.1, "adapt": True, "t_end": None, "n_steps": 5, "t_eval": [1.0]}, "goes with t_end"),
    ],
)
def test_what_cannot_be_is_told(asked, told):
    given = {"problem": TOP, "method": "auto", "t_end": 1.0} | asked
    if asked.get("method") == "VLV":
        ph.solve(TOP, "VLV", h=0.1, t_end=1.0)  # a call that was answered before is no answer to another
    with pytest.raises(ph.InputError, match=told):
        ph.solve(**given)


def test_a_last_time_that_is_the_end_but_for_rounding_is_kept():
    """15 (7.7/15) is less than 7.7 in floats; the state at 7.7 was left out without a word."""
    assert 15 * (7.7 / 15) < 7.7
    s = ph.solve("stress", "RKMK54", h=7.7 / 15, n_steps=15, t_eval=[1.0, 7.7])
    assert s.t.tolist() == [1.0, 7.7] and s.Q.shape == (2, 3, 3)


@pytest.mark.parametrize("kept", [{}, {"h": 0.1}], ids=["every step", "every h"])
def test_a_failure_names_the_step_that_was_tried(kept):
    """Not the whole interval, with which the first step was set up."""
    pole = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (1 / (0.5 - t), 0.1, 0.0), Omega0=(0.3, 0.2, 0.5))
    s = ph.solve(pole, rtol=1e-9, t_end=1.0, on_failure="return", **kept)
    named = float(s.message.split("with h = ")[1].split(":")[0])
    assert "ZeroDivisionError" in s.message and 0 < named < 1e-12
