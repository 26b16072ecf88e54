"""Compilation under control: how much is compiled, when the cache hits, and that a step allocates nothing."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import polhode as ph

PROGRAM = """
import json, sys
import polhode as ph
from polhode.machine import COMPILED
U = lambda Q: Q[2, 2] + FACTOR * Q[0, 1]
p = ph.Problem(inertia=(1, 2, 2.5), potential=U, Omega0=(0.1, 1, 0))
a = ph.solve("stress", "VLV", h=0.125, n_steps=100)
b = ph.solve(p, "VLV", h=0.125, n_steps=100)
print(json.dumps({"compiled": COMPILED, "ends": [a.Omega[-1].tolist(), b.Omega[-1].tolist()]}))
"""


def run(cache, source, factor="0.5"):
    """Run the program in a new process; what was compiled, and where the two runs ended."""
    environment = {**os.environ, "POLHODE_CACHE": str(cache), "PYTHONPATH": str(source)}
    program = PROGRAM.replace("FACTOR", factor)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_cache_hits_in_a_second_process_and_notices_edits(tmp_path):
    source = tmp_path / "src"
    shutil.copytree(pathlib.Path(ph.__file__).parent, source / "polhode")
    cache = tmp_path / "cache"
    first = run(cache, source)
    assert not any(hit for _, hit in first["compiled"])
    files = sorted(cache.rglob("*"))

    second = run(cache, source)
    assert second == {"compiled": [[name, True] for name, _ in first["compiled"]], "ends": first["ends"]}
    assert sorted(cache.rglob("*")) == files, "the cache grew although nothing changed"

    third = run(cache, source, factor="0.25")  # another torque of the user's: only it is compiled
    assert [name for name, hit in third["compiled"] if not hit] == ["torque"]
    assert third["ends"][0] == first["ends"][0] and third["ends"][1] != first["ends"][1]

    equations = source / "polhode" / "integrators" / "parts" / "equations.py"  # a kernel two calls below the step
    text = equations.read_text()
    assert "a = 1 + dot(e, e)" in text
    equations.write_text(text.replace("a = 1 + dot(e, e)", "a = 1 + 2 * dot(e, e)"))
    fourth = run(cache, source)
    assert [name for name, hit in fourth["compiled"] if not hit] == ["loop-vlv_step-9-0-float64"]
    assert fourth["ends"] != first["ends"]

    vectors = source / "polhode" / "kernels" / "vectors.py"  # what every kernel stands on
    vectors.write_text(vectors.read_text() + "\n# edited\n")
    assert not any(hit for _, hit in run(cache, source)["compiled"])


def test_the_key_sees_the_files_in_folders_of_machine(tmp_path):
    source = tmp_path / "src"
    shutil.copytree(pathlib.Path(ph.__file__).parent, source / "polhode")
    environment = {**os.environ, "POLHODE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(source)}
    command = [sys.executable, "-c", "from polhode.machine import cache_folder; print(cache_folder())"]
    folder = lambda: subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    before = folder()
    operators = source / "polhode" / "machine" / "lanes" / "operators.py"
    operators.write_text(operators.read_text() + "\n# edited\n")
    assert folder() != before


def test_one_loop_per_method_serves_every_torque():
    from polhode.machine import COMPILED, TORQUE, probe

    ph.solve("stress", "VLV", h=0.125, n_steps=1)
    probe(TORQUE)  # what compares a user's torque with its machine code, once for all of them
    before = len(COMPILED)
    for alpha in (0.1, 0.2, 0.3):
        ph.solve(ph.problem("stress", alpha=alpha), "VLV", h=0.125, n_steps=1)
    assert len(COMPILED) == before
    ph.solve(
        ph.Problem(inertia=(1, 2, 2), torque=lambda t, Q: (0.1, Q[0, 1], t), Omega0=(1, 0, 0)), "VLV", h=0.1, n_steps=3
    )
    assert [name for name, _ in COMPILED[before:]] == ["torque"]


def test_methods_plus_torques_are_compiled_not_methods_times_torques():
    """Counted in a process of its own, where nothing was compiled before."""
    program = """
