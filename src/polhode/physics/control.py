"""A controller that looks at the body once a period and holds its torque until it looks again."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_construction, flag, function, positive
from polhode.inputs.forms import form
from polhode.inputs.laws import NotSaid, constant_law, law_kernel, side_by_side
from polhode.inputs.parameters import Fields, arguments
from polhode.kernels.numbers import Kernel, Mat3, Vec3
from polhode.pickling import Travels


@checked_construction
@dataclass(frozen=True)
class Sampled(Travels):
    """A zero-order hold: a law that is called at t0, t0 + period, ..., and what it says is held in between.

    The period is a whole number of steps. A law that is a function of its arguments is compiled, and costs about a
    microsecond a period. One that remembers (an object, an integral term in a closure), draws random numbers or cannot
    be compiled is called in Python, once a period; stats["law"] of a run says which it was.
    At a look the torque jumps, and the method is started anew: one with a memory, as ADAMS8, keeps its order.

    Parameters
    ----------
    law : callable
        law(t, Q, Omega) -> three numbers, the torque on the body in body axes; with `wheels` one number for each wheel,
        the torque of its motor on it; as the torque of one Wheel, one number. It may take the parameters of the
        problem, law(t, Q, Omega, p), or its args
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


@dataclass(frozen=True)
class Motors(Travels):
    """The law of motors of which each has a torque of its own: a number, or a function."""

    each: tuple[Any, ...]

    def __call__(self, *arguments: Any) -> list[Any]:
        return [x(*arguments) if callable(x) else x for x in self.each]


@dataclass(frozen=True)
class Continuous(Travels):
    """The torques of motors of which some are functions of (t, Q, Omega): looked at within every step."""

    law: Motors
    period: float = 0.0  # none
    wheels: bool = True

    def steps(self, h: float) -> int:
        """How many steps of h a period has."""
        return 1


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
    return Sampled(Motors(tuple(x.law if isinstance(x, Sampled) else x for x in each)), periods[0], wheels=True)


def law_of(control: Sampled | Continuous, wheels: int, fields: Fields | None) -> tuple[Kernel, bool]:
    """The law as a kernel, for a body with so many wheels, and whether it takes the parameters of the problem."""
    if not isinstance(control.law, Motors):
        own = _fields_of(control.law, fields)
        return law_kernel(control.law, own, wheels if control.wheels else 3), own is not None
    takes_parameters, kernels = False, []
    for x in control.law.each:
        own = _fields_of(x, fields) if callable(x) else None
        kernels.append(law_kernel(x, own, 0) if callable(x) else constant_law(x))
        takes_parameters = takes_parameters or own is not None
    return functools.reduce(side_by_side, kernels), takes_parameters


def _fields_of(law: Callable[..., Any], fields: Fields | None) -> Fields | None:
    """The parameters, if a law cannot do without; a sentence where it takes something else."""
    least, _ = arguments(law)
    return form("law", law, fields if least > 3 else None, ("t", "Q", "Omega")).fields


def asked(
    control: Sampled | Continuous, law: Kernel, t: float, Q: Mat3, Omega: Vec3, par: Any, wheels: int
) -> tuple[float, ...]:
    """What the law of a controller says in Python, a kernel of `law_of`, checked."""
    try:
        said: Any = law(t, Q, Omega, par)
    except NotSaid as wrong:
        said = wrong.value
    else:
        if all(isinstance(x, (int, float)) and math.isfinite(x) for x in said):
            return tuple(map(float, said))
    who = "The law of the controller" if isinstance(control, Sampled) else "A motor"
    many = "three finite numbers" if not control.wheels else f"{wheels} finite numbers, one for each wheel"
    words = "a finite number: each wheel has a law of its own" if isinstance(control.law, Motors) else many
    raise InputError(f"{who} returned {one_line(said)} at t = {t:g}; it must be {words}.")
