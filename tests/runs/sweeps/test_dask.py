"""Sweeps on a real Dask cluster of worker processes, which are killed."""

import os
import random
import signal
import threading
import time

import numpy as np
import pytest

import polhode as ph
from tests.runs.sweeps.test_sweep import STARTS, bytes_of, swept

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as made:
        yield made


def test_a_cluster_writes_the_same_bytes(client, tmp_path):
    swept(tmp_path / "here.zarr")
    s = swept(tmp_path / "dask.zarr", workers=client)
    assert (s.status == 0).all() and bytes_of(tmp_path / "here.zarr") == bytes_of(tmp_path / "dask.zarr")


def test_workers_are_killed_and_the_sweep_ends_with_the_same_bytes(client, cluster, tmp_path):
    given = {"over": {"Omega0": np.tile(STARTS, (3, 1))}, "n_steps": 200_000, "chunk": 4, "h": 0.002}
    swept(tmp_path / "here.zarr", **given)
    stop, killed, rng = threading.Event(), [], random.Random(2)

    def killer():
        while len(killed) < 3 and not stop.wait(0.1):
            workers = [w.pid for w in cluster.workers.values() if getattr(w, "pid", None)]
            if workers:
                pid = rng.choice(workers)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                time.sleep(1.0)

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        swept(tmp_path / "dask.zarr", workers=client, **given)
    finally:
        stop.set()
        thread.join()
    ph.sweep.resume(tmp_path / "dask.zarr")  # a chunk that was unlucky three times
    assert killed and bytes_of(tmp_path / "here.zarr") == bytes_of(tmp_path / "dask.zarr")


def test_a_scheduler_that_goes_ends_the_sweep_with_a_sentence(tmp_path):
    given = {"over": {"Omega0": np.tile(STARTS, (3, 1))}, "n_steps": 30_000, "chunk": 4, "h": 0.002}
    path = tmp_path / "dask.zarr"
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    client = distributed.Client(cluster)

    def end():
        notes = path / ".polhode" / "done"
        while not notes.exists() or len(list(notes.iterdir())) < 3:
            time.sleep(0.02)
        cluster.close()

    thread = threading.Thread(target=end)
    thread.start()
    with pytest.raises(ph.RunError, match=r"scheduler dropped the tasks.*resume goes on"):
        swept(path, workers=client, **given)
    thread.join()
    client.close()
    there = ph.open_sweep(path).attrs["chunks_done"]
    assert 3 <= there < 30
    ph.sweep.resume(path)
    swept(tmp_path / "here.zarr", **given)
    assert bytes_of(path) == bytes_of(tmp_path / "here.zarr")
