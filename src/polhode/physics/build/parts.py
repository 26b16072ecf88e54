"""What the makers of problems share: invariants by name, and a last look at the start."""

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.inputs import inertia_tensor, vector
from polhode.physics.problem import Problem
from polhode.pickling import recipe

P = TypeVar("P", bound=Problem)
Invariants: TypeAlias = dict[str, Callable[..., Any]]
"""Functions (Q, Omega) -> number, by name."""


def finished(
    problem: P, sources: Sequence[str], breaks: Sequence[float] = (), landmarks: Mapping[str, Any] | None = None
) -> P:
    """The problem, if it can start, with its papers (BibTeX keys) and what a reference or a figure needs.

    `breaks` are the times at which the torque jumps: steps must begin there. `landmarks` are attitudes worth
    marking in a figure, by label.
    """
    problem = problem.copied(sources=tuple(sources), breaks=tuple(breaks), landmarks=dict(landmarks or {}))
    try:
        values = [
            *problem.torque(problem.t0, problem.Q0, problem.Omega0),
            problem.potential(problem.Q0) if problem.has_potential else 0.0,
        ]
    except (ZeroDivisionError, OverflowError, ValueError):
        values = [math.nan]
    if not all(math.isfinite(x) for x in values):
        raise InputError(
            f"The torque or the potential of {problem.name!r} is singular at the start, "
            f"Q0 = {np.round(problem.Q0, 6).tolist()}. Start elsewhere."
        )
    return problem


@contextlib.contextmanager
def as_published(inertia: ArrayLike, published: ArrayLike) -> Iterator[None]:
    """No warning that no body has such moments, as long as they are those of the paper: its docstring says so."""
    with warnings.catch_warnings():
        if np.array_equal(inertia, published):
            warnings.filterwarnings("ignore", "No body in space")
        yield


@recipe
def momentum_space(inertia: ArrayLike, components: str = "xyz") -> Invariants:
    """The spatial momentum Q J Omega, or some components of it, as invariants."""
    J = inertia_tensor("inertia", inertia)

    def component(i: int) -> Callable[..., Any]:
        return lambda Q, Omega: Q[i] @ J @ Omega

    return {f"spatial momentum {x}": component("xyz".index(x)) for x in components}


@recipe
def free_invariants(inertia: ArrayLike) -> Invariants:
    """All that a free body keeps beside its energy: the spatial momentum, and the Casimir |Pi|^2 that follows."""
    J = inertia_tensor("inertia", inertia)
    return momentum_space(inertia) | {"body momentum squared": lambda Q, Omega: (J @ Omega) @ (J @ Omega)}


@recipe
def gyrostat_invariants(inertia: ArrayLike, rotor: ArrayLike) -> Invariants:
    """The same of a body with a rotor: the momentum of both, and its square."""
    J, l = inertia_tensor("inertia", inertia), np.array(rotor, dtype=float)

    def component(i: int) -> Callable[..., Any]:
        return lambda Q, Omega: Q[i] @ (J @ Omega + l)

    square = {"total momentum squared": lambda Q, Omega: (J @ Omega + l) @ (J @ Omega + l)}
    return {f"total momentum {x}": component(i) for i, x in enumerate("xyz")} | square


@recipe
def top_invariants(inertia: ArrayLike, up_space: ArrayLike = (0.0, 0.0, 1.0)) -> Invariants:
    """What any top keeps beside its energy: the two Casimirs Gamma.Pi and |Gamma|^2, Gamma = Q^T up."""
    J, up = inertia_tensor("inertia", inertia), np.array(up_space, dtype=float)
    return {
        "vertical momentum": lambda Q, Omega: up @ Q @ J @ Omega,
        "gravity squared": lambda Q, Omega: (up @ Q) @ (up @ Q),
    }


def momentum_along(name: str, direction_space: ArrayLike, inertia: ArrayLike) -> Invariants:
    """The momentum about one direction of space, as an invariant of this name."""
    return {name: top_invariants(inertia, direction_space)["vertical momentum"]}


@recipe
def symmetric_top_invariants(inertia: ArrayLike) -> Invariants:
    """The integrals of a top that is symmetric about its third axis; with the energy they are four."""
    J = inertia_tensor("inertia", inertia)
    about_axis = {"momentum about the axis of the top": lambda Q, Omega: J[2] @ Omega}
    return top_invariants(inertia) | (about_axis if J[0, 0] == J[1, 1] else {})


def require_symmetric(name: str, inertia: ArrayLike) -> np.ndarray:
    """A symmetric top has its first two moments equal."""
    J = vector("inertia", inertia)
    if J[0] != J[1]:
        raise InputError(
            f"The inertia of {name!r} is {J.tolist()}; the first two moments of a symmetric top are equal. "
            "For a top without symmetry use the problem 'heavy-top'."
        )
    return J
