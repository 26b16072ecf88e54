"""Some of the adversary's integrators, each caught or cleared by name; scripts/confusion.py has them all."""

import numpy as np
import pytest

import polhode as ph
from polhode.testbench.certificate.guard import guarded
from polhode.testbench.certificate.orders import exponent
from tests.testbench.adversary.suite import score, suite

SOME = ("same arrays", "refuses h < 0", "leapfrog", "diagonal tensors only", "Lie-Trotter", "kernel: to_a_tolerance")


@pytest.mark.parametrize("name", SOME)
def test_nothing_false_is_said(name):
    (case,) = (case for case in suite() if case.name == name)
    c = ph.certify(case.method, drift=False)
    found = {key: word for key, word in score(case, c).items() if key != "drift"}
    assert not {key: word for key, word in found.items() if word.startswith("false")}
    assert list(found.values()).count("undecided") <= 2
    assert case.named in " ".join(c.diagnosis)


def test_there_are_more_than_forty_with_different_names():
    names = [case.name for case in suite()]
    assert len(set(names)) == len(names) > 40


def test_a_step_that_never_returns_is_ended():
    def never():
        while True:
            pass

    assert guarded(never, 0.2) == (None, "did not return within 0.2 s")
    assert guarded(lambda: 1 / 0, 1.0) == (None, "raised ZeroDivisionError: division by zero")


def test_an_order_is_that_of_the_finest_errors_above_their_floor():
    h = 2.0 / np.array([1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90])
    assert exponent(h, 0.1 * h**4 + 1e-3 * h).value == pytest.approx(1, abs=0.2)  # not its best rate
    stalled = exponent(h, 0.1 * h**2 + 1e-6)
    assert stalled.value == pytest.approx(2, abs=0.1)
    assert exponent(h, np.full(13, 1e-15)).value == float("inf")
    assert exponent(h, np.full(13, 1e-6)).value == 0 and not exponent(h, np.full(13, 1e-6)).known
