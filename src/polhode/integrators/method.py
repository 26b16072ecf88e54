"""What a method is: a step, and what is claimed of it, once, as data."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_construction, flag, flag_or_none, function, items, positive, text, whole
from polhode.integrators.properties import CLAIMED, NUMBER, ORDER, PROPERTIES, YES_OR_NO, Claims
from polhode.kernels.step import start_plain
from polhode.pickling import Travels
from polhode.shown import shown

DRIFTS = ("+", "-", "none", "unstable")
"""What can be said of the energy on the stress test."""


STAGES, MOMENTA, KICKS = VELOCITIES = ("stages", "momenta", "kicks")
"""How a method takes torques that depend on the velocity; see ``velocity.py``."""


@checked_construction
@dataclass(frozen=True)
class Order:
    """Orders of convergence, for Q and for Omega; without a torque and with one.

    Parameters
    ----------
    free : pair of float
        Of Q and Omega without a torque.
    torque : pair of float
        With one.
    """

    free: tuple[float, float]
    torque: tuple[float, float]

    def __post_init__(self) -> None:
        for label in ("free", "torque"):
            pair = items(f"{label} of Order", getattr(self, label), "two orders, of Q and of Omega")
            if len(pair) != 2:
                raise InputError(f"{label} of Order is {one_line(pair)}; give two orders, of Q and of Omega.")
            for n in pair:
                _order(f"{label} of Order", n)


def _order(label: str, value: object) -> None:
    """An order: a number, infinite for what is exact, NaN for what is not known."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise InputError(f"{label} is {one_line(value)}; an order is a number, at least 0.")


