"""What runs is what was given, now: no way of changing a constant goes unnoticed, in this process or the next."""

import itertools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.kernels import fingerprint, references
from polhode.machine import guard
from polhode.machine.cache import Folder
from tests.support.ways import WAYS, at

ROOT = pathlib.Path(__file__).parents[2]
START = {"inertia": (1.0, 2.0, 2.5), "Q0": (0.3, 0.1, 0.0), "Omega0": (0.1, 1.0, 0.2)}


def problem(torque, way="compiled"):
    return ph.Problem(torque=torque, name=way, **START)


def end(p, compiled=None, **more):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*could not be compiled")
        s = ph.solve(p, "VLV", h=0.1, n_steps=20, save_every=20, compiled=compiled, **more)
    if compiled is None:
        assert s.stats["compiled"] == (p.name not in INTERPRETED)
    return s.Omega[-1]


INTERPRETED = {
    *("by_list_in_place", "by_dictionary", "by_partial", "by_class_attribute"),
    *("by_object_of_a_method", "by_object_that_is_called", "by_slot", "by_module_imported_inside"),
}
"""Ways that Numba does not compile; how they are run changes nothing in what must run."""


RIGHT = {x: end(problem(lambda t, Q, x=x: at(Q, x)), compiled=False) for x in (1.0, 4.0)}


def test_there_are_enough_ways():
    assert len(WAYS) >= 25


@pytest.mark.parametrize("way", WAYS)
def test_a_changed_constant_is_what_runs(way, tmp_path):
    """In the same Problem, in a new one, in an ensemble, back again; and a checkpoint does not go on with another."""
    torque, set_ = WAYS[way]()
    set_(1.0)
    old = problem(torque, way)
    assert np.allclose(end(old), RIGHT[1.0], rtol=0, atol=1e-12)
    if way == "by_module_imported_inside":
        with pytest.raises(ph.InputError, match="cannot be compared: the module way_e, imported inside"):
            end(old, checkpoint=tmp_path / "run")
    else:
        end(old, checkpoint=tmp_path / "run")
        set_(4.0)
        with pytest.raises(ph.InputError, match="another run"):
            end(old, checkpoint=tmp_path / "run")
    set_(4.0)
    assert np.allclose(end(old), RIGHT[4.0], rtol=0, atol=1e-12)
    assert np.allclose(end(problem(torque, way)), RIGHT[4.0], rtol=0, atol=1e-12)
    if way in {"by_global", "by_default", "by_jitted_helper_in_a_module", "by_list_in_place"}:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            many = ph.solve_ensemble(old, "VLV", Omega0=[START["Omega0"]] * 3, h=0.1, n_steps=20, save_every=20)
        assert np.allclose(many.Omega[-1, 2], RIGHT[4.0], rtol=0, atol=1e-12)
    set_(1.0)
    assert np.allclose(end(problem(torque, way)), RIGHT[1.0], rtol=0, atol=1e-12)


PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from tests.support.ways import WAYS
import polhode as ph
ends = {}
for way, make in WAYS.items():
    torque, set_ = make()
    for x in map(float, sys.argv[2:]):
        set_(x)
        p = ph.Problem(torque=torque, inertia=(1.0, 2.0, 2.5), Q0=(0.3, 0.1, 0.0), Omega0=(0.1, 1.0, 0.2))
        ends[way] = ph.solve(p, "VLV", h=0.1, n_steps=20, save_every=20).Omega[-1].tolist()
