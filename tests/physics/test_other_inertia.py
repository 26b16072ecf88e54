"""What is derived from the inertia follows when the inertia changes: torque, start, invariants, energy."""

import numpy as np
import pytest

import polhode as ph
from polhode.inputs.principal import attitude, eigen, in_body, in_principal, velocity

START = dict(Q0=(0.6, -0.3, 0.2), Omega0=(0.4, -0.3, 0.5))
BUILDERS = {
    "satellite": lambda J: ph.build.satellite(inertia_body=J, orbit_rate=1.3, **START),
    "heavy-body": lambda J: ph.build.heavy_body(
        mass=2.0, centre_of_mass_body=(0.1, -0.2, 0.3), inertia_pivot_body=J, **START
    ),
    "magnetic-dipole": lambda J: ph.build.magnetic_dipole(
        inertia_body=J, moment_body=(0.3, 0.2, -0.5), field_space=(0.1, 1.0, 2.0), **START
    ),
    "wall": lambda J: ph.build.wall(
        inertia_body=J, point_body=(0.1, 0.2, 0.9), distance=1.1, attraction=1.0, repulsion=0.01, Pi0=(0.5, 0.4, 0.3)
    ),
}
MOMENTS = np.array([(1.5, 1.5, 2.0), (2.1, 2.1, 1.1), (1.0, 1.0, 1.9)])  # a top is symmetric
TENSORS = np.array(
    [
        [[2.0, 0.3, -0.1], [0.3, 1.6, 0.2], [-0.1, 0.2, 2.4]],
        [[1.5, -0.2, 0.3], [-0.2, 2.2, 0.1], [0.3, 0.1, 1.9]],
    ]
)


def named(name):
    return lambda J: ph.problem(name, inertia=J)


CASES = {
    **{f"{name}, moments": (make, MOMENTS) for name, make in BUILDERS.items()},
    **{f"{name}, tensors": (make, TENSORS) for name, make in BUILDERS.items()},
    **{name: (named(name), MOMENTS) for name in ph.problems() if ph.problem(name).internal.wheels is None},
}


@pytest.fixture(params=CASES, scope="module")
def case(request):
    make, inertias = CASES[request.param]
    problem = make((1.2, 1.2, 1.7))
    return make, inertias, ph.solve_ensemble(problem, "VLV", inertia=inertias, h=0.05, n_steps=12, save_every=4)


def assert_same(one, other):
    """Two trajectories with the same bits, whose problems say the same of them."""
    for name in ("t", "Q", "Omega", "momentum") + ("energy",) * one.problem.has_potential:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert list(one.problem.invariants) == list(other.problem.invariants)
    for name in one.problem.invariants:
        assert np.allclose(one.invariant(name), other.invariant(name), rtol=1e-14, atol=1e-14), name  # sums of NumPy
    Q, Omega = one.Q[-1], one.Omega[-1]
    assert one.problem.torque(0.7, Q, Omega).tobytes() == other.problem.torque(0.7, Q, Omega).tobytes()
    if hasattr(one.problem, "jacobi"):
        assert one.problem.jacobi(0.7, Q, Omega) == other.problem.jacobi(0.7, Q, Omega)


def test_each_body_is_the_problem_built_with_its_inertia(case):
    make, inertias, ensemble = case
    assert ensemble.success.all()
    for i, J in enumerate(inertias):
        assert_same(ensemble[i], ph.solve(make(J), "VLV", h=0.05, n_steps=12, save_every=4))


def test_a_problem_with_another_inertia_is_the_one_built_with_it(case):
    make, inertias, _ = case
    problem = make((1.2, 1.2, 1.7)).replaced(inertia=inertias[0])
    built = make(inertias[0])
    assert_same(*(ph.solve(p, "VLV", h=0.05, n_steps=12, save_every=4) for p in (problem, built)))
    assert np.array_equal(problem.inertia, built.inertia) and problem.parameters == built.parameters


def test_the_invariants_of_a_body_stay_constant_along_its_motion():
    e = ph.solve_ensemble("heavy-top", "VLV", inertia=[(1.6, 2.0, 1.1), (2.6, 2.0, 1.4)], h=0.05, n_steps=200)
    for i in range(2):
        values = e[i].invariant("vertical momentum")
        assert np.ptp(values) < 1e-12
    assert e[0].invariant("vertical momentum")[0] != e[1].invariant("vertical momentum")[0]


def test_a_top_that_loses_its_symmetry_loses_an_invariant():
    symmetric = ph.problem("lagrange-top")
    assert "momentum about the axis of the top" in symmetric.invariants
    assert "momentum about the axis of the top" not in symmetric.replaced(inertia=(1.0, 0.9, 0.3)).invariants


def test_problems_of_a_sequence_follow_each_for_itself():
    kinds = [ph.build.satellite(inertia_body=(1.0, 1.2, 1.4), orbit_rate=n, **START) for n in (0.7, 1.9)]
    J = [(1.5, 1.1, 2.0), (2.1, 1.8, 1.1)]
    e = ph.solve_ensemble(kinds, "VLV", inertia=J, h=0.05, n_steps=8)
    for i, n in enumerate((0.7, 1.9)):
        anew = ph.build.satellite(inertia_body=J[i], orbit_rate=n, **START)
        assert_same(e[i], ph.solve(anew, "VLV", h=0.05, n_steps=8))


