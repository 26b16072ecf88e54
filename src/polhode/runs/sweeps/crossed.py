"""What is kept of the events of a chunk: for each body the number of crossings, and the first of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polhode.inputs.events import Events
from polhode.runs.ensemble.solve import Ensemble


def crossed(e: Ensemble, watched: Events, most: int) -> dict[str, np.ndarray]:
    """By variable, (bodies, ...): the first `most` crossings of each event in the order of time, NaN where none is."""
    arrays: dict[str, np.ndarray] = {}
    for name in watched.functions:
        count = np.zeros(len(e), dtype=np.int64)
        t, Q, Omega = (np.full((len(e), most, *shape), np.nan) for shape in ((), (3, 3), (3,)))
        if name in e.events:
            crossings = e.events[name]
            count = np.bincount(crossings.body, minlength=len(e)).astype(np.int64)
            row = np.argsort(crossings.body, kind="stable")  # by body; those of one stay in the order of time
            place = np.arange(len(crossings)) - np.repeat(np.cumsum(count) - count, count)
            row, place = row[place < most], place[place < most]
            body = crossings.body[row]
            t[body, place], Q[body, place], Omega[body, place] = (
                crossings.t[row],
                crossings.Q[row],
                crossings.Omega[row],
            )
        if most == 1:
            t, Q, Omega = t[:, 0], Q[:, 0], Omega[:, 0]
        arrays |= {f"{name}_count": count, f"{name}_t": t, f"{name}_Q": Q, f"{name}_Omega": Omega}
    return arrays


@dataclass(frozen=True)
class End:
    """Where an event ended a body."""

    body: int
    t: float
    Q: np.ndarray
    Omega: np.ndarray


def ends(e: Ensemble, watched: Events) -> list[End]:
    """The bodies that an event ended: at the first crossing of those that are terminal."""
    first: dict[int, End] = {}
    for crossings in (e.events[name] for name in watched.terminal if name in e.events):
        for k, i in enumerate(crossings.body.tolist()):
            if e.failed[i] < 0 and (i not in first or (crossings.t[k] - first[i].t) * e.h < 0):
                first[i] = End(i, float(crossings.t[k]), crossings.Q[k], crossings.Omega[k])
    return list(first.values())


def ended(e: Ensemble, each: Sequence[End]) -> dict[str, np.ndarray]:
    """The last state of each body: at the end of the run, or where an event ended it before."""
    t, Q, Omega = np.full(len(e), e.t[-1]), e.Q[-1].copy(), e.Omega[-1].copy()
    for end in each:
        t[end.body], Q[end.body], Omega[end.body] = end.t, end.Q, end.Omega
    t[e.failed >= 0] = np.nan
    return {"t_final": t, "Q_final": Q, "Omega_final": Omega}
