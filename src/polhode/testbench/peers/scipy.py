"""SciPy's `solve_ivp` on the nine entries of Q and on Omega."""

import functools

import numpy as np

from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem
from polhode.testbench.peers.equations import right_hand_side

TITLE = "SciPy, general solvers of differential equations"
INSTALL = "scipy"
EXPLICIT = ("RK23", "RK45", "DOP853")
ADAPTIVE = ("Radau", "BDF", "LSODA")
TOLERANCE = 1e-10
ANY_ERROR = 1e200  # a tolerance for steps that are not chosen
SHOWN = ("RK45", "DOP853", "LSODA")


def names() -> tuple[str, ...]:
    """The explicit methods in steps of h; the others, whose steps are tied to a tolerance, with one of 1e-10."""
    import scipy.integrate  # noqa: F401

    return EXPLICIT + ADAPTIVE


def engine(name: str) -> BlackBox:
    """One method of solve_ivp."""
    adaptive = name in ADAPTIVE
    advance = functools.partial(_solved if adaptive else _stepped, name)
    title = f"SciPy's {name}, " + (f"to a tolerance of {TOLERANCE:g}" if adaptive else "in steps of h")
    return BlackBox(f"scipy:{name}", advance, title, TOLERANCE if adaptive else None)


def _stepped(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """With a tolerance that no error reaches the first step, and so every one, is as long as allowed. It is finite: an
    infinite one times a component that is zero would be no number, and no step would be taken."""
    import scipy.integrate

    y = np.concatenate([Q.ravel(), Omega])
    limits = dict(first_step=abs(h), max_step=abs(h), rtol=1.0, atol=ANY_ERROR)
    solver = getattr(scipy.integrate, name)(right_hand_side(problem), t, y, t + 2 * n * h, **limits)
    for _ in range(n):
        solver.step()
    return solver.y[:9].reshape(3, 3), solver.y[9:]


def _solved(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    import scipy.integrate

    y = np.concatenate([Q.ravel(), Omega])
    limits = dict(method=name, rtol=TOLERANCE, atol=TOLERANCE)
    y = scipy.integrate.solve_ivp(right_hand_side(problem), (t, t + n * h), y, **limits).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]