import polhode as ph
from polhode.machine import COMPILED
torques = [lambda t, Q, k=k: (k * Q[0, 1], Q[1, 2], 0.1 * t) for k in (0.1, 0.2)]
mine = [ph.Problem(inertia=(1, 2, 2.5), torque=f, Omega0=(1, 0, 0.1)) for f in torques]
for problem in ("stress", "heavy-top", "free-body", *mine):
    for method in ("VLV", "ELN", "RATTLE", "RKMK4"):
        assert ph.solve(problem, method, h=0.05, n_steps=3).stats["compiled"]
print(len([name for name, _ in COMPILED if name.startswith("loop-")]), len(COMPILED))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loops, kernels = map(int, done.stdout.split())
    assert loops == 4
    assert kernels <= 4 + 5 + 1, "and the probe of the guard"


def torque_of_mine(t, Q):
    """A torque as users write it."""
    return Q[0, 1], Q[1, 2], Q[2, 0]


def allocations(run):
    """How many pieces of memory Numba allocates in a run, when everything is compiled."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    run()
    before = rtsys.get_allocation_stats().mi_alloc
    run()
    return rtsys.get_allocation_stats().mi_alloc - before


@pytest.mark.parametrize("method", ["VLV", "VLV-KAHAN", "ALGO_C1", "RKMK4", "SR6", "JEM4", "VLV/KL8"])
@pytest.mark.parametrize("mine", [False, True])
def test_a_step_allocates_nothing(method, mine):
    problem = ph.problem("stress")
    if mine:
        problem = ph.Problem(inertia=(1, 2, 2), torque=torque_of_mine, Omega0=(1, 0, 0.1))
    few, many = (
        allocations(lambda n=n: ph.solve(problem, method, h=0.01, n_steps=n, save_every=n)) for n in (500, 10_000)
    )
    assert abs(many - few) < 50  # a few per call into machine code, none per step


def test_a_step_of_many_bodies_allocates_nothing():
    options = dict(Omega0=np.random.default_rng(2).normal(size=(37, 3)), h=0.01, threads=1)
    few, many = (
        allocations(lambda n=n: ph.solve_ensemble("heavy-top", "VLV", n_steps=n, save_every=n, **options))
        for n in (500, 10_000)
    )
    assert abs(many - few) < 100


def test_an_allocation_would_be_noticed():
    def torque(t, Q):  # arrays become lines of arithmetic, which allocate nothing, unless something is decided
        return 0.1 * (Q[0] + Q[1]) if Q[0, 0] < 2 else Q[0]

    problem = ph.Problem(inertia=(1, 2, 2), torque=torque, Omega0=(1, 0, 0.1))
    assert allocations(lambda: ph.solve(problem, "VLV", h=0.01, n_steps=500, save_every=500)) > 400


def test_importing_polhode_does_not_import_the_heavy_libraries():
    heavy = ["numba", "matplotlib", "scipy", "xarray", "mpmath", "rich"]
    program = f"import sys, polhode; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_first_result_does_not_import_the_linear_algebra_of_scipy():
    """Numba would, to know whether it is there; a torque with ``@`` needs it and gets it."""
    program = """
import sys
import polhode as ph
ph.solve("stress", "VLV", n_steps=2)
print("scipy.linalg" in sys.modules)
p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: Q @ Q[0], Omega0=(0.1, 1, 0))
print(ph.solve(p, "VLV", h=0.1, n_steps=2).stats["compiled"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_memory_is_what_is_saved():
    s = ph.solve("stress", "VLV", h=0.125, n_steps=100_000, save_every=10_000)
    assert s.Q.shape == (11, 3, 3) and s.t[-1] == 12_500.0
    assert np.abs(s.orthogonality).max() < 2e-15
