"""What is made of functions goes to another process and back, before and after use, and machine code stays behind."""

import concurrent.futures
import copy
import dataclasses
import functools
import multiprocessing
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode import pickling
from polhode.integrators.method import BlackBox
from polhode.integrators.modified_midpoint import imr
from polhode.integrators.parts.tableaux import CLASSICAL, GAUSS
from polhode.integrators.preprocessed import dmv
from polhode.integrators.time_transformed import time_transformed

TIMEOUT = 120
"""Seconds after which a process that does not answer is a failure, and not a test that never ends."""

START = {"inertia": (1.0, 2.0, 2.5), "Omega0": (0.3, 0.5, -0.2)}


def hanging(Q):
    return -2.0 * Q[2, 2]


def pushed(t, Q):
    return (0.1 * Q[0, 1], 0.2 - t, 0.3 * Q[2, 0])


def upwards(Q, Omega):
    return Q[2] @ (np.array(START["inertia"]) * Omega)


def leapfrog(problem, Q, Omega, h, t):
    if t > 0.15:
        raise ZeroDivisionError("no more")
    return ph.step(problem, "VLV", Q, Omega, h, t)


def several(problem, Q, Omega, h, n, t):
    for k in range(n):
        Q, Omega = ph.step(problem, "VLV", Q, Omega, h, t + k * h)
    return Q, Omega


def solved(problem, method="VLV", compiled=None):
    return ph.solve(problem, method, h=0.1, n_steps=5, compiled=compiled)


class Odd(Exception):
    """An exception that pickles, and cannot be made again."""

    def __init__(self, what, where):
        super().__init__(f"{what} at {where}")

    def __reduce__(self):  # also where a library has taught pickle to make exceptions without their arguments
        return Odd, self.args


def odd(t, Q):
    if t > 0.25:
        raise Odd("nothing", "all")
    return (0.0, 0.0, 0.1)


def over(thing):
    """There and back."""
    return pickle.loads(pickle.dumps(thing))


def same(a, b):
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("t", "Q", "Omega"))


@pytest.fixture(scope="module")
def used():
    """A problem with all that use leaves in it."""
    p = ph.Problem(potential=hanging, invariants={"up": upwards}, name="used", **START)
    s = solved(p)
    assert np.isfinite(s.energy).all() and p.machine_torque is not None
    return p, s


@pytest.fixture(scope="module")
def pool():
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        yield workers


# ---- other processes ---------------------------------------------------------------------------------


def test_a_solved_problem_goes_through_a_pool(used, pool):
    p, s = used
    there = pool.apply_async(solved, (p,)).get(TIMEOUT)
    assert same(there, s) and np.array_equal(there.energy, s.energy)
    assert same(solved(there.problem), s), "a problem that came back"


def test_what_cannot_go_is_said_at_once(pool):
    p = ph.Problem(potential=lambda Q: -2.0 * Q[2, 2], **START)
    with pytest.raises(pickle.PicklingError, match="cloudpickle"):
        pool.apply_async(solved, (p,)).get(TIMEOUT)


def test_methods_go_through_a_pool(used, pool):
    p, _ = used
    for method in (ph.method("VLV"), ph.compose("VLV", "S4"), ph.gauss(4), ph.munthe_kaas(CLASSICAL)):
        there = pool.apply_async(solved, (p, method, False)).get(TIMEOUT)
        assert there.method == method.name and same(there, solved(p, method, False))


def test_results_go_through_an_executor(used, tmp_path):
    p, s = used
    e = ph.solve_ensemble(p, "VLV", Omega0=np.eye(3), h=0.1, n_steps=3)
    streamed = ph.solve(p, "VLV", h=0.1, n_steps=5, out=tmp_path / "run.nc")
    energy, tallied = e.energy, ph.solve(p, "VLV", h=0.1, n_steps=5, compiled=False, reduce="energy")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        back = executor.submit(copy.copy, (s, e, streamed, tallied)).result(TIMEOUT)
    assert (
        same(back[0], s) and np.array_equal(back[0].energy, s.energy) and np.array_equal(back[0].momentum, s.momentum)
    )
    assert back[3].reductions["energy"].mean == tallied.reductions["energy"].mean
    assert same(back[1], e) and np.array_equal(back[1].energy, energy) and same(back[1][1], e[1])
    assert same(back[2], streamed)


def test_a_certificate_travels():
    c = ph.certify("ELN", drift=False)
    assert over(c) == c and over(c).table() is not None


