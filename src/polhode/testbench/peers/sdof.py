"""sdof.rigid: integrators from the literature in NumPy, as that package has them."""

import contextlib
import functools
import inspect
import io
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "sdof.rigid, integrators from the literature in NumPy"
INSTALL = "sdof"
SHOWN = ("incrso3_vlv", "incrso3_svq", "rotint_nmb", "incrso3_liemidea", "incrso3_akw", "kb_e")


def names() -> list[str]:
    """Every function of sdof.rigid with the arguments of a step."""
    return list(_steps())


def engine(name: str) -> BlackBox:
    """One of its steps; what a step carries to the next is carried within a call."""
    return BlackBox(f"sdof:{name}", functools.partial(_advanced, name), f"sdof.rigid.{name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    import sdof.rigid

    step = _steps()[name]
    source = "loading" if "loading" in inspect.signature(step).parameters else "Loading"
    state, P = sdof.rigid.State(Alpha=[], T=[]), problem.tensor @ Omega
    arguments = {"J": problem.tensor, source: types.SimpleNamespace(Torque=problem.torque)}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # that an iteration stopped short, also printed, shows in what is measured
        for i in range(n):
            P, Omega, Q, state = step(t + i * h, P, Omega, Q, h, state=state, **arguments)
    return np.asarray(Q), np.asarray(Omega)


@functools.cache
def _steps() -> dict[str, Callable[..., Any]]:
    with contextlib.redirect_stdout(io.StringIO()):  # it prints an example when imported
        import sdof.rigid

    steps: dict[str, Callable[..., Any]] = {}
    for name, f in vars(sdof.rigid).items():
        if inspect.isfunction(f):
            arguments = [x.lower() for x in inspect.signature(f).parameters]
            if arguments[:6] == ["t0", "p0", "w0", "r0", "dt", "j"]:
                steps[name] = f
    return steps
