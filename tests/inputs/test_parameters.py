"""Parameters of users' functions: by name, one by one, in every arithmetic, for each body; nothing compiled twice."""

import pickle
import warnings

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.machine import COMPILED, lanes

J, START = (1, 2, 2.5), dict(Omega0=(1, 0.2, 0.3), Q0=(0.3, 0.2, 0.1))
RUN = dict(h=0.02, n_steps=40)


def torque(t, Q, p):
    """Numbers and arrays."""
    return p.k * Q[2, 1], -p.k * Q[2, 0], p.m[2] * Q[0, 0] + p.A[0, 1] * t


def the_same_one_by_one(t, Q, k, m, A):
    """As `torque`, for args."""
    return k * Q[2, 1], -k * Q[2, 0], m[2] * Q[0, 0] + A[0, 1] * t


def potential(Q, p):
    """A potential with parameters."""
    return p.k * Q[2, 2] + p.m @ Q[:, 0]


VALUES = {"k": 2.0, "m": (0, 0, 1), "A": [[1.0, 0.5], [0, 2]]}


def body(**more):
    return ph.Problem(inertia=J, torque=torque, parameters=VALUES, **START, **more)


def written_out(k=2.0, m=(0, 0, 1), A=((1.0, 0.5), (0, 2))):
    """The same torque with its values inside."""
    m, A = np.array(m, float), np.array(A, float)
    inside = lambda t, Q: (k * Q[2, 1], -k * Q[2, 0], m[2] * Q[0, 0] + A[0, 1] * t)
    return ph.Problem(inertia=J, torque=inside, **START)


@pytest.mark.parametrize("method", ["VLV", "RKMK4", "GAUSS8"])
def test_parameters_by_name_one_by_one_and_written_out_are_the_same(method):
    one_by_one = ph.Problem(inertia=J, torque=the_same_one_by_one, args=tuple(VALUES.values()), **START)
    runs = [ph.solve(p, method, **RUN) for p in (body(), one_by_one, written_out())]
    assert all(r.stats["compiled"] for r in runs)
    assert all(np.array_equal(runs[0].Omega, r.Omega) for r in runs)
    assert np.array_equal(ph.solve(body(), method, compiled=False, **RUN).Omega, runs[0].Omega)


def test_other_values_compile_nothing_and_are_those_of_a_problem_made_with_them():
    ph.solve(body(), "VLV", **RUN)
    before = len(COMPILED)
    other = body().replaced(k=5.0, m=(1, 2, 3), Omega0=(0, 1, 0))
    s = ph.solve(other, "VLV", **RUN)
    assert len(COMPILED) == before
    made = written_out(k=5.0, m=(1, 2, 3)).replaced(Omega0=(0, 1, 0))
    assert np.array_equal(s.Omega, ph.solve(made, "VLV", **RUN).Omega)
    again = ph.Problem(inertia=J, torque=the_same_one_by_one, args=tuple(VALUES.values()), **START)
    again = again.replaced(args=(5.0, (1, 2, 3), VALUES["A"]), Omega0=(0, 1, 0))
    assert np.array_equal(ph.solve(again, "VLV", **RUN).Omega, s.Omega)


def test_a_potential_with_parameters_and_a_tensor_of_inertia():
    tensor = np.array([[1.2, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]])
    given = dict(inertia=tensor, potential=potential, parameters={"k": 2.0, "m": (0, 0.5, 1)}, **START)
    s = ph.solve(ph.Problem(**given), "RKN8", h=0.05, n_steps=40)
    assert s.stats["compiled"] and np.abs(s.energy_error).max() < 1e-8
    a, b = ph.Problem(**given).replaced(k=3.0), ph.Problem(**given | {"parameters": {"k": 3.0, "m": (0, 0.5, 1)}})
    assert a.potential(a.Q0) == b.potential(b.Q0) and np.array_equal(a.torque(0, a.Q0), b.torque(0, b.Q0))
    bodies = ph.solve_ensemble(ph.Problem(**given), "VLV", parameters={"k": np.array([1.0, 2, 3])}, h=0.01, n_steps=50)
    assert np.abs(bodies.energy_error).max() < 1e-2