print(json.dumps(ends))
"""


def test_the_next_process_is_not_given_the_code_of_an_old_value(tmp_path):
    environment = {**os.environ, "POLHODE_CACHE": str(tmp_path)}
    for values in (("1", "4"), ("4",), ("1",)):
        program = [sys.executable, "-c", PROGRAM, str(ROOT), *values]
        done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
        for way, omega in json.loads(done.stdout).items():
            assert np.allclose(omega, RIGHT[float(values[-1])], rtol=0, atol=1e-12), way


def test_lambdas_with_defaults_in_a_loop_are_different_problems():
    ends = [
        ph.solve(ph.Problem(potential=lambda Q, k=k: -k * Q[2, 2], **START), "VLV", h=0.1, n_steps=10).Omega[-1]
        for k in (1.0, 4.0)
    ]
    assert np.abs(ends[0] - ends[1]).max() > 0.1


def test_a_step_of_ones_own_is_the_one_given_now():
    from polhode.kernels.step import start_plain

    factor = 1.0

    def step(h, t, state, body):
        q, Pi, tau, memory = state
        return (q, (factor * Pi[0], Pi[1], Pi[2]), tau, memory), (0, 0.0)

    mine = ph.Method(name="MINE", step=step, start=start_plain)
    first = ph.solve("free-body", mine, h=0.1, n_steps=3, compiled=True).Omega[-1]
    factor = 2.0
    assert ph.solve("free-body", mine, h=0.1, n_steps=3, compiled=True).Omega[-1][0] == 8 * first[0]


# ---- the guard -------------------------------------------------------------------------------------------


def test_the_guard_notices_machine_code_of_another_function(monkeypatch):
    p = problem(lambda t, Q: (Q[2, 1], -Q[2, 0], 0.0))
    other = problem(lambda t, Q: (1.001 * Q[2, 1], -Q[2, 0], 0.0)).machine_torque
    monkeypatch.setattr(ph.Problem, "machine_torque", property(lambda self: other))
    with pytest.raises(ph.InputError, match="does not compute what the Python function does"):
        end(p)


def test_the_guard_notices_it_in_ensembles_too(monkeypatch):
    from polhode.runs.ensemble import way as ways

    p, other = problem(lambda t, Q: (Q[2, 1], -Q[2, 0], 0.0)), problem(lambda t, Q: (Q[2, 1], -1.01 * Q[2, 0], 0.0))
    way = ways.way_of(other, ph.method("VLV"), *ways.sizes(other, ph.method("VLV"), 0.1))
    monkeypatch.setattr("polhode.runs.ensemble.solve.way_of", lambda *given: way)
    with pytest.raises(ph.InputError, match="does not compute what the Python function does"):
        ph.solve_ensemble(p, "VLV", Omega0=np.ones((9, 3)), h=0.1, n_steps=2)


def test_the_guard_lets_round_off_pass_and_says_when_a_torque_is_no_function():
    def cancels(t, Q):  # nothing but round-off is left
        return (Q[0, 0] + 1e8) ** 2 - 1e16 - 2e8 * Q[0, 0] - Q[0, 0] ** 2, 0.0, 0.0

    end(problem(cancels))
    values = itertools.count()
    changing = lambda place: (float(next(values)),)
    with pytest.warns(UserWarning, match="is not a function"):
        assert not guard.check("torque", cancels, [0], lambda place: (0.5,), changing, lambda place, rng: place)


def test_where_a_torque_vanishes_the_guard_takes_what_is_left_for_round_off():
    """At the start there is nothing to compare with: machine code and Python differ by their rounding alone."""
    A = np.random.default_rng(3).standard_normal((3, 3))
    p = ph.Problem(inertia=A @ A.T + 19 * np.eye(3), potential=lambda Q: -Q[2, 2], Omega0=START["Omega0"])
    e = ph.solve_ensemble(p, "SR4", Omega0=[START["Omega0"]] * 3, h=0.1, n_steps=2)
    assert e.success.all() and np.abs(e.Omega[-1, 0] - ph.solve(p, "SR4", h=0.1, n_steps=2).Omega[-1]).max() < 1e-14


# ---- the fingerprint -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["VLV", "RKMK4"])
def test_random_numbers_are_of_the_generator_that_was_seeded(method):
    """Machine code has another, and where nothing is drawn at the start no comparison would tell."""

    def late(t, Q):
        return np.random.normal() if t > 0.35 else 0.0, 0.0, 0.0

    def seeded(**more):
        np.random.seed(5)
        return ph.solve(p, method, h=0.1, n_steps=8, **more).Omega[-1].tolist()

    p = problem(late)
    with pytest.warns(UserWarning, match="draws random numbers, and those of machine code are not of the generator"):
        first = seeded()
    assert first == seeded() == seeded(compiled=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(5)
        e = ph.solve_ensemble(p, method, Omega0=[START["Omega0"]] * 2, h=0.1, n_steps=8)
    assert e.Omega[-1, 0].tolist() == first
    with pytest.raises(ph.InputError, match="cannot be compiled"):
        seeded(compiled=True)


def test_an_array_as_a_view_of_memory_is_what_it_holds_now():
    numbers = np.array([1.0])
    held = memoryview(numbers)
    p = problem(lambda t, Q: at(Q, held[0]), "by_list_in_place")
    for x in (1.0, 4.0):
        numbers[0] = x
        assert np.allclose(end(p), RIGHT[x], rtol=0, atol=1e-12)


def test_the_fingerprint_is_the_same_in_another_process():
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + (
        "from tests.support.ways import WAYS\nfrom polhode.kernels.fingerprint import fingerprint\n"
        "print([fingerprint([make()[0]]).digest for make in WAYS.values()])"
    )
    run = lambda: subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert run() == run() != ""


def test_what_cannot_be_seen_through_is_named_and_never_kept(tmp_path):
    file = open(tmp_path / "numbers", "w")  # noqa: SIM115  an object that has no value

    def torque(t, Q):
        return (0.0 if file.closed else 1.0), 0.0, 0.0

    assert fingerprint.fingerprint([torque]).unseen == ("a _io.TextIOWrapper",)
    with pytest.raises(ph.InputError, match=r"cannot be compared: a _io\.TextIOWrapper"):
        end(problem(torque), checkpoint=tmp_path / "run")
    file.close()


def test_a_module_of_ones_own_that_is_named_like_one_of_the_library_is_not_taken_for_it(monkeypatch):
    mine = type(sys)("queue")
    mine.__file__ = "/elsewhere/queue.py"
    monkeypatch.setitem(sys.modules, "queue", mine)
    references.is_library_name.cache_clear()
    assert not references.is_library(mine)
    references.is_library_name.cache_clear()


# ---- the folder of machine code --------------------------------------------------------------------------


def test_a_damaged_entry_is_not_used(tmp_path):
    folder = Folder(tmp_path / "code")
    content = bytes(range(256)) * 4
    for damage in range(0, 1080, 7):
        folder.write("entry", content)
        file = folder.path / "entry"
        data = bytearray(file.read_bytes())
        data[damage % len(data)] ^= 1 << damage % 8
        file.write_bytes(data)
        assert folder.read("entry") is None
        assert not file.exists()
    folder.write("entry", content)
    (folder.path / "entry").rename(folder.path / "other")
    assert folder.read("other") is None, "an entry under another name is another entry"


def test_the_folder_is_private(tmp_path):
    folder = Folder(tmp_path / "code")
    folder.write("entry", b"x")
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.path.chmod(0o777)
    with pytest.warns(UserWarning, match="can be written by others"):
        assert Folder(folder.path).read("entry") is None


def test_the_folder_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("polhode.machine.cache.MOST_FILES", 20)
    folder = Folder(tmp_path / "code")
    for i in range(60):
        folder.write(f"entry{i}", pickle.dumps(i))
        os.utime(folder.path / f"entry{i}", (i, i))
    assert len(list(folder.path.iterdir())) <= 20
    assert folder.read("entry59") is not None and folder.read("entry0") is None
    for i in range(60, 75):  # what is in use stays
        folder.write(f"entry{i}", b"x")
        assert folder.read("entry59") is not None


def test_a_damaged_cache_compiles_anew(tmp_path):
    """Real machine code, damaged in many places: never a crash, always the same motion."""
    program = (
        "import warnings, polhode as ph\n"
        "p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (Q[2, 1], -Q[2, 0], 0.1), Omega0=(0.1, 1, 0))\n"
        "print(ph.solve(p, 'ELN', h=0.1, n_steps=5).Omega[-1].tolist())"
    )
    environment = {**os.environ, "POLHODE_CACHE": str(tmp_path)}
    run = lambda: (
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout
    )
    first, rng = run(), np.random.default_rng(3)
    files = [x for x in tmp_path.rglob("*") if x.is_file()]
    assert len(files) >= 2
    for file in files:
        data = bytearray(file.read_bytes())
        for place in rng.integers(len(data), size=20):
            data[place] ^= 255
        file.write_bytes(data)
    assert run() == first
    for file in (x for x in tmp_path.rglob("*") if x.is_file()):
        file.write_bytes(file.read_bytes()[: rng.integers(1, 5000)])
    assert run() == first


def test_memory_does_not_grow_with_every_new_closure():
    """By the number of functions that are kept: what is not kept is given back."""
    from polhode.machine import kept_code

    before = len(kept_code.KEPT)
    for k in range(3):
        end(problem(lambda t, Q, k=float(k): (k * Q[2, 1], -Q[2, 0], 0.0)))
    assert len(kept_code.KEPT) <= before + 4
    assert len(kept_code.CHANGING) <= kept_code.MOST_KEPT
