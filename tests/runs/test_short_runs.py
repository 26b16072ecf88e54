"""Plain calls of what has run before go straight to machine code, whatever their numbers, and nobody can tell."""

import dataclasses
import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InputError, LargeStepWarning, RunWarning
from polhode.kernels.fingerprint import is_static
from polhode.machine import agrees_again
from polhode.runs import equal_steps
from polhode.runs.runners import code, guarding

CALL = {"h": 0.05, "n_steps": 4, "save_every": 3}


def pulled(t, Q, p):
    return (p.k * Q[2, 1], -p.k * Q[2, 0], 0.1 * p.k)


def damped(t, Q, Omega, p):
    return (p.k * Q[2, 1] - 0.1 * Omega[0], -p.k * Q[2, 0], -0.2 * Omega[2])


def rising(t, Q, p):
    return (0.0, p.k / (t - 1.0), 0.0)


TENSOR = [[1.0, 0.1, 0.0], [0.1, 2.0, 0.2], [0.0, 0.2, 2.5]]


def body(torque=pulled, **more):
    return ph.Problem(
        **{"inertia": TENSOR, "torque": torque, "parameters": {"k": 1.0}, "Omega0": (0.3, 0.2, 1.5), **more}
    )


def said(s):
    """Every field of a Trajectory, to compare; how long it took is another each time."""
    fields = {f.name: getattr(s, f.name) for f in dataclasses.fields(s)}
    fields["stats"] = {k: v for k, v in s.stats.items() if k != "wall_time"}
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in fields.items() if k != "problem"}


