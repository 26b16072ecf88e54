"""Taylor's method against references that share nothing with it, and what it does with torques that are no formula."""

import math

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InputError
from polhode.integrators.taylor.formula import Formula, Tape
from polhode.integrators.taylor.steps import LOOKED
from polhode.machine.taylor.loop import taylor_loop
from polhode.reference.reference import NotAnalytic, by_mpmath, reference
from polhode.runs.runners.taylor import TaylorRunner, taylor
from polhode.runs.runners.taylor_series import series_of

FORMULAS = [name for name in ph.problems() if name != "book-toss" and not ph.problem(name).forces.any]
"""Without the one that decides by the time, and those with torques of the velocity, which are no formula of Q."""
BODY = dict(inertia=(2.0, 2.6, 4.0), Q0=(0.3, -0.5, 0.2), Omega0=(0.4, -0.3, 0.7))


@pytest.mark.parametrize("name", FORMULAS)
def test_to_round_off(name):
    p = ph.problem(name)
    s = ph.solve(p, "TAYLOR", h=0.5, t_end=4.0)
    Q, Omega = reference(p, s.t)
    assert np.abs(s.Q - Q).max() < 2e-13
    assert np.abs(s.Omega - Omega).max() < 2e-13 * np.abs(Omega).max()


def with_everything(t, Q):
    """A torque with every function that a formula may have, of the state and of the time."""
    x, y = Q[0, 1] + 2, Q[2, 2] - 3
    a = np.exp(x / 4) * np.sin(y * t) - np.log(x + t * t) / np.sqrt(x)
    b = np.cos(3 * t + 0.5) * x**-2.5 + np.tan(y / 5) + x**3 / 40
    return 0.3 * a, 0.2 * b + 0.1 * np.cos(x * y), 0.1 * x**0.3 - t / (1 + t * t)


def test_every_function():
    p = ph.Problem(torque=with_everything, t0=0.25, **BODY)
    s = ph.solve(p, "TAYLOR", h=0.25, t_end=2.25)
    Q, Omega = reference(p, s.t)
    assert np.abs(s.Q - Q).max() < 1e-14 and np.abs(s.Omega - Omega).max() < 1e-14


@pytest.mark.parametrize(
    "potential",
    [
        lambda Q: 2.0 * Q[2, 2] + 0.3 * Q[0, 1] ** 2,
        lambda Q: (np.sqrt(2 * (3 - np.trace(Q))) - 1) ** 2 - 0.3 / (2 - Q[0, 1]),
        lambda Q: np.exp(Q[0, 0]) * np.sin(Q[1, 2]) - np.log(2 + Q[2, 0]) + np.cos(Q[0, 2]) * np.tan(Q[1, 1] / 3),
        lambda Q: (np.array([0.1, 0.2, 0.7]) @ Q @ np.array([1.0, -0.5, 0.3])) ** 3,
    ],
)
def test_a_potential_is_a_formula_too(potential):
    p = ph.Problem(potential=potential, **BODY)
    s = ph.solve(p, "TAYLOR", h=0.5, t_end=2.0)
    g = ph.solve(p, "GAUSS16", h=0.05, t_end=2.0, save_every=10)
    assert np.abs(s.Q - g.Q).max() < 1e-13 and np.abs(s.Omega - g.Omega).max() < 1e-13


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
def test_the_tolerance_is_about_the_error_of_a_step(tolerance):
    p = ph.problem("heavy-top")
    s = ph.solve(p, taylor(tolerance), h=5.0, t_end=5.0)
    error = np.abs(s.Q[-1] - reference(p, 5.0)[0]).max()
    assert 1e-4 * tolerance < error < 100 * tolerance


def test_rows_and_pieces_do_not_change_it():
    p = ph.problem("stress")
    fine = ph.solve(p, "TAYLOR", h=0.01, t_end=20.0)
    coarse = ph.solve(p, "TAYLOR", h=0.01, t_end=20.0, save_every=50)
    assert np.array_equal(fine.Q[::50], coarse.Q) and np.array_equal(fine.Omega[::50], coarse.Omega)
    assert fine.stats["n_iterations"] == coarse.stats["n_iterations"] < 100
    runner, out = TaylorRunner(p, taylor(), 0.01), np.empty((3, 7))
    for k in range(3):
        runner.advance(50 * k, 50, 50, 50, out, k)
        other = TaylorRunner(p, taylor(), 0.01)
        other.restore(runner.numbers())
        runner = other
    assert np.array_equal(runner.in_users_axes(out)[0], coarse.Q[1:4])


def test_there_and_back():
    p = ph.problem("heavy-top")
    s = ph.solve(p, "TAYLOR", h=0.5, t_end=10.0)
    back = ph.solve(p.replaced(Q0=s.Q[-1], Omega0=s.Omega[-1], t0=10.0), "TAYLOR", h=-0.5, t_end=0.0)
    assert np.abs(back.Q[-1] - p.Q0).max() < 1e-13


