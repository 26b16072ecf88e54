"""The law of a controller as machine code, where that says what the law says; the rest is called in Python."""

from typing import Any

import numpy as np

from polhode.inputs import warn
from polhode.inputs.laws import RANDOM, does_more
from polhode.integrators.method import Method
from polhode.kernels.numbers import Kernel, Mat3, Vec3
from polhode.kernels.rotations import matrix
from polhode.kernels.unchanged import fingerprint_now
from polhode.kernels.vectors import mul
from polhode.machine import TURN, check, floats_or_none, nearby
from polhode.runs.runners.kernel_runner import KernelRunner

MACHINE = "machine code"
"""What stats["law"] of a run says where it is."""


class MachineLaw:
    """A law as it was when it was compiled."""

    def __init__(self, kernel: Kernel, n: int, digest: str, code: Any) -> None:
        from polhode.machine import ask_law

        self._kernel, self._digest, self._code, self._ask = kernel, digest, code, ask_law(n)
        self._n, self._out, self._loops = n, np.empty(n), dict[Any, Any]()

    @property
    def address(self) -> int:
        """Where it begins."""
        return self._code.address

    def is_outdated(self) -> bool:
        """Whether the law has changed since: a gain that it reads, a function that it calls."""
        return fingerprint_now((self._kernel,)).digest != self._digest

    def said(self, t: float, Q: Mat3, Omega: Vec3, par: Any) -> tuple[float, ...] | None:
        """What it says; None where it raises or says what is not finite."""
        try:
            self._ask(self.address, np.frombuffer(par), t, np.array((*Q, *Omega)), self._out)
        except Exception:
            return None
        return tuple(self._out.tolist()) if np.isfinite(self._out).all() else None

    def loop(self, method: Method, look: Kernel, sizes: tuple[int, int], kind: Any) -> Any:
        """The loop from look to look; None where that cannot be compiled."""
        from polhode.machine import CannotCompile, held_loop

        key = method.step, method.start, look, sizes, kind
        if key not in self._loops:
            try:
                self._loops[key] = held_loop(method.step, method.start, look, self._n, *sizes, kind)
            except CannotCompile as error:
                self._loops[key] = None
                warn(
                    f"The loop of {method.name} under a controller could not be compiled, and is slower: {error.reason}"
                )
        return self._loops[key]


def machine_law(runner: KernelRunner, kernel: Kernel, n: int) -> tuple[MachineLaw | None, str]:
    """The law of a runner's problem, which says n numbers; None and a reason if it is to be called in Python.

    Machine code cannot remember, so what it is made of is a function of its arguments and of what the law reads. It is
    compared with the law at the start and at another attitude.
    """
    from polhode.machine import CannotCompile, law_code

    made_of, more = fingerprint_now((kernel,)), does_more(kernel)
    if more or made_of.unseen:
        return None, f"Python: {more or f'it reaches {made_of.unseen[0]}'}"
    try:
        code = law_code(kernel, n)
    except CannotCompile as error:
        return None, f"Python: {error.reason}"
    law = MachineLaw(kernel, n, made_of.digest, code)
    memory = runner.body[3][1]
    Omega = mul(runner.body[1], runner.state[1])

    def of_machine(Q: np.ndarray) -> Any:
        return law.said(runner.t0, tuple(Q.tolist()), Omega, memory)

    def of_python(Q: np.ndarray) -> Any:
        u = floats_or_none(lambda: kernel(runner.t0, tuple(Q.tolist()), Omega, memory))
        return u if u is not None and np.isfinite(u).all() else None

    start = np.array(matrix(runner.state[0]))
    places = [start, (start.reshape(3, 3) @ TURN).ravel()]
    check(f"law of the controller of {runner.problem.name!r}", kernel, places, of_machine, of_python, nearby)
    return law, MACHINE


class LawMemory:
    """Whether a law remembers, which matters where it is called for one body after the other."""

    def __init__(self, name: str, law: Kernel) -> None:
        self._name, self._law = name, law
        self._before = fingerprint_now((law,)).digest

    def is_used(self) -> bool:
        """Whether what the law reaches has changed, which is warned of; a law that draws random numbers may do so."""
        if fingerprint_now((self._law,)).digest == self._before:
            return False
        if does_more(self._law) != RANDOM:
            warn(
                f"The law of the controller of {self._name!r} remembers: what it reaches has changed while a "
                "body ran, and the next body begins with that. Run the bodies by solve, each with a law of its own, "
                "unless this is meant, as with random numbers."
            )
        return True
