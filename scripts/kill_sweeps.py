"""Kill workers of sweeps at random moments, processes and Dask workers, and compare the bytes of the whole store.

    python scripts/kill_sweeps.py --kills 50

Each sweep runs on a pool of processes or on a Dask cluster on this machine while its workers are killed with SIGKILL;
now and then the whole sweep is killed, scheduler included, and resumed by another. Before that a Dask scheduler, a
process of its own, is killed and restarted in the middle of a sweep; a disk (a small one in memory, if the system lets
us mount it) becomes full; and a store is moved away. All must end with the bytes of a sweep left alone. POSIX only.
"""

import argparse
import contextlib
import hashlib
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import numpy as np

import polhode as ph

GIVEN = {"method": "VLV", "h": 0.125, "n_steps": 200_000, "chunk": 8}
STANDS_STILL = 600
"""Seconds without a chunk, under whatever load, after which a sweep counts as one that hangs."""
STARTS = np.random.default_rng(5).normal(size=(400, 3))


def sweep(path, workers):
    """The sweep, or what is left of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ph.sweep("stress", over={"Omega0": STARTS}, **GIVEN, out=path, workers=workers)


def bytes_of(path):
    """A hash of every file of a store but the pickled plan."""
    files = sorted(f for f in pathlib.Path(path).rglob("*") if f.is_file() and f.name != "plan")
    return hashlib.sha256(b"".join(f.name.encode() + f.read_bytes() for f in files)).hexdigest()


def child(path, workers):
    """A process of its own that sweeps."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # workers that were killed are told of there
    with contextlib.suppress(ph.RunError):  # three of them, before anything began
        sweep(path, workers)
    os._exit(0)


def finished(path):
    """Whether every body of a store has been computed; one that was killed while it was made is not there."""
    try:
        return bool((ph.open_sweep(path).status >= 0).all())
    except ph.FileError:
        return False


def stored(path):
    """How many chunks are there."""
    notes = pathlib.Path(path) / ".polhode" / "done"
    return len([f for f in notes.iterdir() if f.name.isdigit()]) if notes.exists() else 0


def offspring(pid):
    """The processes that a process has started, and theirs."""
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        try:
            own = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:
            own = []
        found += map(int, own)
        todo += map(int, own)
    return found


def killed_at_random(place, wanted, rng):
    """Sweeps whose workers, or all of which, are killed; yields the path of each when it is done."""
    kills = whole = sweeps = 0
    while kills + whole < wanted:
        sweeps += 1
        path, workers = place / f"sweep{sweeps}.zarr", rng.choice([2, 2, "dask"])
        while not finished(path):
            process = multiprocessing.get_context("spawn").Process(target=child, args=(str(path), workers))
            process.start()
            there, since = stored(path), time.monotonic()
            while process.is_alive():
                process.join(rng.uniform(0.01, 0.5))
                if stored(path) <= there or not process.is_alive():
                    if time.monotonic() > since + STANDS_STILL:
                        raise RuntimeError(f"sweep {sweeps} on {workers} stands still: no chunk in {STANDS_STILL} s")
                    continue  # until it has begun to work again since the last was killed
                there, since, victims = stored(path), time.monotonic(), offspring(process.pid)
                if rng.random() < 0.85:
                    _kill(rng.choice(victims or [process.pid]))
                    kills += 1
                else:
                    for pid in (process.pid, *victims):
                        _kill(pid)
                    whole += 1
        sweep(path, None)
        yield path, f"sweep {sweeps} on {workers}, so far {kills} workers and {whole} whole sweeps killed"


