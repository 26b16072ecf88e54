"""General solvers of differential equations with steps of their own, for comparison: error, work and time by tolerance.

SciPy's calls the torque from Python, on the nine entries of Q and on Omega; heyoka compiles it as a formula. Both know
nothing of rotations.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polhode.errors import InputError
from polhode.physics.problem import Problem
from polhode.testbench.peers import names as offered
from polhode.testbench.peers.equations import right_hand_side

TOLERANCES = tuple(10.0**-k for k in range(3, 14))


@dataclass(frozen=True)
class AdaptiveRun:
    """States at the wanted times, and what they cost."""

    Q: np.ndarray
    Omega: np.ndarray
    steps: int
    torques: int | None  # None: not a number of evaluations
    seconds: float


Runner = Callable[[Problem, np.ndarray, float], AdaptiveRun]


def by_scipy(name: str) -> Runner:
    """SciPy's `solve_ivp` with this method, both tolerances the same."""

    def run(problem: Problem, times: np.ndarray, tolerance: float) -> AdaptiveRun:
        from scipy.integrate import solve_ivp

        f = right_hand_side(problem)
        y, t, states, steps, torques = np.concatenate([problem.Q0.ravel(), problem.Omega0]), problem.t0, [], 0, 0
        clock = time.process_time()
        for end in times.tolist():
            solution = solve_ivp(f, (t, end), y, method=name, rtol=tolerance, atol=tolerance)
            y, t = solution.y[:, -1], end
            states.append(y)
            steps, torques = steps + len(solution.t) - 1, torques + solution.nfev
        seconds = time.process_time() - clock
        rows = np.array(states)
        return AdaptiveRun(rows[:, :9].reshape(-1, 3, 3), rows[:, 9:], steps, torques, seconds)

    return run


def by_heyoka(problem: Problem, times: np.ndarray, tolerance: float) -> AdaptiveRun:
    """heyoka's `taylor_adaptive`; its work is no number of torque evaluations, as it takes series of the torque."""
    from polhode.testbench.peers.heyoka import propagated

    propagated(problem, times[:1], tolerance)  # compiled here
    clock = time.process_time()
    Q, Omega, steps = propagated(problem, times, tolerance)
    return AdaptiveRun(Q, Omega, steps, None, time.process_time() - clock)


def peers() -> dict[str, Runner]:
    """The solvers that are installed, by name; SciPy's always are."""
    runners = {f"scipy:{name}": by_scipy(name) for name in ("DOP853", "LSODA")}
    try:
        offered("heyoka")
    except InputError:
        return runners
    return runners | {"heyoka:taylor": by_heyoka}