def test_the_velocity_follows_where_the_momentum_was_given():
    J = (0.7, 0.9, 1.1)
    by_Pi, by_Omega = ph.problem("asymmetric"), ph.problem("free-body")
    assert np.array_equal(by_Pi.replaced(inertia=J).Omega0, np.array((1.8, 0.4, -0.9)) / J)
    assert np.array_equal(by_Omega.replaced(inertia=J).Omega0, by_Omega.Omega0)
    assert np.array_equal(by_Pi.replaced(inertia=J, Omega0=(1, 2, 3)).Omega0, (1, 2, 3))
    assert np.array_equal(by_Omega.replaced(inertia=J, Pi0=(0.7, 1.8, 3.3)).Omega0, np.array((0.7, 1.8, 3.3)) / J)
    assert np.array_equal(by_Pi.replaced(Omega0=(1, 2, 3)).replaced(inertia=J).Omega0, (1, 2, 3))


def test_what_cannot_follow_is_refused():
    satellite = BUILDERS["satellite"](MOMENTS[0])
    numbers = np.array([satellite.parameters, satellite.parameters])
    with pytest.raises(ph.InputError, match="follow from its inertia: give inertia or parameters"):
        ph.solve_ensemble(satellite, "VLV", inertia=MOMENTS[:2], parameters=numbers, h=0.1, n_steps=1)
    numbers[:, 9] = 2.0
    body = ph.solve_ensemble(satellite, "VLV", parameters=numbers, h=0.1, n_steps=1)[0].problem
    with pytest.raises(ph.InputError, match="were given as numbers: build the problem anew"):
        body.replaced(inertia=MOMENTS[1])
    with pytest.raises(ph.InputError, match="written in principal axes"):
        ph.problem("stress").replaced(inertia=TENSORS[0])
    with pytest.raises(ph.InputError, match="must be positive"):
        satellite.replaced(inertia=(1.0, 2.0, -1.0))


# ---- principal axes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["generic", "nearly diagonal", "nearly a sphere", "large and small", "two alike"])
def test_principal_axes_are_right_to_round_off(kind, rng):
    for _ in range(200):
        A = rng.normal(size=(3, 3))
        J = {
            "generic": A @ A.T,
            "nearly diagonal": np.diag(rng.uniform(1, 2, 3)) + 1e-9 * (A + A.T),
            "nearly a sphere": np.eye(3) + 1e-15 * (A + A.T),
            "large and small": A @ A.T * 2.0 ** rng.integers(-900, 900),
            "two alike": np.eye(3) + np.outer(A[0], A[0]),
        }[kind]
        J = (J + J.T) / 2
        moments, P = eigen(J)
        assert np.abs(P @ np.diag(moments) @ P.T - J).max() <= 4e-15 * np.abs(J).max()
        assert np.abs(P.T @ P - np.eye(3)).max() <= 4e-15
        assert np.linalg.det(P) > 0 and (np.diff(moments) >= 0).all()


def test_diagonal_tensors_are_permuted_and_nothing_else():
    moments, P = eigen(np.diag([3.0, 1.0, 2.0]))
    assert moments.tolist() == [1.0, 2.0, 3.0]
    assert np.array_equal(np.abs(P), [[0, 0, 1], [1, 0, 0], [0, 1, 0]]) and np.linalg.det(P) == 1
    assert all(np.array_equal(a, b) for a, b in zip(eigen(np.eye(3)), (np.ones(3), np.eye(3))))


def test_numbers_that_overflow_end_in_a_sentence():
    with pytest.raises(ph.InputError, match="choose a larger unit"):
        ph.Problem(inertia=np.full((3, 3), 1e308) + np.diag([7e307] * 3), Omega0=(0, 0, 1))


def test_a_stack_has_the_bits_of_its_members(rng):
    P = np.array([eigen(A @ A.T)[1] for A in rng.normal(size=(20, 3, 3))])
    v, Q, moments = rng.normal(size=(20, 3)), P[::-1].copy(), rng.uniform(1, 2, (20, 3))
    stacks = in_body(P, v), in_principal(P, v), attitude(Q, P), velocity(moments, P, v)
    for i in range(20):
        alone = in_body(P[i], v[i]), in_principal(P[i], v[i]), attitude(Q[i], P[i]), velocity(moments[i], P[i], v[i])
        assert all(np.array_equal(a[i], b) for a, b in zip(stacks, alone))
    assert np.allclose(stacks[0], np.einsum("nij,nj->ni", P, v), rtol=0, atol=1e-14)
    assert np.allclose(stacks[1], np.einsum("nji,nj->ni", P, v), rtol=0, atol=1e-14)
    assert np.allclose(stacks[2], Q @ P, rtol=0, atol=1e-14)
