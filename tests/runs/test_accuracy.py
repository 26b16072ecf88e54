"""`solve(accuracy=...)`: the accuracy is reached, and the error told is the error made, on every problem."""

import pytest

import polhode as ph
from polhode.errors import InputError
from polhode.reference.reference import reference
from polhode.runs.accuracy import apart

SPAN = 4.0


@pytest.mark.parametrize("accuracy", [1e-5, 1e-10])
@pytest.mark.parametrize("name", list(ph.problems()))
def test_the_error_told_is_the_error_made(name, accuracy):
    p = ph.problem(name)
    s = ph.solve(p, accuracy=accuracy, h=SPAN / 16, t_end=SPAN)
    assert s.success and len(s.t) == 17
    error = apart(s.Q[1:], reference(p, s.t[1:])[0])
    assert error <= accuracy
    floor = 1e-14  # of rounding, which is another in every run
    assert error / 10 < s.error_estimate + floor and s.error_estimate < 10 * (error + floor)
    assert s.method.split("(")[0] in s.stats["why"]


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
        ({"accuracy": 1e-6, "method": lambda p, Q, Omega, h, t: (Q, Omega)}, "of known order"),
    ],
)
def test_bad_calls(given, words):
    with pytest.raises(InputError, match=words):
        ph.solve("stress", **given)


def test_what_cannot_be_reached_is_said():
    with pytest.warns(UserWarning, match="was not reached"):
        s = ph.solve("lagrange-top", accuracy=1e-14, t_end=40.0, h=4.0)
    assert s.error_estimate > 1e-14
