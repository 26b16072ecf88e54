"""How bodies are run: the machine code that suits a method and a torque, and the reason if it is not the fastest."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.inputs import functions
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.runners.kernel_runner import body_of, machine_torque


def sizes(problem: Problem, method: Method, h: float) -> tuple[int, int]:
    """How many numbers a method carries from step to step, and how many coefficients it has."""
    body = body_of(problem, method, torque=functions.no_torque)
    return len(method.start(h, problem.t0, *problem.start(), body)[3]), len(body[2])


@dataclass(frozen=True)
class Way:
    """How the bodies are run: machine code (None: through `solve`), lanes, the torque's address, why not faster."""

    loop: Callable[..., Any] | None
    width: int = 1
    given: int = 0
    by_rows: bool = False  # the parameters of a body lie together
    reason: str = ""
    torque: object = None  # held as long as its address is used


def way_of(problem: Problem, method: Method, memory: int, coefficients: int, watched: bool = False) -> Way:
    """The fastest loop that there is: all in lanes; the torque body by body; everything body by body; or none.

    The one that watches out for events, if there are any.
    """
    from polhode.machine import HALF, MOMENT, TORQUE, WIDTH

    loops = _Loops(method, memory, coefficients, watched)
    kernel, moving = problem.source(method)
    kind = MOMENT if moving else TORQUE
    if method.nodes:
        torque, kind = machine_torque(problem, method)
        why = f"{method.name} runs one body after the other: its {method.nodes} stages are in the lanes."
    else:
        loop, reason = loops.loop(kernel, WIDTH, kind, len(problem.parameters))
        if loop:
            return Way(loop, WIDTH)
        torque, kind = machine_torque(problem, method)
        if torque is not None:
            loop, again = loops.loop(None, HALF, kind)
            if loop:
                why = f"the torque runs one body after the other, as it cannot run in lanes: {reason}"
                return Way(loop, HALF, torque.address, True, why, torque)
            why = f"{method.name} runs one body after the other, as it cannot run in lanes: {again}"
    if torque is None:
        return Way(None, reason="the torque cannot be compiled and runs interpreted")
    loop, reason = loops.loop(None, 1, kind)
    return (
        Way(loop, 1, torque.address, False, why, torque)
        if loop
        else Way(None, reason=f"{method.name} cannot be compiled: {reason}")
    )


@dataclass(frozen=True)
class _Loops:
    """The loops of a method, with or without events; `memory` and `coefficients` are how many numbers it carries."""

    method: Method
    memory: int
    coefficients: int
    watched: bool

    def loop(
        self, torque: Any, width: int, kind: Any, parameters: int = functions.PARAMETERS
    ) -> tuple[Callable[..., Any] | None, str]:
        """(machine code, "") or (None, why there is none); the torque is compiled into it, or comes by its address."""
        from polhode.machine import CannotCompile, blocks_loop, watching_blocks_loop

        make, m = watching_blocks_loop if self.watched else blocks_loop, self.method
        try:
            return make(m.step, m.start, self.memory, self.coefficients, torque, width, kind, parameters), ""
        except CannotCompile as error:
            decides = "<class 'bool'>" in error.reason
            return None, "it decides by the value of a number." if decides else error.reason
