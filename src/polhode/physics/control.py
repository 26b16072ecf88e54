"""A controller that looks at the body once a period and holds its torque until it looks again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import checked_construction, flag, function, positive
from polhode.pickling import Travels


@checked_construction
@dataclass(frozen=True)
class Sampled(Travels):
    """A zero-order hold: a law that is called at t0, t0 + period, ..., and what it says is held in between.

    The period is a whole number of steps. The law is called in Python; the steps between two calls are not.
    At a call the torque jumps, and the method is started anew: one with a memory, as ADAMS8, keeps its order.

    Parameters
    ----------
    law : callable
        law(t, Q, Omega) -> three numbers, the torque on the body in body axes; with `wheels` one number for each wheel,
        the torque of its motor on it; as the torque of one Wheel, one number
    period : float
        Between two calls: a whole number of steps.
    wheels : bool
        Whether the law drives the wheels of the problem: the body feels the opposite of what it gives them, and no
        motor gives more than its max_torque.

    Examples
    --------
    >>> import polhode as ph
    >>> def law(t, Q, Omega):
    ...     return [0.5 * Omega[2]]
    >>> wheel = ph.Wheel(axis=(0, 0, 1), inertia=0.1, max_torque=0.2)
    >>> body = ph.Problem(
    ...     inertia=(1, 2, 3), Omega0=(0, 0, 1), wheels=[wheel], control=ph.Sampled(law, period=0.1, wheels=True)
    ... )
    >>> s = ph.solve(body, "VLV", h=0.1, t_end=1)
    >>> s.wheel_speeds[:3, 0].round(12).tolist()  # 0.2 of motor turn the body by -0.2/2.9, as the wheel is not of it
    [0.0, 0.206896551724, 0.413793103448]
    """

    law: Callable[..., Any]
    period: float
    wheels: bool = False

    def __post_init__(self) -> None:
        function("law of Sampled", self.law)
        object.__setattr__(self, "period", positive("period of Sampled", self.period))
        object.__setattr__(self, "wheels", flag("wheels of Sampled", self.wheels))

    def steps(self, h: float) -> int:
        """How many steps of h a period has."""
        n = self.period / abs(h)
        k = max(1, round(n))
        if abs(n - k) > 1e-9 * n:
            raise InputError(
                f"The period of the controller, {self.period:g}, is {n:.6g} steps of h = {h:g}; it must be a whole "
                f"number of them: take h = {self.period / k:.10g}."
            )
        return k

    def torque(self, t: float, Q: np.ndarray, Omega: np.ndarray, n: int = 3) -> np.ndarray:
        """What the law says, checked: n numbers."""
        words = f"{n} finite numbers, one for each wheel" if self.wheels else "three finite numbers"
        return _torques(self.law(t, Q, Omega), t, n, "The law of the controller returned", words)


def _torques(value: Any, t: float, n: int, who: str, words: str) -> np.ndarray:
    """n finite numbers, or a sentence."""
    try:
        u = np.array(value, dtype=float)
    except (TypeError, ValueError):
        u = np.array(np.nan)
    if u.shape != (n,) or not np.isfinite(u).all():
        raise InputError(f"{who} {one_line(value)} at t = {t:g}; it must be {words}.")
    return u


@dataclass(frozen=True)
class Motors(Travels):
    """The law of motors of which each has a torque of its own: a number, a function, or a Sampled."""

    each: tuple[Any, ...]

    def __call__(self, t: float, Q: np.ndarray, Omega: np.ndarray) -> list[Any]:
        laws = (x.law if isinstance(x, Sampled) else x for x in self.each)
        return [x(t, Q, Omega) if callable(x) else x for x in laws]


@dataclass(frozen=True)
class Continuous(Travels):
    """The torques of motors of which some are functions of (t, Q, Omega): looked at within every step."""

    law: Motors
    period: float = 0.0  # none
    wheels: bool = True

    def steps(self, h: float) -> int:
        """How many steps of h a period has."""
        return 1

    def torque(self, t: float, Q: np.ndarray, Omega: np.ndarray, n: int = 1) -> np.ndarray:
        """The torques, checked: n numbers."""
        return _torques(self.law(t, Q, Omega), t, n, "The motors returned", f"{n} finite numbers, one for each wheel")


def of_motors(each: tuple[Any, ...], control: Any) -> Any:
    """The controller of a problem whose motors have these torques, of which some may be a Sampled."""
    sampled = [x for x in each if isinstance(x, Sampled)]
    if control is not None and not isinstance(control, Sampled):
        raise InputError(f"control is {one_line(control)}; give Sampled(law, period=...).")
    if control is not None and control.wheels and not each:
        raise InputError("control drives wheels (wheels=True), and there are none: give wheels=[Wheel(...)].")
    if control is not None and control.wheels and any(isinstance(x, Sampled) or callable(x) or x for x in each):
        raise InputError("control drives the wheels (wheels=True), and a Wheel has a torque of its own: give one.")
    functions = [x for x in each if callable(x) and not isinstance(x, Sampled)]
    if functions and (sampled or control is not None):
        raise InputError(
            "Motors whose torques are functions do not go with a controller or with motors that are sampled: give "
            "Sampled(function, period=...) for each."
        )
    if functions:
        return Continuous(Motors(each))
    if not sampled:
        return control
    if control is not None:
        raise InputError(
            "There are two controllers, control= and the Sampled torque of a Wheel: let one law drive the wheels, "
            "control=Sampled(law, period=..., wheels=True), and give what acts on the body as torque=."
        )
    periods = sorted({x.period for x in sampled})
    if len(periods) > 1:
        raise InputError(
            f"The motors are sampled with the periods {periods}; they look at the same times: give one period."
        )
    return Sampled(Motors(each), periods[0], wheels=True)
