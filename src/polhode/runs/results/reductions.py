"""Energy, momentum and invariants of a long run without keeping it: least, greatest, mean and slope, tallied while it
goes.

The loop itself tallies energy and momentum; invariants, which are functions in Python, are noted by ``looking.py``.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs import functions
from polhode.kernels import loop
from polhode.kernels.numbers import Body, Kernel, State
from polhode.physics.problem import Problem

QUANTITIES = ("energy", "momentum_x", "momentum_y", "momentum_z")
BLOCKS = 64
"""Parts of equal length whose means are kept: they give the error of a slope, and a curve to look at."""


@dataclass(frozen=True)
class Reduction:
    """One quantity over a whole run. Differences are from its value at the start, `first`."""

    name: str
    first: float
    count: int
    min: float
    max: float
    mean: float
    slope: float
    """By least squares over all values, per unit of time."""
    slope_error: float
    """Standard error of the slope, from the scatter of the block means about the line, as if independent."""
    t: np.ndarray = field(repr=False)
    """Mean times of the blocks."""
    means: np.ndarray = field(repr=False)
    """Block means of the difference from `first`."""

    def of(self, bodies: Any) -> "Reduction":
        """The Reduction of one body, or of some, from that of an ensemble, whose numbers are arrays (N,)."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("name", "t", "means")}
        return Reduction(
            self.name, **{k: x[bodies] for k, x in own.items()}, t=self.t[:, bodies], means=self.means[:, bodies]
        )

    @property
    def spread(self) -> float:
        """Greatest minus least."""
        return self.max - self.min


class Survey:
    """The tally of a run: which quantities, looked at every how many steps, and their sums."""

    def __init__(self, names: Sequence[str], each: int, n: int) -> None:
        names = (names,) if isinstance(names, str) else tuple(names)
        self.names = tuple(q for name in names for q in meant(name))
        self.invariants = tuple(dict.fromkeys(name for name in self.names if name not in QUANTITIES))
        own = set(self.names) - set(self.invariants)
        self.columns = (*(QUANTITIES if own else ()), *self.invariants)
        self.first: dict[str, float] = {}  # values at the start, by name
        self.each = each
        self.looks = n // each
        if self.looks < 3:
            raise InputError(
                f"reduce_every = {each} leaves {self.looks} of {n} steps to look at; at least 3 are needed."
            )
        blocks = min(BLOCKS, self.looks)
        self.tally = np.zeros((blocks, len(self.columns), 7))
        self.tally[:, :, 0], self.tally[:, :, 1] = math.inf, -math.inf

    @property
    def in_loop(self) -> "Survey | None":
        """What the loop has to tally: this, or nothing if only invariants are asked for."""
        return self if self.columns[0] in QUANTITIES else None

    @property
    def wants_energy(self) -> bool:
        """Whether the potential has to be evaluated."""
        return "energy" in self.names

    def begin(self, problem: Problem, state: State, body: Body) -> tuple[Any, ...]:
        """The last arguments of ``loop.survey``, all but the potential: made from the first state."""
        if self.wants_energy and problem.timed_potential_kernel is not None:
            raise InputError(
                f'reduce="energy" tallies T + U(Q), and the potential of {problem.name!r} depends on the time: keep '
                "states, and take the energy of the Trajectory."
            )
        if self.wants_energy and not problem.has_potential:
            raise InputError(
                f'reduce="energy", but the problem {problem.name!r} has no potential, so it has no energy.'
            )
        if self.wants_energy and problem.internal.wheels is not None:
            raise InputError(
                f'reduce="energy" tallies the body alone, and {problem.name!r} has wheels, whose energy belongs to it: '
                "keep states, and take the energy of the Trajectory."
            )
        if problem.forces.rotor and set(self.names) & set(QUANTITIES[1:]):
            raise InputError(
                f'reduce="momentum" tallies Q J Omega, and {problem.name!r} has a rotor, whose momentum belongs to it: '
                "keep states, and take the momentum of the Trajectory."
            )
        own = problem.potential_kernel if self.wants_energy else None
        self.potential: Kernel = functions.no_potential if own is None else own
        origin = loop.watched(state[0], state[1], body, self.potential)
        self.first |= dict(zip(QUANTITIES, origin))
        return origin, self.each, self.looks, self.tally

    def place(self, look: int) -> tuple[int, int]:
        """The block of a look, and its place there, both counted from 0: as in ``loop.survey``."""
        blocks = len(self.tally)
        block = look * blocks // self.looks
        return block, look - (block * self.looks + blocks - 1) // blocks

    def note(self, name: str, steps: np.ndarray, values: np.ndarray) -> None:
        """Add the values of an invariant after these steps; one that is not a number makes all of it so."""
        k = self.columns.index(name)
        for step, y in zip(steps.tolist(), (values - self.first[name]).tolist()):
            block, place = self.place(step // self.each - 1)
            loop.note(self.tally, block, k, place, y)
            if math.isnan(y):
                self.tally[block, k, :2] = math.nan

    def results(self, t0: float, h: float) -> dict[str, Reduction]:
        """The quantities asked for, by name."""
        return {name: self._result(name, self.columns.index(name), t0, h) for name in self.names}

    def _result(self, name: str, k: int, t0: float, h: float) -> Reduction:
        blocks = [(b, row) for b, row in enumerate(self.tally[:, k].tolist()) if row[2]]  # a run may have stopped early
        first, unit = self.first[name], h * self.each
        begin = [-(-b * self.looks // len(self.tally)) for b, _ in blocks]
        count = [int(row[2]) for _, row in blocks]
        total = [row[3] - row[4] for _, row in blocks]
        n = sum(count)
        if n < 2:
            nan = math.nan
            return Reduction(name, first, n, nan, nan, nan, nan, nan, np.empty(0), np.empty(0))
        moment = math.fsum(a * s + (row[5] - row[6]) for a, s, (_, row) in zip(begin, total, blocks))
        mean = math.fsum(total) / n
        slope = 12 * (moment - (n - 1) / 2 * mean * n) / (n * (n * n - 1.0)) / unit
        t = t0 + unit * (1 + np.array([a + (c - 1) / 2 for a, c in zip(begin, count)]))
        means = np.array([s / c for s, c in zip(total, count)])
        return Reduction(
            name,
            first,
            n,
            first + float(np.min([row[0] for _, row in blocks])),
            first + float(np.max([row[1] for _, row in blocks])),
            first + mean,
            slope,
            slope_error(t, means, slope),
            t,
            means,
        )


def slope_error(t: np.ndarray, means: np.ndarray, slope: float) -> float:
    """The standard error of a slope, from the scatter of block means about the line."""
    if len(t) < 3:
        return math.nan
    x = t - t.mean()
    rest = means - means.mean() - slope * x
    return float(np.sqrt((rest @ rest) / (len(t) - 2) / (x @ x)))


def chosen_names(reduce: Any, invariants: Iterable[str]) -> tuple[str, ...]:
    """What `reduce` names: quantities of every body, or these invariants of the problem; else a sentence."""
    return inputs.choices(
        "reduce", () if reduce is None else reduce, ("energy", "momentum", *QUANTITIES[1:], *invariants)
    )


def meant(name: str) -> tuple[str, ...]:
    """The quantities that a name stands for."""
    return QUANTITIES[1:] if name == "momentum" else (name,)
