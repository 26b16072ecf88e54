"""Sweeps: the bytes of a store depend on the plan alone, nothing computed is lost, nothing foreign is taken for it."""

import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest

import polhode as ph

pytest.importorskip("xarray", minversion="2024.11")
pytest.importorskip("zarr")

STARTS = np.random.default_rng(5).normal(size=(40, 3))
INERTIAS = np.array([[1.0, 2.0, 2.5], [1.2, 2.0, 2.5], [1.4, 2.0, 2.5]])


def normal(rng, n):
    return rng.normal(size=(n, 3))


def swept(out, workers=None, **more):
    given = {"over": {"inertia": INERTIAS, "Omega0": STARTS}, "method": "VLV", "h": 0.02, "n_steps": 30, "chunk": 16}
    return ph.sweep("heavy-top", **(given | more), out=out, workers=workers)


def bytes_of(path):
    """Every file of a store but the pickled plan, which holds the same things in whatever order pickle takes."""
    files = sorted(f for f in pathlib.Path(path).rglob("*") if f.is_file() and f.name != "plan")
    return {str(f.relative_to(path)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweeps") / "sweep.zarr"
    swept(path)
    return path


# ---- what is stored is what solve gives -----------------------------------------------------------------


def test_each_body_is_what_solve_gives_for_it(store):
    s = ph.open_sweep(store)
    assert s.Q_final.dims[:2] == ("inertia", "Omega0") and (s.status == 0).all()
    p = ph.problem("heavy-top")
    for i, j in ((0, 0), (1, 17), (2, 39)):
        one = ph.solve(p.replaced(inertia=INERTIAS[i], Omega0=STARTS[j]), "VLV", h=0.02, n_steps=30)
        assert np.array_equal(s.Q_final[i, j], one.Q[-1]) and np.array_equal(s.Omega_final[i, j], one.Omega[-1])
    assert np.array_equal(s.inertia_values, INERTIAS) and np.array_equal(s.Omega0_values, STARTS)


def test_states_on_the_way_methods_and_the_order_of_axes(tmp_path):
    over = {"Omega0": STARTS[:3], "method": ["VLV", "RATTLE"]}
    s = swept(tmp_path / "s.zarr", over=over, method=None, save_every=10, chunk=2)
    assert s.Q.dims == ("Omega0", "method", "t", "space", "body_axis") and list(s.method.values) == ["VLV", "RATTLE"]
    one = ph.solve(ph.problem("heavy-top").replaced(Omega0=STARTS[2]), "RATTLE", h=0.02, n_steps=30, save_every=10)
    assert np.array_equal(s.Q.sel({"method": "RATTLE"})[2], one.Q) and np.array_equal(s.t, one.t)


def by_step(problem, Q, Omega, h, t):
    """A method of the user's that calls this package."""
    return ph.step(problem, "VLV", Q, Omega, h, t)


def test_methods_that_choose_their_steps_and_plain_functions(tmp_path):
    methods, given = ["TAYLOR", "RKMK54(1e-9)", by_step], {"h": 0.1, "n_steps": 4, "save_every": 2}
    s = swept(tmp_path / "s.zarr", over={"method": methods, "Omega0": STARTS[:3]}, method=None, chunk=2, **given)
    p = ph.problem("heavy-top")
    for i, m in enumerate(methods):
        assert np.array_equal(s.Q[i, 2], ph.solve(p.replaced(Omega0=STARTS[2]), m, **given).Q)
    with pytest.raises(ph.FileError, match="axis method"):
        other = ["TAYLOR", "RKMK54(1e-8)", by_step]
        swept(tmp_path / "s.zarr", over={"method": other, "Omega0": STARTS[:3]}, method=None, chunk=2, **given)


def test_steps_are_an_axis():
    s = ph.sweep("heavy-top", over={"h": [0.04, 0.02, 0.01]}, method="VLV", t_end=0.4)
    ends = [ph.solve("heavy-top", "VLV", h=h, t_end=0.4).Omega[-1] for h in (0.04, 0.02, 0.01)]
    assert np.array_equal(s.Omega_final, ends)


def test_axes_that_go_together(tmp_path):
    s = swept(tmp_path / "s.zarr", over={"inertia": INERTIAS, "Omega0": STARTS[:3]}, grid=False)
    p = ph.problem("heavy-top").replaced(inertia=INERTIAS[1], Omega0=STARTS[1])
    assert s.Q_final.dims[0] == "body"
    assert np.array_equal(s.Omega_final[1], ph.solve(p, "VLV", h=0.02, n_steps=30).Omega[-1])


def test_invariants_are_reduced_and_part_of_the_plan(tmp_path):
    def swept_with(invariant, names="spin of it"):
        p = ph.Problem(inertia=(1, 2, 2.5), Omega0=(0.3, 0.2, 1.0), invariants={"spin of it": invariant}, name="mine")
        asked = {"h": 0.05, "n_steps": 60, "reduce": names, "reduce_every": 3}
        one = ph.solve(p.replaced(Omega0=STARTS[1]), "VLV", **asked).reductions["spin of it"]
        return one, ph.sweep(p, over={"Omega0": STARTS[:3]}, method="VLV", **asked, out=tmp_path / "s.zarr")

    one, s = swept_with(lambda t, Q, Omega: t + Q[2] @ Omega)
    for what in ("first", "min", "max", "mean", "slope"):
        assert np.isclose(s[f"spin_of_it_{what}"][1], getattr(one, what), rtol=1e-12), what
    with pytest.raises(ph.InputError, match="functions of the invariants"):
        swept_with(lambda t, Q, Omega: 2 * t + Q[2] @ Omega)


def test_reductions_are_those_of_solve():
    starts = ph.draws(6, rng=1, Omega0=normal)
    s = ph.sweep("stress", over={"draw": starts}, method="ELN", h=0.1, n_steps=300, reduce=["energy", "momentum"])
    p = ph.problem("stress").replaced(Omega0=s.Omega0.values[4])
    one = ph.solve(p, "ELN", h=0.1, n_steps=300, save_every=300, reduce=["energy", "momentum"]).reductions
    for name, r in one.items():
        for what in ("first", "min", "max", "mean", "slope", "slope_error"):
            assert np.isclose(
                s[f"{name}_{what}"][4], getattr(r, what), rtol=0.05 if "error" in what else 1e-9, atol=1e-13
            )


def test_parameters_of_a_torque_are_axes():
    def torque(t, Q, p):
        return p.k * Q[2, 1], -p.k * Q[2, 0], 0.0

    def body(k):
        return ph.Problem(inertia=(1, 2, 2.5), torque=torque, parameters={"k": k}, Omega0=(0.1, 0.2, 1))

    s = ph.sweep(body(1.0), over={"k": [1.0, 2.0, 5.0]}, method="VLV", h=0.1, n_steps=20)
    ends = [ph.solve(body(k), "VLV", h=0.1, n_steps=20).Omega[-1] for k in (1.0, 2.0, 5.0)]
    assert np.array_equal(s.Omega_final, ends) and s.k.values.tolist() == [1.0, 2.0, 5.0]


def test_a_map_is_drawn(tmp_path):
    over = {"h": [0.1, 0.2], "Omega0": STARTS[:4]}
    s = ph.sweep("stress", over=over, method="ELN", t_end=4, reduce="energy")
    figure = s.polhode.map("energy_slope")
    figure.savefig(tmp_path / "map.png")
    assert figure.axes[0].get_xlabel() == "Omega0" and figure.axes[0].get_ylabel() == "h"
    with pytest.raises(ph.InputError, match="There is no drift"):
        s.polhode.map("drift")


# ---- events ---------------------------------------------------------------------------------------------


def level(t, Q, Omega):
    return Q[2, 2] - 0.6


def close(x, y):
    """As near as events of an ensemble are to those of `solve`."""
    return np.allclose(x, y, rtol=1e-11, atol=1e-12, equal_nan=True)


def test_crossings_are_those_of_solve(tmp_path):
    given = {"method": "VLV", "h": 0.05, "n_steps": 120, "events": {"level": level}, "chunk": 5}
    over = {"Omega0": STARTS[:12]}
    s = ph.sweep("heavy-top", over=over, **given, crossings=3, out=tmp_path / "s.zarr")
    first = ph.sweep("heavy-top", over=over, **given)
    assert s.level_t.dims == ("Omega0", "crossing") and first.level_t.dims == ("Omega0",) and "Q_final" not in s
    p, counts = ph.problem("heavy-top"), []
    for i in range(12):
        one = ph.solve(p.replaced(Omega0=STARTS[i]), "VLV", h=0.05, n_steps=120, events={"level": level})
        met = one.events["level"]
        counts.append(len(met))
        n = min(len(met), 3)
        assert close(s.level_t[i, :n], met.t[:3]) and np.isnan(s.level_t[i, n:]).all()
        assert close(s.level_Q[i, :n], met.Q[:3]) and close(s.level_Omega[i, :n], met.Omega[:3])
        assert close(first.level_t[i], met.t[0] if n else np.nan)
    assert s.level_count.values.tolist() == counts and max(counts) > 3
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        ph.sweep("heavy-top", over=over, **given, crossings=3, out=tmp_path / "two.zarr", workers=executor)
    assert bytes_of(tmp_path / "two.zarr") == bytes_of(tmp_path / "s.zarr")


def test_an_event_ends_a_body(tmp_path):
    given = {"method": "VLV", "h": 0.05, "n_steps": 20, "events": {"level": level}, "terminal": ("level",)}
    over, falling = {"Omega0": STARTS[:12]}, {"level": -1}
    s = ph.sweep("heavy-top", over=over, **given, direction=falling, final=True, reduce="energy")
    p, ended = ph.problem("heavy-top"), 0
    for i in range(12):
        one = ph.solve(p.replaced(Omega0=STARTS[i]), **given, direction=falling)
        assert close(s.t_final[i], one.t[-1]) and close(s.Q_final[i], one.Q[-1])
        ended += one.t[-1] < 1
        if 0.2 < one.t[-1] < 1:
            looks = one.energy[1:-1]
            assert np.isclose(s.energy_mean[i], looks.mean(), rtol=1e-12) and np.isclose(s.energy_max[i], looks.max())
    assert 0 < ended < 12 and (s.status == 0).all()
    with pytest.raises(ph.FileError, match="functions of the events"):
        for g in (level, lambda t, Q, Omega: Q[2, 2] - 0.5):
            given |= {"events": {"level": g}}
            ph.sweep("heavy-top", over={"Omega0": STARTS[:2]}, **given, out=tmp_path / "s")


# ---- random bodies --------------------------------------------------------------------------------------


def test_a_draw_depends_on_the_index_and_the_seed_alone():
    few, many = (ph.draws(n, rng=7, Omega0=normal, Q0="uniform") for n in (100, 10_000))
    for name in ("Omega0", "Q0"):
        assert np.array_equal(few.values(name, 0, 100), many.values(name, 0, 100))
        assert np.array_equal(many.values(name, 4000, 4200), many.values(name, 3000, 5000)[1000:1200])
    assert not np.array_equal(few.values("Omega0", 0, 10), ph.draws(10, rng=8, Omega0=normal).values("Omega0", 0, 10))
    Q = few.values("Q0", 0, 100)
    assert np.allclose(np.linalg.det(Q), 1) and abs(np.trace(Q, axis1=1, axis2=2).mean()) < 0.4


def test_random_bodies_in_a_sweep(tmp_path):
    a = swept(tmp_path / "a.zarr", over={"draw": ph.draws(50, rng=3, Omega0=normal)}, chunk=7)
    b = swept(tmp_path / "b.zarr", over={"draw": ph.draws(50, rng=3, Omega0=normal)}, chunk=50)
    assert np.array_equal(a.Omega_final, b.Omega_final) and np.array_equal(a.Omega0, b.Omega0)
    assert a.Omega0.dims == ("draw", "body_axis")


# ---- the same bytes -------------------------------------------------------------------------------------


def test_draws_are_stored_by_the_tasks_and_mended_with_them(tmp_path):
    path, drawn = tmp_path / "sweep.zarr", ph.draws(50, rng=3, Omega0=normal)
    s = swept(path, over={"inertia": INERTIAS, "draw": drawn}, chunk=7)
    assert np.array_equal(s.Omega0, drawn.values("Omega0", 0, 50)) and "Omega0" in s.coords
    whole = bytes_of(path)
    (path / "Omega0" / "c.3.0").write_bytes(b"")
    note = path / ".polhode" / "done" / "5"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"checksums": {}}))  # it vouches for nothing
    (path / "Q_final" / "c.0.5.0.0").unlink()
    ph.sweep.resume(path)
    assert bytes_of(path) == whole


