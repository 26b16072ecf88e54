"""Ensembles: every body gets the bits that it gets alone, in lanes or not; failures stay with their body."""

import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp, rotated_back, unit
from polhode.kernels.step import start_plain, torque_at
from polhode.kernels.vectors import lin, mul, scaled
from polhode.machine import TORQUE, kept_code, lanes
from polhode.machine.lanes import ensemble_loop
from polhode.runs.ensemble.solve import solve_ensemble

QM = Rotation.from_rotvec(np.array([2.5, 0, 2.5]) / np.sqrt(2)).as_matrix()


def starts(N, seed=0, spread=0.1):
    rng = np.random.default_rng(seed)
    return (0, 0.7227, 0) + spread * rng.normal(size=(N, 3)), (0, 0, 0.625) + spread * rng.normal(size=(N, 3))


def same_as_alone(e, bodies=None, **run):
    """Whether bodies of an ensemble have the bits of `solve`."""
    for i in range(len(e)) if bodies is None else bodies:
        s = ph.solve(e.bodies.problem(i), e.method, h=e.h, **run)
        n = len(s.t)
        assert np.array_equal(s.t, e.t[:n]) and s.success == e.success[i]
        assert np.array_equal(s.Q, e.Q[:n, i]) and np.array_equal(s.Omega, e.Omega[:n, i])
    return True


# ---- bit for bit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(ph.methods()))
def test_every_method_gives_the_bits_of_solve_in_lanes_or_says_why_not(name):
    """The bound of the design, "to the last bits that the lanes' arithmetic allows", is zero here."""
    method = ph.method(name)
    problem = "free-body" if method.free_only else "stress"
    Q0, Omega0 = starts(lanes.WIDTH + 3)
    e = solve_ensemble(problem, method, Q0=Q0, Omega0=Omega0, h=0.125, n_steps=120, save_every=40)
    same_as_alone(e, [0, lanes.HALF, lanes.WIDTH, lanes.WIDTH + 2], n_steps=120, save_every=40)
    if method.nodes:
        assert e.stats["lanes"] == 1 and "stages are in the lanes" in e.stats["reason"]
    elif name == "PRK4":  # the stages of a pair of tableaux call the torque in a loop that the lanes have no form of
        assert e.stats["lanes"] == 1 and "cannot run in lanes" in e.stats["reason"]
    else:
        assert e.stats["lanes"] == lanes.WIDTH and e.stats["reason"] == ""


@pytest.mark.parametrize("N", [1, 2, lanes.HALF, lanes.WIDTH - 1, lanes.WIDTH, lanes.WIDTH + 1, 101])
def test_any_number_of_bodies(N):
    Q0, Omega0 = starts(N)
    e = solve_ensemble("stress", "VLV", Q0=Q0, Omega0=Omega0, h=0.125, n_steps=50, save_every=7)
    assert e.Q.shape == (9, N, 3, 3) and e.Omega.shape == (9, N, 3) and e.t[-1] == 6.25 and e.success.shape == (N,)
    same_as_alone(e, range(0, N, 10), n_steps=50, save_every=7)


def test_bodies_that_need_different_numbers_of_iterations_do_not_change_each_other():
    rng = np.random.default_rng(5)
    Omega0 = rng.normal(size=(64, 3)) * np.exp(rng.uniform(-12, 1, size=(64, 1)))
    for name in ("VLV", "TLN"):
        same_as_alone(solve_ensemble("stress", name, Omega0=Omega0, h=0.25, n_steps=60), n_steps=60)


@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
def test_large_rotations_beyond_the_polynomials():
    rng = np.random.default_rng(6)
    Omega0 = rng.normal(size=(40, 3)) * np.exp(rng.uniform(-2, 2.5, size=(40, 1)))  # up to 12 rad a step, and 0.1
    for name in ("NMB", "RKMK4", "MCG", "NEW3", "LIEMID[EA]"):
        e = solve_ensemble(ph.problem("free-body"), name, Omega0=Omega0, h=1.0, n_steps=10)
        alive = np.flatnonzero(e.success)
        assert len(alive) >= (20 if name == "RKMK4" else 3) and np.linalg.norm(Omega0[alive], axis=1).max() > 1.2
        same_as_alone(e, n_steps=10)


