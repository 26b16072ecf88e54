"""Files say the truth: whatever happens to a run or to its file, what is read is right and what is missing is said."""

import os
import pathlib
import random
import re
import signal
import stat
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

import polhode as ph
from polhode.runs.files import netcdf, netcdf_header, places

COLUMNS = ("t", "Q", "Omega", "energy", "momentum")
ROW = 17 * 8
OPTIONS = {"h": 0.125, "n_steps": 3000}


def stress(**options):
    return ph.solve("stress", "VLV", **OPTIONS | options)


def same(a, b, rows=slice(None)):
    return all(np.array_equal(getattr(a, k), getattr(b, k)[rows]) for k in COLUMNS)


def in_a_process(program, *arguments):
    """Run a program of a few lines in an interpreter of its own: a bus error must not end the tests."""
    text = f"import os, sys\nimport numpy as np\nimport polhode as ph\n{program}"
    return subprocess.run([sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True)


# ---- replaced by renaming ----------------------------------------------------------------------------


def test_an_earlier_trajectory_keeps_its_states_when_its_file_is_written_anew(tmp_path):
    done = in_a_process(
        """
old = ph.solve("stress", "VLV", h=0.125, n_steps=20_000, out=sys.argv[1])
before = {k: np.array(getattr(old, k)) for k in ("t", "Q", "Omega", "energy", "momentum")}
new = ph.solve("stress", "VLV", h=0.0625, n_steps=10, out=sys.argv[1])
assert all(np.array_equal(getattr(old, k), v) for k, v in before.items())
assert len(new.t) == 11 and new.t[1] == 0.0625 and len(ph.load(sys.argv[1]).t) == 11
""",
        tmp_path / "run.nc",
    )
    assert done.returncode == 0, done.stderr
    assert os.listdir(tmp_path) == ["run.nc"]


def test_a_result_can_be_saved_over_its_own_file(tmp_path):
    done = in_a_process(
        """
s = ph.solve("stress", "VLV", h=0.125, n_steps=20_000, out=sys.argv[1])
s.save(sys.argv[1])
r = ph.load(sys.argv[1])
assert all(np.array_equal(getattr(s, k), getattr(r, k)) for k in ("t", "Q", "Omega", "energy", "momentum"))
assert s.success and r.success
""",
        tmp_path / "run.nc",
    )
    assert done.returncode == 0, done.stderr
    assert os.listdir(tmp_path) == ["run.nc"]


def test_an_interrupted_trajectory_keeps_its_states_when_the_run_goes_on(tmp_path, monkeypatch):
    files = {"out": tmp_path / "run.nc", "checkpoint": tmp_path / "run.ckpt", "n_steps": 9000}
    with monkeypatch.context() as patch:
        patch.setattr(
            "polhode.runs.interrupt.Interrupt.__init__",
            lambda self, leave=False: vars(self).update(seen=True, _leave=False),
        )
        part = stress(**files)
    loaded = ph.load(files["out"])
    assert not loaded.success and loaded.message == part.message and "Interrupted at step 4096" in part.message
    whole = stress(**files)
    assert same(whole, stress(n_steps=9000)) and same(part, whole, slice(4097)) and same(loaded, part)
    assert ph.load(files["out"]).success


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "link.nc").symlink_to(tmp_path / "deep" / "run.nc")
    s = stress(out=tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink() and same(ph.load(tmp_path / "deep" / "run.nc"), s)
    s.save(tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink() and same(ph.load(tmp_path / "link.nc"), s)


def test_what_a_killed_process_left_is_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    alive = places.beside(tmp_path / "run.nc")
    dead = alive.with_name(alive.name.replace(f"-{os.getpid()}-", f"-{ended.pid}-"))
    for file in (alive, dead):
        file.touch()
    stress(out=tmp_path / "run.nc")
    assert alive.exists() and not dead.exists()


# ---- runs that do not end ----------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills processes")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_a_run_that_was_killed_says_so_in_its_file(tmp_path, how):
    import xarray

    file = tmp_path / "run.nc"
    stress(out=file)  # an earlier run of this name must not be taken for the one that is killed
    command = [sys.executable, "-m", "polhode", "run", "VLV", "stress", "--n-steps", "1e9", "--save-every", "50"]
    process = subprocess.Popen([*command, "--out", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None and not 5000 * ROW < file.stat().st_size:
        time.sleep(0.01)
    running = ph.load(file)
    with xarray.open_dataset(file) as data:
        assert data.attrs["success"] == data.attrs["complete"] == 0 and "did not end" in data.attrs["message"]
        assert data.sizes["t"] >= len(running.t) > 1000
    process.send_signal(getattr(signal, how))
    process.communicate()
    killed = ph.load(file)
    alone = ph.solve("stress", "VLV", n_steps=50 * (len(killed.t) - 1), save_every=50)
    assert not killed.success and same(killed, alone) and same(running, alone, slice(len(running.t)))
    assert killed.message.startswith(f"The run did not end, or is still going on: {len(killed.t)} of 20000001 rows are")


FULL = """
file = sys.argv[1] + "/run"
try:
    ph.solve("stress", "VLV", h=0.125, n_steps=20_000, out=file + ".nc", checkpoint=file + ".ckpt")
except ph.FileError as error:
    print(error)
s = ph.solve("stress", "VLV", h=0.125, n_steps=20_000)
try:
    s.save(sys.argv[1] + "/saved.nc")
except ph.FileError as error:
    print(error)
"""


def check_a_full_disk(folder, done, reason, reason_of_save):
    assert done.returncode == 0, done.stderr
    run, save = done.stdout.splitlines()
    rows = int(re.search(rf"run.nc cannot be written any more: {reason}. The (\d+) rows before are in it", run)[1])
    assert (
        re.search(f"saved.nc cannot be written: {reason_of_save}. Check the folder", save) and "still in memory" in save
    )
    found = ph.load(folder / "run.nc")
    assert not found.success and f"{rows} of 20001 rows are in" in found.message and len(found.t) == rows > 0
    assert same(found, stress(n_steps=20_000), slice(rows))
    assert not (folder / "saved.nc").exists() and not list(folder.glob(".*.new"))


def test_a_disk_that_becomes_full(tmp_path):
    subprocess.run(["umount", tmp_path], capture_output=True)
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        check_a_full_disk(tmp_path, in_a_process(FULL, tmp_path), "No space left on device", "No space left on device")
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_file_that_may_not_grow(tmp_path):
    pytest.importorskip("resource")
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (10**6, 10**6))\n"
    check_a_full_disk(tmp_path, in_a_process(limit + FULL, tmp_path), "File too large", ".*HDF error")


def method_that(does, path):
    """A method that does something to a file at its twentieth step."""
    calls = iter(range(100))

    def method(problem, Q, Omega, h, t):
        if next(calls) == 20:
            does(path)
        return ph.step(problem, "RKMK2", Q, Omega, h, t)

    return method


def test_a_file_cut_under_the_run_is_noticed(tmp_path):
    file = tmp_path / "run.nc"
    cut = method_that(lambda path: os.truncate(path, path.stat().st_size - 100), file)
    with pytest.raises(ph.FileError, match="was cut by somebody else while the run went on; 17 rows had been written"):
        ph.solve("heavy-top", cut, h=0.01, n_steps=60, out=file)
    with pytest.raises(
        ph.FileError, match=r"No row of .*run\.nc can be read \(the file was cut; rows 0 to 15 do not match"
    ):
        ph.load(file)  # they share a checksum with the row that was cut


def test_a_file_removed_under_the_run_is_noticed(tmp_path):
    with pytest.warns(UserWarning, match=r"run\.nc was replaced or removed by somebody else"):
        s = ph.solve(
            "heavy-top", method_that(os.unlink, tmp_path / "run.nc"), h=0.01, n_steps=60, out=tmp_path / "run.nc"
        )
    assert s.success and s.stats["file"] is None
    assert same(s, ph.solve("heavy-top", method_that(str, ""), h=0.01, n_steps=60))


# ---- damaged files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A file of a run, its bytes, and the trajectory."""
    file = tmp_path_factory.mktemp("whole") / "run.nc"
    s = stress(out=file)
    return file.read_bytes(), s


def test_the_file_is_what_netcdf_and_its_own_words_say(whole, tmp_path):
    import xarray

    data, s = whole
    (tmp_path / "run.nc").write_bytes(data)
    with xarray.open_dataset(tmp_path / "run.nc", engine="netcdf4") as found:
        assert all(np.array_equal(found[k].values, getattr(s, k)) for k in COLUMNS)
        assert found["Q"].dims == ("t", "space", "body") and list(found["space"].values) == list("xyz")
        assert (found.attrs["complete"], found.attrs["success"], found.attrs["rows"]) == (1, 1, 3001)
        assert found.attrs["method"] == "VLV" and found.attrs["problem"] == "stress" and found.attrs["h"] == 0.125
        assert found.attrs["inertia"].tolist() == [2, 2, 4] and found.attrs["format"] == "polhode trajectory"
        rows = data[-3001 * ROW :]
        blocks = [rows[i : i + 1024 * ROW] for i in range(0, len(rows), 1024 * ROW)]
        assert found["checksum"].values.tolist() == [zlib.crc32(block) for block in blocks]


def delivered(file, s):
    """What `load` gives of a damaged file: None where it refuses; the rows must be rows of the run."""
    try:
        r = ph.load(file)
    except ph.FileError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
        return None
    rows = np.searchsorted(s.t, r.t)
    assert len(r.t) and all(np.array_equal(getattr(r, k), getattr(s, k)[rows]) for k in COLUMNS)
    assert (r.method, r.h, r.problem_name) == ("VLV", 0.125, "stress")
    assert r.success == (len(r.t) == 3001 and r.message == "") and (r.success or "of 3001 rows" in r.message)
    return r


def test_a_file_that_was_cut_gives_the_rows_that_are_there(whole, tmp_path):
    data, s = whole
    file = tmp_path / "run.nc"
    head = len(data) - 3001 * ROW
    for size in (0, 3, 40, 5000, head, head + 5, head + ROW, head + 1023 * ROW):
        file.write_bytes(data[:size])
        assert delivered(file, s) is None
    for blocks, size in ((1, 1024 * ROW), (1, 2047 * ROW + 9), (2, 2048 * ROW), (2, 3001 * ROW - 1)):
        file.write_bytes(data[: head + size])
        r = delivered(file, s)
        assert len(r.t) == 1024 * blocks and f"{1024 * blocks} of 3001 rows are in" in r.message
        assert not r.success and "the file was cut" in r.message
    file.write_bytes(data[: head + 1500 * ROW] + bytes(1501 * ROW))  # a hole
    assert len(delivered(file, s).t) == 1024


def test_no_damage_of_a_file_goes_unseen(whole, tmp_path):
    data, s = whole
    file, rng = tmp_path / "run.nc", random.Random(3)
    head = len(data) - 3001 * ROW
    places_hit = [rng.randrange(head) for _ in range(150)] + [rng.randrange(len(data)) for _ in range(60)]
    blanks = 0
    for at in [*range(0, 60), *places_hit]:
        damaged = bytearray(data)
        damaged[at] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged)
        r = delivered(file, s)
        blanks += r is not None and r.success
        assert at < head or len(r.t) in (3001 - 1024, 2048)
    assert blanks <= 8  # only the letters of the axes, and the padding beside them, are not covered


def test_files_of_another_hand(whole, tmp_path):
    import xarray

    data, s = whole
    (tmp_path / "run.nc").write_bytes(data)
    with xarray.open_dataset(tmp_path / "run.nc") as found:
        found.to_netcdf(tmp_path / "again.nc", engine="netcdf4")
        found.drop_vars("Omega").to_netcdf(tmp_path / "part.nc", engine="netcdf4")
        old = found.drop_vars("checksum")
        old.attrs.pop("checksum_header")
        old.to_netcdf(tmp_path / "old.nc", engine="netcdf4", format="NETCDF3_64BIT_OFFSET")
    assert same(ph.load(tmp_path / "again.nc"), s)
    with pytest.raises(ph.FileError, match="not a whole trajectory: Omega is missing"):
        ph.load(tmp_path / "part.nc")
    with pytest.raises(ph.FileError, match="no checksums: it was written by an earlier version"):
        ph.load(tmp_path / "old.nc")


def test_damage_of_a_saved_file_is_seen(whole, tmp_path):
    s = whole[1]
    file, rng = s.save(tmp_path / "saved.nc"), random.Random(8)
    data = file.read_bytes()
    rows = [data.index(np.ascontiguousarray(getattr(s, k)[5:7]).astype("<f8").tobytes()) for k in COLUMNS]
    for at in rows:
        damaged = bytearray(data)
        damaged[at + 9] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged)
        with pytest.raises(ph.FileError, match="is not a trajectory: it cannot be read as netCDF"):
            ph.load(file)


# ---- names -------------------------------------------------------------------------------------------

NAMES = {
    "too long": ("x" * 300, "File name too long"),
    "NUL": ("a\0b.nc", "zero character"),
    "empty": ("", "neither empty"),
    "a number": (5, "it must be a path"),
    "a folder": (".", "give the name of a file"),
    "a device": ("/dev/null", "a device or pipe; give the name of a file"),
    "no folder": ("nowhere/run.nc", "No such file or directory"),
    "below a file": ("/dev/null/run.nc", "Not a directory"),
    "not writable": ("/proc/run.nc", "Permission denied|not permitted|No such file"),  # by root neither
}


@pytest.mark.skipif(os.name != "posix", reason="the names are those of POSIX")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("use", ["out", "checkpoint", "save"])
def test_names_that_cannot_be_written(tmp_path, monkeypatch, name, use):
    monkeypatch.chdir(tmp_path)
    path, message = NAMES[name]
    s = stress(n_steps=3)
    with pytest.raises(ph.InputError, match=message) as caught:
        s.save(path) if use == "save" else stress(n_steps=3, **{use: path})
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="the names are those of POSIX")
@pytest.mark.parametrize("name", NAMES)
def test_names_that_cannot_be_read(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ph.InputError) as caught:
        ph.load(NAMES[name][0])
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not hold back root")
@pytest.mark.parametrize("use", ["out", "checkpoint", "save"])
def test_a_folder_that_may_not_be_written(tmp_path, use):
    s = stress(n_steps=3)
    tmp_path.chmod(0o555)
    with pytest.raises(ph.FileError, match="cannot be written: Permission denied"):
        s.save(tmp_path / "run.nc") if use == "save" else stress(n_steps=3, **{use: tmp_path / "run.nc"})


