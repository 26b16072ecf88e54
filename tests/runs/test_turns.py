"""A step that turns the body too far is warned of; exact flows, and what is measured on purpose, are not."""

import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.runs import turns

FAST = dict(Omega0=(0.0, 0.0, 6.0))


def quiet(run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return run()


def test_a_large_step_is_warned_of_at_the_start():
    with pytest.warns(ph.LargeStepWarning) as caught:
        s = ph.solve(ph.problem("free-body", **FAST), "ELN", h=5.0, n_steps=2, compiled=False)
    assert str(caught[0].message) == (
        "free-body turns by 30 radians in a step of h = 5; beyond about 1.5 the result means little. "
        "h = 0.17 gives one radian a step."
    )
    assert len(caught) == 1 and caught[0].filename == __file__
    assert s.stats["largest_turn"] >= 30


def test_a_large_step_backwards_too():
    with pytest.warns(ph.LargeStepWarning, match="h = -0.17 gives"):
        ph.solve(ph.problem("free-body", **FAST), "ELN", h=-0.5, n_steps=1, compiled=False)


def test_a_body_that_becomes_fast_is_warned_of_after_the_run(tmp_path):
    spun_up = ph.Problem(inertia=(1, 1, 1), torque=lambda t, Q: (0.0, 0.0, 2.0), Omega0=(0, 0, 1), name="spun-up")
    for more in ({}, {"out": tmp_path / "s.nc"}):
        with pytest.warns(
            ph.LargeStepWarning, match="ELN let spun-up turn by 2.5 radians in a step of h = 0.5"
        ) as caught:
            s = ph.solve(spun_up, "ELN", h=0.5, n_steps=4, compiled=False, **more)
        assert len(caught) == 1 and caught[0].filename == __file__
        assert s.stats["largest_turn"] == pytest.approx(2.5) and s.success


def test_a_resumed_file_counts_what_was_before(tmp_path):
    slowing = ph.Problem(inertia=(1, 1, 1), torque=lambda t, Q: (0.0, 0.0, -1.0), Omega0=(0, 0, 6.0))
    files = dict(out=tmp_path / "s.nc", checkpoint=tmp_path / "c")
    first, again = (ph.solve(slowing, "ELN", h=0.125, n_steps=8, compiled=False, **files) for _ in range(2))
    assert again.stats["resumed_at"] == 8
    assert again.stats["largest_turn"] == first.stats["largest_turn"] == 0.75


def test_an_ordinary_step_is_not_warned_of():
    s = quiet(lambda: ph.solve("free-body", "ELN", h=0.125, n_steps=4, compiled=False))
    speeds = np.sqrt((s.Omega**2).sum(axis=1))
    assert s.stats["largest_turn"] == pytest.approx(0.125 * speeds.max(), rel=1e-15)


def test_exact_flows_may_turn_as_far_as_they_like():
    free = ph.problem("free-body", **FAST)
    for method in ("EXACT", "RKN6"):
        quiet(lambda method=method: ph.solve(free, method, h=5.0, n_steps=2, compiled=False))
    with pytest.warns(ph.LargeStepWarning):
        ph.solve(ph.problem("heavy-top", **FAST), "EXACT", h=0.5, n_steps=1, compiled=False)


def test_an_integrator_of_its_own_steps_may_too():
    def stay(problem, Q, Omega, h, n, t):
        return Q, Omega

    free = ph.problem("free-body", **FAST)
    quiet(lambda: ph.solve(free, ph.BlackBox("own steps", stay, tolerance=1e-9), h=5.0, n_steps=2))
    with pytest.warns(ph.LargeStepWarning):
        ph.solve(free, ph.BlackBox("given steps", stay), h=5.0, n_steps=2)


def still(problem, Q, Omega, h, t):
    return Q, Omega


def twice(problem, Q, Omega, h, t):
    return Q, 2 * Omega


@pytest.mark.parametrize(("method", "lanes"), [("VLV", True), (still, False)])
def test_bodies_that_turn_too_far_are_counted(method, lanes):
    Omega0 = np.array([(0, 0, 1.0), (0, 0, 4.0), (0, 3.5, 0)])
    with pytest.warns(ph.LargeStepWarning) as caught:
        e = ph.solve_ensemble("free-body", method, Omega0=Omega0, h=0.5, n_steps=2)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert str(caught[0].message).startswith(
        "body 1 of free-body turns by 2 radians in a step of h = 0.5 (2 of 3 bodies too far); beyond about 1.5"
    )
    speeds = np.sqrt((e.Omega**2).sum(axis=2))
    assert (e.rows is not None) == lanes
    assert e.stats["largest_turn"] == pytest.approx(0.5 * speeds.max(), rel=1e-14)


def test_a_body_of_an_ensemble_that_becomes_fast_is_warned_of_after_the_run():
    with pytest.warns(ph.LargeStepWarning, match="let body 1 of free-body turn by 4 radians in a step of h = 0.5;"):
        ph.solve_ensemble("free-body", twice, Omega0=[(0, 0, 0.1), (0, 0, 2.0)], h=0.5, n_steps=2)
    quiet(lambda: ph.solve_ensemble("free-body", twice, Omega0=[(0, 0, 0.1), (0, 0, 0.7)], h=0.5, n_steps=2))


def test_what_is_not_finite_does_not_count():
    rows = np.array([[(0, 0, np.nan), (3.0, 4.0, 0)], [(1.0, 0, 0), (np.nan, 0, 0)]])
    assert turns.speeds(rows).tolist() == [1.0, 5.0]
    assert turns.fastest(rows) == 5.0 and turns.fastest(np.full((2, 3), np.inf)) == 0.0


def test_large_steps_on_purpose_are_not_warned_of():
    free = ph.problem("free-body", **FAST)
    with turns.on_purpose():
        quiet(lambda: ph.solve(free, "ELN", h=5.0, n_steps=1, compiled=False))
    with pytest.warns(ph.LargeStepWarning):
        ph.solve(free, "ELN", h=5.0, n_steps=1, compiled=False)


def test_a_rotation_vector_in_degrees_is_asked_about():
    with pytest.warns(UserWarning, match=r"rotation vector of 90 radians, more than a turn. Were degrees meant\?") as w:
        ph.problem("free-body", Q0=(0, 90, 0))
    assert w[0].filename == __file__
    with pytest.warns(UserWarning, match="Were degrees meant"):
        ph.solve_ensemble("free-body", still, Q0=[(0, 90, 0), (0, 0, 1)], h=0.1, n_steps=1)
    quiet(lambda: ph.problem("free-body", Q0=(0, 6.2, 0)))