@pytest.mark.parametrize("name", ["forced", "heavy-top", "soft-wall", "book-toss", "fast-top", "free-body"])
def test_shipped_problems(name):
    p = ph.problem(name)
    e = solve_ensemble(p, "VLV", Omega0=p.Omega0 + 0.1 * starts(20)[1], n_steps=60)
    assert e.stats["lanes"] == lanes.WIDTH
    same_as_alone(e, n_steps=60)


def test_threads_do_not_change_a_bit():
    Q0, Omega0 = starts(500)
    runs = [
        solve_ensemble("stress", "VLV", Q0=Q0, Omega0=Omega0, h=0.125, n_steps=300, save_every=100, threads=k)
        for k in (1, 2, 5)
    ]
    assert all(np.array_equal(runs[0].rows, r.rows) for r in runs)
    assert [r.stats["threads"] for r in runs] == [1, 2, 5]


# ---- what may vary, and in which form ----------------------------------------------------------------


def test_inertia_of_each_body():
    J = np.random.default_rng(2).uniform(1, 1.9, size=(30, 3))
    same_as_alone(solve_ensemble("stress", "VLV", inertia=J, h=0.125, n_steps=40), n_steps=40)
    e = solve_ensemble("stress", "DMV8", inertia=J, h=0.125, n_steps=20)  # its coefficients depend on the inertia
    same_as_alone(e, n_steps=20)


def test_a_full_tensor_for_each_body():
    rng = np.random.default_rng(3)
    R = Rotation.random(20, rng=rng).as_matrix()
    J = R @ (rng.uniform(1, 1.9, size=(20, 3, 1)) * np.swapaxes(R, 1, 2))
    J = (J + np.swapaxes(J, 1, 2)) / 2
    torque = lambda t, Q: (0.3 * Q[2, 1], -0.2 * Q[0, 1], np.sin(t))
    p = ph.Problem(inertia=(1, 1.5, 2), torque=torque, Omega0=(0, 1, 0.2))
    e = solve_ensemble(p, "VLV", inertia=J, Q0=Rotation.random(20, rng=rng), h=0.05, n_steps=40)
    assert e.stats["lanes"] == lanes.WIDTH
    same_as_alone(e, n_steps=40)
    assert e.momentum[0] == pytest.approx(np.einsum("bij,bjk,bk->bi", e.Q[0], J, e.Omega[0]))


def test_problems_with_parameters_of_their_own():
    problems = [ph.problem("stress", alpha=a) for a in np.linspace(0.1, 0.5, 19)]
    e = solve_ensemble(problems, "VLV", h=0.125, n_steps=50)
    same_as_alone(e, n_steps=50)
    assert np.abs(e.energy[0] - [p.energy(p.Q0, p.Omega0) for p in problems]).max() < 1e-14
    numbers = np.array([p.parameters for p in problems])
    again = solve_ensemble("stress", "VLV", parameters=numbers, h=0.125, n_steps=50)
    assert np.array_equal(e.Q, again.Q)


def test_forms_of_the_start():
    vectors, Omega0 = starts(12)
    R = Rotation.from_rotvec(vectors)
    runs = [
        solve_ensemble("stress", "VLV", Q0=Q0, Omega0=Omega0, h=0.125, n_steps=5)
        for Q0 in (vectors, R, R.as_matrix(), list(R))
    ]
    assert all(np.array_equal(runs[0].Q, r.Q) for r in runs)
    by_momentum = solve_ensemble("stress", "VLV", Q0=R, Pi0=Omega0 * (2, 2, 4), h=0.125, n_steps=5)
    assert np.array_equal(by_momentum.Omega, runs[0].Omega)
    one = solve_ensemble("stress", "VLV", Q0=R[0], Omega0=Omega0, h=0.125, n_steps=5)
    assert np.array_equal(one.Q[0], np.broadcast_to(R[0].as_matrix(), (12, 3, 3)))


