"""Long runs: in constant memory, watched, killed and continued, and what round-off does to them."""

import functools
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys

import numpy as np
import pytest

import polhode as ph
from polhode import longrun

COLUMNS = ("t", "Q", "Omega", "energy", "momentum")
TENSOR = ((2.0, 0.1, 0.0), (0.1, 2.5, 0.2), (0.0, 0.2, 3.0))


def tilted():
    """A body in axes that are not principal, with a potential."""
    return ph.Problem(inertia=TENSOR, potential=lambda Q: Q[2, 2] + Q[0, 1] / 2, Omega0=(0.3, 1, -0.2), name="tilted")


def midpoint_like(problem, Q, Omega, h, t):
    """A plain function as a method."""
    return ph.step(problem, "RKMK2", Q, Omega, h, t)


# ---- streaming ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 7, 1000])
@pytest.mark.parametrize(
    "problem", [functools.partial(ph.problem, "stress"), tilted, functools.partial(ph.problem, "book-toss")]
)
def test_a_streamed_run_has_the_bits_of_a_kept_one(tmp_path, monkeypatch, problem, every):
    monkeypatch.setattr(longrun, "BUFFER", 50)  # many writes
    p = problem()
    h = p.h or 0.05
    kept = ph.solve(p, "VLV", h=h, n_steps=2003, save_every=every)
    streamed = ph.solve(p, "VLV", h=h, n_steps=2003, save_every=every, out=tmp_path / "run.nc")
    loaded = ph.load(tmp_path / "run.nc")
    assert isinstance(streamed.Q.base, np.memmap) and streamed.stats["file"] == str(tmp_path / "run.nc")
    for name in COLUMNS if p.has_potential else ("t", "Q", "Omega", "momentum"):
        assert np.array_equal(getattr(kept, name), getattr(streamed, name)), name
        assert np.array_equal(getattr(kept, name), getattr(loaded, name)), name
    assert loaded.stats == streamed.stats and loaded.success and loaded.message == ""
    assert streamed.to_xarray()["Q"].shape == kept.Q.shape


def test_a_plain_function_streams_too(tmp_path):
    kept = ph.solve("heavy-top", midpoint_like, h=0.01, n_steps=20, save_every=3)
    streamed = ph.solve("heavy-top", midpoint_like, h=0.01, n_steps=20, save_every=3, out=tmp_path / "run.nc")
    assert all(np.array_equal(getattr(kept, k), getattr(streamed, k)) for k in COLUMNS)


def test_a_streamed_run_that_fails_says_so_in_its_file(tmp_path):
    torque = lambda t, Q: (0.0, 40.0 * t, 25.0 * t)
    p = ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0.1, 1, 0), name="spun up")
    s = ph.solve(p, "RATTLE", h=0.1, n_steps=100, out=tmp_path / "run.nc")
    r = ph.load(tmp_path / "run.nc")
    assert not s.success and not r.success and r.message == s.message and "did not solve" in r.message
    assert len(r.t) == len(s.t) and 2 < len(r.t) < 101


def test_a_file_that_cannot_be_written_is_an_error_with_advice(tmp_path):
    with pytest.raises(ph.FileError, match=r"cannot be written.*Check the folder"):
        ph.solve("stress", "VLV", n_steps=10, out=tmp_path / "nowhere" / "run.nc")
    with pytest.raises(ph.FileError, match=r"checkpoint .* cannot be written"):
        ph.solve("stress", "VLV", n_steps=10, checkpoint=tmp_path / "nowhere" / "run.ckpt")


# ---- reductions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", [1, 10])
def test_reductions_are_those_of_the_whole_run(each):
    s = ph.solve("stress", "ELN", h=0.25, n_steps=20_001, reduce=("energy", "momentum"), reduce_every=each)
    whole = {"energy": s.energy, **{f"momentum_{x}": s.momentum[:, k] for k, x in enumerate("xyz")}}
    assert list(s.reductions) == list(whole)
    for name, values in whole.items():
        r, y, t = s.reductions[name], values[each::each], s.t[each::each]
        assert r.count == len(y)
        assert [r.first, r.min, r.max, r.mean] == pytest.approx([values[0], y.min(), y.max(), y.mean()], abs=1e-13)
        slope = np.polyfit(t - t.mean(), y - values[0], 1)[0]
        assert r.slope == pytest.approx(slope, rel=1e-9, abs=1e-13)
        assert r.first + r.means @ np.diff(np.append(0, np.cumsum(np.full(64, len(y) / 64)))) / len(y) == pytest.approx(
            r.mean, abs=1e-3
        )
    energy = s.reductions["energy"]
    assert energy.slope < -10 * energy.slope_error < 0  # ELN loses energy
    assert energy.spread == energy.max - energy.min


def test_reductions_are_the_same_interpreted_and_for_a_users_potential():
    p = tilted()
    runs = [ph.solve(p, "VLV", h=0.05, n_steps=300, reduce=("energy", "momentum_z"), compiled=c) for c in (True, False)]
    assert repr(runs[0].reductions) == repr(runs[1].reductions) and list(runs[0].reductions) == ["energy", "momentum_z"]
    assert runs[0].reductions["energy"].max == pytest.approx(runs[0].energy[1:].max(), abs=1e-15)