# ---- problems ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("forces", [{}, {"torque": pushed}, {"torque_space": pushed}, {"potential": hanging}])
@pytest.mark.parametrize("inertia", [START["inertia"], [[2, 0.1, 0], [0.1, 2.5, 0.2], [0, 0.2, 3]]])
def test_a_problem_is_what_made_it(forces, inertia):
    p = ph.Problem(inertia=inertia, Omega0=(1, 2, 3), t0=0.5, h=0.1, t_end=2.5, breaks=(1.5,), **forces)
    q = over(p)
    Q = ph.solve(p, "VLV", compiled=False, n_steps=3).Q[-1]
    assert np.array_equal(q.torque(0.7, Q), p.torque(0.7, Q)) and q.has_torque == p.has_torque
    assert q.has_potential == p.has_potential and (not p.has_potential or q.potential(Q) == p.potential(Q))
    for k in ("inertia", "moments", "axes", "Q0", "Omega0", "t0", "h", "t_end", "breaks", "parameters", "name"):
        assert np.array_equal(getattr(p, k), getattr(q, k)), k


@pytest.mark.parametrize("name", ph.problems())
def test_shipped_problems_travel(name):
    p = ph.problem(name)
    q = over(p)
    assert np.array_equal(q.torque(0.3, p.Q0, p.Omega0), p.torque(0.3, p.Q0, p.Omega0)) and q.sources == p.sources
    assert list(q.invariants) == list(p.invariants)
    assert all(q.invariants[k](p.Q0, p.Omega0) == f(p.Q0, p.Omega0) for k, f in p.invariants.items())


def test_built_problems_travel():
    J = np.array([1.0, 2.0, 2.5])
    start = {"inertia_body": J, "Omega0": (1.0, 0.2, 0.1)}
    for p in (
        ph.build.satellite(orbit_rate=0.3, **start),
        ph.build.magnetic_dipole(moment_body=(0, 0, 1), field_space=(0, 1, 1), **start),
        ph.build.wall(point_body=(0, 0, 1), distance=2.0, attraction=1.0, repulsion=0.5, **start),
    ):
        before = {k: f(p.Q0, p.Omega0) for k, f in p.invariants.items()}
        J[:] = 7.0  # what the maker was given may change afterwards
        q = over(p)
        J[:] = (1.0, 2.0, 2.5)
        assert np.array_equal(q.torque(0.3, p.Q0), p.torque(0.3, p.Q0)) and q.name == p.name
        assert {k: f(p.Q0, p.Omega0) for k, f in q.invariants.items()} == before
    satellite = ph.build.satellite(orbit_rate=0.3, **start)
    assert over(satellite).jacobi(0.2, satellite.Q0, satellite.Omega0) == satellite.jacobi(
        0.2, satellite.Q0, satellite.Omega0
    )


def test_one_function_stays_one_in_a_pickle():
    p = ph.Problem(potential=hanging, **START)
    a, b = over([p, p.replaced(Omega0=(1, 0, 0))])
    assert a.torque_kernel is b.torque_kernel and a.functions["potential"] is hanging


def test_copies_share_what_was_compiled(used):
    p, _ = used
    assert copy.copy(p).machine_torque is p.machine_torque and copy.copy(p).torque_kernel is p.torque_kernel
    deep = copy.deepcopy(ph.Problem(potential=lambda Q: -2.0 * Q[2, 2], **START))
    deep.Omega0[0] = 9.0
    assert deep.potential(np.eye(3)) == -2.0 and START["Omega0"][0] == 0.3
    assert copy.deepcopy(ph.gauss(4)) == copy.copy(ph.gauss(4)) == ph.gauss(4)


# ---- methods -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ph.methods())
def test_a_method_of_the_catalogue_is_itself(name):
    m = ph.method(name)
    assert over(m) is m
    renamed = dataclasses.replace(m, name="MINE")
    assert over(renamed) == renamed


@pytest.mark.parametrize(
    "method",
    [
        *(ph.compose("VLV", "KL8"), ph.compose(ph.gauss(4), "Y4"), ph.compose("SR2", ("1/4", "1/2", "1/4"))),
        *(ph.gauss(4), ph.munthe_kaas(GAUSS), ph.crouch_grossman(CLASSICAL, momentum=True)),
        *(dmv(8, 10), imr(8), time_transformed(4, complete=True), ph.trapezoidal("1/3"), ph.newmark("1/6")),
    ],
    ids=lambda m: m.name,
)
def test_methods_made_to_order_travel(method):
    n = over(method)
    assert n.step is method.step and n.start is method.start, "what was compiled for one serves the other"
    assert n.coefficients((1.0, 2.0, 2.5), float) == method.coefficients((1.0, 2.0, 2.5), float)
    claims = {f.name: getattr(method, f.name) for f in dataclasses.fields(method) if f.name != "coefficients"}
    assert {k: getattr(n, k) for k in claims} == claims


