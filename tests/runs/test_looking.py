"""Invariants of a problem, reduced while it runs: the numbers are those of all states kept."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import polhode as ph
from polhode.runs.looking import Looking

J, SPIN = np.array([1.0, 2.0, 2.5]), 0.3


def carried(t, Q):
    """A field that turns about the third axis of space."""
    return np.cos(SPIN * t) * Q[0, 2] + np.sin(SPIN * t) * Q[1, 2]


def jacobi(t, Q, Omega):
    return Omega @ (J * Omega) / 2 + carried(t, Q) - SPIN * (Q @ (J * Omega))[2]


def third(Q, Omega):
    return Q[2] @ Omega


def body(**others):
    invariants = {"jacobi": jacobi, "third one": third, **others}
    return ph.Problem(
        inertia=J, potential=carried, Q0=(0.1, 0.2, 0.3), Omega0=(0.3, 0.2, 1.0), invariants=invariants, name="carried"
    )


def plain(problem, Q, Omega, h, t):
    """A plain function as a method."""
    return ph.step(problem, "VLV", Q, Omega, h, t)


def check(found, t, values):
    """A Reduction against the values at the start and after it."""
    y = values[1:]
    assert found.first == values[0] and found.count == len(y)
    assert found.min == pytest.approx(y.min(), rel=1e-15) and found.max == pytest.approx(y.max(), rel=1e-15)
    assert found.mean == pytest.approx(y.mean(), rel=1e-13)
    assert found.slope == pytest.approx(np.polyfit(t[1:] - t[1:].mean(), y - y.mean(), 1)[0], rel=1e-6, abs=1e-12)
    assert np.ptp(y) > 0


@pytest.mark.parametrize("options", [{}, {"compiled": False}, {"reduce": ("jacobi", "momentum_z", "third one")}])
@pytest.mark.parametrize(("each", "every"), [(1, 1), (3, 7), (4, 1000)])
def test_reductions_are_those_of_all_states_kept(monkeypatch, options, each, every):
    monkeypatch.setattr("polhode.runs.looking.STATES_AT_ONCE", 8)  # many pieces
    options = {"h": 0.05, "reduce": ("jacobi", "third one"), **options}
    s = ph.solve(body(), "VLV", n_steps=202, save_every=every, reduce_every=each, **options)
    kept = ph.solve(body(), "VLV", h=0.05, n_steps=202 // each * each, save_every=each)
    alone = ph.solve(body(), "VLV", h=0.05, n_steps=202, save_every=every)
    assert np.array_equal(s.Q, alone.Q) and np.array_equal(s.Omega, alone.Omega) and np.array_equal(s.t, alone.t)
    for name in ("jacobi", "third one"):
        check(s.reductions[name], kept.t, kept.invariant(name))
    if "momentum_z" in s.reductions:
        assert s.reductions["momentum_z"].mean == pytest.approx(kept.momentum[1:, 2].mean())


def test_any_runner_can_be_looked_at(tmp_path):
    kept = ph.solve(body(), "VLV", h=0.05, n_steps=60)
    asked = {"h": 0.05, "n_steps": 60, "reduce": "jacobi"}
    s = ph.solve(body(), plain, **asked)
    assert s.reductions["jacobi"].mean == pytest.approx(kept.invariant("jacobi")[1:].mean(), rel=1e-14)
    for options in ({"t_eval": [0.12, 1.0]}, {"out": tmp_path / "s.nc"}):
        s = ph.solve(body(), "VLV", **asked, **options)
        check(s.reductions["jacobi"], kept.t, kept.invariant("jacobi"))
    assert np.array_equal(s.Q, kept.Q)


def test_where_steps_have_their_own_lengths():
    kept = ph.solve(body(), "RKMK54", t_end=5.0, rtol=1e-4)
    found = ph.solve(body(), "RKMK54", t_end=5.0, rtol=1e-4, reduce=("jacobi", "energy")).reductions["jacobi"]
    values = kept.invariant("jacobi")
    assert found.first == values[0] and found.count == len(values) - 1
    assert found.min == pytest.approx(values.min(), rel=1e-15) and found.max == pytest.approx(values.max(), rel=1e-15)
    assert found.mean == pytest.approx(trapezoid(values, kept.t) / 5, rel=1e-13)


def test_a_checkpoint_knows_the_invariants_that_are_reduced(tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def run(invariant=third, **options):
        p = ph.Problem(inertia=J, Omega0=(0.3, 0.2, 1.0), invariants={"mine": invariant}, name="mine")
        return ph.solve(p, "RKMK4", h=0.1, n_steps=300, save_every=100, reduce="mine", compiled=False, **options)

    pieces, advance = [], Looking.advance

    def killed(self, *given):
        if len(pieces) == 1:
            raise Killed
        pieces.append(given)
        return advance(self, *given)

    whole, place = run(), {"checkpoint": tmp_path / "c", "checkpoint_every": 0.0}
    monkeypatch.setattr(Looking, "advance", killed)
    with pytest.raises(Killed):
        run(**place)
    monkeypatch.setattr(Looking, "advance", advance)
    with pytest.raises(ph.InputError, match="its invariants differs"):
        run(lambda Q, Omega: Q[1] @ Omega, **place)
    again = run(**place)
    ours, theirs = again.reductions["mine"], whole.reductions["mine"]
    assert 0 < again.stats["resumed_at"] < 300 and np.array_equal(again.Q, whole.Q)
    assert repr(ours) == repr(theirs) and np.array_equal(ours.means, theirs.means)


def test_an_invariant_that_raises_ends_the_run_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("polhode.runs.looking.STATES_AT_ONCE", 10)

    def broken(t, Q, Omega):
        return 1.0 if t < 2 else 1 / 0

    asked = {"h": 0.05, "n_steps": 200, "reduce": "broken", "checkpoint": tmp_path / "c"}
    s = ph.solve(body(broken=broken), "VLV", **asked, on_failure="return")
    assert "ZeroDivisionError in the invariant 'broken' between t = " in s.message and not s.success
    assert isinstance(s.exception, ZeroDivisionError) and s.stats["n_steps"] == 40
    assert s.reductions["broken"].count == 30 and not (tmp_path / "c").exists()  # in whole pieces
    with pytest.raises(ph.RunError, match="in the invariant 'broken'"):
        ph.solve(body(broken=broken), "VLV", **asked, on_failure="raise")


def test_what_is_no_number():
    holes = body(nan=lambda t, Q, Omega: np.nan if 1 < t < 2 else 1.0)
    found = ph.solve(holes, "VLV", h=0.05, n_steps=100, reduce="nan").reductions["nan"]
    assert np.isnan([found.min, found.max, found.mean, found.slope]).all() and found.count == 100
    with pytest.raises(ph.InputError, match=r"The invariant 'row' gives .*; it must give a number"):
        ph.solve(body(row=lambda Q, Omega: Omega), "VLV", h=0.05, n_steps=100, reduce="row")
    with pytest.raises(
        ph.InputError, match=r"reduce has 'jacoby'; it may have energy, momentum, .*, jacobi, third one"
    ):
        ph.solve(body(), "VLV", h=0.05, n_steps=100, reduce="jacoby")
