"""What is said of a step that failed, also where the state is none any more, or asking the torque raises."""

import numpy as np
import pytest

import polhode as ph
from polhode.runs.runners import step_failures
from tests.support.lengths import lengthened


@pytest.mark.parametrize("compiled", (None, False))
@pytest.mark.parametrize("factor", (1.5, 0.5))
def test_a_quaternion_that_is_none_any_more_is_told(factor, compiled):
    s = ph.solve("heavy-top", lengthened(factor), h=0.01, n_steps=2000, on_failure="return", compiled=compiled)
    said = "which is no rotation in floats" if factor > 1 else "not a finite number"
    assert not s.success and said in s.message


def test_a_torque_that_raises_when_it_is_asked_again_is_told():
    class Runner:
        name, h, raised, problem = "X", 0.1, None, ph.problem("stress").replaced()

        def row(self):
            return (1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0)

    def torque(t, Q, Omega):
        raise ZeroDivisionError("float division by zero")

    vars(Runner.problem)["torque"] = torque
    said = step_failures.failure_of(Runner(), 7, 0.6, 0.0)
    assert said.startswith(
        "The torque raised ZeroDivisionError('float division by zero') at step 7 (t = 0.6) of stress"
    )
    assert "Check the torque near Q = [[1.0" in said and np.isfinite(Runner().row()).all()
