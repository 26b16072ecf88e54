"""Users' functions as machine code, in lanes and interpreted: the same values, or none."""

import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

import polhode as ph

FUZZ = pathlib.Path(__file__).parents[2] / "scripts" / "fuzz_functions.py"
START = dict(inertia=(1, 2, 2.5), Q0=(1.0, 2.0, 0.4), Omega0=(1, 0.3, 0.1))
EXPONENTS = np.array([1, 2, 3])


def potential_with_powers(Q):
    """Every form of a power, of numbers of both signs."""
    x = Q[1, 2] - 0.9
    x **= 3
    y = Q[0] - 0.8
    y **= 2
    powers = Q[1, 2] ** 3 + Q[0, 1] ** 4 + Q[2, 0] ** 3.0 + np.power(Q[0, 0], 5) + pow(Q[2, 1], 3) + (Q[0, 2] - 3) ** -3
    return powers + (Q**3).sum() + (Q[1] ** EXPONENTS).sum() + 0.1 * 2.0 ** Q[0, 0] + np.expm1(Q[1, 1]) + x + y.sum()


def test_a_potential_with_powers_is_the_same_compiled_and_interpreted():
    problem = ph.Problem(potential=potential_with_powers, **START)
    fast, slow = (ph.solve(problem, "VLV", h=0.01, n_steps=200, compiled=x) for x in (True, False))
    assert np.abs(fast.Omega - slow.Omega).max() < 1e-12
    assert np.abs(fast.energy_error).max() < 1e-3


def test_every_function_of_complex_numbers_keeps_the_complex_step():
    """All ufuncs that Numba compiles, in one potential: a sum, each with a weight of its own."""
    names = "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt square reciprocal arcsin arccos arctan"
    names += " arcsinh arccosh arctanh negative positive"
    below = {"arcsin", "arccos", "arctanh"}
    terms = [
        f"{0.1 + 0.03 * i} * np.{name}({'0.4 * ' if name in below else '2.5 + '}Q[{i % 3}, {i // 3 % 3}])"
        for i, name in enumerate(names.split())
    ]
    space = {"np": np}
    exec("def U(Q):\n    return " + " + ".join(terms), space)
    problem = ph.Problem(potential=space["U"], **START)
    fast, slow = (ph.solve(problem, "VLV", h=0.01, n_steps=20, compiled=x) for x in (True, False))
    assert np.abs(fast.Omega - slow.Omega).max() < 1e-13


def raises_late(t, Q):
    """Raises when half the time is over."""
    if t > 0.523:
        raise ValueError("past the end")
    return Q[0, 1], Q[1, 2], t


def leaves_the_array(t, Q):
    """An index that is not there, when half the time is over."""
    k = 3 if t > 0.523 else 1
    return Q[0, k - 1], Q[1, k], t


@pytest.mark.parametrize("torque", [raises_late, leaves_the_array])
@pytest.mark.parametrize("reduce", [(), ("momentum",)])
def test_what_was_computed_before_a_torque_raises_is_kept(torque, reduce):
    problem = ph.Problem(torque=torque, **START)
    fast, slow = (
        ph.solve(problem, "VLV", h=0.001, n_steps=1000, save_every=10, compiled=x, reduce=reduce) for x in (True, False)
    )
    assert fast.stats["compiled"] and not fast.success and fast.stats["n_steps"] == 523
    assert fast.message == slow.message and ("ValueError" in fast.message or "IndexError" in fast.message)
    assert np.array_equal(fast.Q, slow.Q) and np.array_equal(fast.Omega, slow.Omega) and len(fast.t) == 53
    assert str(fast.reductions) == str(slow.reductions)


def factorials(t, Q):
    """Whole numbers beyond 64 bits, for a while."""
    n = 1
    if 0.1 < t < 0.105:
        for k in range(1, 25):
            n *= k
    return Q[0, 1], Q[1, 2] + n % 7, t


def test_whole_numbers_beyond_64_bits():
    problem = ph.Problem(torque=factorials, **START)
    with pytest.warns(UserWarning, match="machine code raised OverflowError"):
        fast = ph.solve(problem, "VLV", h=0.001, n_steps=200)
    slow = ph.solve(problem, "VLV", h=0.001, n_steps=200, compiled=False)
    assert fast.success and np.array_equal(fast.Omega, slow.Omega)


def test_conditions_that_are_added_are_not_compiled():
    problem = ph.Problem(torque=lambda t, Q: ((Q[0, 0] > -2) + (Q[1, 1] > -2), 0.0, 0.0), **START)
    with pytest.warns(UserWarning, match="conditions that are added"):
        s = ph.solve(problem, "VLV", h=0.01, n_steps=5)
    assert not s.stats["compiled"]
    assert problem.torque(0.0, np.eye(3)).tolist() == [1.0, 0.0, 0.0]  # as NumPy adds them


def turned(t, Q):
    """Raises for a body that has turned, and returns an array."""
    if Q[0, 0] < 0.5:
        raise ValueError("turned")
    return Q.sum(axis=0)


@pytest.mark.parametrize(
    "torque", [turned, raises_late, lambda t, Q: Q.sum(axis=0), lambda t, Q: [Q[0, 1], Q[1, 2], t * Q[0, 0]]]
)
def test_ensembles_of_torques_that_raise_or_return_arrays_and_lists(torque):
    problem = ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0, 0, 1))
    Omega0 = np.linspace(0, 1.5, 21)[:, None] * np.array([0.1, 1.0, 0.3])
    many = ph.solve_ensemble(problem, "VLV", Omega0=Omega0, h=0.01, n_steps=73, save_every=10, threads=2)
    ok = {turned: (1, 20), raises_late: (0, 0)}.get(torque, (21, 21))
    assert ok[0] <= many.success.sum() <= ok[1]
    for i in range(21):
        alone = ph.solve(problem.replaced(Omega0=Omega0[i]), "VLV", h=0.01, n_steps=73, save_every=10)
        assert np.array_equal(many[i].Q, alone.Q) and np.array_equal(many[i].Omega, alone.Omega)
        assert many[i].success == alone.success and alone.message in many[i].message


def test_a_torque_of_another_length_is_an_error():
    """In a branch that the start does not see; two numbers would be read with a third from somewhere."""
    torque = lambda t, Q: Q[0, :2] if t > 0.05 else Q[0, :3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = ph.solve(ph.Problem(torque=torque, **START), "VLV", h=0.01, n_steps=10, on_failure="return")
    assert s.stats["compiled"] and not s.success and "2 numbers, not three" in s.message


def test_generated_functions(tmp_path):
    """Torques and potentials, 120 in all, in a process of their own: a crash is a failure with what crashed it.

    One process: Numba compiles what it has of NumPy anew in each, which is most of the time.
    """
    log = tmp_path / "log"
    log.write_text("nothing yet")
    command = [sys.executable, str(FUZZ), "--seed", "0", "--count", "60", "--log", str(log)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, f"{done.stdout}{done.stderr[-2000:]}\nat work: {log.read_text()}"