@pytest.mark.parametrize("option", ["--out", "--checkpoint", "--plot"])
@pytest.mark.parametrize("path", ["x" * 300, "a\0b.nc", "/dev/null", "."])
def test_names_on_the_command_line(capsys, tmp_path, monkeypatch, option, path):
    from polhode.cli.main import main

    monkeypatch.chdir(tmp_path)
    assert main(["run", "VLV", "stress", "--n-steps", "3", option, path]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"polhode run: {option}") and err.count("\n") == 1 and os.listdir(tmp_path) == []


def test_a_name_as_long_as_it_can_be(tmp_path):
    file, checkpoint = tmp_path / (252 * "x" + ".nc"), tmp_path / (250 * "y" + ".ckpt")
    s = stress(n_steps=3, out=file, checkpoint=checkpoint)
    assert same(ph.load(file), s) and checkpoint.exists() and same(ph.load(s.save(file)), s)


def test_one_file_for_two_things_is_refused(tmp_path):
    with pytest.raises(ph.InputError, match=r"out and checkpoint are both .*run\.nc"):
        stress(out=tmp_path / "run.nc", checkpoint=str(tmp_path / "run.nc"))
    assert os.listdir(tmp_path) == []


def test_a_block_is_counted_in_pieces(tmp_path):
    """Rows that come one by one give the checksums of rows that come together."""
    s = stress(n_steps=3000)
    columns = {k: getattr(s, k) for k in COLUMNS}
    files = []
    for name, piece in (("one", 3001), ("many", 7)):
        made = netcdf.Store(tmp_path / name, {"format": "polhode trajectory"}, netcdf_header.fields(True, 0), 3001)
        for i in range(0, 3001, piece):
            made.append(**{k: v[i : i + piece] for k, v in columns.items()})
        files.append((pathlib.Path(tmp_path / name).read_bytes(), made.digest()))
        made.close()
    assert files[0] == files[1]


@pytest.mark.parametrize("name, value", [("stats", "{"), ("h", "a"), ("inertia", "b"), ("events", "[")])
def test_an_attribute_that_was_written_over_is_a_sentence(name, value, tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    path = ph.solve("stress", "VLV", h=0.125, n_steps=4).save(tmp_path / "run.nc")
    with netCDF4.Dataset(path, "a") as file:
        file.setncattr(name, value)
    with pytest.raises(ph.FileError, match="is damaged: what it holds cannot be read"):
        ph.load(path)


def test_an_attribute_that_netcdf_cannot_open_is_a_sentence(tmp_path, monkeypatch):
    def refuses(*given, **more):
        raise AttributeError("NetCDF: Can't open HDF5 attribute")

    path = ph.solve("stress", "VLV", h=0.125, n_steps=4).save(tmp_path / "run.nc")
    monkeypatch.setattr("xarray.open_dataset", refuses)
    with pytest.raises(ph.FileError, match="cannot be read as netCDF"):
        ph.load(path)
