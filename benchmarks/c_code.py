"""The C in benchmarks/c, compiled with whatever compiler there is, as Python functions."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

SOURCES = pathlib.Path(__file__).parent / "c"
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-std=gnu11", "-shared", "-fPIC")
CONTRACTION = {"fused": "-ffp-contract=fast", "unfused": "-ffp-contract=off"}
ATTITUDE = {"matrix": (), "quaternion": ("-DQUATERNION",)}

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
                _compile(SOURCES / f"{name}.c", library, (*FLAGS, flag, *extra))
                made[f"{attitude}, {contraction}"] = _function(library, name, attitude)
    return made


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
