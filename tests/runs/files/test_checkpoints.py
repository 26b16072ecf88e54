"""Damaged and forged checkpoints: refused with a sentence, or the run ends with the bits it would have had."""

import dataclasses
import hashlib
import io
import json
import random

import numpy as np
import pytest

import polhode as ph

COLUMNS = ("t", "Q", "Omega", "energy", "momentum")
STEPS = 6000
HEAD = len("polhode checkpoint 2\n") + 65


def run(folder, streamed):
    """A run with everything that a checkpoint can hold."""
    out = folder / "run.nc" if streamed else None
    options = {"save_every": 7, "reduce": ("energy", "momentum"), "reduce_every": 3}
    return ph.solve("stress", "VLV", h=0.125, n_steps=STEPS, out=out, checkpoint=folder / "run.ckpt", **options)


def outcome(s):
    """All that must come out the same."""
    numbers = [[r.first, r.count, r.min, r.max, r.mean, r.slope, r.slope_error] for r in s.reductions.values()]
    counts = [s.success, s.stats["n_steps"], s.stats["n_torque"], s.stats["n_iterations"]]
    return [np.array(getattr(s, k), float).tobytes() for k in COLUMNS], numbers, counts


@pytest.fixture(scope="module", params=[False, True], ids=["kept", "streamed"])
def interrupted(request, tmp_path_factory):
    """A folder with an interrupted run; how it was run; the bytes of its files; what must come out."""
    streamed = request.param
    wanted = outcome(run(tmp_path_factory.mktemp("alone"), streamed))
    folder = tmp_path_factory.mktemp("interrupted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "polhode.runs.interrupt.Interrupt.__init__",
            lambda self, leave=False: vars(self).update(seen=True, _leave=False),
        )
        s = run(folder, streamed)
    assert s.stats["interrupted"] and s.stats["n_steps"] == 4096
    return folder, streamed, {f: f.read_bytes() for f in folder.iterdir()}, wanted


def gone_on(interrupted, checkpoint):
    """The sentence by which a checkpoint is refused, or "" when the run goes on and ends as it should."""
    folder, streamed, files, wanted = interrupted
    for file, data in files.items():
        file.write_bytes(data)
    (folder / "run.ckpt").write_bytes(checkpoint)
    try:
        s = run(folder, streamed)
    except ph.InputError as error:
        assert "\n" not in str(error) and "run." in str(error) and len(str(error)) < 900
        assert (folder / "run.ckpt").read_bytes() == checkpoint
        return str(error)
    assert outcome(s) == wanted
    return ""


def original(interrupted):
    folder, _, files, _ = interrupted
    return files[folder / "run.ckpt"]


def test_what_is_not_damaged_goes_on(interrupted):
    assert gone_on(interrupted, original(interrupted)) == ""


def test_every_damaged_checkpoint_is_refused(interrupted):
    data, rng = original(interrupted), random.Random(1)
    damaged = [data[:n] for n in (0, 1, 10, 21, 50, HEAD, HEAD + 1, len(data) - 1, *rng.sample(range(len(data)), 20))]
    damaged += [data + b"\0", data[HEAD:], data.replace(b"checkpoint 2", b"checkpoint 3"), bytes(len(data)), b"\n" * 9]
    for at in [*range(HEAD), *rng.sample(range(HEAD, len(data)), 120)]:
        one = bytearray(data)
        one[at] ^= 1 << rng.randrange(8)
        damaged.append(bytes(one))
    for _ in range(60):
        i, j = rng.sample(range(len(data)), 2)
        two = bytearray(data)
        two[i], two[j] = data[j], data[i]
        damaged.append(bytes(two))
    for each in damaged:
        assert each == data or gone_on(interrupted, each)


def forged(data, **changes):
    """A checkpoint with other numbers and the right checksum; None takes one out, a function changes it."""
    with np.load(io.BytesIO(data[HEAD:])) as archive:
        arrays = dict(archive)
    for name, value in changes.items():
        arrays[name] = value(arrays[name].copy()) if callable(value) else value
    payload = io.BytesIO()
    np.savez(payload, **{k: v for k, v in arrays.items() if v is not None})
    return sealed(payload.getvalue())


def sealed(payload):
    return b"polhode checkpoint 2\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


def scaled(factor):
    def change(state):
        state[:4] *= factor
        return state

    return change


def described(**changes):
    return lambda text: np.array(json.dumps({**json.loads(str(text)), **changes}))