def scheduler_restarted(place):
    """A sweep whose scheduler is killed in the middle and started again at the same address."""
    from distributed import Client

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    path, address = place / "scheduler.zarr", f"tcp://127.0.0.1:{port}"
    cluster = [_dask("scheduler", "--host", "127.0.0.1", "--port", port), *(_dask("worker", address) for _ in range(2))]

    def restart():
        while stored(path) < 5:
            time.sleep(0.02)
        cluster[0].kill()
        cluster[0].wait()
        cluster[0] = _dask("scheduler", "--host", "127.0.0.1", "--port", port)

    thread = threading.Thread(target=restart)
    try:
        with Client(address, timeout=60) as client:
            client.wait_for_workers(2)
            thread.start()
            told = _sentence(lambda: sweep(path, client))
        thread.join()
        there = stored(path)
        cluster += [_dask("worker", address) for _ in range(2)]  # the old ones went with their scheduler
        with Client(address, timeout=60) as client:
            client.wait_for_workers(2)
            ph.sweep.resume(path, workers=client)
    finally:
        for process in cluster:
            process.kill()
            process.wait()
    return path, f"the scheduler was restarted when {there} of 50 chunks were there: {told}"


def full_disk(place):
    """A sweep on a disk that becomes full: a small one in memory, in a namespace of our own."""
    path, source = place / "full.zarr", pathlib.Path(__file__).resolve()
    mounted = place / "disk"
    mounted.mkdir()
    # ballast leaves room for some chunks, is removed after the disk was full, and the sweep goes on where it was
    program = f"""
import sys; sys.path.insert(0, {str(source.parent)!r})
import pathlib, shutil, kill_sweeps as k
disk = pathlib.Path({str(mounted)!r})
alone = sum(f.stat().st_blocks for f in pathlib.Path({str(place / "alone.zarr")!r}).rglob("*")) * 512
(disk / "ballast").write_bytes(bytes(max(0, shutil.disk_usage(disk).free - alone // 2)))
print(k._sentence(lambda: k.sweep(disk / "full.zarr", 2)))
print(k.stored(disk / "full.zarr"))
(disk / "ballast").unlink()
k.sweep(disk / "full.zarr", 2)
shutil.copytree(disk / "full.zarr", {str(path)!r})
"""
    file = place / "full_disk.py"
    file.write_text(f"if __name__ == '__main__':\n{''.join(f'    {line}' for line in program.splitlines(True))}")
    command = f"mount -t tmpfs -o size=4m tmpfs {mounted} && exec {sys.executable} {file}"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", command], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, f"a full disk was not tried: {(done.stderr.strip() or 'no mount').splitlines()[-1]}"
    told, there = done.stdout.strip().splitlines()
    return path, f"the disk was full when {there} of 50 chunks were there: {told}"


def moved_away(place):
    """A sweep whose store is moved away in the middle, and back."""
    path = place / "moved.zarr"

    def move():
        while stored(path) < 5:
            time.sleep(0.02)
        path.rename(place / "elsewhere.zarr")

    thread = threading.Thread(target=move)
    thread.start()
    told = _sentence(lambda: sweep(path, 2))
    thread.join()
    shutil.rmtree(path, ignore_errors=True)  # what a writer in mid-work made anew
    (place / "elsewhere.zarr").rename(path)
    there = stored(path)
    sweep(path, 2)
    return path, f"the store was moved away when {there} of 50 chunks were there: {told}"


def main():
    """Kill and compare until enough have been killed; the exit code is 1 if any store differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        sweep(place / "alone.zarr", None)
        right = bytes_of(place / "alone.zarr")
        rest = (trial(place) for trial in (moved_away, full_disk, scheduler_restarted))
        for trials in (rest, killed_at_random(place, arguments.kills, random.Random(arguments.seed))):
            for path, words in trials:
                if path is None:
                    print(words, flush=True)
                    continue
                same = bytes_of(path) == right
                compared, wrong = compared + 1, wrong + (not same)
                print(f"{words}; same bytes: {same}", flush=True)
    print(f"{compared} stores compared with that of a sweep left alone; {wrong} differ")
    return int(wrong > 0)


def _dask(what, *options):
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options, "--no-dashboard"]
    command += ["--nthreads", "1"] if what == "worker" else []
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def _sentence(run):
    """What a sweep says when it stops."""
    try:
        run()
    except (ph.InputError, ph.RunError) as error:
        return f"{type(error).__name__}: {error}"
    return "it ended all the same"


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
