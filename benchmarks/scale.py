"""What a sweep costs beyond its steps, measured, and what follows for a cluster: writes docs/scale.md.

    python benchmarks/scale.py [--quick] [--out docs/scale.md]

One machine can measure the time of a task, what handing one out costs, the bytes it writes and the memory it takes; the
page multiplies them.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np
from measure import machine

import polhode as ph

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "scale.md"
NODES, CORES, BODY_STEPS = 100, 64, 1e12
"""The cluster for which the page extrapolates."""


def normal(rng, n):
    """Velocities near that of the stress test."""
    return np.array([0, 0, 0.625]) + 0.01 * rng.normal(size=(n, 3))


def swept(workers, bodies, steps, chunk, **more):
    """Seconds of a sweep of the stress test, and its store."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sweep.zarr"
        over = {"draw": ph.draws(bodies, rng=1, Omega0=normal)}
        begin = time.perf_counter()
        s = ph.sweep(
            "stress", over=over, method="VLV", h=0.125, n_steps=steps, chunk=chunk, out=path, workers=workers, **more
        )
        took = time.perf_counter() - begin
        assert (s.status == 0).all()
        size = sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
    return took, size


def overhead(make, tasks):
    """Seconds a task beyond its steps: the difference of many empty tasks and few, by their number."""
    with make() as workers:
        swept(workers, 64, 1, 8)
        few = statistics.median(swept(workers, 8 * 8, 1, 8)[0] for _ in range(3))
        many = statistics.median(swept(workers, 8 * tasks, 1, 8)[0] for _ in range(3))
    return (many - few) / (tasks - 8)


class Crew:
    """Workers that are ready, as a context."""

    def __init__(self, workers):
        self.workers = workers

    def __enter__(self):
        return self.workers

    def __exit__(self, *exception):
        return False


def dask_client():
    """A client of two workers on this machine."""
    from distributed import Client, LocalCluster

    return Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))


def speed_up(chunk, steps, repeats):
    """How much faster two Dask workers are than one, by the clock on the wall, once they are warm."""
    from distributed import Client, LocalCluster

    found = {}
    for count in (1, 2):
        with (
            LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            swept(client, 4 * chunk, 10, chunk)
            found[count] = min(swept(client, 16 * chunk, steps, chunk)[0] for _ in range(repeats))
    return found[1] / found[2]


def memory(bodies):
    """The most memory (MB) of a process that reduces so many bodies, over 1000 steps each."""
    program = f"""
import resource, tempfile, numpy as np, polhode as ph
def normal(rng, n):
    return np.array([0, 0, 0.625]) + 0.01 * rng.normal(size=(n, 3))
with tempfile.TemporaryDirectory() as folder:
    ph.sweep("stress", over={{"draw": ph.draws({bodies}, rng=1, Omega0=normal)}}, method="VLV", h=0.125, n_steps=1000,
             reduce="energy", reduce_every=10, out=folder + "/s.zarr")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    import sys

    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def measured(quick):
    """All numbers."""
    tasks = 40 if quick else 200
    chunk, steps = 16384, 100 if quick else 1000
    swept(None, chunk, 10, chunk)
    long, size = swept(None, 2 * chunk, steps, chunk)
    reduced, reduced_size = swept(None, 2 * chunk, 1000, None, reduce="energy", reduce_every=10)
    found = {
        "here": overhead(lambda: Crew(None), tasks),
        "processes": overhead(lambda: Crew(2), tasks),
        "dask": overhead(dask_client, tasks),
        "speed_up": speed_up(chunk, steps, 1 if quick else 3),
        "task": long / 2,
        "steps": steps,
        "bytes": size / (2 * chunk),
        "reduced": reduced / (2 * chunk * 1000),
        "reduced_bytes": reduced_size / (2 * chunk),
        "body_step": long / (2 * chunk * steps),
        "memory": [(n, memory(n)) for n in ((10**4, 4 * 10**4) if quick else (10**5, 10**6))],
    }
    if not quick:
        found["ten million"] = swept(2, 10**7, 1000, None, reduce="energy", reduce_every=100)[0]
    return found


def page(m):
    """The page."""
    cores = NODES * CORES
    bodies = BODY_STEPS / 1000
    tasks = bodies / 16384
    compute = BODY_STEPS * m["body_step"] * _processors() / cores
    hand_out = tasks * m["dask"]
    memory = ", ".join(f"{n:.0e} bodies {mb:.0f} MB" for n, mb in m["memory"])
    whole = (
        f"\nTen million bodies, 1000 steps each, reduced to statistics by two processes: {m['ten million']:.0f} s.\n"
        if "ten million" in m
        else ""
    )
    about = machine()
    return f"""# Scale

Generated by `python benchmarks/scale.py`; the numbers are those of one run on {about["cpu"]},
{about["cores"]} cores, commit {about["commit"]}, {about["date"]}. VLV on the stress test.

| measured | |
|---|---:|
| a task of 16384 bodies and {m["steps"]} steps, this process with its threads | {m["task"]:.2f} s |
| a body-step in it | {1e9 * m["body_step"]:.1f} ns |
| a body-step with the energy reduced every tenth step | {1e9 * m["reduced"]:.1f} ns |
| what a task costs beyond its steps: this process | {1e3 * m["here"]:.1f} ms |
| ... a pool of two processes | {1e3 * m["processes"]:.1f} ms |
| ... a Dask cluster of two workers | {1e3 * m["dask"]:.1f} ms |
| two Dask workers over one, by the clock on the wall | {m["speed_up"]:.2f} |
| bytes stored for a body, last state | {m["bytes"]:.0f} |
| bytes stored for a body, statistics of the energy | {m["reduced_bytes"]:.0f} |
| most memory of a process | {memory} |
{whole}
## {BODY_STEPS:.0e} body-steps on {NODES} nodes

{NODES} nodes of {CORES} cores, {bodies:.0e} bodies of 1000 steps, {tasks:.0f} tasks of 16384 bodies:

- **steps**: {compute / 60:.1f} minutes, if a core there is as fast as one here;
- **handing out**: {hand_out / 60:.1f} minutes, if one scheduler hands out a task in the time that it takes here. It
  runs beside the steps, and is the bound when a task is shorter than {cores * m["dask"]:.0f} s: take larger chunks;
- **writing**: {bodies * m["bytes"] / 1e9:.0f} GB of last states, or {bodies * m["reduced_bytes"] / 1e9:.0f} GB of
  statistics, in {tasks:.0f} chunks, each a file for every variable and a note.

**What breaks first** is the scheduler: one hands out {1 / m["dask"]:.0f} tasks a second, and {cores} cores ask for
{cores / (m["task"] * _processors()):.0f}. Chunks sixteen times as large (`chunk=262144`) mend that, and leave sixteen
times fewer small files, which the file system would complain of next. The steps themselves come last.

Bits depend on the kind of processor (fused products): a cluster of several kinds gives several stores, each whole.
"""


def _processors():
    import os

    return len(os.sched_getaffinity(0))


def main():
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a look, not a measurement")
    parser.add_argument("--out", type=pathlib.Path, default=PAGE)
    arguments = parser.parse_args()
    found = measured(arguments.quick)
    arguments.out.write_text(page(found))
    print(arguments.out.read_text())


if __name__ == "__main__":
    main()
