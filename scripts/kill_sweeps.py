"""Kill workers of sweeps at random moments, processes and Dask workers, and compare the bytes of the whole store.

    python scripts/kill_sweeps.py --kills 50

Each sweep runs on a pool of processes or on a Dask cluster on this machine while its workers are killed with SIGKILL;
now and then the whole sweep is killed, scheduler included, and resumed by another. It must end with the bytes of a
sweep left alone. Prints the number of kills. POSIX only.
"""

import argparse
import contextlib
import hashlib
import multiprocessing
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import warnings

import numpy as np

import polhode as ph

GIVEN = {"method": "VLV", "h": 0.125, "n_steps": 20_000, "chunk": 8}
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
    sweep(path, workers)
    os._exit(0)


def finished(path):
    """Whether every body of a store has been computed; one that was killed while it was made has none."""
    try:
        return bool((ph.open_sweep(path).status >= 0).all())
    except ph.FileError:
        return False


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


def main():
    """Kill and compare until enough have been killed; the exit code is 1 if any store differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, kills, whole, sweeps, wrong = random.Random(arguments.seed), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        sweep(place / "alone.zarr", None)
        right = bytes_of(place / "alone.zarr")
        while kills + whole < arguments.kills:
            sweeps += 1
            path, workers = place / f"sweep{sweeps}.zarr", rng.choice([2, 2, "dask"])
            while not finished(path):
                process = multiprocessing.get_context("spawn").Process(target=child, args=(str(path), workers))
                process.start()
                while process.is_alive():
                    process.join(rng.uniform(0.3, 2.0))
                    victims = offspring(process.pid)
                    if process.is_alive() and victims and rng.random() < 0.8:
                        _kill(rng.choice(victims))
                        kills += 1
                    elif process.is_alive() and rng.random() < 0.3:
                        os.killpg(process.pid, signal.SIGKILL)
                        whole += 1
                time.sleep(0.1)
            sweep(path, None)
            same = bytes_of(path) == right
            wrong += not same
            print(
                f"sweep {sweeps} on {workers}: {kills} workers and {whole} sweeps killed, same bytes: {same}",
                flush=True,
            )
    print(f"{kills} workers and {whole} whole sweeps killed in {sweeps} sweeps; {wrong} ended differently")
    return int(wrong > 0)


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
