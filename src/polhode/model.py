"""What a method is: a step, and what is claimed of it, once, as data."""

from collections.abc import Callable
from dataclasses import dataclass, fields

from polhode.body import start_plain
from polhode.properties import NUMBER, ORDER, PROPERTIES, Claims
from polhode.travel import Travels


@dataclass(frozen=True)
class Order:
    """Orders of convergence, for Q and for Omega; without a torque and with one."""

    free: tuple[float, float]
    torque: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Method(Travels, Claims):
    """A one-step method.

    `step` is a kernel ``step(h, t, state, body) -> state, report`` (see ``polhode.body``) and `start` makes the
    first state. The claims (``polhode.properties.Claims``, and the order) of a method of one's own may be left open
    (None); those of the catalogue may not.
    """

    name: str
    step: Callable
    order: int | Order | None = None
    start: Callable = start_plain
    coefficients: Callable | None = None  # (J, number) -> numbers the step finds in body[2]; exact until `number`
    nodes: int = 0  # how many attitudes a step gives to the torque at once, if it does (``polhode.nodes``)
    free_only: bool = False
    extended: bool = False  # the memory is part of the state, not only a guess: properties are those of the whole
    aliases: tuple[str, ...] = ()
    title: str = ""
    family: str = "your own"
    sources: tuple[str, ...] = ()
    torques_at_start: int = 1  # evaluations by `start`

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

    def torques(self, steps, iterations):
        """How often the torque is evaluated in so many steps and iterations, without the start."""
        per = self.torques_per_step
        return max(1, self.nodes) * iterations if per is None else per * steps

    @property
    def explicit_torque(self) -> bool:
        """Whether the torque is evaluated a fixed number of times a step, outside any iteration."""
        return self.torques_per_step is not None

    def open_claims(self) -> list[str]:
        """The claims left open, which the catalogue does not allow."""
        may_be_none = {"coefficients"} | {row.claim for row in PROPERTIES if row.kind == NUMBER}
        if self.free_only:
            may_be_none |= {row.claim for row in PROPERTIES if row.kind != ORDER and row.needs_torque}
        return [f.name for f in fields(self) if getattr(self, f.name) is None and f.name not in may_be_none]

    def __repr__(self):
        return f"<Method {self.name}: {self.title or 'no title'}>"


@dataclass(frozen=True)
class BlackBox(Travels):
    """An integrator that can only be run: advance(problem, Q, Omega, h, n, t) -> (Q, Omega) after n steps of h.

    One that chooses its own steps says to which `tolerance`; h is then only how far it is asked to go.
    """

    name: str
    advance: Callable
    title: str = ""
    tolerance: float | None = None

    @property
    def __name__(self):
        return self.name

    def __call__(self, problem, Q, Omega, h, t):
        """One step, as a plain function would take it."""
        return self.advance(problem, Q, Omega, h, 1, t)
