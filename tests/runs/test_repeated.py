"""Calls of `solve` that are made again take the short way, and nobody can tell."""

import copy
import dataclasses
import gc
import math
import pickle
import threading
import weakref

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InputError, LargeStepWarning
from polhode.runs import equal_steps, repeated
from polhode.runs.runners import guarding, whole_runs

CALL = {"h": 0.05, "n_steps": 4, "save_every": 3}
STIFFNESS = 1.0


def pulled(t, Q):
    return (STIFFNESS * Q[2, 1], -STIFFNESS * Q[2, 0], 0.0)


def body(**more):
    return ph.Problem(inertia=(1.0, 2.0, 2.5), torque=pulled, Omega0=(0.3, 0.2, 1.5), **more)


def columns(s):
    return s.t.tolist(), s.Q.tolist(), s.Omega.tolist()


@pytest.fixture
def short(monkeypatch):
    """Calls that go the long way fail."""

    def only():
        monkeypatch.setattr(equal_steps, "runner_of", None)

    return only


@pytest.mark.parametrize("method", ["VLV", "RKN6", "TAYLOR", ph.taylor(1e-8), ph.method("GAUSS8")], ids=str)
@pytest.mark.parametrize("make", [lambda: ph.problem("stress"), body], ids=["shipped", "own"])
def test_the_third_call_is_the_first(make, method, short):
    """The second goes the long way too: most calls are made once, and nothing is prepared for another."""
    p = make()
    first, _ = (ph.solve(p, method, **CALL) for _ in range(2))
    short()
    second = ph.solve(p, method, **CALL)
    assert columns(second) == columns(first)
    assert said(second) == said(first)
    assert second.problem is p and second.inertia is p.inertia and second.integrator == first.integrator


def said(s):
    """Every field of a Trajectory but the columns and what holds arrays; how long it took is another each time."""
    fields = {f.name: getattr(s, f.name) for f in dataclasses.fields(s)}
    assert fields.pop("stats").keys() == s.stats.keys()
    apart = ("t", "Q", "Omega", "problem", "inertia", "integrator")
    stats = {k: x for k, x in s.stats.items() if k != "wall_time"}
    return {k: x for k, x in fields.items() if k not in apart}, stats


def test_what_was_not_looked_at_yet_travels(short):
    p = ph.problem("stress")
    first, _ = (ph.solve(p, "VLV", **CALL) for _ in range(2))
    short()
    second, third = (ph.solve(p, "VLV", **CALL) for _ in range(2))
    for s in (pickle.loads(pickle.dumps(second)), copy.copy(third), copy.deepcopy(third), dataclasses.replace(third)):
        assert columns(s) == columns(first) and said(s) == said(first) and s.problem.name == p.name
    assert second.events is not third.events


def test_rows_beyond_those_held_are_kept_too(short):
    p = body()
    call = {"h": 0.01, "n_steps": 2 * whole_runs.MOST_HELD_ROWS + 1, "save_every": 2}
    first, _ = (ph.solve(p, "VLV", **call) for _ in range(2))
    short()
    second, third = (ph.solve(p, "VLV", **call) for _ in range(2))
    assert len(first.t) > whole_runs.MOST_HELD_ROWS
    assert columns(second) == columns(third) == columns(first)


def test_results_of_calls_made_again_have_memory_of_their_own():
    p = body()
    results = [ph.solve(p, "VLV", **CALL) for _ in range(4)]
    p.Omega0[:] = 0.1, 0.1, 0.1
    ph.solve(p, "VLV", **CALL)
    assert all(columns(s) == columns(results[0]) for s in results)


def test_arguments_may_be_given_in_any_way():
    p = ph.problem("stress")
    expected = columns(ph.solve(p, "VLV", 0.25, 1.0))
    for _ in range(3):
        for s in (
            ph.solve(p, "VLV", 0.25, t_end=1.0),
            ph.solve(p, "VLV", h=0.25, n_steps=4, on_failure="raise"),
            ph.solve(p, method="VLV", t_end=1.0, h=0.25),
            ph.solve(problem=p, method="VLV", t_end=1.0, h=0.25),
        ):
            assert columns(s) == expected
        for arguments, keywords in (
            (("VLV", 0.25, 1.0), {"h": 0.25}),
            (("VLV", 0.25, 1.0, 4), {}),
            (("VLV", 0.25, "t_end", 1.0), {}),
            (("VLV",), {"method": "VLV", "h": 0.25, "t_end": 1.0}),
        ):
            with pytest.raises(InputError):
                ph.solve(p, *arguments, **keywords)
    with pytest.raises(InputError):
        ph.solve()


