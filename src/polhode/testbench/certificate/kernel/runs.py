"""What runs of a kernel in floats show: whether it stays a rotation, what a step costs, how large one may be."""

import math
from collections.abc import Iterator

import numpy as np

from polhode.integrators.method import Method
from polhode.integrators.properties import Row
from polhode.physics.problem import Problem
from polhode.runs.results.users_axes import ROW
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.solve import solve
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.kernel import theorems

OFF_GROUP = 1e-14  # that round-off leaves of Q^T Q - I
OFF_LENGTH = 1e-11  # that it leaves of a change of |q| in 1000 steps of dozens of products, none of them normalised


def orthogonality(method: Method, p: Problem, row: Row, steps: int = 1000) -> Iterator[Property]:
    """How far from a rotation Q gets, and how far the length of the kernel's quaternion from that after a step: the Q
    that a run gives is made of it, divided by its length, and so is a rotation until that is no number any more."""
    runner, ends = KernelRunner(p, method, 0.125, None), np.empty((2, ROW))
    done = runner.advance(0, 1, 1, 1, ends[:1], 0)[0]
    if not done:
        raise ArithmeticError("does not take the first step")
    ends[0] = runner.row()
    done += runner.advance(1, steps - 1, steps - 1, steps - 1, np.empty((1, ROW)), 0)[0]
    ends[1] = runner.row()
    first, last = (math.hypot(*row[:4]) for row in ends)
    length_off = abs(last / first - 1)
    with np.errstate(all="ignore"):
        (Q,), _ = runner.in_users_axes(ends[1:])
    off = float(np.abs(Q.T @ Q - np.eye(3)).max())
    how = f"{row.how}, and the change of the length of the kernel's quaternion, after {done} steps in floats"
    if length_off < OFF_LENGTH:
        yield Property(off, OFF_GROUP, "yes" if off < OFF_GROUP else "no", how)
        return
    how += f": {off:.0e} and {length_off:.0e}; Q is a rotation until |q| overflows or vanishes"
    yield Property(length_off, OFF_LENGTH, "no", how)


def torques(method: Method, p: Problem, row: Row, steps: int = 16) -> Iterator[Property]:
    """Evaluations of the torque a step."""
    if method.free_only:
        yield Property(0.0, None, "yes", "a free body has no torque")
        return
    first, all_of_them = (theorems.torque_calls(method, p, steps=n) for n in (steps, 2 * steps))
    yield Property((all_of_them - first) / steps, None, "yes", f"calls counted in {steps} steps, after as many others")


def iterations(method: Method, p: Problem, row: Row, steps: int = 400) -> Iterator[Property]:
    """Iterations a step."""
    s = solve(p, method, h=0.125, n_steps=steps, on_failure="return")
    yield Property(s.stats["n_iterations"] / steps, None, "yes", f"mean over {steps} steps of h = 0.125")


def largest_step(method: Method, p: Problem, row: Row, steps: int = 200) -> Iterator[Property]:
    """The largest h = 2^(k/4) up to 16 with which so many steps succeed, going up until one fails."""
    largest = 0.0
    for k in range(-16, 17):
        h = 2.0 ** (k / 4)
        if not solve(p, method, h=h, n_steps=steps, save_every=steps, on_failure="return").success:
            break
        largest = h
    how = f"{steps} steps from the start of the test problem, h growing by 2^(1/4) until a step does not solve"
    yield Property(largest, None, "yes", how)
