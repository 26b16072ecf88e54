"""Invariants of many bodies, reduced while they run."""

import numpy as np
import pytest

import polhode as ph

PARTS = ("first", "count", "min", "max", "mean", "slope")


def tilt(t, Q, Omega):
    return np.cos(t) * Q[2, 2] + Omega[0]


def raises(t, Q, Omega):
    if not np.isfinite(Q).all():
        raise ValueError("a body that failed must not be looked at")
    return tilt(t, Q, Omega)


def body(invariant=tilt):
    return ph.Problem(
        inertia=(1, 2, 2.5), potential=lambda Q: Q[2, 2], Omega0=(0.3, 0.2, 1.0), invariants={"tilt": invariant}
    )


def plain(problem, Q, Omega, h, t):
    return ph.step(problem, "VLV", Q, Omega, h, t)


@pytest.mark.parametrize(("method", "reduce"), [("VLV", "tilt"), ("VLV", ("momentum_z", "tilt")), (plain, "tilt")])
def test_reductions_are_those_of_each_body_alone(method, reduce):
    Omega0 = np.array([[0.3, 0.2, 1.0], [np.nan, 0, 0], [0.1, 1.0, 0.2]])
    asked = {"h": 0.05, "n_steps": 101, "reduce": reduce, "reduce_every": 3, "save_every": 7, "on_failure": "return"}
    e = ph.solve_ensemble(body(raises), method, Omega0=Omega0, **asked)
    for i in (0, 2):
        one = ph.solve(body().replaced(Omega0=Omega0[i]), "VLV", **asked).reductions["tilt"]
        for part in PARTS:
            assert getattr(e.reductions["tilt"], part)[i] == pytest.approx(getattr(one, part), rel=1e-9), part
    assert e.reductions["tilt"].count[1] == 0 and np.isnan(e.reductions["tilt"].mean[1])


def test_an_invariant_that_follows_from_the_inertia_is_that_of_each_body():
    asked = {"h": 0.01, "n_steps": 30, "reduce": "vertical momentum"}
    e = ph.solve_ensemble("heavy-top", "VLV", inertia=[[1, 2, 3], [2, 3, 4.0]], **asked)
    for i in range(2):
        alone = e[i].invariant("vertical momentum")[1:].mean()
        assert e.reductions["vertical momentum"].mean[i] == pytest.approx(alone, rel=1e-13)
    asked["reduce"] = "momentum about the axis of the top"
    with pytest.raises(ph.InputError, match=r"Body 1 of .* has no invariant 'momentum about"):
        ph.solve_ensemble("lagrange-top", "VLV", inertia=[[1, 1, 0.3], [1, 0.9, 0.3]], **asked)


def test_a_checkpoint_refuses_another_invariant(tmp_path):
    asked = {"h": 0.05, "n_steps": 40, "reduce": "tilt", "checkpoint": tmp_path / "c"}
    asked["Omega0"] = np.eye(3)
    first, again = (ph.solve_ensemble(body(), "VLV", **asked) for _ in range(2))
    assert again.stats["resumed_at"] == 40
    assert np.array_equal(first.reductions["tilt"].mean, again.reductions["tilt"].mean)
    with pytest.raises(ph.InputError, match="its invariants differs"):
        ph.solve_ensemble(body(lambda t, Q, Omega: Q[2, 2]), "VLV", **asked)


@pytest.mark.parametrize("given", [{"parameters": {"k": 2.0, "m": (0, 0, 1)}}, {"args": (2.0, (0, 0, 1))}])
def test_an_invariant_takes_the_parameters_of_each_body(given):
    if "args" in given:
        jacobi, potential = (lambda t, Q, Omega, k, m: k * Q[2] @ m), lambda Q, k, m: k * Q[2] @ m
    else:
        jacobi, potential = (lambda t, Q, Omega, p: p.k * Q[2] @ p.m), lambda Q, p: p.k * Q[2] @ p.m
    asked = {"h": 0.05, "n_steps": 30, "reduce": "jacobi"}
    p = ph.Problem(inertia=(1, 2, 2.5), potential=potential, Omega0=(1, 1, 0.1), invariants={"jacobi": jacobi}, **given)
    s = ph.solve(p, "VLV", **asked)
    assert np.allclose(s.invariant("jacobi"), 2 * s.Q[:, 2, 2], rtol=1e-15)
    assert s.reductions["jacobi"].mean == pytest.approx(2 * s.Q[1:, 2, 2].mean(), rel=1e-14)
    if "parameters" in given:
        e = ph.solve_ensemble(p, "VLV", parameters={"k": [1.0, 3.0]}, **asked)
        assert e.reductions["jacobi"].mean == pytest.approx(e.Q[1:, :, 2, 2].mean(axis=0) * [1, 3], rel=1e-14)
        assert np.allclose(e[1].invariant("jacobi"), 3 * e.Q[:, 1, 2, 2], rtol=1e-15)