def test_every_kind_of_problem_and_of_call_has_a_short_way(short):
    satellite = ph.build.satellite(inertia_body=(1.0, 2.0, 2.5), orbit_rate=1.0, Omega0=(0.1, 1.0, 0.2))
    named = ph.Problem(
        inertia=(1.0, 2.0, 2.5),
        torque=lambda t, Q, p: (p.k * Q[2, 1], 0.0, 0.0),
        parameters={"k": 1.0},
        Omega0=(1, 0, 1),
    )
    assert type(satellite) is not ph.Problem
    calls = [lambda: ph.solve(satellite, "TAYLOR", 0.1, n_steps=3), lambda: ph.solve(named, "VLV", 0.1, 0.3)]
    expected, _ = ([columns(call()) for call in calls] for _ in range(2))
    other = columns(ph.solve(named.replaced(k=2.0), "VLV", 0.1, 0.3))
    short()
    assert [columns(call()) for call in calls] == expected
    assert other not in expected


@pytest.mark.parametrize("method", ["VLV", "TAYLOR"])
def test_a_global_that_changes_is_seen(method, monkeypatch):
    p = body()
    before = [columns(ph.solve(p, method, **CALL)) for _ in range(3)]
    monkeypatch.setattr(f"{__name__}.STIFFNESS", 3.0)
    changed = [columns(ph.solve(p, method, **CALL)) for _ in range(2)]
    assert before[0] == before[1] == before[2]
    assert changed[0] == changed[1] == columns(ph.solve(body(), method, **CALL)) != before[0]


def started(h, t, q, Pi, body):
    q, Pi, tau, memory = ph.method("VLV").start(h, t, q, Pi, body)
    return q, tuple(STIFFNESS * x for x in Pi), tau, memory


def weighed(J, number):
    return tuple(number(STIFFNESS) * x for x in ph.method("GAUSS8").coefficients(J, number))


@pytest.mark.parametrize("of, own", [("VLV", {"start": started}), ("GAUSS8", {"coefficients": weighed})])
def test_a_method_whose_start_or_coefficients_change_is_seen(of, own, monkeypatch):
    """Its step, and the torque, are of this package: they cannot change, and the rest may."""
    p, method = ph.problem("heavy-top"), dataclasses.replace(ph.method(of), name="mine", **own)
    end = lambda **more: columns(ph.solve(p, method, **CALL, **more))
    before, run = [end() for _ in range(3)], ph.Integrator(p, method, h=CALL["h"])
    monkeypatch.setattr(f"{__name__}.STIFFNESS", 0.9)
    changed = end(compiled=False)
    assert end() == end() == changed != before[0]
    assert run.reset().step(CALL["n_steps"]).Omega.tolist() == changed[2][-1]


@pytest.mark.filterwarnings("ignore:.*could not be compiled")
def aliased(t, Q):
    m = math
    return m.sin(Q[2, 1] + 1), 0.0, 0.0


@pytest.mark.filterwarnings("ignore:.*could not be compiled")
@pytest.mark.parametrize("torque", [lambda t, Q: (math.sin(Q[2, 1] + 1), 0.0, 0.0), aliased], ids=["named", "aliased"])
def test_another_function_put_into_a_library_is_seen(torque, monkeypatch):
    p = ph.Problem(inertia=(1.0, 2.0, 2.5), torque=torque, Omega0=(0, 1, 0.5))
    before = [columns(ph.solve(p, "VLV", **CALL)) for _ in range(3)]
    monkeypatch.setattr(math, "sin", lambda x: 4.0 * x)
    changed = ph.solve(p, "VLV", **CALL)
    assert columns(changed) == columns(ph.solve(p, "VLV", compiled=False, **CALL)) != before[0]
    monkeypatch.undo()
    assert columns(ph.solve(p, "VLV", **CALL)) == before[0] == before[2]


