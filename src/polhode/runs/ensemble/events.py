"""Crossings of many bodies: all of them in one table, and the first of each."""

from dataclasses import dataclass

import numpy as np

from polhode.runs.trajectory import Crossings


@dataclass(frozen=True)
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
        """The time of the first crossing of each body, NaN of one that had none: (N,)."""
        found = np.full(self.bodies, np.nan)
        for i, t in zip(self.body[::-1].tolist(), self.t[::-1].tolist()):
            found[i] = t
        return found

    def some(self, which: np.ndarray) -> "BodyCrossings":
        """Those of some bodies, which are counted anew."""
        rows = [np.flatnonzero(self.body == i) for i in which.tolist()]
        taken = np.concatenate(rows) if rows else np.empty(0, dtype=int)
        numbers = np.repeat(np.arange(len(which)), [len(x) for x in rows])
        return BodyCrossings(
            numbers, self.t[taken], self.Q[taken], self.Omega[taken], self.direction[taken], len(which)
        )


def gathered_events(met: dict[int, dict[str, Crossings]], N: int) -> dict[str, BodyCrossings]:
    """The crossings of bodies, by the name of the event."""
    names = list(dict.fromkeys(name for found in met.values() for name in found))
    return {name: _joined([(i, found[name]) for i, found in met.items() if name in found], N) for name in names}


def _joined(found: list[tuple[int, Crossings]], N: int) -> BodyCrossings:
    bodies = np.repeat([i for i, _ in found], [len(c) for _, c in found]).astype(int)
    part = lambda key: np.concatenate([getattr(c, key) for _, c in found])
    return BodyCrossings(bodies, part("t"), part("Q"), part("Omega"), part("direction"), N)