def test_the_loop_that_reduces_is_compiled_only_when_asked_for():
    from polhode import compile

    before = len(compile.COMPILED)
    ph.solve("stress", "NMB", h=0.125, n_steps=10)
    assert [name for name, _ in compile.COMPILED[before:] if name.startswith("survey")] == []
    ph.solve("stress", "NMB", h=0.125, n_steps=10, reduce="energy")
    assert [name for name, _ in compile.COMPILED[before:] if name.startswith("survey")] == ["survey-nmb_step"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reduce": "enrgy"}, "reduce='enrgy' is not known; give some of 'energy', 'momentum'"),
        ({"reduce": "energy", "reduce_every": 50}, "leaves 2 of 100 steps to look at"),
        ({"reduce": "energy", "method": midpoint_like}, "not with a plain function"),
        ({"reduce": "energy", "problem": "book-toss"}, "has no potential, so it has no energy"),
    ],
)
def test_misuse_of_reduce(options, message):
    arguments = {"problem": "stress", "method": "VLV", "n_steps": 100, **options}
    with pytest.raises(ph.InputError, match=message):
        ph.solve(**arguments)


# ---- checkpoints -------------------------------------------------------------------------------------


def script():
    """scripts/kill_and_resume.py as a module."""
    path = pathlib.Path(__file__).parent.parent / "scripts" / "kill_and_resume.py"
    spec = importlib.util.spec_from_file_location("kill_and_resume", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.parametrize(
    "case",
    [
        ("stress", "VLV", 1_500_000, 7, True),
        ("stress", "VLV", 2_000_000, 10_001, False),
        ("heavy-top", "TLN", 400_000, 11, True),
    ],
)
def test_a_run_killed_at_random_moments_ends_with_the_same_bits(tmp_path, case):
    kill_and_resume = script()
    ph.solve(case[0], case[1], h=0.01, n_steps=100, reduce="energy")
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    alone.mkdir()
    killed.mkdir()
    wanted, seconds = kill_and_resume.left_alone(case, alone)
    found, kills = kill_and_resume.killed_and_continued(case, killed, seconds / 3, random.Random(case[2]))
    assert found == wanted
    assert kills >= 1


def test_a_finished_run_is_not_done_again_and_another_run_is_refused(tmp_path):
    def run(problem="stress", method="VLV", **options):
        options = {"h": 0.125, "n_steps": 5000, "save_every": 10, "checkpoint": tmp_path / "run.ckpt", **options}
        return ph.solve(problem, method, **options)

    first, second = run(), run()
    assert second.stats["resumed_at"] == 5000 and np.array_equal(first.Q, second.Q)
    assert second.stats["n_torque"] == first.stats["n_torque"] == 5001
    for options, what in (
        ({"h": 0.25}, "its h differs \\(0.125 there, 0.25 here\\)"),
        ({"n_steps": 6000}, "its n_steps differs"),
        ({"save_every": 5}, "its save_every differs"),
        ({"method": "ELN"}, "its method differs"),
        ({"problem": ph.problem("stress", alpha=0.2)}, "its data of the problem differs"),
        ({"problem": "heavy-top"}, "its problem differs"),
        ({"reduce": "energy"}, "its reduce differs"),
        ({"out": tmp_path / "run.nc"}, "its out differs"),
    ):
        with pytest.raises(ph.InputError, match=what):
            run(**options)
    (tmp_path / "run.ckpt").write_bytes(b"not a checkpoint")
    with pytest.raises(ph.FileError, match="not a checkpoint that can be read"):
        run()


def test_a_users_torque_is_part_of_the_checkpoint(tmp_path):
    def problem(k):
        return ph.Problem(
            inertia=(1, 2, 2.5), torque=lambda t, Q: (k * Q[0, 1], 0.0, 0.1), Omega0=(1, 0, 0), name="mine"
        )

    ph.solve(problem(0.5), "VLV", h=0.1, n_steps=10, checkpoint=tmp_path / "c")
    ph.solve(problem(0.5), "VLV", h=0.1, n_steps=10, checkpoint=tmp_path / "c")
    with pytest.raises(ph.InputError, match="its functions of the problem differs"):
        ph.solve(problem(0.6), "VLV", h=0.1, n_steps=10, checkpoint=tmp_path / "c")


def test_a_file_cut_behind_the_back_of_its_checkpoint_is_noticed(tmp_path):
    options = {"h": 0.125, "n_steps": 500, "out": tmp_path / "run.nc", "checkpoint": tmp_path / "run.ckpt"}
    ph.solve("stress", "VLV", **options)
    os.truncate(tmp_path / "run.nc", 20_000)
    with pytest.raises(ph.FileError, match="fewer than the 501 rows that its checkpoint counts"):
        ph.solve("stress", "VLV", **options)


def test_ctrl_c_leaves_a_checkpoint_from_which_the_same_call_goes_on(tmp_path):
    program = """
import os, signal, sys, threading, json
import polhode as ph
ph.solve("stress", "VLV", h=0.125, n_steps=10)
if sys.argv[1] == "interrupt":
    threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
s = ph.solve("stress", "VLV", h=0.125, n_steps=15 * 10**6, save_every=10**5, checkpoint=sys.argv[2])
print(json.dumps([s.success, s.message, s.stats.get("resumed_at"), len(s.t), s.Omega[-1].tolist()]))
"""

    def run(*arguments):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    success, message, _, rows, _ = run("interrupt", str(tmp_path / "a"))
    assert not success and message.endswith("The same call goes on from there.") and rows >= 1
    continued = run("go on", str(tmp_path / "a"))
    assert continued[0] and continued[2] > 0
    alone = run("go on", str(tmp_path / "b"))
    assert continued[3:] == alone[3:] and alone[2] is None