def test_fields_agree_with_those_of_a_trajectory():
    Q0, Omega0 = starts(20)
    e = solve_ensemble("stress", "VLV", Q0=Q0, Omega0=Omega0, h=0.125, t_end=20, save_every=16)
    s = ph.solve(e.bodies.problem(7), "VLV", h=0.125, t_end=20, save_every=16)
    assert e.energy[:, 7] == pytest.approx(s.energy, abs=1e-14) and e.energy_error[0, 7] == 0
    assert e.momentum[:, 7] == pytest.approx(s.momentum, abs=1e-14)
    assert e.orthogonality.max() < 2e-15
    assert isinstance(e[7], ph.Trajectory) and np.array_equal(e[7].energy, s.energy) and len(e) == 20
    assert e.stats["n_steps"] == 160 and e.stats["n_torque"] == 20 * 161 and e.message == "" and e.messages == {}


@pytest.mark.parametrize("chosen", [slice(1, 3), slice(None, None, -2), [0, -1, 0], [True, False, True, True, False]])
@pytest.mark.parametrize("kind", ["lanes", "one by one", "tensors"])
def test_some_bodies_of_an_ensemble(chosen, kind):
    Q0, Omega0 = starts(5)
    Omega0[3] = np.nan
    run = dict(Q0=Rotation.from_rotvec(Q0), Omega0=Omega0, h=0.1, n_steps=3)
    if kind == "one by one":
        e = solve_ensemble("stress", lambda p, Q, Omega, h, t: (Q, Omega * (1 + h)), **run)
    elif kind == "lanes":
        e = solve_ensemble("stress", "VLV", **run)
    else:
        tensors = [np.diag([1.0, 1.5, 2.0]) + 0.01 * i for i in range(5)]
        e = solve_ensemble(ph.Problem(inertia=(1, 2, 2), Omega0=(0, 0, 1)), "VLV", inertia=tensors, **run)
    some, which = e[chosen], np.arange(5)[chosen]
    assert isinstance(some, ph.Ensemble) and len(some) == some.stats["n_bodies"] == len(which)
    for field in ("Q", "Omega", "energy", "momentum"):
        assert np.array_equal(getattr(some, field), getattr(e, field)[:, which], equal_nan=True), field
    assert np.array_equal(some.success, e.success[which]) and "n_torque" not in some.stats
    assert sorted(some.messages) == [k for k, i in enumerate(which) if i == 3]
    for k, i in enumerate(which):
        assert np.array_equal(some[k].Q, e[i].Q) and np.array_equal(some[k].problem.inertia, e[i].problem.inertia)


def test_bodies_that_are_not_there():
    e = solve_ensemble("free-body", "VLV", Omega0=np.eye(3), h=0.1, n_steps=1)
    for chosen, told in (([1.5], "list of numbers"), ("one", "list of numbers"), ([True], "mask of 3"), ([], "none")):
        with pytest.raises(ph.InputError, match=told):
            e[chosen]
    with pytest.raises(IndexError, match="There are 3 bodies"):
        e[[0, 3]]
    with pytest.raises(ph.InputError, match="leaves none of the 3 bodies"):
        e[3:]
    assert len(list(e)) == 3, "iteration goes body by body"


def test_what_a_users_function_raised_is_kept_by_body():
    def picky(problem, Q, Omega, h, t):
        if Omega[1] == 1 and t > 0.05:
            raise LookupError("not this one")
        return Q, Omega

    e = solve_ensemble("free-body", picky, Omega0=np.eye(3), h=0.1, n_steps=3)
    assert list(e.exceptions) == [1] and type(e[1].exception) is LookupError and e[0].exception is None
    assert "not this one" in e.messages[1] and type(e[1:].exceptions[0]) is LookupError


def test_backwards():
    Q0, Omega0 = starts(9)
    same_as_alone(solve_ensemble("stress", "VLV", Q0=Q0, Omega0=Omega0, h=-0.125, n_steps=20), n_steps=20)


# ---- torques of the user -----------------------------------------------------------------------------


