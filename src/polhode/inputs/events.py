"""Events: what a user gives to have a run look out for, and their functions as kernels on tuples."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs.functions import axes, plain, square, users_attitude
from polhode.inputs.names import choices, functions_by_name
from polhode.kernels.vectors import apply
from polhode.pickling import recipe


@recipe
def event_kernel(user: Callable[..., Any]) -> Callable[..., Any]:
    """From g(t, Q, Omega) of the user's axes; par are the nine numbers of the rotation to them."""

    def event(t, Q, Omega, par):  # type: ignore[no-untyped-def]
        x, y, z = apply(axes(par), Omega)
        return plain(user(t, square(users_attitude(Q, par)), square((x, y, z, x, y, z, x, y, z))[0]))

    return event


@dataclass(frozen=True)
class Events:
    """Functions by name, which of them end a run, and the direction that counts (0: both)."""

    functions: dict[str, Callable[..., Any]]
    terminal: tuple[str, ...]
    direction: dict[str, int]

    def given(self) -> dict[str, Any]:
        """As the arguments of a run."""
        return {"events": self.functions, "terminal": self.terminal, "direction": self.direction}

    def counts(self, name: str, way: int) -> bool:
        """Whether a crossing in this direction counts."""
        return self.direction.get(name, 0) in (0, way)


def given_events(events: Any, terminal: Any, direction: Any) -> Events | None:
    """The events; None if there are none."""
    if events is None and isinstance(terminal, tuple) and not terminal and direction is None:
        return None
    functions = functions_by_name("events", events)
    names = ", ".join(map(repr, functions)) or "none"
    details = [
        x for x in (terminal, direction) if x is not None and not (isinstance(x, str | tuple | list | dict) and not x)
    ]
    if not functions and details:
        raise InputError("terminal and direction are about events, and none were given: events={name: function}.")
    ending = choices("terminal", terminal, functions) if functions else ()
    if direction is None:
        direction = {}
    if not isinstance(direction, dict):
        raise InputError(f"direction is {one_line(direction)}; it must be a dictionary {{name of an event: 1 or -1}}.")
    for name, way in direction.items():
        if name not in functions:
            raise InputError(f"direction has {one_line(name)}; the events are {names}.")
        if isinstance(way, bool) or way not in (-1, 0, 1):
            raise InputError(f"direction of {name!r} is {one_line(way)}; it is 1 (rising), -1 (falling) or 0 (both).")
    return Events(functions, ending, {k: int(way) for k, way in direction.items()}) if functions else None
