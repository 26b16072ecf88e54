"""The C in benchmarks/c, compiled with whatever compiler there is, as Python functions."""

import concurrent.futures
import ctypes
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
from measure import has_instructions

SOURCES = pathlib.Path(__file__).parent / "c"
FLAGS = ("-O3", "-fno-math-errno", "-std=gnu11", "-shared", "-fPIC")
NATIVE = ("-march=native",)
CONTRACTION = {"fused": "-ffp-contract=fast", "unfused": "-ffp-contract=off"}
ATTITUDE = {"matrix": (), "quaternion": ("-DQUATERNION",)}
LANES = {"AVX2": ("avx2", 4, ("-mavx2", "-mfma", "-mtune=native")), "AVX-512": ("avx512f", 8, NATIVE)}
"""What the processor must have, doubles in a vector, flags. The first without -march=native: registers of AVX-512 are
twice as many, also for shorter vectors."""

CHAINS = (1, 2)
GROUP = 16
"""Ensembles are of a multiple of so many bodies: vectors of eight, two chains."""

NUMBERS = ctypes.POINTER(ctypes.c_double)


class NoCompiler(Exception):
    """There is no C compiler, or it cannot compile these files."""


def compiler():
    """The command of the C compiler."""
    names = (os.environ.get("CC"), "cc", "gcc", "clang")
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        raise NoCompiler("no C compiler: install one, or set CC")
    return found


def version():
    """The first line of what the compiler says of itself."""
    said = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=False).stdout
    return said.splitlines()[0] if said else compiler()


def variants(name, called=False):
    """The function in `name`.c in every form: (attitude, contraction) -> run(problem, h, n) -> state, iterations."""
    made = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for attitude, define in ATTITUDE.items():
            for contraction, flag in CONTRACTION.items():
                library = pathlib.Path(folder) / f"{name}-{attitude}-{contraction}.so"
                extra = (*define, *(("-DCALLED",) if called else ()))
                _compile(SOURCES / f"{name}.c", library, (*FLAGS, *NATIVE, flag, *extra))
                made[f"{attitude}, {contraction}"] = _function(library, name, attitude)
    return made


def lanes(machine):
    """VLV for many bodies by SIMD lanes, in every form: how -> run(problem, Omega0, h, n, threads); see LANES."""
    _, width, flags = LANES[machine]
    made = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for chains, (contraction, flag) in itertools.product(CHAINS, CONTRACTION.items()):
            library = pathlib.Path(folder) / f"vlv-{width}-{chains}-{contraction}.so"
            _compile(SOURCES / "vlv_lanes.c", library, (*FLAGS, *flags, flag, f"-DW={width}", f"-DCHAINS={chains}"))
            made[f"{chains} chain{'s' * (chains > 1)}, {contraction}"] = _lanes_function(library, width)
    return made


def lane_machines():
    """The kinds of lanes that this processor has."""
    return [name for name, (instructions, _, _) in LANES.items() if has_instructions(instructions)]


def _compile(source, library, flags):
    command = [compiler(), *flags, "-o", str(library), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoCompiler(f"{' '.join(command)} failed: {done.stderr.strip()[:300]}")


def _function(library, name, attitude):
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = ctypes.c_long
    function.argtypes = (ctypes.c_double, ctypes.c_long, NUMBERS, NUMBERS, ctypes.c_double, NUMBERS)

    def prepared(problem, h, n):
        """A run from the problem's start; it returns Pi at the end and the number of iterations."""
        q, Pi = problem.start()
        state = np.array([*(problem.Q0.ravel() if attitude == "matrix" else q), *Pi])
        inertia, numbers = problem.moments.copy(), np.array(problem.parameters)

        def run():
            iterations = function(h, n, _at(state), _at(inertia), numbers[0], _at(numbers[1:10]))
            return state[-3:], iterations

        return run

    return prepared


def _at(array):
    return array.ctypes.data_as(NUMBERS)


def _lanes_function(library, width):
    function = ctypes.CDLL(str(library)).vlv_lanes
    function.restype = ctypes.c_long
    function.argtypes = (ctypes.c_double, *(ctypes.c_long,) * 2, *(NUMBERS,) * 2, ctypes.c_double, NUMBERS)

    def prepared(problem, Omega0, h, n, threads):
        """A run of bodies that differ in velocity; it returns Pi of the first at the end."""
        inertia, numbers = problem.moments.copy(), np.array(problem.parameters)
        states = np.empty((len(Omega0) // width, 12, width))
        states[:, :9] = problem.Q0.ravel()[None, :, None]
        states[:, 9:] = np.swapaxes((Omega0 * inertia).reshape(-1, width, 3), 1, 2)

        def part(first, last):
            done = function(h, n, last - first, _at(states[first:]), _at(inertia), numbers[0], _at(numbers[1:10]))
            if done < 0:
                raise RuntimeError("The C with lanes did not solve its equations.")

        def run():
            if threads == 1:
                part(0, len(states))
            else:  # in pieces, an even number of vectors each, taken by whoever is free
                size = max(2, -(-len(states) // (8 * threads)) // 2 * 2)
                firsts = range(0, len(states), size)
                with concurrent.futures.ThreadPoolExecutor(threads) as pool:
                    list(pool.map(part, firsts, [*firsts[1:], len(states)]))
            return states[0, 9:, 0]

        return run

    return prepared