def indexed(t, Q):
    d = np.sqrt(2 * (3 - (Q[0, 0] + Q[1, 1] + Q[2, 2])))
    u, v = 2 / d - 2, 0.01 * Q[0, 1] ** 3 + 0.1 * np.cos(Q[1, 2])
    return u * (Q[2, 1] - Q[1, 2]), u * (Q[0, 2] - Q[2, 0]) + 0.1 * np.sin(t), u * (Q[1, 0] - Q[0, 1]) + v


def with_products(t, Q):
    d = np.sqrt(2 * (3 - np.trace(Q)))
    M = QM.T @ Q
    S = -(2 - 2 / d) * Q - 0.3 / np.sqrt(2 * (3 - np.trace(M))) ** 3 * M
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])


def with_a_branch(t, Q):
    return (0.1, 0.2 * Q[0, 1], 0.0) if Q[2, 2] > 0.3 else (0.0, 0.1, 0.1)


def stress_potential(Q):
    d = np.sqrt(2 * (3 - np.trace(Q)))
    return (d - 1) ** 2 - 0.3 / np.sqrt(2 * (3 - np.sum(QM * Q)))


START = dict(inertia=(2, 2, 4), Q0=(0, 0.7227, 0), Omega0=(0, 0, 0.625))


@pytest.mark.parametrize(
    ("form", "in_lanes"),
    [
        (dict(torque=indexed), True),
        (dict(torque_space=lambda t, Q: (0.1, t, Q[0, 1])), True),
        (dict(torque=lambda t, Q: (0, 0.1, t)), True),
        (dict(torque=lambda t, Q: Q[2]), True),
        (dict(torque=with_products), True),
        (dict(torque=with_a_branch), False),
        (dict(torque=lambda t, Q: (0.0, max(Q[0, 1], 0.0), 0.0)), False),
        (dict(torque=lambda t, Q: 2 * Q[2]), True),
        (dict(potential=stress_potential), True),
    ],
)
def test_a_users_torque_in_lanes_or_body_by_body(form, in_lanes):
    p = ph.Problem(**START, **form)
    Q0, Omega0 = starts(21)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e = solve_ensemble(p, "VLV", Q0=Q0, Omega0=Omega0, h=0.125, n_steps=30)
    assert e.stats["lanes"] == (lanes.WIDTH if in_lanes else lanes.HALF)
    assert ("the torque runs one body after the other" in e.stats["reason"]) != in_lanes
    for i in range(
        21
    ):  # `solve` takes its first torque from the interpreter, where sums of arrays may round differently
        s = ph.solve(e.bodies.problem(i), "VLV", h=0.125, n_steps=30)
        assert e.Q[:, i] == pytest.approx(s.Q, abs=1e-13) and e.Omega[:, i] == pytest.approx(s.Omega, abs=1e-13)


@pytest.mark.parametrize("form", [dict(torque=indexed), dict(torque_space=lambda t, Q: (0.1, t, Q[0, 1]))])
def test_a_users_torque_in_lanes_has_the_bits_of_each_body_alone(form):
    Q0, Omega0 = starts(21)
    e = solve_ensemble(ph.Problem(**START, **form), "VLV", Q0=Q0, Omega0=Omega0, h=0.125, n_steps=30)
    same_as_alone(e, n_steps=30)


def hesitant_step(h, t, state, body):
    """Verlet's kicks about a rotation that is left out when small: a branch on a number."""
    q, Pi, tau, memory = state
    p = lin(1, Pi, h / 2, tau)
    if p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 1e-3:
        F = exp(scaled(h, mul(body[1], p)))
        q, p = compose(q, F), rotated_back(F, p)
    tau = torque_at(t + h, q, body)
    return (unit(q), lin(1, p, h / 2, tau), tau, memory), NO_SOLVE


@pytest.mark.parametrize("branching", [False, True])
def test_a_method_that_does_not_run_in_lanes(branching):
    p = ph.Problem(**START, torque=with_a_branch) if branching else "stress"
    mine = ph.Method(name="hesitant", step=hesitant_step, start=start_plain, torques_per_step=1)
    e = solve_ensemble(p, mine, Omega0=starts(5)[1], h=0.125, n_steps=30)
    assert e.stats["lanes"] == 1 and "decides by the value of a number" in e.stats["reason"]
    for i in range(5):
        s = ph.solve(e.bodies.problem(i), mine, h=0.125, n_steps=30)
        assert np.array_equal(s.Q, e.Q[:, i]) and np.array_equal(s.Omega, e.Omega[:, i])


