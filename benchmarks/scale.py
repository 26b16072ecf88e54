"""What a sweep costs beyond its steps, measured, and what follows for a cluster: writes docs/scale.md.

    python benchmarks/scale.py [--quick] [--out docs/scale.md]

One machine can measure the time of a task, what handing one out costs, the bytes it writes and the memory it takes; the
page multiplies them, and its sentences follow from the numbers. Takes about five minutes on two cores that do nothing
else, of which most are ten million bodies.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from measure import machine, processors
from scale_page import page

import polhode as ph
from polhode.runs.crews.dask_crew import local_cluster
from polhode.runs.crews.workers import crew

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "scale.md"
CHUNK = 16384


def normal(rng, n):
    """Velocities near that of the stress test."""
    return np.array([0, 0, 0.625]) + 0.01 * rng.normal(size=(n, 3))


def swept(workers, bodies, steps, chunk, **more):
    """A sweep of the stress test: seconds in all and until the plan was stored, bytes and files of the store."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sweep.zarr"
        over = {"draw": ph.draws(bodies, rng=1, Omega0=normal)}
        began, begin = time.time(), time.perf_counter()
        s = ph.sweep(
            "stress", over=over, method="VLV", h=0.125, n_steps=steps, chunk=chunk, out=path, workers=workers, **more
        )
        took = time.perf_counter() - begin
        assert bool((s.status == 0).all()), "a body failed"
        sizes = [f.stat().st_size for f in path.rglob("*") if f.is_file()]
        planned = (path / ".polhode" / "plan.json").stat().st_mtime - began
    return {"seconds": took, "plan": planned, "bytes": sum(sizes), "files": len(sizes)}


def overhead(workers, tasks, repeats=3):
    """Seconds a task beyond its steps: the difference of many tasks of nearly nothing and few, by their number."""
    swept(workers, 64, 1, 8)
    few = statistics.median(swept(workers, 8 * 8, 1, 8)["seconds"] for _ in range(repeats))
    many = statistics.median(swept(workers, 8 * tasks, 1, 8)["seconds"] for _ in range(repeats))
    return (many - few) / (tasks - 8)


def nothing(k):
    """A task that does nothing."""
    return k


def tasks_a_second(client, tasks):
    """How many tasks that do nothing the scheduler hands out and takes back in a second."""
    team = crew(client)
    list(team.each(nothing, [(k,) for k in range(50)]))
    begin = time.perf_counter()
    count = len(list(team.each(nothing, [(k,) for k in range(tasks)])))
    return count / (time.perf_counter() - begin)


def speed_up(steps, tasks, repeats):
    """How much faster two Dask workers are than one, by the clock on the wall, in turns, once they are warm."""
    from distributed import Client

    with local_cluster(1) as one, local_cluster(2) as two, Client(one) as single, Client(two) as double:
        ratios = []
        for turn in range(repeats + 1):
            seconds = [swept(c, tasks * CHUNK, steps if turn else 10, CHUNK)["seconds"] for c in (single, double)]
            ratios += [seconds[0] / seconds[1]] if turn else []
    return statistics.median(ratios)


def reduced(bodies, steps):
    """Bodies reduced to statistics by two workers, in a process of its own: what it took, and the most memory of each.

    Memory is that of the worker with most, and of the process that hands the tasks out, in bytes.
    """
    program = f"scale.reduced_here({bodies}, {steps})"
    path = pathlib.Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(path)!r}); import scale; {program}"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def reduced_here(bodies, steps):
    """The same, in this process; prints what was measured."""
    from distributed import Client

    with local_cluster(2) as two, Client(two) as client:
        found = swept(client, bodies, steps, None, reduce="energy", reduce_every=max(1, steps // 10))
        workers = client.run(most_memory).values()
        print(json.dumps({"bodies": bodies, "steps": steps, **found, "worker": max(workers), "client": most_memory()}))


def most_memory():
    """The most memory that this process has had, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def first_task():
    """Seconds until a new process has its first result: imports, and machine code from the cache."""
    program = "import polhode as ph; ph.solve_ensemble('stress', 'VLV', Omega0=[[0, 0, 1.0]] * 8, h=0.1, n_steps=1)"
    subprocess.run([sys.executable, "-c", program], check=True)
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - begin


def measured(quick):
    """All numbers."""
    from distributed import Client

    tasks, steps, repeats = (24, 100, 1) if quick else (200, 1000, 3)
    swept(None, CHUNK, 10, CHUNK)
    long = min((swept(None, 2 * CHUNK, steps, CHUNK) for _ in range(repeats)), key=lambda s: s["seconds"])
    found = {
        "quick": quick,
        "processors": processors(),
        "steps": steps,
        "chunk": CHUNK,
        "task": long["seconds"] / 2,
        "body_step": long["seconds"] / (2 * CHUNK * steps),
        "bytes": long["bytes"] / (2 * CHUNK),
        "files": long["files"] / 2,
        "here": overhead(None, tasks, repeats),
        "processes": overhead(2, tasks, repeats),
        "first_task": first_task(),
        "speed_up": speed_up(steps, 4 if quick else 16, repeats),
    }
    with local_cluster(2) as two, Client(two) as client:
        found["dask"] = overhead(client, tasks, repeats)
        found["tasks_a_second"] = tasks_a_second(client, 10 * tasks)
    sizes = ((10**4, 100), (4 * 10**4, 100)) if quick else ((10**6, 1000), (10**7, 1000))
    found["reduced"] = [reduced(*size) for size in sizes]
    return found


def main():
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a look in a minute, not a measurement")
    parser.add_argument("--out", type=pathlib.Path, default=PAGE)
    arguments = parser.parse_args()
    begin = time.perf_counter()
    found = measured(arguments.quick)
    arguments.out.write_text(page(found, machine()), encoding="utf-8")
    print(arguments.out.read_text(encoding="utf-8"))
    print(f"measured in {(time.perf_counter() - begin) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