def test_processes_and_threads_write_the_same_bytes(store, tmp_path):
    swept(tmp_path / "two.zarr", workers=2)
    with concurrent.futures.ThreadPoolExecutor(8) as executor:
        swept(tmp_path / "eight.zarr", workers=executor)
    assert bytes_of(tmp_path / "two.zarr") == bytes_of(store) == bytes_of(tmp_path / "eight.zarr")


def test_what_is_missing_or_damaged_is_computed_again(store, tmp_path):
    path = tmp_path / "sweep.zarr"
    shutil.copytree(store, path)
    (path / ".polhode" / "done" / "2").unlink()
    chunk = next((path / "Q_final").glob("c.*"))
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 1
    chunk.write_bytes(data)
    (path / "status" / "c.1.1").unlink()
    (path / ".polhode" / "done" / "5").write_text("[]")
    ph.sweep.resume(path)
    assert bytes_of(path) == bytes_of(store)


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    "part", ["Q_final", "Q_final/zarr.json", "Omega0_values", "Omega0_values/c.0.0", "status/c.0.0", ".polhode/done"]
)
def test_what_was_removed_comes_back(part, store, tmp_path):
    path = tmp_path / "s.zarr"
    shutil.copytree(store, path)
    remove(path / part)
    (path / ".polhode" / "done").mkdir(exist_ok=True)
    (path / ".polhode" / "done" / "nonsense").touch()  # is no chunk
    s = ph.sweep.resume(path)
    assert s.attrs["chunks_done"] == s.attrs["chunks"]
    remove(path / ".polhode" / "done" / "nonsense")
    assert bytes_of(path) == bytes_of(store)


