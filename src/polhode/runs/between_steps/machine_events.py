"""Events as machine code: the loop that watches them, and the comparison with the user's functions before it runs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode import inputs
from polhode.inputs.events import Events, event_kernel
from polhode.kernels.numbers import Kernel
from polhode.kernels.rotations import matrix
from polhode.machine import TURN, check, floats_or_none, nearby
from polhode.runs.runners.kernel_runner import KernelRunner


def watching(runner: KernelRunner, kernels: Any, code: Any) -> Callable[..., tuple[Any, ...]]:
    """watch(first, n, every, left, out, row, values): `advance` that stops before a step with a change of sign.

    `code` is the machine code of the watched `kernels`; the two are compared at the start.
    """
    from polhode.machine import watching_loop

    head, kind = runner.machine_arguments()
    axes = np.array(runner.problem.axes.ravel())
    loop = watching_loop(runner.method.step, runner.method.start, len(runner.state[3]), len(runner.body[2]), kind)
    for kernel, machine in zip(kernels, code):
        check_event(runner, kernel, machine, axes)
    addresses = np.array([machine.address for machine in code])

    def watch(
        first: int, n: int, every: int, left: int, out: np.ndarray, row: int, values: np.ndarray, *, held: Any = code
    ) -> tuple[Any, ...]:
        numbers, after = np.array(runner.numbers()), np.array(values)
        *done, stop = loop(*head, runner.h, runner.t0, first, n, every, left, numbers, out, row, addresses, axes, after)
        runner.restore(numbers.tolist())
        if done[0]:
            values[:] = after.tolist()
        return *done, stop

    return runner.from_look_to_look(watch)


def check_event(runner: KernelRunner, kernel: Kernel, machine: Any, axes: np.ndarray) -> None:
    """Compare the machine code of a watched function with the function, at the start."""
    from polhode.machine import event_probe

    look, par, Omega = event_probe(), tuple(axes.tolist()), np.array(runner.state[1]) * np.array(runner.body[1])

    def of_machine(Q: np.ndarray) -> Any:
        out = np.zeros(1)
        return floats_or_none(lambda: look(machine.address, axes, runner.t0, Q, Omega, out) or out.tolist())

    of_python = lambda Q: floats_or_none(lambda: (kernel(runner.t0, tuple(Q.tolist()), tuple(Omega.tolist()), par),))
    start = np.array(matrix(runner.state[0]))
    places = [start, (start.reshape(3, 3) @ TURN).ravel()]
    check(f"event of {runner.problem.name!r}", kernel, places, of_machine, of_python, nearby)


def machine_events(events: Events) -> tuple[list[Any], list[Any]] | None:
    """The functions as kernels, and their machine code; None, with a warning, where one cannot be compiled."""
    from polhode.machine import CannotCompile, event_code

    kernels = [event_kernel(f) for f in events.functions.values()]
    code = []
    for name, kernel in zip(events.functions, kernels):
        try:
            code.append(event_code(kernel))
        except CannotCompile as error:
            inputs.warn(
                f"The event {name!r} could not be compiled: {error.reason} It is called by Python in every step, about "
                "fifty microseconds each. Write it with indices, arithmetic and NumPy functions that Numba knows."
            )
            return None
    return kernels, code