def test_each_body_has_its_own_parameters_and_inertia_and_the_bits_of_a_run_alone():
    N, rng = lanes.WIDTH + 3, np.random.default_rng(1)
    k, m, Js = rng.normal(size=N), rng.normal(size=(N, 3)), np.eye(3) * rng.uniform(1, 1.5, (N, 3))[:, None] + 0.05
    e = ph.solve_ensemble(body(), "VLV", parameters={"k": k, "m": m}, inertia=Js, **RUN)
    assert e.stats["lanes"] == lanes.WIDTH
    for i in (0, N // 2, N - 1):
        alone = body().replaced(k=k[i], m=m[i], inertia=Js[i])
        assert np.array_equal(ph.solve(alone, "VLV", **RUN).Omega, e.Omega[:, i])
        assert np.array_equal(ph.solve(e[i].problem, "VLV", **RUN).Omega, e.Omega[:, i])
    shared = ph.solve_ensemble(body(), "VLV", parameters={"k": k, "m": (1, 2, 3)}, **RUN)
    assert np.array_equal(shared.Omega[:, 1], ph.solve(body().replaced(k=k[1], m=(1, 2, 3)), "VLV", **RUN).Omega)
    kinds = [body().replaced(k=x) for x in k[:3]]
    assert np.array_equal(ph.solve_ensemble(kinds, "VLV", **RUN).Omega, e_of(k[:3]).Omega)


def e_of(k):
    return ph.solve_ensemble(body(), "VLV", parameters={"k": k}, **RUN)


def test_any_number_of_parameters():
    many = lambda t, Q, p: (p.a[99] * Q[0, 1], p.a[0] * Q[1, 1], p.b[1, 2] * t)
    given = {"a": np.linspace(0, 1, 100), "b": np.arange(6.0).reshape(2, 3)}
    p = ph.Problem(inertia=J, torque=many, parameters=given, **START)
    e = ph.solve_ensemble(p, "VLV", Omega0=np.ones((5, 3)), **RUN)
    alone = ph.solve(p.replaced(Omega0=(1, 1, 1)), "VLV", compiled=False, **RUN)
    assert e.stats["lanes"] == lanes.WIDTH and np.array_equal(e.Omega[:, 2], alone.Omega)


def test_complex_numbers_and_fifty_digits():
    p = body()
    Q = tuple(np.eye(3).ravel() + 0j)
    shifted = (*p.parameters[:9], p.parameters[9] + 1e-30j, *p.parameters[10:])
    x, y, _ = p.torque_kernel(0.0, (0j, *Q[1:7], 0.3 + 0j, Q[8]), shifted)
    assert x.imag == pytest.approx(0.3e-30) and y == 0
    with mpmath.workdps(50):
        tau = p.torque_kernel(mpmath.mpf(1) / 3, tuple(map(mpmath.mpf, np.eye(3).ravel().tolist())), p.parameters)
        assert abs(tau[2] - (1 + mpmath.mpf(1) / 6)) < mpmath.mpf(10) ** -45


def test_it_pickles_also_after_use():
    p = body()
    s = ph.solve(p, "VLV", **RUN)
    other = pickle.loads(pickle.dumps(p)).replaced(k=2.0)
    assert np.array_equal(ph.solve(other, "VLV", **RUN).Omega, s.Omega)


BAD = {
    "parameters is 3": lambda: ph.Problem(inertia=J, torque=torque, parameters=3, **START),
    "not both": lambda: ph.Problem(inertia=J, torque=torque, parameters={"k": 1}, args=(1,), **START),
    "cannot be the name": lambda: ph.Problem(inertia=J, torque=torque, parameters={"a b": 1}, **START),
    "for other things": lambda: ph.Problem(inertia=J, torque=torque, parameters={"t0": 1}, **START),
    r"parameters\['k'\] is nan": lambda: ph.Problem(inertia=J, torque=torque, parameters={"k": np.nan}, **START),
    r"args\[0\] is 'x'": lambda: ph.Problem(inertia=J, torque=torque, args=("x",), **START),
    "No function takes the parameters": lambda: ph.Problem(
        inertia=J, torque=lambda t, Q: (0, 0, t), parameters={"k": 1}, **START
    ),
    "none was given": lambda: ph.Problem(inertia=J, parameters={"k": 1}, **START),
    r"torque takes 5 arguments; it is called as torque\(t, Q\)": lambda: ph.Problem(
        inertia=J, torque=the_same_one_by_one, **START
    ),
    r"called as torque\(t, Q, arg0\) or": lambda: ph.Problem(
        inertia=J, torque=the_same_one_by_one, args=(1.0,), **START
    ),
    "no parameter 'kk'. It has k, m, A": lambda: body().replaced(kk=1),
    "without parameters=": lambda: written_out().replaced(k=1),
    "without args=": lambda: body().replaced(args=(1,)),
    r"has shape \(2,\); the problem was made with shape \(3,\)": lambda: body().replaced(m=(1, 2)),
    r"for N bodies give \(N, 3\)": lambda: ph.solve_ensemble(body(), "VLV", parameters={"m": np.ones((4, 2))}, **RUN),
    r"for N bodies give \(N,\)": lambda: ph.solve_ensemble(body(), "VLV", parameters={"k": np.ones((4, 2))}, **RUN),
    "given for 3 bodies": lambda: ph.solve_ensemble(
        body(), "VLV", parameters={"k": np.ones(4), "m": np.ones((3, 3))}, **RUN
    ),
    "different numbers of bodies": lambda: ph.solve_ensemble(
        body(), "VLV", parameters={"k": np.ones(4)}, inertia=np.ones((3, 3, 3)) * np.eye(3), **RUN
    ),
    "no parameter 'q'": lambda: ph.solve_ensemble(body(), "VLV", parameters={"q": np.ones(4)}, **RUN),
    "give a dictionary": lambda: ph.solve_ensemble(body(), "VLV", parameters=np.ones((4, 2)), **RUN),
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence):
    with pytest.raises(ph.InputError, match=sentence), warnings.catch_warnings():
        warnings.simplefilter("error")
        BAD[sentence]()