def test_chunks_are_written_as_zarr_writes_them(store, tmp_path):
    zarr = pytest.importorskip("zarr")
    ours = zarr.open_group(str(store), mode="r")
    with zarr.config.set({"array.write_empty_chunks": True}):
        theirs = zarr.open_group(str(shutil.copytree(store, tmp_path / "s.zarr")), mode="r+")
        for name, array in ours.arrays():
            for file in (tmp_path / "s.zarr" / name).glob("c.*"):
                file.unlink()
            theirs[name][...] = array[...]
    assert bytes_of(tmp_path / "s.zarr") == bytes_of(store)


def test_bodies_that_are_not_finite_have_no_speed(tmp_path):
    starts = np.vstack([STARTS[:2], [[np.inf] * 3], [[1e300] * 3], [[np.nan] * 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = swept(tmp_path / "s.zarr", over={"Omega0": starts})
        assert s.status.values.tolist() == [0, 0, 2, 1, 2]
        assert (swept(tmp_path / "n.zarr", over={"Omega0": starts[4:]}).status == 2).all()


def test_another_plan_on_the_same_store_is_refused(store, tmp_path):
    before = bytes_of(store)
    for more, word in (({"h": 0.01}, "differs in h"), ({"over": {"Omega0": STARTS}}, "axis inertia")):
        with pytest.raises(ph.FileError, match=word):
            swept(store, **more)
    assert bytes_of(store) == before
    plan = json.loads((store / ".polhode" / "plan.json").read_text())
    copy = tmp_path / "sweep.zarr"
    shutil.copytree(store, copy)
    (copy / ".polhode" / "plan.json").write_text(json.dumps(plan | {"h": 0.03}))
    with pytest.raises(ph.FileError, match=r"another sweep|damaged"):
        ph.sweep.resume(copy)


def test_a_changed_torque_is_another_plan(tmp_path):
    def body(k):
        return ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (k * Q[2, 1], -k * Q[2, 0], 0.0), Omega0=(0, 0, 1))

    given = {"over": {"Omega0": STARTS[:4]}, "method": "VLV", "h": 0.1, "n_steps": 3, "out": tmp_path / "s.zarr"}
    ph.sweep(body(1.0), **given)
    with pytest.raises(ph.FileError, match="functions of the problem"):
        ph.sweep(body(2.0), **given)


# ---- failures are data ----------------------------------------------------------------------------------


def test_bodies_that_fail_are_told(tmp_path):
    starts = np.array([[0.1, 0.2, 0.3], [np.nan, 0.0, 0.0], [0.1, 1e7, 0.3]])
    with pytest.warns(ph.LargeStepWarning):
        s = ph.sweep("heavy-top", over={"Omega0": starts}, method="VLV", h=0.5, n_steps=20, out=tmp_path / "s.zarr")
    assert s.status.values.tolist() == [0, 2, 1] and s.failed_step[0] == -1
    told = s.polhode.failures()
    assert [f["body"] for f in told] == [1, 2] and "not finite" in told[0]["sentence"]
    with pytest.warns(ph.LargeStepWarning):
        kept = ph.sweep("heavy-top", over={"Omega0": starts}, method="VLV", h=0.5, n_steps=20)  # in memory alone
    assert kept.polhode.failures() == told and not kept.attrs["store"]
    kept.to_netcdf(tmp_path / "s.nc")
    s.to_netcdf(tmp_path / "t.nc")


def test_what_cannot_travel_is_told_before_anything_starts(tmp_path):
    lock = __import__("threading").Lock()
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (0.0, 0.0, 0.1 * bool(lock)), Omega0=(0, 0, 1))
    with pytest.raises(ph.InputError, match=r"cannot be compared|cannot travel"):
        ph.sweep(p, over={"Omega0": STARTS[:2]}, method="VLV", h=0.1, n_steps=2, out=tmp_path / "s.zarr")
    assert not (tmp_path / "s.zarr").exists()


def worse(rng, n, block=[0]):  # noqa: B006
    """Moments of which one is negative, in the second block."""
    J = np.ones((n, 3))
    J[1, 2] = -1 if block[0] % 2 else 1
    block[0] += 1
    return J


BAD = {
    "nothing": ({"over": {}}, "at least one"),
    "an unknown axis": ({"over": {"mass": [1, 2]}}, "cannot run over mass"),
    "an empty axis": ({"over": {"h": []}, "h": None}, "empty"),
    "twice": ({"over": {"h": [0.1, 0.2]}}, "once"),
    "no method": ({"method": None}, "needs a method"),
    "both": ({"over": {"Omega0": STARTS, "Pi0": STARTS}}, "one of them"),
    "lengths": ({"over": {"Omega0": STARTS, "inertia": INERTIAS}, "grid": False}, "several lengths"),
    "nothing kept": ({"final": False}, "Nothing would be kept"),
    "workers": ({"workers": "spark"}, "dask"),
    "draws": ({"over": {"d": ph.draws(3, rng=1, mass=normal)}}, "cannot run over mass"),
    "an inertia": ({"over": {"inertia": [[1, 2, 2], [1, -2, 2]]}}, r"inertia\[1\]: The principal moments"),
    "a tensor": ({"over": {"inertia": [np.eye(3), np.eye(3) + np.eye(3, k=1)]}}, r"inertia\[1\]: .*symmetric"),
    "an attitude": ({"over": {"Q0": [np.eye(3), 2 * np.eye(3)]}}, r"Q0\[1\]: Q0 of body 0 is not a rotation"),
    "a drawn inertia": ({"over": {"d": ph.draws(9000, rng=1, inertia=worse)}}, r"inertia\[4097\]: The principal"),
    "a free method": ({"method": "LIEMID"}, "free body only"),
    "crossings": ({"crossings": 3}, "goes with events"),
    "an event": ({"events": {"at noon": level}}, "Python name"),
    "draws that are no methods": ({"over": {"method": ph.draws(3, rng=1, Omega0=normal)}}, "give another name"),
    "the name of a coordinate": (
        {"over": {"inertia": INERTIAS, "inertia_values": ph.draws(3, rng=1, Omega0=normal)}},
        "inertia_values is the name of an axis and of a part",
    ),
    "a draw that raises": (
        {"over": {"d": ph.draws(3, rng=1, Omega0=lambda rng, n: 1 / 0)}},
        "raised ZeroDivisionError",
    ),
    "a complex draw": ({"over": {"d": ph.draws(3, rng=1, Omega0=lambda rng, n: 1j * normal(rng, n))}}, "real numbers"),
    "a name": ({"over": {"status": ph.draws(3, rng=1, Omega0=normal)}}, "rename the axis"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_sweeps_get_a_sentence(case, tmp_path):
    more, words = BAD[case]
    with pytest.raises(ph.InputError, match=words):
        swept(tmp_path / "s.zarr", **more)
    assert not (tmp_path / "s.zarr").exists()


# ---- disks and folders ----------------------------------------------------------------------------------


class After(concurrent.futures.Executor):
    """An executor that does something after so many tasks."""

    def __init__(self, count, what):
        self._left, self._what = count, what

    def submit(self, function, *arguments):
        future = concurrent.futures.Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        self._left -= 1
        if self._left == 0:
            self._what()
        return future


def test_a_full_disk_ends_with_a_sentence_and_nothing_is_lost(store, tmp_path):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    fill = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))  # no file grows beyond 300 bytes
    try:
        with pytest.raises(ph.FileError, match=r"cannot be written: File too large.*resume goes on"):
            swept(tmp_path / "sweep.zarr", workers=After(5, fill))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    s = ph.open_sweep(tmp_path / "sweep.zarr")
    assert s.attrs["chunks_done"] == 4 and int((s.status == 0).sum()) == 3 * 16 + 8
    ph.sweep.resume(tmp_path / "sweep.zarr")
    assert bytes_of(tmp_path / "sweep.zarr") == bytes_of(store)


def test_a_store_that_goes_away_and_comes_back(store, tmp_path):
    path, away = tmp_path / "sweep.zarr", tmp_path / "away.zarr"
    with pytest.raises(ph.FileError, match=r"cannot be written: No such file.*resume goes on"):
        swept(path, workers=After(4, lambda: path.rename(away)))
    with pytest.raises(ph.FileError, match="not the store of a sweep"):
        ph.sweep.resume(path)
    away.rename(path)
    assert ph.open_sweep(path).attrs["chunks_done"] == 3
    ph.sweep.resume(path)
    assert bytes_of(path) == bytes_of(store)


def test_two_sweeps_of_one_store_at_once(store, tmp_path):
    with concurrent.futures.ThreadPoolExecutor(3) as both:
        done = [both.submit(swept, tmp_path / "sweep.zarr") for _ in range(3)]
        assert all((f.result().status == 0).all() for f in done)
    assert bytes_of(tmp_path / "sweep.zarr") == bytes_of(store)
    assert [f.name for f in tmp_path.iterdir()] == ["sweep.zarr"]


def test_an_executor_that_broke_is_told(store, tmp_path):
    class Broken(concurrent.futures.Executor):
        def submit(self, function, *arguments):
            raise concurrent.futures.BrokenExecutor("a worker died")

    with pytest.raises(ph.RunError, match=r"executor broke.*make a new one.*resume goes on"):
        swept(tmp_path / "s.zarr", workers=Broken())


def test_an_executor_that_is_none_is_told(tmp_path):
    class Refuses(concurrent.futures.Executor):
        def submit(self, function, *arguments):
            raise ValueError("not today")

    class Promises(concurrent.futures.Executor):
        def submit(self, function, *arguments):
            return 5

    with pytest.raises(ph.RunError, match=r"takes no work: ValueError: not today.*resume goes on"):
        swept(tmp_path / "s.zarr", workers=Refuses())
    with pytest.raises(ph.InputError, match="gave 5; it must give a Future"):
        swept(tmp_path / "s.zarr", workers=Promises())


def test_progress_tells_of_failures(tmp_path, monkeypatch):
    told = []

    class Bar:
        def __init__(self, *given):
            told.append(given)

        def __enter__(self):
            return lambda *done: told.append(done)

        def __exit__(self, *exception):
            return False

    monkeypatch.setattr("polhode.runs.progress_bar.Bar", Bar)
    starts = np.array([[0.1, 0.2, 0.3], [np.nan, 0.0, 0.0], [0.1, 0.2, 0.3]])
    ph.sweep("heavy-top", over={"Omega0": starts}, method="VLV", h=0.01, n_steps=2, chunk=1, progress=True)
    label = "3 bodies in 3 chunks"
    assert told == [(3, label, 0, "bodies"), (1, label), (2, f"{label}, 1 failed"), (3, f"{label}, 1 failed")]


def test_a_folder_that_is_no_store_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(ph.FileError, match="not the store of a sweep"):
        swept(tmp_path)
    with pytest.raises(ph.FileError, match="not the store of a sweep"):
        ph.sweep.resume(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "precious"


# ---- real kills -----------------------------------------------------------------------------------------

PROGRAM = """
import numpy as np, polhode as ph
if __name__ == "__main__":
    starts = np.random.default_rng(5).normal(size=(64, 3))
    given = dict(over={"Omega0": starts}, method="VLV", h=0.125, chunk=4)
    ph.sweep("stress", **given, n_steps=%d, out="sweep.zarr", workers=%s)
"""


STEPS_TO_KILL = 300_000  # a chunk of them takes longer than the moment that is waited, also on a fast machine


def run_and_kill(folder, steps, workers, wait):
    """Start a sweep and kill it, workers and all; returns how many chunks were there."""
    program = [sys.executable, "-c", PROGRAM % (steps, workers)]
    process = subprocess.Popen(program, cwd=folder, start_new_session=True, stderr=subprocess.DEVNULL)
    notes = folder / "sweep.zarr" / ".polhode" / "done"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (notes.exists() and len(list(notes.iterdir())) > 1):
        time.sleep(0.01)
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return len([f for f in notes.iterdir() if f.name.isdigit()])


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there is no SIGKILL on this system")
def test_a_killed_sweep_goes_on_to_the_same_bytes(tmp_path):
    there = run_and_kill(tmp_path, STEPS_TO_KILL, "None", 0.05)
    assert 1 <= there < 16
    ph.sweep.resume(tmp_path / "sweep.zarr")
    starts = np.random.default_rng(5).normal(size=(64, 3))
    given = {"over": {"Omega0": starts}, "method": "VLV", "h": 0.125, "n_steps": STEPS_TO_KILL, "chunk": 4}
    ph.sweep("stress", **given, out=tmp_path / "other.zarr")
    assert bytes_of(tmp_path / "sweep.zarr") == bytes_of(tmp_path / "other.zarr")


def suicide(t, Q):
    """A torque that kills its worker, but not the process that asks whether it is a function of (t, Q)."""
    if t > 0.15 and multiprocessing.parent_process() is not None:
        signal.raise_signal(signal.SIGKILL)
    return 0.0, 0.0, 0.1


def test_a_chunk_whose_workers_die_is_named(tmp_path):
    module = tmp_path / "deadly.py"
    module.write_text("import multiprocessing, signal\n\n" + textwrap.dedent(__import__("inspect").getsource(suicide)))
    program = textwrap.dedent(
        """
        import json, warnings, deadly, numpy as np, polhode as ph
        warnings.simplefilter("ignore")
        if __name__ == "__main__":
            p = ph.Problem(inertia=(1, 2, 2.5), torque=deadly.suicide, Omega0=(0, 0, 1))
            s = ph.sweep(p, over={"Omega0": np.ones((2, 3))}, method="VLV", h=0.1, n_steps=3, chunk=1, out="s.zarr",
                         workers=2)
            print(sorted(json.loads(s.attrs["lost_chunks"])), s.status.values.tolist())
        """
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "['0', '1'] [-1, -1]", done.stderr[-2000:]