def test_a_checkpoint_goes_on(tmp_path):
    p, file = ph.problem("stress"), tmp_path / "run"
    whole = ph.solve(p, "TAYLOR", h=0.1, t_end=10.0, checkpoint=file)
    again = ph.solve(p, "TAYLOR", h=0.1, t_end=10.0, checkpoint=file)
    assert again.stats["resumed_at"] == 100 and np.array_equal(whole.Q, again.Q)


def caught(t, Q):
    try:
        late = t > 0.7
    except TypeError:
        late = False
    return (5.0 if late else 1.0) * Q[2, 1], 0.0, 0.0


@pytest.mark.parametrize(
    "torque",
    [
        caught,
        lambda t, Q: (2.0 + np.sin(t) if isinstance(t, float) else 2.0, Q[2, 1], 0.0),
        lambda t, Q: (np.sin(t) if np.isscalar(t) else 0.0, Q[2, 1], 0.0),
        lambda t, Q: (1.0 if Q[2, 1] is Q[2, 1] else 2.0, Q[2, 1], 0.0),
        lambda t, Q: (0.1 * len(f"{t}"), Q[2, 1], 0.0),
        lambda t, Q: (1.0 if Q[0, 0] > 0 else -1.0, 0.0, 0.0),
        lambda t, Q: (np.round(Q[0, 0]), 0.0, 0.0),
        lambda t, Q: (abs(Q[0, 0]), 0.0, 0.0),
        lambda t, Q: (max(Q[0, 0], 0.0), 0.0, 0.0),
    ],
)
def test_what_is_no_formula_is_refused(torque):
    with pytest.raises(InputError, match="as a formula"):
        ph.solve(ph.Problem(torque=torque, **BODY), "TAYLOR", h=0.1, n_steps=1)


def test_a_function_of_math_is_named():
    with pytest.raises(InputError, match=r"np\.sin, .* \(not those of math\)"):
        ph.solve(ph.Problem(torque=lambda t, Q: (math.sin(t), Q[2, 1], 0.0), **BODY), "TAYLOR", h=0.1, n_steps=1)


def test_what_catches_exceptions_has_no_reference_in_power_series():
    """It would say of a series what it does not say of a number; the reference then comes from elsewhere."""
    p = ph.Problem(torque=caught, **BODY)
    with pytest.raises(NotAnalytic, match="caught catches exceptions"):
        by_mpmath(p, 1.0)


def test_what_is_no_formula_is_solved_by_another():
    p = ph.Problem(torque=lambda t, Q: (abs(Q[0, 0] + 2), 0.1, 0.0), **BODY)
    s = ph.solve(p, accuracy=1e-6, t_end=1.0)
    assert s.error_estimate < 1e-6 and not s.method.startswith("TAYLOR")


def test_a_singular_torque_ends_the_run():
    p = ph.Problem(torque=lambda t, Q: (1 / (t - 1), 0.0, 0.0), **BODY)
    s = ph.solve(p, "TAYLOR", h=0.5, t_end=2.0)
    assert not s.success and "no step beyond t = 1" in s.message and s.t[-1] == 0.5


def moved(t, Q, Omega):
    """A torque of time, attitude and velocity."""
    return Q[2, 1] - 0.3 * Omega[0] * Omega[1], -Q[2, 0] + 0.2 * np.sin(t), -0.1 * Omega[2]


@pytest.mark.parametrize(
    "more",
    [
        {"torque": moved},
        {"potential": lambda Q: Q[2, 2], "damping": 0.2, "rotor": (0.1, 0.3, -0.2)},
        {"torque_space": lambda t, Q, omega: (-0.2 * omega[0], 0.0, omega[0] * omega[1])},
    ],
)
def test_velocities_in_the_torque(more):
    inertia = np.array([[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 4.0]])
    p = ph.Problem(inertia=inertia, Q0=(0.1, 0.2, 0.3), Omega0=(0.5, 0.2, -0.4), **more)
    s = ph.solve(p, "TAYLOR", h=0.5, t_end=10.0)
    g = ph.solve(p, "GAUSS16", h=0.05, t_end=10.0, save_every=10)
    assert np.abs(s.Q - g.Q).max() < 1e-13 and np.abs(s.Omega - g.Omega).max() < 1e-13


def pushed(t, Q):
    """A pulse that is zero in floats, with all its derivatives, where a run begins."""
    a = 50 * np.exp(-(((t - 7.3) / 0.02) ** 2))
    return a, 0.0 * t, -a * Q[0, 0]


