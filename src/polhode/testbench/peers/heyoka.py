"""heyoka: Taylor series of adaptive order and step, compiled, to round-off."""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.kernels.numbers import Kernel, Numbers
from polhode.kernels.rotations import matrix
from polhode.kernels.vectors import cross, lin, mul
from polhode.physics.problem import Problem

TITLE = "heyoka, Taylor integration of differential equations"
INSTALL = "heyoka"
TOLERANCE = 2.0**-52


def names() -> list[str]:
    """There is one."""
    import heyoka  # noqa: F401

    return ["taylor"]


def engine(name: str) -> BlackBox:
    """taylor_adaptive with its default tolerance, on a quaternion and the momentum."""
    return BlackBox(f"heyoka:{name}", _advanced, "heyoka's taylor_adaptive, to round-off", TOLERANCE)


def propagated(problem: Problem, times: np.ndarray, tolerance: float | None) -> tuple[np.ndarray, np.ndarray, int]:
    """(Q, Omega) at the times, from the start of a problem, and the number of steps, with a tolerance."""
    integrator = _started(problem, problem.Q0, problem.Omega0, problem.t0, tolerance)
    states, steps = [], 0
    for t in times:
        steps += integrator.propagate_until(float(t))[3]
        states.append(_in_users_axes(problem, integrator))
    Q, Omega = zip(*states)
    return np.array(Q), np.array(Omega), steps


def _advanced(
    problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    integrator = _started(problem, Q, Omega, t, None)
    integrator.propagate_until(t + n * h)
    return _in_users_axes(problem, integrator)


def _started(problem: Problem, Q: np.ndarray, Omega: np.ndarray, t: float, tolerance: float | None) -> Any:
    problem.check_of_attitude("heyoka as it is driven here")
    integrator = _integrator(problem.torque_kernel, problem.parameters, tuple(problem.moments.tolist()), tolerance)
    integrator.time = t
    integrator.state[:4] = Rotation().from_matrix(Q @ problem.axes).as_quat(scalar_first=True)
    integrator.state[4:] = problem.moments * (problem.axes.T @ Omega)
    return integrator


def _in_users_axes(problem: Problem, integrator: Any) -> tuple[np.ndarray, np.ndarray]:
    Q = Rotation().from_quat(integrator.state[:4], scalar_first=True).as_matrix()
    return Q @ problem.axes.T, problem.axes @ (integrator.state[4:] / problem.moments)


@functools.lru_cache(maxsize=16)
def _integrator(torque: Kernel, parameters: Numbers, moments: Numbers, tolerance: float | None) -> Any:
    import heyoka

    names = ("w", "x", "y", "z", "Px", "Py", "Pz")
    symbols = heyoka.make_vars(*names)
    w, x, y, z, Px, Py, Pz = (Symbol(s) for s in symbols)
    Pi = (Px, Py, Pz)
    a, b, c = mul((1 / moments[0], 1 / moments[1], 1 / moments[2]), Pi)
    turn = (-(x * a + y * b + z * c), w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)
    try:
        tau = torque(Symbol(heyoka.time), matrix((w, x, y, z)), parameters)
        rates = (*(s / 2 for s in turn), *lin(1, cross(Pi, (a, b, c)), 1, tuple(tau)))
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"heyoka cannot take this torque as a formula: {type(error).__name__}: {error}.") from error
    start = np.array([1.0, 0, 0, 0, 0, 0, 0])
    equations = [(s, r.expression) for s, r in zip(symbols, rates)]
    return heyoka.taylor_adaptive(equations, start, **({} if tolerance is None else {"tol": tolerance}))


class Symbol:
    """An expression of heyoka that a kernel can compute with."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    @property
    def functions(self) -> "_Functions":
        """Where a kernel finds the square root, sine and cosine of one."""
        import heyoka

        return _Functions(heyoka)

    def __neg__(self) -> "Symbol":
        return Symbol(-self.expression)


class _Functions:
    def __init__(self, heyoka: Any) -> None:
        self.heyoka = heyoka

    def __getattr__(self, name: str) -> Callable[["Symbol"], "Symbol"]:
        return lambda x: Symbol(getattr(self.heyoka, name)(x.expression))


def _binary(operation: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[..., "Symbol"]:
    def compute(self: Symbol, other: Any) -> "Symbol":
        a, b = self.expression, other.expression if isinstance(other, Symbol) else float(other)
        return Symbol(operation(b, a) if swapped else operation(a, b))

    return compute


for _name in ("add", "sub", "mul", "truediv"):
    setattr(Symbol, f"__{_name}__", _binary(getattr(operator, _name)))
    setattr(Symbol, f"__r{_name}__", _binary(getattr(operator, _name), swapped=True))
