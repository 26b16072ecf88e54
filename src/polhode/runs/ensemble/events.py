"""Crossings of many bodies: all of them in one table, and the first of each."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.results.trajectory import Crossings


@dataclass(frozen=True, eq=False)
class BodyCrossings:
    """Where an event happened, m times in all: body (m,), t (m,), Q (m, 3, 3), Omega (m, 3), direction (m,)."""

    body: np.ndarray
    t: np.ndarray
    Q: np.ndarray
    Omega: np.ndarray
    direction: np.ndarray
    bodies: int  # how many there are

    def __len__(self) -> int:
        return len(self.t)

    @property
    def first(self) -> np.ndarray:
        """The time of each body's first crossing, NaN if it had none: (N,)."""
        times = np.full(self.bodies, np.nan)
        times[self.body[::-1]] = self.t[::-1]  # written from the last to the first, so that the first stays
        return times

    def of(self, i: int) -> Crossings:
        """The crossings of one body, as `solve` gives them."""
        own = self.body == i
        return Crossings(self.t[own], self.Q[own], self.Omega[own], self.direction[own])

    def some(self, which: np.ndarray) -> "BodyCrossings":
        """The crossings of some bodies, which are numbered anew."""
        rows = [np.flatnonzero(self.body == i) for i in which.tolist()]
        places = np.concatenate(rows) if rows else np.empty(0, dtype=int)
        numbers = np.repeat(np.arange(len(which)), [len(x) for x in rows])
        return BodyCrossings(
            numbers, self.t[places], self.Q[places], self.Omega[places], self.direction[places], len(which)
        )


@dataclass(frozen=True)
class Table:
    """Crossings on their way to a result: body, t, number of the event, direction, and the row (q, Pi) of each."""

    body: np.ndarray
    t: np.ndarray
    event: np.ndarray
    direction: np.ndarray
    rows: np.ndarray  # (m, 7), in principal axes

    def only(self, which: np.ndarray) -> "Table":
        """Some of them, by a mask or by numbers, in that order."""
        return Table(self.body[which], self.t[which], self.event[which], self.direction[which], self.rows[which])

    @classmethod
    def joined(cls, tables: "list[Table]") -> "Table":
        """All of several tables."""
        empty = cls(np.empty(0, int), np.empty(0), np.empty(0, int), np.empty(0, int), np.empty((0, 7)))
        return cls(*(np.concatenate([getattr(x, key.name) for x in (empty, *tables)]) for key in fields(cls)))


def crossings_by_name(table: Table, names: Iterable[str], bodies: Bodies) -> dict[str, BodyCrossings]:
    """The crossings of bodies, by the name of the event; each body's are in the order in which they happened."""
    table = table.only(np.argsort(table.body, kind="stable"))
    by_name = {}
    for k, name in enumerate(names):
        own = table.only(table.event == k)
        Q, Omega = bodies.in_users_axes(own.body, own.rows)
        by_name[name] = BodyCrossings(own.body, own.t, Q, Omega, own.direction, len(bodies))
    return by_name


def gathered_events(met: dict[int, dict[str, Crossings]], N: int) -> dict[str, BodyCrossings]:
    """The crossings of bodies, by the name of the event."""
    names = list(dict.fromkeys(name for own in met.values() for name in own))
    return {name: _joined([(i, own[name]) for i, own in met.items() if name in own], N) for name in names}


def _joined(crossings: list[tuple[int, Crossings]], N: int) -> BodyCrossings:
    bodies = np.repeat([i for i, _ in crossings], [len(c) for _, c in crossings]).astype(int)
    part = lambda key: np.concatenate([getattr(c, key) for _, c in crossings])
    return BodyCrossings(bodies, part("t"), part("Q"), part("Omega"), part("direction"), N)
