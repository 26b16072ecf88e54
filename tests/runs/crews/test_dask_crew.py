"""A Dask cluster on which something is gone: whoever waits for it is told, and nobody waits for ever."""

import asyncio
import threading
import time

import pytest

import polhode as ph
from polhode.runs.crews.crew import WorkersLost
from polhode.runs.crews.dask_crew import HOUSEKEEPING, local_cluster
from polhode.runs.crews.workers import crew

distributed = pytest.importorskip("distributed")

THREADS = 12  # more than the tasks that would be handed out if a worker counted as one
TOGETHER = threading.Barrier(THREADS)


def cluster_of(workers, **more):
    """A cluster whose scheduler and workers are threads of this process: nothing has to start."""
    made = {"threads_per_worker": THREADS, "processes": False, "dashboard_address": ":0", "silence_logs": 50}
    return distributed.LocalCluster(n_workers=workers, **made, **more)


@pytest.fixture(scope="module")
def client():
    with cluster_of(1) as cluster, distributed.Client(cluster) as made:
        yield made


def met(k):
    TOGETHER.wait(120)
    return k


def raised(k):
    raise OSError(f"the disk of task {k}")


def each(client, task, count):
    return sorted(crew(client).each(task, [(k,) for k in range(count)]), key=lambda outcome: outcome.index)


def test_every_thread_of_a_worker_has_a_task(client):
    assert [o.result for o in each(client, met, THREADS)] == list(range(THREADS))


def test_what_a_task_raises_is_its_outcome(client):
    assert [str(o.error) for o in each(client, raised, 2)] == ["the disk of task 0", "the disk of task 1"]


def test_a_result_that_cannot_be_fetched_is_not_awaited_for_ever(client, monkeypatch):
    async def lost(futures, asynchronous):
        raise OSError("the connection was closed")

    monkeypatch.setattr(client, "gather", lost)
    with pytest.raises(WorkersLost, match=r"scheduler dropped the tasks.*\(OSError\)"):
        each(client, abs, 3)


def test_a_scheduler_that_does_not_answer_is_given_up(client, monkeypatch):
    async def silent():
        await asyncio.sleep(3600)

    monkeypatch.setattr("polhode.runs.crews.dask_crew.SECONDS_OF_SILENCE", 0.1)
    monkeypatch.setattr(client.scheduler, "ncores_running", silent)
    with pytest.raises(WorkersLost, match=r"does not answer \(TimeoutError\)"):
        each(client, abs, 3)


def test_a_cluster_without_workers_is_told_of(monkeypatch):
    monkeypatch.setattr("polhode.runs.crews.dask_crew.SECONDS_ALONE", 0.1)
    with cluster_of(0) as cluster:
        with distributed.Client(cluster) as client, pytest.raises(WorkersLost, match="has had no worker for"):
            each(client, abs, 1)  # nobody starts one on this machine
        with distributed.Client(cluster.scheduler_address) as client:
            told = []
            monkeypatch.setattr("polhode.inputs.warn", lambda text: told.append(text) or cluster.scale(1))
            assert [o.result for o in each(client, abs, 3)] == [0, 1, 2]  # elsewhere one may come, and comes
            assert len(told) == 1 and "wait until one comes" in told[0]


def set_status(name, dask_worker):
    dask_worker.status = distributed.Status[name]


def test_workers_that_are_paused_are_told_of_and_waited_for(monkeypatch):
    monkeypatch.setattr("polhode.runs.crews.dask_crew.SECONDS_ALONE", 0.1)
    monkeypatch.setattr("polhode.runs.crews.dask_crew.LOOK_EVERY", 0.05)
    with cluster_of(1, memory_limit=0) as cluster, distributed.Client(cluster) as client:  # nothing resumes it but us
        client.run(set_status, "paused")
        while client.sync(client.scheduler.ncores_running):
            time.sleep(0.01)
        told, resume = [], lambda: client.run(set_status, "running")
        monkeypatch.setattr("polhode.inputs.warn", lambda text: told.append(text) or resume())
        assert [o.result for o in each(client, abs, 3)] == [0, 1, 2]
    assert len(told) == 1 and "1 are paused" in told[0]


def setting(name):
    import dask

    return dask.config.get(name)


def test_the_workers_of_a_cluster_made_here_keep_house_as_told():
    with local_cluster(1) as cluster, distributed.Client(cluster) as own:
        for name, value in HOUSEKEEPING.items():
            assert list(own.run(setting, name).values()) == [value]
            assert setting(name) != value, "the settings of the user's own clusters are left alone"


def test_a_client_that_is_closed_is_refused():
    with cluster_of(0) as cluster:
        client = distributed.Client(cluster)
        client.close()
        with pytest.raises(ph.InputError, match="client is closed"):
            crew(client)
