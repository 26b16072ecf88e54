"""When machine code of a torque is compared with the user's function: at every start at which it has not been yet.

``machine/guard.py`` says how, and why.
"""

import operator
from typing import Any

import numpy as np

from polhode.integrators.method import Method
from polhode.kernels.fingerprint import is_static
from polhode.kernels.numbers import Kernel, State
from polhode.kernels.rotations import matrix
from polhode.machine import agrees_again, check_function
from polhode.physics.problem import Problem
from polhode.runs.results.users_axes import in_users_axes
from polhode.runs.runners.code import Kept


def guard(problem: Problem, method: Method, kept: Kept, kernel: Kernel, t: float, state: State) -> bool:
    """Compare what is kept of a torque at a start, unless it was last compared there; the answer is as of `compare`.

    The function has been evaluated there, by the start of the method. If machine code that agreed with it elsewhere
    says the same, that is enough.
    """
    if kept.digest is None:
        return False
    place = guarded_at(t, state, kept.moving)
    if kept.compared == place:
        return False
    code, row = kept.code, state[0] + state[1]
    outdated = not _agrees(kept, kernel, t, state) and compare(problem, method, code.held[0], code.kind, t, row)
    kept.compared = place
    return outdated


def guarded_at(t: float, state: State, moving: bool) -> tuple[Any, ...]:
    """Where the guard compares: bodies that differ in their velocity alone share it, if the torque takes none."""
    return (t, state[0], state[1]) if moving else (t, state[0])


def _agrees(kept: Kept, kernel: Kernel, t: float, state: State) -> bool:
    """Whether machine code, which has agreed with the function elsewhere, says what the start of the method has."""
    q, Pi, tau, _ = state
    if kept.look is None:
        kept.look = probe_of(kept.code.kind)
    look, (_, address, par), (torque, _) = kept.look, kept.code.head, kept.code.held
    Omega = tuple(map(operator.truediv, Pi, kept.body[0])) if kept.moving else ()
    place = np.array(matrix(q) + Omega)
    return agrees_again(kernel, kept.digest, torque, lambda out: look(address, par, t, place, out), tau)


def probe_of(kind: Any) -> Any:
    """What evaluates machine code of a torque of this type once."""
    from polhode.machine import MOMENT, TORQUE, first_node, probe

    return probe(kind) if kind in (TORQUE, MOMENT) else probe(kind, first_node)


def compare(problem: Problem, method: Method, torque: Any, kind: Any, t: float, row: Any) -> bool:
    """Compare machine code with the user's torque at a row; an error if they differ.

    True if functions compiled by Numba were brought up to date for that: what Python said before does not count.
    """
    kernel, moving = problem.source(method)
    if is_static(kernel):
        return False
    (Q,), (Omega,) = in_users_axes(problem, np.array([row]))
    return check_function(problem, "torque", kernel, torque, probe_of(kind), t, Q, Omega if moving else None)