def test_black_boxes_and_partials_travel():
    box = BlackBox("mine", several, "title", 1e-9)
    assert over(box) == box
    p = ph.Problem(torque=functools.partial(pushed), **START)
    assert np.array_equal(over(p).torque(0.3, np.eye(3)), p.torque(0.3, np.eye(3)))


# ---- lambdas and closures ----------------------------------------------------------------------------


def nameless():
    """Things that hold a function without a name, and how each is tried."""
    k = 2.0
    potential = ph.Problem(potential=lambda Q: -k * Q[2, 2], **START)
    invariant = ph.Problem(invariants={"x": lambda Q, Omega: k * Omega[0]}, **START)
    partial = ph.Problem(torque=functools.partial(lambda a, t, Q: (a, 0.0, k * Q[0, 0]), 3.0), **START)
    step = dataclasses.replace(ph.method("VLV"), name="MINE", coefficients=lambda J, number: (number(k),))
    return {
        "potential": (potential, lambda p: p.potential(np.eye(3))),
        "invariant": (invariant, lambda p: p.invariants["x"](p.Q0, p.Omega0)),
        "partial": (partial, lambda p: p.torque(0.0, np.eye(3)).tolist()),
        "trajectory": (ph.solve(potential, "VLV", h=0.1, n_steps=2, compiled=False), lambda s: s.Q.tolist()),
        "method": (step, lambda m: m.coefficients((1, 1, 1), float)),
        "black box": (BlackBox("mine", lambda *_: k), lambda b: b.advance()),
    }


@pytest.mark.parametrize("what", nameless())
def test_nameless_functions_need_cloudpickle(what):
    cloudpickle = pytest.importorskip("cloudpickle")
    thing, tried = nameless()[what]
    with pytest.raises(pickle.PicklingError, match=r"lambda.*top of a module.*cloudpickle"):
        pickle.dumps(thing)
    assert tried(pickle.loads(cloudpickle.dumps(thing))) == tried(thing)


def test_a_closure_over_its_own_problem():
    cloudpickle = pytest.importorskip("cloudpickle")
    p = ph.Problem(potential=lambda Q: -2.0 * Q[2, 2], **START)
    p.invariants["energy"] = lambda Q, Omega: p.energy(Q, Omega)
    q = pickle.loads(cloudpickle.dumps(p))
    assert q.invariants["energy"](p.Q0, p.Omega0) == p.energy(p.Q0, p.Omega0)


def run_text(text):
    """A task for another process that came by cloudpickle."""
    s = solved(pickle.loads(text))
    return pickle.dumps((s.Q, s.energy))


def test_a_closure_runs_in_another_process(pool):
    cloudpickle = pytest.importorskip("cloudpickle")
    k = 2.0
    p = ph.Problem(potential=lambda Q: -k * Q[2, 2], **START)
    s = solved(p)
    Q, energy = pickle.loads(pool.apply_async(run_text, (cloudpickle.dumps(p),)).get(TIMEOUT))
    assert np.array_equal(Q, s.Q) and np.array_equal(energy, s.energy)


# ---- results -----------------------------------------------------------------------------------------


def test_a_mapped_file_travels_as_plain_arrays(used, tmp_path):
    s = ph.solve(used[0], "VLV", h=0.1, n_steps=5, out=tmp_path / "run.nc")
    assert isinstance(s.Q, np.memmap)
    text = pickle.dumps(s)
    (tmp_path / "run.nc").unlink()
    back = pickle.loads(text)
    assert same(back, s) and np.array_equal(back.energy, s.energy)
    assert all(type(x) is np.ndarray and x.dtype.isnative for x in (back.t, back.Q, back.Omega, *back.saved.values()))


def test_exceptions_travel_or_are_named():
    s = over(ph.solve(ph.Problem(**START), leapfrog, h=0.1, n_steps=5))
    assert type(s.exception) is ZeroDivisionError and s.exception.args == ("no more",)
    with pytest.raises(TypeError):
        pickle.loads(pickle.dumps(Odd("a", "b")))
    s = ph.solve(ph.Problem(torque=odd, **START), "VLV", h=0.1, n_steps=5, compiled=False)
    assert type(s.exception) is Odd
    assert str(over(s).exception) == "Odd: nothing at all"


def test_a_maker_is_found_by_name():
    assert pickling.packed(hanging) is hanging
    for maker in (ph.gauss(4).coefficients, ph.compose("VLV", "S4").step):
        assert over(pickling.packed(maker)).__qualname__ == maker.__qualname__