@pytest.mark.parametrize("name", ["EXACT", "RKN6", "JEM2", "JEM4"])
@pytest.mark.parametrize("kinds", [(0,), (1,), (2,), (3,), (4,), (0, 1, 2, 3, 4)], ids=str)
def test_bodies_with_and_without_symmetry_side_by_side(name, kinds):
    """A body with two equal moments takes a shorter way to its motion, whoever is in the other lanes."""
    bodies = [(1, 1, 2), (1, 2, 2), (2, 1, 2), (1, 2, 2.5), (3, 3, 3)]
    inertia = np.array([bodies[k] for k in kinds] * 4, dtype=float)
    Omega0 = np.random.default_rng(1).normal(size=(len(inertia), 3))
    e = solve_ensemble("stress", name, inertia=inertia, Omega0=Omega0, h=0.2, n_steps=20)
    assert e.stats["lanes"] == lanes.WIDTH
    same_as_alone(e, n_steps=20)


def test_a_users_torque_one_by_one_with_a_method_that_runs_one_by_one_in_part():
    p = ph.Problem(**START, torque=with_a_branch)
    e = solve_ensemble(p, "EXACT", Omega0=starts(5)[1], h=0.125, n_steps=30)
    assert e.stats["lanes"] == lanes.HALF and "the torque runs one body after the other" in e.stats["reason"]
    same_as_alone(e, n_steps=30)


def test_a_torque_that_cannot_be_compiled():
    table = {"strength": 0.4}
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: table["strength"] * Q[2], Omega0=(0.1, 1, 0))
    with pytest.warns(UserWarning, match="could not be compiled"):
        e = solve_ensemble(p, "VLV", Omega0=starts(3)[1], h=0.1, n_steps=5)
    assert not e.stats["compiled"] and "interpreted" in e.stats["reason"] and e.success.all()
    s = ph.solve(e.bodies.problem(2), "VLV", h=0.1, n_steps=5)
    assert np.array_equal(e.Q[:, 2], s.Q)


def test_a_plain_function_is_a_method():
    def still(problem, Q, Omega, h, t):
        return Q, Omega if Omega[0] < 1 else np.full(3, np.nan)

    e = solve_ensemble("heavy-top", still, Omega0=[(0.1, 0, 0), (2, 0, 0)], h=0.1, n_steps=4)
    assert e.method == "still" and e.success.tolist() == [True, False] and "not finite" in e.messages[1]
    assert np.isfinite(e.Q[:, 0]).all() and np.isnan(e.Q[1:, 1]).all() and e.energy.shape == (5, 2)


# ---- failures ----------------------------------------------------------------------------------------


def spun_up():
    torque = lambda t, Q: (0.0, 40.0 * t * Q[0, 0] * Q[0, 0], 25.0 * t)
    return ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0.1, 1, 0), name="spun up")


@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
def test_a_body_that_does_not_solve_is_reported_and_the_others_finish():
    N, wild = 40, (3, 17, 18, 39)
    _, Omega0 = starts(N)
    Omega0[list(wild)] = [(9, 8, 7), (0, 15, 0.1), (1, 1, 10), (8, -8, 8)]
    e = solve_ensemble("free-body", "RATTLE", Omega0=Omega0, h=0.2, n_steps=60)
    assert sorted(e.messages) == [i for i in range(N) if not e.success[i]] and 0 < len(e.messages) <= len(wild)
    for i in e.messages:
        s = ph.solve(e.bodies.problem(i), "RATTLE", h=0.2, n_steps=60)
        assert e.failed[i] == s.stats["n_steps"] and f"Body {i}: RATTLE did not solve" in e.messages[i]
        assert s.message.split("with h")[0].split("at step")[1] in e.messages[i]
    same_as_alone(e, n_steps=60)