FORGERIES = {
    "counts": [put(0, x) for x in (-1, 0, 1, 4095, 4097, 4102, STEPS, STEPS + 1, 2**62)]
    + [put(1, x) for x in (-3, 0, 1, 7, 8, 2**40)]
    + [put(2, x) for x in (-1, 2**62)]
    + [np.array(4096), np.array([4096, 6]), np.array([4096.0, 6.0, 0.0]), np.array(["a", "b", "c"]), None],
    "seconds": [np.array(x) for x in (-1.0, np.nan, np.inf, 5)] + [np.array([1.0]), None],
    "state": [
        scaled(2),
        scaled(0),
        scaled(-1.5),
        put(5, np.nan),
        put(9, np.inf),
        lambda x: x[:-1],
        lambda x: x[None],
        None,
    ],
    "rows": [
        np.array(-1),
        np.array(10**12),
        np.array(585),
        np.zeros((585, 7)),
        np.zeros((584, 6)),
        np.array("x"),
        None,
    ],
    "tally": [put((0, 0, 2), x) for x in (-1.0, 0.0, 1e9, np.nan)]
    + [put((0, 1, 0), 1e300), lambda x: x[:-1], lambda x: x.astype("f4"), None],
    "run": [
        described(n_steps=STEPS + 1),
        described(h=0.25),
        described(format="1"),
        np.array("[]"),
        np.array("{"),
        None,
    ],
    "more": [np.array(1)],
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_checkpoint_is_refused_by_its_ranges(interrupted, name):
    harmless = [] if name != "run" else [2]  # what a description says beyond what is compared
    for k, change in enumerate(FORGERIES[name]):
        sentence = gone_on(interrupted, forged(original(interrupted), **{name: change}))
        assert bool(sentence) == (k not in harmless), (name, k, sentence)


def test_forged_rows_are_refused(interrupted):
    streamed = interrupted[1]
    if streamed:
        changes = [{"digest": lambda x: x + 1}, {"digest": np.array(-1)}, {"digest": None}]
    else:
        changes = [{"rows": scaled_rows(x)} for x in (2, 0, np.nan)]
    for change in changes:
        assert gone_on(interrupted, forged(original(interrupted), **change))


def test_the_last_row_is_the_state_where_it_should_be(tmp_path):
    options = {"h": 0.125, "n_steps": 80, "save_every": 8, "checkpoint": tmp_path / "run.ckpt"}
    ph.solve("stress", "VLV", **options)
    data = options["checkpoint"].read_bytes()
    for change in ({"rows": put((-1, 5), 3.0)}, {"state": put(5, 3.0)}):
        options["checkpoint"].write_bytes(forged(data, **change))
        with pytest.raises(ph.FileError, match="its last row is not its state"):
            ph.solve("stress", "VLV", **options)


def test_a_method_that_leaves_the_rotations_is_told_so_when_the_checkpoint_is_written(tmp_path):
    vlv = ph.method("VLV")

    def longer(h, t, state, body):
        (q, *rest), report = vlv.step(h, t, state, body)
        return (tuple(1.5 * x for x in q), *rest), report

    method = dataclasses.replace(vlv, name="LONG", step=longer)
    with pytest.raises(ph.InputError, match=r"No checkpoint .* its attitude is a quaternion of length 1\.5"):
        ph.solve("stress", method, n_steps=1, checkpoint=tmp_path / "run.ckpt", compiled=False)


def scaled_rows(factor):
    def change(rows):
        rows[3, :4] *= factor
        return rows

    return change


def test_what_is_sealed_may_be_anything(interrupted):
    for payload in (b"", b"PK\3\4", b"x" * 100, original(interrupted)[HEAD:-40], b"\x93NUMPY\1\0v\0{'descr': '|O'}"):
        assert "what is inside is not what a run writes" in gone_on(interrupted, sealed(payload))


def test_a_checkpoint_of_an_earlier_version_is_refused_in_these_words(interrupted):
    old = io.BytesIO()
    np.savez(old, run=np.array("{}"), counts=np.array([1, 1, 1]))
    assert "written by an earlier version, without a checksum" in gone_on(interrupted, old.getvalue())
    assert "its version is '1'" in gone_on(interrupted, b"polhode checkpoint 1\nabc")


@pytest.mark.parametrize("interrupted", [True], indirect=True, ids=["streamed"])
def test_a_file_that_differs_from_its_checkpoint_is_refused_and_left_alone(interrupted):
    folder, _, files, wanted = interrupted
    file, rng = folder / "run.nc", random.Random(2)
    data = files[file]
    rows = 586 * 17 * 8
    for at in [len(data) - rows, len(data) - 1, *(len(data) - rng.randrange(rows) for _ in range(20))]:
        damaged = bytearray(data)
        damaged[at] ^= 1 << rng.randrange(8)
        (folder / "run.ckpt").write_bytes(original(interrupted))
        file.write_bytes(damaged)
        with pytest.raises(ph.FileError, match="does not hold the 586 rows that its checkpoint counts"):
            run(folder, True)
        assert file.read_bytes() == damaged
    file.unlink()
    with pytest.raises(ph.FileError, match=r"belongs to the checkpoint and cannot be opened.*Bring it back"):
        run(folder, True)
    file.write_bytes(bytes(len(data) - rows) + data[-rows:])  # the header is written anew; the rows are what counts
    assert outcome(run(folder, True)) == wanted and ph.load(file).success
