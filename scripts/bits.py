"""The bits of every method on every problem, as digests: what a change that must not change them is compared with.

Every method of the catalogue takes a short run of every problem of the catalogue, compiled; a few steps interpreted;
and an ensemble. A digest is a SHA-256, shortened, of the bytes of t, Q and Omega. A run that is refused, or stops, is
listed with the reason. Only public names of polhode are used, so that the script runs on any layout of the source.

    python scripts/bits.py --write tests/data/bits.json
    python scripts/bits.py --compare tests/data/bits.json
"""

import argparse
import hashlib
import json
import pathlib
import platform
import sys
import warnings

import numpy as np

import polhode as ph
from polhode.errors import LargeStepWarning, RunWarning

STEPS, EVERY = 64, 16
"""Of a compiled run: about as far as bits can be wrong without a long run, with states on the way."""
FEW_STEPS = 3
"""Steps of an interpreted run, and of the compiled one it is compared with."""
BODIES = 9
"""More than a vector of eight lanes, and no multiple of it."""


def main():
    arguments = _arguments()
    bits = {}
    for method in arguments.methods or ph.methods():
        for what, digest in of_method(method):
            bits[f"{method} {what}"] = digest
            print(f"{method} {what} {digest}", flush=True)
    print(f"total {total(bits)}")
    if arguments.write:
        data = {"machines": _machines(arguments.write, bits), "total": total(bits), "bits": bits}
        pathlib.Path(arguments.write).write_text(json.dumps(data, indent=0) + "\n")
    return compared(json.loads(pathlib.Path(arguments.compare).read_text()), bits) if arguments.compare else 0


def of_method(method):
    """(what, digest) of all runs of one method; `what` is a problem, with `:interpreted` or `:ensemble`."""
    for problem in ph.problems():
        if ph.problem(problem).forces.any:
            continue  # each is another step to compile; tests/physics has machine code against Python there
        yield problem, single(method, problem, STEPS, compiled=True)
    alone = "free-body" if ph.method(method).free_only else "stress"
    yield f"{alone}:{FEW_STEPS}", single(method, alone, FEW_STEPS, compiled=True)
    yield f"{alone}:interpreted", single(method, alone, FEW_STEPS, compiled=False)
    yield f"{alone}:ensemble", ensemble(method, alone)


def single(method, problem, steps, compiled):
    """The digest of one run at the step of the problem."""
    return _digest(
        lambda: ph.solve(problem, method, n_steps=steps, save_every=min(EVERY, steps), compiled=compiled),
    )


def ensemble(method, problem):
    """The digest of bodies whose starts differ a little."""
    start = ph.problem(problem).Omega0
    starts = np.array([[start[0] + 0.01 * k, start[1] - 0.02 * k, start[2] + 0.005 * k] for k in range(BODIES)])
    return _digest(
        lambda: ph.solve_ensemble(problem, method, Omega0=starts, n_steps=STEPS, save_every=EVERY),
    )


def _digest(run):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # that something could not be compiled, say
            for told in (RunWarning, LargeStepWarning):  # steps and methods that are made for no such run
                warnings.simplefilter("ignore", told)
            s = run()
    except ph.InputError:
        return "refused"
    text = hashlib.sha256()
    for numbers in (s.t, s.Q, s.Omega):
        text.update(np.ascontiguousarray(numbers, dtype="<f8").tobytes())
    ended = "" if np.all(s.success) else "stopped:"
    return ended + text.hexdigest()[:20]


def total(bits):
    """One digest of all."""
    return hashlib.sha256("\n".join(f"{what} {digest}" for what, digest in sorted(bits.items())).encode()).hexdigest()


def machine():
    """What bits may depend on beside the source: the processor (fused products), the C library (sines), versions."""
    import llvmlite.binding
    import numba

    return {
        "processor": llvmlite.binding.get_host_cpu_name(),
        "features": llvmlite.binding.get_host_cpu_features().flatten(),
        "libc": " ".join(platform.libc_ver()),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def _machines(path, bits):
    """This machine, after the others that gave the same digests."""
    old = json.loads(pathlib.Path(path).read_text()) if pathlib.Path(path).exists() else {}
    same = [x for x in old.get("machines", ()) if x != machine()] if old.get("bits") == bits else []
    return [*same, machine()]


def compared(stored, bits):
    """Print what differs from the stored digests; 1 if anything does."""
    if machine() not in stored["machines"]:
        print(f"note: the digests were made on other kinds of machines; this is {machine()}")
    wrong = [f"{what}: {bits[what]}, was {stored['bits'].get(what)}" for what in bits if changed(stored, bits, what)]
    print("\n".join(wrong) if wrong else f"{len(bits)} runs have the bits stored.")
    return int(bool(wrong))


def changed(stored, bits, what):
    """Whether a run has other bits than those stored."""
    return bits[what] != stored["bits"].get(what)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", help="methods to run; all of the catalogue if none is named")
    parser.add_argument("--write", metavar="FILE", help="keep the digests")
    parser.add_argument("--compare", metavar="FILE", help="compare with digests kept; exit code 1 if any differs")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
