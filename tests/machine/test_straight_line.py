"""Users' functions as straight lines of arithmetic: what is traced computes the same, and nothing else is traced."""

import math

import numba
import numpy as np
import pytest

import polhode as ph
from polhode.inputs.scipy_rotation import Rotation
from polhode.machine.straight_line import straightened

START = dict(inertia=(1, 2, 2.5), Q0=(1.0, 2.0, 0.4), Omega0=(1, 0.3, 0.1))
TENSOR = dict(inertia=np.diag([1, 2, 2.5]) + 0.1, Q0=(1.0, 2.0, 0.4), Omega0=(1, 0.3, 0.1))
M = np.array([[1.0, 2.0, 0.5], [0.0, 1.5, -1.0], [0.3, 0.2, 0.1]])
E = (0.0, 0.6, 0.8)
SEEN: list[float] = []
COUNT = np.zeros(1)


def helper(a, b=2.0):
    return a @ M.T * b


def with_matrices(t, Q):
    A = M.T @ Q - Q.T
    return np.cross(A[0], E) * np.trace(Q @ A) + helper(Q[:, 1]) / np.linalg.norm(A[2]) + np.outer(E, E).sum(axis=1)


def with_lists(t, Q):
    out = np.zeros(3)
    for i in range(3):
        out[i] = sum([Q[i, j] * math.cos(t + j) for j in range(3)]) ** 2 + sum(Q[k, i] for k in range(2))
    out += np.array([t, 0.0, 1.0]) ** 1.5 / (2 + Q[0] ** 3)
    return [out[2], abs(out[1]), -(out[0] ** -1)]


def with_parameters(t, Q, Omega, p):
    return p.k * np.cross(Q.T @ p.m, np.array(E)) - p.C @ Omega * np.exp(-t)


PARAMETERS = {"k": 1.5, "m": (0.0, 1.0, 2.0), "C": M.tolist()}


def potential(Q):
    z = Q.T @ np.array(E)
    return (M * Q).sum() ** 3 + np.sqrt(4 + z @ M @ z) - np.exp(Q[2, 1]) * np.log(5 + np.trace(Q)) / (2 + z[0] ** 2)


def every_function(Q):
    x, y = 0.3 * Q[0, 1], 2.5 + Q[1, 2]
    waves = np.sin(x) + 2 * np.cos(y) - np.tan(x) + np.sinh(x) * np.cosh(y) - np.tanh(Q[2, 2])
    inverse = np.arcsin(x) - 2 * np.arccos(x) + np.arctan(y) + np.arcsinh(y) + np.arccosh(y) - np.arctanh(x)
    growth = np.exp2(x) + np.expm1(y) + np.log1p(y) + np.log2(y) * np.log10(y) + y**2.5 + 2.0**x + np.square(x) / y
    return waves + inverse * np.reciprocal(y) - growth


def timed(t, Q, p):
    return p.k * np.cos(t) * (Q.T @ p.m)[2] ** 2


GIVEN = {
    "matrices": dict(torque=with_matrices),
    "lists": dict(torque=with_lists),
    "space": dict(torque_space=with_matrices),
    "velocity": dict(torque=with_parameters, parameters=PARAMETERS),
    "velocity in space": dict(torque_space=with_parameters, parameters=PARAMETERS),
    "potential": dict(potential=potential),
    "functions": dict(potential=every_function),
    "timed": dict(potential=timed, parameters={"k": 2.0, "m": (0.0, 1.0, 2.0)}),
}


@pytest.mark.parametrize("start", [START, TENSOR], ids=["moments", "tensor"])
@pytest.mark.parametrize("what", GIVEN)
def test_lines_compute_what_the_function_does(what, start):
    """Against the function itself, interpreted, a potential by the complex step: at random times and attitudes."""
    problem = ph.Problem(**GIVEN[what], **start)
    kernel = problem.moving_kernels["pull"] or problem.torque_kernel
    line = straightened(kernel)
    assert line is not None
    rng = np.random.default_rng(1)
    velocity = (tuple(rng.normal(size=3)),) * what.startswith("velocity")
    for Q in Rotation().random(20, rng=rng).as_matrix():
        given = (rng.uniform(), tuple(Q.ravel().tolist()), *velocity, problem.parameters)
        want = np.array(kernel(*given))
        assert np.abs(np.array(line(*given)) - want).max() < 1e-12 * (1 + np.abs(want).max())


def counted(t, Q):
    SEEN.append(1.0)
    return Q[0, 1], Q[1, 2], t


def written(t, Q):
    COUNT[0] += 1.0
    return Q[0, 1], Q[1, 2], COUNT[0]


def at_random(t, Q):
    return Q[0, 1], np.random.normal(), t


def printed(t, Q):
    print(t)
    return Q[0, 1], Q[1, 2], t


def caught(t, Q):
    try:
        return (Q[0, 1], Q[1, 2], t) if Q[0, 0] > 0 else (t, t, t)
    except TypeError:
        return Q[0, 0], t, t


def branched(t, Q):
    return (Q[0, 1], t, t) if Q[0, 0] > 0 else (t, t, t)


def largest(t, Q):
    return max(Q[0, 0], t), Q[1, 2], t


def single(t, Q):
    return np.float32(0.1) * Q[0, 0], Q[1, 2], t


def imported(t, Q):
    import random

    return Q[0, 1], random.random(), t


def typed(t, Q):
    return (Q[0, 1], t, t) if Q.dtype == np.float64 else (t, t, t)


@numba.njit
def compiled(t, Q):
    return Q[0, 1], Q[1, 2], t


def long(t, Q):
    x = t
    for k in range(1000):
        x = x * Q[0, 0] + k
    return x, t, t


NOT_TRACED = [counted, written, at_random, printed, caught, branched, largest, single, imported, typed, compiled, long]


@pytest.mark.parametrize("torque", NOT_TRACED, ids=lambda f: f.__name__)
def test_what_does_more_than_compute_is_not_traced(torque):
    problem = ph.Problem(torque=torque, **START)
    calls, before = len(SEEN), COUNT[0]
    assert straightened(problem.torque_kernel) is None
    assert len(SEEN) == calls and COUNT[0] == before


def test_a_nonlocal_is_not_traced():
    n = 0.0

    def torque(t, Q):
        nonlocal n
        n += 1.0
        return Q[0, 1], n, t

    problem = ph.Problem(torque=torque, **START)
    before = n
    assert straightened(problem.torque_kernel) is None and n == before


@pytest.mark.parametrize("what", ["lists", "functions"])
def test_they_run_in_lanes_with_the_bits_of_one_body(what):
    problem = ph.Problem(**GIVEN[what], **START)
    Omega0 = np.linspace(0.2, 1.5, 17)[:, None] * np.array([0.1, 1.0, 0.3])
    many = ph.solve_ensemble(problem, "VLV", Omega0=Omega0, h=0.01, n_steps=20)
    assert many.stats["lanes"] > 1 and not many.stats["reason"]
    for i in (0, 8, 16):
        alone = ph.solve(problem.replaced(Omega0=Omega0[i]), "VLV", h=0.01, n_steps=20)
        assert np.array_equal(many[i].Q, alone.Q) and np.array_equal(many[i].Omega, alone.Omega)


def test_a_potential_conserves_its_energy_with_stages_in_lanes():
    s = ph.solve(ph.Problem(potential=potential, **TENSOR), "GAUSS8", h=0.01, n_steps=100)
    assert s.stats["compiled"] and np.abs(s.energy_error).max() < 1e-11 * np.abs(s.energy).max()