@checked_construction
@dataclass(frozen=True, kw_only=True)
class Method(Travels, Claims):
    """A one-step method.

    `step` is a kernel ``step(h, t, state, body) -> state, report`` (see ``polhode.kernels.step``) and `start` makes the
    first state. The claims (``properties.Claims``, and the order) of a method of one's own may be left open
    (None); those of the catalogue may not.

    Parameters
    ----------
    name : str
        Of the method.
    step : callable
        The kernel.
    order : int or Order, optional
        The claim.
    start : callable
        Makes the first state.
    title, family, sources, aliases
        What it says of itself.
    symmetric, symplectic, ... : bool, optional
        Claims: see the table of properties.
    """

    name: str
    step: Callable[..., Any]
    order: int | Order | None = None
    start: Callable[..., Any] = start_plain
    coefficients: Callable[..., Any] | None = None  # (J, number) -> numbers in body[2]; exact until `number`
    nodes: int = 0  # how many attitudes a step gives to the torque at once, if it does (``kernels.quadrature_nodes``)
    free_only: bool = False
    velocity: str | None = None  # how it takes a torque tau(t, Q, Omega), damping, rotors: one of VELOCITIES, or not
    lifted: bool = False  # whether it has been made ready for damping, rotors and the like (``velocity.py``)
    composed: tuple["Method", int] | None = None  # the method that it is composed of, and of how many of its steps
    extended: bool = False  # the memory is part of the state, not only a guess: properties are those of the whole
    aliases: tuple[str, ...] = ()
    title: str = ""
    family: str = "your own"
    sources: tuple[str, ...] = ()
    torques_at_start: int = 1  # evaluations by `start`

    def __post_init__(self) -> None:
        text("name", self.name)
        for label in ("step", "start"):
            function(f"{label} of {self.name}", getattr(self, label))
        if self.coefficients is not None:
            function(f"coefficients of {self.name}", self.coefficients)
        if self.order is not None and not isinstance(self.order, Order):
            _order(f"order of {self.name}", self.order)
        whole(f"nodes of {self.name}", self.nodes, least=0, most=64)
        whole(f"torques_at_start of {self.name}", self.torques_at_start, least=0)
        if self.torques_per_step is not None:
            whole(f"torques_per_step of {self.name}", self.torques_per_step, least=0)
        if self.velocity is not None and self.velocity not in VELOCITIES:
            raise InputError(
                f"velocity of {self.name} is {one_line(self.velocity)}; it may be {', '.join(VELOCITIES)}, or None."
            )
        for label in ("free_only", "extended"):
            flag(f"{label} of {self.name}", getattr(self, label))
        for row in CLAIMED:
            if row.kind == YES_OR_NO:
                flag_or_none(f"{row.claim} of {self.name}", getattr(self, row.claim))
        for label in ("title", "family"):
            if not isinstance(getattr(self, label), str):
                raise InputError(f"{label} of {self.name} is {one_line(getattr(self, label))}; it must be text.")
        for label in ("aliases", "sources"):
            for name in items(f"{label} of {self.name}", getattr(self, label), "a sequence of names"):
                text(f"one of {label} of {self.name}", name)
        if self.drift is not None and (not isinstance(self.drift, str) or self.drift not in DRIFTS):
            raise InputError(f"drift of {self.name} is {one_line(self.drift)}; it may be {', '.join(DRIFTS)}, or None.")

    @property
    def orders(self) -> Order:
        """The order claimed, spelled out."""
        if isinstance(self.order, Order):
            return self.order
        n = float("nan") if self.order is None else self.order
        return Order(**{part.name: (n, n) for part in fields(Order)})

    @property
    def lecture(self) -> str:
        """Idea, formulas, why each claim holds, pitfalls."""
        import inspect

        return inspect.cleandoc(self.step.__doc__ or "")

    def torques(self, steps: int, iterations: int) -> int:
        """How often the torque is evaluated in so many steps and iterations, without the start."""
        per = self.torques_per_step
        return max(1, self.nodes) * iterations if per is None else per * steps

    def torques_of_run(self, steps: int, iterations: int) -> int | None:
        """The same with the start: how often a run evaluates it."""
        return self.torques_at_start + self.torques(steps, iterations)

    @property
    def explicit_torque(self) -> bool:
        """Whether the torque is evaluated a fixed number of times a step, outside any iteration."""
        return self.torques_per_step is not None

    def open_claims(self) -> list[str]:
        """The claims left open, which the catalogue does not allow."""
        may_be_none = {"coefficients", "velocity", "composed"} | {row.claim for row in PROPERTIES if row.kind == NUMBER}
        may_be_none |= {row.claim for row in PROPERTIES if row.kind != ORDER and not row.is_of(self)}
        return [f.name for f in fields(self) if getattr(self, f.name) is None and f.name not in may_be_none]

    def _repr_html_(self) -> str:
        return shown("method, a card", self)

    def __repr__(self) -> str:
        return f"<Method {self.name}: {self.title or 'no title'}>"


@checked_construction
@dataclass(frozen=True)
class BlackBox(Travels):
    """An integrator that can only be run: advance(problem, Q, Omega, h, n, t) -> (Q, Omega) after n steps of h.

    One that chooses its own steps says to which `tolerance`; h is then only how far it is asked to go.

    Parameters
    ----------
    name : str
        Of the integrator.
    advance : callable
        Takes n steps.
    title : str
        In a few words.
    tolerance : float, optional
        Of one that chooses its own steps.
    """

    name: str
    advance: Callable[..., Any]
    title: str = ""
    tolerance: float | None = None

    def __post_init__(self) -> None:
        text("name", self.name)
        function(f"advance of {self.name}", self.advance)
        if not isinstance(self.title, str):
            raise InputError(f"title of {self.name} is {one_line(self.title)}; it must be text.")
        if self.tolerance is not None:
            positive(f"tolerance of {self.name}", self.tolerance)

    @property
    def __name__(self) -> Any:
        return self.name

    def __call__(self, problem: Any, Q: Any, Omega: Any, h: Any, t: Any) -> Any:
        """One step, as a plain function would take it."""
        return self.advance(problem, Q, Omega, h, 1, t)
