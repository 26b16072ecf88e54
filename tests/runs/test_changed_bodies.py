"""A body that changed, under a checkpoint and under the store of a sweep: refused, and the sentence says what differs.

The torques are those that are more than a function of the attitude, which `test_long_runs.py` and `test_sweep.py` have.
"""

import pytest

import polhode as ph

FUNCTIONS, DATA = "functions of the problem", "data of the problem"


def wheel(**changed):
    given = {"axis": (0, 0, 1), "inertia": 0.1, "speed": 3.0, "torque": 0.02, "max_torque": 0.5}
    return {"wheels": [ph.Wheel(**(given | changed))], "inertia_includes_wheels": True}


def nothing(t, Q):
    return 0.0, 0.0, 0.0


CHANGED = {
    "velocity torque": (lambda k: {"torque": lambda t, Q, Omega: (-k * Omega[1], k * Omega[0], 0.0)}, FUNCTIONS),
    "nonconservative": (
        lambda k: {"potential": lambda Q: Q[2, 2], "nonconservative": lambda t, Q, Omega: (0.0, -k * Omega[1], 0.0)},
        FUNCTIONS,
    ),
    "parameter": (
        lambda k: {"torque": lambda t, Q, Omega, p: (0.0, -p.k * Omega[1], 0.0), "parameters": {"k": k}},
        DATA,
    ),
    "damping": (lambda k: {"torque": nothing, "damping": 0.1 * k}, DATA),
    "rotor": (lambda k: {"torque": nothing, "rotor": (0.0, 0.0, k)}, DATA),
    "speed of a wheel": (lambda k: wheel(speed=k), DATA),
    "axis of a wheel": (lambda k: wheel(axis=(0, k, 1)), DATA),
    "inertia of a wheel": (lambda k: wheel(inertia=0.1 * k), DATA),
    "torque of a wheel": (lambda k: wheel(torque=0.02 * k), DATA),
    "limit of a wheel": (lambda k: wheel(max_torque=0.01 * k), DATA),
    "wheels included": (lambda k: wheel() | {"inertia_includes_wheels": k < 1.5}, DATA),
}


def body(what, k):
    return ph.Problem(inertia=(2, 2.5, 3), Omega0=(0.1, 0.2, 0.3), name="mine", **CHANGED[what][0](k))


@pytest.mark.parametrize("what", CHANGED)
def test_a_checkpoint_of_another_body_is_refused(what, tmp_path):
    given = {"h": 0.1, "n_steps": 6, "checkpoint": tmp_path / "c", "compiled": False}
    ph.solve(body(what, 1.0), "RKMK4", **given)
    assert ph.solve(body(what, 1.0), "RKMK4", **given).stats["resumed_at"] == 6
    with pytest.raises(ph.InputError, match=f"another run: its {CHANGED[what][1]} differs"):
        ph.solve(body(what, 2.0), "RKMK4", **given)


@pytest.mark.parametrize("what", CHANGED)
def test_a_store_of_another_body_is_refused(what, tmp_path, monkeypatch):
    pytest.importorskip("zarr")
    pytest.importorskip("xarray", minversion="2024.11")
    monkeypatch.setattr("polhode.runs.sweeps.sweep._worked", lambda *given: "")  # the plan is compared before any work
    given = {"over": {"h": [0.1, 0.05]}, "method": "RKMK4", "t_end": 0.2, "out": tmp_path / "s.zarr"}
    ph.sweep(body(what, 1.0), **given)
    ph.sweep(body(what, 1.0), **given)
    with pytest.raises(ph.FileError, match=f"another sweep: it differs in .*{CHANGED[what][1]}"):
        ph.sweep(body(what, 2.0), **given)
