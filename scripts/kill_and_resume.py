"""Kill runs at random moments, continue them, and compare every bit of the end with a run left alone.

    python scripts/kill_and_resume.py --runs 20

Each run is a process of its own that streams its states to a file and writes checkpoints as often as it can. It is
killed with SIGKILL after a random time, started again by the same call, and so on until it ends. Then the rows of
the file, the final state and the reductions must have the bits of an uninterrupted run. Prints the number of kills.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import hashlib, json, sys
import numpy as np
import polhode as ph
problem, method, n, every, folder, stream = sys.argv[1:]
s = ph.solve(problem, method, h=0.01, n_steps=int(n), save_every=int(every), reduce=("energy", "momentum"),
             out=folder + "/run.nc" if stream == "1" else None, checkpoint=folder + "/run.ckpt", checkpoint_every=0)
assert s.success, s.message
data = [np.ascontiguousarray(getattr(s, k), float) for k in ("t", "Q", "Omega", "energy", "momentum")]
if stream == "1":
    again = ph.load(folder + "/run.nc")
    assert all(np.array_equal(a, getattr(again, k)) for a, k in zip(data, ("t", "Q", "Omega", "energy", "momentum")))
bits = hashlib.sha256(b"".join(x.tobytes() for x in data)).hexdigest()
numbers = [(r.min, r.max, r.mean, r.slope, r.slope_error) for r in s.reductions.values()]
state = np.load(folder + "/run.ckpt")["state"].tobytes().hex()
print(json.dumps({"bits": bits, "rows": len(s.t), "state": state, "reductions": numbers}))
"""

CASES = (
    ("stress", "VLV", 2_000_000, 7, True),
    ("free-body", "RATTLE", 3_000_000, 1000, True),
    ("stress", "VLV", 2_000_000, 100_001, False),
    ("heavy-top", "TLN", 1_000_000, 11, True),
)


def arguments_of(case, folder):
    problem, method, n, every, stream = case
    return [sys.executable, "-c", PROGRAM, problem, method, str(n), str(every), str(folder), str(int(stream))]


def left_alone(case, folder):
    """What an uninterrupted run prints, and how long it takes."""
    begin = time.monotonic()
    done = subprocess.run(arguments_of(case, folder), capture_output=True, text=True, check=True)
    return json.loads(done.stdout), time.monotonic() - begin


def killed_again_and_again(case, folder, longest, rng, most=1000):
    """Kill and continue until the run ends; what it prints, and how many times it was killed."""
    kills, longest_now = 0, longest
    while True:
        process = subprocess.Popen(arguments_of(case, folder), stdout=subprocess.PIPE, text=True)
        try:
            out, _ = process.communicate(timeout=rng.uniform(0.0, longest_now) if kills < most else None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            longest_now = min(longest_now * 1.02, 4 * longest)  # a busy machine must not keep a run from ever ending
            continue
        if process.returncode:
            raise SystemExit(f"{case} failed when continued after {kills} kills.")
        return json.loads(out), kills


def main():
    """Run the cases and print the count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8, help="runs that are killed and continued (default: 8)")
    parser.add_argument("--draw", type=int, default=0, help="which random moments (default: 0)")
    arguments = parser.parse_args()
    rng = random.Random(arguments.draw)
    total, wrong, expected = 0, 0, {}
    for k in range(arguments.runs):
        case = CASES[k % len(CASES)]
        with tempfile.TemporaryDirectory() as folder:
            if case not in expected:
                alone = pathlib.Path(folder) / "alone"
                alone.mkdir()
                left_alone(case, alone)  # compiles
                again = pathlib.Path(folder) / "again"
                again.mkdir()
                expected[case] = left_alone(case, again)
            killed = pathlib.Path(folder) / "killed"
            killed.mkdir()
            wanted, seconds = expected[case]
            found, kills = killed_again_and_again(case, killed, seconds, rng)
        total += kills
        wrong += found != wanted
        same = "the same bits" if found == wanted else "DIFFERENT BITS"
        print(f"{case[1]} on {case[0]}, {case[2]} steps: {kills} kills, {found['rows']} rows, {same}", flush=True)
    print(f"{total} kills in {arguments.runs} runs; {wrong} ended differently from a run left alone.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
