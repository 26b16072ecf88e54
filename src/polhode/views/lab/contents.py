"""What the lab holds: bodies, fields, methods, as kernels in JavaScript and as numbers.

Fields and bodies are problems of this library, so the numbers a step is given are those `solve` would give it:
``polhode.runs.runners.kernel_runner.body_of`` makes them here, in print, and the browser only puts them together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.integrators.catalogue import METHODS
from polhode.integrators.method import Method
from polhode.kernels.loop import watched
from polhode.kernels.rotations import matrix, rotated
from polhode.kernels.scalar import cos, sin
from polhode.kernels.vectors import apply_transposed, cross, dot, mul
from polhode.physics.build.gravity_gradient import satellite
from polhode.physics.build.parts import as_published
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.runs.runners.kernel_runner import body_of
from polhode.views.lab.javascript import RUNTIME, Printer


@dataclass(frozen=True)
class Body:
    """A body to choose: its principal moments."""

    title: str
    moments: tuple[float, float, float]


@dataclass(frozen=True)
class Field:
    """A field to choose: a problem, which part of the spatial momentum it keeps, and what one sees in it."""

    title: str
    problem: Problem
    body: str  # its own
    h: float
    momentum: str  # "all", "vertical" or "none" of it is conserved
    words: str
    energy: str = "energy"


def bodies() -> dict[str, Body]:
    """The bodies by name. The middle moment differs from the others, except in the plate."""

    def of(name: str, title: str) -> Body:
        x, y, z = problem(name).moments.tolist()
        return Body(title, (x, y, z))

    return {
        "plate": of("stress", "plate"),
        "free-body": of("free-body", "free body"),
        "brick": of("soft-wall", "brick"),
        "top": of("heavy-top", "top"),
        "water": of("water", "water"),
        "racket": Body("racket", (0.12, 1.64, 1.75)),
        "craft": Body("satellite", (1.0, 2.0, 2.5)),
    }


def fields() -> dict[str, Field]:
    """What may act on the body in the lab, by name, each with a start that shows it."""
    orbiting = satellite(
        inertia_body=bodies()["craft"].moments, orbit_rate=0.5, Q0=(0.2, 0.1, 0.3), Omega0=(0.05, 0.1, 0.45)
    )
    free = problem("free-body").replaced(Omega0=(0.02, 1.2, 0.05))
    return {
        "free": Field(
            *("no torque", free, "free-body", 0.25, "all"),
            "A free body, spun about its middle axis, tumbles; its momentum runs along the polhode, where sphere and "
            "ellipsoid meet. Energy and spatial momentum are conserved.",
        ),
        "top": Field(
            *("heavy top", problem("heavy-top"), "top", 0.05, "vertical"),
            "A heavy top: gravity pulls at a centre of mass off every axis. Energy and the vertical momentum are "
            "conserved.",
        ),
        "stress": Field(
            *("stress test", problem("stress"), "plate", 0.25, "none"),
            "The stress test: a potential without symmetry, a trough of attitudes and a pull towards one of them "
            "(Ortolan & Saccon 2012). Energy is conserved and nothing else: a method whose energy drifts here is "
            "neither symplectic nor conjugate to such a one.",
        ),
        "wall": Field(
            *("soft wall", problem("soft-wall"), "brick", 0.025, "vertical"),
            "A soft wall: the body is attracted by it and thrown back within a short time, so that errors come in "
            "bursts. Energy and the vertical momentum are conserved.",
        ),
        "satellite": Field(
            *("satellite", orbiting, "craft", 0.1, "none"),
            "A satellite: on a circular orbit the gradient of gravity turns the body; the field turns too, and what is "
            "conserved is the Jacobi integral, the energy as seen from the orbit.",
            energy="Jacobi integral",
        ),
    }


def in_orbit(t: Any, q: Any, Pi: Any, body: Any) -> Any:
    """The Jacobi integral Omega.J Omega/2 + (3/2) n^2 rho.J rho - n c.Q Pi of a satellite, and the spatial momentum."""
    par = body[3][1]
    J, r0, s0, n = (par[0], par[1], par[2]), (par[3], par[4], par[5]), (par[6], par[7], par[8]), par[9]
    c, s = cos(n * t), sin(n * t)
    rho = apply_transposed(matrix(q), (c * r0[0] + s * s0[0], c * r0[1] + s * s0[1], c * r0[2] + s * s0[2]))
    pi = rotated(q, Pi)
    energy = dot(Pi, mul(body[1], Pi)) / 2 + 1.5 * n * n * dot(rho, mul(J, rho)) - n * dot(cross(r0, s0), pi)
    return (energy, pi[0], pi[1], pi[2])


def watch(potential: Callable[..., Any]) -> Callable[..., Any]:
    """The energy in a potential, and the spatial momentum."""
    return lambda t, q, Pi, body: watched(q, Pi, body, potential)


def printable() -> list[Method]:
    """The methods of the lab: all whose steps are tuples and arithmetic, and not Nodes, which are objects."""
    return [m for m in METHODS if not m.nodes]


def kernels() -> str:
    """The kernels of every method and field, as a script that defines POLHODE."""
    printer = Printer()
    methods = {m.name: {"step": printer.function(m.step), "start": printer.function(m.start)} for m in printable()}
    field_kernels = {}
    for name, field in fields().items():
        potential = field.problem.potential_kernel
        field_kernels[name] = {
            "torque": printer.function(field.problem.torque_kernel),
            "watched": printer.function(in_orbit if potential is None else watch(potential)),
        }
    helpers = {"matrix": printer.function(matrix)}
    table = {"methods": methods, "fields": field_kernels, "helpers": helpers}
    return f"{RUNTIME}{printer.text}const POLHODE = {_object(table)};\n"


def data() -> dict[str, Any]:
    """The numbers of the page: what a body is in each field, and what a method needs for each body."""
    those = bodies()
    placed = {name: {b: _placed(f, body) for b, body in those.items()} for name, f in fields().items()}
    return {
        "bodies": {name: {"title": b.title, "J": b.moments} for name, b in those.items()},
        "fields": {
            name: {
                **{key: getattr(f, key) for key in ("title", "body", "h", "momentum", "words", "energy")},
                "placed": placed[name],
            }
            for name, f in fields().items()
        },
        "methods": {m.name: _entry(m, those) for m in printable()},
    }


def _placed(field: Field, body: Body) -> dict[str, Any]:
    """Parameters of the torque and start of a body in a field."""
    p = _of(field.problem, body)
    q, Pi = p.start()
    return {"par": p.parameters, "q": q, "Pi": Pi}


def _of(problem: Problem, body: Body) -> Problem:
    """The same problem for another body; no warning that the water molecule, as published, is no body in space."""
    with as_published(body.moments, body.moments):
        return problem.replaced(inertia=body.moments)


def _entry(m: Method, those: dict[str, Body]) -> dict[str, Any]:
    """What the page says of a method, and its coefficients: one list for all bodies, or one for each."""
    free = problem("free-body")
    numbers = {name: body_of(_of(free, b), m)[2] for name, b in those.items()}
    same = len(set(numbers.values())) == 1
    return {
        "title": m.title,
        "family": m.family,
        "free_only": m.free_only,
        "coefficients": next(iter(numbers.values())) if same else numbers,
    }


def _object(x: Any) -> str:
    """A dict of names of functions as JavaScript."""
    if isinstance(x, dict):
        return "{" + ", ".join(f'"{key}": {_object(value)}' for key, value in x.items()) + "}"
    return x
