"""Ensembles: body-steps a second of `solve_ensemble` and of hand-written C with SIMD lanes; VLV on the stress test.

    python benchmarks/lanes.py [--bodies 10000] [--steps 1000] [--rounds 15] [--json FILE]

Everything is run in turn, round after round; a ratio is the median of the ratios of the rounds. One thread is timed by
the processor's clock, so that other work on the machine counts less, several threads by the clock on the wall. The C is
compiled for AVX2 and, where the machine has it, for AVX-512, each with one chain or two and with or without fused
multiply-add; the fastest of each is the opponent. The first body's path must be the same.
"""

import argparse
import concurrent.futures
import ctypes
import itertools
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy as np

import polhode as ph
from polhode.ensemble import solve_ensemble

SOURCE = pathlib.Path(__file__).parent / "c" / "vlv_lanes.c"
MACHINES = {"AVX2": (4, ("-mavx2", "-mfma", "-mtune=native")), "AVX-512": (8, ("-march=native",))}
H = 0.125


def main():
    """Measure, print, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--methods", nargs="*", default=["ELN", "RATTLE", "MCG", "LIEMID[EA]", "NMB", "RKMK4", "TLN"])
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    results = measure(arguments.bodies, arguments.steps, arguments.rounds, arguments.methods)
    show(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


def measure(bodies, steps, rounds, methods):
    """Rates and ratios, as data."""
    bodies -= bodies % 16
    Omega0 = (0, 0, 0.625) + 0.01 * np.random.default_rng(0).normal(size=(bodies, 3))
    opponents = {f"C, {name}": _fastest(name, Omega0, steps) for name in MACHINES if _supported(name)}
    runs = {"ours": lambda threads: _ours("VLV", Omega0, steps, threads)}
    runs |= {name: (lambda threads, f=f: f(Omega0, steps, threads)) for name, (_, f) in opponents.items()}
    ends = {name: run(1) for name, run in runs.items()}
    for name, end in ends.items():
        if not np.allclose(end, ends["ours"], rtol=0, atol=1e-8):
            raise SystemExit(f"{name} went elsewhere: {end} instead of {ends['ours']}")
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    counts = sorted({1, min(2, processors), processors})
    seconds = _in_turn({(name, k): (run, k) for name, run in runs.items() for k in counts}, rounds)
    total = bodies * steps
    results = {
        "machine": f"{_processor()}, {processors} processors, {platform.system()}",
        "bodies": bodies,
        "steps": steps,
        "rounds": rounds,
        "opponents": {name: how for name, (how, _) in opponents.items()},
        "rates": {f"{name}, {k} threads": total / statistics.median(s) for (name, k), s in seconds.items()},
        "ours over C": {
            f"{name}, {k} threads": _ratio(seconds["ours", k], seconds[name, k]) for name in opponents for k in counts
        },
        "ours over one thread": {k: _ratio(seconds["ours", k], seconds["ours", 1]) for k in counts if k > 1},
    }
    per_step = {m: (lambda threads, m=m: _ours(m, Omega0, steps // 4, threads)) for m in ("VLV", *methods)}
    seconds = _in_turn({(name, 1): (run, 1) for name, run in per_step.items()}, max(3, rounds // 3))
    results["time of a step over VLV's"] = {m: 1 / _ratio(seconds[m, 1], seconds["VLV", 1]) for m in methods}
    return results


def show(results):
    """The results as text."""
    print(f"{results['machine']}; {results['bodies']} bodies x {results['steps']} steps, {results['rounds']} rounds")
    for name, how in results["opponents"].items():
        print(f"{name}: fastest with {how}")
    for name, rate in results["rates"].items():
        print(f"{name:24s} {rate / 1e6:8.1f} M body-steps/s")
    for name, ratio in results["ours over C"].items():
        print(f"ours / {name:24s} {ratio:6.3f}")
    for k, ratio in results["ours over one thread"].items():
        print(f"ours, {k} threads / 1 thread {ratio:14.2f}")
    for m, ratio in results["time of a step over VLV's"].items():
        print(f"a step of {m:12s} takes {ratio:5.2f} of VLV's")


# ---- runs --------------------------------------------------------------------------------------------


def _in_turn(runs, rounds):
    """Seconds of every run, round after round: of the processor for one thread, on the wall for several."""
    seconds = {key: [] for key in runs}
    for i in range(rounds + 1):
        for key, (run, threads) in runs.items():
            clock = time.process_time if threads == 1 else time.perf_counter
            begin = clock()
            run(threads)
            if i:  # the first round fills caches
                seconds[key].append(clock() - begin)
    return seconds


def _ratio(ours, other):
    """How many times faster the first is."""
    return statistics.median(b / a for a, b in zip(ours, other))


def _ours(method, Omega0, steps, threads):
    e = solve_ensemble("stress", method, Omega0=Omega0, h=H, n_steps=steps, save_every=steps, threads=threads)
    return e.rows[-1, 4:, 0]


# ---- the C -------------------------------------------------------------------------------------------


def _supported(name):
    return name == "AVX2" or "avx512f" in _flags()


def _flags():
    try:
        return pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""


def _processor():
    return next(
        (x.split(":")[1].strip() for x in _flags().splitlines() if x.startswith("model name")), platform.machine()
    )


def _fastest(name, Omega0, steps):
    """The fastest form of the C for a machine: how it is made, and its function."""
    width, flags = MACHINES[name]
    forms = {}
    for chains, contraction in itertools.product((1, 2), ("fast", "off")):
        function = _compiled((*flags, f"-DW={width}", f"-DCHAINS={chains}", f"-ffp-contract={contraction}"), width)
        forms[f"{chains} chains, -ffp-contract={contraction}"] = function
    seconds = _in_turn({(how, 1): (lambda threads, f=f: f(Omega0, steps, threads), 1) for how, f in forms.items()}, 3)
    best = min(forms, key=lambda how: statistics.median(seconds[how, 1]))
    return best, forms[best]


def _compiled(flags, width):
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise SystemExit("There is no C compiler: install one, or set CC.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        library = pathlib.Path(folder) / "vlv_lanes.so"
        command = [compiler, "-O3", "-fno-math-errno", "-std=gnu11", "-shared", "-fPIC", *flags, "-o", library, SOURCE]
        subprocess.run(command, check=True)
        function = ctypes.CDLL(str(library)).vlv_lanes
    function.restype = ctypes.c_long
    problem = ph.problem("stress")
    M, J = np.array(problem.parameters[1:10]), problem.moments
    Q = problem.Q0.ravel()

    def run(Omega0, steps, threads):
        N = len(Omega0)
        states = np.empty((N // width, 12, width))
        states[:, :9] = Q[None, :, None]
        states[:, 9:] = np.swapaxes((Omega0 * J).reshape(-1, width, 3), 1, 2)

        def part(first, last):
            if (
                function(
                    ctypes.c_double(H),
                    ctypes.c_long(steps),
                    ctypes.c_long(last - first),
                    ctypes.c_void_p(states[first:].ctypes.data),
                    ctypes.c_void_p(J.ctypes.data),
                    ctypes.c_double(problem.parameters[0]),
                    ctypes.c_void_p(M.ctypes.data),
                )
                < 0
            ):
                raise SystemExit("The C did not converge.")

        if threads == 1:
            part(0, len(states))
        else:  # in pieces, taken by whoever is free
            pieces = range(0, len(states), -(-len(states) // (8 * threads)) // 2 * 2 or 2)
            ends = [*pieces[1:], len(states)]
            with concurrent.futures.ThreadPoolExecutor(threads) as pool:
                list(pool.map(part, pieces, ends))
        return states[0, 9:, 0]

    return run


if __name__ == "__main__":
    main()