def test_bodies_that_fail_one_after_the_other():
    p = spun_up()
    e = solve_ensemble(p, "RATTLE", Q0=starts(50, spread=1)[0], h=0.1, n_steps=100, save_every=3)
    assert not e.success.any() and len(set(e.failed.tolist())) > 1
    for i in range(0, 50, 7):
        s = ph.solve(e.bodies.problem(i), "RATTLE", h=0.1, n_steps=100, save_every=3)
        assert s.stats["n_steps"] == e.failed[i] and np.array_equal(e[i].Q, s.Q) and e[i].t[-1] == s.t[-1]
        assert np.isnan(e.Q[len(s.t) :, i]).all()
    assert "50 of 50 bodies failed" in e.message and e.message.endswith("...")


def test_bodies_with_constants_of_their_own_that_fail():
    J = np.random.default_rng(8).uniform(1, 1.9, size=(40, 3))
    e = solve_ensemble(spun_up(), "RATTLE", inertia=J, h=0.1, n_steps=30)
    assert 0 < (~e.success).sum()
    for i in range(40):
        s = ph.solve(e.bodies.problem(i), "RATTLE", h=0.1, n_steps=30)
        assert s.success == e.success[i] and np.array_equal(e[i].Q, s.Q)


@pytest.mark.parametrize("torque", ["lanes", "by body"])
def test_a_torque_that_turns_nan_for_some_bodies(torque):
    smooth = lambda t, Q: (0.0, 0.1, 0.01 * np.sqrt(Q[0, 1] + 0.8))
    branch = lambda t, Q: (0.0, 0.1, 0.01 * np.sqrt(Q[0, 1] + 0.8) if Q[2, 2] > -2 else 0.0)
    p = ph.Problem(inertia=(1, 2, 2.5), torque=smooth if torque == "lanes" else branch, Omega0=(0.1, 1, 0))
    e = solve_ensemble(p, "VLV", Omega0=np.linspace((0.1, 0.1, 1), (0.1, 0.1, 0), 33), h=0.1, n_steps=40)
    assert e.stats["lanes"] == (lanes.WIDTH if torque == "lanes" else lanes.HALF)
    assert 0 < (~e.success).sum() < 33
    for i in range(33):
        s = ph.solve(e.bodies.problem(i), "VLV", h=0.1, n_steps=40)
        assert s.success == e.success[i] and np.array_equal(e[i].Q, s.Q) and np.array_equal(e[i].Omega, s.Omega)
        if not s.success:
            assert e.failed[i] == s.stats["n_steps"] and "not a finite number" in e.messages[i]


@pytest.mark.parametrize("field", ["Q0", "Omega0", "inertia", "parameters"])
def test_a_body_with_nan_is_reported_and_the_others_finish(field):
    Q0, Omega0 = starts(20)
    given = dict(Q0=Rotation.from_rotvec(Q0).as_matrix(), Omega0=Omega0, inertia=np.full((20, 3), (2.0, 2.0, 4.0)))
    given["parameters"] = np.full((20, 16), ph.problem("stress").parameters)
    clean = solve_ensemble("stress", "VLV", **given, h=0.125, n_steps=30)
    for bad in ([13], [0], [18, 19], range(20)):
        spoilt = {k: v.copy() for k, v in given.items()}
        spoilt[field][list(bad)] = np.nan
        e = solve_ensemble("stress", "VLV", **spoilt, h=0.125, n_steps=30)
        rest = [i for i in range(20) if i not in bad]
        assert e.success.tolist() == [i in rest for i in range(20)] and sorted(e.messages) == list(bad)
        assert np.array_equal(e.Q[:, rest], clean.Q[:, rest]) and np.isnan(e.Q[1:, list(bad)]).all()
        assert all(f"Body {i} cannot start" in e.messages[i] for i in bad)


def test_rotation_vectors_with_nan():
    Q0, Omega0 = starts(4)
    Q0[2, 1] = np.nan
    e = solve_ensemble("stress", "VLV", Q0=Q0, Omega0=Omega0, h=0.125, n_steps=3)
    assert e.success.tolist() == [True, True, False, True]