def the_long_way(p, method, **call):
    """The same run through a runner: this argument makes no difference, and is none of those that are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ph.solve(p, method, **call, reduce_every=1)


@pytest.fixture
def short(monkeypatch):
    """Calls that go the long way fail."""
    return lambda: monkeypatch.setattr(equal_steps, "runner_of", None)


OTHERS = {
    "h": lambda p: (p, {**CALL, "h": 0.04}),
    "n": lambda p: (p, {**CALL, "n_steps": 23}),
    "t_end": lambda p: (p, {"h": 0.05, "t_end": 1.23}),
    "every": lambda p: (p, {**CALL, "save_every": 1}),
    "back": lambda p: (p, {**CALL, "h": -0.05}),
    "Omega0": lambda p: (p.replaced(Omega0=(0.1, -0.2, 0.3)), CALL),
    "Q0": lambda p: (p.replaced(Q0=(0.1, -0.2, 0.3)), CALL),
    "t0": lambda p: (p.replaced(t0=3.0), CALL),
    "inertia": lambda p: (p.replaced(inertia=(2.0, 3.0, 4.0)), CALL),
    "k": lambda p: (p.replaced(k=2.5), CALL),
}


@pytest.mark.parametrize(
    ("torque", "method"),
    [(pulled, "VLV"), (pulled, "RKN6"), (damped, "VLV"), (damped, "RKMK4"), (damped, ph.method("GAUSS8"))],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_other_numbers_need_no_runner(torque, method, short):
    """Each of them gives what the long way gives, to the last bit, and says the same."""
    p = body(torque)
    ph.solve(p, method, **CALL)
    asked = {name: change(p) for name, change in OTHERS.items()}
    expected = {name: said(the_long_way(q, method, **call)) for name, (q, call) in asked.items()}
    short()
    for name, (q, call) in asked.items():
        s = ph.solve(q, method, **call)
        assert said(s) == expected[name], name
        assert s.problem is q and s.h * call["h"] > 0
    placed = [ph.solve(p, method, 0.025, 0.3), ph.solve(p, method, 0.025, t_end=0.3)]
    assert said(placed[0]) == said(placed[1]) and len(placed[0].t) == 13


def test_keywords_that_change_nothing(short):
    p = body()
    expected = ph.solve(p, "VLV", **CALL)
    harmless = {"strict": False, "compiled": True, "progress": False, "on_failure": "raise"}
    with pytest.raises(InputError):
        ph.solve(p, "VLV", **CALL, on_failure="no")
    with pytest.raises(InputError, match="whole number"):
        ph.solve(p, "VLV", h=0.05, t_end=0.33, strict=True)
    assert not ph.solve(p, "VLV", **CALL, compiled=False).stats["compiled"]
    short()
    for some in (harmless, *({name: x} for name, x in harmless.items())):
        assert said(ph.solve(p, "VLV", **CALL, **some)) == said(expected)


def test_parameters_there_and_back(short):
    """What is kept for one set of numbers is not taken for another."""
    p = body()
    expected = {k: ph.solve(p.replaced(k=k), "VLV", **CALL, compiled=False).Omega.tolist() for k in (1.0, 2.0, 3.0)}
    ph.solve(p, "VLV", **CALL)
    short()
    for k in (2.0, 3.0, 2.0, 1.0, 3.0):
        assert ph.solve(p.replaced(k=k), "VLV", **CALL).Omega.tolist() == expected[k]


def signed(t, Q, p):
    return (np.copysign(1.0, p.k), 0.0, 0.1)


def test_minus_zero_is_another_number():
    p = body(signed)
    ph.solve(p, "VLV", **CALL)
    for k in (0.0, -0.0, 0.0, -0.0):
        s = ph.solve(p.replaced(k=k), "VLV", **CALL)
        assert s.Omega.tolist() == ph.solve(p.replaced(k=k), "VLV", **CALL, compiled=False).Omega.tolist()


def test_a_function_that_changed_is_not_run(monkeypatch):
    """A global that the torque reads has another value: machine code of the old one is not used."""
    space = {"K": 1.0}
    exec("def torque(t, Q):\n    return (K * Q[2, 1], -K * Q[2, 0], 0.0)", space)
    p = ph.Problem(inertia=(1.0, 2.0, 2.5), torque=space["torque"], Omega0=(0.3, 0.2, 1.5))
    ph.solve(p, "VLV", **CALL)
    space["K"] = 2.0
    other = ph.solve(p, "VLV", **{**CALL, "h": 0.04})
    assert np.array_equal(other.Omega, ph.solve(p, "VLV", **{**CALL, "h": 0.04}, compiled=False).Omega)


def test_every_new_start_is_compared(monkeypatch):
    """Machine code that says something else than the function at other parameters is not used."""
    p = body()
    ph.solve(p, "VLV", **CALL)
    ph.solve(p.replaced(k=2.0), "VLV", **CALL)
    kept = code._KEPT[p.torque_kernel].alike[id(ph.method("VLV"))]

    def wrong(address, par, t, Q, out):
        out[:] = 1.0, 2.0, 3.0

    kept.look = wrong
    monkeypatch.setattr(guarding, "probe_of", lambda kind: wrong)
    with pytest.raises(InputError, match="does not compute what the Python function does"):
        ph.solve(p.replaced(k=7.75), "VLV", **CALL)


def test_zeros_prove_nothing():
    """Nor does agreement elsewhere, if it was of other machine code."""
    p = body()
    ph.solve(p, "VLV", **CALL)
    kept = code._KEPT[p.torque_kernel].alike[id(ph.method("VLV"))]
    torque, _ = kept.code.held
    three = lambda out: out.__setitem__(slice(None), (1.0, 2.0, 3.0))
    assert agrees_again(p.torque_kernel, kept.digest, torque, three, (1.0, 2.0, 3.0))
    assert not agrees_again(p.torque_kernel, kept.digest, torque, three, (1.0, 2.0, 3.1))
    assert not agrees_again(p.torque_kernel, "another", torque, three, (1.0, 2.0, 3.0))
    assert not agrees_again(p.torque_kernel, kept.digest, torque, lambda out: None, (0.0, 0.0, 0.0))


def test_what_cannot_be_used_is_said():
    p = body()
    ph.solve(p, "VLV", **CALL)
    for wrong in ({"save_every": None}, {"save_every": 0}, {"h": 0.0}, {"h": "x"}, {"n_steps": None}, {"t_end": 1.0}):
        for _ in range(3):
            with pytest.raises(InputError):
                ph.solve(p, "VLV", **{**CALL, **wrong})
    p.Q0[0, 0] = 3.0
    with pytest.raises(InputError, match="was written into"):
        ph.solve(p, "VLV", h=0.01, n_steps=2)


def test_what_goes_wrong_is_told():
    """A step that fails, and steps that turn the body too far, go the long way, with its words."""
    p = body(rising, inertia=(1.0, 2.0, 2.5))
    ph.solve(p, "VLV", **CALL)
    with pytest.warns(RunWarning):
        s = ph.solve(p, "VLV", h=0.25, n_steps=8)
    assert not s.success and s.stats["n_steps"] == 3
    q = body()
    ph.solve(q, "VLV", **CALL)
    with pytest.warns(LargeStepWarning):
        ph.solve(q, "VLV", h=1.5, n_steps=2, on_failure="return")
    with pytest.warns(LargeStepWarning):
        ph.solve(q, "VLV", h=1.5, n_steps=1)


def test_the_start_is_that_of_the_run():
    """Arrays of the problem that are written to afterwards are not those of the result, however late one looks."""
    p = body()
    ph.solve(p, "VLV", **CALL)
    for n in (2, 20):
        q = p.replaced(Q0=np.eye(3), Omega0=(0.1, 0.2, 0.3))
        s = ph.solve(q, "VLV", h=0.05, n_steps=n)
        q.Omega0[:], q.Q0[:] = (9.0, 9.0, 9.0), [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
        assert s.Omega[0].tolist() == [0.1, 0.2, 0.3] and s.Q[0].tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("method", ph.methods())
def test_every_method_is_kept_for_other_starts(method):
    """Its functions are known to be the same for ever: otherwise each call would look its machine code up anew."""
    m = ph.method(method)
    assert all(f is None or is_static(f) for f in (m.step, m.start, m.coefficients))
