"""What is kept from one run to the next: it must save time and change nothing."""

import copy
import gc
import itertools
import pickle
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.runs.runners import code


@pytest.mark.parametrize("method", ["VLV", "TAYLOR"])
def test_a_run_leaves_no_cycles(method):
    p = ph.problem("stress")
    ph.solve(p, method, h=0.1, n_steps=3)
    left = []
    gc.disable()
    try:
        for _ in range(3):  # what other threads leave is not that of a run: the least counts
            gc.collect()
            ph.solve(p, method, h=0.1, n_steps=3)
            left.append(gc.collect())
    finally:
        gc.enable()
    assert min(left) == 0


def test_attitudes_are_made_when_they_are_looked_at():
    run = lambda: ph.solve("stress", "VLV", h=0.1, n_steps=3)
    expected = ph.solve("stress", "VLV", h=0.1, n_steps=3, compiled=False).Q
    s = run()
    assert "Q" not in vars(s) and "Q" in dir(s) and np.array_equal(s.Q, expected) and s.Q is s.Q
    for other in (pickle.loads(pickle.dumps(run())), copy.copy(run())):
        assert np.array_equal(other.Q, expected)


@pytest.mark.parametrize("method", ["VLV", "TAYLOR"])
def test_a_torque_that_changes_is_seen_however_often_it_has_run(method):
    k = 1.0
    p = ph.Problem(inertia=(1, 2, 3), torque=lambda t, Q: (k * Q[2, 1], -k * Q[2, 0], 0.0), Omega0=(0.1, 0.2, 0.3))
    end = lambda: ph.solve(p, method, h=0.1, n_steps=10).Q[-1].tolist()
    first = [end(), end()]
    k = 2.0
    changed = [end(), end()]
    k = 1.0
    assert first[0] == first[1] == end() and changed[0] == changed[1] != first[0]


def test_single_steps_become_machine_code_with_the_same_bits(monkeypatch):
    monkeypatch.setattr(code, "MANY_CALLS", 3)
    p = ph.problem("stress", inertia=(2.0, 2.5, 4.25))  # which nothing else runs
    found = {tuple(ph.step(p, "VLV", p.Q0, p.Omega0, 0.1)[0].ravel()) for _ in range(5)}
    assert len(found) == 1 and code.called_often(p, ph.method("VLV")) is None


def test_an_integrator_that_begins_again():
    p = ph.problem("heavy-top")
    for method in ("VLV", "TAYLOR"):
        run, other = ph.Integrator(p, method, h=0.1), p.replaced(Omega0=(0.1, 0.2, 0.3), t0=1.0)
        run.step(3).advance_to(0.45)
        for start, given in ((p, {}), (other, {"Omega0": (0.1, 0.2, 0.3), "t0": 1.0})):
            s = ph.solve(start, method, h=0.1, n_steps=5)
            for _ in range(2):
                run.reset(**given).step(5)
                assert np.array_equal(run.Q, s.Q[-1]) and np.array_equal(run.Omega, s.Omega[-1]) and run.t == s.t[-1]


def test_threads_that_change_what_is_kept():
    """Between two instructions of a thread that keeps something, whichever they are, another keeps something else."""
    p = ph.Problem(inertia=(1, 2, 3), torque=lambda t, Q, k: (k * Q[2, 1], 0.0, 0.1), args=(1.0,), Omega0=(1, 2, 3))
    ph.solve(p, "VLV", h=0.1, n_steps=3)
    others, method, left = itertools.cycle([p.replaced(args=(float(k),)) for k in range(2, 60)]), ph.method("VLV"), 0

    def trace(frame, event, _):
        nonlocal left
        if frame.f_globals["__name__"] != code.__name__:
            return None
        frame.f_trace_opcodes = True
        left -= event == "opcode"
        if not left:
            code.known(next(others), method)
        return trace

    before, found = sys.gettrace(), []
    try:
        for at in range(1, 400):  # instructions, which are not so many
            left = at
            sys.settrace(trace)
            found.append(code.known(next(others), method))
            sys.settrace(before)
    finally:
        sys.settrace(before)
    assert all(found) and left > 0