@pytest.mark.parametrize("method", ["VLV", "TAYLOR"])
def test_arrays_of_the_problem_that_change_are_seen(method):
    p, other = body(), body()
    for _ in range(3):
        ph.solve(p, method, **CALL)
    earlier = ph.solve(p, method, **CALL)
    for x in (p, other):
        x.Omega0[0], x.Q0[:] = 0.7, x.Q0[::-1] * (1, 1, -1)
    assert columns(ph.solve(p, method, **CALL)) == columns(ph.solve(other, method, **CALL))
    assert earlier.Omega[0, 0] == 0.3


def test_a_start_that_was_written_over_by_no_rotation_is_refused():
    """By the short way and by the long one, in every kind of run."""
    p = body()
    for _ in range(3):
        ph.solve(p, "VLV", **CALL)
        ph.solve_ensemble(p, "VLV", Omega0=np.eye(3), **CALL)
    for wrong in (2 * np.eye(3), np.diag([1.0, 1, -1]), np.full((3, 3), np.nan)):
        p.Q0[:] = wrong
        for call in (
            lambda: ph.solve(p, "VLV", **CALL),
            lambda: ph.solve(p, "TAYLOR", **CALL),
            lambda: ph.solve(p, "VLV", h=CALL["h"] / 2, n_steps=2),
            lambda: ph.solve_ensemble(p, "VLV", Omega0=np.eye(3), **CALL),
            lambda: ph.solve_ensemble(p, "VLV", Omega0=np.eye(3), h=CALL["h"] / 2, n_steps=2),
            lambda: ph.Integrator(p, "VLV", h=0.1),
        ):
            with pytest.raises(InputError, match=r"was written into since it was made\. Q0 is"):
                call()


@pytest.mark.parametrize(("torque", "times"), [(lambda t, Q: Q[2], 0), (lambda t, Q, Omega: -0.1 * Omega, 3)])
def test_the_guard_compares_anew_where_the_torque_may_differ(torque, times, monkeypatch):
    """Starts that differ in a velocity which the torque does not take are one to it."""
    p = ph.Problem(inertia=(1.0, 2.0, 2.5), torque=torque, Omega0=(0.3, 0.2, 1.5))
    ph.solve(p, "VLV", **CALL)
    compared = []
    check = guarding.agrees_again
    monkeypatch.setattr(guarding, "agrees_again", lambda *given: compared.append(given) or check(*given))
    for k in range(3):
        ph.solve(p.replaced(Omega0=(0.1 + k, 0.2, 0.3)), "VLV", **CALL)
    assert len(compared) == times
    ph.solve(p.replaced(Q0=(0.1, 0.2, 0.3)), "VLV", **CALL)
    assert len(compared) == times + 1


def test_what_is_refused_is_refused_again():
    p = ph.problem("stress")
    for _ in range(3):
        ph.solve(p, "VLV", h=1, n_steps=1, on_failure="return")
    for wrong in (
        {"h": True, "n_steps": 1},
        {"h": 1, "n_steps": True},
        {"h": 1, "n_steps": 1, "on_failure": "no"},
        {"h": 1, "n_steps": 1, "on_failure": "return", "saved_every": 1},
    ):
        with pytest.raises(InputError):
            ph.solve(p, "VLV", **wrong)
    with pytest.raises(InputError):
        ph.solve(p, "VLV", h=1, n_steps=1, reduce_every=0)


def test_large_steps_are_told_each_time():
    p = ph.problem("free-body").replaced(Omega0=(1.0, 2.0, 3.0))
    for _ in range(3):
        with pytest.warns(LargeStepWarning):
            ph.solve(p, "VLV", h=1.0, n_steps=1, on_failure="return")


def test_a_problem_is_freed():
    p = body()
    for _ in range(3):
        ph.solve(p, "VLV", **CALL)
    gone = weakref.ref(p)
    del p
    gc.collect()
    assert gone() is None


def test_calls_at_the_same_time():
    p = body()
    expected, found = columns(ph.solve(p, "TAYLOR", **CALL)), []

    def often():
        found.extend(columns(ph.solve(p, "TAYLOR", **CALL)) == expected for _ in range(200))

    threads = [threading.Thread(target=often) for _ in range(3)]
    for x in threads:
        x.start()
    for x in threads:
        x.join()
    assert len(found) == 600 and all(found)


def test_few_are_kept():
    p = body()
    for n in range(1, 2 * repeated.MOST_KEPT):
        ph.solve(p, "VLV", h=0.01, n_steps=n)
    assert np.array_equal(ph.solve(p, "VLV", h=0.01, n_steps=1).t, [0.0, 0.01])
