"""What is copied and rewritten here: functions that decide in every way there is, and integrators that remember."""

import collections
import ctypes
import functools
import itertools
import random
from typing import ClassVar

import numpy as np

from tests.testbench.certificate.adversary.steps import verlet

CALLS = itertools.count()
DRAWN = random.Random(7)
SEEN = []
RING = collections.deque(maxlen=3)
TABLE = {"calls": [0]}


def decides(x, y):
    """One way of each kind."""
    found = []
    if x < 1 or y > 5:
        found.append("near")
    if 0 < x < y and not abs(y - 3) < 0.5:
        found.append("chain")
    found.append("small" if abs(x) <= 0.01 else "large")
    while x > 10:
        x = x / 2
    found += [z for z in (1, 2, 3) if z >= y]
    match found:
        case ["near", *_] if y != 4:
            found.append("matched")
    found.append(float(np.where(np.array([x, y]) > 2, 1.0, 0.0).sum()))
    return found, max(x, y), np.clip(x, -1, 1)


def counts(p, Q, Omega, h, t):
    """Verlet, with a count, a random number and a list that others may look at."""
    next(CALLS), SEEN.append(DRAWN.random())
    if t > 1e6:
        raise ValueError("too late")
    return verlet(p, Q, Omega, h, t)


class Remembers:
    """Verlet; whether it was called is in its own list."""

    def __init__(self):
        self.calls, self.step = [], functools.partial(verlet)

    def is_first(self):
        return len(self.calls) == 0

    def __call__(self, p, Q, Omega, h, t):
        if self.is_first():
            self.calls.append(t)
        return self.step(p, Q, Omega, h, t)


def from_a_generator():
    """Verlet, in what cannot be copied."""

    def steps():
        found = None
        while True:
            found = verlet(*(yield found))

    inner = steps()
    next(inner)
    return lambda *state: inner.send(state)


class Keeps:
    """Verlet; what it was called with is kept wherever Python keeps things."""

    __slots__ = ("__own", "past")
    shared: ClassVar = []

    def __init__(self):
        self.past, self.__own = [], ([],)

    @property
    def own(self):
        return self.__own[0]

    def __call__(self, p, Q, Omega, h, t):
        for kept in (self.past, self.own, self.shared, RING):
            kept.append(t)
        TABLE["calls"][0] += 1
        return verlet(p, Q, Omega, -abs(h) if h < 0 else h, t)


class Frees:
    """Verlet, in an object that frees what it has when it ends: that of a copy would free it, too."""

    freed: ClassVar = []

    def __call__(self, p, Q, Omega, h, t):
        return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)

    def __del__(self):
        self.freed.append(self)


class Family:
    """Takes note of the classes below it."""

    known: ClassVar = {}

    def __init_subclass__(cls):
        Family.known[cls.__name__] = cls


class Member(Family):
    """Verlet, in one of these."""

    def __call__(self, p, Q, Omega, h, t):
        return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)


@functools.lru_cache
def doubled(x):
    """A function with a cache."""
    return 2 * x if x > 0 else x + x


def by_a_cache(p, Q, Omega, h, t):
    """Verlet, whose time goes through that cache."""
    return verlet(p, Q, Omega, h, doubled(t) / 2)


ABSOLUTE = ctypes.CDLL(None).abs


def by_a_library(p, Q, Omega, h, t):
    """Verlet, beside a function of a compiled library, which cannot be copied and need not be."""
    return verlet(p, Q, Omega, h if ABSOLUTE(-1) == 1 else -h, t)


def exits_when_large(p, Q, Omega, h, t):
    """Verlet, which ends the program where a step is large."""
    if abs(h) > 2.5:
        raise SystemExit("h is too large")
    return verlet(p, Q, Omega, h, t)


def refuses_large(p, Q, Omega, h, t):
    """Verlet with small steps."""
    if abs(h) > 0.12:
        raise ValueError("h is too large")
    return verlet(p, Q, Omega, h, t)


def hangs_when_large(p, Q, Omega, h, t):
    """Verlet, which never returns where a step is large."""
    while abs(h) > 2.5:
        pass
    return verlet(p, Q, Omega, h, t)
