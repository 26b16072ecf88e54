"""Kill runs at random moments, continue them, and compare every bit of the end with a run left alone.

    python scripts/kill_and_resume.py --kills 200

A run is a process of its own that writes checkpoints as often as it can, and its states to a file (or, in one case,
into the checkpoint). It is killed with SIGKILL after a random time, begun again by the same call, and so on until
it ends. Then the rows of the file, the final state with all the method carries, and the reductions must have the
bits of a run left alone. Prints the number of kills. Processes are forked with everything compiled (POSIX only), so
that most kills hit the run and not the imports.
"""

import argparse
import hashlib
import io
import json
import math
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import traceback

import numpy as np

import polhode as ph

COLUMNS = ("t", "Q", "Omega", "energy", "momentum")
CASES = (  # problem, method, steps, save_every, whether to a file
    ("stress", "VLV", 3_000_000, 7, True),
    ("free-body", "RATTLE", 5_000_000, 1000, True),
    ("stress", "VLV", 4_000_000, 100_001, False),
    ("heavy-top", "TLN", 1_000_000, 11, True),
)


def run(case, folder):
    """Do the run, or what is left of it, and return what must come out the same."""
    problem, method, n, every, streamed = case
    s = ph.solve(
        problem,
        method,
        h=0.01,
        n_steps=n,
        save_every=every,
        reduce=("energy", "momentum"),
        out=folder / "run.nc" if streamed else None,
        checkpoint=folder / "run.ckpt",
        checkpoint_every=0,
    )
    assert s.success, s.message
    columns = [np.array(getattr(s, k), float) for k in COLUMNS]
    if streamed:
        again = ph.load(folder / "run.nc")
        assert again.success and all(np.array_equal(a, getattr(again, k)) for a, k in zip(columns, COLUMNS))
    payload = (folder / "run.ckpt").read_bytes().split(b"\n", 2)[2]  # after the version and the checksum
    with np.load(io.BytesIO(payload)) as checkpoint:
        state = checkpoint["state"].tobytes().hex()
    return {
        "rows": len(s.t),
        "bits": hashlib.sha256(b"".join(x.tobytes() for x in columns)).hexdigest(),
        "state": state,
        "reductions": [[r.min, r.max, r.mean, r.slope, r.slope_error] for r in s.reductions.values()],
    }


def begun(case, folder):
    """Fork a process that does the run and leaves the outcome in a file; its number."""
    pid = os.fork()
    if pid:
        return pid
    try:
        outcome = run(case, folder)
        (folder / "outcome.new").write_text(json.dumps(outcome))
        os.replace(folder / "outcome.new", folder / "outcome.json")
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def killed_and_continued(case, folder, longest, rng, most=math.inf):
    """Kill (at most so often) and continue until the run ends; the outcome, and how many times it was killed."""
    kills = 0
    while True:
        pid = begun(case, folder)
        if kills < most:
            time.sleep(rng.uniform(0, longest))
        ended, status = os.waitpid(pid, os.WNOHANG if kills < most else 0)
        if not ended:
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            kills += 1
            longest *= 1.01  # a busy machine must not keep a run from ever ending
            continue
        if os.WEXITSTATUS(status):
            raise RuntimeError(f"{case} failed when continued after {kills} kills")
        return json.loads((folder / "outcome.json").read_text()), kills


def left_alone(case, folder):
    """The outcome of a run that nobody kills, and how long it takes."""
    begin = time.monotonic()
    outcome = run(case, folder)
    return json.loads(json.dumps(outcome)), time.monotonic() - begin


def main():
    """Kill as often as asked for, and print the count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="how many, at least (default: 100)")
    parser.add_argument("--draw", type=int, default=0, help="which random moments (default: 0)")
    arguments = parser.parse_args()
    rng = random.Random(arguments.draw)
    for problem, method, _, every, _ in CASES:  # compiled before anything is timed or forked
        ph.solve(problem, method, h=0.01, n_steps=100, save_every=every, reduce=("energy", "momentum"))
    kills, runs, wrong, expected = 0, 0, 0, {}
    while kills < arguments.kills:
        case = CASES[runs % len(CASES)]
        with tempfile.TemporaryDirectory() as folder:
            alone, killed = pathlib.Path(folder, "alone"), pathlib.Path(folder, "killed")
            alone.mkdir()
            killed.mkdir()
            if case not in expected:
                expected[case] = left_alone(case, alone)
            wanted, seconds = expected[case]
            found, times = killed_and_continued(case, killed, seconds / 3, rng)
        same = "the same bits" if found == wanted else "DIFFERENT BITS"
        print(f"{case[1]} on {case[0]}, {case[2]} steps: {times} kills, {found['rows']} rows, {same}", flush=True)
        kills, runs, wrong = kills + times, runs + 1, wrong + (found != wanted)
    print(f"{kills} kills in {runs} runs; {wrong} ended differently from a run left alone.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
