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
    monkeypatch.setattr("polhode.runs.results.rows.BUFFERED_ROWS", 50)  # many writes
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
    compiled, interpreted = (run.reductions for run in runs)  # the torque of a potential is derived in two ways
    assert list(compiled) == list(interpreted) == ["energy", "momentum_z"]
    for name in compiled:
        assert [compiled[name].min, compiled[name].max, compiled[name].mean] == pytest.approx(
            [interpreted[name].min, interpreted[name].max, interpreted[name].mean], abs=1e-13
        )
    assert runs[0].reductions["energy"].max == pytest.approx(runs[0].energy[1:].max(), abs=1e-15)


def test_the_loop_that_reduces_is_compiled_only_when_asked_for():
    from polhode.machine import COMPILED

    before = len(COMPILED)
    ph.solve("stress", "NMB", h=0.125, n_steps=10)
    assert [name for name, _ in COMPILED[before:] if name.startswith("survey")] == []
    ph.solve("stress", "NMB", h=0.125, n_steps=10, reduce="energy")
    compiled = [name for name, _ in COMPILED[before:] if name.startswith("survey")]
    assert compiled == ["survey-nmb_step-9-0-float64"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reduce": "enrgy"}, "reduce has 'enrgy'; it may have energy, momentum"),
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
    path = pathlib.Path(__file__).parents[2] / "scripts" / "kill_and_resume.py"
    spec = importlib.util.spec_from_file_location("kill_and_resume", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.parametrize(
    "case",
    [
        ("stress", "VLV", 1_000_000, 7, True),
        ("stress", "VLV", 2_000_000, 100_001, False),
        ("heavy-top", "TLN", 400_000, 11, True),
    ],
)
def test_a_run_killed_at_random_moments_ends_with_the_same_bits(tmp_path, case):
    kill_and_resume = script()
    warm, alone, killed = (tmp_path / name for name in ("warm", "alone", "killed"))
    for folder in (warm, alone, killed):
        folder.mkdir()
    kill_and_resume.run((*case[:2], 100, *case[3:]), warm)  # compiled and imported: what is timed below is the run
    wanted, seconds = kill_and_resume.left_alone(case, alone)
    found, kills = kill_and_resume.killed_and_continued(case, killed, seconds / 6, random.Random(case[2]), most=3)
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
import os, pathlib, signal, sys, threading, time
import polhode as ph

def interrupt_after_the_first_checkpoint():
    while not pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt_after_the_first_checkpoint, daemon=True).start()
options = {"checkpoint": sys.argv[1], "checkpoint_every": 0}
s = ph.solve("stress", "VLV", h=0.125, n_steps=5_000_000, save_every=10_000, **options)
print(s.success, s.message)
"""
    path = str(tmp_path / "run.ckpt")
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False Interrupted at step")
    assert done.stdout.endswith("Run the same again to go on from there.\n")
    continued = ph.solve("stress", "VLV", h=0.125, n_steps=5_000_000, save_every=10_000, checkpoint=path)
    alone = ph.solve("stress", "VLV", h=0.125, n_steps=5_000_000, save_every=10_000)
    assert continued.success and 0 < continued.stats["resumed_at"] < 5_000_000
    assert np.array_equal(continued.Q, alone.Q) and np.array_equal(continued.Omega, alone.Omega)
    assert continued.stats["n_iterations"] == alone.stats["n_iterations"]


# ---- round-off ---------------------------------------------------------------------------------------


def drift_of_momentum(name, method, runs=6, n=300_000, h=0.02):
    """Relative change of a conserved momentum in units of 2^-52: mean over starts, and rms over the root of n."""
    problem = ph.problem(name)
    rng = np.random.default_rng(1937)
    change = []
    for _ in range(runs):
        start = problem.replaced(Omega0=problem.Omega0 * (1 + 0.02 * rng.standard_normal(3)))
        s = ph.solve(start, method, h=h, n_steps=n, save_every=n)
        size = s.momentum[:, 2] if name == "heavy-top" else np.linalg.norm(s.momentum, axis=1)
        change.append((size[1] / size[0] - 1) * 2.0**52)
        assert s.orthogonality.max() < 2e-15
    return np.mean(change) / n, np.sqrt(np.mean(np.square(change)) / n)


@pytest.mark.parametrize("method", ["VLV", "RATTLE", "SR2", "PRK", "NEW3", "HSTAGM"])
def test_round_off_of_the_momentum_is_a_random_walk(method):
    """In units of 2^-52 a step, before: SR2 -1e-2 (length of rotations), HSTAGM 6e-3 (momentum turned to space and
    back), PRK and NEW3 9e-2 (multiplied by h/2 and by its reciprocal)."""
    mean, walk = drift_of_momentum("free-body", method)
    assert abs(mean) < 1e-3 and walk < 0.5


@pytest.mark.parametrize("method", ["LP2", "SW"])
def test_large_rotations_keep_lengths(method):
    """With a sum of squares rounded near 1, LP2 gained 4.8e-3 and SW 1.1e-3 of 2^-52 a step of about a radian."""
    mean, walk = drift_of_momentum("asymmetric", method, h=0.3)
    assert abs(mean) < 6e-4 and walk < 0.5


@pytest.mark.parametrize("method", ["VLV", "HP-EXP"])
def test_normalising_the_attitude_does_not_turn_it(method):
    """Scaled by 1 - 2^-53 in a part of the steps, the attitude of HP-EXP moved the momentum by 4e-3 of 2^-52 a step."""
    mean, walk = drift_of_momentum("heavy-top", method)
    assert abs(mean) < 2.5e-3 and walk < 1.6


def test_compensated_sums_pay():
    assert drift_of_momentum("heavy-top", "VLV-KAHAN")[1] < drift_of_momentum("heavy-top", "VLV")[1] / 3
    s, r = (ph.solve("stress", m, h=0.125, n_steps=200) for m in ("VLV", "VLV-KAHAN"))
    assert np.abs(s.Q - r.Q).max() < 1e-12 and np.abs(s.Q - r.Q).max() > 0


def test_unit_leaves_a_unit_quaternion_alone():
    from polhode.kernels.rotations import exp, unit

    rng = np.random.default_rng(5)
    for x in rng.standard_normal((1000, 3)):
        q = exp(tuple(x.tolist()))
        assert unit(q) == q
        r = unit(tuple((rng.uniform(0.5, 2) * np.array(q)).tolist()))
        assert abs(np.linalg.norm(r) - 1) < 4e-15


# ---- start-up ----------------------------------------------------------------------------------------


def test_warm_cache_compiles_once(tmp_path):
    program = (
        "import sys; from polhode.cli.main import main; sys.exit(main(['warm-cache', '--methods', 'LP2', '--json']))"
    )
    environment = {**os.environ, "POLHODE_CACHE": str(tmp_path)}
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        found.append(json.loads(done.stdout))
    assert found[0]["kernels"] == found[0]["compiled"] == found[1]["kernels"] and found[1]["compiled"] == 0