@pytest.mark.parametrize("tolerance, allowed", [(1e-6, 1e-4), (1e-12, 1e-10), (1e-17, 1e-13)])
def test_a_pulse_is_not_stepped_over(tolerance, allowed):
    p = ph.Problem(torque=pushed, **BODY)
    g = ph.solve(p, "GAUSS16", h=0.005, t_end=10.0, save_every=2000)
    s = ph.solve(p, taylor(tolerance), h=0.5, t_end=10.0)
    back = ph.solve(p.replaced(Q0=s.Q[-1], Omega0=s.Omega[-1], t0=10.0), taylor(tolerance), h=-0.5, t_end=0.0)
    assert np.abs(s.Q[-1] - g.Q[-1]).max() < allowed and np.abs(back.Q[-1] - p.Q0).max() < allowed
    assert s.stats["n_iterations"] < 50


def test_a_pulse_wakes_a_body_at_rest():
    p = ph.Problem(torque=pushed, inertia=BODY["inertia"], Omega0=(0.0, 0.0, 0.0))
    g = ph.solve(p, "GAUSS16", h=0.005, t_end=10.0, save_every=2000)
    s = ph.solve(p, "TAYLOR", h=0.1, t_end=10.0)
    assert np.abs(s.Omega[-1]).max() > 0.1 and np.abs(s.Q[-1] - g.Q[-1]).max() < 1e-12


def test_a_smooth_torque_of_the_time_keeps_its_steps():
    p, autonomous = ph.problem("forced"), ph.problem("heavy-top")
    assert [series_of(x).functions_of_time for x in (ph.Problem(torque=pushed, **BODY), p, autonomous)] == [
        np.inf,
        6,
        1,
    ]
    found = []
    for timed in (True, False):  # with and without looking at the equation
        runner = TaylorRunner(p, taylor(), 0.5)
        place, s = runner.numbers()[7:], series_of(p)
        row, room = np.empty((1, 7)), (np.zeros((runner.order + 1, 8)), np.zeros((LOOKED, 8)))
        done = taylor_loop()(
            *(*s.code, s.data, runner.order, 1e-17, timed, 0.5, 0.0, 0, 40, 40, 40, np.array(place)),
            *(np.zeros(2 * s.width * (runner.order + 1)), *room, row, 0, np.zeros(8), s.moments),
        )
        found.append((done, row.tolist()))
    assert found[0] == found[1] and found[0][0][0] == 40


@pytest.mark.parametrize("value", [0.0, -1.0, 0.5, "fine"])
def test_tolerances_that_are_none(value):
    with pytest.raises(InputError, match="tolerance is"):
        taylor(value)


def test_powers_are_merged():
    s = Formula(Tape(), 2.0, {1: 1.0})
    merged = 3 / (s * s**0.5)
    assert [(s.tape.atoms[k].kind, s.tape.atoms[k].number) for k in merged.terms] == [("pow", -1.5)]
    assert ((s * s) ** 0.5).terms.keys() != s.terms.keys()  # |s|
    assert (s / s).number == 1 and not (s / s).terms


@pytest.mark.parametrize(
    "U",
    [
        lambda t, Q: np.cos(1.3 * t) * Q[0, 2] + 0.2 * Q[2, 1] * np.sin(t),
        lambda t, Q: np.sin(t) - Q[2, 2] * (2 - t),
        lambda t, Q: np.cos(t) / (2 + Q[2, 2]) + Q[0, 1] / (2 + np.sin(t)),
    ],
    ids=["products", "sums", "quotients"],
)
def test_a_potential_of_time_and_attitude_is_a_formula(U):
    """The time comes first in some operations: it is a formula, and the attitude one with its derivative."""
    p = ph.Problem(inertia=(1.0, 2.0, 3.0), potential=U, Omega0=(0.3, 0.2, 1.0))
    series, stages = ph.solve(p, "TAYLOR", h=1.0, t_end=2.0), ph.solve(p, "GAUSS16", h=0.1, t_end=2.0)
    assert np.abs(series.Q[-1] - stages.Q[-1]).max() < 1e-14
    assert np.abs(series.Omega[-1] - stages.Omega[-1]).max() < 1e-14


def turned_by(t, Q, p):
    return (0.3 * Q[0, 1], 0.1 * Q[2, 0], 0.1 * np.arctan2(0.0, p.k))


def test_minus_zero_is_another_parameter():
    """0 and -0 are equal, and torques may tell them apart."""
    p = ph.Problem(inertia=(1, 2, 2.5), torque=turned_by, parameters={"k": 0.0}, Omega0=(0.3, 0.2, 0.5))
    for k in (0.0, -0.0, 0.0):
        s, other = (ph.solve(p.replaced(k=k), name, h=0.1, n_steps=5) for name in ("TAYLOR", "GAUSS16"))
        np.testing.assert_allclose(s.Omega, other.Omega, atol=1e-13)