# ---- load, threads, memory, cache --------------------------------------------------------------------


def test_a_million_short_trajectories():
    N = 1_000_000
    Omega0 = np.random.default_rng(1).normal(size=(N, 3))
    e = solve_ensemble("free-body", "VLV", Omega0=Omega0, h=0.1, n_steps=5, save_every=5)
    assert e.Omega.shape == (2, N, 3) and e.success.all()
    same_as_alone(e, [0, 123_456, N - 1], n_steps=5, save_every=5)


def test_memory_is_what_is_saved():
    program = """
import resource, numpy as np
from polhode.runs.ensemble.solve import solve_ensemble
Omega0 = np.random.default_rng(1).normal(size=(20_000, 3))
solve_ensemble("heavy-top", "VLV", Omega0=Omega0[:10], h=0.01, n_steps=2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
solve_ensemble("heavy-top", "VLV", Omega0=Omega0, h=0.01, n_steps=1000, save_every=500)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60_000  # KB; all states would be 1.1 GB


def test_memory_of_a_million_short_trajectories():
    program = """
import resource, numpy as np
from polhode.runs.ensemble.solve import solve_ensemble
Omega0 = np.random.default_rng(1).normal(size=(1_000_000, 3))
solve_ensemble("free-body", "VLV", Omega0=Omega0[:10], h=0.01, n_steps=2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
e = solve_ensemble("free-body", "VLV", Omega0=Omega0, h=0.01, n_steps=30, save_every=30)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, e.success.all())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    used, solved = done.stdout.split()
    assert solved == "True"
    assert int(used) < 400_000  # KB; all states would be 1.7 GB, the states kept are 56 MB


def test_too_much_memory_is_said_beforehand():
    with pytest.raises(ph.InputError, match=r"GB, and this machine has .* save_every="):
        solve_ensemble("stress", "VLV", Omega0=np.ones((10_000, 3)), h=0.125, n_steps=10**8)


@pytest.mark.parametrize("name", ["VLV", "DMV8", "RKN6"])
def test_nobody_can_start(name):
    e = solve_ensemble("stress", name, inertia=np.full((3, 3), np.nan), h=0.1, n_steps=2)
    assert not e.success.any() and len(e.messages) == 3 and "cannot start" in e.messages[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_returns_what_was_computed(threads):
    program = f"""
import os, signal, threading
import numpy as np
from polhode.runs.ensemble.solve import solve_ensemble
Omega0 = np.random.default_rng(1).normal(size=(1000, 3))
solve_ensemble("heavy-top", "VLV", Omega0=Omega0, h=0.01, n_steps=2)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
e = solve_ensemble("heavy-top", "VLV", Omega0=Omega0, h=0.01, n_steps=10**8, save_every=10**5, threads={threads})
print(e.success.any(), len(e.t) == 1 + e.stats["n_steps"] // 10**5, np.isfinite(e.Q).all(), e.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.startswith("False True True Interrupted at step")


def test_progress_is_drawn_on_standard_error(capsys):
    solve_ensemble("stress", "VLV", Omega0=np.ones((100, 3)), h=0.125, n_steps=100, progress=True)
    assert capsys.readouterr().out == ""


def test_a_second_process_compiles_nothing(tmp_path):
    program = """
from polhode.machine import COMPILED
from polhode.runs.ensemble.solve import solve_ensemble
solve_ensemble("heavy-top", "VLV", h=0.01, n_steps=2)
print([hit for _, hit in COMPILED])
"""
    environment = {**os.environ, "POLHODE_CACHE": str(tmp_path)}
    options = dict(capture_output=True, text=True, check=True, env=environment)
    runs = [subprocess.run([sys.executable, "-c", program], **options).stdout for _ in range(2)]
    assert "True" not in runs[0] and "False" not in runs[1]


def test_the_loop_is_made_of_vectors(tmp_path, monkeypatch):
    """A vectorisation that is missed would cost a factor of six and change no result."""
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path))
    monkeypatch.setattr(kept_code, "KEPT", {})  # code that another test brought from the disk shows no instructions
    p, m = ph.problem("heavy-top"), ph.method("ELN")
    loop = ensemble_loop.loop(m.step, m.start, 9, 0, p.torque_kernel, lanes.WIDTH, TORQUE)
    code = next(iter(loop.inspect_asm().values()))
    vector = "%zmm" if lanes.HALF == 8 else "%ymm"
    in_vectors = sum(("vmulpd" in x or "vaddpd" in x or "vsubpd" in x) and vector in x for x in code.splitlines())
    single = sum("mulsd" in x or "addsd" in x or "subsd" in x for x in code.splitlines())
    if "vmulpd" not in code:
        pytest.skip("not x86 with AVX")
    assert in_vectors > 300 and single < 20
    assert not any("vfm" in x for x in code.splitlines()), "fused multiply-add would change bits"


# ---- misuse ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (dict(Q0=np.zeros((4, 3)), Omega0=np.ones((5, 3))), "different numbers of bodies: Q0 4, Omega0 or Pi0 5"),
        (dict(Omega0=np.ones((5, 2))), r"Omega0 has shape \(5, 2\)"),
        (dict(Omega0=np.ones((5, 3)), Pi0=np.ones((5, 3))), "both were given"),
        (dict(Q0=np.ones((4, 3, 3))), "Q0 of body 0 is not a rotation"),
        (dict(Q0=np.ones((3, 3))), "go through Rotation.from_rotvec"),
        (dict(Q0=np.ones((2, 4))), r"Q0 has shape \(2, 4\)"),
        (dict(inertia=np.ones((4, 2))), r"inertia has shape \(4, 2\)"),
        (dict(inertia=[(1, 1, 1), (1, -1, 1)]), "principal moments of body 1"),
        (dict(inertia=np.broadcast_to(np.eye(3), (2, 3, 3))), "written in principal axes"),
        (dict(parameters=np.ones((2, 17))), "at most 16"),
        (dict(threads=0), "threads is 0"),
        (dict(save_every=0), "save_every is 0"),
    ],
)
def test_misuse_is_told(given, told):
    with pytest.raises(ph.InputError, match=told):
        solve_ensemble("stress", "VLV", h=0.125, n_steps=3, **given)


def test_problems_that_do_not_belong_together():
    with pytest.raises(ph.InputError, match="problem 1 has other functions"):
        solve_ensemble([ph.problem("stress"), ph.problem("heavy-top")], "VLV", h=0.1, n_steps=2)
    with pytest.raises(ph.InputError, match="at least one body"):
        solve_ensemble([], "VLV", h=0.1, n_steps=2)
    with pytest.raises(ph.InputError, match="must be a Problem"):
        solve_ensemble(3, "VLV", h=0.1, n_steps=2)
    with pytest.raises(ph.InputError, match="give a dictionary"):
        solve_ensemble(ph.Problem(**START, torque=indexed), "VLV", parameters=[(1,)], h=0.1, n_steps=2)


def test_a_body_that_does_not_exist_in_space_is_warned_of():
    with pytest.warns(UserWarning, match=r"No body in space .* \(body 1\)"):
        solve_ensemble("stress", "VLV", inertia=[(1, 1, 1), (1, 1, 3)], h=0.125, n_steps=2)


def test_lanes_have_no_truth_value():
    """Code that branches on a number must not compile in lanes: it would decide for all bodies by one of them."""
    from polhode.machine import CannotCompile

    def torque(t, Q, par):
        if Q[0] > 0:
            return (0 * Q[0], 0 * Q[0], 0 * Q[0])
        return (Q[0], Q[1], Q[2])

    m = ph.method("ELN")
    with pytest.raises(CannotCompile):
        ensemble_loop.loop(m.step, m.start, 9, 0, torque)


def test_the_example_of_the_contract():
    p = ph.problem("stress")
    e = solve_ensemble(p, "VLV", Q0=starts(4)[0], Omega0=starts(4)[1], h=0.125, t_end=10, save_every=8, threads=None)
    assert e.Q.shape == (11, 4, 3, 3) and pathlib.Path(ph.__file__).exists()
